//! Sinks that misbehave, a small game, and what is on a tape.

use std::io;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use gametape_replay::{Next, Pump, Recorder, RecorderOptions, Sink};
use gametape_tape::{
    Cadence, ChunkEntry, ChunkKind, Gap, GapCause, Level, Recovered, Restorer, SimSnapshot,
    StateHash, TapeFrames, TapeHeader, UnitTag, verify_bytes,
};
use gametape_wire::{Tick, TickLength, View, ViewSet};

pub(crate) const METADATA: &[u8] = br#"{"game":"sample"}"#;
pub(crate) const SECOND: Duration = Duration::from_secs(1);

pub(crate) fn tape_header() -> TapeHeader {
    TapeHeader::new(TickLength::millis::<50>(), 0x7A9E)
}

pub(crate) fn view(number: u8) -> View {
    View::new(number).unwrap()
}

/// Keyframes every ten ticks, every fourth full.
pub(crate) fn options() -> RecorderOptions {
    let cadence = Cadence::every(10).with_full_every(4);
    RecorderOptions::default().with_cadence(cadence)
}

/// What a fake disk does.
#[derive(Debug, Default)]
pub(crate) struct Disk {
    pub(crate) bytes: Vec<u8>,
    /// How many of the bytes were synced.
    pub(crate) synced: usize,
    pub(crate) syncs: usize,
    pub(crate) appends: usize,
    /// It takes no byte from this place on.
    pub(crate) full_at: Option<usize>,
    /// It takes at most this many bytes at once.
    pub(crate) most_at_once: Option<usize>,
    /// Every other append is interrupted.
    pub(crate) is_interrupted: bool,
    pub(crate) cannot_sync: bool,
    /// It hangs until this is false.
    pub(crate) hangs: bool,
}

/// A sink onto a fake disk, which the test can look at and change.
#[derive(Debug, Clone, Default)]
pub(crate) struct FakeSink(Arc<(Mutex<Disk>, Condvar)>);

impl FakeSink {
    pub(crate) fn disk<T>(&self, look: impl FnOnce(&mut Disk) -> T) -> T {
        let result = look(&mut self.0.0.lock().unwrap());
        self.0.1.notify_all();
        result
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.disk(|disk| disk.bytes.clone())
    }
}

impl Sink for FakeSink {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let disk = self.0.0.lock().unwrap();
        let mut disk = self.0.1.wait_while(disk, |disk| disk.hangs).unwrap();
        disk.appends += 1;
        if disk.is_interrupted && disk.appends % 2 == 1 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let room = disk.full_at.map_or(usize::MAX, |full| full - disk.bytes.len());
        let taken = bytes.len().min(room).min(disk.most_at_once.unwrap_or(usize::MAX));
        if taken == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        disk.bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut disk = self.0.0.lock().unwrap();
        if disk.cannot_sync {
            return Err(io::Error::other("the disk is gone"));
        }
        disk.syncs += 1;
        disk.synced = disk.bytes.len();
        Ok(())
    }
}

/// A recorder that the test drives, and the disk it writes to.
pub(crate) fn driven(options: &RecorderOptions) -> (Recorder, Pump<FakeSink>, FakeSink) {
    let sink = FakeSink::default();
    let (recorder, pump) =
        Recorder::with_pump(sink.clone(), tape_header(), METADATA, options).unwrap();
    (recorder, pump, sink)
}

/// Finishes a recording that the test drives.
pub(crate) fn finish<S: Sink>(recorder: Recorder, pump: &mut Pump<S>) -> gametape_replay::Report {
    let closing = recorder.close();
    while pump.step(Duration::ZERO) != Next::Done {}
    closing.wait_for(Duration::ZERO).unwrap()
}

/// A state that moves on with the ticks, larger where `bulk` is.
pub(crate) fn state(tick: u64, bulk: usize) -> SimSnapshot {
    let mut state = SimSnapshot::default();
    state.core.tick = Tick(tick);
    state.core.random_state = tick.to_le_bytes().to_vec();
    for index in 0..8u16 {
        let tag = UnitTag { index, generation: 0 };
        let place = (u64::from(index) + tick).to_le_bytes();
        state.core.entities.push(tag, &[(0, &place), (3, &[7; 40])]).unwrap();
    }
    state.core.sections.push("bulk".into(), &vec![3; bulk]).unwrap();
    state
}

pub(crate) fn order_of(tick: u64) -> Vec<u8> {
    format!("order {tick}").into_bytes()
}

pub(crate) fn frame_of(tick: u64, number: u8) -> Vec<u8> {
    format!("view {number} sees {} at {tick}", tick.wrapping_mul(0x9E37_79B9)).into_bytes()
}

/// One tick of the small game.
pub(crate) fn play(recorder: &Recorder, tick: u64) {
    if recorder.keyframe_due(Tick(tick)) {
        recorder.keyframe(state(tick, 100)).unwrap();
    }
    recorder.order(Tick(tick), view(1), &order_of(tick)).unwrap();
    let frames = [0, 2].map(|number| frame_of(tick, number));
    recorder.frame(Tick(tick), &[(view(0), &frames[0]), (view(2), &frames[1])]).unwrap();
    recorder.end_tick(Tick(tick));
}

/// What is on a tape, finished or not.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    /// Stream, tick, player, payload.
    pub(crate) orders: Vec<(u16, u64, View, Vec<u8>)>,
    /// Tick, view, payload.
    pub(crate) frames: Vec<(u64, View, Vec<u8>)>,
    /// Stream, tick, is it full, hash of the state.
    pub(crate) keyframes: Vec<(u16, u64, bool, StateHash)>,
    /// Stream, first tick, number, raw bytes.
    pub(crate) events: Vec<(u16, u64, u32, Vec<u8>)>,
    pub(crate) gaps: Vec<Gap>,
    pub(crate) others: Vec<(ChunkKind, Vec<u8>)>,
}

impl Content {
    /// Everything that is whole, of a tape that is damaged at its end at most.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let found = Recovered::from_bytes(bytes);
        assert!(found.missing.is_empty(), "{:?}", found.missing);
        assert!(found.damages.iter().all(|damage| damage.range.end == bytes.len() as u64));
        let mut content = Self::default();
        let mut baselines: Vec<(u16, Restorer)> = Vec::new();
        for entry in &found.chunks {
            content.chunk(entry, bytes, &mut baselines);
        }
        content
    }

    /// The same, of a tape that must be finished and right in all respects.
    pub(crate) fn of_finished(bytes: &[u8]) -> Self {
        let report = verify_bytes(bytes, Level::Chain, None).unwrap();
        assert!(report.passed(), "{report:?}");
        Self::of(bytes)
    }

    fn chunk(&mut self, entry: &ChunkEntry, bytes: &[u8], fulls: &mut Vec<(u16, Restorer)>) {
        let range = entry.range();
        let chunk = entry.read(&bytes[range.start as usize..range.end as usize]).unwrap();
        let (header, raw) = (chunk.header, chunk.raw().unwrap().into_owned());
        match header.kind {
            ChunkKind::ORDERS | ChunkKind::FRAMES => {
                for frame in TapeFrames::new(&header, &raw) {
                    let frame = frame.unwrap();
                    for (player, payload) in frame.parts().flat_map(|part| {
                        part.views.iter().map(move |view| (view, part.payload.to_vec()))
                    }) {
                        match header.kind {
                            ChunkKind::FRAMES => self.frames.push((frame.tick.0, player, payload)),
                            _ => self.orders.push((header.stream, frame.tick.0, player, payload)),
                        }
                    }
                }
            }
            ChunkKind::FULL_KEYFRAME | ChunkKind::DELTA_KEYFRAME => {
                // Deltas are relative to the last full keyframe.
                let is_full = header.kind == ChunkKind::FULL_KEYFRAME;
                let full = fulls.iter().find(|(stream, _)| *stream == header.stream);
                let mut restorer = full.map_or_else(Restorer::default, |(_, full)| full.clone());
                restorer.add(&chunk).unwrap();
                let hash = restorer.state().unwrap().state_hash();
                self.keyframes.push((header.stream, header.first_tick.0, is_full, hash));
                if is_full {
                    fulls.retain(|(stream, _)| *stream != header.stream);
                    fulls.push((header.stream, restorer));
                }
            }
            ChunkKind::EVENTS => {
                self.events.push((header.stream, header.first_tick.0, header.detail, raw));
            }
            ChunkKind::GAP => self.gaps.push(Gap::read(&chunk).unwrap()),
            kind => self.others.push((kind, raw)),
        }
    }

    /// Are these exactly the small game's ticks, in order, and its keyframes?
    pub(crate) fn assert_played(&self, ticks: impl Iterator<Item = u64> + Clone) {
        self.assert_orders(ticks.clone());
        self.assert_frames(ticks);
        self.assert_keyframes();
    }

    pub(crate) fn assert_orders(&self, ticks: impl Iterator<Item = u64>) {
        let orders = ticks.map(|tick| (0, tick, view(1), order_of(tick)));
        assert_eq!(self.orders, orders.collect::<Vec<_>>());
    }

    pub(crate) fn assert_frames(&self, ticks: impl Iterator<Item = u64>) {
        let of = |tick| [0, 2].map(|number| (tick, view(number), frame_of(tick, number)));
        assert_eq!(self.frames, ticks.flat_map(of).collect::<Vec<_>>());
    }

    pub(crate) fn assert_keyframes(&self) {
        for (_, tick, _, hash) in &self.keyframes {
            assert_eq!(*hash, state(*tick, 100).state_hash(), "keyframe at {tick}");
        }
    }

    pub(crate) fn gaps_of(&self, cause: GapCause, kind: ChunkKind, stream: u16) -> Vec<Gap> {
        let ours = |gap: &&Gap| (gap.cause, gap.kind, gap.stream) == (cause, kind, stream);
        self.gaps.iter().filter(ours).copied().collect()
    }
}

pub(crate) fn only(number: u8) -> ViewSet {
    ViewSet::EMPTY.with(view(number))
}
