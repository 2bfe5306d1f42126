//! Segments: a view of a match as immutable files. Normative: `spec/live.md`, section 9.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use gametape_tape::{ChunkHeader, ChunkKind, TapeHeader};
use gametape_wire::{Result, Tick, View, ViewSet, Writer};
use serde::{Deserialize, Serialize};

use crate::assembler::Assembler;
use crate::deltas::{Deltas, Stored};
use crate::lane::Classes;
use crate::message::{Announce, Message, Moved, Shared};
use crate::name::MatchName;
use crate::publisher::slot_ticks;
use crate::receiver::{Receiver, Step, TickContent};

/// Everything is waited for this long: all relays shall have the same files.
const LINGER: Duration = Duration::from_secs(3);

/// The one file that changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NowDocument {
    /// The match.
    #[serde(rename = "match")]
    pub name: String,
    /// The view.
    pub view: u8,
    /// How long a tick takes, in microseconds.
    pub tick_us: u32,
    /// How many ticks a slot has.
    pub slot_ticks: u64,
    /// The last tick that is released; −1 before the first.
    pub tick: i64,
    /// The last slot that is released; −1 before the first.
    pub slot: i64,
    /// Is the match over, and all of it released?
    pub over: bool,
}

/// The file `entry` of these files.
#[must_use]
pub fn entry_of<F: AsRef<[u8]>>(files: &[F]) -> Vec<u8> {
    let mut w = Writer::new();
    for file in files {
        w.varint(file.as_ref().len() as u64).bytes(file.as_ref());
    }
    w.into_bytes()
}

/// Makes the segments of a view out of what its publisher sends.
///
/// The files are the same on every relay, and the same for every audience: what an audience may have is
/// decided when it asks, by the last tick that is [released](crate::Relay::released) to it.
#[derive(Debug)]
pub struct Segmenter {
    name: MatchName,
    header: TapeHeader,
    view: View,
    slot_ticks: u64,
    receiver: Receiver,
    tape: Option<Assembler>,
    /// The slot that is being written.
    slot: u64,
    files: Files,
}

/// What was made.
#[derive(Debug, Default)]
struct Files {
    init: Option<Shared>,
    deltas: Deltas,
    /// By tick.
    keyframes: BTreeMap<Tick, Keyframe>,
    /// Where names, resources and setups after `init` are, by sequence number.
    prelude: BTreeMap<u32, Range<u64>>,
    end: Option<Shared>,
    /// The tick after the last.
    last_tick: Option<Tick>,
}

#[derive(Debug)]
struct Keyframe {
    sequence: u32,
    baseline: Option<Tick>,
    range: Range<u64>,
}

impl Segmenter {
    /// Makes segments of a view of the match that a publisher announced. It must get every message from
    /// the start of the match on.
    pub fn new(announce: &Announce, view: View) -> Result<Self> {
        let Announce { name, header, metadata, .. } = announce;
        let mut receiver = Receiver::new(view, Classes::ALL, LINGER);
        receiver.moved(Moved { view, tick: Tick::ZERO, first: [0; 7], prelude: Vec::new() });
        Ok(Self {
            name: name.clone(),
            header: *header,
            view,
            slot_ticks: slot_ticks(header.tick_length),
            receiver,
            tape: Some(Assembler::new(header, metadata, ViewSet::EMPTY.with(view))?),
            slot: 0,
            files: Files::default(),
        })
    }

    /// A message of the publisher; those of other views are passed over.
    pub fn receive(&mut self, bytes: &Shared, now: Duration) -> Result<()> {
        match Message::read(bytes)? {
            Message::Data(data) if data.view == self.view => {
                self.receiver.data(&data, bytes)?;
            }
            Message::Mark(mark) if mark.view == self.view => self.receiver.mark(mark)?,
            _ => return Ok(()),
        }
        self.poll(now)
    }

    /// Lets time pass: what does not come is given up.
    pub fn poll(&mut self, now: Duration) -> Result<()> {
        if self.tape.is_none() {
            return Ok(());
        }
        let mut last = self.receiver.claimed();
        for step in self.receiver.advance(now)? {
            let first = last.map_or(Tick::ZERO, |last| last + 1);
            match step {
                Step::Entered { tick, prelude } => {
                    if let Some(before) = tick.previous().filter(|tick| *tick >= first) {
                        self.lose(first, before, 0);
                    }
                    self.receiver.put_first(tick, prelude);
                    last = last.max(tick.previous());
                }
                Step::Claimed { tick, lost, .. } => {
                    if lost > 0 {
                        self.lose(first, tick, lost);
                    }
                    last = Some(tick);
                }
            }
        }
        self.write()?;
        self.finish()
    }

    fn lose(&mut self, first: Tick, last: Tick, parts: u64) {
        if let Some(tape) = &mut self.tape {
            tape.lose(self.view, first, last, parts, false);
        }
    }

    /// Writes what is complete, slot by slot.
    fn write(&mut self) -> Result<()> {
        let Some(claimed) = self.receiver.claimed() else { return Ok(()) };
        if self.files.init.is_none() {
            self.write_init()?;
        }
        while let Some(tick) = self.receiver.first_ready().filter(|tick| *tick <= claimed) {
            self.end_slots(tick.0 / self.slot_ticks)?;
            let content = self.receiver.take(tick).unwrap_or_default();
            if let Some(tape) = &mut self.tape {
                tape.tick(tick, &[(self.view, content)])?;
            }
        }
        self.end_slots((claimed + 1).0 / self.slot_ticks)
    }

    /// What comes before the first keyframe.
    fn write_init(&mut self) -> Result<()> {
        let Some(tape) = &mut self.tape else { return Ok(()) };
        if let Some(mut content) = self.receiver.take(Tick::ZERO) {
            let is_keyframe = |chunk: &Shared| {
                crate::message::Data::read(chunk)
                    .is_ok_and(|data| data.is_some_and(|data| data.is_keyframe()))
            };
            let first = content.chunks.iter().position(is_keyframe);
            let rest = content.chunks.split_off(first.unwrap_or(content.chunks.len()));
            let chunks = std::mem::replace(&mut content.chunks, rest);
            tape.tick(Tick::ZERO, &[(self.view, TickContent::of_chunks(chunks))])?;
            self.receiver.put_back(Tick::ZERO, content);
        }
        self.files.init = Some(tape.flush()?.into());
        Ok(())
    }

    /// Ends the slots before this one.
    fn end_slots(&mut self, slot: u64) -> Result<()> {
        if slot > self.slot {
            self.end_slot()?;
            self.slot = slot;
        }
        Ok(())
    }

    fn end_slot(&mut self) -> Result<()> {
        let Some(tape) = &mut self.tape else { return Ok(()) };
        let bytes = tape.flush()?;
        if !bytes.is_empty() {
            self.files.add(self.slot, &bytes.into());
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        if !self.receiver.is_over {
            return Ok(());
        }
        self.end_slot()?;
        let Some(mut tape) = self.tape.take() else { return Ok(()) };
        for events in std::mem::take(&mut self.receiver.events) {
            tape.events(&events)?;
        }
        self.files.last_tick = self.receiver.claimed();
        self.files.end = Some(tape.finish()?.into());
        Ok(())
    }

    /// The last slot that is complete and released, where `released` is the last tick that may be known.
    fn last_slot(&self, released: Option<Tick>) -> Option<u64> {
        let released = released?;
        let known = match self.files.last_tick {
            // After the end the clock goes on.
            Some(last) if released >= last => return Some(last.0 / self.slot_ticks),
            _ => self.receiver.claimed()?,
        };
        ((released.min(known) + 1).0 / self.slot_ticks).checked_sub(1)
    }

    /// The `now` document for who may know ticks up to `released`.
    #[must_use]
    pub fn now(&self, released: Option<Tick>) -> NowDocument {
        let slot = self.last_slot(released);
        let tick = released.and_then(|released| Some(released.min(self.receiver.claimed()?)));
        let number = |number: Option<u64>| number.map_or(-1, |number| number as i64);
        NowDocument {
            name: self.name.as_str().to_owned(),
            view: self.view.number(),
            tick_us: self.header.tick_length.micros(),
            slot_ticks: self.slot_ticks,
            tick: number(tick.map(|tick| tick.0)),
            slot: number(slot),
            over: self.end(released).is_some(),
        }
    }

    /// The file `init`.
    #[must_use]
    pub fn init(&self, released: Option<Tick>) -> Option<Shared> {
        released.and(self.files.init.clone())
    }

    /// The file `delta` of a slot; `None` where it does not exist for who asks.
    #[must_use]
    pub fn delta(&self, slot: u64, released: Option<Tick>) -> Option<Stored> {
        self.last_slot(released).filter(|last| slot <= *last)?;
        Some(self.files.deltas.delta(slot))
    }

    /// The file `keyframe` of a slot, in pieces that follow each other; `None` where it does not exist for
    /// who asks.
    #[must_use]
    pub fn keyframe(&self, slot: u64, released: Option<Tick>) -> Option<Vec<Stored>> {
        self.last_slot(released).filter(|last| slot <= *last)?;
        Some(self.files.entry(Tick(slot.saturating_mul(self.slot_ticks))))
    }

    /// What the file `entry` is made of: its slot, and its files in their order, each in pieces that follow each other;
    /// `None` where it does not exist for who asks.
    #[must_use]
    pub fn entry(&self, released: Option<Tick>) -> Option<(u64, Vec<Vec<Stored>>)> {
        let slot = self.last_slot(released)?;
        let tick = (slot + 1).saturating_mul(self.slot_ticks) - 1;
        let now =
            NowDocument { tick: tick as i64, slot: slot as i64, over: false, ..self.now(None) };
        let now = Shared::from(serde_json::to_vec(&now).ok()?);
        let mut files = vec![vec![Stored::Here(now)], vec![Stored::Here(self.init(released)?)]];
        files.push(self.keyframe(slot, released)?);
        let start = Tick(slot.saturating_mul(self.slot_ticks));
        let first = self.files.keyframe_at(start).map_or(0, |(tick, _)| tick.0);
        let slots = first / self.slot_ticks..=slot;
        files.extend(slots.map(|slot| vec![self.files.deltas.delta(slot)]));
        Some((slot, files))
    }

    /// The file `end`; `None` where it does not exist for who asks.
    #[must_use]
    pub fn end(&self, released: Option<Tick>) -> Option<Shared> {
        let last = self.files.last_tick?;
        if released? < last {
            return None;
        }
        self.files.end.clone()
    }

    /// Hands out the oldest deltas where there are more than `most` bytes of them, and keeps only where they are: whoever
    /// has a [spool](Stored::Spooled) appends these bytes to it.
    pub fn hand_out(&mut self, most: usize) -> Vec<Shared> {
        self.files.deltas.hand_out(most)
    }
}

impl Files {
    /// Adds the delta of a slot, and notes where keyframes are in it and what else joiners need.
    fn add(&mut self, slot: u64, delta: &Shared) {
        let mut offset = self.deltas.push(slot, delta.clone());
        let mut bytes = &delta[..];
        while let Some(head) = bytes.first_chunk::<{ ChunkHeader::LENGTH }>() {
            let Ok(header) = ChunkHeader::read(head, 0) else { return };
            let length = header.chunk_length() as usize;
            let Some((_, rest)) = bytes.split_at_checked(length) else { return };
            let range = offset..offset + length as u64;
            offset = range.end;
            match header.kind {
                ChunkKind::NAMES | ChunkKind::RESOURCE | ChunkKind::SETUP => {
                    self.prelude.insert(header.sequence, range);
                }
                kind if kind.is_keyframe() => {
                    let is_delta = kind == ChunkKind::DELTA_KEYFRAME;
                    let back = u64::from(header.detail);
                    let tick = header.first_tick;
                    let baseline = is_delta.then(|| tick.checked_sub(back).unwrap_or_default());
                    let keyframe = Keyframe { sequence: header.sequence, baseline, range };
                    self.keyframes.insert(tick, keyframe);
                }
                _ => {}
            }
            bytes = rest;
        }
    }

    /// The last keyframe up to a tick.
    fn keyframe_at(&self, tick: Tick) -> Option<(Tick, &Keyframe)> {
        self.keyframes.range(..=tick).next_back().map(|(tick, keyframe)| (*tick, keyframe))
    }

    /// What a tick is entered with: the last keyframe up to it, what that builds on, and what comes
    /// before it.
    fn entry(&self, tick: Tick) -> Vec<Stored> {
        let Some((_, last)) = self.keyframe_at(tick) else { return Vec::new() };
        let mut chain = vec![last];
        let mut baseline = last.baseline;
        while let Some(found) = baseline.and_then(|tick| self.keyframes.get(&tick))
            && chain.len() <= 10
        {
            chain.push(found);
            baseline = found.baseline;
        }
        let prelude = self.prelude.range(..last.sequence).map(|(_, range)| range);
        let ranges = prelude.chain(chain.into_iter().rev().map(|keyframe| &keyframe.range));
        ranges.map(|range| self.deltas.part(range.clone())).collect()
    }
}
