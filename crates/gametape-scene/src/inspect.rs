//! Everything that a scene says of a tile or a piece.

use serde::{Deserialize, Serialize};

use crate::model::{Board, Datum, Piece, Scene, Sight, TileAt, Value};

/// What is to be inspected.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// A tile.
    Tile(TileAt),
    /// The piece with an id.
    Piece(String),
}

/// What is known of a tile or a piece.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Inspection {
    /// What it is.
    pub title: String,
    /// What is known of it.
    pub values: Vec<Value>,
}

/// What a scene says of a tile or a piece; none where there is neither.
pub(crate) fn inspect(scene: &Scene, target: &Target) -> Option<Inspection> {
    let board = scene.board.as_ref()?;
    match target {
        Target::Tile(at) => tile(board, *at),
        Target::Piece(id) => {
            let found = board.pieces.iter().find(|piece| piece.id == *id)?;
            Some(Inspection { title: title(board, found), values: piece(board, found) })
        }
    }
}

fn tile(board: &Board, at: TileAt) -> Option<Inspection> {
    let index = board.tiles.iter().position(|tile| *tile == at);
    let on_it = board.pieces.iter().filter(|piece| piece.at.tile() == Some(at));
    let pieces: Vec<Value> = on_it.flat_map(|found| piece_on_tile(board, found)).collect();
    let Some(index) = index else {
        let found = !pieces.is_empty();
        return found.then(|| Inspection { title: "position".into(), values: pieces });
    };
    let mut values = vec![Value::new("tile", at)];
    if board.sight(index) != Sight::Seen {
        values.push(Value::new("sight", board.sight(index).name()));
    }
    if board.owner(index) != 0 {
        values.push(Value::new("owner", Datum::Player { player: board.owner(index) }));
    }
    let kinds = board.layers.iter().filter_map(|layer| Some((layer, layer.kind(index)?)));
    values.extend(kinds.map(|(layer, kind)| Value::new(layer.name.clone(), kind.name.clone())));
    let title = board.layers.iter().find_map(|layer| layer.kind(index));
    let title = title.map_or_else(|| "tile".to_owned(), |kind| kind.name.clone());
    values.extend(pieces);
    Some(Inspection { title, values })
}

fn title(board: &Board, piece: &Piece) -> String {
    let kind = board.kind(piece).map_or("piece", |kind| &kind.name);
    match &piece.label {
        Some(label) => format!("{label}, {kind}"),
        None => format!("{kind} {}", piece.id),
    }
}

fn piece_on_tile(board: &Board, found: &Piece) -> Vec<Value> {
    let kind = board.kind(found).map_or("piece", |kind| &kind.name);
    let name = found.label.as_ref().unwrap_or(&found.id);
    [Value::new(kind, name.clone())].into_iter().chain(piece(board, found)).collect()
}

fn piece(board: &Board, piece: &Piece) -> Vec<Value> {
    let owner = (piece.owner != 0).then_some(Datum::Player { player: piece.owner });
    let at = piece.at.tile().filter(|at| board.tiles.contains(at));
    let facing = piece.facing.map(|facing| Datum::Number(facing.into()));
    let known = [
        owner.map(|owner| Value::new("owner", owner)),
        at.map(|at| Value::new("tile", at)),
        facing.map(|facing| Value::new("facing", facing)),
    ];
    known.into_iter().flatten().chain(piece.values.iter().cloned()).collect()
}
