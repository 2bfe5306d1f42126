//! What each view may know, computed from the full state the slow way: every tick, every tile.
//!
//! Independent of sight counts, of touched tiles and of messages. Only what is an instant, not a
//! state (explosions, reveals, payments, chat), is taken from the log.

use std::collections::BTreeMap;

use gametape_minewars::Generation;
use gametape_minewars::{
    CityState, ClientState, Coord, FlagState, Gone, ItemKind, Pending, PlayerState, StructureKind,
    TileState, ViewState, VoteState,
};
use gametape_tape::UnitTag;
use gametape_wire::{SortedMap, View};

use super::people::vote_text;
use crate::atlas::Cell;
use crate::generate::distance;
use crate::rules::{SECOND, full_hp, structure_points};
use crate::units::Unit;
use crate::world::{City, Moment, Skirmish, Tile};

/// What one view may know.
#[derive(Debug, Clone)]
pub(crate) struct Oracle {
    view: u8,
    generation: Generation,
    tiles: Vec<TileState>,
    clusters: Vec<u8>,
    cities: Vec<CityState>,
    rtt: BTreeMap<u8, u32>,
    before: Option<Vec<City>>,
    /// The tiles and units of the tick before.
    cells: Vec<Tile>,
    units: Vec<(UnitTag, Unit)>,
    /// For each tile in ring order: is it in sight?
    pub(crate) sight: Vec<bool>,
}

impl Oracle {
    pub(crate) fn new(game: &Skirmish, view: View, generation: Generation) -> Self {
        let state = ViewState::new(&game.land.map, view, generation);
        Self {
            view: view.number(),
            generation,
            tiles: state.tiles().map(|(_, tile)| tile).collect(),
            clusters: vec![0; game.cluster_owners.len()],
            cities: vec![CityState::default(); game.cities.len()],
            rtt: BTreeMap::new(),
            before: None,
            cells: Vec::new(),
            units: Vec::new(),
            sight: Vec::new(),
        }
    }

    fn is_me(&self, player: u8) -> bool {
        self.view != 0 && self.view == player
    }

    /// Tiles within 3 of own land, and 5 of own towers.
    fn look(&mut self, game: &Skirmish) {
        let order = &game.atlas.ring_order;
        self.sight = vec![self.view == 0; order.len()];
        if self.view == 0 {
            return;
        }
        for &own in order {
            let tile = &game.cells[own as usize];
            let kind = tile.structure.and_then(|tag| game.units.get(tag)?.structure());
            let footing = tile.ground.is_land() || kind == Some(StructureKind::Bridge);
            if tile.owner != self.view || !footing {
                continue;
            }
            let reach = if kind == Some(StructureKind::Tower) { 5 } else { 3 };
            let at = game.atlas.coord(own);
            for y in -reach..=reach {
                for x in -reach..=reach {
                    let there = Coord::new(at.y + y, at.x + x);
                    let near = distance(game.config.grid, at, there) <= reach as u16;
                    let index = game.config.grid.index_of(there).filter(|p| *p < order.len());
                    if let Some(index) = index.filter(|_| near) {
                        self.sight[index] = true;
                    }
                }
            }
        }
    }

    /// Learns what a tick brought; false when the whole world is as it was and nothing happened.
    pub(crate) fn learn(&mut self, game: &Skirmish) -> bool {
        let units: Vec<_> = game.units.iter().map(|(tag, unit)| (tag, *unit)).collect();
        let same = self.cells == game.cells && self.units == units;
        if same && self.before.as_ref() == Some(&game.cities) && game.log.moments.is_empty() {
            return false;
        }
        if !same {
            self.look(game);
            (self.cells, self.units) = (game.cells.clone(), units);
        }
        self.instants(game);
        self.eliminations(game);
        for index in 0..self.tiles.len() {
            self.tile(game, index);
        }
        self.cluster_owners(game);
        for city in 0..self.cities.len() {
            self.city(game, city);
        }
        self.before = Some(game.cities.clone());
        true
    }

    /// Items come and go in the order in which it happened.
    fn instants(&mut self, game: &Skirmish) {
        let index = |cell: Cell| game.atlas.ring_order.iter().position(|c| *c == cell).unwrap();
        for moment in &game.log.moments {
            match *moment {
                Moment::Exploded { cell } => self.tiles[index(cell)].item = ItemKind::None,
                Moment::Revealed { player, cell, item } if self.is_me(player) => {
                    self.tiles[index(cell)].item = item;
                }
                Moment::Captured { cell, from, .. } if self.is_me(from) => {
                    self.tiles[index(cell)].item = ItemKind::None;
                }
                _ => {}
            }
        }
    }

    /// What belonged to players who are out is nobody's, as far as it is known to have been theirs.
    fn eliminations(&mut self, game: &Skirmish) {
        let gone = |owner: u8| owner != 0 && !game.is_in(owner);
        for tile in &mut self.tiles {
            if gone(tile.owner) {
                (tile.owner, tile.digit) = (0, None);
            }
        }
        for owner in &mut self.clusters {
            if gone(*owner) {
                *owner = 0;
            }
        }
    }

    fn tile(&mut self, game: &Skirmish, index: usize) {
        let cell = game.atlas.ring_order[index];
        let (seen, view) = (self.sight[index], self.view);
        let actual = &game.cells[cell as usize];
        let known = &mut self.tiles[index];
        known.kind = actual.ground;
        let own = view != 0 && actual.owner == view;
        let lost = view != 0 && known.owner == view;
        if game.atlas.cluster(cell).is_none() {
            if seen || own || lost {
                known.owner = actual.owner;
            }
            known.digit = own.then(|| game.digit(view, cell));
        }
        if own || view == 0 {
            known.item = actual.item;
        }
        if seen {
            let unit = actual.structure.and_then(|tag| game.units.get(tag));
            known.structure = unit.and_then(Unit::structure);
            known.hp = match (known.structure, unit) {
                (Some(kind), Some(unit)) if unit.hp < full_hp(kind) => unit.hp,
                _ => 0,
            };
            known.smoke = actual.smoke_end != 0;
        }
        let flag = (1..16u8).find(|p| actual.flags & 1 << p != 0 && (view == 0 || view == *p));
        known.flag = flag.map(|player| match self.generation {
            Generation::V01 => FlagState::Unnamed,
            Generation::Current => FlagState::Of(player),
        });
        known.pending = pending(&self.units, cell, view);
    }

    fn cluster_owners(&mut self, game: &Skirmish) {
        for (number, cluster) in game.atlas.clusters.iter().enumerate() {
            let seen = |index: &usize| {
                self.sight[*index] && cluster.cells.contains(&game.atlas.ring_order[*index])
            };
            let actual = game.cluster_owners[number];
            let mine = self.is_me(actual) || self.is_me(self.clusters[number]);
            if mine || (0..self.sight.len()).any(|index| seen(&index)) {
                self.clusters[number] = actual;
            }
        }
        for (index, cell) in game.atlas.ring_order.iter().enumerate() {
            if let Some(cluster) = game.atlas.cluster(*cell) {
                self.tiles[index].owner = self.clusters[cluster];
            }
        }
    }

    fn city(&mut self, game: &Skirmish, id: usize) {
        let cell = game.atlas.cities[id].cell;
        let index = game.atlas.ring_order.iter().position(|c| *c == cell).unwrap();
        let (seen, owner) = (self.sight[index], game.cells[cell as usize].owner);
        let first = self.before.is_none();
        let current = self.generation == Generation::Current;
        let before = self.before.as_ref().map(|cities| cities[id].clone());
        let actual = &game.cities[id];
        let open = owner != 0 && (self.view == 0 || self.view == owner);
        let known = &mut self.cities[id];
        let gained = before.as_ref().is_some_and(|before| before.tag != actual.tag);
        if seen && current {
            let old = before.and_then(|before| before.capture);
            if old != actual.capture && !gained {
                if let Some((by, _)) = old {
                    let around = game.atlas.cities[id].around.iter();
                    let mut owners = around.map(|cell| game.cells[*cell as usize].owner);
                    let rival = owners.find(|owner| *owner != by).filter(|owner| *owner != 0);
                    known.contested_by = rival.or(known.contested_by);
                }
                known.capturing = actual.capture.map(|(by, _)| (by, 5000)).or(known.capturing);
            }
            if owner != 0 && owner != known.owner {
                (known.owner, known.capturing, known.contested_by) = (owner, None, None);
            }
        }
        if !open {
            return;
        }
        if !gained {
            for moment in &game.log.moments {
                if let Moment::Paid { city, amount } = *moment
                    && city == id
                {
                    known.money = match self.generation {
                        Generation::V01 if amount > 0 => Some(actual.money),
                        _ => known.money.map(|money| money.saturating_add_signed(amount)),
                    };
                }
            }
        }
        let due = game.log.clock.is_some_and(|clock| clock % (5 * SECOND) == 0);
        if first || due || gained {
            (known.money, known.income) = (Some(actual.money), Some(actual.income));
        }
        known.resources = Some(actual.resources);
        known.trade = Some((actual.export, actual.import));
    }

    /// Notes a round trip that was reported.
    pub(crate) fn note_rtt(&mut self, player: u8, ms: u32) {
        self.rtt.insert(player, ms);
    }

    /// Says where a state is not exactly what the view may know.
    pub(crate) fn compare(&self, game: &Skirmish, state: &ViewState) -> Option<String> {
        for ((coord, knows), known) in state.tiles().zip(&self.tiles) {
            if knows != *known {
                return Some(format!("tile {coord}:\n knows {knows:?}\n may know {known:?}"));
            }
        }
        let knows: BTreeMap<u8, &CityState> = state.cities().collect();
        let unknown = CityState::default();
        for (id, known) in self.cities.iter().enumerate() {
            let knows = knows.get(&(id as u8)).copied().unwrap_or(&unknown);
            if knows != known {
                return Some(format!("city {id}:\n knows {knows:?}\n may know {known:?}"));
            }
        }
        self.compare_people(game, state)
    }

    fn compare_people(&self, game: &Skirmish, state: &ViewState) -> Option<String> {
        let current = self.generation == Generation::Current;
        let mut seen = 0;
        for (id, knows) in state.players().filter(|(id, _)| *id != 0) {
            let player = &game.players[usize::from(id)];
            let client = ClientState {
                name: game.config.names[usize::from(id) - 1].clone().into_bytes(),
                rtt: self.rtt.get(&id).copied(),
                gone: match (player.kicked, player.left) {
                    (true, _) => Some(Gone::Kicked),
                    (false, true) => Some(Gone::Left),
                    (false, false) => None,
                },
            };
            let may_count = current && (self.view == 0 || self.view == id);
            let known = PlayerState {
                clients: SortedMap::from_iter([(0, client)]),
                lives: may_count.then_some(player.cities),
                timeout: (player.timeout_end != 0).then_some(5000),
                protected: player.protection_end != 0,
                eliminated: player.out,
                surrendered: player.surrendered,
            };
            if *knows != known {
                return Some(format!("player {id}:\n knows {knows:?}\n may know {known:?}"));
            }
            seen += 1;
        }
        if seen != game.config.names.len() {
            return Some("not all players are known".to_owned());
        }
        let known = game.vote.map(|vote| {
            let cast = |bits: u16, ballot: u8| {
                (1..16u8).filter(move |p| bits & 1 << p != 0).map(move |p| ((p, 0), ballot))
            };
            let ballots = cast(vote.yes, 1).chain(cast(vote.no, 0)).collect();
            (vote.id, VoteState { text: vote_text(vote.kind).into_bytes(), ballots })
        });
        let knows: Vec<(u8, VoteState)> =
            state.votes().map(|(id, vote)| (id, vote.clone())).collect();
        let known: Vec<(u8, VoteState)> = known.into_iter().collect();
        let minutes = game.clock.saturating_sub(1) / (60 * SECOND);
        let left = game.config.time_limit.saturating_sub(60 * minutes as u16);
        if knows != known || state.time_limit() != current.then_some(left) {
            return Some(format!("votes or time: knows {knows:?}, may know {known:?}"));
        }
        None
    }
}

fn pending(units: &[(UnitTag, Unit)], cell: Cell, view: u8) -> Option<Pending> {
    let here = units.iter().filter(|(_, unit)| unit.construction.is_some() && unit.cell == cell);
    let open = here.filter(|(_, unit)| view == 0 || unit.owner == view);
    let (_, unit) = open.min_by_key(|(_, unit)| unit.owner)?;
    let (kind, work) = (unit.structure()?, unit.construction?);
    let points = structure_points(kind);
    Some(Pending { kind: Some(kind), points, current: work.done, rate: work.rate })
}
