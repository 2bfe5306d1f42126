use gametape_minewars::Generation;
use gametape_replay::{PlayRule, Playback, Player, PlayerOptions, Recording, cadre, minewars};
use gametape_tape::{ChunkKind, Tape};
use gametape_wire::{Finding, View};

use super::common::{ByTick, cadre_tape, chunks, linear, minewars_tape};
use super::toy::{self, Toy};

const PAYLOAD: usize = 56;

fn spectator(
    tape: &[u8],
) -> Playback<Vec<u8>, Player<gametape_replay::ViewTrack<minewars::MinewarsView>>> {
    let recording = Recording::open(tape.to_vec()).unwrap();
    minewars::player(recording, View::SPECTATOR, PlayerOptions::default()).unwrap()
}

#[test]
fn a_damaged_keyframe_is_passed_over() {
    let tape = minewars_tape(Generation::Current);
    let expected = linear(&tape, |recording, options| {
        minewars::player(recording, View::SPECTATOR, options).unwrap()
    });
    let keyframes: Vec<_> = Tape::open(&tape)
        .unwrap()
        .chunks
        .into_iter()
        .filter(|c| c.header.kind.is_keyframe())
        .collect();
    let own = keyframes.iter().filter(|chunk| chunk.header.stream == 16);
    for chunk in own.skip(1) {
        let mut damaged = tape.clone();
        damaged[chunk.offset as usize + PAYLOAD] ^= 0x10;
        let mut player = spectator(&damaged);
        for &tick in expected.keys().rev().step_by(7) {
            player.before(tick);
            assert!(player.snapshot().state_hash() == expected[&tick], "tick {tick}");
        }
        let from = Some(chunk.header.first_tick);
        let is_reported = |found: &Finding| found.rule == PlayRule::KEYFRAME && found.tick >= from;
        assert!(player.findings().iter().any(is_reported), "{:?}", player.findings());
        assert_eq!(player.doubt(), None);
    }
    // All of them at once: played from the start.
    let mut damaged = tape.clone();
    for chunk in &keyframes {
        damaged[chunk.offset as usize + PAYLOAD] ^= 0x10;
    }
    let mut player = spectator(&damaged);
    let middle = *expected.keys().nth(expected.len() / 2).unwrap();
    for tick in [player.end_tick(), 0, middle, 1] {
        player.before(tick);
        assert!(player.snapshot().state_hash() == expected[&tick]);
    }
}

#[test]
fn lost_frames_are_told_and_the_next_keyframe_ends_the_doubt() {
    let tape = cadre_tape();
    let open = |recording, options| cadre::player(recording, options).unwrap();
    let expected = linear(&tape, open);
    let frames = chunks(&tape, ChunkKind::FRAMES, 0);
    let lost = frames[frames.len() / 2].header;
    let mut damaged = tape.clone();
    damaged[frames[frames.len() / 2].offset as usize + PAYLOAD] ^= 1;
    // Found by the walk where the trailer is gone, else when the chunk is needed.
    for cut in [0, 5] {
        let bytes = damaged[..damaged.len() - cut].to_vec();
        for backward in [false, true] {
            let mut player =
                open(Recording::open(bytes.clone()).unwrap(), PlayerOptions::default());
            let mut ticks: Vec<u64> = (0..=player.end_tick()).collect();
            if backward {
                ticks.reverse();
            }
            for tick in ticks {
                player.before(tick);
                let in_gap = tick > lost.first_tick.0 && tick < lost.end_tick().0;
                assert_eq!(player.doubt().is_some(), in_gap, "tick {tick}");
                if !in_gap {
                    assert!(player.snapshot().state_hash() == expected[&tick], "tick {tick}");
                }
            }
            let start = Some(lost.first_tick);
            let is_reported =
                |found: &Finding| found.rule == PlayRule::LOST_INPUT && found.tick == start;
            assert!(player.findings().iter().any(is_reported), "{:?}", player.findings());
        }
    }
}

#[test]
fn a_tape_that_was_never_finished_plays_to_its_last_chunk() {
    let tape = toy::tape(Toy::new(), 400);
    let expected = linear(&tape, |recording, options| {
        Playback::simulation(recording, Toy::new(), options).unwrap()
    });
    let whole = Tape::open(&tape).unwrap();
    let mut sure = 0;
    for chunk in whole.chunks.iter().step_by(5) {
        let torn = &tape[..chunk.offset as usize + 20];
        let recording = Recording::open(torn).unwrap();
        assert!(!recording.tape().is_finished());
        let mut player =
            Playback::simulation(recording, Toy::new(), PlayerOptions::default()).unwrap();
        for tick in [player.end_tick(), player.end_tick() / 2] {
            player.before(tick);
            let is_true = player.snapshot().state_hash() == expected[&tick];
            // Chat of later ticks may have been written before the orders of these ticks.
            assert!(is_true || player.doubt().is_some());
            sure += u64::from(is_true);
        }
    }
    assert!(sure > 10);
}
