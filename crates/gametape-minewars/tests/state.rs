//! What a view knows: the rules of `spec/minewars-state.md`, one by one.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails is a test that fails")]

use gametape_minewars::sample::Sample;
use gametape_minewars::{
    Coord, Dialect, Digit, FlagState, Grid, ItemKind, Map, Messages, Pending, StructureKind, Tile,
    TileKind, ViewState, assemble_payload,
};
use gametape_minewars::{FrameLayout, Frames, Generation};
use gametape_wire::View;

const CURRENT: Generation = Generation::Current;

/// Regular land of radius 3, with a ridge of mountains at (0,-1) (0,0) (0,1), and one apart.
fn map() -> Map {
    let land = Tile { kind: TileKind::Regular, item: ItemKind::None };
    let mountain = Tile { kind: TileKind::Mountain, ..land };
    let mut map = Map::new(Grid::Hex, 3, land).unwrap();
    for x in -1..=1 {
        map.set(Coord::new(0, x), mountain).unwrap();
    }
    map.set(Coord::new(3, 0), mountain).unwrap();
    map
}

fn state_of(view: u8, generation: Generation) -> ViewState {
    ViewState::new(&map(), View::new(view).unwrap(), generation)
}

/// Applies assembly text.
fn apply(state: &mut ViewState, text: &str, generation: Generation) {
    let (payload, _) = assemble_payload(text, generation.into()).unwrap();
    for message in Messages::new(&payload, 0, generation.into()) {
        state.apply(&message.unwrap()).unwrap();
    }
}

fn state_after(view: u8, text: &str) -> ViewState {
    let mut state = state_of(view, CURRENT);
    apply(&mut state, text, CURRENT);
    state
}

fn owner(state: &ViewState, y: i8, x: i8) -> u8 {
    state.tile(Coord::new(y, x)).unwrap().owner
}

#[test]
fn what_is_being_built_takes_memory() {
    let idle = state_of(1, CURRENT);
    let built = state_after(1, "BUILDNEW 1,0 tower 300\nBUILDNEW 1,1 wall 100");
    assert!(built.memory() > idle.memory(), "{} and {}", built.memory(), idle.memory());
}

#[test]
fn the_canonical_bytes_are_as_specified() {
    let land = Tile { kind: TileKind::Regular, item: ItemKind::None };
    let map = Map::new(Grid::Hex, 0, land).unwrap();
    let state = ViewState::new(&map, View::SPECTATOR, CURRENT);
    let expected =
        [&[0x56, 0x53, 1][..], &[0, 1, 0, 0], &[6, 0, 0, 0, 0, 0, 0, 0], &[0; 16], &[0]].concat();
    assert_eq!(state.to_bytes(), expected);
}

#[test]
fn only_the_spectator_knows_the_items_of_the_setup() {
    let mut map = map();
    let mine = Tile { kind: TileKind::Regular, item: ItemKind::Mine };
    map.set(Coord::new(1, 0), mine).unwrap();
    let item = |view| {
        let state = ViewState::new(&map, View::new(view).unwrap(), CURRENT);
        state.tile(Coord::new(1, 0)).unwrap().item
    };
    assert_eq!([item(0), item(1)], [ItemKind::Mine, ItemKind::None]);
}

#[test]
fn an_owner_takes_the_whole_cluster_and_only_that() {
    let state = state_after(0, "OWNER 2 0,1");
    for x in -1..=1 {
        assert_eq!(owner(&state, 0, x), 2);
    }
    assert_eq!(owner(&state, 3, 0), 0);
    assert_eq!(owner(&state, 1, 0), 0);
}

#[test]
fn a_tile_leaves_its_cluster_with_its_owner_and_comes_back() {
    let state = state_after(0, "OWNER 2 0,0\nTILE 0,0 destroyed\nOWNER 3 0,1");
    assert_eq!([owner(&state, 0, -1), owner(&state, 0, 0), owner(&state, 0, 1)], [3, 2, 3]);
    let back = state_after(0, "OWNER 2 0,0\nTILE 0,0 destroyed\nOWNER 3 0,1\nTILE 0,0 mountain");
    assert_eq!(owner(&back, 0, 0), 3);
}

#[test]
fn digits_capture_for_a_player_but_not_for_the_spectator() {
    let digit = Some(Digit { value: 3, asterisk: true });
    let player = state_after(2, "DIGITS 3*/1,0");
    let tile = player.tile(Coord::new(1, 0)).unwrap();
    assert_eq!((tile.owner, tile.digit), (2, digit));
    let spectator = state_after(0, "OWNER 1 1,0\nDIGITS 3*/1,0");
    let tile = spectator.tile(Coord::new(1, 0)).unwrap();
    assert_eq!((tile.owner, tile.digit), (1, digit));
}

#[test]
fn a_digit_goes_with_its_owner() {
    let state = state_after(2, "DIGITS 3/1,0\nOWNER 2 1,0");
    assert!(state.tile(Coord::new(1, 0)).unwrap().digit.is_some());
    let lost = state_after(2, "DIGITS 3/1,0\nOWNER 1 1,0");
    assert_eq!(lost.tile(Coord::new(1, 0)).unwrap().digit, None);
}

#[test]
fn an_explosion_destroys_the_ground_only_in_v01() {
    let mut v01 = state_of(0, Generation::V01);
    apply(&mut v01, "ITEM 1,0 mine\nEXPLODE 1,0", Generation::V01);
    let tile = v01.tile(Coord::new(1, 0)).unwrap();
    assert_eq!((tile.kind, tile.item), (TileKind::Destroyed, ItemKind::None));
    let current = state_after(0, "ITEM 1,0 mine\nEXPLODE 1,0");
    let tile = current.tile(Coord::new(1, 0)).unwrap();
    assert_eq!((tile.kind, tile.item), (TileKind::Regular, ItemKind::None));
}

#[test]
fn structures_are_built_damaged_and_gone() {
    let built = state_after(1, "BUILDNEW 1,0 tower 300\nBUILD 1,0 100 50");
    let pending = Pending { kind: Some(StructureKind::Tower), points: 300, current: 100, rate: 50 };
    assert_eq!(built.tile(Coord::new(1, 0)).unwrap().pending, Some(pending));
    let done = state_after(1, "BUILDNEW 1,0 tower 300\nSTRUCT 1,0 tower\nSTRUCTHP 1,0 6");
    let tile = done.tile(Coord::new(1, 0)).unwrap();
    assert_eq!((tile.structure, tile.hp, tile.pending), (Some(StructureKind::Tower), 6, None));
    let gone = state_after(1, "STRUCT 1,0 tower\nSTRUCTHP 1,0 6\nNOSTRUCT 1,0");
    assert_eq!(gone, state_of(1, CURRENT));
}

#[test]
fn flags_and_smoke_come_and_go() {
    let state = state_after(0, "FLAG 3 1,0\nSMOKE 1,0");
    let tile = state.tile(Coord::new(1, 0)).unwrap();
    assert_eq!((tile.flag, tile.smoke), (Some(FlagState::Of(3)), true));
    assert_eq!(
        state_after(0, "FLAG 3 1,0\nSMOKE 1,0\nFLAG 0 1,0\nUNSMOKE 1,0"),
        state_of(0, CURRENT)
    );
    let mut v01 = state_of(0, Generation::V01);
    apply(&mut v01, "FLAG 1,0", Generation::V01);
    assert_eq!(v01.tile(Coord::new(1, 0)).unwrap().flag, Some(FlagState::Unnamed));
}

#[test]
fn an_eliminated_players_land_is_nobodys() {
    let state = state_after(0, "OWNER 2 1,0 0,0\nOWNER 1 2,0\nDIGITS 1/1,0\nPLAYER 2 ELIMINATE");
    assert_eq!([owner(&state, 1, 0), owner(&state, 0, 0), owner(&state, 2, 0)], [0, 0, 1]);
    assert_eq!(state.tile(Coord::new(1, 0)).unwrap().digit, None);
    assert!(state.players().any(|(id, player)| id == 2 && player.eliminated));
}

#[test]
fn cities_players_votes_and_the_clock_are_kept() {
    let state = state_after(
        0,
        "CITINCOME 1 500 7\nCITTRANS 1 -300\nCITRES 1 40\nCITTRADE 1 50 25\nPLAYER 2 CITCAPTURE 1\n\
         PLAYER 3/1 JOIN \"Ana\"\nPLAYER 3/1 RTT 64\nPLAYER 3 LIVES 2\nPLAYER 3 TIMEOUT 5000\n\
         PLAYER 3/1 VOTENEW 9 \"draw\"\nPLAYER 2/0 VOTE 9 N\nPLAYER 0 TIMELIMIT 600",
    );
    let (id, city) = state.cities().next().unwrap();
    assert_eq!((id, city.owner, city.money, city.income), (1, 2, Some(200), Some(7)));
    assert_eq!((city.resources, city.trade), (Some(40), Some((50, 25))));
    let (id, player) = state.players().next().unwrap();
    assert_eq!((id, player.lives, player.timeout), (3, Some(2), Some(5000)));
    assert_eq!(player.clients.get(&1).unwrap().name, b"Ana");
    assert_eq!(player.clients.get(&1).unwrap().rtt, Some(64));
    let (id, vote) = state.votes().next().unwrap();
    assert_eq!((id, &vote.text[..], vote.ballots[&(2, 0)]), (9, &b"draw"[..], 0));
    assert_eq!(state.time_limit(), Some(600));
}

#[test]
fn a_tile_off_the_map_is_reported_and_the_rest_counts() {
    let mut state = state_of(0, CURRENT);
    let (payload, _) = assemble_payload("OWNER 1 9,9 1,0", Dialect::Current).unwrap();
    let message = Messages::new(&payload, 0, Dialect::Current).next().unwrap().unwrap();
    let error = state.apply(&message).unwrap_err();
    assert!(error.to_string().contains("9,9"), "{error}");
    assert_eq!(owner(&state, 1, 0), 1);
}

#[test]
fn every_state_of_a_session_comes_back_from_its_bytes() {
    for generation in Generation::ALL {
        for grid in Grid::ALL {
            let sample = Sample { grid, ..Sample::default() };
            let (setup, frames) = sample.build(generation).unwrap();
            let layout = FrameLayout::new(generation, setup.max_view()).unwrap();
            let start = ViewState::new(&setup.map, View::new(1).unwrap(), generation);
            let mut state = start.clone();
            let mut hashes = std::collections::BTreeSet::new();
            for frame in Frames::new(layout, &frames) {
                let Some(payload) = frame.unwrap().view(state.view()) else { continue };
                for message in Messages::new(payload, 0, generation.into()) {
                    state.apply(&message.unwrap()).unwrap();
                }
                let restored = start.restore(&state.to_bytes()).unwrap();
                assert_eq!(restored, state);
                assert_eq!(restored.hash(), state.hash());
                hashes.insert(state.hash());
            }
            assert!(hashes.len() > 100, "the session changes the state");
            assert!(state.changed_tiles(&start).unwrap().count() > 20);
        }
    }
}

#[test]
fn restoring_refuses_what_is_not_canonical() {
    let state = state_after(1, "PLAYER 3/1 JOIN \"Ana\"\nBUILDNEW 1,0 tower 300");
    let bytes = state.to_bytes();
    for end in 0..bytes.len() {
        assert!(state.restore(&bytes[..end]).is_err(), "{end}");
    }
    assert!(state.restore(&[&bytes[..], &[0]].concat()).is_err());
    let other = ViewState::new(
        &Map::new(Grid::Square, 3, Tile { kind: TileKind::Water, item: ItemKind::None }).unwrap(),
        View::SPECTATOR,
        CURRENT,
    );
    assert!(other.restore(&bytes).is_err());
}

/// Land of a radius with a mountain apart on every third tile of a row, so that there are many clusters.
fn ridges(radius: u8) -> Map {
    let land = Tile { kind: TileKind::Regular, item: ItemKind::None };
    let mut map = Map::new(Grid::Square, radius, land).unwrap();
    for x in (-3..=3).step_by(3) {
        map.set(Coord::new(0, x), Tile { kind: TileKind::Mountain, ..land }).unwrap();
    }
    map
}

/// What an elimination does follows from what is known, not from how it became known: a state that
/// comes back from its bytes does the same.
#[test]
fn eliminations_are_the_same_after_any_history() {
    let mut random = 7_u64;
    let mut next = |bound: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) % bound
    };
    let mut state = ViewState::new(&ridges(3), View::SPECTATOR, CURRENT);
    let blank = state.clone();
    for _ in 0..2000 {
        let (y, x) = (next(7) as i64 - 3, next(7) as i64 - 3);
        let text = match next(8) {
            0 => format!("PLAYER {} ELIMINATE", 1 + next(3)),
            1 => format!("TILE {y},{x} mountain"),
            2 => format!("TILE {y},{x} regular"),
            _ => format!("OWNER {} {y},{x}", 1 + next(3)),
        };
        let mut restored = blank.restore(&state.to_bytes()).unwrap();
        apply(&mut restored, &text, CURRENT);
        apply(&mut state, &text, CURRENT);
        assert_eq!(state.to_bytes(), restored.to_bytes(), "{text}");
    }
}

/// A message that takes and one that eliminates cost the same on a large map as on a small one.
#[test]
fn an_elimination_does_not_cost_a_look_at_the_whole_map() {
    let (payload, _) =
        assemble_payload("OWNER 2 1,0 0,0\nPLAYER 2 ELIMINATE", CURRENT.into()).unwrap();
    let cost = |radius: u8| {
        let mut state = ViewState::new(&ridges(radius), View::SPECTATOR, CURRENT);
        let mut turn = || {
            for message in Messages::new(&payload, 0, CURRENT.into()) {
                state.apply(&message.unwrap()).unwrap();
            }
        };
        // The first one looks at the map.
        turn();
        let start = std::time::Instant::now();
        (0..200).for_each(|_| turn());
        start.elapsed()
    };
    let least = |radius: u8| (0..5).map(|_| cost(radius)).min().unwrap();
    let (small, large) = (least(3), least(127));
    // The map has a thousand times as many tiles.
    assert!(large < small * 20, "{small:?} {large:?}");
}
