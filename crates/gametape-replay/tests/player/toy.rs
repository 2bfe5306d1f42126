//! A small deterministic game: pieces that wander, pushed by orders.

use std::cell::Cell;
use std::rc::Rc;

use gametape_replay::{Order, Simulation};
use gametape_tape::{Cadence, KeyframeMaker, SimSnapshot, TapeHeader, TapeWriter, UnitTag};
use gametape_wire::{Error, Result, Tick, TickLength, View, ViewSet};

pub(crate) const PIECES: u16 = 6;

/// What every toy starts from.
pub(crate) const SETUP: &[u8] = b"six pieces";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Toy {
    tick: u64,
    random: u64,
    places: Vec<u32>,
    score: [u32; 3],
    /// At this tick piece 3 goes wrong.
    pub(crate) fault: Option<u64>,
    /// How many steps were ever made.
    pub(crate) steps: Rc<Cell<u64>>,
}

impl Toy {
    pub(crate) fn new() -> Self {
        Self {
            tick: 0,
            random: 7,
            places: vec![100; PIECES.into()],
            score: [0; 3],
            fault: None,
            steps: Rc::default(),
        }
    }

    fn roll(&mut self) -> u32 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.random >> 40) as u32
    }
}

impl Simulation for Toy {
    fn tick(&self) -> Tick {
        Tick(self.tick)
    }

    fn step(&mut self, orders: &[Order<'_>]) -> Result<()> {
        self.steps.set(self.steps.get() + 1);
        for order in orders {
            let piece = usize::from(order.payload[0]) % self.places.len();
            self.places[piece] += u32::from(order.player.number());
            self.score[usize::from(order.player.number())] += 1;
        }
        let roll = self.roll();
        let piece = roll as usize % self.places.len();
        self.places[piece] = self.places[piece].wrapping_add(roll % 5);
        if self.fault == Some(self.tick) {
            self.places[3] += 1000;
        }
        self.tick += 1;
        Ok(())
    }

    fn snapshot(&self) -> SimSnapshot {
        let mut snapshot = SimSnapshot::default();
        let core = &mut snapshot.core;
        core.tick = Tick(self.tick);
        core.random_state = self.random.to_le_bytes().to_vec();
        for (index, place) in (0..).zip(&self.places) {
            let tag = UnitTag { index, generation: 0 };
            core.entities.push(tag, &[(0, b"piece"), (1, &place.to_le_bytes())]).unwrap();
        }
        for (player, score) in (1..).zip(&self.score[1..]) {
            core.players.push(player, &[(0, &score.to_le_bytes())]).unwrap();
        }
        core.sections.push("ballast".into(), &[9; 400]).unwrap();
        snapshot
    }

    fn restore(&mut self, snapshot: &SimSnapshot) -> Result<()> {
        let misfit = || Error::misuse("toy", "not one of its snapshots");
        let number = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes).map_err(|_| misfit());
        let core = &snapshot.core;
        let random = core.random_state[..].try_into().map_err(|_| misfit())?;
        let mut places = Vec::new();
        for row in core.entities.iter() {
            places.push(number(row.slots().nth(1).ok_or_else(misfit)?.1)?);
        }
        if places.len() != usize::from(PIECES) {
            return Err(misfit());
        }
        for row in core.players.iter() {
            let place = self.score.get_mut(usize::from(*row.key)).ok_or_else(misfit)?;
            *place = number(row.slots().next().ok_or_else(misfit)?.1)?;
        }
        (self.tick, self.random, self.places) = (core.tick.0, u64::from_le_bytes(random), places);
        Ok(())
    }
}

/// A tape of `ticks` ticks, played by this toy, with a keyframe every 50 ticks.
pub(crate) fn tape(toy: Toy, ticks: u64) -> Vec<u8> {
    padded_tape(toy, ticks, 0)
}

/// The same with longer orders, which do nothing else.
pub(crate) fn padded_tape(mut toy: Toy, ticks: u64, padding: usize) -> Vec<u8> {
    let mut dice = 1u64;
    let mut noise = || {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (dice >> 40) as u8
    };
    let mut writer =
        TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 1), br#"{"content":"toy"}"#)
            .unwrap();
    writer.setup(0, ViewSet::ALL, SETUP).unwrap();
    let mut keyframes = KeyframeMaker::new(Cadence::every(50));
    for tick in 0..ticks {
        if let Some(keyframe) = keyframes.at(Tick(tick), || toy.snapshot()) {
            writer.keyframe(0, ViewSet::EMPTY, &keyframe).unwrap();
        }
        let mut orders = Vec::new();
        for player in 1..3u8 {
            if (tick * 7 + u64::from(player) * 3) % 5 == 0 {
                let mut order = vec![(tick % 250) as u8, player];
                order.extend((0..padding).map(|_| noise()));
                orders.push((View::new(player).unwrap(), order));
            }
        }
        for (player, payload) in &orders {
            writer.order(0, Tick(tick), *player, payload).unwrap();
        }
        // Talk is no input.
        writer.order(1, Tick(tick), View::new(1).unwrap(), b"hello").unwrap();
        if tick % 37 == 0 {
            writer.flush().unwrap();
        }
        let orders: Vec<Order<'_>> =
            orders.iter().map(|(player, payload)| Order::new(*player, payload)).collect();
        toy.step(&orders).unwrap();
    }
    writer.flush().unwrap();
    let mut tape = writer.take();
    tape.extend(writer.finish().unwrap());
    tape
}
