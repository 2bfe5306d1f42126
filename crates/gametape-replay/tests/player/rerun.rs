use gametape_minewars::Generation;
use gametape_replay::{DeepLevel, Player, PlayerOptions, Recording, Site, cadre, minewars};
use gametape_replay::{Direction, Playback};
use gametape_tape::{Keyframe, UnitTag};
use gametape_wire::{Tick, View};

use super::common::{
    ByTick, cadre_tape, finish, keyframe_states, minewars_tape, without_keyframes,
};
use super::toy::{self, Toy};

fn player(tape: &[u8], toy: Toy) -> Playback<&[u8], Player<gametape_replay::SimulationTrack<Toy>>> {
    let recording = Recording::open(tape).unwrap();
    Playback::simulation(recording, toy, PlayerOptions::default()).unwrap()
}

#[test]
fn a_true_recording_passes_every_level() {
    let tape = toy::tape(Toy::new(), 700);
    for level in [DeepLevel::Keyframes, DeepLevel::Simulation] {
        let verified = player(&tape, Toy::new()).verify(level).unwrap();
        assert!(verified.passed(), "{:?}", verified.report);
        assert_eq!((verified.keyframes, verified.tick), (14, Tick(700)));
    }
    let tape = minewars_tape(Generation::Current);
    for view in 0..3 {
        let recording = Recording::open(&tape[..]).unwrap();
        let view = View::new(view).unwrap();
        let mut player = minewars::player(recording, view, PlayerOptions::default()).unwrap();
        let verified = player.verify(DeepLevel::Keyframes).unwrap();
        assert!(verified.passed(), "{:?}", verified.report);
        assert!(verified.keyframes > 3, "{}", verified.keyframes);
    }
}

/// The place of a piece is component 1.
fn third_piece() -> Site {
    Site::Entity(UnitTag { index: 3, generation: 0 }, Some(1))
}

#[test]
fn a_simulation_that_goes_wrong_is_located() {
    let tape = toy::tape(Toy::new(), 700);
    for (fault, agreed) in [(0, 0), (49, 0), (50, 50), (333, 300)] {
        let mut toy = Toy::new();
        toy.fault = Some(fault);
        for level in [DeepLevel::Keyframes, DeepLevel::Simulation] {
            let verified = player(&tape, toy.clone()).verify(level).unwrap();
            assert!(!verified.passed());
            let [found] = &verified.divergences[..] else { panic!("{:?}", verified.report) };
            assert_eq!(verified.report.count(), 1);
            assert_eq!((found.agreed, found.tick), (Some(Tick(agreed)), Tick(agreed + 50)));
            let said = format!(
                "goes wrong between tick {agreed}, where it agrees, and tick {}, where it differs: \
                 entity 3.0 component 1",
                agreed + 50
            );
            assert_eq!(found.to_string(), said);
            assert_eq!(found.differences.len(), 1);
            assert_eq!(found.differences[0].site, third_piece());
            let number = |bytes: &Option<Vec<u8>>| {
                u32::from_le_bytes(bytes.clone().unwrap().try_into().unwrap())
            };
            let difference = &found.differences[0];
            assert_eq!(number(&difference.found), number(&difference.expected) + 1000);
        }
    }
}

#[test]
fn a_recorded_state_that_was_changed_is_found_and_counts_all_the_same() {
    let tape = toy::tape(Toy::new(), 300);
    let mut writer = without_keyframes(&tape);
    for (stream, views, mut state) in keyframe_states(&tape) {
        if state.core.tick == Tick(150) {
            state.core.sections = Default::default();
            state.core.sections.push("ballast".into(), b"other").unwrap();
            state.core.random_state = 5u64.to_le_bytes().to_vec();
        }
        writer.keyframe(stream, views, &Keyframe::full(&state)).unwrap();
    }
    let tape = finish(writer);
    let verified = player(&tape, Toy::new()).verify(DeepLevel::Keyframes).unwrap();
    let found = verified.divergences.iter();
    let divergences: Vec<_> =
        found.map(|found| (found.agreed, found.tick, &found.differences[0].site)).collect();
    assert_eq!(verified.report.count(), divergences.len() as u64);
    // It differs from what led to it, and the next one from what it leads to.
    let random = &Site::RandomState;
    assert_eq!(
        divergences,
        [(Some(Tick(100)), Tick(150), random), (Some(Tick(150)), Tick(200), random),]
    );

    // Going there at once or step by step gives the same.
    let mut linear = player(&tape, Toy::new());
    for tick in 0..=300 {
        linear.before(tick);
        let mut direct = player(&tape, Toy::new());
        direct.before(tick);
        let [a, b] = [&linear, &direct].map(Playback::snapshot);
        assert_eq!(a.core.random_state, b.core.random_state, "tick {tick}");
        assert_eq!(a.core.entities, b.core.entities);
    }
}

/// Steps go over keyframes that are near, seeks enter them: both come to the recorded state.
#[test]
fn steps_over_a_recorded_state_that_was_changed_take_it_over() {
    let tape = cadre_tape();
    let mut writer = without_keyframes(&tape);
    let mut states = keyframe_states(&tape);
    let changed = states[2].2.core.tick;
    states[2].2 = states[1].2.clone();
    states[2].2.core.tick = changed;
    for (stream, views, state) in states {
        writer.keyframe(stream, views, &Keyframe::full(&state)).unwrap();
    }
    let tape = finish(writer);
    let open = || {
        let recording = Recording::open(&tape[..]).unwrap();
        cadre::player(recording, PlayerOptions::default()).unwrap()
    };
    let mut stepping = open();
    for round in 0..2 {
        while stepping.step(Direction::Forward).unwrap() {
            let mut direct = open();
            direct.before(stepping.tick());
            assert!(stepping.snapshot() == direct.snapshot(), "{round}: {}", stepping.tick());
        }
        stepping.before(0);
    }
    let divergences = stepping.timeline().divergences();
    let found: Vec<u64> = divergences.iter().map(|divergence| divergence.tick.0).collect();
    assert_eq!(stepping.findings().len(), found.len());
    assert!(found.contains(&changed.0), "{found:?}");
}
