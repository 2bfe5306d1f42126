//! What the signs and colours of a scene mean.

use crate::model::{Board, Datum, Kind, Look, Piece, Player, Scene, Value};
use crate::palette::Colour;

/// More labelled pieces than these are counted.
const SHOWN_PIECES: usize = 40;

/// What the signs and colours of a scene mean: for text, picture and terminal alike.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Legend {
    /// The kinds on tiles.
    pub kinds: Vec<Entry>,
    /// The kinds of pieces.
    pub piece_kinds: Vec<Entry>,
    /// The players with their values.
    pub players: Vec<Entry>,
    /// The pieces that have a name.
    pub pieces: Vec<Entry>,
}

/// A sign and what it means.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The sign.
    pub swatch: Swatch,
    /// What it means.
    pub text: String,
    /// Numbers about it.
    pub detail: String,
}

/// The sign of an entry.
#[derive(Debug, Clone, PartialEq)]
pub enum Swatch {
    /// A kind of thing.
    Kind(Kind),
    /// A player.
    Player {
        /// The sign in text.
        glyph: char,
        /// The colour on the board.
        colour: Colour,
        /// Out of the match.
        eliminated: bool,
    },
    /// A piece.
    Piece {
        /// The sign in text.
        glyph: char,
        /// The colour of its owner.
        colour: Option<Colour>,
        /// How it is drawn.
        look: Look,
    },
}

impl Legend {
    /// The legend of a scene.
    #[must_use]
    pub fn of(scene: &Scene) -> Self {
        let players = scene.players.iter().map(|player| player_entry(scene, player)).collect();
        let Some(board) = &scene.board else { return Self { players, ..Self::default() } };
        let on_tiles = board.layers.iter().flat_map(|layer| &layer.kinds);
        let mut shown: Vec<&Kind> = Vec::new();
        for kind in on_tiles.filter(|kind| kind.look != Look::Text) {
            // Flags of two players are one kind of thing.
            if shown.iter().all(|other| other.name != kind.name) {
                shown.push(kind);
            }
        }
        Self {
            kinds: shown.into_iter().map(kind_entry).collect(),
            piece_kinds: piece_kinds(board),
            players,
            pieces: labelled(scene, board),
        }
    }
}

fn kind_entry(kind: &Kind) -> Entry {
    let (text, detail) = (kind.name.clone(), String::new());
    Entry { swatch: Swatch::Kind(kind.clone()), text, detail }
}

fn player_entry(scene: &Scene, player: &Player) -> Entry {
    let (glyph, colour, eliminated) = (player.glyph, player.shown_colour(), player.eliminated);
    let values = player.values.iter().filter(|value| value.value != Datum::Flag(false));
    let values = values.map(|value| in_words(scene, value));
    let out = eliminated.then(|| "out".to_owned());
    let detail = out.into_iter().chain(values).collect::<Vec<_>>().join(", ");
    let swatch = Swatch::Player { glyph, colour, eliminated };
    Entry { swatch, text: player.name.clone(), detail }
}

/// `money 12`; what is or is not so is only named where it is.
fn in_words(scene: &Scene, value: &Value) -> String {
    if value.value == Datum::Flag(true) {
        return value.name.clone();
    }
    format!("{} {}", value.name, value.value.text(scene))
}

/// The kinds of pieces that are on the board, and how many there are of each.
fn piece_kinds(board: &Board) -> Vec<Entry> {
    let mut counts = vec![0u64; board.kinds.len()];
    for piece in &board.pieces {
        let index = usize::from(piece.kind).checked_sub(1);
        if let Some(count) = index.and_then(|index| counts.get_mut(index)) {
            *count += 1;
        }
    }
    let there = board.kinds.iter().zip(counts).filter(|(_, count)| *count > 0);
    there.map(|(kind, count)| Entry { detail: format!("× {count}"), ..kind_entry(kind) }).collect()
}

fn labelled(scene: &Scene, board: &Board) -> Vec<Entry> {
    let named = board.pieces.iter().filter(|piece| piece.label.is_some());
    named.take(SHOWN_PIECES).map(|piece| piece_entry(scene, board, piece)).collect()
}

/// `berofyar`, `city at 1,0, Ana`
fn piece_entry(scene: &Scene, board: &Board, piece: &Piece) -> Entry {
    let kind = board.kind(piece);
    let owner = scene.player(piece.owner);
    let at = piece.at.tile().map(|at| format!(" at {}", scene.tile_name(at)));
    let name = kind.map_or("piece", |kind| &kind.name);
    let whose = owner.map(|player| format!(", {}", player.name));
    let detail = format!("{name}{}{}", at.unwrap_or_default(), whose.unwrap_or_default());
    let swatch = Swatch::Piece {
        glyph: board.glyph(piece).unwrap_or('?'),
        colour: owner.map(Player::shown_colour),
        look: kind.map_or(Look::Disc, |kind| kind.look),
    };
    Entry { swatch, text: piece.label.clone().unwrap_or_default(), detail }
}
