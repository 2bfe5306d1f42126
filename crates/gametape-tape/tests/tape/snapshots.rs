//! Snapshots, deltas, keyframes.

use std::collections::BTreeMap;

use crate::common::*;
use gametape_tape::{
    Cadence, CellPos, ChunkKind, DeltaSnapshot, Keyframe, KeyframeMaker, Level, Restorer,
    SimSnapshot, Tape, TapeWriter, UnitTag, verify_bytes,
};
use gametape_wire::{ErrorClass, Tick, ViewSet};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;

fn value() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..4)
}

/// Rows with few different keys, so that two tables have some in common.
fn rows<K: Ord + std::fmt::Debug>(
    key: impl Strategy<Value = K>,
    slots: u8,
) -> impl Strategy<Value = BTreeMap<K, BTreeMap<u8, Vec<u8>>>> {
    btree_map(key, btree_map(0..slots, value(), 0..4), 0..6)
}

fn tag() -> impl Strategy<Value = UnitTag> {
    (0..4u16, 0..2u16).prop_map(|(index, generation)| UnitTag { index, generation })
}

fn cell() -> impl Strategy<Value = CellPos> {
    let near = prop_oneof![-2..3i32, Just(i32::MIN), Just(i32::MAX)];
    (near.clone(), near.clone(), near).prop_map(|(x, y, z)| CellPos { x, y, z })
}

prop_compose! {
    fn any_state()(
        seed in 0..3u64,
        random in value(),
        strings in 0..5usize,
        entities in rows(tag(), 64),
        players in rows(0..4u8, 32),
        cells in btree_map(cell(), value(), 0..6),
        sections in btree_map("[a-c]{0,2}", value(), 0..4),
        campaign in option::of(value()),
        script in option::of(value()),
    ) -> SimSnapshot {
        let mut state = SimSnapshot { campaign_state: campaign, script_state: script, ..Default::default() };
        let core = &mut state.core;
        core.seed = seed;
        core.map_hash = [seed as u8; 32];
        core.random_state = random;
        core.intern_table.entries = (0..strings).map(|n| format!("s{n}")).collect();
        for (key, slots) in entities {
            core.entities.push(key, &borrowed(&slots)).unwrap();
        }
        for (key, slots) in players {
            core.players.push(key, &borrowed(&slots)).unwrap();
        }
        for (key, value) in cells {
            core.map.push(key, &value).unwrap();
        }
        for (key, value) in sections {
            core.sections.push(key, &value).unwrap();
        }
        state
    }
}

fn borrowed(slots: &BTreeMap<u8, Vec<u8>>) -> Vec<(u8, &[u8])> {
    slots.iter().map(|(&slot, value)| (slot, &value[..])).collect()
}

/// Two states of one match: strings only ever come in addition.
fn two_states() -> impl Strategy<Value = (SimSnapshot, SimSnapshot)> {
    (any_state(), any_state(), 0..1000u64).prop_map(|(old, mut new, ticks)| {
        let (a, b) = (&old.core.intern_table, &mut new.core.intern_table);
        if b.entries.len() < a.entries.len() {
            *b = a.clone();
        }
        new.core.tick = Tick(ticks);
        (old, new)
    })
}

proptest! {
    #[test]
    fn a_snapshot_comes_back(state in any_state()) {
        let bytes = state.to_bytes();
        let read = SimSnapshot::read(&bytes).unwrap();
        prop_assert_eq!(read.to_bytes(), bytes);
        prop_assert_eq!(read, state);
    }

    #[test]
    fn full_and_delta_make_the_snapshot((old, new) in two_states()) {
        let delta = DeltaSnapshot::between(&old, &new).unwrap();
        let read = DeltaSnapshot::read(&delta.to_bytes()).unwrap();
        prop_assert_eq!(&read, &delta);
        let mut restored = SimSnapshot::read(&old.to_bytes()).unwrap();
        restored.apply(&read).unwrap();
        prop_assert_eq!(restored.state_hash(), new.state_hash());
        prop_assert_eq!(restored, new);
    }

    #[test]
    fn equal_states_give_empty_deltas(state in any_state()) {
        let delta = DeltaSnapshot::between(&state, &state).unwrap();
        prop_assert_eq!(delta.to_bytes().len(), 1 + 8 + 32 + 8 + 32 + 10);
    }

    #[test]
    fn only_canonical_bytes_are_read(state in any_state(), at in any::<prop::sample::Index>(), xor in 1..=255u8) {
        let mut bytes = state.to_bytes();
        let at = at.index(bytes.len());
        bytes[at] ^= xor;
        if let Ok(other) = SimSnapshot::read(&bytes) {
            prop_assert_eq!(other.to_bytes(), bytes);
        }
    }

    #[test]
    fn only_canonical_deltas_are_read(
        (old, new) in two_states(),
        at in any::<prop::sample::Index>(),
        xor in 1..=255u8,
    ) {
        let mut bytes = DeltaSnapshot::between(&old, &new).unwrap().to_bytes();
        let at = at.index(bytes.len());
        bytes[at] ^= xor;
        if let Ok(other) = DeltaSnapshot::read(&bytes) {
            prop_assert_eq!(other.to_bytes(), bytes);
            let mut state = old.clone();
            if state.apply(&other).is_err() {
                prop_assert_eq!(state, old);
            } else {
                prop_assert_eq!(state.state_hash(), new.state_hash());
            }
        }
    }
}

#[test]
fn a_delta_on_the_wrong_baseline_is_refused_and_changes_nothing() {
    let delta = DeltaSnapshot::between(&state(0), &state(300)).unwrap();
    let mut branch = state(0);
    branch.core.random_state.push(1);
    for mut wrong in [branch, state(1), state(300)] {
        let before = wrong.clone();
        assert_eq!(wrong.apply(&delta).unwrap_err().class(), ErrorClass::Misuse);
        assert_eq!(wrong, before);
    }
    let mut right = state(0);
    right.apply(&delta).unwrap();
    assert_eq!(right, state(300));
}

#[test]
fn a_delta_that_lies_is_refused_and_changes_nothing() {
    type Lie = fn(&mut DeltaSnapshot);
    let lies: [Lie; 6] = [
        |delta| delta.core.state_hash[0] ^= 1,
        |delta| delta.core.changed_entities[0].is_new = true,
        |delta| delta.core.changed_entities[0].entity.index = 999,
        |delta| delta.core.changed_entities[0].removed_mask = 1 << 50,
        |delta| delta.core.changed_sections.push(("none".into(), None)),
        |delta| delta.core.intern_table_delta.as_mut().unwrap().start_id += 1,
    ];
    for lie in lies {
        let mut delta = DeltaSnapshot::between(&state(0), &state(600)).unwrap();
        lie(&mut delta);
        let mut right = state(0);
        assert!(right.apply(&delta).is_err());
        assert_eq!(right, state(0));
    }
}

#[test]
fn changes_that_contradict_themselves_are_not_read() {
    let tag = UnitTag { index: 1, generation: 0 };
    let state = |slots: &[&[(u8, &[u8])]]| {
        let mut state = SimSnapshot::default();
        slots.iter().for_each(|slots| state.core.entities.push(tag, slots).unwrap());
        state
    };
    let (old, changed) = (state(&[&[(0, b"x"), (1, b"y")]]), state(&[&[(0, b"z"), (1, b"y")]]));
    // Whether it is new or removed, and masks of what changed and what was removed.
    let read = |new: &SimSnapshot, is_new, is_removed, change_mask: u64, removed_mask| {
        let mut delta = DeltaSnapshot::between(&old, new).unwrap();
        let row = &mut delta.core.changed_entities[0];
        (row.is_new, row.is_removed) = (is_new, is_removed);
        (row.change_mask, row.removed_mask) = (change_mask, removed_mask);
        row.changed_components = [1, b'z'].repeat(change_mask.count_ones() as usize);
        DeltaSnapshot::read(&delta.to_bytes()).map(|read| assert_eq!(read, delta))
    };
    for (change, remove, fits) in
        [(1, 0, true), (0, 2, true), (1, 2, true), (0, 0, false), (1, 1, false)]
    {
        assert_eq!(read(&changed, false, false, change, remove).is_ok(), fits, "{change} {remove}");
    }
    for (change, remove, fits) in [(1, 0, true), (0, 0, true), (0, 1, false), (1, 2, false)] {
        assert_eq!(read(&changed, true, false, change, remove).is_ok(), fits, "{change} {remove}");
    }
    for (change, remove, fits) in [(0, 0, true), (1, 0, false), (0, 1, false), (1, 1, false)] {
        assert_eq!(
            read(&state(&[]), false, true, change, remove).is_ok(),
            fits,
            "{change} {remove}"
        );
    }
}

#[test]
fn tables_refuse_what_is_not_canonical() {
    let mut state = SimSnapshot::default();
    let tag = |index| UnitTag { index, generation: 0 };
    state.core.entities.push(tag(5), &[(0, b"x"), (63, b"y")]).unwrap();
    assert!(state.core.entities.push(tag(5), &[]).is_err(), "twice");
    assert!(state.core.entities.push(tag(4), &[]).is_err(), "descending");
    assert!(state.core.entities.push(tag(6), &[(1, b"x"), (1, b"y")]).is_err(), "slot twice");
    assert!(state.core.entities.push(tag(6), &[(64, b"x")]).is_err(), "no such slot");
    assert!(state.core.players.push(1, &[(32, b"x")]).is_err(), "no such slot");
    let row = state.core.entities.get(&tag(5)).unwrap();
    assert_eq!(row.slots().collect::<Vec<_>>(), [(0, &b"x"[..]), (63, b"y")]);
    assert_eq!(state.core.entities.len(), 1);
    let at = |x| CellPos { x, y: 0, z: 0 };
    assert_eq!((state.core.map.is_empty(), state.core.map.len()), (true, 0));
    state.core.map.push(at(3), b"x").unwrap();
    assert!(!state.core.map.is_empty() && state.core.map.len() == 1);
    assert!(state.core.map.push(at(3), b"x").is_err(), "twice");
    assert!(state.core.map.push(at(2), b"x").is_err(), "descending");
}

#[test]
fn the_cadence_is_kept() {
    let mut maker = KeyframeMaker::default();
    let made: Vec<Keyframe> =
        (0..9000).filter_map(|tick| maker.at(Tick(tick), || state(tick))).collect();
    assert_eq!(made.len(), 30);
    for (number, keyframe) in made.iter().enumerate() {
        assert_eq!(keyframe.tick, Tick(number as u64 * 300));
        assert_eq!(keyframe.is_full(), number % 10 == 0, "keyframe {number}");
        let full = number as u64 / 10 * 3000;
        assert_eq!(keyframe.baseline_tick, (number % 10 != 0).then_some(Tick(full)));
    }
}

#[test]
fn a_keyframe_is_full_when_it_must_be() {
    let mut maker = KeyframeMaker::new(Cadence::every(10));
    assert!(maker.make(state(0)).is_full(), "the first");
    assert!(!maker.make(state(10)).is_full());
    maker.lost();
    assert!(maker.make(state(20)).is_full(), "after a lost one");
    maker.skip(Tick(30));
    assert!(!maker.is_due(Tick(39)) && maker.is_due(Tick(40)));
    assert!(maker.make(state(40)).is_full(), "after one that was left out");
    let mut renamed = state(50);
    renamed.core.intern_table.entries[0] = "other".into();
    assert!(maker.make(renamed).is_full(), "strings that changed");
    let mut other = state(60);
    other.core.sections = SimSnapshot::default().core.sections;
    other.core.sections.push("noise".into(), &[9; 5000]).unwrap();
    other.core.intern_table.entries[0] = "other".into();
    assert!(maker.make(other).is_full(), "a delta that is not worth it");
}

#[test]
fn any_tick_is_one_full_keyframe_and_one_delta_away() {
    let bytes = sample(6500);
    let tape = Tape::open(&bytes).unwrap();
    for tick in (0..6500).step_by(77) {
        let plan = tape.keyframes.plan(Tick(tick), |_| true).unwrap();
        assert!(plan.len() <= 2);
        let restored = tape.restore(&bytes, Tick(tick), |_| true).unwrap().unwrap();
        assert_eq!(restored.to_bytes(), state(tick / 300 * 300).to_bytes());
    }
}

/// A tape with a full keyframe and deltas that each build on the one before.
fn chained(deltas: u64) -> Vec<u8> {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    tape.keyframe(0, ViewSet::EMPTY, &Keyframe::full(&state(0))).unwrap();
    for number in 1..=deltas {
        let delta = DeltaSnapshot::between(&state(number * 10 - 10), &state(number * 10)).unwrap();
        tape.keyframe(0, ViewSet::EMPTY, &Keyframe::delta(&delta)).unwrap();
    }
    finished(tape)
}

#[test]
fn a_chain_of_nine_deltas_is_followed_and_no_longer_one() {
    let bytes = chained(12);
    let tape = Tape::open(&bytes).unwrap();
    assert_eq!(tape.keyframes.plan(Tick(90), |_| true).unwrap().len(), 10);
    let restored = tape.restore(&bytes, Tick(90), |_| true).unwrap();
    assert_eq!(restored, Some(state(90)));
    // What would take ten deltas is played from where nine lead to.
    assert_eq!(tape.restore(&bytes, Tick(125), |_| true).unwrap(), Some(state(90)));
}

#[test]
fn verifying_says_which_delta_of_a_chain_is_one_too_many() {
    assert!(verify_bytes(&chained(9), Level::Structure, None).unwrap().passed());
    let report = verify_bytes(&chained(10), Level::Structure, None).unwrap();
    let said: Vec<String> = report.findings().iter().map(ToString::to_string).collect();
    let expected =
        "delta keyframe: it is delta 10 after its full keyframe: at most 9 may follow each other";
    assert!(said.len() == 1 && said[0].contains(expected), "{said:?}");
}

#[test]
fn a_lost_baseline_costs_only_its_deltas() {
    let mut bytes = sample(6500);
    let tape = Tape::open(&bytes).unwrap();
    let second_full = tape.stream(ChunkKind::FULL_KEYFRAME, 0).nth(1).unwrap();
    bytes[second_full.offset as usize + 60] ^= 1;
    let cut = &bytes[..bytes.len() - 1];
    let tape = Tape::open(cut).unwrap();
    let restored = tape.restore(cut, Tick(4000), |_| true).unwrap().unwrap();
    assert_eq!(restored, state(2700));
    assert_eq!(tape.restore(cut, Tick(6100), |_| true).unwrap(), Some(state(6000)));
}

#[test]
fn keyframes_of_several_streams_and_views_stay_apart() {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    let mut own = SimSnapshot::default();
    own.core.seed = 7;
    tape.keyframe(0, ViewSet::EMPTY, &Keyframe::full(&state(0))).unwrap();
    tape.keyframe(1, views(&[2]), &Keyframe::full(&own)).unwrap();
    let bytes = finished(tape);
    let tape = Tape::open(&bytes).unwrap();
    let of_view = tape.restore(&bytes, Tick(9), |entry| entry.views.contains(view(2))).unwrap();
    assert_eq!(of_view, Some(own));
    assert_eq!(tape.restore(&bytes, Tick(9), |entry| entry.stream == 0).unwrap(), Some(state(0)));
    assert_eq!(tape.restore(&bytes, Tick(9), |entry| entry.stream == 2).unwrap(), None);
}

#[test]
fn a_restorer_refuses_what_does_not_fit_and_keeps_its_state() {
    let bytes = chained(2);
    let tape = Tape::open(&bytes).unwrap();
    let chunk = |number: usize| tape.read(&tape.chunks[number], &bytes).unwrap();
    let mut restorer = Restorer::default();
    assert!(restorer.add(&chunk(2)).is_err(), "no baseline yet");
    restorer.add(&chunk(1)).unwrap();
    assert!(restorer.add(&chunk(3)).is_err(), "its baseline is between them");
    assert!(restorer.add(&chunk(0)).is_err(), "not a keyframe");
    assert_eq!(restorer.state(), Some(&state(0)));
    restorer.add(&chunk(2)).unwrap();
    restorer.add(&chunk(3)).unwrap();
    assert_eq!(restorer.into_state(), Some(state(20)));
}

/// A tape whose second keyframe is a delta that announces the hash of another state.
fn announcing_another_hash() -> Vec<u8> {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    tape.keyframe(0, ViewSet::EMPTY, &Keyframe::full(&state(0))).unwrap();
    let mut delta = DeltaSnapshot::between(&state(0), &state(10)).unwrap();
    delta.core.state_hash = state(20).state_hash();
    tape.keyframe(0, ViewSet::EMPTY, &Keyframe::delta(&delta)).unwrap();
    let delta = DeltaSnapshot::between(&state(10), &state(20)).unwrap();
    tape.keyframe(0, ViewSet::EMPTY, &Keyframe::delta(&delta)).unwrap();
    finished(tape)
}

#[test]
fn a_verifying_restorer_computes_what_others_trust() {
    let bytes = announcing_another_hash();
    let tape = Tape::open(&bytes).unwrap();
    let chunk = |number: usize| tape.read(&tape.chunks[number], &bytes).unwrap();
    let mut verifying = Restorer::verifying();
    verifying.add(&chunk(1)).unwrap();
    assert_eq!(verifying.add(&chunk(2)).unwrap_err().class(), ErrorClass::Integrity);
    assert_eq!(verifying.state(), Some(&state(0)));
    let mut trusting = Restorer::default();
    trusting.add(&chunk(1)).unwrap();
    trusting.add(&chunk(2)).unwrap();
    assert_eq!(trusting.state(), Some(&state(10)));
    // Hashes that two deltas state must fit all the same.
    assert_eq!(trusting.add(&chunk(3)).unwrap_err().class(), ErrorClass::Misuse);
    assert_eq!(trusting.state(), Some(&state(10)));
}

#[test]
fn a_delta_that_names_another_baseline_fails_the_structure() {
    let report = verify_bytes(&announcing_another_hash(), Level::Structure, None).unwrap();
    let offsets: Vec<_> = report.findings().iter().map(|finding| finding.error.offset()).collect();
    let tape = Tape::open(&announcing_another_hash()).unwrap();
    assert_eq!(offsets, [Some(tape.chunks[3].offset)]);

    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    tape.keyframe(0, ViewSet::EMPTY, &Keyframe::full(&state(0))).unwrap();
    let mut delta = DeltaSnapshot::between(&state(0), &state(10)).unwrap();
    delta.core.baseline_hash[0] ^= 1;
    tape.keyframe(0, ViewSet::EMPTY, &Keyframe::delta(&delta)).unwrap();
    let report = verify_bytes(&finished(tape), Level::Structure, None).unwrap();
    assert_eq!(report.findings().len(), 1);

    // A baseline that is not there is an error, unless the tape declares the loss.
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    tape.keyframe(0, ViewSet::EMPTY, &Keyframe::delta(&delta)).unwrap();
    let declared =
        |tape: TapeWriter| verify_bytes(&finished(tape), Level::Structure, None).unwrap();
    let report = declared(tape);
    let text = report.findings()[0].error.to_string();
    assert!(
        text.starts_with("tick 10, chunk 1: delta keyframe: its baseline, of tick 0,"),
        "{text}"
    );
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    tape.keyframe(0, ViewSet::EMPTY, &Keyframe::delta(&delta)).unwrap();
    let gap = gametape_tape::Gap::new(
        gametape_tape::GapCause::DAMAGE,
        gametape_tape::ChunkKind::FULL_KEYFRAME,
    );
    let gap = gap.with_size(1, 0).with_views(ViewSet::EMPTY);
    tape.gap(&gap).unwrap();
    let report = declared(tape);
    assert!(report.passed(), "{:?}", report.findings());
    let warned: Vec<String> = report.findings().iter().map(ToString::to_string).collect();
    assert!(
        warned[0].contains("lost to damage: full keyframe of stream 0, at tick 0"),
        "{warned:?}"
    );
    assert!(warned[1].contains("its baseline, of tick 0, is lost"), "{warned:?}");
}

#[test]
fn a_delta_of_another_stream_or_tape_is_refused() {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    let delta = Keyframe::delta(&DeltaSnapshot::between(&state(0), &state(10)).unwrap());
    tape.keyframe(0, ViewSet::EMPTY, &Keyframe::full(&state(0))).unwrap();
    tape.keyframe(1, ViewSet::EMPTY, &delta).unwrap();
    tape.keyframe(0, views(&[1]), &delta).unwrap();
    let bytes = finished(tape);
    let tape = Tape::open(&bytes).unwrap();
    let chunk = |number: usize| tape.read(&tape.chunks[number], &bytes).unwrap();
    let mut restorer = Restorer::default();
    restorer.add(&chunk(1)).unwrap();
    assert!(restorer.add(&chunk(2)).is_err(), "another stream");
    assert!(restorer.add(&chunk(3)).is_err(), "another view");
    let other = chained(1);
    let other_tape = Tape::open(&other).unwrap();
    let mut foreign = other_tape.read(&other_tape.chunks[2], &other).unwrap();
    foreign.header.tape_id ^= 1;
    assert!(restorer.add(&foreign).is_err(), "another tape");
    assert_eq!(restorer.state(), Some(&state(0)));
}
