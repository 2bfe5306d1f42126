//! What Skirmish adds to scenes of its views: which tiles a player sees; `spec/scene.md`, section 5.

use std::collections::HashSet;

use gametape_scene::{Board, Scene, Sight, TileAt};
use gametape_wire::View;

/// Sight of land and of a tower: `spec/skirmish.md`, section 3.
const NEAR: i32 = 3;
const FAR: i32 = 5;

/// Marks the tiles of a player's view that are out of sight as remembered: what is known of them is what
/// was seen last. Who is out sees nothing any more and is told nothing, so everything is remembered.
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
        seen.extend(around(*at, reach));
    }
    seen
}

/// The tiles of a hex board within a distance.
fn around(at: TileAt, reach: i32) -> impl Iterator<Item = TileAt> {
    (-reach..=reach).flat_map(move |dy| {
        let columns = (-reach).max(-reach - dy)..=reach.min(reach - dy);
        columns.map(move |dx| TileAt::new(at.x + dx, at.y + dy))
    })
}
