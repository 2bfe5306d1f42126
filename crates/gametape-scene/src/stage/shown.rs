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
    /// What happened as its format writes it: the disassembly of messages. Those of each tick but the
    /// first are under its time.
    pub messages: Vec<Row>,
    /// When the first of the messages came: `3:37.6`.
    pub first_message: Option<String>,
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
        let Messages { first: first_message, rows: messages } = messages;
        let map = TextMap::of(&scene);
        Ok(Self { map, scene, changed, lines, messages, first_message, changes })
    }

    /// `Messages of 3:37.6`
    pub(super) fn messages_title(&self) -> String {
        let of = self.first_message.as_ref().map(|first| format!(" of {first}"));
        format!("Messages{}", of.unwrap_or_default())
    }
}

/// Messages of one tick or several.
#[derive(Default)]
struct Messages {
    /// When the first of them came.
    first: Option<String>,
    rows: Vec<Row>,
}

/// What happens from where a stage is until a moment, in words and as messages.
fn happened<S: Source>(stage: &mut Stage<S>, until: Moment) -> Result<(Vec<Line>, Messages)> {
    let (mut lines, mut messages) = (Vec::new(), Messages::default());
    for _ in 0..SHOWN_STEPS {
        if !stage.step(Direction::Forward)? || stage.position() > until {
            break;
        }
        lines.extend(stage.lines()?);
        let rows = message_rows(stage, messages.rows.is_empty());
        if messages.rows.is_empty() && !rows.is_empty() {
            let time = |tick| stage.tick_length().time_of(tick).to_string();
            messages.first = stage.position().last_tick().map(time);
        }
        messages.rows.extend(rows);
        if lines.len() >= SHOWN_LINES || messages.rows.len() >= SHOWN_LINES {
            break;
        }
    }
    Ok((lines, messages))
}

/// The messages of the last tick, under its time where those of another tick are shown too.
fn message_rows<S: Source>(stage: &Stage<S>, is_first: bool) -> Vec<Row> {
    let messages = stage.messages();
    let tick = stage.position().last_tick().filter(|_| !messages.is_empty() && !is_first);
    let time = |tick| stage.tick_length().time_of(tick);
    let heading = tick.map(|tick| Row::new(format!("{}, tick {tick}", time(tick)), Tone::Faint));
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
