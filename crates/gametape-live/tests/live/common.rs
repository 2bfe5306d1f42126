//! A small game whose messages have classes, and matches of it.

use std::collections::BTreeMap;

use gametape_analysis::{AnalysisEvent, EventWriter, NameId};
use gametape_live::{Classify, MatchName, Publisher, Relay};
use gametape_minewars::Class;
use gametape_replay::GameState;
use gametape_replay::streams::keyframes_of;
use gametape_tape::{
    Cadence, Chunk, ChunkHeader, ChunkKind, KeyframeMaker, SimSnapshot, TapeHeader, TapeWriter,
};
use gametape_wire::{Error, Result, Tick, TickLength, View, ViewSet};

pub(crate) const TICK: TickLength = TickLength::millis::<50>();

/// Numbers that are the same every time.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % most
    }

    pub(crate) fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

pub(crate) fn view(number: u8) -> View {
    View::new(number).unwrap()
}

pub(crate) fn views(numbers: &[u8]) -> ViewSet {
    numbers.iter().map(|number| view(*number)).collect()
}

pub(crate) fn name() -> MatchName {
    "m1".parse().unwrap()
}

/// Messages of the toy: class, length, bytes.
#[derive(Debug)]
pub(crate) struct ToyClasses;

impl Classify for ToyClasses {
    fn setup(&mut self, _: View, _: &[u8]) {}

    fn split<'p>(&mut self, _: View, payload: &'p [u8], runs: &mut Vec<(Class, &'p [u8])>) {
        let mut rest = payload;
        while let [class, length, ..] = *rest {
            let (message, after) = rest.split_at(2 + usize::from(length));
            let class = Class::ALL[usize::from(class)];
            match runs.last_mut() {
                Some((last, run)) if *last == class => {
                    let start = payload.len() - rest.len() - run.len();
                    *run = &payload[start..payload.len() - after.len()];
                }
                _ => runs.push((class, message)),
            }
            rest = after;
        }
        if payload.is_empty() {
            runs.push((Class::PvP, payload));
        }
    }
}

/// What a view of the toy knows: a sum over everything that it received, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Toy(pub(crate) u64);

impl Toy {
    pub(crate) const START: Self = Self(0xCBF2_9CE4_8422_2325);

    pub(crate) fn fold(self, tick: u64, payload: &[u8]) -> Self {
        let bytes = tick.to_le_bytes();
        Self(bytes.iter().chain(payload).fold(self.0 ^ payload.len() as u64, |sum, byte| {
            (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
        }))
    }
}

impl GameState for Toy {
    fn apply(&mut self, tick: Tick, payload: &[u8]) -> Result<()> {
        *self = self.fold(tick.0, payload);
        Ok(())
    }

    fn snapshot(&self, tick: Tick) -> SimSnapshot {
        SimSnapshot::opaque(tick, &[&self.0.to_le_bytes()[..], &[7; 600]].concat()).unwrap()
    }

    fn restore(&mut self, snapshot: &SimSnapshot) -> Result<()> {
        let bytes = snapshot.to_opaque()?;
        let sum = bytes.first_chunk().ok_or_else(|| Error::misuse("toy", "too short"))?;
        self.0 = u64::from_le_bytes(*sum);
        Ok(())
    }
}

/// How a match of the toy goes.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) views: ViewSet,
    pub(crate) ticks: u64,
    /// Ticks between keyframes.
    pub(crate) spacing: u64,
    pub(crate) events: bool,
    /// What else is in the tape: names, gaps, resources, closing metadata.
    pub(crate) extras: bool,
    /// From this tick on, views not in `kept` receive something else.
    pub(crate) other: Option<(u64, ViewSet)>,
}

impl Plan {
    pub(crate) fn small(seed: u64) -> Self {
        Self {
            seed,
            views: views(&[0, 1, 2]),
            ticks: 24,
            spacing: 6,
            events: false,
            extras: false,
            other: None,
        }
    }

    pub(crate) fn play(&self) -> Match {
        Match::play(self)
    }
}

/// A match: its journal in the pieces in which it grew, and what every view knew when.
#[derive(Debug)]
pub(crate) struct Match {
    pub(crate) header: TapeHeader,
    pub(crate) views: ViewSet,
    pub(crate) ticks: u64,
    /// What each tick added to the journal; the last one ends it.
    pub(crate) pieces: Vec<Vec<u8>>,
    /// The state after each tick.
    pub(crate) states: BTreeMap<View, Vec<Toy>>,
    /// The payloads of each tick.
    pub(crate) payloads: BTreeMap<View, Vec<Vec<Vec<u8>>>>,
    /// Stored bytes of keyframes.
    pub(crate) keyframes: BTreeMap<(u16, u64), Vec<u8>>,
}

pub(crate) const METADATA: &str =
    r#"{"game":"toy","players":[{"view":1,"name":"Ana"},{"view":2,"name":"Ben"}]}"#;

impl Match {
    fn play(plan: &Plan) -> Self {
        let header = TapeHeader::new(TICK, 0xB0A7);
        let mut writer = TapeWriter::new(header, METADATA.as_bytes()).unwrap();
        writer.setup(0, ViewSet::EMPTY.with(View::SPECTATOR), b"setup of all").unwrap();
        let players = plan.views.without(ViewSet::EMPTY.with(View::SPECTATOR));
        writer.setup(0, players, b"setup of players").unwrap();
        let mut makers: BTreeMap<View, KeyframeMaker> = BTreeMap::new();
        let mut result = Self {
            header,
            views: plan.views,
            ticks: plan.ticks,
            pieces: Vec::new(),
            states: BTreeMap::new(),
            payloads: BTreeMap::new(),
            keyframes: BTreeMap::new(),
        };
        let mut states: BTreeMap<View, Toy> =
            plan.views.iter().map(|view| (view, Toy::START)).collect();
        let mut events = EventWriter::new();
        for tick in 0..plan.ticks {
            if tick % plan.spacing == 0 {
                for view in plan.views.iter() {
                    let cadence = Cadence::every(plan.spacing);
                    let maker = makers.entry(view).or_insert_with(|| KeyframeMaker::new(cadence));
                    let keyframe = maker.make(states[&view].snapshot(Tick(tick)));
                    let stream = keyframes_of(view);
                    writer.keyframe(stream, ViewSet::EMPTY.with(view), &keyframe).unwrap();
                }
            }
            let parts = plan.payloads(tick);
            for part in &parts {
                let part: Vec<(View, &[u8])> =
                    part.iter().map(|(view, payload)| (*view, &payload[..])).collect();
                writer.frame(0, Tick(tick), &part).unwrap();
            }
            for view in plan.views.iter() {
                let own: Vec<Vec<u8>> = parts
                    .iter()
                    .flatten()
                    .filter(|(of, _)| *of == view)
                    .map(|(_, payload)| payload.clone())
                    .collect();
                let state = states.get_mut(&view).unwrap();
                own.iter().for_each(|payload| *state = state.fold(tick, payload));
                result.states.entry(view).or_default().push(*state);
                result.payloads.entry(view).or_default().push(own);
            }
            plan.extras(tick, &mut writer);
            if plan.events {
                plan.events(tick, &mut events);
                if tick % 7 == 6 {
                    put_events(&mut events, &mut writer);
                }
            }
            writer.flush().unwrap();
            result.pieces.push(writer.take());
        }
        if plan.events {
            put_events(&mut events, &mut writer);
        }
        if plan.extras {
            let closing = r#"{"outcome":"Ana won","players":[{"view":1,"name":"Ana"},{"view":2,"name":"Ben"}]}"#;
            writer.closing_metadata(closing.as_bytes()).unwrap();
        }
        let last = [writer.take(), writer.finish().unwrap()].concat();
        result.pieces.push(last);
        result.find_keyframes();
        result
    }

    pub(crate) fn journal(&self) -> Vec<u8> {
        self.pieces.concat()
    }

    fn find_keyframes(&mut self) {
        let journal = self.journal();
        for chunk in chunks(&journal[TapeHeader::LENGTH..]) {
            if chunk.header.kind.is_keyframe() {
                let key = (chunk.header.stream, chunk.header.first_tick.0);
                self.keyframes.insert(key, chunk.stored.to_vec());
            }
        }
    }

    pub(crate) fn publisher(&self) -> Publisher {
        let publisher = Publisher::new(name(), self.header, METADATA, self.views, usize::MAX);
        publisher.unwrap().with_classes(ToyClasses)
    }

    pub(crate) fn relay(&self, publisher: &Publisher, views: ViewSet) -> Relay {
        match gametape_live::Message::read(&publisher.announce()).unwrap() {
            gametape_live::Message::Announce(announce) => Relay::new(announce, views, usize::MAX),
            other => panic!("{other:?}"),
        }
    }
}

fn put_events(events: &mut EventWriter, writer: &mut TapeWriter) {
    writer.flush().unwrap();
    for block in events.flush().unwrap() {
        writer.chunk(&block.draft(), &block.bytes).unwrap();
    }
}

impl Plan {
    /// Every view with what it receives, in one or two frames.
    fn payloads(&self, tick: u64) -> Vec<Vec<(View, Vec<u8>)>> {
        let frames = 1 + u64::from(self.seed.wrapping_add(tick).is_multiple_of(4));
        (0..frames)
            .map(|frame| {
                let of = |view: View| Some((view, self.payload(tick, frame, view)?));
                self.views.iter().filter_map(of).collect::<Vec<_>>()
            })
            .filter(|parts| !parts.is_empty())
            .collect()
    }

    fn payload(&self, tick: u64, frame: u64, view: View) -> Option<Vec<u8>> {
        let is_other = |(from, kept): &(u64, ViewSet)| tick >= *from && !kept.contains(view);
        let other = u64::from(self.other.as_ref().is_some_and(is_other));
        let place = (tick * 2 + frame) * 16 + u64::from(view.number());
        let mut dice = Dice::new(self.seed ^ place << 8 ^ other << 40);
        dice.below(9);
        // The spectator receives something at every tick, so that all know when it is over.
        let is_needed = view == View::SPECTATOR && frame == 0;
        if dice.percent(30) && !is_needed {
            return None;
        }
        let mut payload = Vec::new();
        for _ in 0..dice.below(5) {
            let class = dice.below(5) as u8;
            let length = dice.below(6) as u8;
            payload.extend([class, length]);
            payload.extend((0..length).map(|_| dice.below(256) as u8));
        }
        Some(payload)
    }

    fn events(&self, tick: u64, events: &mut EventWriter) {
        let player = 1 + (tick % 2) as u8;
        let is_other = self
            .other
            .as_ref()
            .is_some_and(|(from, kept)| tick >= *from && !kept.contains(view(player)));
        let count = if is_other { 5 } else { 1 };
        for amount in 0..count {
            let (resource_type, amount) = (NameId(0), amount + 7);
            let collected = AnalysisEvent::ResourceCollected {
                tick: Tick(tick),
                player,
                resource_type,
                amount,
            };
            events.push(&collected).unwrap();
        }
        if tick % 10 == 3 {
            let paused = tick % 20 == 3;
            events
                .push(&AnalysisEvent::PauseEvent { tick: Tick(tick), player: 0, paused })
                .unwrap();
        }
    }

    fn extras(&self, tick: u64, writer: &mut TapeWriter) {
        if !self.extras {
            return;
        }
        if tick % 8 == 5 {
            writer.names(&[format!("name {tick}")]).unwrap();
        }
        // Others get one chunk more, so that all later ones have other numbers in the journal.
        if let Some((from, kept)) = &self.other
            && tick >= *from
            && tick % 8 == 2
            && !self.views.without(*kept).is_empty()
        {
            writer.resource("for others", self.views.without(*kept), b"a secret").unwrap();
        }
        if tick == 9 {
            writer.resource("for ana", views(&[1]), b"a letter").unwrap();
        }
    }
}

/// The chunks in these bytes.
pub(crate) fn chunks(mut bytes: &[u8]) -> Vec<Chunk<'_>> {
    let mut chunks = Vec::new();
    while bytes.len() > ChunkHeader::LENGTH {
        let Ok(chunk) = Chunk::read(bytes, 0) else { break };
        bytes = &bytes[ChunkHeader::LENGTH + chunk.stored.len()..];
        chunks.push(chunk);
    }
    chunks
}

/// What each view receives in a tape: tick and payload.
pub(crate) fn received(tape: &[u8], view: View) -> Vec<(u64, Vec<u8>)> {
    let mut received = Vec::new();
    for chunk in chunks(&tape[TapeHeader::LENGTH..]) {
        if chunk.header.kind == ChunkKind::FRAMES {
            let raw = chunk.raw().unwrap();
            for frame in gametape_tape::TapeFrames::new(&chunk.header, &raw) {
                let frame = frame.unwrap();
                received.extend(frame.view(view).map(|payload| (frame.tick.0, payload.to_vec())));
            }
        }
    }
    received
}
