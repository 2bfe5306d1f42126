//! Simulated networks: whatever happens to messages, what a spectator claims to show is what the source has, or it
//! says what is lost.

use std::collections::BTreeMap;
use std::time::Duration;

use gametape_live::{
    Classes, Grant, Join, Lane, Message, Notice, Outgoing, PerLane, Publisher, Relay, SeatId,
    Shared, Spectator, StartAt,
};
use gametape_replay::streams::keyframes_of;
use gametape_tape::{Chunk, ChunkHeader, ChunkKind, Gap, GapCause, TapeFrames, TapeHeader};
use gametape_wire::{Tick, View, ViewSet};

use super::common::{Dice, Match, Plan, Toy, name, views};

/// How bad a network is, in percent.
#[derive(Debug, Clone, Copy, Default)]
struct Weather {
    loss: u64,
    doubled: u64,
    /// The longest that a message takes, in milliseconds.
    slowest: u64,
    /// Is only what may be lost lost?
    is_reliable: bool,
}

/// One direction of a connection.
#[derive(Debug, Default)]
struct Line {
    flying: Vec<(u64, Shared)>,
    /// When the last message of each stream arrives: those after it do not overtake it.
    last: BTreeMap<Option<Lane>, u64>,
}

impl Line {
    fn send(&mut self, out: &Outgoing, weather: Weather, now: u64, dice: &mut Dice) {
        let may_be_lost = out.is_datagram || !weather.is_reliable;
        if may_be_lost && dice.percent(weather.loss) {
            return;
        }
        let copies = 1 + u64::from(may_be_lost && dice.percent(weather.doubled));
        for _ in 0..copies {
            let mut at = now + dice.below(weather.slowest + 1);
            if !may_be_lost && Self::is_ordered(out.lane) {
                let last = self.last.entry(out.lane).or_default();
                at = at.max(*last);
                *last = at;
            }
            self.flying.push((at, out.bytes.clone()));
        }
    }

    /// Messages about the session have one stream, classes Personal and above one each; the others overtake
    /// each other.
    fn is_ordered(lane: Option<Lane>) -> bool {
        lane.is_none_or(|lane| lane.priority() > 0)
    }

    fn arrived(&mut self, now: u64) -> Vec<Shared> {
        let mut list: Vec<(u64, Shared)> =
            self.flying.extract_if(.., |(at, _)| *at <= now).collect();
        list.sort_by_key(|(at, _)| *at);
        list.into_iter().map(|(_, bytes)| bytes).collect()
    }
}

/// Reads a spectator's tape as it grows, and compares it with the match.
#[derive(Debug, Default)]
struct Checker {
    bytes: Vec<u8>,
    has_header: bool,
    first_tick: u64,
    states: BTreeMap<View, Toy>,
    /// The last keyframe of each view.
    entered: BTreeMap<View, u64>,
    gaps: Vec<Gap>,
    /// What the spectator said is lost, before it is in the tape.
    lost: Vec<(View, u64, u64)>,
    /// The same as it was said, until somebody looks at it.
    parts_lost: Vec<Notice>,
    compared: u64,
    doubted: u64,
}

impl Checker {
    fn begin(&mut self, tick: u64) {
        let parts_lost = std::mem::take(&mut self.parts_lost);
        let compared = self.compared;
        *self = Self { first_tick: tick, compared, parts_lost, ..Self::default() };
    }

    fn extend(&mut self, bytes: &[u8], source: &Match, seen: ViewSet) {
        self.bytes.extend_from_slice(bytes);
        if !self.has_header && self.bytes.len() >= TapeHeader::LENGTH {
            self.bytes.drain(..TapeHeader::LENGTH);
            self.has_header = true;
        }
        let all = std::mem::take(&mut self.bytes);
        let mut rest = &all[..];
        while rest.len() >= ChunkHeader::LENGTH {
            let Ok(chunk) = Chunk::read(rest, 0) else { break };
            self.chunk(&chunk, source, seen);
            rest = &rest[ChunkHeader::LENGTH + chunk.stored.len()..];
        }
        self.bytes = rest.to_vec();
    }

    fn chunk(&mut self, chunk: &Chunk<'_>, source: &Match, seen: ViewSet) {
        let header = &chunk.header;
        if header.kind.is_keyframe() {
            let view = seen.iter().find(|view| keyframes_of(*view) == header.stream).unwrap();
            let tick = header.first_tick;
            assert_eq!(chunk.stored, source.keyframes[&(header.stream, tick.0)]);
            let state =
                tick.previous().map_or(Toy::START, |last| source.states[&view][last.0 as usize]);
            let played = self.states.get(&view).copied();
            // What the first one builds on is from before the tape begins.
            if tick > Tick(self.first_tick) && !self.is_in_doubt(view, tick.0) {
                assert_eq!(played, Some(state), "view {view} before tick {tick}");
            }
            self.states.insert(view, state);
            self.entered.insert(view, tick.0);
        } else if header.kind == ChunkKind::FRAMES {
            let raw = chunk.raw().unwrap();
            for frame in TapeFrames::new(header, &raw) {
                let frame = frame.unwrap();
                for part in frame.parts() {
                    for view in part.views.iter() {
                        assert!(seen.contains(view));
                        let state = self.states.entry(view).or_insert(Toy::START);
                        *state = state.fold(frame.tick.0, part.payload);
                    }
                }
            }
        } else if header.kind == ChunkKind::GAP {
            self.gaps.push(Gap::read(chunk).unwrap());
        }
    }

    /// Is something lost between the last keyframe and a tick?
    fn is_in_doubt(&self, view: View, tick: u64) -> bool {
        let from = self.entered.get(&view).copied().unwrap_or(0);
        let is_lost =
            |&(of, first, last): &(View, u64, u64)| of == view && first <= tick && last >= from;
        self.lost.iter().any(is_lost)
            || self.gaps.iter().any(|gap| {
                let ticks = gap.ticks();
                gap.cause == GapCause::DAMAGE
                    && gap.views.contains(view)
                    && ticks.start <= Tick(tick)
                    && ticks.end > Tick(from)
            })
    }

    fn compare(&mut self, tick: u64, source: &Match, seen: ViewSet) {
        if tick < self.first_tick {
            return;
        }
        for view in seen.iter() {
            if self.is_in_doubt(view, tick) {
                self.doubted += 1;
                continue;
            }
            let states = &source.states[&view];
            let expected = states[(tick as usize).min(states.len() - 1)];
            let found = self.states.get(&view).copied().unwrap_or(Toy::START);
            assert_eq!(found, expected, "view {view} at tick {tick}");
            self.compared += 1;
        }
    }
}

/// A whole world: publisher, relay, spectator, and the lines between them.
struct World<'m> {
    source: &'m Match,
    dice: Dice,
    now: u64,
    publisher: Publisher,
    link: SeatId,
    fed: usize,
    relay: Relay,
    seat: Option<SeatId>,
    spectator: Spectator,
    seen: ViewSet,
    /// What the relay wants whether somebody is there or not.
    kept: ViewSet,
    grant: Grant,
    up: [Line; 2],
    down: [Line; 2],
    /// Publisher and relay, relay and spectator.
    weather: [Weather; 2],
    stalled_until: u64,
    checker: Checker,
}

/// What a schedule does besides the weather.
#[derive(Debug, Clone, Copy)]
struct Schedule {
    seed: u64,
    /// In percent of steps.
    cuts: u64,
    restarts: u64,
    stalls: u64,
    seeks: u64,
}

const STEP: u64 = 50;

impl<'m> World<'m> {
    fn new(source: &'m Match, schedule: &Schedule, seen: ViewSet, classes: Classes) -> Self {
        let mut dice = Dice::new(schedule.seed);
        let bad = |dice: &mut Dice, is_reliable| Weather {
            loss: [0, 0, 8, 25][dice.below(4) as usize],
            doubled: dice.below(3) * 10,
            slowest: [0, 40, 200, 700][dice.below(4) as usize],
            is_reliable,
        };
        let weather = [bad(&mut dice, false), bad(&mut dice, true)];
        let mut publisher = source.publisher();
        // Some relays want a view only when somebody comes who may see it.
        let kept = [seen, seen, ViewSet::EMPTY, views(&[0])][dice.below(4) as usize].and(seen);
        let relay = source.relay(&publisher, kept);
        let link = publisher.connect(&had(&relay), Duration::ZERO);
        let delay = [0, 0, 4, 11][dice.below(4) as usize];
        let grant = Grant { views: seen, classes, delay };
        let join = Join { classes, ..Join::new(name(), seen) };
        Self {
            source,
            now: 0,
            publisher,
            link,
            fed: 0,
            relay,
            seat: None,
            spectator: Spectator::new(join),
            seen,
            kept,
            grant,
            up: Default::default(),
            down: Default::default(),
            weather,
            stalled_until: 0,
            checker: Checker::default(),
            dice,
        }
    }

    fn time(&self) -> Duration {
        Duration::from_millis(self.now)
    }

    /// A spectator's clock is not the relay's.
    fn spectator_time(&self) -> Duration {
        Duration::from_millis(self.now * 103 / 100 + 77_000)
    }

    fn feed(&mut self) {
        let time = self.time();
        if let Some(piece) = self.source.pieces.get(self.fed) {
            self.publisher.follow(piece, time).unwrap();
            self.fed += 1;
        }
    }

    /// The publisher was killed: it reads its journal again.
    fn restart_publisher(&mut self) {
        let time = self.time();
        self.publisher = self.source.publisher();
        let journal = self.source.pieces[..self.fed].concat();
        self.publisher.follow(&journal, time).unwrap();
        self.up = Default::default();
        self.link = self.publisher.connect(&had(&self.relay), time);
    }

    fn restart_relay(&mut self) {
        self.relay = self.source.relay(&self.publisher, self.kept);
        self.up = Default::default();
        self.link = self.publisher.connect(&had(&self.relay), self.time());
        self.cut();
    }

    fn cut(&mut self) {
        self.down = Default::default();
        if let Some(seat) = self.seat.take() {
            self.relay.leave(seat);
        }
    }

    fn connect(&mut self) {
        let join = self.spectator.join();
        let Message::Join(join) = Message::read(&join).unwrap() else { panic!() };
        let time = self.time();
        if self.relay.want(self.seen, time) {
            // What is about the session is never lost.
            self.publisher.receive(self.link, &self.relay.have(), time).unwrap();
        }
        self.seat = Some(self.relay.join(&join, &self.grant, self.time()).unwrap());
    }

    fn publisher_and_relay(&mut self) {
        let (now, time) = (self.now, self.time());
        let budget = if self.dice.percent(20) { 60 } else { 100_000 };
        for out in self.publisher.poll(self.link, time, budget) {
            assert!(self.relay.views().contains(view_of(&out.bytes)), "nobody wants it");
            self.up[0].send(&out, self.weather[0], now, &mut self.dice);
        }
        if self.dice.percent(20) {
            for bytes in self.publisher.heartbeat(self.link) {
                let out = self.session(bytes);
                self.up[0].send(&out, self.weather[0], now, &mut self.dice);
            }
        }
        for bytes in self.up[0].arrived(now) {
            self.relay.receive_published(&bytes, time).unwrap();
        }
        for bytes in self.relay.poll_publisher(time) {
            let out = self.session(bytes);
            self.up[1].send(&out, self.weather[0], now, &mut self.dice);
        }
        for bytes in self.up[1].arrived(now) {
            self.publisher.receive(self.link, &bytes, time).unwrap();
        }
    }

    fn session(&self, bytes: Shared) -> Outgoing {
        Outgoing::new(bytes)
    }

    fn relay_and_spectator(&mut self) {
        let (now, time, late) = (self.now, self.time(), self.spectator_time());
        let Some(seat) = self.seat else { return };
        if now >= self.stalled_until {
            let budget = if self.dice.percent(20) { 60 } else { 100_000 };
            for out in self.relay.poll(seat, time, budget) {
                self.down[0].send(&out, self.weather[1], now, &mut self.dice);
            }
        }
        for bytes in self.down[0].arrived(now) {
            self.spectator.receive(&bytes, late).unwrap();
            self.check();
        }
        for bytes in self.spectator.poll(late).unwrap() {
            let out = self.session(bytes);
            self.down[1].send(&out, self.weather[1], now, &mut self.dice);
        }
        self.check();
        for bytes in self.down[1].arrived(now) {
            self.relay.receive(seat, &bytes, time).unwrap();
        }
    }

    fn check(&mut self) {
        let notices = self.spectator.notices();
        if notices.is_empty() {
            return;
        }
        let mut shown = None;
        let mut is_over = false;
        for notice in notices {
            match notice {
                Notice::Began { tick } => self.checker.begin(tick.0),
                Notice::Shown { tick } => shown = Some(tick),
                Notice::Lost { view, first, last, .. } => {
                    self.checker.lost.push((view, first.0, last.0));
                    self.checker.parts_lost.push(notice);
                }
                Notice::Over => is_over = true,
                _ => {}
            }
        }
        if shown.is_none() && !is_over {
            return;
        }
        let bytes = self.spectator.take_tape().unwrap();
        self.checker.extend(&bytes, self.source, self.seen);
        if let Some(tick) = shown {
            self.checker.compare(tick.0, self.source, self.seen);
        }
    }

    fn run(mut self, schedule: &Schedule) -> Checker {
        let joins_at = self.dice.below(self.source.ticks * 2 / 3);
        for step in 0..4000 {
            self.now += STEP;
            self.feed();
            let is_bad = step < self.source.ticks + 20;
            if !is_bad {
                // The weather is fine again: now everything must come.
                let fine = Weather { slowest: 10, is_reliable: true, ..Weather::default() };
                self.weather = [fine; 2];
            }
            if is_bad && self.dice.percent(schedule.restarts) {
                self.restart_publisher();
            }
            if is_bad && self.dice.percent(schedule.restarts) {
                self.restart_relay();
            }
            if is_bad && self.dice.percent(schedule.cuts) {
                self.cut();
            }
            if is_bad && self.dice.percent(schedule.stalls) {
                self.stalled_until = self.now + self.dice.below(1500);
            }
            if self.seat.is_none() && step >= joins_at {
                self.connect();
            }
            if is_bad && self.seat.is_some() && self.dice.percent(schedule.seeks) {
                self.seek();
            }
            self.publisher_and_relay();
            self.relay_and_spectator();
            if self.spectator.is_over() {
                return self.checker;
            }
        }
        panic!(
            "it never ends: shown {:?}, newest {:?}",
            self.spectator.shown(),
            self.spectator.newest()
        );
    }

    fn seek(&mut self) {
        let to = match self.dice.percent(50) {
            true => StartAt::Live,
            false => StartAt::Tick(Tick(self.dice.below(self.source.ticks))),
        };
        let bytes = self.spectator.seek(to);
        let out = self.session(bytes);
        self.down[1].send(
            &out,
            Weather { is_reliable: true, ..self.weather[1] },
            self.now,
            &mut self.dice,
        );
    }
}

/// What a relay has, as it says.
pub(crate) fn had(relay: &Relay) -> Vec<(View, PerLane)> {
    match Message::read(&relay.have()).unwrap() {
        Message::Have(have) => have,
        other => panic!("{other:?}"),
    }
}

fn view_of(bytes: &Shared) -> View {
    match Message::read(bytes).unwrap() {
        Message::Data(data) => data.view,
        Message::Mark(mark) => mark.view,
        Message::Moved(moved) => moved.view,
        other => panic!("{other:?}"),
    }
}

impl World<'_> {
    /// Watches over networks that lose nothing but datagrams, and goes somewhere else now and then. Gives the
    /// losses of parts that were there before it went.
    fn lost_history(mut self) -> Vec<Notice> {
        let mut lost = Vec::new();
        let mut known = None;
        let mut wanderings = Dice::new(self.source.ticks);
        for step in 0..self.source.ticks + 400 {
            self.now += STEP;
            self.feed();
            if self.seat.is_none() && step == 10 {
                self.connect();
            }
            if self.seat.is_some() && step < self.source.ticks && wanderings.percent(4) {
                // What the relay has when it hears of it is as old, or older.
                known = known.max(self.spectator.newest());
                self.seek();
            }
            self.publisher_and_relay();
            self.relay_and_spectator();
            let of_parts = self.checker.parts_lost.drain(..).filter(|notice| {
                matches!(notice, Notice::Lost { last, parts: 1.., .. } if Some(*last) <= known)
            });
            lost.extend(of_parts);
            if self.spectator.is_over() {
                return lost;
            }
        }
        panic!("it never ends: shown {:?}", self.spectator.shown());
    }
}

/// What is from before a seek is history, and does not get lost, whatever happens to datagrams and however late
/// streams are.
#[test]
fn no_part_is_lost_that_was_there_before_a_seek() {
    let source = Plan { ticks: 120, ..Plan::small(3) }.play();
    let schedule = |seed| Schedule { seed, cuts: 0, restarts: 0, stalls: 0, seeks: 0 };
    for seed in 0..200 {
        let mut world = World::new(&source, &schedule(seed), views(&[0, 2]), Classes::ALL);
        for weather in &mut world.weather {
            weather.is_reliable = true;
        }
        let lost = world.lost_history();
        assert!(lost.is_empty(), "seed {seed}: {lost:?}");
    }
}

/// Runs schedules of a range of seeds.
fn run(seeds: std::ops::Range<u64>) {
    let matches: Vec<Match> = (0..8).map(|seed| Plan::small(seed + seeds.start).play()).collect();
    let (mut compared, mut doubted) = (0, 0);
    for seed in seeds {
        let source = &matches[(seed % 8) as usize];
        let mut dice = Dice::new(!seed);
        let schedule = Schedule {
            seed,
            cuts: [0, 2, 8][dice.below(3) as usize],
            restarts: [0, 0, 3][dice.below(3) as usize],
            stalls: [0, 4][dice.below(2) as usize],
            seeks: [0, 0, 3][dice.below(3) as usize],
        };
        let seen = [views(&[2]), views(&[0]), views(&[0, 1, 2])][dice.below(3) as usize];
        let classes = match dice.below(6) {
            0 => Classes::ALL.without(gametape_minewars::Class::Unreliable),
            _ => Classes::ALL,
        };
        let checker = World::new(source, &schedule, seen, classes).run(&schedule);
        compared += checker.compared;
        doubted += checker.doubted;
    }
    // It would be no proof if nothing was ever compared, or nothing ever lost.
    assert!(compared > 4_000 && doubted > 1_000, "{compared} compared, {doubted} in doubt");
}

macro_rules! schedules {
    ($($name:ident $start:literal)*) => {
        $(#[test]
        fn $name() {
            run($start..$start + 1250);
        })*
    };
}

schedules! {
    schedules_from_0 0
    schedules_from_1250 1250
    schedules_from_2500 2500
    schedules_from_3750 3750
    schedules_from_5000 5000
    schedules_from_6250 6250
    schedules_from_7500 7500
    schedules_from_8750 8750
}
