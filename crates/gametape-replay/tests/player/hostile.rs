//! Tapes that no writer makes, with right checksums: one answer for every way to a tick.

use gametape_cadre::Options;
use gametape_replay::{
    DeepLevel, Direction, PlayRule, Playback, Player, PlayerOptions, Recording, cadre,
};
use gametape_tape::{
    ChunkKind, DeltaSnapshot, Keyframe, Level, Recovered, Tape, TapeHeader, verify_bytes,
};
use gametape_wire::{Finding, Tick, ViewSet};

use super::common::{ByTick, cadre_tape, finish, keyframe_states, shuffled, without_keyframes};
use super::toy::{self, Toy};

/// The same tape with the chunks of its frames in another order of time.
///
/// Every second frames chunk is reported `back` ticks earlier, and all checksums and the index are right.
fn with_ticks_going_back(bytes: &[u8], back: u64) -> Vec<u8> {
    let tape = Tape::open(bytes).unwrap();
    let mut out = bytes[..TapeHeader::LENGTH].to_vec();
    let mut frames = 0;
    for entry in &tape.chunks {
        let chunk = tape.read(entry, bytes).unwrap();
        let mut header = chunk.header;
        if header.kind == ChunkKind::FRAMES {
            frames += 1;
            if frames % 2 == 0 {
                header.first_tick = header.first_tick.checked_sub(back).unwrap_or_default();
            }
        }
        out.extend(header.to_bytes());
        out.extend(chunk.stored);
    }
    assert!(frames > 3);
    out.extend(Recovered::from_bytes(&out).resume().unwrap().finish().unwrap());
    out
}

fn player(tape: &[u8]) -> Playback<&[u8], Player<gametape_replay::ViewTrack<cadre::CadreGame>>> {
    cadre::player(Recording::open(tape).unwrap(), PlayerOptions::default()).unwrap()
}

#[test]
fn ticks_that_go_back_lead_to_one_state_on_every_way() {
    let tape = with_ticks_going_back(&cadre_tape(), 3);
    assert!(!verify_bytes(&tape, Level::Structure, None).unwrap().passed());
    let recording = Recording::open(&tape[..]).unwrap();
    let misplaced: Vec<_> = recording.tape().misplaced().map(|chunk| chunk.header).collect();
    assert!(!misplaced.is_empty() && recording.gaps().len() == misplaced.len());

    let mut linear = player(&tape);
    let mut expected = Vec::new();
    for tick in 0..=linear.end_tick() {
        linear.before(tick);
        expected.push((linear.snapshot().state_hash(), linear.doubt()));
    }
    assert!(expected.iter().any(|(_, doubt)| doubt.is_some()));
    let ticks: Vec<u64> = (0..=linear.end_tick()).collect();
    let plain = PlayerOptions::new().with_cache_bytes(0).with_check(false);
    for options in [PlayerOptions::default(), plain] {
        let recording = Recording::open(&tape[..]).unwrap();
        let mut player = cadre::player(recording, options).unwrap();
        for tick in ticks.iter().rev().copied().chain(shuffled(&ticks)) {
            player.before(tick);
            let (hash, doubt) = &expected[tick as usize];
            assert!(player.snapshot().state_hash() == *hash, "tick {tick}");
            assert_eq!(player.doubt(), *doubt, "tick {tick}");
        }
        let lost = |finding: &Finding| finding.rule == PlayRule::LOST_INPUT;
        assert!(player.findings().iter().any(lost));
    }
    let mut steps = player(&tape);
    let mut last = steps.tick();
    while steps.step(Direction::Forward).unwrap() {
        assert!(steps.tick() > last);
        last = steps.tick();
    }
    assert!(!player(&tape).verify(DeepLevel::Keyframes).unwrap().passed());
    let mut recording = Recording::open(&tape[..]).unwrap();
    assert!(cadre::from_tape(&mut recording, &Options::default()).is_err(), "deltas are missing");
}

#[test]
fn verifying_computes_the_hashes_that_playing_trusts() {
    let tape = toy::tape(Toy::new(), 300);
    type Lie = fn(&mut DeltaSnapshot);
    let lies: [Lie; 2] =
        [|delta| delta.core.baseline_hash[7] ^= 1, |delta| delta.core.state_hash[7] ^= 1];
    for lie in lies {
        let mut writer = without_keyframes(&tape);
        let states = keyframe_states(&tape);
        for (stream, views, state) in &states {
            let keyframe = match state.core.tick.0 {
                100 => {
                    let mut delta = DeltaSnapshot::between(&states[0].2, state).unwrap();
                    lie(&mut delta);
                    Keyframe::delta(&delta)
                }
                _ => Keyframe::full(state),
            };
            writer.keyframe(*stream, ViewSet::EMPTY.or(*views), &keyframe).unwrap();
        }
        let tape = finish(writer);
        let open = || {
            let recording = Recording::open(&tape[..]).unwrap();
            Playback::simulation(recording, Toy::new(), PlayerOptions::default()).unwrap()
        };
        let mut player = open();
        player.before(120);
        assert_eq!(player.findings(), [], "checksums are right");
        for level in [DeepLevel::Keyframes, DeepLevel::Simulation] {
            let verified = open().verify(level).unwrap();
            let [found] = verified.report.findings() else { panic!("{:?}", verified.report) };
            assert_eq!((found.rule, found.tick), (PlayRule::KEYFRAME, Some(Tick(100))));
            assert!(!verified.passed());
        }
    }
}
