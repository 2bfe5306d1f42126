//! Who sees what, kept up to date tile by tile.

use std::sync::Arc;

use super::{MOST_OWNERS, Skirmish};
use crate::atlas::Cell;
use crate::rules::tile_yield;

impl Skirmish {
    /// Does a player see a tile?
    pub(crate) fn sees(&self, player: u8, cell: Cell) -> bool {
        self.sight[usize::from(player)][cell as usize] > 0
    }

    /// A tile of a player begins to see: land, or a tower on it.
    pub(super) fn open_eyes(&mut self, player: u8, cell: Cell, tower: bool) {
        if player == 0 {
            return;
        }
        let atlas = Arc::clone(&self.atlas);
        let sight = &mut self.sight[usize::from(player)];
        for seen in atlas.in_sight(cell, tower) {
            let eyes = &mut sight[seen as usize];
            if *eyes == 0 {
                self.log.sighted.push((player, seen));
            }
            *eyes += 1;
        }
    }

    /// A tile of a player does not see any more.
    pub(super) fn close_eyes(&mut self, player: u8, cell: Cell, tower: bool) {
        if player == 0 {
            return;
        }
        let atlas = Arc::clone(&self.atlas);
        let sight = &mut self.sight[usize::from(player)];
        for seen in atlas.in_sight(cell, tower) {
            sight[seen as usize] -= 1;
        }
    }

    /// Gives a tile, no part of a cluster, to a player or to nobody.
    pub(super) fn set_owner(&mut self, cell: Cell, owner: u8) {
        let before = self.tile(cell).owner;
        if before == owner {
            return;
        }
        let footing = self.is_footing(cell);
        if footing {
            self.close_eyes(before, cell, false);
        }
        self.tile_mut(cell).owner = owner;
        self.pass_yield(cell, before, owner);
        if footing {
            self.open_eyes(owner, cell, false);
        }
        self.count_tiles(before, owner, 1);
        self.count_city(cell, before, owner);
        self.touch_with_digits(cell);
        if owner != 0 {
            self.take_clusters(cell, owner);
        }
    }

    /// What a tile yields now counts for another owner.
    fn pass_yield(&mut self, cell: Cell, from: u8, to: u8) {
        if let Some(city) = self.atlas.region(cell) {
            let amount = tile_yield(self.tile(cell).ground);
            let by_owner = &mut self.yields[city];
            by_owner[usize::from(from)] -= amount;
            by_owner[usize::from(to)] += amount;
        }
    }

    fn count_tiles(&mut self, from: u8, to: u8, tiles: u32) {
        self.player_mut(from).territory =
            self.players[usize::from(from)].territory.saturating_sub(tiles);
        self.player_mut(to).territory += tiles;
    }

    fn count_city(&mut self, cell: Cell, from: u8, to: u8) {
        if self.atlas.city_at(cell).is_some() {
            let lost = &mut self.player_mut(from).cities;
            *lost = lost.saturating_sub(1);
            self.player_mut(to).cities += 1;
            self.log.cities_touched = true;
        }
    }

    /// Notes a change that also alters the digits around.
    pub(super) fn touch_with_digits(&mut self, cell: Cell) {
        let atlas = Arc::clone(&self.atlas);
        self.log.touch(cell);
        atlas.neighbours(cell).for_each(|beside| self.log.touch(beside));
    }

    /// Gives clusters that touch `cell` to the player who now owns everything around them.
    fn take_clusters(&mut self, cell: Cell, owner: u8) {
        let atlas = Arc::clone(&self.atlas);
        for cluster in atlas.neighbours(cell).filter_map(|beside| atlas.cluster(beside)) {
            let shore = &atlas.clusters[cluster].shore;
            let is_new = self.cluster_owners[cluster] != owner;
            if is_new && shore.iter().all(|land| self.tile(*land).owner == owner) {
                self.set_cluster_owner(cluster, owner);
            }
        }
    }

    pub(super) fn set_cluster_owner(&mut self, cluster: usize, owner: u8) {
        let atlas = Arc::clone(&self.atlas);
        let from = std::mem::replace(&mut self.cluster_owners[cluster], owner);
        self.count_tiles(from, owner, atlas.clusters[cluster].cells.len() as u32);
        for &cell in &atlas.clusters[cluster].cells {
            self.pass_yield(cell, from, owner);
            self.log.touch(cell);
        }
        if owner != 0 {
            self.log.push(super::Moment::ClusterTaken { cluster, from });
        }
    }

    /// Counts sight, yields, territory and cities from nothing: what [`set_owner`](Self::set_owner)
    /// and structures keep up to date.
    pub(super) fn recount(&mut self) {
        let atlas = Arc::clone(&self.atlas);
        for player in &mut self.players {
            (player.territory, player.cities) = (0, 0);
        }
        self.yields = vec![[0; MOST_OWNERS]; atlas.cities.len()];
        self.sight.iter_mut().for_each(|sight| sight.fill(0));
        for &cell in &atlas.ring_order {
            let owner = self.owner(cell);
            self.player_mut(owner).territory += 1;
            self.player_mut(owner).cities += u8::from(atlas.city_at(cell).is_some());
            if let Some(city) = atlas.region(cell) {
                self.yields[city][usize::from(owner)] += tile_yield(self.tile(cell).ground);
            }
            if atlas.cluster(cell).is_none() && self.is_footing(cell) {
                self.mark_ends(owner, cell, false);
            }
            if self.structure_at(cell) == Some(gametape_minewars::StructureKind::Tower) {
                self.mark_ends(owner, cell, true);
            }
        }
        self.sight.iter_mut().skip(1).for_each(|sight| add_up(sight, atlas.on_map()));
    }

    /// Marks where the rows that a place sees begin and end: one more from the first cell on, one less
    /// from the cell after the last on.
    fn mark_ends(&mut self, player: u8, cell: Cell, tower: bool) {
        if player == 0 {
            return;
        }
        let sight = &mut self.sight[usize::from(player)];
        for row in self.atlas.rows_in_sight(cell, tower) {
            sight[row.start] = sight[row.start].wrapping_add(1);
            if let Some(after) = sight.get_mut(row.end) {
                *after = after.wrapping_sub(1);
            }
        }
    }
}

/// From marks of more and less, how many see each cell of the map.
fn add_up(sight: &mut [u8], on_map: &[bool]) {
    let mut seeing = 0u8;
    for (cell, on_map) in sight.iter_mut().zip(on_map) {
        seeing = seeing.wrapping_add(*cell);
        *cell = if *on_map { seeing } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use gametape_minewars::{Generation, Grid};

    use crate::{Config, Match, Style};

    #[test]
    fn counting_from_nothing_gives_what_was_kept_up_to_date() {
        for grid in [Grid::Hex, Grid::Square] {
            let config = Config::new(3, 9, 7).with_grid(grid);
            let mut game = Match::new(config, &Style::ALL, Generation::Current).unwrap();
            for tick in 0..2000 {
                game.step().unwrap();
                if tick % 50 == 0 {
                    let kept = game.game();
                    let mut counted = kept.clone();
                    counted.recount();
                    assert!(counted.sight == kept.sight, "{grid} {tick}");
                    assert_eq!(counted.yields, kept.yields, "{grid} {tick}");
                    assert_eq!(counted.players[1..], kept.players[1..], "{grid} {tick}");
                }
            }
        }
    }
}
