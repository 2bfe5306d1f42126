//! What is to be drawn, and what its legend has to explain.

use std::collections::{BTreeMap, BTreeSet};

use gametape_minewars::{Coord, TileState, ViewState};

use super::signs::Thing;
use crate::cities::Place;
use crate::text::{clock, count, printable};

/// A view at a time, ready to be drawn.
pub(in crate::commands) struct Scene<'a> {
    pub(in crate::commands) state: &'a ViewState,
    pub(in crate::commands) cities: &'a BTreeMap<u8, Place>,
    time: u64,
}

impl<'a> Scene<'a> {
    pub(in crate::commands) fn new(
        state: &'a ViewState,
        cities: &'a BTreeMap<u8, Place>,
        time: u64,
    ) -> Self {
        Self { state, cities, time }
    }

    /// The city on a tile.
    pub(in crate::commands) fn city_at(&self, at: Coord) -> Option<u8> {
        self.cities.iter().find(|(_, place)| place.at == at).map(|(id, _)| *id)
    }

    /// Everything that is on any tile.
    pub(in crate::commands) fn things(&self) -> BTreeSet<Thing> {
        self.state.tiles().flat_map(|(_, tile)| Thing::all_on(&tile)).collect()
    }

    /// `hex, radius 10, view 0 at 0:00:43.800`
    pub(in crate::commands) fn title(&self) -> String {
        let (grid, radius) = (self.state.grid(), self.state.radius());
        format!("{grid}, radius {radius}, view {} at {}", self.state.view(), clock(self.time))
    }

    /// Every player who owns something.
    pub(in crate::commands) fn owners(&self) -> Vec<Owner> {
        let mut land: BTreeMap<u8, u64> = BTreeMap::new();
        for (_, TileState { owner, .. }) in self.state.tiles() {
            *land.entry(owner).or_default() += 1;
        }
        land.remove(&0);
        let owner = |(player, tiles)| Owner { player, names: self.names(player), tiles };
        land.into_iter().map(owner).collect()
    }

    /// The names of all who play as one player.
    fn names(&self, player: u8) -> String {
        let known = self.state.players().find(|(id, _)| *id == player);
        let clients = known.into_iter().flat_map(|(_, player)| player.clients.values());
        let names = clients.map(|client| printable(&String::from_utf8_lossy(&client.name)));
        names.filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// Every city, and a line about it.
    pub(in crate::commands) fn city_lines(&self) -> Vec<(u8, String)> {
        self.cities
            .iter()
            .map(|(id, Place { at, name })| {
                let name = name.as_deref().filter(|name| !name.is_empty());
                let name = name.map(|name| format!("{name} ")).unwrap_or_default();
                (*id, format!("city {id} {name}at {at}"))
            })
            .collect()
    }
}

/// A player with land.
pub(in crate::commands) struct Owner {
    pub(in crate::commands) player: u8,
    pub(in crate::commands) names: String,
    tiles: u64,
}

impl Owner {
    /// `player 1 Ana: 45 tiles`
    pub(in crate::commands) fn text(&self) -> String {
        let names = if self.names.is_empty() { "" } else { &format!(" {}", self.names) };
        format!("player {}{names}: {}", self.player, count(self.tiles, "tile"))
    }
}
