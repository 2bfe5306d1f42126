//! What can be seen of a match at a moment, and its drawing as text and pixels.
//!
//! A [`Scene`] is made by a game and drawn by somebody who knows no game. Specified in `spec/scene.md` of the repository.
//!
//! | to | use |
//! |---|---|
//! | make scenes of a game | implement [`Visible`] |
//! | see MineWars views | [`Visible`] for `gametape_minewars::ViewState`, with [`minewars::context_of_setup`] |
//! | see gamelogs | [`Visible`] for `gametape_cadre::State` and `Timeline` |
//! | see a recording of any format, moment by moment | `stage::Stage` (feature `stage`) |
//! | draw a scene as text | [`TextMap`] |
//! | draw a board for a screen | `draw::Renderer` (feature `draw`) |
//! | draw a scene as PNG | `png::draw` (feature `png`) |
//! | make moving pictures | `film::Filming` (feature `film`) |
//! | draw statistics as curves | `plot::Plot` (feature `plot`) |
//!
//! ```
//! use gametape_scene::{Board, Kind, Layer, Look, Palette, Scene, Shape, TextMap, TileAt};
//!
//! let grass = Kind::new("grass", Some('.'), Palette::terrain("grass"), Look::Fill);
//! let tiles = vec![TileAt::new(0, 0), TileAt::new(1, 0)];
//! let mut board = Board::new(Shape::Square, tiles);
//! board.layers.push(Layer { name: "ground".into(), kinds: vec![grass], cells: vec![1, 1] });
//! let mut scene = Scene::new("Lawn");
//! scene.board = Some(board);
//! assert!(TextMap::of(&scene).to_string().starts_with(". .\n"));
//! ```
//!
//! What it does not do: no file, clock or terminal. Moving through time is `gametape-replay`'s; a `Stage`
//! only puts a scene at each moment.

#[cfg(feature = "cadre")]
pub mod cadre;
mod compare;
#[cfg(feature = "draw")]
pub mod draw;
#[cfg(feature = "film")]
pub mod film;
mod heading;
mod heat;
mod inspect;
mod layers;
mod layout;
mod legend;
#[cfg(feature = "minewars")]
pub mod minewars;
mod model;
mod palette;
#[cfg(any(feature = "film", feature = "png"))]
mod panel;
#[cfg(feature = "plot")]
pub mod plot;
#[cfg(feature = "png")]
pub mod png;
#[cfg(feature = "stage")]
pub mod stage;
mod text;
mod trail;
mod union;
#[cfg(feature = "stage")]
mod unknown;
mod visible;

pub use compare::{TileLook, differing, tile_looks};
pub use heat::{Heat, HeatCell, HeatKind};
pub use inspect::{Inspection, Target};
pub use layout::Layout;
pub use legend::{Entry, Legend, Swatch};
pub use model::{
    Board, Datum, Kind, Layer, Line, Look, Piece, Player, Position, Scene, Shape, Sight, TileAt,
    Title, Value,
};
pub use palette::{Colour, Palette};
pub use text::{Ink, TextCell, TextMap};
pub use trail::Trail;
pub use union::together;
pub use visible::{Context, NamedPlace, Visible};
