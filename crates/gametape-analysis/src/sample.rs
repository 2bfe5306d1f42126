//! Invented events: for tests, fuzzing and benchmarks, the same for the same seed everywhere.

use gametape_tape::UnitTag;
use gametape_wire::Tick;

use crate::event::field::Field;
use crate::event::table::{AnalysisEvent, EventKind};
use crate::event::types::{MatchOutcome, NameId, PlayerStats, UnitTraits, WorldPos};

/// Numbers that look like chance (SplitMix64).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Begins at a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.number() % end.max(1)
    }

    /// A number of any length in bits: small ones are as likely as large ones.
    pub(crate) fn any_size(&mut self) -> u64 {
        let bits = self.below(65);
        self.number().checked_shr(64 - bits as u32).unwrap_or(0)
    }
}

/// An event of a kind whose fields are chance.
pub fn event(kind: EventKind, tick: Tick, random: &mut Random) -> AnalysisEvent {
    AnalysisEvent::sample(kind, tick, random)
}

/// A list of chance.
pub(crate) fn list<T: Field>(random: &mut Random) -> Vec<T> {
    let length = random.below(5) * random.below(4);
    (0..length).map(|_| T::sample(random)).collect()
}

/// Names that the events of [`played`] refer to.
pub const NAMES: [&str; 8] =
    ["tank", "tower", "refinery", "gold", "armour", "strike", "last one standing", "timeout"];

/// Ticks of [`played`] in a second.
pub const TICKS_A_SECOND: u64 = 20;
const PLAYERS: u8 = 6;

/// The events of an invented match of six players: construction all the time, statistics every
/// five seconds, a battle every minute, position samples while it lasts. Ascending by tick.
#[must_use]
pub fn played(minutes: u64, seed: u64) -> Vec<AnalysisEvent> {
    let mut random = Random::new(seed);
    let mut events = Vec::new();
    for second in 0..minutes * 60 {
        let tick = Tick(second * TICKS_A_SECOND);
        economy(&mut events, tick, &mut random);
        if second % 5 == 0 {
            events.extend((1..=PLAYERS).map(|player| snapshot(tick, player, second, &mut random)));
        }
        // The first battle comes after two minutes; each lasts 20 seconds.
        if second >= 120 && second % 60 < 20 {
            battle(&mut events, tick, second / 60, second % 60, &mut random);
        }
    }
    let tick = Tick(minutes * 60 * TICKS_A_SECOND);
    let outcome = MatchOutcome::Completed { winner: 1, reason: NameId(6) };
    events.push(AnalysisEvent::MatchEnded { tick, outcome });
    events.sort_by_key(AnalysisEvent::tick);
    events
}

fn position(random: &mut Random) -> WorldPos {
    let mut axis = || (random.below(96) as i32 - 48) * WorldPos::PER_CELL;
    WorldPos { x: axis(), y: axis(), z: 0 }
}

fn unit(random: &mut Random) -> UnitTag {
    UnitTag { index: random.below(2000) as u16, generation: random.below(4) as u16 }
}

fn player(random: &mut Random) -> u8 {
    1 + random.below(PLAYERS.into()) as u8
}

fn economy(events: &mut Vec<AnalysisEvent>, tick: Tick, random: &mut Random) {
    let (tag, owner, pos) = (unit(random), player(random), position(random));
    let unit_type = NameId(random.below(3) as u32);
    let resource_type = NameId(3);
    events.extend([
        AnalysisEvent::ConstructionStarted { tick, tag, unit_type, owner, pos },
        AnalysisEvent::ConstructionCompleted { tick: tick + 9, tag },
        AnalysisEvent::UnitCreated { tick: tick + 9, tag, unit_type, owner, pos },
        AnalysisEvent::ResourceCollected { tick, player: owner, resource_type, amount: 25 },
    ]);
    match random.below(60) {
        0 => events.push(AnalysisEvent::UpgradeCompleted {
            tick,
            player: owner,
            upgrade_id: NameId(4),
        }),
        1 => events.push(AnalysisEvent::GameEvent {
            tick,
            what: NameId(7),
            player: Some(owner),
            tag: None,
            pos: Some(pos),
            value: 100,
        }),
        _ => {}
    }
}

fn snapshot(tick: Tick, player: u8, second: u64, random: &mut Random) -> AnalysisEvent {
    let stats = PlayerStats {
        credits: random.below(5000) as i64,
        income: 600 + second as i64,
        army_value: (100 * second + random.below(20_000)) as i64,
        structures: (second / 20) as u32,
        units: (second / 10) as u32,
        territory: (second + random.below(50)) as u32,
        kills: (second / 7) as u32,
        losses: (second / 8) as u32,
        value_killed: second as i64 * 15,
        value_lost: second as i64 * 14,
        actions_per_minute: 60 + random.below(120) as u32,
    };
    AnalysisEvent::PlayerStatSnapshot { tick, player, stats }
}

/// One second of a battle.
fn battle(
    events: &mut Vec<AnalysisEvent>,
    tick: Tick,
    number: u64,
    second: u64,
    random: &mut Random,
) {
    let (center_pos, engagement_id) = (position(random), number as u32);
    if second == 0 {
        events.push(AnalysisEvent::EngagementStarted {
            tick,
            center_pos,
            friendly_units: (0..8).map(|_| unit(random)).collect(),
            enemy_units: (0..8).map(|_| unit(random)).collect(),
            value_friendly: 800,
            value_enemy: 900,
            engagement_id,
        });
    }
    for step in 0..random.below(8) {
        events.push(death(tick + step, random));
    }
    // Units in a crowd of four cells.
    let around = |index: u16, half: u64| {
        let step = |of: i32| (i32::from(index) * of + half as i32 * 9) % 4096 - 2048;
        WorldPos { x: center_pos.x + step(611), y: center_pos.y + step(1499), z: 0 }
    };
    for half in [0, TICKS_A_SECOND / 2] {
        let unit = |index| (UnitTag { index, generation: 0 }, around(index, half));
        let positions = (0..40).map(unit).collect();
        events.push(AnalysisEvent::UnitPositionSample { tick: tick + half, positions });
    }
    if second == 19 {
        events.push(AnalysisEvent::EngagementEnded {
            tick,
            center_pos,
            friendly_losses: 5,
            enemy_losses: 6,
            friendly_survivors: 3,
            enemy_survivors: 2,
            duration_ticks: 19 * TICKS_A_SECOND,
            engagement_id,
        });
    }
}

fn death(tick: Tick, random: &mut Random) -> AnalysisEvent {
    let owner = player(random);
    AnalysisEvent::UnitDestroyed {
        tick,
        tag: unit(random),
        killer_tag: Some(unit(random)),
        killer_owner: Some(1 + owner % PLAYERS),
        owner,
        unit_type: NameId(random.below(3) as u32),
        pos: position(random),
        value: 50 + random.below(200) as i64,
        traits: if random.below(4) == 0 { UnitTraits::STRUCTURE } else { UnitTraits::NONE },
    }
}
