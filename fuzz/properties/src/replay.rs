//! Playing tapes, and turning them into the files that they hold.

use gametape_cadre::{Log, Options};
use gametape_minewars::Generation;
use gametape_minewars::sample::Sample;
use gametape_minewars::{Check, ReplayFile, WriteOptions, write_file};
use gametape_replay::{
    ConvertOptions, DeepLevel, Direction, GameState, MinewarsTimeline, Playback, Player,
    PlayerOptions, Recording, Timeline, TimelineOptions, ViewTrack, cadre, minewars,
};
use gametape_tape::{
    ChunkDraft, ChunkKind, MAGIC, Resource, Tape, TapeFrames, TapeHeader, TapeWriter,
};
use gametape_wire::{Moment, Reader, Result, Tick, TickLength, View, ViewSet, Writer};

use crate::Seed;

/// Any bytes, as a tape or as the contents of one: playing and converting end well or with an error,
/// and seeking gives what playing gives.
pub fn replay(data: &[u8]) {
    if data.first() == MAGIC.first() {
        return exercise(data);
    }
    let mut recipe = Recipe::default();
    let _ = recipe.follow(data);
    exercise(&recipe.finish());
}

fn exercise(tape: &[u8]) {
    let Ok(mut recording) = Recording::open(tape) else { return };
    if let Ok(file) = minewars::from_tape(&mut recording, None) {
        let is_sealed = |file: &ReplayFile<'_>| file.checks().iter().all(Check::is_ok);
        assert!(ReplayFile::open(&file.bytes).is_ok_and(|file| is_sealed(&file)));
        drop(minewars::from_tape(&mut recording, Some(Generation::V01)));
        let _ = grow(&file.bytes);
    }
    drop(cadre::from_tape(&mut recording, &Options::default()));
    play(|| minewars::player(Recording::open(tape)?, View::SPECTATOR, small_cache()));
    play(|| cadre::player(Recording::open(tape)?, small_cache()));
}

/// The frames of a file, added in pieces, are played as the whole file.
fn grow(bytes: &[u8]) -> Result<()> {
    let file = ReplayFile::open(bytes)?;
    let (setup, frames) = (file.setup().to_setup()?, file.frames()?.bytes);
    let options = TimelineOptions::default().with_kept_bytes(10_000);
    let mut whole = MinewarsTimeline::open(&file, View::SPECTATOR, options)?;
    let mut grown = MinewarsTimeline::new(&setup, View::SPECTATOR, options)?;
    for piece in frames.chunks(frames.len() / 3 + 1) {
        // A frame that is none ends the stream.
        let _ = grown.extend(piece);
        let end = grown.end();
        assert!(grown.seek(end)?.is_ready());
    }
    grown.close();
    assert_eq!((grown.end(), grown.rest()), (whole.end(), whole.rest()));
    let end = whole.end();
    assert!(whole.seek(end)?.is_ready() && grown.seek(end)?.is_ready());
    assert!(whole.state().state() == grown.state().state());
    assert_eq!(whole.report(), grown.report());
    Ok(())
}

fn small_cache() -> PlayerOptions {
    PlayerOptions::new().with_cache_bytes(10_000)
}

type ViewPlayer<'a, G> = Playback<&'a [u8], Player<ViewTrack<G>>>;

fn play<'a, G: GameState>(open: impl Fn() -> Result<ViewPlayer<'a, G>>) {
    let (Ok(mut there), Ok(mut back)) = (open(), open()) else { return };
    let mut seen: Vec<(Moment, [u8; 32])> = Vec::new();
    for _ in 0..12 {
        seen.push((there.position(), there.snapshot().state_hash()));
        if !there.step(Direction::Forward).unwrap_or(false) {
            break;
        }
    }
    for (moment, hash) in seen.into_iter().rev() {
        if back.seek(moment).is_ok() {
            assert!(back.snapshot().state_hash() == hash, "{moment:?}");
        }
        assert!(back.timeline().cached_bytes() <= small_cache().cache_bytes);
    }
    drop(there.verify(DeepLevel::Keyframes));
    drop(there.step(Direction::Backward));
}

/// Makes a tape of instructions: what, tick, length and bytes, one after the other.
struct Recipe {
    writer: Option<TapeWriter>,
}

const SETUP: u8 = 0;
const FRAME: u8 = 1;
const RESOURCE: u8 = 2;
const KEYFRAME: u8 = 3;
const DELTA: u8 = 4;
const RAW_FRAMES: u8 = 5;

impl Default for Recipe {
    fn default() -> Self {
        let header = TapeHeader::new(TickLength::MILLISECOND, 1);
        Self { writer: TapeWriter::new(header, b"{}").ok() }
    }
}

impl Recipe {
    fn follow(&mut self, data: &[u8]) -> Result<()> {
        let mut r = Reader::new(data);
        while !r.is_empty() {
            let (what, tick) = (r.u8("what")?, r.varint("tick")?);
            let length = usize::try_from(r.varint("length")?).unwrap_or(usize::MAX);
            let bytes = r.take(length, "bytes")?;
            // What the writer refuses is left out.
            let _ = self.put(what, tick, bytes);
        }
        Ok(())
    }

    fn put(&mut self, what: u8, tick: u64, bytes: &[u8]) -> Result<()> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let (view, kind) = (tick % 3, what % 6);
        let chunk = |kind: ChunkKind, stream: u16, views: ViewSet| {
            ChunkDraft::new(kind).with_stream(stream).with_views(views).with_ticks(Tick(tick), 0)
        };
        match kind {
            SETUP => writer.setup(0, ViewSet::ALL, bytes),
            FRAME => writer.frame_for_all(0, Tick(tick), ViewSet::from_bits(0b11), bytes),
            RESOURCE => writer.resource("minewars/frames", ViewSet::EMPTY, bytes),
            KEYFRAME | DELTA => {
                writer.flush()?;
                let views = ViewSet::from_bits(1 << view);
                let (kind, detail) = match kind {
                    KEYFRAME => (ChunkKind::FULL_KEYFRAME, 0),
                    _ => (ChunkKind::DELTA_KEYFRAME, delta_distance(bytes)),
                };
                let draft = chunk(kind, 16 + view as u16, views).with_detail(detail);
                writer.chunk(&draft, bytes)
            }
            RAW_FRAMES => {
                writer.flush()?;
                let draft = chunk(ChunkKind::FRAMES, 0, ViewSet::ALL).with_ticks(Tick(tick), 50);
                writer.chunk(&draft, bytes)
            }
            _ => Ok(()),
        }
    }

    fn finish(&mut self) -> Vec<u8> {
        let Some(mut writer) = self.writer.take() else { return Vec::new() };
        let mut tape = if writer.flush().is_ok() { writer.take() } else { Vec::new() };
        tape.extend(writer.finish().unwrap_or_default());
        tape
    }
}

/// Ticks from the baseline to a delta, as its bytes say.
fn delta_distance(bytes: &[u8]) -> u32 {
    let number = |at: usize| -> Option<u64> {
        Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
    };
    let distance = number(41).zip(number(1)).and_then(|(to, from)| to.checked_sub(from));
    distance.and_then(|distance| u32::try_from(distance).ok()).unwrap_or(0)
}

/// Small tapes, and instructions that make them.
pub fn replay_seeds() -> Result<Vec<Seed>> {
    let sample = Sample { radius: 1, players: 1, cities: 1, moments: 3, ..Sample::default() };
    let options = ConvertOptions::new(1).with_spacing(100);
    let (setup, frames) = sample.build(Generation::Current)?;
    let file = write_file(&setup, &frames, &WriteOptions::default())?;
    let current = minewars::to_tape(&ReplayFile::open(&file)?, &options)?;
    let log = Log::open(LOG, &Options::default())?;
    let gamelog = cadre::to_tape(&log, &options.with_spacing(40))?;
    Ok(vec![
        Seed::new("recipe-current", recipe_of(&current)?),
        Seed::new("recipe-gamelog", recipe_of(&gamelog)?),
        Seed::new("current", current),
        Seed::new("gamelog", gamelog),
    ])
}

/// Lists, objects, a reference, a delta that cannot be merged.
const LOG: &[u8] = br#"{"deltas":[{"game":{"gameObjects":{"0":{"x":1},"a":{}},"l":{"0":1,"&LEN":1}}},{"game":7},{"game":{"gameObjects":{"0":{"x":2}},"l":{"2":{"id":"0"},"&LEN":3}}},{"game":{"l":{"&LEN":1},"gameObjects":{"a":"&RM"}}}],"epoch":1}"#;

/// The instructions that make the contents of a tape.
fn recipe_of(bytes: &[u8]) -> Result<Vec<u8>> {
    let tape = Tape::open(bytes)?;
    let mut w = Writer::new();
    let mut put = |what: u8, tick: u64, bytes: &[u8]| {
        w.u8(what).varint(tick).varint(bytes.len() as u64).bytes(bytes);
    };
    for entry in &tape.chunks {
        let chunk = tape.read(entry, bytes)?;
        let raw = chunk.raw()?;
        let tick = entry.header.first_tick;
        match entry.header.kind {
            ChunkKind::SETUP => put(SETUP, 0, &raw),
            ChunkKind::FULL_KEYFRAME => put(KEYFRAME, tick.0, &raw),
            ChunkKind::DELTA_KEYFRAME => put(DELTA, tick.0, &raw),
            ChunkKind::RESOURCE => put(RESOURCE, 0, Resource::read(&chunk)?.content()),
            ChunkKind::FRAMES => {
                for frame in TapeFrames::new(&entry.header, &raw) {
                    let frame = frame?;
                    for part in frame.parts() {
                        put(FRAME, frame.tick.0, part.payload);
                    }
                }
            }
            _ => {}
        }
    }
    Ok(w.into_bytes())
}
