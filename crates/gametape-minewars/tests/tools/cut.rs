//! A cut has what was asked for, knows what was known, and nothing else.

use std::collections::BTreeSet;

use gametape_minewars::{
    Coord, Dialect, Grid, ItemKind, Map, Messages, ReplayFile, Selection, Setup, Tile, TileKind,
    ViewState, WriteOptions, assemble_payload, cut, verify, write_file,
};
use gametape_minewars::{FrameWriter, Frames, Generation};
use gametape_wire::{ErrorClass, View, ViewSet};
use proptest::prelude::*;

use crate::support::{
    end_time, layout, one_frame, plain_setup, received, sample, state_hash, view, views,
};

fn times(setup: &Setup, frames: &[u8]) -> BTreeSet<u64> {
    Frames::new(layout(setup), frames).map(|frame| frame.unwrap().time()).collect()
}

#[test]
fn what_a_view_knows_is_the_same_in_the_cut() {
    for generation in Generation::ALL {
        for seed in 1..4 {
            let (setup, frames) = sample(generation, 250, seed);
            let times: Vec<u64> = times(&setup, &frames).into_iter().collect();
            for at in [1, times.len() / 3, times.len() / 2, times.len() - 1] {
                check_states(&setup, &frames, &times, times[at]);
                check_states(&setup, &frames, &times, times[at] - 1);
            }
        }
    }
}

/// Cuts from `from` on, for all views and for one, and compares states at several times.
fn check_states(setup: &Setup, frames: &[u8], times: &[u64], from: u64) {
    let everything = Selection::everything(setup);
    for kept in [everything.views, ViewSet::EMPTY.with(setup.max_view())] {
        let selection = everything.clone().with_views(kept).with_from(from);
        let part = cut(setup, frames, &selection).unwrap();
        assert!(part.losses.is_empty());
        assert_eq!(part.setup == *setup, part.hidden_items == 0);
        for at in times.iter().filter(|time| **time >= from).step_by(40).chain([&from]) {
            for who in kept.iter() {
                let original = state_hash(setup, &setup.map, frames, who, *at);
                let again = state_hash(setup, &part.setup.map, &part.frames, who, at - from);
                assert_eq!(original, again, "{} view {who} at {at}", setup.generation);
            }
        }
        let bytes = write_file(&part.setup, &part.frames, &WriteOptions::default());
        assert!(verify(&ReplayFile::open(&bytes.unwrap()).unwrap()).is_ok());
    }
}

#[test]
fn messages_in_the_range_stay_and_others_go() {
    for generation in Generation::ALL {
        let (setup, frames) = sample(generation, 200, 3);
        let (from, to) = (5_000, 20_000);
        let selection = Selection::everything(&setup).with_from(from).with_to(to);
        let part = cut(&setup, &frames, &selection).unwrap();
        for who in 0..=3 {
            let all = received(&setup, &frames, generation.into(), view(who));
            let wanted = all.into_iter().filter(|(time, _)| (from..to).contains(time));
            let wanted: Vec<_> = wanted.map(|(time, text)| (time - from, text)).collect();
            let kept = received(&part.setup, &part.frames, generation.into(), view(who));
            let rebuilt = kept.len() - wanted.len();
            assert_eq!(kept[rebuilt..], wanted);
            assert!(kept[..rebuilt].iter().all(|(time, _)| *time == 0));
        }
        assert_eq!(end_time(&part.setup, &part.frames), to - from);
    }
}

#[test]
fn cuts_side_by_side_have_every_frame_once() {
    let (setup, frames) = sample(Generation::Current, 200, 4);
    let all = received(&setup, &frames, Dialect::Current, view(1));
    let middle = all[all.len() / 2].0;
    let everything = Selection::everything(&setup);
    let first = cut(&setup, &frames, &everything.clone().with_to(middle)).unwrap();
    let second = cut(&setup, &frames, &everything.with_from(middle)).unwrap();
    let first = received(&setup, &first.frames, Dialect::Current, view(1));
    let second = received(&setup, &second.frames, Dialect::Current, view(1));
    assert_eq!(all[..first.len()], first);
    let late: Vec<_> =
        all[first.len()..].iter().map(|(time, text)| (time - middle, text.clone())).collect();
    assert!(second.ends_with(&late) && late.len() > 10);
}

#[test]
fn nothing_of_other_views_is_left() {
    let secret = |player: u8| [b"secret of ", &[b'0' + player][..], b"!"].concat();
    let chat = |player: u8| {
        let text = secret(player);
        [&[0x00, 0xF0 | player, 0x11, text.len() as u8][..], &text].concat()
    };
    for generation in Generation::ALL {
        let setup = plain_setup(generation);
        let mut out = FrameWriter::new(layout(&setup));
        let [zero, one, two] = [0, 1, 2].map(chat);
        for _ in 0..20 {
            out.heterogenous(5, &[(view(0), &zero), (view(1), &one), (view(2), &two)]).unwrap();
            out.homogenous(5, views(&[0, 2]), &[0x01]).unwrap();
        }
        let frames = out.into_bytes();
        for from in [0, 50] {
            let everything = Selection::everything(&setup);
            let selection = everything.with_views(views(&[1])).with_from(from);
            let part = cut(&setup, &frames, &selection).unwrap();
            let holds = |text: &[u8]| part.frames.windows(text.len()).any(|bytes| bytes == text);
            assert!(holds(&secret(1)) && !holds(&secret(0)) && !holds(&secret(2)));
            assert!(received(&setup, &part.frames, generation.into(), view(2)).is_empty());
            // Not even when the others' last message came.
            assert_eq!(end_time(&setup, &part.frames), 195 - from);
        }
    }
}

#[test]
fn items_of_the_map_are_the_spectators() {
    let (setup, frames) = sample(Generation::Current, 20, 2);
    let item_count = setup.map.tiles().filter(|(_, tile)| tile.item.code() != 0).count();
    assert!(item_count > 0);
    let hidden = |numbers: &[u8]| {
        let selection = Selection::everything(&setup).with_views(views(numbers));
        let part = cut(&setup, &frames, &selection).unwrap();
        let left = part.setup.map.tiles().filter(|(_, tile)| tile.item.code() != 0).count();
        assert_eq!(left + part.hidden_items, item_count);
        part.hidden_items
    };
    assert_eq!(hidden(&[0, 1]), 0);
    assert_eq!(hidden(&[1, 2]), item_count);
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let setup = plain_setup(Generation::Current);
    let frames = one_frame(&setup, &[0], &[0x01]);
    let everything = Selection::everything(&setup);
    let wrong = [
        everything.clone().with_views(views(&[])),
        everything.clone().with_views(views(&[3])),
        everything.clone().with_from(5).with_to(5),
        everything.clone().with_from(11),
    ];
    for selection in wrong {
        let error = cut(&setup, &frames, &selection).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Misuse, "{selection:?}");
    }
    let last = cut(&setup, &frames, &everything.with_from(10)).unwrap();
    assert_eq!(last.frames, [0x80, 0, 1, 0, 0x01]);
}

#[test]
fn a_frame_that_is_cut_short_is_told() {
    let setup = plain_setup(Generation::Current);
    let frames = [&one_frame(&setup, &[0], &[0x01])[..], &[0x80]].concat();
    let part = cut(&setup, &frames, &Selection::everything(&setup)).unwrap();
    assert_eq!(part.losses.count(gametape_minewars::Loss::CutFrame), 1);
    assert_eq!(part.frames, frames[..frames.len() - 1]);
}

/// Messages of all kinds on a small map with clusters, for one view.
fn hostile_payload() -> impl Strategy<Value = Vec<u8>> {
    let coord = || (-3i8..=3, -3i8..=3).prop_map(|(y, x)| [y as u8, x as u8]);
    let byte = prop_oneof![0u8..6, any::<u8>()];
    let hill = || prop::sample::select(vec![[0, 0], [0, 1], [1, 1], [0xFD, 0xFD], [2, 0xFF]]);
    let message = prop_oneof![
        // Changes of ground, owners and digits: what acts on each other.
        6 => (0x70u8..0x78, coord()).prop_map(|(op, c)| vec![op, c[0], c[1]]),
        6 => (0x81u8..0x84, coord()).prop_map(|(op, c)| vec![op, c[0], c[1]]),
        6 => (0x60u8..0x70, coord()).prop_map(|(op, c)| vec![op, c[0], c[1]]),
        1 => (1u8..4).prop_map(|player| vec![0x00, 0xF0 | player, 0x08]),
        // The same on mountains and forest, whose tiles leave their cluster and come back.
        9 => (prop::sample::select(vec![0x70, 0x72, 0x73, 0x81, 0x82, 0x61]), hill())
            .prop_map(|(op, c)| vec![op, c[0], c[1]]),
        // Anything else, in the current generation's numbers.
        4 => (0u8..0x80, coord(), prop::collection::vec(byte, 8))
            .prop_map(|(op, c, rest)| [&[op, c[0], c[1]][..], &rest].concat()),
        2 => (0u8..0x12, 0u8..4, prop::collection::vec(0u8..3, 6))
            .prop_map(|(update, who, rest)| [&[0x00, who, update][..], &rest].concat()),
    ];
    prop::collection::vec(message, 0..60).prop_map(|messages| messages.concat())
}

/// Land with a mountain of three tiles, one of one tile, and a forest.
fn hilly_map() -> Map {
    let tile = |kind| Tile { kind, item: ItemKind::None };
    let mut map = Map::new(Grid::Square, 3, tile(TileKind::Regular)).unwrap();
    for (y, x) in [(0, 0), (0, 1), (1, 1), (-3, -3)] {
        map.set(Coord::new(y, x), tile(TileKind::Mountain)).unwrap();
    }
    for (y, x) in [(2, -1), (2, -2), (-1, -1)] {
        map.set(Coord::new(y, x), tile(TileKind::Forest)).unwrap();
    }
    map
}

fn apply(state: &mut ViewState, payload: &[u8], dialect: Dialect) {
    let mut rest = payload;
    while !rest.is_empty() {
        let mut messages = Messages::new(rest, 0, dialect);
        for message in messages.by_ref().flatten() {
            let _ = state.apply(&message);
        }
        // Past a byte that means nothing, to reach more of the others.
        rest = messages.rest().get(1..).unwrap_or_default();
    }
}

fn check_rebuild(generation: Generation, who: View, payload: &[u8]) {
    let start = ViewState::new(&hilly_map(), who, generation);
    let mut state = start.clone();
    apply(&mut state, payload, generation.into());
    assert_rebuilds(&start, &state);
}

fn assert_rebuilds(start: &ViewState, state: &ViewState) {
    let rebuilt = state.rebuild_from(start).unwrap();
    let mut again = start.clone();
    for message in Messages::new(&rebuilt, 0, state.generation().into()) {
        again.apply(&message.unwrap()).unwrap();
    }
    assert_eq!(again.to_bytes(), state.to_bytes());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn every_state_that_messages_lead_to_can_be_rebuilt(
        payload in hostile_payload(),
        who in 0u8..4,
        current in any::<bool>(),
    ) {
        let generation = if current { Generation::Current } else { Generation::V01 };
        check_rebuild(generation, view(who), &payload);
    }
}

/// Every state that ground, owners, digits and eliminations lead to, on maps so small that all of
/// them can be visited.
#[test]
fn every_state_of_a_small_world_can_be_rebuilt() {
    // A mountain of two tiles; two mountains; both.
    let ridge: &[(i8, i8)] = &[(0, 0), (0, 1)];
    let hills: &[(i8, i8)] = &[(0, -1), (0, 1)];
    let both: &[(i8, i8)] = &[(-1, 0), (-1, 1), (1, 0)];
    let worlds: [(_, &[u8], _, _); 4] = [
        (ridge, &[1, 2, 3], 1, Generation::Current),
        (hills, &[1, 2, 3], 1, Generation::V01),
        (both, &[1, 2], 1, Generation::Current),
        (ridge, &[1, 2], 0, Generation::V01),
    ];
    for (mountains, players, who, generation) in worlds {
        let start = ViewState::new(&small_map(mountains), view(who), generation);
        let count = visit_states(&start, &land_messages(mountains, players, generation));
        assert!(count > 500, "{count} states only");
    }
}

fn small_map(mountains: &[(i8, i8)]) -> Map {
    let tile = |kind| Tile { kind, item: ItemKind::None };
    let mut map = Map::new(Grid::Hex, 1, tile(TileKind::Regular)).unwrap();
    for &(y, x) in mountains {
        map.set(Coord::new(y, x), tile(TileKind::Mountain)).unwrap();
    }
    map
}

/// Everything that can happen to the mountains and to whom they belong.
fn land_messages(
    mountains: &[(i8, i8)],
    players: &[u8],
    generation: Generation,
) -> Vec<(Vec<u8>, Dialect)> {
    let mut lines = Vec::new();
    for (y, x) in mountains {
        lines.push(format!("TILE {y},{x} water"));
        lines.push(format!("TILE {y},{x} mountain"));
        lines.push(format!("DIGITS 1/{y},{x}"));
        lines.extend(players.iter().map(|player| format!("OWNER {player} {y},{x}")));
    }
    lines.extend(players.iter().map(|player| format!("PLAYER {player} ELIMINATE")));
    let dialect = Dialect::from(generation);
    lines.iter().map(|line| (assemble_payload(line, dialect).unwrap().0, dialect)).collect()
}

/// Rebuilds every state that the messages lead to, and returns how many there are.
fn visit_states(start: &ViewState, steps: &[(Vec<u8>, Dialect)]) -> usize {
    let mut known = BTreeSet::from([start.to_bytes()]);
    let mut open = vec![start.clone()];
    while let Some(state) = open.pop() {
        assert_rebuilds(start, &state);
        for (payload, dialect) in steps {
            let mut next = state.clone();
            apply(&mut next, payload, *dialect);
            if known.insert(next.to_bytes()) {
                open.push(next);
            }
        }
    }
    known.len()
}

/// The corpus file whose cut was refused: a player's digit on a mountain that is nobody's.
#[test]
fn a_digit_on_a_mountain_can_be_cut() {
    let Some(corpus) = std::env::var_os("GAMETAPE_CORPUS") else {
        return eprintln!("skipped: GAMETAPE_CORPUS is not set");
    };
    let path = std::path::Path::new(&corpus).join("hostile/digit-on-mountain.minewars");
    let bytes = std::fs::read(path).unwrap();
    let file = ReplayFile::open(&bytes).unwrap();
    let (setup, frames) = (file.setup().to_setup().unwrap(), file.frames().unwrap().bytes);
    let times: Vec<u64> = times(&setup, &frames).into_iter().collect();
    for from in
        times.iter().flat_map(|time| [*time, time.saturating_sub(1)]).filter(|from| *from > 0)
    {
        check_states(&setup, &frames, &times, from);
    }
}

#[test]
fn a_state_of_another_map_or_view_cannot_be_rebuilt_from() {
    let map = hilly_map();
    let state = ViewState::new(&map, view(1), Generation::Current);
    let other = ViewState::new(&map, view(2), Generation::Current);
    assert!(state.rebuild_from(&other).is_err());
    let flat = ViewState::new(&plain_setup(Generation::Current).map, view(1), Generation::Current);
    assert!(state.rebuild_from(&flat).is_err());
    assert_eq!(state.rebuild_from(&state).unwrap(), []);
}
