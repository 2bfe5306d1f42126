//! Tapes with many streams of keyframes: what is done with them takes the memory of one.

use gametape_replay::anonymize::anonymize;
use gametape_replay::open::Opened;
use gametape_replay::recover::FoundTape;
use gametape_replay::verify::{Checked, Level, TapeCheck, TapeChecks};
use gametape_tape::{CellPos, ChunkKind, KeyframeMaker, SimSnapshot, Tape, TapeHeader, TapeWriter};
use gametape_wire::{Tick, ViewSet};

use super::view;

/// A state that takes some hundred kilobytes of memory.
fn state(tick: u64) -> SimSnapshot {
    let mut state = SimSnapshot::default();
    state.core.tick = Tick(tick);
    for x in 0..4000 {
        let cell = if x == 7 { tick as u8 } else { 0 };
        state.core.map.push(CellPos { x, y: 0, z: 0 }, &[cell; 40]).unwrap();
    }
    state
}

/// Two keyframes of every stream, the second a delta; streams take turns.
fn tape(streams: u16) -> Vec<u8> {
    let mut writer =
        TapeWriter::new(TapeHeader::new(gametape_wire::TickLength::millis::<50>(), 1), b"{}")
            .unwrap();
    let mut maker = KeyframeMaker::default();
    let keyframes = [0, 300].map(|tick| maker.make(state(tick)));
    for (keyframe, tick) in keyframes.iter().zip([0, 300]) {
        for stream in 100..100 + streams {
            writer.keyframe(stream, ViewSet::EMPTY, keyframe).unwrap();
        }
        writer.frame(0, Tick(tick), &[(view(0), b"moved")]).unwrap();
    }
    writer.flush().unwrap();
    [writer.take(), writer.finish().unwrap()].concat()
}

fn memory(work: impl FnOnce()) -> u64 {
    allocation_counter::measure(work).bytes_max
}

fn verify(bytes: &[u8]) {
    let checks = TapeChecks::new(Level::Keyframes, None, &[]);
    let check = TapeCheck::of("tape", &mut &bytes[..], &checks).unwrap();
    assert!(check.is_sound(), "{}", check.to_text(5));
}

/// Loses the last chunk of frames, so that everything else is copied.
fn recover(bytes: &[u8]) {
    let mut damaged = bytes.to_vec();
    let tape = Tape::open(bytes).unwrap();
    let last = tape.last_of(ChunkKind::FRAMES, 0).unwrap();
    damaged[last.range().end as usize - 1] ^= 1;
    let mut source = &damaged[..];
    let found = FoundTape::search(&mut source).unwrap().unwrap();
    let mut out = Vec::new();
    let report = found.write(&mut source, None, &mut |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    });
    assert!(report.unwrap().is_lossy());
    let keyframes = Tape::open(&out).unwrap().keyframes.entries().len();
    assert_eq!(keyframes, tape.keyframes.entries().len());
    verify(&out);
}

fn without_names(bytes: &[u8]) {
    let mut written = 0;
    let made = anonymize(Opened::Tape(bytes), &[], &mut |bytes| {
        written += bytes.len();
        Ok(())
    });
    assert!(made.unwrap().remaining.is_empty());
    assert!(written > 0);
}

#[test]
fn verifying_recovering_and_anonymising_hold_the_states_of_one_stream() {
    let [few, many] = [4, 64].map(tape);
    for (name, work) in
        [("verify", verify as fn(&[u8])), ("recover", recover), ("anonymize", without_names)]
    {
        let [few, many] = [&few, &many].map(|tape| memory(|| work(tape)));
        assert!(many < few + few / 2, "{name}: {few} bytes of 4 streams, {many} of 64");
    }
}
