//! Chunks that are taken as a whole: setup, keyframes, events and all others but frames and orders.

use gametape_tape::{Chunk, ChunkEntry, ChunkKind, Gap, GapCause, NameTable, Tape, TapeWriter};
use gametape_wire::ViewSet;

use super::{Part, contradiction, unwritable};
use crate::failure::Failure;

/// The chunks of all parts in the order in which they are written.
pub(super) struct Units {
    units: Vec<Unit>,
    next: usize,
    names: NameTable,
    /// Stream and tick of the last full keyframe.
    last_full: Option<(u16, u64)>,
}

#[derive(Clone, Copy)]
struct Unit {
    part: usize,
    entry: ChunkEntry,
}

/// What chunks have in common that may be one and the same.
type Key = (u64, u8, u16, u32, u32);

impl Unit {
    fn tick(&self) -> u64 {
        let header = &self.entry.header;
        if header.kind.has_ticks() { header.first_tick } else { 0 }
    }

    fn key(&self) -> Key {
        let header = &self.entry.header;
        (self.tick(), rank(header.kind), header.stream, header.tick_count, header.detail)
    }
}

/// What stands first where ticks are equal.
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
    pub(super) fn of(parts: &[Part]) -> Self {
        let all = parts.iter().enumerate().flat_map(|(part, Part { tape, .. })| {
            let units = tape.chunks.iter().filter(|entry| is_unit(entry.header.kind));
            units.map(move |entry| Unit { part, entry: *entry })
        });
        let mut units: Vec<Unit> = all.collect();
        // Stable: within a part the order stays.
        units.sort_by_key(Unit::key);
        Self { units, next: 0, names: NameTable::default(), last_full: None }
    }

    pub(super) fn next_tick(&self) -> Option<u64> {
        self.units.get(self.next).map(Unit::tick)
    }

    /// Writes the chunks that may be the same as the next one, each of them once.
    pub(super) fn write_next(
        &mut self,
        parts: &mut [Part],
        writer: &mut TapeWriter,
    ) -> Result<(), Failure> {
        let rest = &self.units[self.next..];
        let same = rest.iter().take_while(|unit| unit.key() == rest[0].key()).count();
        let group: Vec<Unit> = rest[..same].to_vec();
        self.next += same;
        let mut written: Vec<Different> = Vec::new();
        for unit in group {
            let Part { file, .. } = &mut parts[unit.part];
            let source = file.source.clone();
            let chunk = file.chunk(&unit.entry)?;
            let raw = chunk.raw().map_err(|error| Failure::of(&source, &error))?;
            match written.iter_mut().find(|other| other.is(unit.part, &raw)) {
                Some(other) => other.add(unit.part, chunk.header.views),
                None => written.push(Different::new(unit, &chunk, raw.into_owned())),
            }
        }
        (0..written.len()).try_for_each(|place| self.write(&written, place, parts, writer))
    }

    fn write(
        &mut self,
        group: &[Different],
        place: usize,
        parts: &mut [Part],
        writer: &mut TapeWriter,
    ) -> Result<(), Failure> {
        let (one, earlier) = (&group[place], &group[..place]);
        let header = &one.unit.entry.header;
        let place = (header.stream, header.first_tick);
        let file = &mut parts[one.unit.part].file;
        let source = file.source.clone();
        let contradicts = earlier.iter().any(|other| one.is_for_same(other));
        match header.kind {
            ChunkKind::SETUP | ChunkKind::FULL_KEYFRAME if contradicts => {
                let (kind, (stream, tick)) = (header.kind, place);
                let what = format!("{kind} of stream {stream} at tick {tick}");
                return Err(contradiction(&format!("{source} has another {what}")));
            }
            ChunkKind::FULL_KEYFRAME => self.last_full = Some(place),
            // The same state as a full keyframe, or a second way to it.
            ChunkKind::DELTA_KEYFRAME if contradicts => return Ok(()),
            ChunkKind::DELTA_KEYFRAME if self.last_full == Some(place) => return Ok(()),
            _ => {}
        }
        let chunk = file.chunk(&one.unit.entry)?;
        if header.kind == ChunkKind::GAP {
            let gap = Gap::read(&chunk).map_err(|error| Failure::of(&source, &error))?;
            return write_gap(gap, one.unit.part, parts, writer);
        }
        if header.kind == ChunkKind::NAMES && !self.are_new_names(&source, &chunk)? {
            return Ok(());
        }
        writer.copy(&chunk, one.views).map_err(|error| unwritable(&error))
    }

    /// Are these names not there yet? An id cannot have two names.
    fn are_new_names(
        &mut self,
        source: &crate::input::Source,
        chunk: &Chunk<'_>,
    ) -> Result<bool, Failure> {
        let failed = |error: gametape_wire::Error| Failure::of(source, &error);
        let mut theirs = NameTable::default();
        theirs.add(chunk).map_err(failed)?;
        let mut is_new = false;
        for id in 0..theirs.len() as u32 {
            let Some(name) = theirs.get(id) else { continue };
            match self.names.get(id) {
                None => is_new = true,
                Some(known) if known == name => {}
                Some(_) => {
                    return Err(contradiction(&format!("{source} has another name with id {id}")));
                }
            }
        }
        self.names.add(chunk).map_err(failed)?;
        Ok(is_new)
    }
}

/// Writes a gap. What is missing in one part because it begins later may be there in another.
fn write_gap(
    gap: Gap,
    part: usize,
    parts: &[Part],
    writer: &mut TapeWriter,
) -> Result<(), Failure> {
    let end = gap.first_tick + u64::from(gap.tick_count);
    let is_earlier =
        |place: usize, tape: &Tape| place != part && tape.summary.first_tick <= gap.first_tick;
    let earlier = parts.iter().enumerate().filter(|(place, part)| is_earlier(*place, &part.tape));
    let known = earlier.map(|(_, part)| end_of_frames(&part.tape)).max().unwrap_or(0);
    let start = match gap.cause {
        GapCause::INTERRUPTED => gap.first_tick.max(known),
        _ => gap.first_tick,
    };
    if start >= end && end > gap.first_tick {
        return Ok(());
    }
    let tick_count = end.saturating_sub(start) as u32;
    let gap = Gap { first_tick: start, tick_count, ..gap };
    writer.gap(&gap).map_err(|error| unwritable(&error))
}

fn end_of_frames(tape: &Tape) -> u64 {
    let framed = tape.chunks.iter().filter(|entry| entry.header.kind.is_framed());
    framed.map(|entry| entry.header.end_tick()).max().unwrap_or(0)
}

/// A chunk that is like no other of its group.
struct Different {
    unit: Unit,
    raw: Vec<u8>,
    views: ViewSet,
    /// The parts that have it. One part may say the same twice, and mean it.
    parts: Vec<usize>,
}

impl Different {
    fn new(unit: Unit, chunk: &Chunk<'_>, raw: Vec<u8>) -> Self {
        Self { unit, raw, views: chunk.header.views, parts: vec![unit.part] }
    }

    fn is(&self, part: usize, raw: &[u8]) -> bool {
        self.raw == raw && !self.parts.contains(&part)
    }

    /// Is there somebody who would have both, or nobody who has either?
    fn is_for_same(&self, other: &Self) -> bool {
        self.views == other.views || !self.views.and(other.views).is_empty()
    }

    /// Another part has it too.
    fn add(&mut self, part: usize, views: ViewSet) {
        self.parts.push(part);
        self.views = self.views.or(views);
    }
}
