//! Ground, owners and digits, which act on each other; normative text: `spec/minewars-tools.md`,
//! section 4.
//!
//! - A change of owner removes the digit of a tile, unless the tile is part of a cluster.
//! - A player's digit makes the player the owner: of the tile, or of its cluster.
//! - A tile takes the owner of its cluster along when its ground changes, and keeps its digit.
//! - Only an elimination makes land neutral again.
//!
//! A digit on a tile that is not the player's is therefore a tile that is or was part of a cluster.
//! It is written while the tile is outside of the cluster, so that the cluster stays neutral, and
//! the tile then leaves the cluster while that has the owner that the tile is to have.

use gametape_wire::{Arrange, Result, View};

use super::Rebuild;
use crate::map::TileKind;
use crate::message::{Message, PlayerUpdate, Who};
use crate::state::{TileState, ViewState};

impl Rebuild<'_> {
    pub(super) fn write_land(&mut self) -> Result<()> {
        let clusters = ClusterPlan::all(self.goal);
        let heir = self.heir(&clusters);
        for player in self.eliminated().filter(|player| Some(*player) != heir) {
            self.write_elimination(player)?;
        }
        for tile in clusters.iter().flat_map(ClusterPlan::foreign_digits) {
            self.write_foreign_digit(tile)?;
        }
        if let Some(heir) = heir {
            self.write_neutralised(&clusters, heir)?;
        }
        for cluster in clusters.iter().filter(|cluster| !cluster.needs_elimination()) {
            self.write_cluster(cluster)?;
        }
        self.write_plain_ground()?;
        self.write_plain_owners()?;
        self.write_plain_digits()
    }

    /// Players who are out: their land became neutral when they were eliminated.
    fn eliminated(&self) -> impl Iterator<Item = u8> + use<> {
        let out = self.goal.players().filter(|(id, player)| *id != 0 && player.eliminated);
        out.map(|(id, _)| id).collect::<Vec<_>>().into_iter()
    }

    /// The player through whose elimination land becomes neutral after it was owned, where there
    /// is such land.
    ///
    /// The player who was eliminated last fits: what that player owns was taken after it.
    fn heir(&self, clusters: &[ClusterPlan]) -> Option<u8> {
        let mut needy = clusters.iter().filter(|cluster| cluster.needs_elimination()).peekable();
        needy.peek()?;
        let taken = |player: u8| needy.clone().any(|cluster| cluster.involves(player));
        self.eliminated().find(|player| !taken(*player))
    }

    fn write_elimination(&mut self, player: u8) -> Result<()> {
        self.write_player(Who::whole(player, self.goal.generation), PlayerUpdate::Eliminated {})
    }

    /// Shows a digit on a tile of a cluster, and leaves the owner of the cluster as it is.
    fn write_foreign_digit(&mut self, index: usize) -> Result<()> {
        let (tile, kind) = (self.coord(index), self.now.tile_at(index).kind);
        self.write(&Message::Tile { tile, kind: TileKind::Water })?;
        self.write_digit(index)?;
        self.write(&Message::Tile { tile, kind })
    }

    /// Clusters, or the tile that was the last to leave them, that are neutral after an owner.
    fn write_neutralised(&mut self, clusters: &[ClusterPlan], heir: u8) -> Result<()> {
        let needy = || clusters.iter().filter(|cluster| cluster.needs_elimination());
        for cluster in needy() {
            let Some(last) = cluster.last() else { continue };
            self.write_leavers(cluster, last)?;
            if cluster.owner != 0 {
                self.write_owner(last, cluster.owner)?;
                self.write_ground(last)?;
            }
            self.write_owner(last, heir)?;
        }
        self.write_elimination(heir)?;
        needy().filter_map(ClusterPlan::last).try_for_each(|last| self.write_new_ground(last))
    }

    fn write_cluster(&mut self, cluster: &ClusterPlan) -> Result<()> {
        let Some(last) = cluster.last() else { return Ok(()) };
        self.write_leavers(cluster, last)?;
        if cluster.owner != 0 && self.now.owner_at(last) != cluster.owner {
            self.write_owner(last, cluster.owner)?;
        }
        self.write_new_ground(last)
    }

    /// The tiles that leave a cluster before `last`: first the neutral ones, then those that show a
    /// digit and must take their owner along. All others get their owner later.
    fn write_leavers(&mut self, cluster: &ClusterPlan, last: usize) -> Result<()> {
        let leavers = || cluster.tiles.iter().filter(|tile| tile.has_left && tile.index != last);
        for tile in leavers().filter(|tile| tile.owner == 0) {
            self.write_ground(tile.index)?;
        }
        for tile in leavers().filter(|tile| tile.takes_owner_along()) {
            if self.now.owner_at(tile.index) != tile.owner {
                self.write_owner(tile.index, tile.owner)?;
            }
            self.write_ground(tile.index)?;
        }
        for tile in leavers() {
            self.write_new_ground(tile.index)?;
        }
        Ok(())
    }

    fn write_new_ground(&mut self, index: usize) -> Result<()> {
        if self.now.tile_at(index).kind == self.goal.tile_at(index).kind {
            return Ok(());
        }
        self.write_ground(index)
    }

    fn write_plain_ground(&mut self) -> Result<()> {
        let changed = self.tiles_where(|now, goal| now.kind != goal.kind);
        changed.into_iter().try_for_each(|index| self.write_ground(index))
    }

    fn write_plain_owners(&mut self) -> Result<()> {
        let mut owned = self.tiles_where(|now, goal| now.owner != goal.owner && goal.owner != 0);
        owned.arrange_by_key(|index| self.goal.owner_at(*index));
        for index in owned {
            let player = self.goal.owner_at(index);
            // The digit that follows implies the owner.
            let tile = self.goal.tile_at(index);
            let implied = player == self.goal.view.number() && tile.digit.is_some();
            if !implied && self.now.owner_at(index) != player {
                self.write_owner(index, player)?;
            }
        }
        Ok(())
    }

    fn write_plain_digits(&mut self) -> Result<()> {
        let shown = self.tiles_where(|now, goal| now.digit != goal.digit && goal.digit.is_some());
        shown.into_iter().try_for_each(|index| self.write_digit(index))
    }
}

/// One cluster of the map, as the goal has it.
struct ClusterPlan {
    owner: u8,
    tiles: Vec<ClusterTile>,
}

/// A tile that the map has in a cluster.
struct ClusterTile {
    index: usize,
    /// Is it part of the cluster no more?
    has_left: bool,
    owner: u8,
    digit: Digit,
}

/// What the digit of a tile means for the order of messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Digit {
    /// No digit, or one of the spectator, which implies no owner.
    Free,
    /// A digit on the player's own land: it is written last.
    Own,
    /// A digit on land that is not the player's.
    Foreign,
}

impl ClusterTile {
    fn new(index: usize, goal: &ViewState) -> Self {
        let has_left = goal.cluster(index).is_none();
        let tile = goal.tile_at(index);
        Self { index, has_left, owner: tile.owner, digit: Digit::of(&tile, goal.view) }
    }

    /// Must the tile leave the cluster while its owner is the cluster's?
    fn takes_owner_along(&self) -> bool {
        self.owner != 0 && self.digit == Digit::Foreign
    }
}

impl Digit {
    fn of(tile: &TileState, view: View) -> Self {
        match tile.digit {
            None => Self::Free,
            Some(_) if view == View::SPECTATOR => Self::Free,
            Some(_) if tile.owner == view.number() => Self::Own,
            Some(_) => Self::Foreign,
        }
    }
}

impl ClusterPlan {
    fn all(goal: &ViewState) -> Vec<Self> {
        let plan = |&owner: &u8| Self { owner, tiles: Vec::new() };
        let mut plans: Vec<Self> = goal.cluster_owners.iter().map(plan).collect();
        for index in 0..goal.geography.tile_count {
            if let Some(cluster) = goal.geography.first_cluster(index) {
                plans[cluster].tiles.push(ClusterTile::new(index, goal));
            }
        }
        plans
    }

    fn foreign_digits(&self) -> impl Iterator<Item = usize> {
        self.tiles.iter().filter(|tile| tile.digit == Digit::Foreign).map(|tile| tile.index)
    }

    /// The tile through which the cluster gets its owner: one that is still part of it, or else
    /// the one that leaves it last.
    fn last(&self) -> Option<usize> {
        self.tiles.iter().max_by_key(|tile| self.fitness(tile)).map(|tile| tile.index)
    }

    /// How well a tile serves as the last one of the cluster.
    fn fitness(&self, tile: &ClusterTile) -> u8 {
        match tile.digit {
            _ if !tile.has_left => 5,
            // Leaves with the owner that it keeps.
            _ if tile.owner == self.owner => 4,
            Digit::Foreign => 0,
            // Gets its owner afterwards.
            _ if tile.owner != 0 => 3,
            // Becomes neutral by an elimination.
            _ => 1,
        }
    }

    /// Is something of the cluster neutral that had an owner?
    fn needs_elimination(&self) -> bool {
        let last = self.tiles.iter().map(|tile| self.fitness(tile)).max();
        let takes_along = || self.tiles.iter().any(ClusterTile::takes_owner_along);
        if self.owner == 0 { takes_along() } else { last <= Some(1) }
    }

    /// Is a player the owner of the cluster, or of a tile that must leave it with its owner?
    fn involves(&self, player: u8) -> bool {
        let tiles = || self.tiles.iter().filter(|tile| tile.takes_owner_along());
        self.owner == player || tiles().any(|tile| tile.owner == player)
    }
}
