//! What Skirmish adds to scenes of its views: which tiles a player sees; `spec/scene.md`, section 5.

use std::collections::HashSet;

use gametape_scene::{Board, Scene, Shape, Sight, TileAt};
use gametape_wire::View;

/// Sight of land and of a tower: `spec/skirmish.md`, sections 4 and 10.
const NEAR: i32 = 3;
const FAR: i32 = 5;

/// Marks the tiles of a player's view that are out of sight as remembered: what is known of them is what
/// was seen last. Who is out sees nothing any more and receives nothing, so everything is remembered.
pub fn mark_sight(scene: &mut Scene, view: View) {
    let Some(board) = scene.board.as_mut().filter(|_| view != View::SPECTATOR) else { return };
    let in_sight = in_sight(board, view.number());
    let sight = |at: &TileAt| if in_sight.contains(at) { Sight::Seen } else { Sight::Remembered };
    board.sight = board.tiles.iter().map(|at| sight(at).code()).collect();
}

/// The tiles that a player sees.
fn in_sight(board: &Board, player: u8) -> HashSet<TileAt> {
    let kind = |layer: &str, tile: usize| {
        let layer = board.layers.iter().find(|own| own.name == layer)?;
        Some(layer.kind(tile)?.name.as_str())
    };
    let mut seen = HashSet::new();
    for (tile, at) in board.tiles.iter().enumerate().filter(|(i, _)| board.owner(*i) == player) {
        let structure = kind("structure", tile);
        let reach = match (kind("ground", tile), structure) {
            (_, Some("tower")) => FAR,
            // Clusters have no eyes, and water only has those of a bridge.
            (Some("mountain" | "forest"), _) | (Some("water"), None) => continue,
            _ => NEAR,
        };
        seen.extend(around(board.shape, *at, reach));
    }
    seen
}

/// The tiles within a distance.
fn around(shape: Shape, at: TileAt, reach: i32) -> impl Iterator<Item = TileAt> {
    (-reach..=reach).flat_map(move |dy| {
        let columns = match shape {
            Shape::Hex => (-reach).max(-reach - dy)..=reach.min(reach - dy),
            _ => -reach..=reach,
        };
        columns.map(move |dx| TileAt::new(at.x + dx, at.y + dy))
    })
}

#[cfg(test)]
mod tests {
    use gametape_minewars::{Generation, Grid};
    use gametape_scene::{Visible, minewars};

    use super::*;
    use crate::{Config, Match, Style};

    #[test]
    fn what_is_marked_as_seen_is_what_the_player_sees() {
        for grid in [Grid::Hex, Grid::Square] {
            let config = Config::new(3, 10, 7).with_grid(grid);
            let styles = [Style::Careful, Style::Striker];
            let mut game = Match::new(config, &styles, Generation::Current).unwrap();
            let mut partly = 0;
            for tick in 0..3000 {
                game.step().unwrap();
                if tick % 100 != 0 {
                    continue;
                }
                for player in 1..=3 {
                    let view = View::new(player).unwrap();
                    let state = game.view(view).unwrap();
                    let context = minewars::context_of_setup(game.setup());
                    let mut scene = state.scene(&context);
                    mark_sight(&mut scene, view);
                    let board = scene.board.unwrap();
                    for (index, at) in board.tiles.iter().enumerate() {
                        let coord = gametape_minewars::Coord::new(at.y as i8, at.x as i8);
                        let cell = game.game().atlas.find(coord).unwrap();
                        let sees = game.game().sees(player, cell);
                        assert_eq!(board.sight(index) == Sight::Seen, sees, "{grid} {tick} {at:?}");
                    }
                    let seen = board.sight.iter().filter(|code| **code == 0).count();
                    partly += usize::from(seen > 0 && seen < board.tiles.len());
                }
            }
            assert!(partly > 30, "{grid} {partly}");
        }
    }

    #[test]
    fn the_spectator_sees_everything() {
        let game =
            Match::new(Config::new(2, 6, 1), &[Style::Careful], Generation::Current).unwrap();
        let state = game.view(View::SPECTATOR).unwrap();
        let mut scene = state.scene(&minewars::context_of_setup(game.setup()));
        mark_sight(&mut scene, View::SPECTATOR);
        assert!(scene.board.unwrap().sight.is_empty());
    }
}
