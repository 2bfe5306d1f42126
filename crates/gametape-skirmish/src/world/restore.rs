//! A game from a snapshot: nothing is taken that no game would have made.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use gametape_minewars::{Coord, StructureKind, TileKind};
use gametape_tape::{SimCoreSnapshot, SimSnapshot, UnitTag};
use gametape_wire::{Error, ErrorKind, Reader, Result};

use super::{City, Log, Outcome, Pause, Player, Skirmish, Tile, Vote};
use crate::order::VoteKind;
use crate::rules::{TICK_MS, full_hp, structure_points};
use crate::units::{Construction, Unit, UnitKind, Units};

impl Skirmish {
    /// A game of the same configuration in the state of a snapshot.
    pub(super) fn restored(&self, snapshot: &SimSnapshot) -> Result<Self> {
        let core = &snapshot.core;
        if core.seed != self.config.seed || core.map_hash != self.atlas.map_hash {
            return Err(Error::misuse("snapshot", "it is of another match"));
        }
        let mut game = Self {
            tick: core.tick.0,
            config: self.config.clone(),
            land: Arc::clone(&self.land),
            atlas: Arc::clone(&self.atlas),
            clock: 0,
            dice: self.dice.clone(),
            cells: self.atlas.start.clone(),
            cluster_owners: Vec::new(),
            cities: Vec::new(),
            units: Units::default(),
            pending: BTreeMap::new(),
            players: vec![Player::default(); self.players.len()],
            sight: vec![vec![0; self.atlas.cell_count()]; self.players.len()],
            yields: Vec::new(),
            smoke: VecDeque::new(),
            vote: None,
            last_vote: 0,
            pause: None,
            outcome: None,
            log: Log::new(self.atlas.cell_count()),
        };
        let mut r = Reader::new(&core.random_state);
        game.dice.set_draws(r.u64_be("random state")?);
        r.finish("random state")?;
        game.restore_players(core)?;
        game.restore_map(core)?;
        game.restore_sections(core)?;
        game.restore_units(core)?;
        game.check_times()?;
        game.recount();
        // Whatever else it says, or says otherwise than a game would, is no state of a game.
        let own = game.take_snapshot_without_map();
        let same = without_map(&own) == without_map(snapshot);
        same.then_some(game).ok_or_else(|| wrong("snapshot", "not in canonical form"))
    }

    /// No time may lie so far ahead that reckoning with it overflows.
    fn check_times(&self) -> Result<()> {
        let latest = self.clock.saturating_add(u64::from(u16::MAX));
        let times = self.players.iter().flat_map(|player| {
            let ready = player.ready_at / u64::from(TICK_MS);
            [ready, player.strike_ready, player.timeout_end, player.protection_end]
        });
        let captures = self.cities.iter().filter_map(|city| Some(city.capture?.1));
        let smoke = self.smoke.iter().map(|(end, _)| *end);
        let votes = self.vote.iter().map(|vote| vote.end);
        let mut all = times.chain(captures).chain(smoke).chain(votes);
        let fits = self.clock <= self.tick && all.all(|time| time <= latest);
        fits.then_some(()).ok_or_else(|| wrong("snapshot", "a time too far ahead"))
    }

    fn restore_players(&mut self, core: &SimCoreSnapshot) -> Result<()> {
        for number in 1..self.players.len() {
            let row = core.players.get(&(number as u8)).ok_or_else(|| missing("player"))?;
            let mut slots = row.slots();
            let mut field = |wanted| match slots.next() {
                Some((slot, bytes)) if slot == wanted => Ok(bytes),
                _ => Err(missing("field of a player")),
            };
            self.players[number] = Player::read(field(0)?, field(1)?, field(2)?)?;
        }
        let expected = core.players.len() == self.players.len() - 1;
        expected.then_some(()).ok_or_else(|| wrong("players", "more than the match has"))
    }

    fn restore_map(&mut self, core: &SimCoreSnapshot) -> Result<()> {
        let players = self.players.len() as u8;
        let mut smoke = Vec::new();
        for (at, bytes) in core.map.iter() {
            let coord = i8::try_from(at.y).ok().zip(i8::try_from(at.x).ok()).filter(|_| at.z == 0);
            let cell = coord.and_then(|(y, x)| self.find(Coord::new(y, x)));
            let cell = cell.ok_or_else(|| wrong("map cell", "not on the map"))?;
            let tile = Tile::read(bytes, players)?;
            let cluster = self.atlas.cluster(cell).is_some();
            let same_sort = tile.ground.is_land() == self.tile(cell).ground.is_land()
                && (tile.ground.is_land() || tile.ground == self.tile(cell).ground);
            if !same_sort || cluster && tile.owner != 0 {
                return Err(wrong("map cell", "ground or owner that it cannot have"));
            }
            if tile == *self.tile(cell) {
                return Err(wrong("map cell", "it is as it was at the start"));
            }
            if tile.smoke_end != 0 {
                smoke.push((tile.smoke_end, cell));
            }
            *self.tile_mut(cell) = tile;
        }
        smoke.sort_unstable();
        self.smoke = smoke.into();
        Ok(())
    }

    fn restore_sections(&mut self, core: &SimCoreSnapshot) -> Result<()> {
        let section = |name: &'static str| {
            let content = core.sections.get(&name.to_owned());
            content.map(Reader::new).ok_or_else(|| missing(name))
        };
        let mut r = section("clock")?;
        self.clock = r.u64_be("clock")?;
        r.finish("clock")?;
        let players = self.players.len() as u8;
        let clusters = section("clusters")?.rest().to_vec();
        if clusters.len() != self.atlas.clusters.len() || clusters.iter().any(|o| *o >= players) {
            return Err(wrong("clusters", "not one owner for each"));
        }
        self.cluster_owners = clusters;
        self.outcome = Outcome::read(&section("outcome")?, players)?;
        self.pause = read_pause(section("pause")?, players)?;
        let generations = section("slots")?.rest();
        let (pairs, odd) = generations.as_chunks::<2>();
        if !odd.is_empty() || pairs.len() > 1 << 16 {
            return Err(wrong("slots", "not two bytes each, or too many"));
        }
        self.units = Units::with_generations(pairs.iter().map(|pair| u16::from_be_bytes(*pair)));
        let mut r = section("vote")?;
        self.last_vote = r.u8("vote")?;
        self.vote = if r.is_empty() { None } else { Some(read_vote(&mut r, self.last_vote)?) };
        r.finish("vote")
    }

    fn restore_units(&mut self, core: &SimCoreSnapshot) -> Result<()> {
        let mut cities = vec![None; self.atlas.cities.len()];
        let mut builders = Vec::new();
        for row in core.entities.iter() {
            let slots: Vec<(u8, &[u8])> = row.slots().collect();
            let tag = *row.key;
            let (unit, city) = self.read_unit(&slots, tag)?;
            self.place_unit(tag, unit)?;
            if let Some(work) = unit.construction {
                builders.push((work.city, tag));
            }
            if let Some((id, city)) = city {
                cities[id] = Some(city);
            }
        }
        self.units.find_free();
        let cities: Option<Vec<City>> = cities.into_iter().collect();
        self.cities = cities.ok_or_else(|| missing("city"))?;
        for (city, tag) in builders {
            let city = self.cities.get_mut(usize::from(city)).ok_or_else(|| missing("city"))?;
            if city.building.replace(tag).is_some() {
                return Err(wrong("construction", "a second one of one city"));
            }
        }
        Ok(())
    }

    fn place_unit(&mut self, tag: UnitTag, unit: Unit) -> Result<()> {
        let free = match (unit.construction, unit.kind) {
            (Some(_), _) => self.pending.insert((unit.cell, unit.owner), tag).is_none(),
            (None, UnitKind::Structure(_)) => {
                let tile = self.tile_mut(unit.cell);
                tile.owner == unit.owner && tile.structure.replace(tag).is_none()
            }
            (None, UnitKind::City) => self.tile(unit.cell).owner == unit.owner,
        };
        let wet = self.tile(unit.cell).ground == TileKind::Water;
        let bridge = unit.structure() == Some(StructureKind::Bridge);
        let placed = free && wet == bridge && self.units.put(tag, unit);
        placed.then_some(()).ok_or_else(|| wrong("entity", "its position or slot is taken"))
    }

    fn read_unit(
        &self,
        slots: &[(u8, &[u8])],
        tag: UnitTag,
    ) -> Result<(Unit, Option<(usize, City)>)> {
        let &[(0, &[kind]), (1, &[owner]), (2, &[y, x]), (slot, rest), ref capture @ ..] = slots
        else {
            return Err(wrong("entity", "other components than one has"));
        };
        let kind = UnitKind::from_code(kind).ok_or_else(|| wrong("entity", "unknown kind"))?;
        let cell =
            self.find(Coord::from_wire([y, x])).ok_or_else(|| wrong("entity", "off the map"))?;
        let city_here = self.atlas.city_at(cell);
        let mut unit = Unit { kind, owner, cell, hp: 0, construction: None };
        if usize::from(owner) >= self.players.len() || self.atlas.cluster(cell).is_some() {
            return Err(wrong("entity", "owner or position that it cannot have"));
        }
        let mut r = Reader::new(rest);
        let mut city = None;
        match (kind, slot, city_here) {
            (UnitKind::Structure(kind), 3, None) => {
                unit.hp = r.u8("hit points")?;
                if !(1..=full_hp(kind)).contains(&unit.hp) {
                    return Err(wrong("entity", "hit points that it cannot have"));
                }
            }
            (UnitKind::Structure(kind), 4, None) if owner != 0 => {
                let work = Construction {
                    city: r.u8("construction")?,
                    done: r.u16_be("construction")?,
                    rate: r.u16_be("construction")?,
                };
                if work.done >= structure_points(kind) {
                    return Err(wrong("entity", "a construction that is finished"));
                }
                unit.construction = Some(work);
            }
            (UnitKind::City, 5, Some(id)) if r.u8("city")? == id as u8 => {
                city = Some((id, self.read_city(&mut r, tag, capture)?));
            }
            _ => return Err(wrong("entity", "other components than its kind has")),
        }
        r.finish("entity")?;
        if !capture.is_empty() && city.is_none() {
            return Err(wrong("entity", "a capture of what is no city"));
        }
        Ok((unit, city))
    }

    fn read_city(&self, r: &mut Reader<'_>, tag: UnitTag, capture: &[(u8, &[u8])]) -> Result<City> {
        let capture = match capture {
            [] => None,
            [(6, bytes)] => {
                let mut r = Reader::new(bytes);
                let capture = (r.u8("capture")?, r.u64_be("capture")?);
                r.finish("capture")?;
                Some(capture)
            }
            _ => return Err(wrong("entity", "other components than a city has")),
        };
        if capture.is_some_and(|(by, _)| by == 0 || usize::from(by) >= self.players.len()) {
            return Err(wrong("capture", "no such player"));
        }
        let city = City {
            tag,
            money: r.u32_be("city")?,
            resources: r.u16_be("city")?,
            export: r.u8("city")?,
            import: r.u8("city")?,
            income: r.u16_be("city")?,
            capture,
            building: None,
        };
        let fits = city.export <= 100 && city.import <= 100 && city.money <= i32::MAX as u32;
        fits.then_some(city).ok_or_else(|| wrong("city", "values that it cannot have"))
    }
}

/// All of a snapshot but the tiles: those are known to be in canonical form once they were read.
fn without_map(snapshot: &SimSnapshot) -> impl PartialEq {
    let SimSnapshot { core, campaign_state, script_state } = snapshot;
    let SimCoreSnapshot { tick, seed, map_hash, random_state, intern_table, .. } = core;
    let tables = (&core.entities, &core.players, &core.sections);
    (tick, seed, map_hash, random_state, intern_table, tables, campaign_state, script_state)
}

fn read_pause(mut r: Reader<'_>, players: u8) -> Result<Option<Pause>> {
    let pause = Pause { by: r.u8("pause")?, ticks_left: r.u16_be("pause")? };
    r.finish("pause")?;
    match pause {
        Pause { by: 0, ticks_left: 0 } => Ok(None),
        Pause { by, ticks_left: 1.. } if (1..players).contains(&by) => Ok(Some(pause)),
        _ => Err(wrong("pause", "of nobody, or of no time")),
    }
}

fn read_vote(r: &mut Reader<'_>, id: u8) -> Result<Vote> {
    let kind = VoteKind::from_bytes(r.array("vote")?);
    let vote = Vote {
        id,
        kind: kind.ok_or_else(|| wrong("vote", "unknown kind"))?,
        caller: r.u8("vote")?,
        end: r.u64_be("vote")?,
        yes: r.u16_be("vote")?,
        no: r.u16_be("vote")?,
    };
    let fits = vote.caller < 16 && !matches!(vote.kind, VoteKind::Kick(16..));
    fits.then_some(vote).ok_or_else(|| wrong("vote", "no such player"))
}

fn missing(item: &'static str) -> Error {
    wrong(item, "missing in the snapshot")
}

pub(super) fn wrong(item: &'static str, problem: &'static str) -> Error {
    Error::new(
        gametape_wire::Place::Nowhere,
        item,
        ErrorKind::BadSyntax { problem: problem.into() },
    )
}
