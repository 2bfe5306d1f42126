//! What there is to say about a tape.

mod contents;

use gametape_tape::{ChunkKind, Depth, KindSummary, Tape};
use gametape_wire::{View, ViewSet};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::failure::Failure;
use crate::json::embed;
use crate::tape::{Metadata, PlayerName, TapeFile, losses, milliseconds};
use crate::text::{Fields, clock, count, hex, printable, thousands};
use contents::Contents;

/// An index of at most this many bytes is always read: with all that comes before it, that is still
/// less than 64 KiB.
const SMALL_INDEX: u64 = 8 << 10;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    file: String,
    format: &'static str,
    version: String,
    id: String,
    form: &'static str,
    finished: bool,
    file_bytes: u64,
    content: Option<String>,
    tick_us: u32,
    first_tick: u64,
    end_tick: u64,
    duration_ms: u64,
    views: Vec<u8>,
    players: Vec<PlayerName>,
    metadata: Option<Box<RawValue>>,
    closing: Option<Box<RawValue>>,
    chunks: u32,
    kinds: Vec<Kind>,
    gaps: u64,
    signatures: u64,
    chain_head: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<Contents>,
    problems: Vec<String>,
    /// Fields of the metadata, with their names.
    #[serde(skip)]
    known: Vec<(&'static str, String)>,
    #[serde(skip)]
    generation: Option<String>,
    #[serde(skip)]
    unfinished: Option<String>,
}

/// What there is of one kind of chunk.
#[derive(Debug, Serialize)]
struct Kind {
    kind: u8,
    name: String,
    chunks: u32,
    items: u64,
    raw_bytes: u64,
    stored_bytes: u64,
}

impl From<&KindSummary> for Kind {
    fn from(row: &KindSummary) -> Self {
        Self {
            kind: row.kind.0,
            name: row.kind.to_string(),
            chunks: row.chunks,
            items: row.items,
            raw_bytes: row.raw_bytes,
            stored_bytes: row.stored_bytes,
        }
    }
}

impl Report {
    /// Opens the tape as far as is asked for.
    pub(super) fn of(file: &mut TapeFile, with_chunks: bool) -> Result<Self, Failure> {
        let mut tape = file.open(Depth::Summary)?;
        let index: u64 =
            tape.summary.pages.iter().map(|page| page.range.end - page.range.start).sum();
        let with_index = with_chunks || index <= SMALL_INDEX;
        if with_index && tape.is_finished() {
            tape = file.open(Depth::Index)?;
        }
        let index = if with_index { Some(Contents::of(file, &tape)?) } else { None };
        Self::new(file, &tape, index)
    }

    fn new(file: &TapeFile, tape: &Tape, index: Option<Contents>) -> Result<Self, Failure> {
        let (summary, front) = (&tape.summary, &tape.header);
        let mut metadata = Metadata::of(tape);
        let of_kind = |kind| summary.kind(kind).map_or(0, |row| row.chunks.into());
        let problems = std::mem::take(&mut metadata.problems);
        Ok(Self {
            file: file.source.to_string(),
            format: "tape",
            version: format!("1.{}", front.minor_version),
            id: format!("{:08x}", front.tape_id),
            form: if summary.packed { "packed" } else { "recording" },
            finished: tape.is_finished(),
            file_bytes: file.length()?,
            content: metadata.text("content"),
            tick_us: front.tick_length.micros(),
            first_tick: summary.first_tick,
            end_tick: summary.end_tick,
            duration_ms: milliseconds(
                front,
                summary.end_tick - summary.first_tick.min(summary.end_tick),
            ),
            views: numbers(tape.views()),
            players: metadata.players(),
            metadata: embed(tape.metadata.as_bytes()),
            closing: tape.closing.as_ref().and_then(|json| embed(json.as_bytes())),
            chunks: summary.chunk_count,
            kinds: summary.kinds.iter().map(Kind::from).collect(),
            gaps: of_kind(ChunkKind::GAP),
            signatures: of_kind(ChunkKind::SIGNATURE),
            chain_head: tape.is_finished().then(|| hex(&summary.chain_head)),
            index,
            problems: problems.into_iter().chain(losses(tape)).collect(),
            known: known(&metadata),
            generation: metadata.text("generation"),
            unfinished: tape.index_problem.as_ref().map(ToString::to_string),
        })
    }
}

/// Fields of the metadata that have a line of their own.
fn known(metadata: &Metadata) -> Vec<(&'static str, String)> {
    let fields = ["game", "title", "recorded", "recorder", "outcome"];
    let said = fields.map(|field| metadata.text(field).map(|text| (field, text)));
    said.into_iter().flatten().collect()
}

/// The views as numbers.
fn numbers(views: ViewSet) -> Vec<u8> {
    views.iter().map(View::number).collect()
}

impl super::Report for Report {
    fn to_text(&self) -> String {
        let mut fields = Fields::new(&self.file);
        fields
            .add("format", format!("tape {}, {}, {}", self.version, self.form, self.state_text()));
        fields.add("content", self.content_text());
        for (label, value) in &self.known {
            fields.add(label, printable(value));
        }
        fields.add("players", self.players.len().to_string());
        self.players.iter().for_each(|player| fields.more(player.to_text()));
        fields.add("ticks", self.ticks_text());
        fields.add("views", self.views_text());
        fields.add("size", count(self.file_bytes, "byte"));
        fields.add("chunks", thousands(self.chunks.into()));
        self.kinds.iter().for_each(|kind| fields.more(kind.to_text()));
        match &self.index {
            Some(index) => index.add_to(&mut fields),
            None => self.add_counts(&mut fields),
        }
        fields.into_text()
    }

    fn row(&self) -> super::Row {
        let content = self.content.as_deref().unwrap_or("without content");
        let known = |name: &str| {
            let field = self.known.iter().find(|(field, _)| *field == name);
            field.map(|(_, value)| value.clone())
        };
        let names = self.players.iter().map(|player| player.name.as_str());
        super::Row {
            format: format!("tape {content}"),
            about: known("title").or_else(|| known("game")).unwrap_or_default(),
            result: known("outcome").unwrap_or_default(),
            length: clock(self.duration_ms),
            date: known("recorded").unwrap_or_default(),
            players: names.collect::<Vec<_>>().join(", "),
        }
    }

    fn problems(&self) -> &[String] {
        &self.problems
    }
}

impl Report {
    fn state_text(&self) -> String {
        match &self.unfinished {
            None => "finished".to_owned(),
            Some(problem) => {
                format!("not finished, or without a usable index: {}", printable(problem))
            }
        }
    }

    fn content_text(&self) -> String {
        let Some(content) = &self.content else { return "not said".to_owned() };
        let generation = self.generation.as_ref().map(|generation| format!(", {generation}"));
        printable(&(content.clone() + &generation.unwrap_or_default()))
    }

    fn ticks_text(&self) -> String {
        let Self { first_tick, end_tick, tick_us, duration_ms, .. } = self;
        let length = f64::from(*tick_us) / 1000.0;
        let duration = clock(*duration_ms);
        format!("{first_tick} up to {end_tick}, of {length} ms each: {duration}")
    }

    fn views_text(&self) -> String {
        let views: Vec<String> = self.views.iter().map(ToString::to_string).collect();
        if views.is_empty() { "none of its own".to_owned() } else { views.join(",") }
    }

    fn add_counts(&self, fields: &mut Fields) {
        for (label, number) in [("gaps", self.gaps), ("signed", self.signatures)] {
            let details = if number > 0 { "; --chunks says more" } else { "" };
            fields.add(label, format!("{}{details}", thousands(number)));
        }
    }
}

impl Kind {
    fn to_text(&self) -> String {
        let [raw, stored] = [self.raw_bytes, self.stored_bytes].map(thousands);
        let items = if self.items == 0 { String::new() } else { thousands(self.items) };
        let Self { name, chunks, .. } = self;
        let sizes = format!("{raw:>13} bytes, stored in {stored}");
        format!("{name:<15}{chunks:>7} {items:>11}{sizes}")
    }
}

#[cfg(test)]
mod tests {
    use gametape_tape::{TapeHeader, TapeWriter};

    use super::*;
    use crate::input::Source;

    /// A tape with so many chunks of frames.
    fn tape(chunks: u64) -> TapeFile {
        let front = TapeHeader::new(50_000, 1).unwrap();
        let mut writer = TapeWriter::new(front, br#"{"content":"test"}"#).unwrap();
        for tick in 0..chunks {
            writer.frame(0, tick, &[(View::SPECTATOR, &tick.to_le_bytes())]).unwrap();
            writer.flush().unwrap();
        }
        let bytes = [writer.take(), writer.finish().unwrap()].concat();
        TapeFile::in_memory(&Source::Stdin, bytes)
    }

    #[test]
    fn a_large_tape_is_told_from_64_kib() {
        let mut file = tape(1500);
        let report = Report::of(&mut file, false).map_err(|_| "refused").unwrap();
        assert_eq!((report.chunks, report.end_tick, report.index.is_some()), (1501, 1500, false));
        assert!(file.length().is_ok_and(|length| length > 100 << 10));
        assert!(file.fetched() <= 64 << 10, "{} bytes", file.fetched());
    }

    #[test]
    fn the_index_of_a_small_tape_is_always_read() {
        let mut file = tape(20);
        let report = Report::of(&mut file, false).map_err(|_| "refused").unwrap();
        assert!(report.index.is_some());
    }
}
