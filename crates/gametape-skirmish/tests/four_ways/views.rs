//! What a view must know of a state, by `spec/skirmish.md`, section 10, and where it does not.

use std::collections::BTreeMap;

use gametape_minewars::Generation;
use gametape_minewars::{Coord, Digit, FlagState, Grid, TileState, ViewState};

use crate::world::{City, Part, Tile, Unit, World};

/// Whether the words of the view are those in which the match was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    Own(Generation),
    /// Of a file that was converted to this generation.
    Converted(Generation),
}

impl Words {
    fn generation(self) -> Generation {
        match self {
            Self::Own(generation) | Self::Converted(generation) => generation,
        }
    }
}

/// How often each thing was there to be compared.
pub(crate) type Seen = BTreeMap<&'static str, u64>;

/// A view beside the state that it is a view of.
pub(crate) struct Beside<'a> {
    world: &'a World,
    grid: Grid,
    words: Words,
    /// 0 for the spectator.
    view: u8,
    sight: Vec<Coord>,
    seen: &'a mut Seen,
    differences: Vec<String>,
}

/// Says in what a view differs from what it must know of the state.
pub(crate) fn differences(
    world: &World,
    view: &ViewState,
    words: Words,
    seen: &mut Seen,
) -> Vec<String> {
    let number = view.view().number();
    let sight = in_sight(world, view.grid(), number);
    let (grid, differences) = (view.grid(), Vec::new());
    let mut beside = Beside { world, grid, words, view: number, sight, seen, differences };
    beside.tiles(view);
    beside.cities(view);
    beside.players(view);
    beside.differences
}

/// How far two tiles are from each other.
fn distance(grid: Grid, a: Coord, b: Coord) -> i32 {
    let (y, x) = (i32::from(a.y) - i32::from(b.y), i32::from(a.x) - i32::from(b.x));
    match grid {
        Grid::Hex => y.abs().max(x.abs()).max((y + x).abs()),
        Grid::Square => y.abs().max(x.abs()),
    }
}

/// The tiles that a player sees: 3 around own land, 5 around own towers.
fn in_sight(world: &World, grid: Grid, player: u8) -> Vec<Coord> {
    let own = |at: &Coord| {
        let tile = &world.tiles[at];
        let structure = world.standing(*at).map(|unit| &unit.kind[..]);
        let is_land = !["water", "mountain", "forest"].contains(&&tile.ground[..]);
        let is_own = tile.owner == player && (is_land || structure == Some("bridge"));
        is_own.then_some((*at, if structure == Some("tower") { 5 } else { 3 }))
    };
    let eyes: Vec<(Coord, i32)> = world.tiles.keys().filter_map(own).collect();
    let seen = |at: &Coord| eyes.iter().any(|(eye, far)| distance(grid, *eye, *at) <= *far);
    world.tiles.keys().copied().filter(seen).collect()
}

impl World {
    /// The finished structure or city on a tile.
    fn standing(&self, at: Coord) -> Option<&Unit> {
        let mut here = self.units.values().filter(|unit| unit.at == at);
        here.find(|unit| !matches!(unit.part, Part::Construction { .. }))
    }

    fn cities(&self) -> impl Iterator<Item = (u8, &City)> {
        self.units.values().filter_map(|unit| match &unit.part {
            Part::City(city) => Some((unit.owner, city)),
            _ => None,
        })
    }
}

fn full_hp(kind: &str) -> u64 {
    match kind {
        "road" => 3,
        "bridge" => 4,
        "wall" => 8,
        _ => 6,
    }
}

impl Beside<'_> {
    // Most of what is compared is made for the call.
    #[allow(clippy::needless_pass_by_value)]
    fn expect<T: PartialEq + std::fmt::Debug>(&mut self, what: &'static str, known: T, is: T) {
        *self.seen.entry(what).or_default() += 1;
        if known != is {
            self.differences.push(format!("{what}: the view knows {known:?}, it is {is:?}"));
        }
    }

    /// As `expect`, but counts only what is there.
    fn expect_some<T: PartialEq + std::fmt::Debug>(
        &mut self,
        what: &'static str,
        known: Option<T>,
        is: Option<T>,
    ) {
        if known.is_some() || is.is_some() {
            self.expect(what, known, is);
        }
    }

    fn is_spectator(&self) -> bool {
        self.view == 0
    }

    fn is_current(&self) -> bool {
        self.words.generation() == Generation::Current
    }

    /// Were messages about all this made in words of the current generation?
    fn was_current(&self) -> bool {
        self.words == Words::Own(Generation::Current)
    }

    fn tiles(&mut self, view: &ViewState) {
        assert_eq!(view.tiles().count(), self.world.tiles.len());
        for (at, known) in view.tiles() {
            let is = &self.world.tiles[&at];
            self.ground(&known, is);
            if self.is_spectator() || self.sight.contains(&at) {
                self.expect("owner", known.owner, is.owner);
                self.standing(at, &known);
                self.expect_some("smoke", known.smoke.then_some(()), smoked(is));
            }
            if self.is_spectator() || is.owner == self.view {
                let item = Some(known.item.to_string()).filter(|item| item != "none");
                self.expect_some("item", item, is.item.clone());
            }
            self.expect_some("digit", known.digit, self.digit(at, is));
            self.flag(&known, is);
            self.pending(at, &known);
        }
    }

    fn ground(&mut self, known: &TileState, is: &Tile) {
        // In v0.1 an explosion destroys the ground, also where a bridge was struck.
        let kind = known.kind.to_string();
        let struck = self.words == Words::Converted(Generation::V01) && kind == "destroyed";
        if !(struck && is.ground == "water") {
            self.expect("ground", kind, is.ground.clone());
        }
    }

    fn standing(&mut self, at: Coord, known: &TileState) {
        let unit = self.world.standing(at).filter(|unit| unit.kind != "city");
        let kind = unit.map(|unit| unit.kind.clone());
        self.expect_some("structure", known.structure.map(|kind| kind.to_string()), kind);
        let hp = unit.and_then(|unit| match unit.part {
            Part::Structure { hp } => Some(hp).filter(|hp| *hp < full_hp(&unit.kind)),
            _ => None,
        });
        self.expect_some("hit points", Some(u64::from(known.hp)).filter(|hp| *hp > 0), hp);
    }

    /// The digit that a player's own tile must show.
    fn digit(&self, at: Coord, is: &Tile) -> Option<Digit> {
        let own = !self.is_spectator() && is.owner == self.view;
        if !own || ["mountain", "forest"].contains(&&is.ground[..]) {
            return None;
        }
        let beside = self.grid.neighbours(at).filter_map(|beside| self.world.tiles.get(&beside));
        let foreign = beside.filter(|tile| tile.owner != self.view);
        let items: Vec<&str> = foreign.filter_map(|tile| tile.item.as_deref()).collect();
        let asterisk = items.iter().any(|item| *item != "mine");
        Some(Digit { value: items.len().min(7) as u8, asterisk })
    }

    fn flag(&mut self, known: &TileState, is: &Tile) {
        let mut owners = (1..16).filter(|player| is.flags >> player & 1 == 1);
        let owner = match self.view {
            0 => owners.next(),
            own => owners.find(|owner| *owner == own),
        };
        if self.was_current() {
            self.expect_some("flag", known.flag, owner.map(FlagState::Of));
        } else {
            self.expect_some("flag", known.flag.map(|_| ()), owner.map(|_| ()));
        }
    }

    fn pending(&mut self, at: Coord, known: &TileState) {
        let here = self.world.units.values().filter(|unit| unit.at == at);
        let open = here.filter_map(|unit| match unit.part {
            Part::Construction { done, .. } if [0, unit.owner].contains(&self.view) => {
                Some((unit.owner, unit.kind.clone(), done))
            }
            _ => None,
        });
        let is = open.min().map(|(_, kind, done)| (kind, done));
        let known = known.pending.map(|pending| {
            (pending.kind.map_or(String::new(), |kind| kind.to_string()), pending.current.into())
        });
        self.expect_some("construction", known, is);
    }

    fn cities(&mut self, view: &ViewState) {
        let known: BTreeMap<u8, _> = view.cities().collect();
        // Sent every 100 ticks of the clock.
        let money_is_sent = self.world.clock % 100 == 1;
        for (owner, is) in self.world.cities() {
            if owner == 0 || !(self.is_spectator() || owner == self.view) {
                continue;
            }
            let Some(known) = known.get(&(is.id as u8)) else {
                self.differences.push(format!("city {} is not known", is.id));
                continue;
            };
            if self.was_current() {
                self.expect("owner of a city", known.owner, owner);
            }
            self.expect("resources", known.resources.map(u64::from), Some(is.resources));
            let trade = known.trade.map(|(export, import)| (export.into(), import.into()));
            self.expect("trade", trade, Some((is.export, is.import)));
            if money_is_sent {
                self.expect("money", known.money.map(u64::from), Some(is.money));
                self.expect("income", known.income.map(u64::from), Some(is.income));
            }
        }
    }

    fn players(&mut self, view: &ViewState) {
        let known: BTreeMap<u8, _> = view.players().collect();
        for (number, is) in &self.world.players {
            let Some(known) = known.get(number) else {
                self.differences.push(format!("player {number} is not known"));
                continue;
            };
            let spells = (known.eliminated, known.surrendered, known.protected);
            let is_now = (is.states[0], is.states[1], is.protection_end != 0);
            self.expect(if is.is_out() { "player who is out" } else { "player" }, spells, is_now);
            let out_of_play = (is.timeout_end != 0).then_some(());
            self.expect_some("time-out", known.timeout.map(|_| ()), out_of_play);
            let counts = self.is_current() && [0, *number].contains(&self.view);
            if counts && self.was_current() {
                let owned = self.world.cities().filter(|(owner, _)| owner == number).count();
                self.expect("lives", known.lives.map(usize::from), Some(owned));
            }
        }
        let votes: Vec<u64> = view.votes().map(|(id, _)| id.into()).collect();
        let held: Vec<u64> = self.world.vote.iter().map(|vote| vote.id).collect();
        self.expect_some("vote", votes.first().copied(), held.first().copied());
    }
}

fn smoked(tile: &Tile) -> Option<()> {
    (tile.smoke_end != 0).then_some(())
}
