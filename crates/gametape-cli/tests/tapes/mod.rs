//! The tapes that golden tests read: made here, kept beside the tests, the same in every run.

use std::fs;
use std::path::Path;

use gametape_tape::{
    Cadence, ChunkDraft, ChunkHeader, ChunkKind, DeltaSnapshot, Keyframe, KeyframeMaker, Recovered,
    SigningKey, SimSnapshot, TapeHeader, TapeWriter, UnitTag,
};
use gametape_wire::{Tick, TickLength, View, ViewSet};

const FOLDER: &str = "tests/cli/tape.in";
const METADATA: &str = r#"{"content":"digger","game":"Digger","title":"Ana against Ben","players":[{"view":1,"name":"Ana"},{"view":2,"name":"Ben"}],"recorded":"2026-01-31T20:15:00Z","recorder":"digger 1.2"}"#;
const TICKS: u64 = 60;

/// Writes the tapes if `bless` is set, or else checks that they are what is made here.
pub(crate) fn check(bless: bool) {
    for (name, bytes) in tapes() {
        let path = Path::new(FOLDER).join(name);
        if bless {
            fs::write(&path, bytes).unwrap();
        } else {
            assert!(fs::read(&path).unwrap() == bytes, "{name} is not what is made: BLESS=1");
        }
    }
}

fn tapes() -> Vec<(&'static str, Vec<u8>)> {
    let match_tape = finished(filled(1));
    let mut flipped = match_tape.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x10;
    let mut no_header = match_tape.clone();
    no_header[..200].fill(0);
    let mut unfinished = filled(1);
    unfinished.flush().unwrap();
    let unfinished = unfinished.take();
    let mut signed = filled(1);
    signed.sign(&SigningKey::from_seed(&[7; 32])).unwrap();
    let mut slow =
        TapeWriter::new(TapeHeader::new(TickLength::millis::<100>(), 5), METADATA.as_bytes())
            .unwrap();
    slow.frame(0, Tick::ZERO, &[(view(1), b"x")]).unwrap();
    vec![
        ("torn.tape", unfinished[..unfinished.len() - 20].to_vec()),
        ("unfinished.tape", unfinished),
        ("flipped.tape", flipped),
        ("no-header.tape", no_header),
        ("signed.tape", finished(signed)),
        ("slow.tape", finished(slow)),
        ("other.tape", finished(filled(2))),
        ("false-baseline.tape", lying(|delta| delta.core.baseline_hash[0] ^= 1)),
        ("false-hash.tape", lying(|delta| delta.core.state_hash[0] ^= 1)),
        ("overlapping.tape", overlapping()),
        ("text-mode.tape", spoilt(&match_tape)),
        ("match.tape", match_tape),
    ]
}

/// As a text-mode copy would leave it.
fn spoilt(tape: &[u8]) -> Vec<u8> {
    tape.iter().copied().filter(|byte| *byte != b'\r').collect()
}

/// With a delta that does not say the truth, its checksum right all the same.
fn lying(lie: impl FnOnce(&mut DeltaSnapshot)) -> Vec<u8> {
    let mut tape =
        TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 6), METADATA.as_bytes())
            .unwrap();
    tape.keyframe(0, ViewSet::EMPTY, &Keyframe::full(&state(0, 1))).unwrap();
    let mut delta = DeltaSnapshot::between(&state(0, 1), &state(20, 1)).unwrap();
    lie(&mut delta);
    tape.keyframe(0, ViewSet::EMPTY, &Keyframe::delta(&delta)).unwrap();
    finished(tape)
}

/// With frames whose ticks go back, index and checksums right all the same.
fn overlapping() -> Vec<u8> {
    let mut tape =
        TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 7), METADATA.as_bytes())
            .unwrap();
    for (stream, first) in [(0, 10), (1, 15), (0, 20)] {
        (first..first + 10)
            .for_each(|tick| tape.frame(stream, Tick(tick), &[(view(1), b"tick")]).unwrap());
        tape.flush().unwrap();
    }
    let mut bytes = tape.take();
    for entry in tape.chunks() {
        let offset = entry.offset as usize;
        let mut header = entry.header;
        header.stream = 0;
        bytes[offset..offset + ChunkHeader::LENGTH].copy_from_slice(&header.to_bytes());
    }
    let tape = Recovered::from_bytes(&bytes).resume().unwrap();
    bytes.extend(tape.finish().unwrap());
    bytes
}

fn finished(mut tape: TapeWriter) -> Vec<u8> {
    let mut bytes = tape.take();
    bytes.extend(tape.finish().unwrap());
    bytes
}

fn view(number: u8) -> View {
    View::new(number).unwrap()
}

/// A short match with something of every kind that a game can write.
fn filled(seed: u8) -> TapeWriter {
    let header = TapeHeader::new(TickLength::millis::<50>(), 0xD166_0000 + u32::from(seed));
    let mut tape = TapeWriter::new(header, METADATA.as_bytes()).unwrap();
    tape.setup(0, ViewSet::ALL, &[b"map of match ", &[b'0' + seed][..]].concat()).unwrap();
    tape.names(&["digger", "mine"]).unwrap();
    let cadence = Cadence::every(20);
    let mut keyframes = KeyframeMaker::new(cadence);
    for tick in 0..TICKS {
        if let Some(keyframe) = keyframes.at(Tick(tick), || state(tick, seed)) {
            tape.keyframe(0, ViewSet::EMPTY, &keyframe).unwrap();
        }
        fill_tick(&mut tape, tick);
    }
    tape.closing_metadata(br#"{"outcome":"Ana won"}"#).unwrap();
    tape
}

fn fill_tick(tape: &mut TapeWriter, tick: u64) {
    let said = [0, 1, 2].map(|number| format!("view {number} at {tick}"));
    let parts: Vec<(View, &[u8])> =
        (0..).zip(&said).map(|(number, text)| (view(number), text.as_bytes())).collect();
    tape.frame(0, Tick(tick), &parts).unwrap();
    if tick % 10 == 5 {
        tape.order(0, Tick(tick), view(1), b"dig").unwrap();
        tape.order(0, Tick(tick), view(2), b"wait").unwrap();
        tape.order(1, Tick(tick), view(2), b"hello Ana").unwrap();
        tape.order(2, Tick(tick), view(1), b"camera 3,4").unwrap();
    }
    if tick % 30 == 29 {
        for (stream, text) in [(0, &b"dug"[..]), (2, b"clicked")] {
            let draft = ChunkDraft::new(ChunkKind::EVENTS)
                .with_stream(stream)
                .with_views(ViewSet::EMPTY)
                .with_ticks(Tick(tick - 29), 30)
                .with_detail(1);
            tape.chunk(&draft, text).unwrap();
        }
    }
}

fn state(tick: u64, seed: u8) -> SimSnapshot {
    let mut state = SimSnapshot::default();
    state.core.tick = Tick(tick);
    state.core.seed = seed.into();
    state.core.random_state = vec![seed; 100];
    let digger = UnitTag { index: 1, generation: 0 };
    state.core.entities.push(digger, &[(0, &tick.to_le_bytes()[..])]).unwrap();
    state
}
