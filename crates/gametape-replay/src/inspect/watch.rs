//! A tape that is followed while it is written.

use std::fmt;
use std::ops::Range;

use gametape_tape::{ChunkKind, Found, Scanner};
use gametape_wire::{Result, Source};
use serde::Serialize;

use super::ChunkLine;
use crate::text::printable;

/// How far a growing tape was read.
#[derive(Debug)]
pub struct TapeWatch {
    scanner: Scanner,
    is_finished: bool,
    is_damaged: bool,
}

impl Default for TapeWatch {
    fn default() -> Self {
        Self { scanner: Scanner::growing(), is_finished: false, is_damaged: false }
    }
}

impl TapeWatch {
    /// Was the last thing a trailer?
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Was there damage?
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.is_damaged
    }

    /// The next line about what is there now; `None` until the tape grows.
    pub fn next_line<S: Source>(&mut self, source: &mut S) -> Result<Option<WatchLine>> {
        self.scanner.grow(source.length());
        while let [range] = self.scanner.need().ranges() {
            let bytes = source.fetch(range.clone())?;
            let found = self.scanner.supply(range.clone(), &bytes);
            match found {
                Found::Trailer(_) => self.is_finished = true,
                Found::Damage(_) => (self.is_finished, self.is_damaged) = (false, true),
                Found::Chunk(_) | Found::TapeHeader(_) => self.is_finished = false,
                _ => {}
            }
            if let Some(line) = WatchLine::of(&found) {
                return Ok(Some(line));
            }
        }
        Ok(None)
    }

    /// The lines about what is left once nobody waits for more, and the last line. A chunk that is
    /// not whole may still be on its way, so it is not reported as damage.
    pub fn close<S: Source>(mut self, source: &mut S) -> Result<Vec<WatchLine>> {
        let mut lines = Vec::new();
        if !self.is_finished {
            let length = source.length();
            self.scanner.close(length);
            while let Some(line) = self.next_line(source)? {
                let is_open = matches!(line, WatchLine::Damage { end, .. } if end >= length);
                lines.extend((!is_open).then_some(line));
            }
        }
        let (finished, offset) = (self.is_finished, self.scanner.position());
        lines.push(WatchLine::End { finished, offset });
        Ok(lines)
    }
}

/// What was found in a tape that is followed.
#[derive(Debug, Serialize)]
#[serde(tag = "what", rename_all = "lowercase")]
#[non_exhaustive]
pub enum WatchLine {
    /// The header of the tape.
    Header {
        /// Version of the format.
        version: String,
        /// The id of the tape.
        id: String,
        /// How long a tick lasts, in microseconds.
        tick_us: u32,
    },
    /// A chunk.
    Chunk {
        /// What its header says.
        #[serde(flatten)]
        line: ChunkLine,
        /// The metadata, in a metadata chunk.
        #[serde(skip_serializing_if = "Option::is_none")]
        metadata: Option<serde_json::Value>,
    },
    /// Bytes that are nothing of a tape.
    Damage {
        /// Their first byte.
        start: u64,
        /// The byte after them.
        end: u64,
        /// What is wrong.
        problem: String,
    },
    /// The end of what is there.
    End {
        /// Was the tape finished?
        finished: bool,
        /// The byte up to which it is whole.
        offset: u64,
    },
}

/// A delta of a game that is followed.
#[derive(Debug, Serialize)]
#[serde(tag = "what", rename = "delta")]
#[non_exhaustive]
pub struct DeltaLine {
    /// Its index.
    pub delta: usize,
    /// Why it happened.
    #[serde(rename = "type")]
    pub kind: String,
    /// The turn after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<i64>,
}

impl DeltaLine {
    /// The last delta that there is.
    #[must_use]
    pub fn of_last(game: &gametape_cadre::Timeline) -> Option<Self> {
        let delta = game.len().checked_sub(1)?;
        let kind = game.log().delta(delta)?.kind().into_owned();
        Some(Self { delta, kind, turn: game.turns().at(delta) })
    }
}

impl fmt::Display for DeltaLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "delta {} {}", self.delta, printable(&self.kind))?;
        self.turn.map_or(Ok(()), |turn| write!(f, ", turn {turn}"))
    }
}

impl WatchLine {
    fn of(found: &Found<'_>) -> Option<Self> {
        match found {
            Found::TapeHeader(header) => Some(Self::Header {
                version: format!("1.{}", header.minor_version),
                id: format!("{:08x}", header.tape_id),
                tick_us: header.tick_length.micros(),
            }),
            Found::Chunk(chunk) if chunk.header.kind == ChunkKind::INDEX => None,
            Found::Chunk(chunk) => {
                let is_metadata = chunk.header.kind == ChunkKind::METADATA;
                let json = chunk.raw().ok().filter(|_| is_metadata);
                let metadata = json.and_then(|json| serde_json::from_slice(&json).ok());
                Some(Self::Chunk { line: ChunkLine::of(&chunk.header, chunk.offset), metadata })
            }
            Found::Damage(damage) => {
                let Range { start, end } = damage.range;
                Some(Self::Damage { start, end, problem: damage.to_string() })
            }
            _ => None,
        }
    }
}

impl fmt::Display for WatchLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header { version, tick_us, .. } => {
                write!(f, "tape {version}, ticks of {} ms", f64::from(*tick_us) / 1000.0)
            }
            Self::Chunk { line, metadata: None } => line.fmt(f),
            Self::Chunk { line, metadata: Some(json) } => {
                write!(f, "{line}: {}", printable(&json.to_string()))
            }
            Self::Damage { problem, .. } => write!(f, "damage: {problem}"),
            Self::End { finished: true, .. } => f.write_str("finished"),
            Self::End { offset, .. } => write!(f, "not finished: whole up to byte {offset}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use gametape_tape::{TapeHeader, TapeWriter};
    use gametape_wire::{Tick, TickLength, View};

    use super::*;

    fn tape() -> Vec<u8> {
        let mut writer =
            TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 9), b"{}").unwrap();
        for tick in 0..5 {
            writer.frame(0, Tick(tick), &[(View::SPECTATOR, b"moved")]).unwrap();
            writer.flush().unwrap();
        }
        [writer.take(), writer.finish().unwrap()].concat()
    }

    /// The lines of a tape that grows by this many bytes at a time.
    fn watched(bytes: &[u8], step: usize) -> (Vec<String>, bool) {
        let (mut watch, mut lines, mut grown) = (TapeWatch::default(), Vec::new(), Vec::new());
        for piece in bytes.chunks(step) {
            grown.extend_from_slice(piece);
            while let Some(line) = watch.next_line(&mut grown).unwrap() {
                lines.push(line.to_string());
            }
        }
        (lines, watch.is_finished())
    }

    #[test]
    fn everything_is_shown_once_however_the_tape_grows() {
        let bytes = tape();
        let whole = watched(&bytes, bytes.len());
        assert_eq!((whole.0.len(), whole.1), (7, true));
        for step in [1, 7, 56, 100] {
            assert_eq!(watched(&bytes, step), whole, "by {step}");
        }
        let (lines, finished) = watched(&bytes[..bytes.len() - 1], 64);
        assert!(lines == whole.0 && !finished);
    }

    #[test]
    fn a_chunk_on_its_way_is_no_damage() {
        let mut cut = tape()[..150].to_vec();
        let mut watch = TapeWatch::default();
        while watch.next_line(&mut cut).unwrap().is_some() {}
        let lines = watch.close(&mut cut).unwrap();
        assert!(matches!(&lines[..], [WatchLine::End { finished: false, .. }]), "{lines:?}");
    }
}
