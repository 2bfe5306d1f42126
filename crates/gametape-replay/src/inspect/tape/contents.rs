//! What the index of a tape says: keyframes, gaps, signatures.

use std::collections::BTreeMap;

use gametape_tape::{ChunkKind, Gap, GapCause, Signature, Tape};
use gametape_wire::{Result, Source, Tick, TickRange};
use serde::Serialize;

use super::numbers;
use crate::inspect::Facts;
use crate::open::visit_chunks;
use crate::source::first_tick;
use crate::text::{count, thousands};

/// More gaps and signatures than these are counted, not read.
const MOST_READ: usize = 64;

/// Keyframes, gaps and signatures of a tape.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct IndexContents {
    /// The keyframes of each stream.
    pub keyframes: Vec<Keyframes>,
    /// The gaps.
    pub gaps: Vec<Hole>,
    /// Keys that signatures name; whether they are right was not looked at.
    pub claimed_keys: Vec<String>,
    /// The first tick that is in the tape, as far as its gaps say.
    #[serde(skip)]
    pub(super) first_tick: Tick,
}

/// The keyframes of one stream.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Keyframes {
    /// The stream.
    pub stream: u16,
    /// The views whose state they are.
    pub views: Vec<u8>,
    /// How many are full.
    pub full: u64,
    /// How many are deltas.
    pub delta: u64,
    /// The tick of the first.
    pub first_tick: Tick,
    /// The tick of the last.
    pub last_tick: Tick,
}

/// A gap that the tape declares.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Hole {
    /// Why something is missing.
    pub cause: String,
    /// What is missing; `None` where it may be anything.
    pub kind: Option<String>,
    /// How many items.
    pub count: u32,
    /// How many bytes.
    pub bytes: u64,
    /// Whose.
    pub views: Vec<u8>,
    /// The first tick.
    pub first_tick: Tick,
    /// How many ticks.
    pub ticks: u32,
}

impl IndexContents {
    pub(super) fn of<S: Source>(source: &mut S, tape: &Tape) -> Result<Self> {
        let mut contents = Self {
            keyframes: keyframes(tape),
            gaps: Vec::new(),
            claimed_keys: Vec::new(),
            first_tick: Tick::ZERO,
        };
        let of_kind = |kind| tape.chunks.iter().filter(move |chunk| chunk.header.kind == kind);
        visit_chunks(source, of_kind(ChunkKind::GAP).take(MOST_READ), |chunk| {
            let gap = Gap::read(chunk)?;
            contents.first_tick = contents.first_tick.max(first_tick(&[gap]));
            contents.gaps.push(Hole::of(&gap));
            Ok(())
        })?;
        visit_chunks(source, of_kind(ChunkKind::SIGNATURE).take(MOST_READ), |chunk| {
            let key = Signature::read(chunk).map(|signature| signature.key.to_string());
            contents.claimed_keys.extend(key.ok());
            Ok(())
        })?;
        Ok(contents)
    }

    pub(super) fn add_to(&self, fields: &mut Facts) {
        let streams = self.keyframes.len() as u64;
        fields
            .add("keyframes", if streams == 0 { "none".into() } else { count(streams, "stream") });
        self.keyframes.iter().for_each(|keyframes| fields.more(keyframes.to_text()));
        let gaps = self.gaps.len() as u64;
        fields.add("gaps", if gaps == 0 { "none".into() } else { thousands(gaps) });
        self.gaps.iter().for_each(|gap| fields.more(gap.to_text()));
        match &*self.claimed_keys {
            [] => fields.add("signed", "no"),
            keys => fields.add("signed", format!("{} to be checked with verify --key", keys.len())),
        }
        self.claimed_keys.iter().for_each(|key| fields.more(format!("claims key {key}")));
    }
}

fn keyframes(tape: &Tape) -> Vec<Keyframes> {
    let mut streams = BTreeMap::new();
    for entry in tape.keyframes.entries() {
        let row = streams.entry((entry.stream, entry.views.bits())).or_insert_with(|| Keyframes {
            stream: entry.stream,
            views: numbers(entry.views),
            full: 0,
            delta: 0,
            first_tick: entry.tick,
            last_tick: entry.tick,
        });
        *(if entry.is_full { &mut row.full } else { &mut row.delta }) += 1;
        row.last_tick = entry.tick;
    }
    streams.into_values().collect()
}

impl Keyframes {
    fn to_text(&self) -> String {
        let Self { stream, full, delta, first_tick, last_tick, .. } = self;
        let whose = match &*self.views {
            [] => "the simulation".to_owned(),
            [view] => format!("view {view}"),
            _ => "several views".to_owned(),
        };
        let many = format!("{} full, {} delta", thousands(*full), thousands(*delta));
        let ticks = TickRange::from(*first_tick..*last_tick + 1);
        format!("stream {stream}, {whose}: {many}, {ticks}")
    }
}

impl Hole {
    fn of(gap: &Gap) -> Self {
        let cause = match gap.cause {
            GapCause::SHED => "shed".to_owned(),
            GapCause::DAMAGE => "damage".to_owned(),
            GapCause::INTERRUPTED => "interrupted".to_owned(),
            GapCause::CUT => "cut".to_owned(),
            GapCause(number) => format!("cause {number}"),
        };
        Self {
            cause,
            kind: (gap.kind.0 != 0).then(|| gap.kind.to_string()),
            count: gap.count,
            bytes: gap.bytes,
            views: numbers(gap.views),
            first_tick: gap.first_tick,
            ticks: gap.tick_count,
        }
    }

    fn to_text(&self) -> String {
        let Self { cause, first_tick, ticks, .. } = self;
        let ticks = TickRange::from(*first_tick..*first_tick + u64::from(*ticks));
        if cause == "cut" {
            return format!("{ticks}, cut away");
        }
        let what = match (self.kind.as_deref(), &**cause) {
            (Some(kind), "damage") => format!("{} of {kind}", count(self.count.into(), "chunk")),
            (Some(kind), _) => format!("{} {kind}", self.count),
            (None, _) => format!("{} of any kind", self.count),
        };
        format!("{cause}: {what}, {}, {ticks}", count(self.bytes, "byte"))
    }
}
