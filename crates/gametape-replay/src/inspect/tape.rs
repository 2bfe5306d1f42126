//! What there is to say about a tape.

mod contents;

use gametape_tape::{ChunkKind, Depth, Gap, GapCause, KindSummary, Tape};
use gametape_wire::{Result, Source, Tick, View, ViewSet};
use serde::Serialize;
use serde_json::value::RawValue;

use super::{Facts, Inspected, Row, embed};
use crate::metadata::{Metadata, PlayerName};
use crate::open::open_tape;
use crate::text::{clock, count, hex, printable, thousands};
pub use contents::{Hole, IndexContents, Keyframes};

/// An index of at most this many bytes is always read: with all that comes before it, that is still
/// less than 64 KiB.
const SMALL_INDEX: u64 = 8 << 10;

/// What a tape is: form, content, players, ticks, and the chunks it has.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct TapeSummary {
    /// The name of the recording, as the caller gave it.
    pub file: String,
    /// Always `tape`.
    pub format: &'static str,
    /// The version of the format.
    pub version: String,
    /// The id of the tape.
    pub id: String,
    /// `packed` or `recording`.
    pub form: &'static str,
    /// Was it finished, and is its index usable?
    pub finished: bool,
    /// Its size.
    pub file_bytes: u64,
    /// What it holds.
    pub content: Option<String>,
    /// How long a tick lasts, in microseconds.
    pub tick_us: u32,
    /// The first tick.
    pub first_tick: Tick,
    /// The tick after the last.
    pub end_tick: Tick,
    /// How long it is, in milliseconds.
    pub duration_ms: u64,
    /// The views that it has something for.
    pub views: Vec<u8>,
    /// Who plays.
    pub players: Vec<PlayerName>,
    /// The metadata.
    pub metadata: Option<Box<RawValue>>,
    /// The closing metadata.
    pub closing: Option<Box<RawValue>>,
    /// How many chunks it has.
    pub chunks: u32,
    /// What there is of each kind of chunk.
    pub kinds: Vec<KindTotals>,
    /// How many gaps it declares.
    pub gaps: u64,
    /// How many signatures it has.
    pub signatures: u64,
    /// The head of its chain, where its own index was used.
    pub chain_head: Option<String>,
    /// What its index says, where that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<IndexContents>,
    /// What could not be read.
    pub problems: Vec<String>,
    /// Facts of the metadata, with their names.
    #[serde(skip)]
    known: Vec<(&'static str, String)>,
    #[serde(skip)]
    generation: Option<String>,
    #[serde(skip)]
    unfinished: Option<String>,
}

/// What there is of one kind of chunk.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct KindTotals {
    /// The number of the kind.
    pub kind: u8,
    /// Its name.
    pub name: String,
    /// How many chunks.
    pub chunks: u32,
    /// How many items in them.
    pub items: u64,
    /// Their bytes.
    pub raw_bytes: u64,
    /// Their bytes as stored.
    pub stored_bytes: u64,
}

impl From<&KindSummary> for KindTotals {
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

impl TapeSummary {
    /// Opens the tape as far as is asked for: at most 64 KiB of it are read unless `with_chunks`, or
    /// unless it has gaps, which say where it begins.
    pub fn of<S: Source>(name: &str, source: &mut S, with_chunks: bool) -> Result<Self> {
        let mut tape = open_tape(source, Depth::Summary)?;
        let index: u64 =
            tape.summary.pages.iter().map(|page| page.range.end - page.range.start).sum();
        let has_gaps = tape.summary.kind(ChunkKind::GAP).is_some();
        let with_index = with_chunks || has_gaps || index <= SMALL_INDEX;
        if with_index && tape.is_finished() {
            tape = open_tape(source, Depth::Index)?;
        }
        let index = if with_index { Some(IndexContents::of(source, &tape)?) } else { None };
        Ok(Self::new(name, source.length(), &tape, index))
    }

    fn new(name: &str, file_bytes: u64, tape: &Tape, index: Option<IndexContents>) -> Self {
        let (summary, header) = (&tape.summary, &tape.header);
        let mut metadata = Metadata::of(tape);
        let of_kind = |kind| summary.kind(kind).map_or(0, |row| row.chunks.into());
        let problems = std::mem::take(&mut metadata.problems);
        let begin = index.as_ref().map_or(Tick::ZERO, |index| index.first_tick);
        let first_tick = summary.first_tick.max(begin).min(summary.end_tick);
        let ticks = summary.end_tick.since(first_tick);
        Self {
            file: name.to_owned(),
            format: "tape",
            version: format!("1.{}", header.minor_version),
            id: format!("{:08x}", header.tape_id),
            form: if summary.packed { "packed" } else { "recording" },
            finished: tape.is_finished(),
            file_bytes,
            content: metadata.text("content"),
            tick_us: header.tick_length.micros(),
            first_tick,
            end_tick: summary.end_tick,
            duration_ms: header.tick_length.millis_of(Tick(ticks)),
            views: numbers(tape.views()),
            players: metadata.players(),
            metadata: embed(tape.metadata.as_bytes()),
            closing: tape.closing.as_ref().and_then(|json| embed(json.as_bytes())),
            chunks: summary.chunk_count,
            kinds: summary.kinds.iter().map(KindTotals::from).collect(),
            gaps: of_kind(ChunkKind::GAP),
            signatures: of_kind(ChunkKind::SIGNATURE),
            chain_head: tape.is_finished().then(|| hex(&summary.chain_head)),
            index,
            problems: problems.into_iter().chain(losses(tape)).collect(),
            known: known(&metadata),
            generation: metadata.text("generation"),
            unfinished: tape.index_problem.as_ref().map(ToString::to_string),
        }
    }
}

/// Facts of the metadata that have a line of their own.
fn known(metadata: &Metadata) -> Vec<(&'static str, String)> {
    let fields = ["game", "title", "recorded", "recorder", "outcome"];
    let text = |field: &str| match metadata.text(field) {
        Some(time) if field == "recorded" => Some(as_date(&time).unwrap_or(time)),
        text => text,
    };
    let said = fields.map(|field| text(field).map(|text| (field, text)));
    said.into_iter().flatten().collect()
}

/// `2026-11-16T16:36:32Z` as dates are written elsewhere: `2026-11-16 16:36:32 UTC`.
fn as_date(time: &str) -> Option<String> {
    let (day, clock) = time.strip_suffix('Z')?.split_once('T')?;
    Some(format!("{day} {clock} UTC"))
}

/// What a walk over the tape did not find.
pub fn losses(tape: &Tape) -> impl Iterator<Item = String> {
    let missing = tape.missing.iter().map(|run| match run.len() {
        1 => format!("chunk {} is missing", run.start),
        _ => format!("chunks {} to {} are missing", run.start, run.end - 1),
    });
    tape.damages.iter().map(ToString::to_string).chain(missing)
}

/// What is missing by gaps, a line each; many are counted. What was cut away is not missing.
#[must_use]
pub fn gap_lines(gaps: &[Gap]) -> Vec<String> {
    const SHOWN: usize = 10;
    let gaps: Vec<&Gap> = gaps.iter().filter(|gap| gap.cause != GapCause::CUT).collect();
    let line = |gap: &Gap| {
        let what =
            if gap.kind.0 == 0 { "data of any kind".to_owned() } else { gap.kind.to_string() };
        let ticks = count(gap.tick_count.into(), "tick");
        format!("a gap: no {what} for {ticks} from tick {}", gap.first_tick)
    };
    let more = gaps.len().saturating_sub(SHOWN) as u64;
    let more = (more > 0).then(|| format!("{} more", count(more, "gap")));
    gaps.into_iter().take(SHOWN).map(line).chain(more).collect()
}

/// The views as numbers.
fn numbers(views: ViewSet) -> Vec<u8> {
    views.iter().map(View::number).collect()
}

impl Inspected for TapeSummary {
    fn name(&self) -> &str {
        &self.file
    }

    fn facts(&self) -> Facts {
        let mut fields = Facts::default();
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
        fields
    }

    fn row(&self) -> Row {
        let content = self.content.as_deref().unwrap_or("without content");
        let known = |name: &str| {
            let field = self.known.iter().find(|(field, _)| *field == name);
            field.map(|(_, value)| value.clone())
        };
        let names = self.players.iter().map(|player| player.name.as_str());
        Row {
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

impl TapeSummary {
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

    fn add_counts(&self, fields: &mut Facts) {
        for (label, none, number) in
            [("gaps", "none", self.gaps), ("signed", "no", self.signatures)]
        {
            let text = match number {
                0 => none.to_owned(),
                number => format!("{}; --chunks says more", thousands(number)),
            };
            fields.add(label, text);
        }
    }
}

impl KindTotals {
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
    use std::borrow::Cow;
    use std::ops::Range;

    use gametape_tape::{TapeHeader, TapeWriter};

    use gametape_wire::TickLength;

    use super::*;

    /// Bytes, and how many of them were fetched.
    struct Counted(Vec<u8>, u64);

    impl Source for Counted {
        fn length(&self) -> u64 {
            self.0.len() as u64
        }

        fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
            self.1 += range.end - range.start;
            Ok(Cow::Borrowed(&self.0[range.start as usize..range.end as usize]))
        }
    }

    /// A tape with this many chunks of frames.
    fn tape(chunks: u64) -> Counted {
        let header = TapeHeader::new(TickLength::millis::<50>(), 1);
        let mut writer = TapeWriter::new(header, br#"{"content":"test"}"#).unwrap();
        for tick in 0..chunks {
            writer.frame(0, Tick(tick), &[(View::SPECTATOR, &tick.to_le_bytes())]).unwrap();
            writer.flush().unwrap();
        }
        Counted([writer.take(), writer.finish().unwrap()].concat(), 0)
    }

    #[test]
    fn a_large_tape_is_summarised_from_64_kib() {
        let mut file = tape(1500);
        let summary = TapeSummary::of("large", &mut file, false).unwrap();
        let TapeSummary { chunks, end_tick, index, .. } = summary;
        assert_eq!((chunks, end_tick, index.is_some()), (1501, Tick(1500), false));
        assert!(file.length() > 100 << 10);
        assert!(file.1 <= 64 << 10, "{} bytes", file.1);
    }

    #[test]
    fn the_index_of_a_small_tape_is_always_read() {
        assert!(TapeSummary::of("small", &mut tape(20), false).unwrap().index.is_some());
    }
}
