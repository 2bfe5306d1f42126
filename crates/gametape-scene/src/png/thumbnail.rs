//! The board of a scene alone, small, for lists of matches.

use crate::draw::{BoardPicture, Camera, Canvas, Fonts, Kept, Overlay};
use crate::layout::Layout;
use crate::model::{Look, Scene};
use crate::palette::Palette;

/// Around the board.
const MARGIN: f32 = 4.0;

/// The board of a scene in the middle of a PNG picture of this size, without heading, legend and names; none where
/// there is no board.
#[must_use]
pub fn thumbnail(scene: &Scene, (width, height): (u32, u32)) -> Option<Vec<u8>> {
    let board = scene.board.as_ref()?;
    let layout = Layout::of(board)?;
    let mut canvas = Canvas::new(width, height, Palette::BACKGROUND)?;
    let camera = Camera::fit(&layout, (width, height), MARGIN);
    // Names have no room; pieces that are signs would not be seen without letters.
    let has_signs = board.kinds.iter().any(|kind| matches!(kind.look, Look::Symbol(_)));
    let fonts = if has_signs { Fonts::own() } else { Fonts::none() };
    let picture = BoardPicture { scene, board, layout: &layout, camera, fonts: &fonts };
    let area = canvas.area();
    picture.draw(&mut canvas, &mut Kept::default(), area, Overlay::default());
    canvas.to_png()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Board, Kind, Piece, Shape, TileAt};

    #[test]
    fn a_thumbnail_has_the_size_that_is_asked_for() {
        let mut scene = Scene::new("Lawn");
        assert_eq!(thumbnail(&scene, (64, 48)), None);
        scene.board = Some(Board::new(Shape::Hex, vec![TileAt::new(0, 0), TileAt::new(1, 0)]));
        let png = thumbnail(&scene, (64, 48)).unwrap();
        assert_eq!(png[16..24], [0, 0, 0, 64, 0, 0, 0, 48]);
    }
    #[test]
    fn pieces_that_are_signs_are_seen() {
        let mut scene = Scene::new("Chess");
        let mut board = Board::new(Shape::Square, vec![TileAt::new(0, 0), TileAt::new(1, 0)]);
        board.kinds = vec![Kind::new("white king", Some('K'), Palette::TEXT, Look::Symbol('♚'))];
        scene.board = Some(board.clone());
        let without = thumbnail(&scene, (64, 48)).unwrap();
        board.pieces = vec![Piece::new("king", 1, TileAt::new(0, 0))];
        scene.board = Some(board);
        assert_ne!(thumbnail(&scene, (64, 48)).unwrap(), without);
    }
}
