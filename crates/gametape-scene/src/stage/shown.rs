//! A moment, ready to be drawn.

use std::collections::HashSet;

use gametape_cadre::Change;
use gametape_replay::Direction;
use gametape_wire::{Moment, Result, Source};

use super::changes::changes;
use super::{Row, Stage, Tone};
use crate::model::{Board, Layer, Line, Piece, Scene, TileAt};
use crate::text::TextMap;

/// More lines of what happened are not listed.
const SHOWN_LINES: usize = 500;
/// More changes between two pictures are not described one by one.
const SHOWN_STEPS: usize = 100;

/// A moment, ready to be drawn, and what happened since another before it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Shown {
    /// What can be seen.
    pub scene: Scene,
    /// The same as text.
    pub map: TextMap,
    /// The tiles that changed.
    pub changed: HashSet<TileAt>,
    /// What happened, in words.
    pub lines: Vec<Line>,
    /// What happened as its format writes it: the disassembly of messages.
    pub messages: Vec<Row>,
    /// What the last delta of a gamelog changed.
    pub changes: Vec<Change>,
}

impl Shown {
    /// The moment where a stage is, and what happened since another before it.
    pub fn at<S: Source>(stage: &mut Stage<S>, since: Moment) -> Result<Self> {
        let now = stage.position();
        stage.seek(since.min(now))?;
        let before = stage.scene();
        let (lines, messages) = happened(stage, now)?;
        stage.seek(now)?;
        let changes = changes(stage)?;
        let scene = stage.scene();
        let changed = changed_tiles(&before, &scene);
        Ok(Self { map: TextMap::of(&scene), scene, changed, lines, messages, changes })
    }
}

/// What happens from where a stage is until a moment, in words and as messages.
fn happened<S: Source>(stage: &mut Stage<S>, until: Moment) -> Result<(Vec<Line>, Vec<Row>)> {
    let (mut lines, mut messages) = (Vec::new(), Vec::new());
    for _ in 0..SHOWN_STEPS {
        if !stage.step(Direction::Forward)? || stage.position() > until {
            break;
        }
        lines.extend(stage.lines()?);
        messages.extend(message_rows(stage));
        if lines.len() >= SHOWN_LINES || messages.len() >= SHOWN_LINES {
            break;
        }
    }
    Ok((lines, messages))
}

/// The messages of the last tick under its time.
fn message_rows<S: Source>(stage: &Stage<S>) -> Vec<Row> {
    let messages = stage.messages();
    let tick = stage.position().last_tick().filter(|_| !messages.is_empty());
    let heading = tick.map(|tick| {
        Row::new(format!("{}, tick {tick}", stage.tick_length().time_of(tick)), Tone::Faint)
    });
    let rows = messages.into_iter().map(|text| Row::new(text, Tone::Plain));
    heading.into_iter().chain(rows).collect()
}

/// The tiles on which two scenes of a board differ.
fn changed_tiles(before: &Scene, after: &Scene) -> HashSet<TileAt> {
    let (Some(a), Some(b)) = (&before.board, &after.board) else { return HashSet::new() };
    if a.tiles != b.tiles {
        return HashSet::new();
    }
    let kinds = |board: &Board, tile: usize| {
        let kind = |layer: &Layer| layer.kind(tile).map(|kind| kind.name.clone());
        board.layers.iter().filter_map(kind).collect::<Vec<_>>()
    };
    let differs =
        |tile: &usize| a.owner(*tile) != b.owner(*tile) || kinds(a, *tile) != kinds(b, *tile);
    let tiles = (0..a.tiles.len()).filter(differs).map(|tile| a.tiles[tile]);
    let pieces = |board: &Board| {
        let piece =
            |piece: &Piece| Some((piece.id.clone(), piece.kind, piece.owner, piece.at.tile()?));
        board.pieces.iter().filter_map(piece).collect::<HashSet<_>>()
    };
    let (old, new) = (pieces(a), pieces(b));
    let moved = old.symmetric_difference(&new).map(|(.., at)| *at);
    tiles.chain(moved).collect()
}
