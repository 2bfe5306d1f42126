//! What a bot plans: the most urgent orders first.

use gametape_minewars::{Coord, ItemKind, StructureKind, TileKind, TileState, ViewState};
use gametape_wire::Tick;

use super::Bot;
use super::chart::Chart;
use crate::order::Command;
use crate::rules::{SMOKE_COST, STRIKE_COST, STRIKE_PAUSE};

/// How often a plan begins at home, in percent.
const VIGILANCE: u64 = 60;
/// Most orders of one plan.
const PLAN_LENGTH: usize = 12;

impl Bot {
    /// Makes a new plan, the most urgent orders first.
    pub(super) fn make_plan(&mut self, tick: Tick, view: &ViewState) {
        let chart = Chart::new(self.player, view, &self.briefing);
        self.planned_at = tick;
        let mut plan = Vec::new();
        if self.dice.chance(VIGILANCE) {
            self.defend(&chart, view, tick, &mut plan);
        }
        self.advance(&chart, view, &mut plan);
        if plan.len() < 4 {
            self.flag_items(&chart, &mut plan);
            self.gamble(&chart, view, tick, &mut plan);
        }
        self.strike_structures(&chart, view, tick, &mut plan);
        if self.dice.chance(self.traits.build) || plan.is_empty() {
            self.develop(&chart, view, &mut plan);
        }
        plan.truncate(PLAN_LENGTH);
        plan.reverse();
        self.plan = plan;
    }

    fn coord(&self, tile: u32) -> Coord {
        self.briefing.coords[tile as usize]
    }

    fn money(&self, view: &ViewState) -> u32 {
        let own = view.cities().filter(|(id, _)| {
            let at = self.briefing.cities.get(usize::from(*id));
            at.and_then(|at| view.tile(self.coord(*at))).is_some_and(|t| t.owner == self.player)
        });
        own.filter_map(|(_, city)| city.money).max().unwrap_or(0)
    }

    fn land_around(&self, chart: &Chart, city: u32) -> Vec<u32> {
        let around = self.briefing.around(city).iter().copied();
        around.filter(|tile| chart.tile(*tile).kind.is_land()).collect()
    }

    /// A city of others all of whose land is own: with smoke over it, nobody can take that back in
    /// time.
    fn besieged(&self, view: &ViewState) -> Option<u32> {
        let tile = |tile: u32| view.tile(self.coord(tile));
        let own = |tile: &TileState| tile.owner == self.player;
        let falls = |city: &&u32| {
            let around = self.briefing.around(**city).iter().filter_map(|beside| tile(*beside));
            let mut land = around.filter(|tile| tile.kind.is_land());
            tile(**city).is_some_and(|city| city.owner != 0 && !own(&city) && !city.smoke)
                && land.all(|tile| own(&tile))
        };
        self.briefing.cities.iter().find(falls).copied()
    }

    /// Smokes a besieged city, or mines the land around it.
    pub(super) fn besiege(&mut self, view: &ViewState) -> Option<Command> {
        let city = self.besieged(view)?;
        let money = self.money(view);
        if money >= SMOKE_COST && self.dice.chance(self.traits.smoke) {
            return Some(Command::Smoke { tile: self.coord(city) });
        }
        let tile = *self.dice.pick(self.briefing.around(city))?;
        (money >= 50).then(|| Command::Deploy { tile: self.coord(tile), item: ItemKind::Mine })
    }

    /// Takes back the land around own cities.
    fn defend(&mut self, chart: &Chart, view: &ViewState, tick: Tick, plan: &mut Vec<Command>) {
        for city in self.briefing.cities.clone() {
            if chart.tile(city).owner != self.player {
                continue;
            }
            let mut lost = self.land_around(chart, city);
            lost.retain(|tile| chart.tile(*tile).owner != self.player);
            for tile in lost {
                self.take_by_force(chart, view, tick, tile, plan);
            }
        }
    }

    /// Captures a tile that is needed, item or not.
    fn take_by_force(
        &mut self,
        chart: &Chart,
        view: &ViewState,
        tick: Tick,
        tile: u32,
        plan: &mut Vec<Command>,
    ) {
        let at = self.coord(tile);
        let barred = chart.tile(tile).structure.is_some_and(|kind| kind != StructureKind::Road);
        if (barred || chart.risk(tile) > 50) && self.may_strike(view, tick) {
            self.strike_ready = tick + STRIKE_PAUSE + 20;
            plan.push(Command::Strike { tile: at });
        }
        if chart.tile(tile).flag.is_some() {
            plan.push(Command::Flag { tile: at, on: false });
        }
        if !barred {
            plan.push(Command::Capture { tile: at });
        }
    }

    fn may_strike(&self, view: &ViewState, tick: Tick) -> bool {
        tick >= self.strike_ready && self.money(view) >= STRIKE_COST
    }

    /// The city to go for: near own land, the ones of others later than nobody's.
    fn goal(&mut self, chart: &Chart) -> Option<u32> {
        let home = self
            .briefing
            .cities
            .iter()
            .copied()
            .find(|city| chart.tile(*city).owner == self.player)?;
        let foreign = self
            .briefing
            .cities
            .iter()
            .copied()
            .filter(|city| chart.tile(*city).owner != self.player);
        let dice = &mut self.dice;
        let briefing = &self.briefing;
        foreign.min_by_key(|city| {
            let hostile = u64::from(chart.tile(*city).owner != 0) * 2;
            u64::from(briefing.distance(home, *city)) + hostile + dice.below(3)
        })
    }

    /// Captures what is safe, towards the goal.
    fn advance(&mut self, chart: &Chart, view: &ViewState, plan: &mut Vec<Command>) {
        let goal = self.goal(chart);
        let safe = |tile: &&u32| chart.risk(**tile) == 0 && !chart.tile(**tile).smoke;
        let mut targets: Vec<(u64, u32)> = Vec::new();
        for &tile in chart.frontier.iter().filter(safe) {
            let far = goal.map_or(0, |goal| self.briefing.distance(goal, tile));
            let noise = self.dice.below(4);
            targets.push((u64::from(far) + noise, tile));
        }
        targets.sort_unstable();
        let targets = targets.iter().take(PLAN_LENGTH / 2);
        plan.extend(
            targets
                .map(|(_, tile)| Command::Capture { tile: self.briefing.coords[*tile as usize] }),
        );
        if let Some(goal) = goal
            && plan.len() < PLAN_LENGTH / 2
        {
            self.close_ring(chart, view, goal, plan);
        }
    }

    /// Takes the last tiles around a city, which may be mined.
    fn close_ring(&mut self, chart: &Chart, view: &ViewState, city: u32, plan: &mut Vec<Command>) {
        let around = self.land_around(chart, city);
        let missing: Vec<u32> =
            around.iter().copied().filter(|tile| chart.tile(*tile).owner != self.player).collect();
        if missing.len() <= 2 && missing.len() < around.len() {
            for tile in missing {
                self.take_by_force(chart, view, self.planned_at, tile, plan);
            }
        }
    }

    fn flag_items(&mut self, chart: &Chart, plan: &mut Vec<Command>) {
        let sure = |tile: &&u32| chart.risk(**tile) == 100 && chart.tile(**tile).flag.is_none();
        let tiles = chart.frontier.iter().filter(sure).take(2);
        plan.extend(
            tiles
                .map(|tile| Command::Flag { tile: self.briefing.coords[*tile as usize], on: true }),
        );
    }

    /// Nothing is safe: looks closer, or guesses, or blows it up.
    fn gamble(&mut self, chart: &Chart, view: &ViewState, tick: Tick, plan: &mut Vec<Command>) {
        let open = |tile: &&u32| !chart.tile(**tile).smoke && chart.tile(**tile).flag.is_none();
        let least = chart.frontier.iter().filter(open).min_by_key(|tile| chart.risk(**tile));
        let Some(&tile) = least else {
            self.clear_flags(chart, plan);
            return;
        };
        let (at, risk) = (self.coord(tile), chart.risk(tile));
        if chart.tile(tile).item == ItemKind::None
            && risk > self.traits.daring
            && self.money(view) > 120
        {
            plan.push(Command::Reveal { tile: at });
        }
        if self.dice.chance(5) {
            plan.push(Command::Note { value: risk, tile: at });
        }
        if risk <= self.traits.daring || self.dice.chance(10) {
            plan.push(Command::Capture { tile: at });
        } else if self.may_strike(view, tick) && self.dice.chance(self.traits.strike) {
            self.strike_ready = tick + STRIKE_PAUSE + 20;
            plan.push(Command::Strike { tile: at });
        }
    }

    /// Everything left is flagged: some flag has to go.
    fn clear_flags(&mut self, chart: &Chart, plan: &mut Vec<Command>) {
        if let Some(&tile) = self.dice.pick(&chart.frontier) {
            plan.push(Command::Flag { tile: self.coord(tile), on: false });
            plan.push(Command::Capture { tile: self.coord(tile) });
        }
    }

    /// Strikes where most structures of others are.
    fn strike_structures(
        &mut self,
        chart: &Chart,
        view: &ViewState,
        tick: Tick,
        plan: &mut Vec<Command>,
    ) {
        if !self.may_strike(view, tick) || !self.dice.chance(self.traits.strike) {
            return;
        }
        let hostile = |tile: u32| {
            let state = chart.tile(tile);
            state.structure.is_some() && state.owner != self.player
        };
        // What a strike would hit there, and much more what it would finish off.
        let hit = |tile: u32, damage: u8| {
            let finished = (1..=damage).contains(&chart.tile(tile).hp);
            if hostile(tile) { u32::from(damage) + 3 * u32::from(finished) } else { 0 }
        };
        let worth = |tile: u32| {
            let around = self.briefing.around(tile).iter().map(|beside| hit(*beside, 1));
            hit(tile, 2) + around.sum::<u32>()
        };
        let open = |tile: &u32| {
            let state = chart.tile(*tile);
            let city = self.briefing.city_at[*tile as usize].is_some();
            state.owner != self.player && state.kind.is_land() && !state.smoke && !city
        };
        // Elsewhere there is nothing to hit.
        let targets = (0..chart.tiles.len() as u32).filter(|tile| hostile(*tile));
        let near = targets.flat_map(|tile| [&[tile], self.briefing.around(tile)].concat());
        let worths = near.filter(open).map(|tile| (worth(tile), tile));
        let best = worths.filter(|(worth, _)| *worth > 1).max();
        if let Some((_, tile)) = best {
            self.strike_ready = tick + STRIKE_PAUSE;
            plan.insert(0, Command::Strike { tile: self.coord(tile) });
        }
    }

    /// An own tile, rather one among structures.
    fn building_site(&mut self, chart: &Chart) -> Option<u32> {
        let built = |tile: &u32| chart.tile(*tile).structure.is_some();
        let sites: Vec<u32> = (0..4).filter_map(|_| self.dice.pick(&chart.own).copied()).collect();
        let neighbours =
            |tile: &u32| self.briefing.around(*tile).iter().filter(|t| built(t)).count();
        sites.into_iter().max_by_key(neighbours)
    }

    /// Builds, deploys, harvests, trades.
    fn develop(&mut self, chart: &Chart, view: &ViewState, plan: &mut Vec<Command>) {
        let Some(tile) = self.building_site(chart) else { return };
        let state = *chart.tile(tile);
        let free = state.structure.is_none() && state.item == ItemKind::None;
        let at = self.coord(tile);
        let money = self.money(view);
        match self.dice.below(12) {
            0..=4 if free => {
                plan.push(Command::Build { tile: at, kind: self.structure_for(chart, tile) });
            }
            5 => self.bridge(chart, tile, plan),
            6 | 7 if free && money > 100 => {
                let items = [ItemKind::Mine, ItemKind::Mine, ItemKind::Trap, ItemKind::Decoy];
                let item = *self.dice.pick(&items).unwrap_or(&ItemKind::Mine);
                plan.push(Command::Deploy { tile: at, item });
            }
            8 if matches!(state.kind, TileKind::Regular | TileKind::Fertile) => {
                plan.push(Command::Harvest { tile: at });
            }
            9 => self.trade(tile, plan),
            10 if state.structure == Some(StructureKind::Road) && self.dice.chance(10) => {
                plan.push(Command::Bulldoze { tile: at });
            }
            _ => {}
        }
    }

    /// Towers where others are near, walls around cities, else roads.
    fn structure_for(&mut self, chart: &Chart, tile: u32) -> StructureKind {
        let beside =
            |wanted: &dyn Fn(u32) -> bool| self.briefing.around(tile).iter().any(|t| wanted(*t));
        if beside(&|tile| self.briefing.city_at[tile as usize].is_some()) && self.dice.chance(50) {
            return StructureKind::Wall;
        }
        let foreign = |tile: u32| {
            !matches!(chart.tile(tile).owner, 0) && chart.tile(tile).owner != self.player
        };
        if self.briefing.around(tile).iter().any(|tile| foreign(*tile)) || self.dice.chance(15) {
            return StructureKind::Tower;
        }
        StructureKind::Road
    }

    fn bridge(&mut self, chart: &Chart, tile: u32, plan: &mut Vec<Command>) {
        let water = |tile: &&u32| chart.tile(**tile).kind == TileKind::Water;
        if let Some(&tile) = self.briefing.around(tile).iter().find(water) {
            plan.push(Command::Build { tile: self.coord(tile), kind: StructureKind::Bridge });
        }
    }

    fn trade(&mut self, tile: u32, plan: &mut Vec<Command>) {
        if let Some(city) = self.briefing.regions[tile as usize] {
            let export = [100, 80, 50][self.dice.below(3) as usize];
            let import = [0, 10, 20][self.dice.below(3) as usize];
            plan.push(Command::Trade { city, export, import });
        }
    }
}
