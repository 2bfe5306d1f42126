//! Chunks that are taken as a whole: setup, keyframes, events and all others but frames and orders.

use std::collections::{HashMap, HashSet};

use gametape_tape::{ChunkEntry, ChunkKind, Gap, GapCause, NameTable, Tape, TapeWriter};
use gametape_wire::{Arrange, Result, Source, Tick, ViewSet};
use sha2::{Digest, Sha256};

use super::MergeInput;
use crate::rewrite::Put;

/// The chunks of all inputs in the order in which they are written.
pub(super) struct Units {
    units: Vec<Unit>,
    next: usize,
    names: NameTable,
    /// Stream and tick of the last full keyframe.
    last_full: Option<(u16, Tick)>,
    spans: Vec<Span>,
}

#[derive(Clone, Copy)]
struct Unit {
    input: usize,
    entry: ChunkEntry,
}

/// The time of which an input knows something.
struct Span {
    first_tick: Tick,
    end_of_frames: Tick,
}

impl Span {
    fn of(tape: &Tape) -> Self {
        let framed = tape.chunks.iter().filter(|entry| entry.header.kind.is_framed());
        let end_of_frames = framed.map(|entry| entry.header.end_tick()).max().unwrap_or_default();
        Self { first_tick: tape.summary.first_tick, end_of_frames }
    }
}

/// What chunks have in common that may be one and the same.
type Key = (Tick, u8, u16, u32, u32);

impl Unit {
    fn tick(&self) -> Tick {
        let header = &self.entry.header;
        if header.kind.has_ticks() { header.first_tick } else { Tick::ZERO }
    }

    fn key(&self) -> Key {
        let header = &self.entry.header;
        (self.tick(), rank(header.kind), header.stream, header.tick_count, header.detail)
    }
}

/// What comes first where ticks are equal.
fn rank(kind: ChunkKind) -> u8 {
    match kind {
        ChunkKind::SETUP => 0,
        ChunkKind::NAMES => 1,
        ChunkKind::RESOURCE => 2,
        ChunkKind::FULL_KEYFRAME => 3,
        ChunkKind::DELTA_KEYFRAME => 4,
        ChunkKind::EVENTS => 5,
        ChunkKind::GAP => 6,
        ChunkKind(number) => number,
    }
}

fn is_unit(kind: ChunkKind) -> bool {
    !kind.is_framed() && kind != ChunkKind::METADATA && kind != ChunkKind::SIGNATURE
}

impl Units {
    pub(super) fn of<S: Source>(inputs: &[MergeInput<S>]) -> Self {
        let all = inputs.iter().enumerate().flat_map(|(input, MergeInput { tape, .. })| {
            let units = tape.chunks.iter().filter(|entry| is_unit(entry.header.kind));
            units.map(move |entry| Unit { input, entry: *entry })
        });
        let mut units: Vec<Unit> = all.collect();
        // Stable: within an input the order stays.
        units.arrange_by_key(Unit::key);
        let spans = inputs.iter().map(|input| Span::of(&input.tape)).collect();
        Self { units, next: 0, names: NameTable::default(), last_full: None, spans }
    }

    pub(super) fn next_tick(&self) -> Option<Tick> {
        self.units.get(self.next).map(Unit::tick)
    }

    /// Writes the chunks that may be the same as the next one, each of them once.
    pub(super) fn write_next<S: Source>(
        &mut self,
        inputs: &mut [MergeInput<S>],
        writer: &mut TapeWriter,
        put: &mut Put<'_>,
    ) -> Result<()> {
        let rest = &self.units[self.next..];
        let same = rest.iter().take_while(|unit| unit.key() == rest[0].key()).count();
        let mut group = Group::default();
        for unit in &self.units[self.next..self.next + same] {
            group.add(*unit, &mut inputs[unit.input])?;
        }
        self.next += same;
        let mut receivers = Receivers::default();
        for one in &group.different {
            let contradicts = receivers.have(one.views);
            receivers.add(one.views);
            self.write(one, contradicts, inputs, writer)?;
            put(&writer.take())?;
        }
        Ok(())
    }

    fn write<S: Source>(
        &mut self,
        one: &Different,
        contradicts: bool,
        inputs: &mut [MergeInput<S>],
        writer: &mut TapeWriter,
    ) -> Result<()> {
        let header = &one.unit.entry.header;
        let at = (header.stream, header.first_tick);
        let input = &mut inputs[one.unit.input];
        match header.kind {
            ChunkKind::SETUP | ChunkKind::FULL_KEYFRAME if contradicts => {
                let (kind, (stream, tick)) = (header.kind, at);
                let problem = format!("it has another {kind} of stream {stream} at tick {tick}");
                return Err(input.contradicts(problem));
            }
            ChunkKind::FULL_KEYFRAME => self.last_full = Some(at),
            // The same state as a full keyframe, or a second way to it.
            ChunkKind::DELTA_KEYFRAME if contradicts || self.last_full == Some(at) => {
                return Ok(());
            }
            _ => {}
        }
        if header.kind == ChunkKind::GAP {
            let gap = input.chunk(&one.unit.entry, Gap::read)?;
            return self.write_gap(gap, one.unit.input, writer);
        }
        if header.kind == ChunkKind::NAMES && !self.are_new_names(input, &one.unit.entry)? {
            return Ok(());
        }
        input.chunk(&one.unit.entry, |chunk| writer.copy(chunk, one.views))
    }

    /// Are these names not there yet? An id cannot have two names.
    fn are_new_names<S: Source>(
        &mut self,
        input: &mut MergeInput<S>,
        entry: &ChunkEntry,
    ) -> Result<bool> {
        let theirs = input.chunk(entry, |chunk| {
            let mut theirs = NameTable::default();
            theirs.add(chunk)?;
            Ok(theirs)
        })?;
        let first = theirs.len().saturating_sub(entry.header.detail as usize);
        let mut is_new = false;
        for id in first as u32..theirs.len() as u32 {
            match (self.names.get(id), theirs.get(id)) {
                (_, None) => {}
                (None, Some(_)) => is_new = true,
                (Some(ours), Some(theirs)) if ours == theirs => {}
                (Some(_), Some(_)) => {
                    return Err(input.contradicts(format!("it has another name with id {id}")));
                }
            }
        }
        let names = &mut self.names;
        input.chunk(entry, |chunk| names.add(chunk))?;
        Ok(is_new)
    }

    /// Writes a gap. What is missing in one input because it begins later may be there in another.
    fn write_gap(&self, gap: Gap, input: usize, writer: &mut TapeWriter) -> Result<()> {
        let end = gap.first_tick + u64::from(gap.tick_count);
        let others = self.spans.iter().enumerate().filter(|(index, _)| *index != input);
        let earlier = others.filter(|(_, span)| span.first_tick <= gap.first_tick);
        let known = earlier.map(|(_, span)| span.end_of_frames).max().unwrap_or_default();
        let start = match gap.cause {
            GapCause::INTERRUPTED | GapCause::CUT => gap.first_tick.max(known),
            _ => gap.first_tick,
        };
        if start >= end && end > gap.first_tick {
            return Ok(());
        }
        let tick_count = end.since(start) as u32;
        writer.gap(&gap.with_ticks(start, tick_count))
    }
}

/// Chunks that may be one and the same, each different one once.
#[derive(Default)]
struct Group {
    different: Vec<Different>,
    /// The index in `different` of a content and of how often its input had it before.
    indices: HashMap<([u8; 32], u32), usize>,
    /// How often an input has a content. One input may have the same twice, and mean it.
    occurrences: HashMap<(usize, [u8; 32]), u32>,
}

/// A chunk that is like no other of its group.
struct Different {
    unit: Unit,
    views: ViewSet,
}

impl Group {
    fn add<S: Source>(&mut self, unit: Unit, input: &mut MergeInput<S>) -> Result<()> {
        let digest = input.chunk(&unit.entry, |chunk| Ok(Sha256::digest(chunk.raw()?)))?;
        let content: [u8; 32] = digest.into();
        let occurrence = self.occurrences.entry((unit.input, content)).or_default();
        let views = unit.entry.header.views;
        match self.indices.get(&(content, *occurrence)) {
            Some(&index) => {
                let views = self.different[index].views.or(views);
                self.different[index].views = views;
            }
            None => {
                self.indices.insert((content, *occurrence), self.different.len());
                self.different.push(Different { unit, views });
            }
        }
        *occurrence += 1;
        Ok(())
    }
}

/// Who receives the chunks of a group that were looked at so far.
#[derive(Default)]
struct Receivers {
    any: ViewSet,
    sets: HashSet<ViewSet>,
}

impl Receivers {
    /// Would somebody have two of them, or does nobody have either?
    fn have(&self, views: ViewSet) -> bool {
        self.sets.contains(&views) || !self.any.and(views).is_empty()
    }

    fn add(&mut self, views: ViewSet) {
        self.any = self.any.or(views);
        self.sets.insert(views);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gametape_wire::View;

    fn views(numbers: &[u8]) -> ViewSet {
        numbers.iter().filter_map(|number| View::new(*number)).collect()
    }

    #[test]
    fn chunks_contradict_where_somebody_receives_both() {
        let mut receivers = Receivers::default();
        assert!(!receivers.have(ViewSet::EMPTY) && !receivers.have(ViewSet::ALL));
        receivers.add(views(&[1, 2]));
        assert!(receivers.have(views(&[2, 3])) && receivers.have(ViewSet::ALL));
        assert!(!receivers.have(views(&[3])) && !receivers.have(ViewSet::EMPTY));
        receivers.add(ViewSet::EMPTY);
        assert!(receivers.have(ViewSet::EMPTY) && !receivers.have(views(&[3])));
    }
}
