//! The simulation: state, and what a tick does to it.

mod capture;
mod cities;
mod construct;
mod end;
mod log;
mod orders;
mod restore;
mod sight;
mod snapshot;
mod state;
mod votes;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use gametape_minewars::{Coord, StructureKind, TileKind};
use gametape_replay::{Order, Simulation};
use gametape_tape::{SimSnapshot, UnitTag};
use gametape_wire::{Result, Tick};

use crate::atlas::{Atlas, Cell};
use crate::config::Config;
use crate::dice::{Dice, Stream};
use crate::generate::{Land, generate};
use crate::order::Command;
use crate::rules::{PROTECTION, SECOND, START_MONEY, tile_yield};
use crate::units::{Unit, UnitKind, Units};

pub(crate) use log::{Ability, Collected, Log, Moment, Refusal};
pub(crate) use state::{City, Pause, Player, Tile};
pub use state::{Counters, Outcome, Reason};
pub(crate) use votes::Vote;

/// Owners of tiles: nobody and up to 15 players.
const MOST_OWNERS: usize = 16;

/// The game: a deterministic simulation that orders advance.
///
/// ```
/// use gametape_replay::Simulation;
/// use gametape_skirmish::{Config, Skirmish};
///
/// let mut game = Skirmish::new(Config::new(2, 8, 1))?;
/// game.step(&[])?;
/// let mut again = Skirmish::new(Config::new(2, 8, 1))?;
/// again.restore(&game.snapshot())?;
/// assert_eq!(again.snapshot().state_hash(), game.snapshot().state_hash());
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Skirmish {
    pub(crate) config: Config,
    pub(crate) land: Arc<Land>,
    pub(crate) atlas: Arc<Atlas>,
    pub(crate) tick: u64,
    /// Ticks that were not paused: all times are of this clock.
    pub(crate) clock: u64,
    dice: Dice,
    pub(crate) cells: Vec<Tile>,
    pub(crate) cluster_owners: Vec<u8>,
    pub(crate) cities: Vec<City>,
    pub(crate) units: Units,
    /// Structures that are being built, by tile and owner.
    pub(crate) pending: BTreeMap<(Cell, u8), UnitTag>,
    /// Players by number; nobody is number 0.
    pub(crate) players: Vec<Player>,
    /// For each player the number of own tiles and towers that see a tile: at most 49 and 121.
    pub(crate) sight: Vec<Vec<u8>>,
    /// For each city what the tiles of its region yield, by owner.
    yields: Vec<[u32; MOST_OWNERS]>,
    /// When smoke ends, in order; some ends are outdated.
    smoke: VecDeque<(u64, Cell)>,
    pub(crate) vote: Option<Vote>,
    last_vote: u8,
    pub(crate) pause: Option<Pause>,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) log: Log,
}

impl Skirmish {
    /// The match as it begins; refused when the configuration is not allowed or has no room.
    pub fn new(config: Config) -> Result<Self> {
        let land = generate(&config)?;
        let atlas = Arc::new(Atlas::new(&land));
        let mut game = Self {
            tick: 0,
            clock: 0,
            dice: Dice::new(config.seed, Stream::Play),
            cells: atlas.start.clone(),
            cluster_owners: vec![0; atlas.clusters.len()],
            cities: Vec::new(),
            units: Units::default(),
            pending: BTreeMap::new(),
            players: vec![Player::default(); config.names.len() + 1],
            sight: vec![vec![0; atlas.cell_count()]; config.names.len() + 1],
            yields: Vec::new(),
            smoke: VecDeque::new(),
            vote: None,
            last_vote: 0,
            pause: None,
            outcome: None,
            log: Log::new(atlas.cell_count()),
            land: Arc::new(land),
            atlas,
            config,
        };
        game.recount();
        game.settle();
        Ok(game)
    }

    /// Gives every player a city and the land around it.
    fn settle(&mut self) {
        let atlas = Arc::clone(&self.atlas);
        for (id, city) in atlas.cities.iter().enumerate() {
            let owner = if id < self.config.names.len() { id as u8 + 1 } else { 0 };
            if owner != 0 {
                city.around.iter().for_each(|cell| self.set_owner(*cell, owner));
                self.set_owner(city.cell, owner);
            }
            self.found_city(city.cell, owner);
        }
        for player in &mut self.players[1..] {
            player.protection_end = PROTECTION;
        }
    }

    fn found_city(&mut self, cell: Cell, owner: u8) {
        let unit = Unit { kind: UnitKind::City, owner, cell, hp: 0, construction: None };
        let tag = self.units.add(unit).unwrap_or_default();
        self.log.push(Moment::Created { tag, unit });
        self.cities.push(City {
            tag,
            money: START_MONEY,
            resources: 0,
            export: 100,
            import: 0,
            capture: None,
            building: None,
            income: 0,
        });
    }

    /// What the match started from.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Ticks that were not paused: all times of the rules are of this clock.
    #[must_use]
    pub fn clock(&self) -> u64 {
        self.clock
    }

    /// The city in whose region a tile is: its owner and its tag.
    pub(crate) fn city_of(&self, at: Coord) -> Option<(u8, UnitTag)> {
        let city = self.atlas.region(self.find(at)?)?;
        Some((self.city_owner(city), self.cities[city].tag))
    }

    /// The tile of a player's first city; the centre of the map for a player who has none.
    pub(crate) fn home_of(&self, player: u8) -> Coord {
        let home = (0..self.cities.len()).find(|city| self.city_owner(*city) == player);
        home.map_or(Coord::CENTRE, |city| self.atlas.coord(self.atlas.cities[city].cell))
    }

    /// How the match ended, once it has.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// What was counted of a player.
    #[must_use]
    pub fn counters(&self, player: u8) -> Option<Counters> {
        let player = self.players.get(usize::from(player));
        player.filter(|_| self.players.len() > 1).map(|player| player.counters)
    }

    /// Is a player still in the match?
    pub(crate) fn is_in(&self, player: u8) -> bool {
        player != 0 && self.players.get(usize::from(player)).is_some_and(|player| !player.out)
    }

    /// The players who are still in the match.
    pub(crate) fn players_in(&self) -> impl Iterator<Item = u8> {
        (1..self.players.len() as u8).filter(|player| self.is_in(*player))
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.clock * u64::from(crate::rules::TICK_MS)
    }

    pub(crate) fn tile(&self, cell: Cell) -> &Tile {
        &self.cells[cell as usize]
    }

    pub(crate) fn tile_mut(&mut self, cell: Cell) -> &mut Tile {
        &mut self.cells[cell as usize]
    }

    /// Changes the ground of a tile.
    fn set_ground(&mut self, cell: Cell, ground: TileKind) {
        let before = std::mem::replace(&mut self.tile_mut(cell).ground, ground);
        if let Some(city) = self.atlas.region(cell) {
            let owner = self.owner(cell);
            let yielded = &mut self.yields[city][usize::from(owner)];
            *yielded = *yielded - tile_yield(before) + tile_yield(ground);
        }
    }

    pub(crate) fn player_mut(&mut self, player: u8) -> &mut Player {
        &mut self.players[usize::from(player)]
    }

    pub(crate) fn owner(&self, cell: Cell) -> u8 {
        match self.atlas.cluster(cell) {
            Some(cluster) => self.cluster_owners[cluster],
            None => self.tile(cell).owner,
        }
    }

    pub(crate) fn city_owner(&self, city: usize) -> u8 {
        self.tile(self.atlas.cities[city].cell).owner
    }

    pub(crate) fn structure_at(&self, cell: Cell) -> Option<StructureKind> {
        let tag = self.tile(cell).structure?;
        self.units.get(tag).and_then(Unit::structure)
    }

    pub(crate) fn is_smoked(&self, cell: Cell) -> bool {
        self.tile(cell).smoke_end != 0
    }

    pub(crate) fn is_protected(&self, player: u8) -> bool {
        player != 0 && self.players[usize::from(player)].protection_end != 0
    }

    /// Is it land or a bridge?
    pub(crate) fn is_footing(&self, cell: Cell) -> bool {
        let tile = self.tile(cell);
        tile.ground.is_land() || tile.structure.is_some() && tile.ground == TileKind::Water
    }

    pub(crate) fn is_own_land(&self, player: u8, cell: Cell) -> bool {
        self.tile(cell).owner == player && self.is_footing(cell)
    }

    pub(crate) fn touches_own_land(&self, player: u8, cell: Cell) -> bool {
        self.atlas.neighbours(cell).any(|beside| self.is_own_land(player, beside))
    }

    pub(crate) fn find(&self, coord: Coord) -> Option<Cell> {
        self.atlas.find(coord)
    }

    /// What tick by tick happens without orders.
    fn pass_time(&mut self) {
        if let Some(pause) = &mut self.pause {
            pause.ticks_left -= 1;
            if pause.ticks_left == 0 {
                self.end_pause();
            }
            return;
        }
        self.log.clock = Some(self.clock);
        self.end_smoke();
        self.end_spells();
        self.expire_vote();
        self.advance_cities();
        if self.clock.is_multiple_of(SECOND) {
            self.run_economy();
            self.log.cities_touched = true;
        }
        self.drop_the_homeless();
        self.check_end();
        self.clock += 1;
    }

    fn end_smoke(&mut self) {
        while let Some(&(end, cell)) = self.smoke.front() {
            if end > self.clock {
                return;
            }
            self.smoke.pop_front();
            if self.tile(cell).smoke_end <= self.clock {
                self.tile_mut(cell).smoke_end = 0;
                self.log.touch(cell);
            }
        }
    }

    fn end_spells(&mut self) {
        for player in 1..self.players.len() as u8 {
            self.end_spells_of(player, self.clock);
        }
    }

    /// Ends time-out and protection that last until `clock` or less.
    fn end_spells_of(&mut self, player: u8, clock: u64) {
        let is_over = |end: u64| end != 0 && end <= clock;
        let state = self.player_mut(player);
        if is_over(state.timeout_end) {
            state.timeout_end = 0;
            self.log.push(Moment::Resumed { player });
        }
        let state = self.player_mut(player);
        if is_over(state.protection_end) {
            state.protection_end = 0;
            self.log.push(Moment::Unprotected { player });
        }
    }

    /// Carries an order out or refuses it, and notes which.
    fn take_order(&mut self, order: &Order<'_>) {
        let player = order.player.number();
        if player == 0 || usize::from(player) >= self.players.len() {
            self.log.answers.push(Err(Refusal::NoPlayer));
            return;
        }
        let answer = match Command::from_bytes(order.payload) {
            Ok(command) => self.execute(player, &command),
            Err(_) => Err(Refusal::NoOrder),
        };
        let counters = &mut self.player_mut(player).counters;
        let counter = if answer.is_ok() { &mut counters.orders } else { &mut counters.refused };
        *counter = counter.saturating_add(1);
        self.log.answers.push(answer);
    }
}

impl Simulation for Skirmish {
    fn tick(&self) -> Tick {
        Tick(self.tick)
    }

    fn step(&mut self, orders: &[Order<'_>]) -> Result<()> {
        if self.tick > 0 {
            // What the settlers did belongs to the first tick.
            self.log.clear();
        }
        let mut sorted: Vec<&Order<'_>> = orders.iter().collect();
        sorted.sort_by_key(|order| order.player);
        sorted.into_iter().for_each(|order| self.take_order(order));
        if self.outcome.is_none() {
            self.pass_time();
        }
        self.tick += 1;
        Ok(())
    }

    fn snapshot(&self) -> SimSnapshot {
        self.take_snapshot()
    }

    fn restore(&mut self, snapshot: &SimSnapshot) -> Result<()> {
        *self = self.restored(snapshot)?;
        Ok(())
    }

    fn copy(&self) -> Option<(Self, usize)> {
        Some((self.clone(), self.memory()))
    }
}

impl Skirmish {
    /// About how many bytes a copy takes; what copies share is not counted.
    fn memory(&self) -> usize {
        let sight: usize = self.sight.iter().map(|cells| size_of_val(&cells[..])).sum();
        size_of::<Self>()
            + size_of_val(&self.cells[..])
            + size_of_val(&self.yields[..])
            + sight
            + self.units.memory()
    }
}
