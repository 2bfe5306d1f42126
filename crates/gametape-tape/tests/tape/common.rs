//! Sample tapes, and chance that is the same in every run.

use gametape_tape::{
    CellPos, ChunkDraft, ChunkHeader, ChunkKind, Flags, Keyframe, KeyframeMaker, Recovered,
    SigningKey, SimSnapshot, Tape, TapeHeader, TapeWriter, UnitTag,
};
use gametape_wire::{Result, Source, Tick, TickLength, View, ViewSet};

pub(crate) const KEY: [u8; 32] = [7; 32];
pub(crate) const UNKNOWN: ChunkKind = ChunkKind(200);

/// `SplitMix64`.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// Bytes that count what is asked for.
pub(crate) struct Counted<'a> {
    all: &'a [u8],
    pub(crate) requests: usize,
    pub(crate) bytes: u64,
}

impl<'a> Counted<'a> {
    pub(crate) fn new(all: &'a [u8]) -> Self {
        Self { all, requests: 0, bytes: 0 }
    }
}

impl Source for Counted<'_> {
    fn length(&self) -> u64 {
        self.all.len() as u64
    }

    fn fetch(&mut self, range: std::ops::Range<u64>) -> Result<std::borrow::Cow<'_, [u8]>> {
        self.requests += 1;
        self.bytes += range.end - range.start;
        self.all.fetch(range)
    }
}

pub(crate) fn view(number: u8) -> View {
    View::new(number).unwrap()
}

pub(crate) fn views(numbers: &[u8]) -> ViewSet {
    numbers.iter().map(|&number| view(number)).collect()
}

pub(crate) fn header() -> TapeHeader {
    TapeHeader::new(TickLength::from_micros(66_667).unwrap(), 0x7A9E)
}

/// What view `number` receives at a tick; each view's bytes differ from the others'.
pub(crate) fn payload(number: u8, tick: u64) -> Vec<u8> {
    format!("<view {number} learns {:x} at {tick}>", tick.wrapping_mul(0x9E37_79B9)).into_bytes()
}

/// A state with some units, players and cells that moves on with the ticks.
pub(crate) fn state(tick: u64) -> SimSnapshot {
    let mut state = SimSnapshot::default();
    state.core.tick = Tick(tick);
    state.core.seed = 42;
    state.core.random_state = (tick * 31).to_le_bytes().to_vec();
    state.core.intern_table.entries = (0..3 + tick / 600).map(|n| format!("type {n}")).collect();
    for index in 0..20u16 {
        let tag = UnitTag { index, generation: u16::from(tick > 900 && index == 3) };
        let position = [u64::from(index) * 1000, tick / (1 + u64::from(index) % 4)];
        let position: Vec<u8> = position.iter().flat_map(|n| n.to_le_bytes()).collect();
        let health = [100 - (tick / 100) as u8 % 100];
        state.core.entities.push(tag, &[(0, &position[..]), (5, &health)]).unwrap();
    }
    for x in 0..40 {
        state.core.map.push(CellPos { x, y: 0, z: 0 }, &[u8::from(x as u64 > tick / 100)]).unwrap();
    }
    state.core.sections.push("rules".into(), &[0x33; 1000]).unwrap();
    for player in 1..=2 {
        let credits = (tick * u64::from(player)).to_le_bytes();
        state.core.players.push(player, &[(0, &credits[..])]).unwrap();
    }
    state
}

/// A writer with everything in it: all kinds, keyframes every 300 ticks, frames of three views.
pub(crate) fn filled(ticks: u64) -> TapeWriter {
    let mut tape =
        TapeWriter::new(header(), br#"{"game":"sample","players":["Ana","Ben"]}"#).unwrap();
    tape.setup(0, ViewSet::ALL, b"the map").unwrap();
    tape.names(&["soldier", "tank"]).unwrap();
    let mut keyframes = KeyframeMaker::default();
    for tick in 0..ticks {
        if let Some(keyframe) = keyframes.at(Tick(tick), || state(tick)) {
            tape.keyframe(0, ViewSet::EMPTY, &keyframe).unwrap();
        }
        fill_tick(&mut tape, tick);
    }
    tape.resource("map.png", ViewSet::ALL, &[0x5A; 300]).unwrap();
    tape.closing_metadata(br#"{"winner":"Ana"}"#).unwrap();
    tape
}

fn fill_tick(tape: &mut TapeWriter, tick: u64) {
    let payloads = [0, 1, 2].map(|number| payload(number, tick));
    let parts: Vec<(View, &[u8])> =
        (0..3u8).zip(&payloads).map(|(number, bytes)| (view(number), &bytes[..])).collect();
    tape.frame(0, Tick(tick), &parts).unwrap();
    if tick % 10 == 3 {
        tape.frame_for_all(0, Tick(tick), views(&[0, 1, 2]), b"everybody receives this").unwrap();
        tape.order(0, Tick(tick), view(1), &payload(11, tick)).unwrap();
        tape.order(0, Tick(tick), view(2), &payload(12, tick)).unwrap();
    }
    if tick % 200 == 199 {
        let draft = ChunkDraft::new(ChunkKind::EVENTS)
            .with_views(ViewSet::EMPTY)
            .with_ticks(Tick(tick - 199), 200)
            .with_detail(7);
        tape.chunk(&draft, &payload(99, tick).repeat(20)).unwrap();
        let flags = Flags::SAFE_TO_COPY;
        let draft = ChunkDraft::new(UNKNOWN).with_flags(flags).with_ticks(Tick(tick), 0);
        tape.chunk(&draft, b"from a later version").unwrap();
    }
    if tick % 100 == 99 {
        tape.flush().unwrap();
    }
}

/// A whole, finished tape.
pub(crate) fn sample(ticks: u64) -> Vec<u8> {
    finished(filled(ticks))
}

/// A whole, signed, finished tape.
pub(crate) fn signed(ticks: u64) -> Vec<u8> {
    let mut tape = filled(ticks);
    tape.sign(&SigningKey::from_seed(&KEY)).unwrap();
    finished(tape)
}

pub(crate) fn finished(mut tape: TapeWriter) -> Vec<u8> {
    let mut bytes = tape.take();
    bytes.extend(tape.finish().unwrap());
    bytes
}

/// A keyframe of nothing in particular.
pub(crate) fn keyframe(tick: u64) -> Keyframe {
    Keyframe { tick: Tick(tick), baseline_tick: None, raw: SimSnapshot::default().to_bytes() }
}

pub(crate) fn contains(bytes: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(bytes, part).is_some()
}

/// The same chunks with other headers, checksums and index right all the same: what no writer writes.
pub(crate) fn with_headers(bytes: &[u8], change: impl Fn(&mut ChunkHeader)) -> Vec<u8> {
    let tape = Tape::open(bytes).unwrap();
    let mut out = bytes[..TapeHeader::LENGTH].to_vec();
    for entry in &tape.chunks {
        let chunk = tape.read(entry, bytes).unwrap();
        let mut header = chunk.header;
        change(&mut header);
        out.extend(header.to_bytes());
        out.extend(chunk.stored);
    }
    let writer = Recovered::from_bytes(&out).resume().unwrap();
    out.extend(writer.finish().unwrap());
    out
}
