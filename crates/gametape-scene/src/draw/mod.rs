//! The board of a scene as pixels: one renderer for PNG files and for screens.
//!
//! Tiles are drawn pixel by pixel from a table of which tile each pixel shows. The table is made once per zoom, and only for
//! its new edges while somebody pans, so a picture of 30,000 tiles takes a few milliseconds. Marks and labels are drawn once
//! and stamped from then on.

mod board;
mod canvas;
mod face;
mod font;
mod ground;
mod labels;
mod shapes;
mod sprites;

use crate::heat::Heat;
use crate::layout::Layout;
use crate::model::{Board, Scene, TileAt};
use crate::palette::Palette;
use crate::trail::Trail;

pub(crate) use board::BoardPicture;
#[cfg(any(feature = "film", feature = "png"))]
pub(crate) use board::{PieceLook, draw_mark, draw_piece};
pub(crate) use canvas::Canvas;
#[cfg(any(feature = "film", feature = "png"))]
pub(crate) use canvas::{Area, Point};
pub use font::Fonts;
#[cfg(any(feature = "film", feature = "png"))]
pub(crate) use font::Weight;
use ground::PixelTables;
#[cfg(any(feature = "film", feature = "png"))]
pub(crate) use shapes::Shapes;
use sprites::Sprites;

/// The most pixels that a side of a picture may have.
const MOST_SIDE: u32 = 8192;
/// Pictures of a board that are drawn in turns: itself, a small map, one under the pointer.
const MOST_IN_TURNS: usize = 3;

/// Which part of a board is drawn, and how large.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// The width of a tile in pixels.
    pub scale: f32,
    /// The pixel at which the upper left corner of the board is; it may be outside of the picture.
    pub origin: (f32, f32),
}

impl Camera {
    /// The whole board in the middle of a picture, with a margin around it.
    #[must_use]
    pub fn fit(layout: &Layout, (width, height): (u32, u32), margin: f32) -> Self {
        let (tiles_wide, tiles_high) = layout.size();
        let room = |side: u32| (side as f32 - 2.0 * margin).max(1.0);
        let scale = (room(width) / tiles_wide).min(room(height) / tiles_high);
        let start = |side: u32, tiles: f32| (side as f32 - tiles * scale) / 2.0;
        Self { scale, origin: (start(width, tiles_wide), start(height, tiles_high)) }
    }

    /// The same camera with what can be drawn: whole pixels, so that panning moves pixels and changes none.
    fn drawable(self) -> Self {
        let usable =
            |value: f32| if value.is_finite() { value.clamp(-1e6, 1e6).round() } else { 0.0 };
        let scale = if self.scale.is_finite() { self.scale.clamp(0.05, 512.0) } else { 1.0 };
        Self { scale, origin: (usable(self.origin.0), usable(self.origin.1)) }
    }
}

/// What is drawn over a board besides what its scene has.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Overlay<'a> {
    /// A tile that is marked as selected.
    pub selected: Option<TileAt>,
    /// How much of something was where: the board recedes, and this is seen.
    pub heat: Option<&'a Heat>,
    /// Where pieces were.
    pub trails: &'a [Trail],
    /// Tiles around whose areas there is a line.
    pub outlined: &'a [TileAt],
    /// Are names left out? For pictures that are too small for them.
    pub is_plain: bool,
}

impl<'a> Overlay<'a> {
    /// With a selected tile.
    #[must_use]
    pub fn with_selected(mut self, selected: Option<TileAt>) -> Self {
        self.selected = selected;
        self
    }

    /// With a line around the areas that these tiles make.
    #[must_use]
    pub fn with_outlined(mut self, outlined: &'a [TileAt]) -> Self {
        self.outlined = outlined;
        self
    }

    /// Without names.
    #[must_use]
    pub fn without_names(mut self, is_plain: bool) -> Self {
        self.is_plain = is_plain;
        self
    }

    /// With a heat map.
    #[must_use]
    pub fn with_heat(mut self, heat: Option<&'a Heat>) -> Self {
        self.heat = heat;
        self
    }

    /// With the ways of pieces.
    #[must_use]
    pub fn with_trails(mut self, trails: &'a [Trail]) -> Self {
        self.trails = trails;
        self
    }
}

/// Draws boards, and keeps what the next picture can use again.
#[derive(Debug)]
pub struct Renderer {
    fonts: Fonts,
    kept: Kept,
    /// Those of the last pictures of different sizes, that of the last one first.
    canvases: Vec<Canvas>,
}

/// What is kept from one picture to the next.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(crate) tables: PixelTables,
    pub(crate) sprites: Sprites,
}

impl Renderer {
    /// A renderer with these letters.
    #[must_use]
    pub fn new(fonts: Fonts) -> Self {
        Self { fonts, kept: Kept::default(), canvases: Vec::new() }
    }

    /// The letters that it draws with.
    #[must_use]
    pub fn fonts(&self) -> &Fonts {
        &self.fonts
    }

    /// Draws with other letters from now on.
    pub fn set_fonts(&mut self, fonts: Fonts) {
        self.fonts = fonts;
        self.kept.sprites = Sprites::default();
    }

    /// The picture that was drawn last, as [`draw`](Self::draw) gave it; nothing before.
    #[must_use]
    pub fn pixels(&self) -> &[u8] {
        self.canvases.first().map_or(&[], Canvas::bytes)
    }

    /// The board of a scene in a picture of this size, as bytes red, green, blue, alpha by row. None where there is no board
    /// or no room.
    pub fn draw(
        &mut self,
        scene: &Scene,
        size: (u32, u32),
        camera: Camera,
        overlay: Overlay<'_>,
    ) -> Option<&[u8]> {
        let board = scene.board.as_ref()?;
        let layout = Layout::of(board)?;
        let canvas = canvas_of(&mut self.canvases, size)?;
        let camera = camera.drawable();
        let picture = BoardPicture { scene, board, layout: &layout, camera, fonts: &self.fonts };
        picture.draw(canvas, &mut self.kept, canvas.area(), overlay);
        if let Some(tile) = overlay.selected {
            picture.outline(canvas, tile);
        }
        Some(canvas.bytes())
    }
}

/// The canvas of the last picture of this size, or a new one.
fn canvas_of(kept: &mut Vec<Canvas>, (width, height): (u32, u32)) -> Option<&mut Canvas> {
    if width.max(height) > MOST_SIDE {
        return None;
    }
    let canvas = match kept.iter().position(|canvas| canvas.size() == (width, height)) {
        Some(index) => kept.remove(index),
        None => Canvas::new(width, height, Palette::BACKGROUND)?,
    };
    kept.insert(0, canvas);
    kept.truncate(MOST_IN_TURNS);
    kept.first_mut()
}

/// The tile at a pixel of a picture; none where there is none.
#[must_use]
pub fn tile_at(board: &Board, camera: Camera, pixel: (f32, f32)) -> Option<TileAt> {
    let layout = Layout::of(board)?;
    let camera = camera.drawable();
    let point = [pixel.0 - camera.origin.0, pixel.1 - camera.origin.1].map(|at| at / camera.scale);
    let at = layout.tile_at((point[0], point[1]))?;
    board.tiles.contains(&at).then_some(at)
}
