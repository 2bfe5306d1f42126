//! What one view of a MineWars match knows, as a state that can be recorded and entered.

use std::sync::Arc;

use gametape_minewars::{Coord, Dialect, Setup, ViewState, Who};
use gametape_tape::{CellPos, SimSnapshot};
use gametape_wire::{Arrange, Error, ErrorKind, Place, Result, Tick, View};

use crate::game::GameState;

/// Mark and shape before the layers of the canonical form.
const HEAD: usize = 7;
/// Bytes that are known of each tile.
const LAYERS: usize = 8;

const VIEW: &str = "view";
const KNOWN: &str = "known";

/// What one view of a MineWars match knows.
///
/// Snapshots are specified in `spec/tape-contents.md`, section 3.
#[derive(Debug, Clone)]
pub struct MinewarsView {
    start: Arc<Start>,
    state: ViewState,
    dialect: Dialect,
}

/// What the view knows before its first message.
#[derive(Debug)]
struct Start {
    /// The canonical form.
    bytes: Vec<u8>,
    hash: [u8; 32],
    /// Every tile in the order of cells, with its index in ring order.
    cells: Vec<(CellPos, usize)>,
}

impl MinewarsView {
    /// What `view` knows before its first message.
    #[must_use]
    pub fn new(setup: &Setup, view: View) -> Self {
        Self::in_dialect(setup, view, setup.dialect())
    }

    /// What `view` knows before its first message, of messages in a dialect.
    pub(crate) fn in_dialect(setup: &Setup, view: View, dialect: Dialect) -> Self {
        let state = ViewState::new(&setup.map, view, setup.generation);
        let coords = setup.map.tiles().map(|(coord, _)| cell_of(coord));
        let mut cells: Vec<(CellPos, usize)> = coords.zip(0..).collect();
        cells.arrange();
        let start = Arc::new(Start { bytes: state.to_bytes(), hash: state.hash(), cells });
        Self { start, state, dialect }
    }

    /// What it knows now.
    #[must_use]
    pub fn state(&self) -> &ViewState {
        &self.state
    }

    /// The dialect of its messages.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Calls clients and votes otherwise.
    pub(crate) fn rename(&mut self, name: &dyn Fn(Who) -> String, vote: &[u8]) {
        self.state.rename(name, vote);
    }

    /// Applies the messages of a payload whose first byte is at `offset`, and reports what is wrong.
    pub(crate) fn apply_payload(
        &mut self,
        payload: &[u8],
        offset: u64,
        problem: impl FnMut(Error),
    ) {
        self.state.apply_payload(payload, offset, self.dialect, problem);
    }
}

fn cell_of(coord: Coord) -> CellPos {
    CellPos { z: 0, y: coord.y.into(), x: coord.x.into() }
}

/// The layers of a tile in a canonical form of `count` tiles.
fn layers(bytes: &[u8], count: usize, index: usize) -> [u8; LAYERS] {
    std::array::from_fn(|layer| bytes[HEAD + layer * count + index])
}

/// Which tiles have other layers in one canonical form than in the other.
fn changed_tiles(start: &[u8], now: &[u8], count: usize) -> Vec<bool> {
    let mut changed = vec![false; count];
    for layer in 0..LAYERS {
        let range = HEAD + layer * count..HEAD + (layer + 1) * count;
        let both = start[range.clone()].iter().zip(&now[range]);
        for (changed, (before, after)) in changed.iter_mut().zip(both) {
            *changed |= before != after;
        }
    }
    changed
}

impl GameState for MinewarsView {
    fn apply(&mut self, _: Tick, payload: &[u8]) -> Result<()> {
        let mut first = None;
        self.state.apply_payload(payload, 0, self.dialect, |error| {
            first.get_or_insert(error);
        });
        first.map_or(Ok(()), Err)
    }

    fn snapshot(&self, tick: Tick) -> SimSnapshot {
        let (start, now) = (&self.start.bytes, self.state.to_bytes());
        let count = self.start.cells.len();
        let mut snapshot = SimSnapshot::default();
        let core = &mut snapshot.core;
        (core.tick, core.map_hash) = (tick, self.start.hash);
        let mut fits = true;
        let changed = changed_tiles(start, &now, count);
        for &(cell, index) in self.start.cells.iter().filter(|(_, index)| changed[*index]) {
            fits &= core.map.push(cell, &layers(&now, count, index)).is_ok();
        }
        fits &= core.sections.push(KNOWN.into(), &now[HEAD + LAYERS * count..]).is_ok();
        fits &= core.sections.push(VIEW.into(), &now[3..HEAD]).is_ok();
        debug_assert!(fits, "cells and sections ascend and are few");
        snapshot
    }

    fn restore(&mut self, snapshot: &SimSnapshot) -> Result<()> {
        let core = &snapshot.core;
        if core.map_hash != self.start.hash {
            return Err(misfit("it belongs to another map or view"));
        }
        let count = self.start.cells.len();
        let mut bytes = self.start.bytes[..HEAD + LAYERS * count].to_vec();
        let mut tiles = self.start.cells.iter();
        for (cell, tile) in core.map.iter() {
            // Both ascend.
            let index = tiles.find(|(own, _)| own >= cell).filter(|(own, _)| own == cell);
            let (Some((_, index)), Ok(tile)) = (index, <[u8; LAYERS]>::try_from(tile)) else {
                return Err(misfit("a cell is not a tile of the map"));
            };
            for (layer, value) in tile.into_iter().enumerate() {
                bytes[HEAD + layer * count + index] = value;
            }
        }
        let section = |name: &str| {
            let content = core.sections.get(&name.to_owned());
            content.ok_or_else(|| misfit("a section is missing"))
        };
        if *section(VIEW)? != bytes[3..HEAD] {
            return Err(misfit("it has another shape"));
        }
        bytes.extend_from_slice(section(KNOWN)?);
        self.state = self.state.restore(&bytes)?;
        Ok(())
    }

    fn copy(&self) -> Option<(Self, usize)> {
        Some((self.clone(), size_of::<Self>() + self.state.memory()))
    }
}

#[cold]
fn misfit(problem: &'static str) -> Error {
    let kind = ErrorKind::BadSyntax { problem: problem.into() };
    Error::new(Place::Nowhere, "snapshot of a MineWars view", kind)
}
