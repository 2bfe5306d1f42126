//! Tapes to play, and the same with other keyframes.

use std::collections::BTreeMap;

use gametape_cadre::{Log, Options, sample};
use gametape_minewars::sample::Sample;
use gametape_minewars::{FrameLayout, FrameWriter, Frames, Generation};
use gametape_minewars::{ReplayFile, WriteOptions, write_file};
use gametape_replay::{ConvertOptions, PlayerOptions, Track, cadre, minewars};
use gametape_replay::{Playback, Player, Recording, Source};
use gametape_tape::{
    ChunkEntry, ChunkKind, DeltaSnapshot, Keyframe, SimSnapshot, StateHash, Tape, TapeWriter,
};
use gametape_wire::{Moment, Tick, View, ViewSet};

/// Ticks as bare numbers: shorter where every one of them is tried.
pub(crate) trait ByTick {
    /// Goes to the moment before a tick.
    fn before(&mut self, tick: u64);
    /// The tick that comes next.
    fn tick(&self) -> u64;
    /// The tick at the end.
    fn end_tick(&self) -> u64;
}

impl<S: Source, T: Track> ByTick for Playback<S, Player<T>> {
    fn before(&mut self, tick: u64) {
        self.seek(Moment::before(Tick(tick))).unwrap();
        assert_eq!(self.tick(), tick);
    }

    fn tick(&self) -> u64 {
        self.position().next_tick().0
    }

    fn end_tick(&self) -> u64 {
        self.end().next_tick().0
    }
}

pub(crate) fn minewars_tape(generation: Generation) -> Vec<u8> {
    let sample = Sample { radius: 2, players: 2, cities: 1, moments: 60, ..Sample::default() };
    let (setup, frames) = sample.build(generation).unwrap();
    let layout = FrameLayout::new(generation, setup.max_view()).unwrap();
    let frames = hurried(Frames::new(layout, &frames));
    let file = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
    let options = ConvertOptions::new(1).with_spacing(400);
    minewars::to_tape(&ReplayFile::open(&file).unwrap(), &options).unwrap()
}

/// The same frames at a twentieth of their times, so that every single tick can be tried.
fn hurried(frames: Frames<'_>) -> Vec<u8> {
    let mut out = FrameWriter::new(frames.layout());
    for frame in frames.map(Result::unwrap).filter(|frame| !frame.views().is_empty()) {
        let delta = (frame.time() / 20 - out.time()) as u32;
        let parts: Vec<(View, &[u8])> = frame
            .parts()
            .flat_map(|part| part.views.iter().map(move |view| (view, part.payload)))
            .collect();
        out.heterogenous(delta, &parts).unwrap();
    }
    out.into_bytes()
}

pub(crate) fn cadre_tape() -> Vec<u8> {
    let log = Log::open(sample::log(90, 5), &Options::default()).unwrap();
    cadre::to_tape(&log, &ConvertOptions::new(2).with_spacing(3000)).unwrap()
}

pub(crate) fn finish(mut writer: TapeWriter) -> Vec<u8> {
    writer.flush().unwrap();
    let mut tape = writer.take();
    tape.extend(writer.finish().unwrap());
    tape
}

/// The tape without its keyframes, to be written on.
pub(crate) fn without_keyframes(bytes: &[u8]) -> TapeWriter {
    let tape = Tape::open(bytes).unwrap();
    let mut writer = TapeWriter::new(tape.header, tape.metadata.as_bytes()).unwrap();
    for entry in tape.chunks.iter().skip(1).filter(|chunk| !chunk.header.kind.is_keyframe()) {
        writer.copy(&tape.read(entry, bytes).unwrap(), entry.header.views).unwrap();
    }
    writer
}

/// Every recorded state with its stream and views, in the order of the tape.
pub(crate) fn keyframe_states(bytes: &[u8]) -> Vec<(u16, ViewSet, SimSnapshot)> {
    let tape = Tape::open(bytes).unwrap();
    let keyframe = |entry: &&gametape_tape::KeyframeIndexEntry| entry.tick < Tick::MAX;
    tape.keyframes
        .entries()
        .iter()
        .filter(keyframe)
        .map(|wanted| {
            let state = tape.restore(bytes, wanted.tick, |entry| entry == wanted).unwrap().unwrap();
            (wanted.stream, wanted.views, state)
        })
        .collect()
}

/// The same tape with deltas that build on each other, nine after every full keyframe.
pub(crate) fn chained(bytes: &[u8]) -> Vec<u8> {
    let mut writer = without_keyframes(bytes);
    let mut last: BTreeMap<u16, (u32, SimSnapshot)> = BTreeMap::new();
    for (stream, views, state) in keyframe_states(bytes) {
        let keyframe = match last.get(&stream) {
            Some((count, baseline)) if *count < 9 => {
                Keyframe::delta(&DeltaSnapshot::between(baseline, &state).unwrap())
            }
            _ => Keyframe::full(&state),
        };
        writer.keyframe(stream, views, &keyframe).unwrap();
        let count = if keyframe.is_full() { 0 } else { last[&stream].0 + 1 };
        last.insert(stream, (count, state));
    }
    let tape = finish(writer);
    let longest = Tape::open(&tape).unwrap().keyframes.entries().len();
    assert!(longest > 3, "there is something to chain");
    tape
}

/// The states at all ticks, by playing once from the start, without any keyframe.
pub(crate) fn linear<T: Track>(
    bytes: &[u8],
    open: impl Fn(Recording<Vec<u8>>, PlayerOptions) -> Playback<Vec<u8>, Player<T>>,
) -> BTreeMap<u64, StateHash> {
    let plain = finish(without_keyframes(bytes));
    let mut player = open(Recording::open(plain).unwrap(), PlayerOptions::default());
    let mut hashes = BTreeMap::new();
    assert!(player.end_tick() < 2000, "every tick of {} is too much", player.end_tick());
    for tick in 0..=player.end_tick() {
        player.before(tick);
        hashes.insert(tick, player.snapshot().state_hash());
    }
    assert!(player.findings().is_empty());
    hashes
}

/// The chunks of a kind and stream.
pub(crate) fn chunks(bytes: &[u8], kind: ChunkKind, stream: u16) -> Vec<ChunkEntry> {
    Tape::open(bytes).unwrap().stream(kind, stream).copied().collect()
}

/// The same ticks in an order that is the same every time.
pub(crate) fn shuffled(ticks: &[u64]) -> impl Iterator<Item = u64> {
    let mut random = 99u64;
    ticks.iter().map(move |_| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        ticks[(random >> 33) as usize % ticks.len()]
    })
}
