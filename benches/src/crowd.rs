//! A crowd of units that wander over a map: messages and states as a game makes them.

use gametape_replay::{GameState, Order, Simulation};
use gametape_tape::{SimSnapshot, UnitTag};
use gametape_wire::{Error, Result, Tick};

/// Units of the crowd.
pub const UNITS: usize = 500;
/// Messages of one tick: one for every fifth unit, in turns.
pub const MESSAGES: usize = 100;
/// Bytes of one message.
pub const MESSAGE_BYTES: usize = 24;
/// Bytes of all messages of a tick.
pub const TICK_BYTES: usize = MESSAGES * MESSAGE_BYTES;

/// Units report in this many groups, one in each tick.
const GROUPS: usize = UNITS / MESSAGES;
/// Positions are this many steps of a tile.
const STEPS: i32 = 256;
/// Tiles of the map in each direction.
const MAP: i32 = 512;

/// A number in which every message takes part, so that none can be passed over.
#[must_use]
pub fn taste(sum: u64, message: &[u8]) -> u64 {
    let word = message.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    sum.wrapping_mul(31).wrapping_add(word)
}

/// Numbers that look random and are the same in every run.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Dice that fall in the order that `seed` chooses.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// The next number below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.roll() % end
    }

    /// True in one of `chances` cases.
    pub fn hits(&mut self, chances: u64) -> bool {
        self.below(chances) == 0
    }
}

/// One unit: where it is, where it goes, how it is.
#[derive(Debug, Clone)]
struct Unit {
    at: [i32; 2],
    speed: [i16; 2],
    goal: [i32; 2],
    health: u16,
    flags: u8,
    order: u32,
}

/// Five hundred units, a fifth of which moves in every tick.
#[derive(Debug, Clone)]
pub struct Crowd {
    units: Vec<Unit>,
    dice: Dice,
    tick: u64,
    /// What nobody reads when the crowd is simulated again.
    messages: Vec<u8>,
}

impl Crowd {
    /// A crowd at tick 0.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let units = (0..UNITS).map(|_| Unit::somewhere(&mut dice)).collect();
        Self { units, dice, tick: 0, messages: Vec::new() }
    }

    /// How many ticks have passed.
    #[must_use]
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Lets a tick pass; appends its [`MESSAGES`] messages of [`MESSAGE_BYTES`] bytes.
    pub fn step(&mut self, messages: &mut Vec<u8>) {
        let first = self.tick as usize % GROUPS;
        for number in (first..UNITS).step_by(GROUPS) {
            let unit = &mut self.units[number];
            unit.live(&mut self.dice);
            messages.extend_from_slice(&(number as u32).to_le_bytes());
            messages.extend_from_slice(&unit.moving_parts());
        }
        self.tick += 1;
    }

    /// The whole state before the present tick.
    pub fn snapshot(&self) -> Result<SimSnapshot> {
        let mut state = SimSnapshot::default();
        state.core.tick = Tick(self.tick);
        state.core.random_state = self.dice.0.to_le_bytes().to_vec();
        for (number, unit) in self.units.iter().enumerate() {
            unit.put_into(&mut state, number as u16)?;
        }
        for player in 1..=4 {
            let treasury = (self.tick / 20 * u64::from(player)).to_le_bytes();
            state
                .core
                .players
                .push(player, &[(0, &[player; 16]), (1, &treasury), (4, &[0; 12])])?;
        }
        Ok(state)
    }
}

impl Unit {
    fn somewhere(dice: &mut Dice) -> Self {
        let mut unit = Self {
            at: place(dice),
            speed: [0, 0],
            goal: place(dice),
            health: 100 + dice.below(150) as u16,
            flags: 1,
            order: 0,
        };
        unit.set_out(dice);
        unit
    }

    /// Chooses a goal near by, and how fast to go there.
    fn set_out(&mut self, dice: &mut Dice) {
        let far = |at: i32, dice: &mut Dice| {
            let step = dice.below(40 * STEPS as u64) as i32 - 20 * STEPS;
            (at + step).clamp(0, MAP * STEPS)
        };
        self.goal = self.at.map(|at| far(at, dice));
        let pace = 16 + dice.below(16) as i32;
        let way = [0, 1].map(|axis| self.goal[axis] - self.at[axis]);
        let length = way[0].abs().max(way[1].abs()).max(1);
        self.speed = way.map(|part| (part * pace / length) as i16);
        self.order = self.order.wrapping_add(1);
    }

    /// What happens to a unit in the tick in which it reports.
    fn live(&mut self, dice: &mut Dice) {
        for axis in [0, 1] {
            self.at[axis] += i32::from(self.speed[axis]) * GROUPS as i32;
        }
        let close = |axis: usize| (self.goal[axis] - self.at[axis]).abs() < 32 * GROUPS as i32;
        if close(0) && close(1) || dice.hits(200) {
            self.set_out(dice);
        }
        if dice.hits(30) {
            self.health = self.health.saturating_sub(dice.below(9) as u16).max(1);
            self.flags ^= 1 << dice.below(8);
        }
    }

    /// What a message says: position, speed, health, flags, order.
    fn moving_parts(&self) -> [u8; MESSAGE_BYTES - 4] {
        let mut parts = [0; MESSAGE_BYTES - 4];
        parts[0..4].copy_from_slice(&self.at[0].to_le_bytes());
        parts[4..8].copy_from_slice(&self.at[1].to_le_bytes());
        parts[8..10].copy_from_slice(&self.speed[0].to_le_bytes());
        parts[10..12].copy_from_slice(&self.speed[1].to_le_bytes());
        parts[12..14].copy_from_slice(&self.health.to_le_bytes());
        parts[14] = self.flags;
        parts[16..20].copy_from_slice(&self.order.to_le_bytes());
        parts
    }

    /// Becomes what [`put_into`](Self::put_into) wrote.
    fn restore<'a>(&mut self, mut slots: impl Iterator<Item = (u8, &'a [u8])>) -> Option<()> {
        let (_, moving) = slots.next()?;
        let goals = slots.filter(|(slot, _)| matches!(slot, 2 | 3));
        let word = |from: usize| moving.get(from..)?.first_chunk().copied();
        self.at = [i32::from_le_bytes(word(0)?), i32::from_le_bytes(word(4)?)];
        let half = |from: usize| moving.get(from..)?.first_chunk().copied();
        self.speed = [i16::from_le_bytes(half(8)?), i16::from_le_bytes(half(10)?)];
        self.health = u16::from_le_bytes(half(12)?);
        (self.flags, self.order) = (*moving.get(14)?, u32::from_le_bytes(word(16)?));
        for (goal, (_, bytes)) in self.goal.iter_mut().zip(goals) {
            *goal = i32::from_le_bytes(bytes.try_into().ok()?);
        }
        Some(())
    }

    /// About ninety bytes: what messages say, and what only the simulation knows.
    fn put_into(&self, state: &mut SimSnapshot, index: u16) -> Result<()> {
        let tag = UnitTag { index, generation: 0 };
        let [x, y] = self.goal.map(i32::to_le_bytes);
        let kind = [(index % 12) as u8, (index % 4) as u8 + 1, 0, 0];
        let stock = u64::from(index).wrapping_mul(0x9E37_79B9).to_le_bytes();
        let moving = self.moving_parts();
        let slots: [(u8, &[u8]); 7] = [
            (0, &moving),
            (1, &kind),
            (2, &x),
            (3, &y),
            (5, &[7; 16]),
            (9, &stock),
            (12, &[0; 16]),
        ];
        state.core.entities.push(tag, &slots)
    }
}

fn place(dice: &mut Dice) -> [i32; 2] {
    [0, 1].map(|_| dice.below((MAP * STEPS) as u64) as i32)
}

/// A crowd is deterministic and takes no orders.
impl Simulation for Crowd {
    fn tick(&self) -> Tick {
        Tick(self.tick)
    }

    fn step(&mut self, _: &[Order<'_>]) -> Result<()> {
        let mut messages = std::mem::take(&mut self.messages);
        messages.clear();
        Crowd::step(self, &mut messages);
        self.messages = messages;
        Ok(())
    }

    fn snapshot(&self) -> SimSnapshot {
        // Tags and players ascend, so nothing is refused.
        Crowd::snapshot(self).unwrap_or_default()
    }

    fn restore(&mut self, snapshot: &SimSnapshot) -> Result<()> {
        let core = &snapshot.core;
        let misfit = || Error::misuse("snapshot", "not one of a crowd");
        let dice = core.random_state[..].try_into().map_err(|_| misfit())?;
        for (unit, row) in self.units.iter_mut().zip(core.entities.iter()) {
            unit.restore(row.slots()).ok_or_else(misfit)?;
        }
        (self.dice, self.tick) = (Dice(u64::from_le_bytes(dice)), core.tick.0);
        Ok(())
    }
}

/// What a player of the tape keeps of a crowd: the moving parts of every unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    units: Vec<[u8; MESSAGE_BYTES - 4]>,
}

impl Default for Seen {
    fn default() -> Self {
        Self { units: vec![[0; MESSAGE_BYTES - 4]; UNITS] }
    }
}

impl Seen {
    /// Becomes what a snapshot says.
    pub fn restore(&mut self, state: &SimSnapshot) {
        for row in state.core.entities.iter() {
            let Some(unit) = self.units.get_mut(usize::from(row.key.index)) else { continue };
            if let Some((0, parts)) = row.slots().next() {
                unit.copy_from_slice(parts);
            }
        }
    }

    /// Takes the messages of a tick.
    pub fn apply(&mut self, messages: &[u8]) {
        for message in messages.as_chunks::<MESSAGE_BYTES>().0 {
            let Some((number, parts)) = message.split_first_chunk::<4>() else { continue };
            let number = u32::from_le_bytes(*number) as usize;
            if let Some(unit) = self.units.get_mut(number) {
                unit.copy_from_slice(parts);
            }
        }
    }
}

impl GameState for Seen {
    fn apply(&mut self, _: Tick, payload: &[u8]) -> Result<()> {
        Seen::apply(self, payload);
        Ok(())
    }

    fn snapshot(&self, tick: Tick) -> SimSnapshot {
        let mut state = SimSnapshot::default();
        state.core.tick = tick;
        for (index, unit) in (0..).zip(&self.units) {
            // Tags ascend, so nothing is refused.
            let _ = state.core.entities.push(UnitTag { index, generation: 0 }, &[(0, &unit[..])]);
        }
        state
    }

    fn restore(&mut self, snapshot: &SimSnapshot) -> Result<()> {
        Seen::restore(self, snapshot);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restored_crowd_goes_on_as_the_first_one() {
        let mut crowd = Crowd::new(1);
        (0..100).for_each(|_| crowd.step(&mut Vec::new()));
        let mut other = Crowd::new(2);
        Simulation::restore(&mut other, &crowd.snapshot().unwrap()).unwrap();
        for _ in 0..100 {
            crowd.step(&mut Vec::new());
            Simulation::step(&mut other, &[]).unwrap();
        }
        assert_eq!(other.snapshot().unwrap(), crowd.snapshot().unwrap());
    }

    #[test]
    fn messages_carry_what_is_seen_to_the_next_snapshot() {
        let mut crowd = Crowd::new(1);
        let mut seen = Seen::default();
        seen.restore(&crowd.snapshot().unwrap());
        for _ in 0..50 {
            let mut messages = Vec::new();
            crowd.step(&mut messages);
            assert_eq!(messages.len(), MESSAGES * MESSAGE_BYTES);
            seen.apply(&messages);
        }
        let mut restored = Seen::default();
        restored.restore(&crowd.snapshot().unwrap());
        assert_eq!(seen, restored);
        assert_ne!(seen, Seen::default());
    }

    #[test]
    fn the_same_seed_gives_the_same_crowd() {
        let after = |seed| {
            let mut crowd = Crowd::new(seed);
            (0..10).for_each(|_| crowd.step(&mut Vec::new()));
            crowd.snapshot().unwrap().state_hash()
        };
        assert_eq!(after(1), after(1));
        assert_ne!(after(1), after(2));
    }
}
