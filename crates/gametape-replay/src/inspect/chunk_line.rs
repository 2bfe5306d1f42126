//! A chunk, or a frame of it, as one line.

use std::fmt;

use gametape_tape::{ChunkHeader, ChunkKind, TapeFrame};
use gametape_wire::{Tick, TickRange, View, ViewSet};
use serde::Serialize;

use crate::text::{count, hex};

/// What the header of a chunk says.
#[derive(Debug, Serialize)]
pub struct ChunkLine {
    chunk: u32,
    offset: u64,
    kind: String,
    stream: u16,
    views: Vec<u8>,
    first_tick: Tick,
    ticks: u32,
    items: u32,
    raw_bytes: u32,
    stored_bytes: u32,
    codec: String,
    #[serde(skip)]
    text: String,
}

impl ChunkLine {
    /// The line of a chunk that begins at `offset`.
    #[must_use]
    pub fn of(header: &ChunkHeader, offset: u64) -> Self {
        Self {
            chunk: header.sequence,
            offset,
            kind: header.kind.to_string(),
            stream: header.stream,
            views: header.views.iter().map(View::number).collect(),
            first_tick: header.first_tick,
            ticks: header.tick_count,
            items: header.detail,
            raw_bytes: header.raw_length,
            stored_bytes: header.stored_length,
            codec: header.codec.to_string(),
            text: text_of(header),
        }
    }
}

impl fmt::Display for ChunkLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>6} {}", self.chunk, self.text)
    }
}

/// `frames 0         ticks 0 to 299, 300 frames, 12,345 bytes, for 0,1`
fn text_of(header: &ChunkHeader) -> String {
    let ChunkHeader { kind, stream, first_tick, detail, .. } = header;
    let items = |noun| count((*detail).into(), noun);
    // A keyframe has a tick and counts none.
    let end_tick = header.end_tick().max(*first_tick + 1);
    let when = match kind.has_ticks() {
        false => String::new(),
        true => format!("{}, ", TickRange::from(*first_tick..end_tick)),
    };
    let what = match *kind {
        ChunkKind::ORDERS => items("order") + ", ",
        ChunkKind::FRAMES => items("frame") + ", ",
        ChunkKind::EVENTS => items("event") + ", ",
        ChunkKind::NAMES => items("name") + ", ",
        ChunkKind::DELTA_KEYFRAME => format!("on the one {} before, ", items("tick")),
        _ => String::new(),
    };
    let bytes = count(header.raw_length.into(), "byte");
    let whose = whose(header.views);
    format!("{kind:<15}{stream:<3} {when}{what}{bytes}, {whose}")
}

/// Who may know a chunk.
fn whose(views: ViewSet) -> String {
    match views {
        ViewSet::ALL => "for everybody".to_owned(),
        ViewSet::EMPTY => "nobody's view".to_owned(),
        views => format!("for {views}"),
    }
}

/// What some views of a frame receive.
#[derive(Debug, Serialize)]
pub struct PartLine {
    chunk: u32,
    kind: String,
    stream: u16,
    tick: Tick,
    views: Vec<u8>,
    bytes: usize,
    payload: String,
    #[serde(skip)]
    whose: ViewSet,
}

/// Longer payloads are cut in lines for people.
const SHOWN_BYTES: usize = 32;

impl PartLine {
    /// The lines of a frame: one for each payload.
    pub fn of<'a>(
        header: &'a ChunkHeader,
        frame: &TapeFrame<'a>,
    ) -> impl Iterator<Item = Self> + use<'a> {
        let tick = frame.tick;
        frame.parts().map(move |part| Self {
            chunk: header.sequence,
            kind: header.kind.to_string(),
            stream: header.stream,
            tick,
            views: part.views.iter().map(View::number).collect(),
            bytes: part.payload.len(),
            payload: hex(part.payload),
            whose: part.views,
        })
    }
}

impl fmt::Display for PartLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tick, kind, stream, bytes, payload, whose, .. } = self;
        let shown = payload.get(..2 * SHOWN_BYTES).unwrap_or(payload);
        let more = if shown.len() < payload.len() { "…" } else { "" };
        let bytes = count(*bytes as u64, "byte");
        write!(f, "{tick:>8} {kind} {stream} for {whose}, {bytes}: {shown}{more}")
    }
}
