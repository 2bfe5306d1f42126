//! One match, four ways: simulated again from its orders, played from its tape, exported to MineWars
//! files of both generations, and as a gamelog, it is the same match at every tick.
//!
//! Each way is read into plain values by code of its own, so that no two ways share a mistake.
#![allow(clippy::unwrap_used, clippy::panic)]

mod gamelog;
mod views;
mod world;

use std::collections::BTreeMap;
use std::thread;

use gametape_cadre::{Log, Options};
use gametape_minewars::{Generation, Grid, ReplayFile, ViewState};
use gametape_replay::{
    DeepLevel, MinewarsTimeline, OpeningTape, Order, Playback, Player, PlayerOptions, Recording,
    Simulation, Timeline, TimelineOptions, minewars, streams,
};
use gametape_skirmish::{
    Command, Config, Match, Skirmish, Style, TICK_MS, Views, metadata, record_match,
};
use gametape_tape::{ChunkKind, SimSnapshot, TapeFrames, cut_bytes, pack_bytes};
use gametape_wire::{self as wire, Need, SansIo, Tick, View, ViewSet, When};

use views::{Seen, Words, differences};
use world::World;

/// A recorded match.
struct Recorded {
    config: Config,
    generation: Generation,
    tape: Vec<u8>,
}

/// What every way must come to at a tick.
struct Moment {
    tick: u64,
    snapshot: SimSnapshot,
    world: World,
    /// The spectator's first.
    views: Vec<ViewState>,
}

fn record(players: u8, radius: u8, grid: Grid, seed: u64, generation: Generation) -> Recorded {
    let config = Config::new(players, radius, seed).with_grid(grid).with_time_limit(240);
    let mut game = Match::new(config.clone(), &Style::ALL, generation).unwrap();
    let tape = record_match(&mut game, &metadata(&config, generation), 7, Tick::MAX).unwrap();
    Recorded { config, generation, tape }
}

type Inputs = BTreeMap<u64, Vec<(View, Vec<u8>)>>;

impl Recorded {
    fn open(&self) -> Recording<&[u8]> {
        Recording::open(&self.tape[..]).unwrap()
    }

    fn views(&self) -> impl Iterator<Item = View> + use<> {
        (0..=self.config.players()).filter_map(View::new)
    }

    /// What was given in a stream of orders.
    fn inputs(&self, stream: u16) -> Inputs {
        let mut recording = self.open();
        let mut inputs = Inputs::new();
        for entry in recording.entries(ChunkKind::ORDERS, stream) {
            let raw = recording.raw(&entry).unwrap();
            for frame in TapeFrames::new(&entry.header, &raw).map(Result::unwrap) {
                for part in frame.parts() {
                    let given = part.views.iter().map(|view| (view, part.payload.to_vec()));
                    inputs.entry(frame.tick.0).or_default().extend(given);
                }
            }
        }
        inputs
    }

    /// The first way: nothing but configuration and orders; views from what is simulated.
    fn simulated(&self) -> Vec<Moment> {
        let orders = self.inputs(streams::ORDERS);
        let inputs = [self.inputs(streams::TALK), self.inputs(streams::REPORTS)];
        let mut game = Skirmish::new(self.config.clone()).unwrap();
        let mut views = Views::new(&game, self.generation);
        let map = minewars::setup_of(&mut self.open()).unwrap().map;
        let mut moments = Vec::new();
        while game.outcome().is_none() {
            let tick = game.tick();
            let given: Vec<Order<'_>> = of_tick(&orders, tick.0)
                .map(|(player, payload)| Order::new(*player, payload))
                .collect();
            let inputs: Vec<(u8, Command)> = inputs
                .iter()
                .flat_map(|inputs| of_tick(inputs, tick.0))
                .map(|(player, bytes)| (player.number(), Command::from_bytes(bytes).unwrap()))
                .collect();
            game.step(&given).unwrap();
            views.update(&game, &inputs).unwrap();
            if is_sampled(&game) {
                let snapshot = game.snapshot();
                moments.push(Moment {
                    tick: game.tick().0,
                    world: World::of_snapshot(&map, &snapshot),
                    snapshot,
                    views: self.views().map(|view| views.state(view).unwrap().clone()).collect(),
                });
            }
        }
        moments
    }
}

fn of_tick(inputs: &Inputs, tick: u64) -> impl Iterator<Item = &(View, Vec<u8>)> {
    inputs.get(&tick).into_iter().flatten()
}

/// Some ticks, some in which money is reported, and the last.
fn is_sampled(game: &Skirmish) -> bool {
    let money_is_sent = game.clock() % 100 == 1 && game.clock() / 100 % 3 == 1;
    game.tick() == Tick(1)
        || game.tick().0.is_multiple_of(149)
        || money_is_sent
        || game.outcome().is_some()
}

/// Ticks back and forth, so that nothing comes from what was gone to before.
fn in_disorder(moments: &[Moment]) -> impl Iterator<Item = &Moment> {
    let (early, late) = moments.split_at(moments.len() / 2);
    late.iter().zip(early.iter().rev().chain(early.first())).flat_map(|(late, early)| [late, early])
}

/// The second way: keyframes and what follows them, of the simulation and of every view.
fn from_the_tape(recorded: &Recorded, moments: &[Moment]) {
    let game = Skirmish::new(recorded.config.clone()).unwrap();
    let options = PlayerOptions::default();
    let mut player = Playback::simulation(recorded.open(), game, options).unwrap();
    for moment in in_disorder(moments) {
        player.seek(wire::Moment::before(Tick(moment.tick))).unwrap();
        assert_eq!(player.snapshot(), moment.snapshot, "tick {}", moment.tick);
    }
    assert_eq!((player.findings(), player.doubt()), (&[][..], None));
    for view in recorded.views() {
        let mut player = minewars::player(recorded.open(), view, options).unwrap();
        for moment in in_disorder(moments) {
            player.seek(wire::Moment::before(Tick(moment.tick))).unwrap();
            let known = &moment.views[usize::from(view.number())];
            assert!(player.state().state() == known, "{view:?} at tick {}", moment.tick);
        }
        assert_eq!((player.findings(), player.doubt()), (&[][..], None));
        assert!(player.verify(DeepLevel::Keyframes).unwrap().passed());
    }
}

/// The third way: a MineWars file.
fn from_a_file(recorded: &Recorded, target: Generation, moments: &[Moment], seen: &mut Seen) {
    let made = minewars::from_tape(&mut recorded.open(), Some(target)).unwrap();
    let is_own = target == recorded.generation;
    assert_eq!((made.generation, made.left_out), (target, 0));
    assert!(!is_own || made.losses.is_empty());
    let words = if is_own { Words::Own(target) } else { Words::Converted(target) };
    let file = ReplayFile::open(&made.bytes).unwrap();
    assert_eq!(file.faults(), []);
    for view in recorded.views() {
        let mut timeline = MinewarsTimeline::open(&file, view, TimelineOptions::default()).unwrap();
        for moment in in_disorder(moments) {
            let before = moment.tick * u64::from(TICK_MS) - 1;
            let then = timeline.moment(When::Tick(Tick(before))).unwrap();
            assert!(timeline.seek(then).unwrap().is_ready());
            let state = timeline.state().state();
            let context = format!("{view:?}, {words:?}, tick {}", moment.tick);
            let known = &moment.views[usize::from(view.number())];
            assert!(!is_own || state == known, "{context}");
            let found = differences(&moment.world, state, words, seen);
            assert!(found.is_empty(), "{context}: {found:#?}");
        }
    }
}

/// The fourth way: a gamelog.
fn from_a_gamelog(recorded: &Recorded, moments: &[Moment]) {
    let gamelog = gametape_skirmish::gamelog(recorded.open()).unwrap();
    assert_eq!(gamelog.findings, []);
    let options = Options::default();
    let log = Log::open(gamelog.json, &options).unwrap();
    let mut timeline = gametape_cadre::Timeline::load(log, &options).unwrap();
    for moment in in_disorder(moments) {
        let delta = timeline.turns().first_delta(moment.tick as i64).unwrap();
        timeline.seek(delta + 1).unwrap();
        let world = World::of_gamelog(timeline.state());
        assert!(world == moment.world, "{:?}", first_difference(&world, &moment.world));
    }
}

/// Where two states differ first: the whole of them is too much to look at.
fn first_difference(one: &World, other: &World) -> String {
    let tiles = one.tiles.iter().zip(&other.tiles).find(|(one, other)| one != other);
    let units = one.units.iter().zip(&other.units).find(|(one, other)| one != other);
    let players = one.players.iter().zip(&other.players).find(|(one, other)| one != other);
    let rest = (one.tick, one.clock, one.pause, &one.vote);
    let other_rest = (other.tick, other.clock, other.pause, &other.vote);
    format!("{tiles:?}\n{units:?}\n{players:?}\n{rest:?} {other_rest:?}")
}

/// Compares all four; says what was there to be compared.
fn four_ways(recorded: &Recorded) -> Seen {
    let moments = recorded.simulated();
    assert!(moments.len() > 10, "{} moments", moments.len());
    from_the_tape(recorded, &moments);
    from_a_gamelog(recorded, &moments);
    let mut seen = Seen::new();
    for target in Generation::ALL {
        from_a_file(recorded, target, &moments, &mut seen);
    }
    seen
}

/// What must be there in one of the matches at least.
const THINGS: [&str; 18] = [
    "construction",
    "digit",
    "flag",
    "ground",
    "hit points",
    "income",
    "item",
    "lives",
    "money",
    "owner",
    "owner of a city",
    "player",
    "player who is out",
    "resources",
    "smoke",
    "structure",
    "time-out",
    "trade",
];

#[test]
fn matches_are_the_same_four_ways() {
    let matches = [
        (2, 10, Grid::Hex, 1, Generation::Current),
        (3, 8, Grid::Square, 2, Generation::V01),
        (4, 9, Grid::Hex, 3, Generation::V01),
        (4, 8, Grid::Square, 4, Generation::Current),
    ];
    let mut seen = Seen::new();
    thread::scope(|scope| {
        let runs = matches.map(|(players, radius, grid, seed, generation)| {
            scope.spawn(move || four_ways(&record(players, radius, grid, seed, generation)))
        });
        for run in runs {
            for (what, count) in run.join().unwrap() {
                *seen.entry(what).or_default() += count;
            }
        }
    });
    let unseen: Vec<_> = THINGS.iter().filter(|what| !seen.contains_key(*what)).collect();
    assert!(unseen.is_empty(), "never there: {unseen:?} in {seen:?}");
}

#[test]
fn a_view_of_another_moment_differs() {
    let recorded = record(2, 8, Grid::Hex, 5, Generation::Current);
    let moments = recorded.simulated();
    let words = Words::Own(Generation::Current);
    let is_view_of = |moment: &Moment, view: &ViewState| {
        differences(&moment.world, view, words, &mut Seen::new()).is_empty()
    };
    for pair in moments.windows(2) {
        assert_ne!(pair[0].world, pair[1].world);
        for (view, later) in pair[0].views.iter().zip(&pair[1].views) {
            assert!(is_view_of(&pair[0], view));
            assert!(view == later || !is_view_of(&pair[1], view), "tick {}", pair[1].tick);
        }
    }
}

fn resimulates(tape: &[u8], config: &Config) -> (usize, u64) {
    let game = Skirmish::new(config.clone()).unwrap();
    let recording = Recording::open(tape).unwrap();
    let mut player = Playback::simulation(recording, game, PlayerOptions::default()).unwrap();
    let verified = player.verify(DeepLevel::Simulation).unwrap();
    assert!(verified.passed(), "{:?}", verified.report);
    (verified.keyframes, verified.tick.0)
}

#[test]
fn packed_tapes_and_tapes_without_talk_are_the_same_match() {
    let recorded = record(3, 8, Grid::Hex, 6, Generation::Current);
    let whole = resimulates(&recorded.tape, &recorded.config);
    assert!(whole.0 > 5);
    let packed = pack_bytes(&recorded.tape).unwrap();
    assert!(packed != recorded.tape);
    assert_eq!(resimulates(&packed, &recorded.config), whole);
    let packed = Recorded { tape: packed, ..record(3, 8, Grid::Hex, 6, Generation::Current) };
    assert_eq!(packed.inputs(streams::ORDERS), recorded.inputs(streams::ORDERS));
}

/// Supplies what is needed, and counts requests and bytes.
fn fetch(machine: &mut impl SansIo, tape: &[u8]) -> (usize, u64) {
    let (mut requests, mut bytes) = (0, 0);
    while let Need::Bytes(ranges) = machine.need() {
        for range in ranges {
            requests += 1;
            bytes += range.end - range.start;
            let part = &tape[range.start as usize..range.end as usize];
            machine.supply(range, part).unwrap();
        }
    }
    (requests, bytes)
}

#[test]
fn a_packed_match_is_opened_and_sought_by_few_ranges() {
    let recorded = record(3, 8, Grid::Hex, 6, Generation::Current);
    let tape = pack_bytes(&recorded.tape).unwrap();
    let mut opening = OpeningTape::new(tape.len() as u64);
    let (requests, bytes) = fetch(&mut opening, &tape);
    assert!(requests <= 2 && bytes <= 64 << 10, "{requests} requests, {bytes} bytes");
    let opened = opening.finish().unwrap();
    // What the simulation starts from came with the index.
    let setup = opened.setup(streams::SETUP_OF_SIMULATION).unwrap();
    let setup = opened.raw(setup).unwrap().unwrap();
    assert_eq!(Config::from_bytes(&setup).unwrap(), recorded.config);
    let moments = recorded.simulated();
    for moment in in_disorder(&moments).step_by(5) {
        let game = Skirmish::new(recorded.config.clone()).unwrap();
        let mut player =
            Player::simulation(opened.clone(), game, PlayerOptions::default()).unwrap();
        let _ = player.seek(wire::Moment::before(Tick(moment.tick))).unwrap();
        let (requests, bytes) = fetch(&mut player, &tape);
        assert!(requests <= 2, "{requests} requests for tick {}", moment.tick);
        assert!(bytes < tape.len() as u64 / 2, "{bytes} of {} bytes", tape.len());
        assert!(player.snapshot() == moment.snapshot, "tick {}", moment.tick);
    }
}

#[test]
fn a_tape_cut_to_a_view_has_its_view_and_no_simulation() {
    let recorded = record(3, 8, Grid::Square, 8, Generation::Current);
    let moments = recorded.simulated();
    let view = View::new(2).unwrap();
    let cut = cut_bytes(&recorded.tape, ViewSet::EMPTY.with(view), 9).unwrap().bytes;
    let mut recording = Recording::open(&cut[..]).unwrap();
    assert_eq!(recording.setup(streams::SETUP_OF_SIMULATION).unwrap(), None);
    let mut player = minewars::player(recording, view, PlayerOptions::default()).unwrap();
    for moment in in_disorder(&moments) {
        player.seek(wire::Moment::before(Tick(moment.tick))).unwrap();
        assert!(player.state().state() == &moment.views[2], "tick {}", moment.tick);
    }
}
