//! `gametape watch`: follow a tape that is being written.

use std::fmt;
use std::ops::Range;
use std::thread;
use std::time::Duration;

use gametape_tape::{ChunkKind, Found, Scanner};
use gametape_wire::Source as _;
use serde::Serialize;

use crate::failure::{Done, Failure, Outcome};
use crate::input::{Source, TapeArgs};
use crate::output::Lines;
use crate::tape::{ChunkLine, TapeFile, is_tape};
use crate::text::printable;

/// Follow a tape that is being written
///
/// Prints a line for each chunk that becomes readable, from the beginning: metadata, frames, orders,
/// keyframes, events, gaps, and damage if there is any. Recorders write a chunk about once a second.
/// Ends when the tape is finished; press Ctrl-C to end earlier.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    tape: TapeArgs,

    /// How often to look for more, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 250, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    interval: u64,

    /// Print what is there now, and end
    #[arg(long)]
    once: bool,

    /// Print one JSON object for each line
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"With --json there is one object a line, "what" says which:
  {"what":"header","version","id","tick_us"}
  {"what":"chunk","chunk","offset","kind","stream","views","first_tick","ticks","items","raw_bytes",
   "stored_bytes","codec","metadata"}
  {"what":"damage","start","end","problem"}
  {"what":"end","finished","offset"}
"metadata" is present in metadata chunks only.

Examples:
  gametape watch live.tape
  gametape watch --json live.tape | jq -r 'select(.kind == "frames") | .first_tick'"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let mut file = open(&self.tape.source)?;
        let mut lines = Lines::new(self.json);
        let mut watch = Watch::new();
        loop {
            watch.catch_up(&mut file, |line| lines.add(&line))?;
            if self.once || watch.is_finished || !file.may_grow() {
                break;
            }
            lines.flush()?;
            thread::sleep(Duration::from_millis(self.interval));
        }
        if !watch.is_finished {
            watch.close(&mut file, |line| lines.add(&line))?;
        }
        lines.add(&Line::End { finished: watch.is_finished, offset: watch.scanner.position() })?;
        lines.finish()?;
        Ok(Done::lost_if(watch.is_damaged))
    }
}

/// A tape, or a file that may still become one.
fn open(source: &Source) -> Result<TapeFile, Failure> {
    let mut file = source.open_as_tape()?;
    let start = file.fetch(0..file.length().min(4));
    let start = start.map_err(|error| Failure::of(source, &error))?;
    let is_other = start.len() == 4 && !is_tape(&start);
    if is_other { source.tape() } else { Ok(file) }
}

/// How far the tape was read.
struct Watch {
    scanner: Scanner,
    /// Was the last thing a trailer?
    is_finished: bool,
    is_damaged: bool,
}

impl Watch {
    fn new() -> Self {
        Self { scanner: Scanner::growing(), is_finished: false, is_damaged: false }
    }

    /// Reads what is there now.
    fn catch_up(
        &mut self,
        file: &mut TapeFile,
        mut show: impl FnMut(Line) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let source = file.source.clone();
        self.scanner.grow(file.length());
        while let [range] = self.scanner.need().ranges() {
            let bytes = file.fetch(range.clone()).map_err(|error| Failure::of(&source, &error))?;
            let found = self.scanner.supply(range.clone(), &bytes);
            let line = Line::of(&found);
            match found {
                Found::Trailer(_) => self.is_finished = true,
                Found::Damage(_) => (self.is_finished, self.is_damaged) = (false, true),
                Found::Chunk(_) | Found::TapeHeader(_) => self.is_finished = false,
                _ => {}
            }
            line.map_or(Ok(()), &mut show)?;
        }
        Ok(())
    }

    /// Reads what is left once nobody waits for more. A chunk that is not whole may still be on its
    /// way, so it is not reported as damage.
    fn close(
        &mut self,
        file: &mut TapeFile,
        mut show: impl FnMut(Line) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let was_damaged = self.is_damaged;
        let length = file.length();
        self.scanner.close(length);
        self.catch_up(file, |line| match line {
            Line::Damage { end, .. } if end >= length => Ok(()),
            line => show(line),
        })?;
        self.is_damaged = was_damaged;
        Ok(())
    }
}

/// A line of output.
#[derive(Serialize)]
#[serde(tag = "what", rename_all = "lowercase")]
enum Line {
    Header {
        version: String,
        id: String,
        tick_us: u32,
    },
    Chunk {
        #[serde(flatten)]
        line: ChunkLine,
        #[serde(skip_serializing_if = "Option::is_none")]
        metadata: Option<serde_json::Value>,
    },
    Damage {
        start: u64,
        end: u64,
        problem: String,
    },
    End {
        finished: bool,
        offset: u64,
    },
}

impl Line {
    fn of(found: &Found<'_>) -> Option<Self> {
        match found {
            Found::TapeHeader(front) => Some(Self::Header {
                version: format!("1.{}", front.minor_version),
                id: format!("{:08x}", front.tape_id),
                tick_us: front.tick_length.micros(),
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

impl fmt::Display for Line {
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
    use std::fs::{self, File};
    use std::io::Write;

    use gametape_tape::{TapeHeader, TapeWriter};
    use gametape_wire::View;

    use super::*;

    fn tape() -> Vec<u8> {
        let mut writer = TapeWriter::new(TapeHeader::new(50_000, 9).unwrap(), b"{}").unwrap();
        for tick in 0..5 {
            writer.frame(0, tick, &[(View::SPECTATOR, b"moved")]).unwrap();
            writer.flush().unwrap();
        }
        [writer.take(), writer.finish().unwrap()].concat()
    }

    /// The lines of a tape that grows by so many bytes at a time.
    fn watched(bytes: &[u8], step: usize) -> (Vec<String>, bool) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("live.tape");
        fs::write(&path, b"").unwrap();
        let mut writing = File::options().append(true).open(&path).unwrap();
        let mut file = open(&Source::File(path)).map_err(|_| "refused").unwrap();
        let (mut watch, mut lines) = (Watch::new(), Vec::new());
        for piece in bytes.chunks(step) {
            writing.write_all(piece).unwrap();
            let shown = watch.catch_up(&mut file, |line| {
                lines.push(line.to_string());
                Ok(())
            });
            assert!(shown.is_ok());
        }
        (lines, watch.is_finished)
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
}
