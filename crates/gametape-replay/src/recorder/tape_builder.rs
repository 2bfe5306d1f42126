//! The writer's side of a recorder, without I/O and clock: makes a tape of what the game gave, and
//! decides when it must be written and synced.

use std::time::Duration;

use gametape_tape::limits::{CHUNK_BYTES, CHUNKS};
use gametape_tape::{ChunkDraft, ChunkKind, Gap, GapCause, KeyframeMaker, SimSnapshot, TapeWriter};
use gametape_wire::{Result, Tick, View, ViewSet};

use super::deadline::{Deadline, pace};
use super::item::{Class, Item, Loss};
use super::live::{Live, LiveSink};
use super::options::RecorderOptions;
use super::queue::{Part, Segment};
use super::resume::Interruption;

/// Makes a tape of what the game gave.
#[derive(Debug)]
pub(super) struct TapeBuilder {
    tape: TapeWriter,
    options: RecorderOptions,
    makers: Vec<(u16, KeyframeMaker)>,
    /// What was shed and is not on the tape yet.
    shed: Vec<Loss>,
    interruption: Option<Interruption>,
    /// When there is something that is not written, or not synced.
    unwritten: Deadline,
    unsynced: Deadline,
    /// How many chunks the tape can have.
    most_chunks: u64,
    /// The last ended tick that was taken, and that is in chunks.
    taken_tick: Option<u64>,
    flushed_tick: Option<u64>,
    /// Who is given it while it is made.
    live: Option<Live>,
}

impl TapeBuilder {
    pub(super) fn new(
        tape: TapeWriter,
        interruption: Option<Interruption>,
        options: &RecorderOptions,
    ) -> Self {
        Self {
            tape,
            options: *options,
            makers: Vec::new(),
            shed: Vec::new(),
            interruption,
            unwritten: Deadline::default(),
            unsynced: Deadline::default(),
            most_chunks: CHUNKS.max,
            taken_tick: None,
            flushed_tick: None,
            live: None,
        }
    }

    /// Somebody is given it while it is made, from its first byte on.
    pub(super) fn publish(&mut self, sink: Box<dyn LiveSink>) {
        self.live = Some(Live { sink, unwritten: Vec::new() });
        self.hand_on();
    }

    /// Gives the chunks that were made to who publishes them.
    fn hand_on(&mut self) {
        let Some(live) = &mut self.live else { return };
        let made = self.tape.take();
        if !made.is_empty() {
            live.sink.journal(&made);
            live.unwritten.extend(made);
        }
    }

    pub(super) fn tape(&self) -> &TapeWriter {
        &self.tape
    }

    /// The last ended tick that is in chunks with everything before it.
    pub(super) fn flushed_tick(&self) -> Option<u64> {
        self.flushed_tick
    }

    /// Takes items at `now`; empties the segment.
    pub(super) fn take(&mut self, segment: &mut Segment, now: Duration) -> Result<()> {
        let durability = self.options.durability;
        let Segment { items, parts, bytes } = segment;
        let mut payloads = Payloads { parts, bytes };
        for item in items.drain(..) {
            self.unwritten.start(now, durability.written_within);
            self.unsynced.start(now, durability.synced_within);
            self.note_interruption(item.tick())?;
            self.begin_item(&item)?;
            self.item(item, &mut payloads)?;
            self.hand_on();
        }
        Ok(())
    }

    /// Where somebody publishes it, what has no tick is on the tape after the frames that were given before it: so the
    /// tape has everything in the order in which it was published.
    fn begin_item(&mut self, item: &Item) -> Result<()> {
        let has_no_tick =
            matches!(item, Item::Setup { .. } | Item::Names(_) | Item::Resource { .. });
        if has_no_tick && self.live.is_some() {
            self.tape.flush()?;
        }
        self.hand_on();
        Ok(())
    }

    fn item(&mut self, item: Item, payloads: &mut Payloads<'_>) -> Result<()> {
        let tape = &mut self.tape;
        match item {
            Item::Framed { kind, stream, tick, parts } => {
                let pieces = payloads.take(parts.into());
                if let Some(live) = self.live.as_mut().filter(|_| (kind, stream) == super::FRAMES) {
                    live.sink.frame(Tick(tick), pieces.as_slice());
                }
                pieces.write(tape, (kind, stream), tick)
            }
            Item::Keyframe { stream, views, snapshot } => self.keyframe(stream, views, *snapshot),
            Item::Events { stream, first_tick, tick_count, count, raw } => {
                let draft = ChunkDraft::new(ChunkKind::EVENTS)
                    .with_stream(stream)
                    .with_views(ViewSet::EMPTY)
                    .with_ticks(Tick(first_tick), tick_count)
                    .with_detail(count);
                tape.chunk(&draft, &raw)
            }
            Item::Setup { stream, views, raw } => tape.setup(stream, views, &raw),
            Item::Names(names) => tape.names(&names).map(drop),
            Item::Resource { name, views, content } => tape.resource(&name, views, &content),
            Item::Closing(metadata) => tape.closing_metadata(&metadata),
            Item::Sign(key) => {
                self.end_chunks()?;
                self.tape.sign(&key)
            }
            Item::TickEnd(tick) => {
                self.taken_tick = Some(tick);
                if let Some(live) = &mut self.live {
                    live.sink.end_tick(Tick(tick));
                }
                Ok(())
            }
            Item::Shed(class, loss) => {
                self.note_shed(class, loss);
                Ok(())
            }
            Item::Interrupted(loss) => self.hole(&loss),
        }
    }

    fn maker(&mut self, stream: u16) -> &mut KeyframeMaker {
        let index = self.makers.iter().position(|(other, _)| *other == stream);
        let index = index.unwrap_or_else(|| {
            self.makers.push((stream, KeyframeMaker::new(self.options.cadence)));
            self.makers.len() - 1
        });
        &mut self.makers[index].1
    }

    fn keyframe(&mut self, stream: u16, views: ViewSet, snapshot: SimSnapshot) -> Result<()> {
        let keyframe = self.maker(stream).make(snapshot);
        let bytes = keyframe.raw.len() as u64;
        if bytes <= CHUNK_BYTES.max {
            return self.tape.keyframe(stream, views, &keyframe);
        }
        // No tape can hold it. The gap says so, and the game goes on.
        let (kind, tick) = (ChunkKind::FULL_KEYFRAME, keyframe.tick.0);
        let loss = Loss { kind, stream, views, first_tick: tick, end_tick: tick, items: 1, bytes };
        self.note_shed(Class::Keyframes, loss);
        Ok(())
    }

    fn note_shed(&mut self, class: Class, loss: Loss) {
        if class == Class::Keyframes {
            self.maker(loss.stream).lost();
        }
        match self.shed.iter_mut().find(|other| other.is_like(&loss)) {
            Some(other) => other.merge(&loss),
            None => self.shed.push(loss),
        }
    }

    /// Orders and frames are missing: nothing that follows builds on what was before.
    fn hole(&mut self, loss: &Loss) -> Result<()> {
        self.makers.iter_mut().for_each(|(_, maker)| maker.lost());
        self.tape.gap(&gap(GapCause::INTERRUPTED, &Loss { views: ViewSet::ALL, ..*loss }))
    }

    /// A resumed tape says, before the first thing that follows, what is missing before it: nothing where
    /// it goes on exactly where a whole tape ended.
    fn note_interruption(&mut self, tick: Option<u64>) -> Result<()> {
        let (Some(interruption), Some(tick)) = (&self.interruption, tick) else { return Ok(()) };
        let loss = interruption.until(tick);
        let is_loss = interruption.has_lost_bytes() || loss.tick_count() > 0;
        self.interruption = None;
        if is_loss { self.hole(&loss) } else { Ok(()) }
    }

    /// Makes chunks of everything that was taken, and says what was shed.
    fn end_chunks(&mut self) -> Result<()> {
        for loss in std::mem::take(&mut self.shed) {
            self.tape.gap(&gap(GapCause::SHED, &loss))?;
        }
        self.tape.flush()?;
        self.flushed_tick = self.taken_tick;
        self.hand_on();
        Ok(())
    }

    /// Makes chunks of everything that was taken when that is due at `now`, or must be.
    pub(super) fn flush(&mut self, now: Duration, must: bool) -> Result<()> {
        if must || self.unwritten.is_due(now) {
            self.end_chunks()?;
            self.unwritten = self.fresh_deadline(now);
        }
        Ok(())
    }

    /// The chunks that are to be appended now.
    pub(super) fn output(&mut self) -> Vec<u8> {
        self.hand_on();
        match &mut self.live {
            Some(live) => std::mem::take(&mut live.unwritten),
            None => self.tape.take(),
        }
    }

    /// The same, but only where all frames and orders that were taken are among them or before them.
    /// *Why:* what is on the disk of a process that was killed ends at one tick, in every stream.
    pub(super) fn even_output(&mut self) -> Vec<u8> {
        if self.tape.has_open_chunks() { Vec::new() } else { self.output() }
    }

    /// A deadline for what comes next.
    fn fresh_deadline(&self, now: Duration) -> Deadline {
        Deadline::not_before(now, pace(self.tape.chunks().len() as u64, self.most_chunks))
    }

    /// Does nothing wait to be written?
    pub(super) fn is_idle(&self) -> bool {
        self.unwritten.at().is_none()
    }

    /// Must everything be written and synced at `now`?
    pub(super) fn is_sync_due(&self, now: Duration) -> bool {
        self.unsynced.is_due(now)
    }

    /// Everything that was written is safe.
    pub(super) fn synced(&mut self, now: Duration) {
        self.unsynced = self.fresh_deadline(now);
    }

    /// How long nothing needs to happen; nothing at all before something comes, if `None`.
    pub(super) fn wait(&self, now: Duration) -> Option<Duration> {
        let next = [&self.unwritten, &self.unsynced].into_iter().filter_map(Deadline::at).min()?;
        Some(next.saturating_sub(now))
    }

    /// Ends the tape with its index.
    pub(super) fn finish(mut self) -> Result<Finished> {
        if let Some(interruption) = self.interruption.take()
            && interruption.has_lost_bytes()
        {
            self.hole(&interruption.until(0))?;
        }
        self.end_chunks()?;
        let (tick, chunks) = (self.flushed_tick, self.tape.chunks().len() as u32);
        let mut bytes = self.output();
        let last = self.tape.finish()?;
        if let Some(live) = &mut self.live {
            live.sink.journal(&last);
        }
        bytes.extend(last);
        Ok(Finished { bytes, tick, chunks })
    }
}

/// The end of a tape.
#[derive(Debug)]
pub(super) struct Finished {
    /// The last bytes to append.
    pub(super) bytes: Vec<u8>,
    pub(super) tick: Option<u64>,
    pub(super) chunks: u32,
}

fn gap(cause: GapCause, loss: &Loss) -> Gap {
    // Of things without ticks, the first tick is after the end.
    let first_tick = loss.first_tick.min(loss.end_tick);
    Gap::new(cause, loss.kind)
        .with_stream(loss.stream)
        .with_size(u32::try_from(loss.items).unwrap_or(u32::MAX), loss.bytes)
        .with_views(loss.views)
        .with_ticks(Tick(first_tick), loss.tick_count())
}

/// Parts and payloads of the framed items of a segment, from the next one on.
struct Payloads<'a> {
    parts: &'a [Part],
    bytes: &'a [u8],
}

impl<'a> Payloads<'a> {
    /// The next payload, and who receives it.
    fn next(&mut self) -> Option<(ViewSet, &'a [u8])> {
        let (part, parts) = self.parts.split_first()?;
        let (payload, bytes) = self.bytes.split_at_checked(part.length)?;
        (self.parts, self.bytes) = (parts, bytes);
        Some((part.views, payload))
    }

    /// The parts of the next frame or order.
    fn take(&mut self, count: usize) -> Pieces<'a> {
        let mut pieces = Pieces { parts: [(ViewSet::EMPTY, &[]); MOST_PARTS], count };
        for piece in &mut pieces.parts[..count] {
            *piece = self.next().unwrap_or_default();
        }
        pieces
    }
}

/// A frame has a part for each view at most.
const MOST_PARTS: usize = View::MAX as usize + 1;

/// The parts of a frame or order.
struct Pieces<'a> {
    parts: [(ViewSet, &'a [u8]); MOST_PARTS],
    count: usize,
}

impl<'a> Pieces<'a> {
    fn as_slice(&self) -> &[(ViewSet, &'a [u8])] {
        &self.parts[..self.count]
    }

    fn write(
        &self,
        tape: &mut TapeWriter,
        (kind, stream): (ChunkKind, u16),
        tick: u64,
    ) -> Result<()> {
        if let [(views, payload)] = self.as_slice() {
            return match views.iter().next() {
                Some(player) if kind == ChunkKind::ORDERS => {
                    tape.order(stream, Tick(tick), player, payload)
                }
                _ => tape.frame_for_all(stream, Tick(tick), *views, payload),
            };
        }
        let one = |(views, payload): (ViewSet, &'a [u8])| {
            (views.iter().next().unwrap_or(View::SPECTATOR), payload)
        };
        let pieces = self.parts.map(one);
        tape.frame(stream, Tick(tick), &pieces[..self.count])
    }
}

#[cfg(test)]
mod tests {
    use gametape_tape::TapeHeader;

    use gametape_wire::TickLength;

    use super::*;
    use crate::recorder::options::Durability;

    const SECOND: Duration = Duration::from_secs(1);

    /// Takes one frame at `now`, and says whether it is written then.
    fn writes(builder: &mut TapeBuilder, tick: u64, now: Duration) -> bool {
        let parts = vec![Part { views: ViewSet::ALL, length: 3 }];
        let item = Item::Framed { kind: ChunkKind::FRAMES, stream: 0, tick, parts: 1 };
        let mut segment = Segment { items: vec![item], parts, bytes: b"abc".to_vec() };
        builder.take(&mut segment, now).unwrap();
        let syncs = builder.is_sync_due(now);
        builder.flush(now, syncs).unwrap();
        if syncs {
            builder.synced(now);
        }
        !builder.output().is_empty()
    }

    #[test]
    fn chunks_grow_before_they_run_out() {
        let durability = Durability::every_tick();
        let options = RecorderOptions::default().with_durability(durability);
        let tape = TapeWriter::new(TapeHeader::new(TickLength::from_micros(1).unwrap(), 1), b"{}")
            .unwrap();
        let mut builder = TapeBuilder { most_chunks: 16, ..TapeBuilder::new(tape, None, &options) };
        // With the metadata, seven frames make eight chunks: half of what is possible.
        assert!((0..7).all(|tick| writes(&mut builder, tick, SECOND)));
        assert!(!writes(&mut builder, 7, SECOND));
        assert_eq!(builder.wait(SECOND), Some(SECOND));
        assert!(!writes(&mut builder, 8, 2 * SECOND - Duration::from_nanos(1)));
        assert!(writes(&mut builder, 9, 2 * SECOND));
        assert_eq!(builder.tape().chunks().len(), 9);
    }
}
