//! What a bot makes of its view: a map to think on.

use gametape_minewars::{Coord, Grid, ItemKind, Map, Setup, StructureKind, TileState, ViewState};

/// Everything that a player knows before the match: the shape of the world and its cities.
#[derive(Debug, Clone)]
pub(crate) struct Briefing {
    pub(crate) grid: Grid,
    pub(crate) coords: Vec<Coord>,
    pub(crate) neighbours: Vec<Vec<u32>>,
    /// The city on each tile.
    pub(crate) city_at: Vec<Option<u8>>,
    pub(crate) regions: Vec<Option<u8>>,
    /// Where the cities are.
    pub(crate) cities: Vec<u32>,
}

impl Briefing {
    /// Takes from a setup what everybody may know: no items.
    pub(crate) fn new(setup: &Setup) -> Self {
        let map: &Map = &setup.map;
        let grid = map.grid();
        let coords: Vec<Coord> = grid.coords(map.radius()).collect();
        let tile = |coord: Coord| map.index_of(coord).map(|index| index as u32);
        let around = |&coord: &Coord| map.neighbours(coord).filter_map(tile).collect();
        let cities: Vec<u32> = setup.cities.iter().filter_map(|city| tile(city.at)).collect();
        let mut city_at = vec![None; coords.len()];
        for (id, &tile) in cities.iter().enumerate() {
            city_at[tile as usize] = Some(id as u8);
        }
        Self {
            grid,
            neighbours: coords.iter().map(around).collect(),
            city_at,
            regions: coords.iter().map(|coord| map.region(*coord)).collect(),
            cities,
            coords,
        }
    }

    pub(crate) fn around(&self, tile: u32) -> &[u32] {
        &self.neighbours[tile as usize]
    }

    pub(crate) fn distance(&self, a: u32, b: u32) -> u16 {
        crate::generate::distance(self.grid, self.coords[a as usize], self.coords[b as usize])
    }
}

/// Neighbours of a tile on any grid, at most.
const MOST_NEIGHBOURS: usize = 8;

/// The view's tiles, and what follows from their digits.
#[derive(Debug, Clone)]
pub(crate) struct Chart {
    player: u8,
    pub(crate) tiles: Vec<TileState>,
    /// For each tile next to own land how likely an item is, in percent; none where nothing says.
    risk: Vec<Option<u8>>,
    /// Tiles next to own land that could be captured.
    pub(crate) frontier: Vec<u32>,
    pub(crate) own: Vec<u32>,
}

impl Chart {
    pub(crate) fn new(player: u8, view: &ViewState, briefing: &Briefing) -> Self {
        let tiles: Vec<TileState> = view.tiles().map(|(_, tile)| tile).collect();
        let risk = vec![None; tiles.len()];
        let mut chart = Self { player, tiles, risk, frontier: Vec::new(), own: Vec::new() };
        chart.own = (0..chart.tiles.len() as u32).filter(|tile| chart.is_own_land(*tile)).collect();
        chart.deduce(briefing);
        chart
    }

    pub(crate) fn tile(&self, tile: u32) -> &TileState {
        &self.tiles[tile as usize]
    }

    pub(crate) fn is_own_land(&self, tile: u32) -> bool {
        let tile = self.tile(tile);
        let footing = tile.kind.is_land() || tile.structure == Some(StructureKind::Bridge);
        tile.owner == self.player && footing
    }

    /// Goes through all digits: first what is surely an item, then how likely the others are.
    fn deduce(&mut self, briefing: &Briefing) {
        let own = std::mem::take(&mut self.own);
        for &tile in &own {
            self.read_digit(tile, briefing);
            self.note_bare(tile, briefing);
        }
        for &tile in &own {
            self.read_digit(tile, briefing);
        }
        let open =
            |tile: &u32| self.risk[*tile as usize].is_some() && self.is_capturable(*tile, briefing);
        self.frontier = (0..self.tiles.len() as u32).filter(open).collect();
        self.own = own;
    }

    fn is_capturable(&self, tile: u32, briefing: &Briefing) -> bool {
        let state = self.tile(tile);
        let barred = state.structure.is_some_and(|kind| kind != StructureKind::Road);
        let city = briefing.city_at[tile as usize].is_some();
        state.kind.is_land() && state.owner != self.player && !barred && !city
    }

    /// Could an item lie there, for all the player knows?
    fn may_hide(&self, tile: u32, briefing: &Briefing) -> bool {
        let state = self.tile(tile);
        let hidden = state.kind.is_land() && state.owner != self.player;
        hidden && state.structure.is_none() && briefing.city_at[tile as usize].is_none()
    }

    /// Shares the items that a digit counts among the neighbours that may hide them.
    fn read_digit(&mut self, tile: u32, briefing: &Briefing) {
        let Some(digit) = self.tile(tile).digit else { return };
        let (mut sure, mut open) = (0, 0);
        let mut is_open = [false; MOST_NEIGHBOURS];
        for (beside, is_open) in briefing.around(tile).iter().zip(&mut is_open) {
            if self.may_hide(*beside, briefing) {
                *is_open = !self.is_sure(*beside);
                *(if *is_open { &mut open } else { &mut sure }) += 1;
            }
        }
        let left = u32::from(digit.value).saturating_sub(sure);
        let share = (100 * left).checked_div(open).unwrap_or(0).min(100) as u8;
        for (beside, _) in briefing.around(tile).iter().zip(is_open).filter(|(_, open)| *open) {
            let risk = &mut self.risk[*beside as usize];
            *risk = match *risk {
                Some(0) => Some(0),
                _ if share == 0 => Some(0),
                Some(known) => Some(known.max(share)),
                None => Some(share),
            };
        }
    }

    /// Nothing can lie on the other neighbours of a tile with a digit.
    fn note_bare(&mut self, tile: u32, briefing: &Briefing) {
        if self.tile(tile).digit.is_none() {
            return;
        }
        for beside in briefing.around(tile) {
            if !self.may_hide(*beside, briefing) {
                self.risk[*beside as usize].get_or_insert(0);
            }
        }
    }

    /// Is an item known to lie there?
    pub(crate) fn is_sure(&self, tile: u32) -> bool {
        let state = self.tile(tile);
        let deduced = self.risk[tile as usize] == Some(100);
        deduced || state.flag.is_some() || state.item != ItemKind::None
    }

    /// How likely an item is, in percent.
    pub(crate) fn risk(&self, tile: u32) -> u8 {
        if self.is_sure(tile) { 100 } else { self.risk[tile as usize].unwrap_or(100) }
    }
}
