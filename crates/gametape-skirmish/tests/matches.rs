//! Many matches: every kind of message and event occurs, and no order breaks anything.

#![allow(clippy::unwrap_used, reason = "a helper of a test may fail it")]

#[path = "shared/scale.rs"]
mod scale;

use std::collections::BTreeMap;

use gametape_analysis::EventKind;
use gametape_minewars::{
    Coord, Dialect, Grid, Message, Messages, PlayerUpdate, ReplayFile, ViewState, WriteOptions,
    replay_view, whole_messages, write_file,
};
use gametape_minewars::{FrameLayout, FrameWriter, Frames, Generation};
use gametape_replay::{Order, Simulation};
use gametape_skirmish::{
    Bot, Command, Config, Match, Outcome, Pilot, Skirmish, Style, TICK_MS, Views, VoteKind, setup,
};
use gametape_wire::{Tick, View};

use scale::scaled;

#[derive(Default)]
struct Census {
    words: BTreeMap<&'static str, u32>,
    events: BTreeMap<u8, u32>,
    outcomes: Vec<Outcome>,
}

/// A bot that also follows a script: what bots do too seldom to wait for.
struct Scripted {
    bot: Bot,
    script: Vec<(u64, Command)>,
}

impl Pilot for Scripted {
    fn orders(&mut self, tick: Tick, view: &ViewState) -> Vec<Command> {
        let due = self.script.iter().filter(|(at, _)| Tick(*at) == tick);
        let mut orders: Vec<Command> = due.map(|(_, command)| command.clone()).collect();
        orders.extend(self.bot.orders(tick, view));
        orders
    }
}

/// Four players: one is kicked by vote, a second leaves, the others go on.
fn quarrel(generation: Generation) -> Match {
    let game = Skirmish::new(Config::new(4, 12, 9).with_time_limit(60)).unwrap();
    let setup = setup(&game, generation);
    let yes = Command::Ballot { id: 1, yes: true };
    let scripts = [
        vec![
            (100, Command::CallVote { kind: VoteKind::Kick(4) }),
            (300, Command::Note { value: 3, tile: Coord::CENTRE }),
        ],
        vec![(120, yes.clone())],
        vec![(140, yes), (400, Command::Surrender { leave: true })],
        vec![],
    ];
    let pilot = |(index, script): (usize, Vec<(u64, Command)>)| -> Box<dyn Pilot + Send> {
        let bot = Bot::new(Style::Careful, index as u8 + 1, 9, &setup);
        Box::new(Scripted { bot, script })
    };
    let pilots = scripts.into_iter().enumerate().map(pilot).collect();
    Match::with_pilots(game, pilots, generation)
}

impl Census {
    fn watch(&mut self, mut game: Match, generation: Generation) {
        while !game.is_over() {
            let turn = game.step().unwrap();
            for payload in &turn.payloads {
                for message in Messages::new(payload, 0, Dialect::from(generation)) {
                    let word = match message.unwrap() {
                        Message::Player { update: PlayerUpdate::Explode { .. }, .. } => "DEATH",
                        Message::Player { update, .. } => update.word_in(generation),
                        other => other.word_in(generation),
                    };
                    *self.words.entry(word).or_default() += 1;
                }
            }
            for event in &turn.events {
                *self.events.entry(event.kind().number()).or_default() += 1;
            }
        }
        self.outcomes.extend(game.game().outcome());
    }
}

const BOTH: [&str; 33] = [
    "SHAKE",
    "SMOKE",
    "UNSMOKE",
    "CITMONEY",
    "CITINCOME",
    "CITRES",
    "CITTRADE",
    "FLAG",
    "ITEM",
    "STRUCTHP",
    "EXPLODE",
    "BUILDNEW",
    "BUILD",
    "STRUCT",
    "DIGITS",
    "TILE",
    "OWNER",
    "JOIN",
    "RTT",
    "TIMEOUT",
    "RESUME",
    "PROTECT",
    "UNPROTECT",
    "ELIMINATE",
    "SURRENDER",
    "LEAVE",
    "KICK",
    "VOTENEW",
    "VOTE",
    "VOTEFAIL",
    "VOTEPASS",
    "CHATALL",
    "CHAT",
];
const V01: [&str; 3] = ["CITSPEND", "UNFLAG", "DECONSTRUCT"];
const CURRENT: [&str; 9] = [
    "CITTRANS",
    "DEBUG",
    "NOSTRUCT",
    "DEATH",
    "LIVES",
    "TIMELIMIT",
    "CITCAPTING",
    "CITCAPTURE",
    "CITCONTEST",
];

#[test]
fn every_kind_of_message_and_event_occurs() {
    for (generation, own) in [(Generation::Current, &CURRENT[..]), (Generation::V01, &V01[..])] {
        let mut census = Census::default();
        census.watch(quarrel(generation), generation);
        for seed in 0..10 {
            let players = 2 + (seed % 4) as u8;
            let config = Config::new(players, 8 + players, 100 + seed).with_time_limit(420);
            census.watch(Match::new(config, &Style::ALL, generation).unwrap(), generation);
        }
        println!("{:?}\n{:?}\n{:?}", census.words, census.events, census.outcomes);
        for word in BOTH.iter().chain(own) {
            assert!(census.words.contains_key(word), "{generation}: no {word}");
        }
        for kind in EventKind::ALL {
            assert!(census.events.contains_key(&kind.number()), "no {}", kind.name());
        }
    }
}

/// A generator of nonsense.
struct Noise(u64);

impl Noise {
    fn below(&mut self, count: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % count
    }

    /// Bytes that are an order, or nearly one, or anything.
    fn payload(&mut self, radius: u8) -> Vec<u8> {
        let kinds = [1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x0A, 0x0C, 0x0D, 0x0E, 0x20, 0x31];
        let mut bytes = vec![kinds[self.below(kinds.len() as u64) as usize]];
        let span = 2 * u64::from(radius) + 1;
        for _ in 0..2 {
            bytes.push((self.below(span) as u8).wrapping_sub(radius));
        }
        match self.below(40) {
            0 => bytes.truncate(self.below(3) as usize),
            1 => bytes = (0..self.below(300)).map(|_| self.below(256) as u8).collect(),
            2 if self.below(40) == 0 => {
                bytes = Command::Surrender { leave: self.below(2) == 0 }.to_bytes().unwrap();
            }
            3..=30 if bytes[0] > 1 => bytes.push(self.below(5) as u8),
            _ => {}
        }
        bytes
    }
}

/// A short match of bots, with nonsense between their orders.
fn endure(seed: u64) -> Skirmish {
    let mut noise = Noise(seed);
    let grid = Grid::ALL[noise.below(2) as usize];
    let players = 2 + noise.below(3) as u8;
    let radius = 5 + players / 2 + noise.below(3) as u8;
    let config = Config::new(players, radius, seed).with_grid(grid).with_time_limit(20);
    let mut game = Skirmish::new(config).unwrap();
    let mut views = Views::new(&game, Generation::Current);
    let setup = setup(&game, Generation::Current);
    let bot = |player| Bot::new(Style::Striker, player, seed, &setup);
    let mut bots: Vec<Bot> = (1..=players).map(bot).collect();
    while game.outcome().is_none() {
        let mut orders: Vec<(View, Vec<u8>)> = (0..noise.below(8))
            .map(|_| (View::new(noise.below(16) as u8).unwrap(), noise.payload(radius)))
            .collect();
        for (view, bot) in (1..).filter_map(View::new).zip(&mut bots) {
            let given = bot.orders(game.tick(), views.state(view).unwrap());
            orders.extend(given.iter().map(|command| (view, command.to_bytes().unwrap())));
        }
        let orders: Vec<Order<'_>> =
            orders.iter().map(|(player, payload)| Order::new(*player, payload)).collect();
        game.step(&orders).unwrap();
        views.update(&game, &[]).unwrap();
    }
    game
}

/// Each twentieth seed is played twice and gives the same match.
#[test]
fn nonsense_never_breaks_a_match() {
    let count = 300;
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..scaled(count) {
        let game = endure(seed);
        for player in 1..=game.config().players() {
            let counters = game.counters(player).unwrap();
            accepted += u64::from(counters.orders);
            refused += u64::from(counters.refused);
        }
        if seed % 20 == 0 {
            assert_eq!(endure(seed).snapshot().state_hash(), game.snapshot().state_hash());
        }
    }
    println!("{accepted} orders carried out, {refused} refused");
    assert!(accepted > count && refused > count);
}

/// The match as a MineWars file of either generation.
#[test]
fn a_match_is_a_minewars_file() {
    for generation in [Generation::Current, Generation::V01] {
        let config = Config::new(3, 9, 8).with_time_limit(60);
        let mut game = Match::new(config, &Style::ALL, generation).unwrap();
        let max_view = game.setup().max_view();
        let mut frames = FrameWriter::new(FrameLayout::new(generation, max_view).unwrap());
        let dialect = Dialect::from(generation);
        let cut = |payload: &[u8], limit: usize| whole_messages(payload, limit, dialect);
        while !game.is_over() {
            let turn = game.step().unwrap();
            let time = turn.tick.0 * u64::from(TICK_MS);
            frames.moment(time, &turn.parts(), cut).unwrap();
        }
        let bytes =
            write_file(game.setup(), &frames.into_bytes(), &WriteOptions::default()).unwrap();
        let file = ReplayFile::open(&bytes).unwrap();
        assert_eq!(file.faults(), []);
        let map = file.setup().map().unwrap();
        let frames = file.frames().unwrap().bytes;
        for view in (0..=3).filter_map(View::new) {
            let frames = Frames::new(file.frame_layout().unwrap(), &frames);
            let replayed = replay_view(&map, frames, dialect, view, u64::MAX);
            assert_eq!(replayed.problems, []);
            assert!(Some(&replayed.state) == game.view(view), "view {view}");
        }
    }
}
