//! What never changes while a match is played: the shape of the map and its clusters.

use crate::map::{Coord, Grid, Map, TileKind};

/// The shape of a map, and which tiles of mountain and forest hang together.
///
/// Clusters are those of the map as the match began. A tile whose ground changes leaves its
/// cluster and comes back when the ground does: so ownership of a cluster is one number, and no
/// stream can make it cost more.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Geography {
    pub(super) grid: Grid,
    pub(super) radius: u8,
    pub(super) tile_count: usize,
    /// For every tile the number of its cluster, or [`NO_CLUSTER`].
    cluster_of: Vec<u32>,
    /// The ground of each cluster.
    cluster_kinds: Vec<u8>,
}

const NO_CLUSTER: u32 = u32::MAX;

impl Geography {
    pub(super) fn of(map: &Map) -> Self {
        let tile_count = map.tile_count();
        let mut geography = Self {
            grid: map.grid(),
            radius: map.radius(),
            tile_count,
            cluster_of: vec![NO_CLUSTER; tile_count],
            cluster_kinds: Vec::new(),
        };
        for (index, (coord, tile)) in map.tiles().enumerate() {
            if tile.kind.is_clustered() && geography.cluster_of[index] == NO_CLUSTER {
                geography.number_cluster(map, coord, tile.kind);
            }
        }
        geography
    }

    /// Gives all tiles of `kind` that hang together with `start` the next cluster number.
    fn number_cluster(&mut self, map: &Map, start: Coord, kind: TileKind) {
        let cluster = self.cluster_kinds.len() as u32;
        self.cluster_kinds.push(kind.code());
        let mut open = vec![start];
        while let Some(coord) = open.pop() {
            let Some(index) = map.index_of(coord) else { continue };
            let is_kind = map.get(coord).is_some_and(|tile| tile.kind == kind);
            if is_kind && self.cluster_of[index] == NO_CLUSTER {
                self.cluster_of[index] = cluster;
                open.extend(map.neighbours(coord));
            }
        }
    }

    pub(super) fn cluster_count(&self) -> usize {
        self.cluster_kinds.len()
    }

    /// The cluster that the tile at `index` belongs to while its ground is `kind`.
    #[inline]
    pub(super) fn cluster(&self, index: usize, kind: u8) -> Option<usize> {
        let cluster = self.cluster_of[index] as usize;
        self.cluster_kinds.get(cluster).filter(|own| **own == kind).map(|_| cluster)
    }

    /// The cluster that the tile at `index` belongs to when the match begins.
    pub(super) fn first_cluster(&self, index: usize) -> Option<usize> {
        let cluster = self.cluster_of[index];
        (cluster != NO_CLUSTER).then_some(cluster as usize)
    }

    /// The index of a tile in ring order, where it is on the map.
    #[inline]
    pub(super) fn index_of(&self, tile: Coord) -> Option<usize> {
        self.grid.index_of(tile).filter(|index| *index < self.tile_count)
    }
}
