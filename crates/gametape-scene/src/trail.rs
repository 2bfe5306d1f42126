//! Where pieces were: their ways over the last moments.

use std::collections::HashMap;

use crate::model::{Position, Scene};
use crate::palette::{Colour, Palette};

/// More trails are not drawn: those of the pieces that moved last.
const MOST: usize = 400;

/// The way of a piece over the last moments.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Trail {
    /// The piece.
    pub id: String,
    /// The colour of who owns it.
    pub colour: Colour,
    /// Where it was, and how long ago: 0 is the oldest moment and 1 is now.
    pub points: Vec<(Position, f32)>,
}

/// Makes trails of scenes that follow each other.
#[derive(Debug, Default)]
pub(crate) struct TrailMaker {
    ways: HashMap<String, Way>,
    scenes: usize,
}

#[derive(Debug)]
struct Way {
    colour: Colour,
    points: Vec<(Position, usize)>,
    /// The last scene in which the piece was there.
    last: usize,
}

impl TrailMaker {
    pub(crate) fn add(&mut self, scene: &Scene) {
        self.scenes += 1;
        let (scenes, Some(board)) = (self.scenes, &scene.board) else { return };
        for piece in &board.pieces {
            let owner = scene.player(piece.owner).map(crate::Player::shown_colour);
            let colour = owner.unwrap_or(Palette::SECONDARY);
            let way = self.ways.entry(piece.id.clone()).or_insert_with(|| Way {
                colour,
                points: Vec::new(),
                last: scenes,
            });
            if way.last + 1 < scenes {
                // It was away: what it did then is not known.
                way.points.clear();
            }
            (way.colour, way.last) = (colour, scenes);
            if way.points.last().is_none_or(|(at, _)| *at != piece.at) {
                way.points.push((piece.at, scenes));
            }
        }
    }

    /// The ways of pieces that moved, in the order of their last moves.
    pub(crate) fn finish(self) -> Vec<Trail> {
        let scenes = self.scenes;
        let moved = self.ways.into_iter().filter(|(_, way)| way.points.len() > 1);
        let mut moved: Vec<(String, Way)> = moved.collect();
        let newest = |way: &Way| way.points.last().map_or(0, |(_, scene)| *scene);
        moved.sort_by(|a, b| newest(&a.1).cmp(&newest(&b.1)).then_with(|| a.0.cmp(&b.0)));
        let surplus = moved.len().saturating_sub(MOST);
        let age = |scene: usize| scene as f32 / scenes.max(1) as f32;
        let trail = |(id, way): (String, Way)| Trail {
            id,
            colour: way.colour,
            points: way.points.into_iter().map(|(at, scene)| (at, age(scene))).collect(),
        };
        moved.into_iter().skip(surplus).map(trail).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Board, Piece, Shape, TileAt};

    fn scene(pieces: &[(&str, i32)]) -> Scene {
        let mut board = Board::new(Shape::Square, vec![TileAt::new(0, 0)]);
        board.pieces =
            pieces.iter().map(|(id, x)| Piece::new(*id, 1, TileAt::new(*x, 0))).collect();
        let mut scene = Scene::new("test");
        scene.board = Some(board);
        scene
    }

    #[test]
    fn pieces_that_move_leave_trails_and_others_do_not() {
        let mut maker = TrailMaker::default();
        for step in 0..4 {
            maker.add(&scene(&[("still", 7), ("mover", step), ("late", step / 3)]));
        }
        let trails = maker.finish();
        let ids: Vec<&str> = trails.iter().map(|trail| &*trail.id).collect();
        assert_eq!(ids, ["late", "mover"]);
        let xs: Vec<f32> = trails[1].points.iter().map(|(at, _)| at.x).collect();
        assert_eq!(xs, [0.0, 1.0, 2.0, 3.0]);
        assert!(trails[1].points.windows(2).all(|pair| pair[0].1 < pair[1].1));
        assert_eq!(trails[1].points[3].1, 1.0);
    }

    #[test]
    fn a_piece_that_was_away_has_no_way_through_the_unknown() {
        let mut maker = TrailMaker::default();
        for pieces in [&[("a", 0)][..], &[("a", 1)], &[], &[("a", 5)], &[("a", 6)]] {
            maker.add(&scene(pieces));
        }
        let xs: Vec<f32> = maker.finish()[0].points.iter().map(|(at, _)| at.x).collect();
        assert_eq!(xs, [5.0, 6.0]);
    }
}
