//! What a player carries forward of a game that nobody here knows.

use gametape_tape::{ChunkKind, KeyframeIndexEntry, SimSnapshot, SimTick};
use gametape_wire::{Result, View, ViewSet};

use super::UnknownState;
use crate::player::Track;
use crate::streams;

/// More copies of keyframes than this do not count as memory: most share one.
const COPY_BYTES: usize = 256 << 10;

/// A view of a game that nobody here knows; `ORDERS` are its input where the tape has no frames.
#[derive(Debug, Clone)]
pub struct UnknownTrack<const ORDERS: bool> {
    view: View,
    /// The keyframes are those of the simulation.
    is_simulated: bool,
    state: UnknownState,
}

impl<const ORDERS: bool> UnknownTrack<ORDERS> {
    pub(super) fn new(view: View, is_simulated: bool) -> Self {
        Self { view, is_simulated, state: UnknownState::default() }
    }
}

/// Is this a keyframe of what the view knows?
pub(super) fn is_of(keyframe: &KeyframeIndexEntry, view: View) -> bool {
    keyframe.stream == streams::keyframes_of(view) && keyframe.views.contains(view)
}

impl<const ORDERS: bool> Track for UnknownTrack<ORDERS> {
    type State = UnknownState;

    const INPUT: ChunkKind = if ORDERS { ChunkKind::ORDERS } else { ChunkKind::FRAMES };
    const EVERY_TICK: bool = false;
    const IS_CARRIED: bool = false;

    fn state(&self) -> &UnknownState {
        &self.state
    }

    fn views(&self) -> ViewSet {
        if ORDERS { ViewSet::ALL } else { ViewSet::EMPTY.with(self.view) }
    }

    fn owns(&self, keyframe: &KeyframeIndexEntry) -> bool {
        match self.is_simulated {
            true => keyframe.stream == streams::SIMULATION,
            false => is_of(keyframe, self.view),
        }
    }

    fn input(&mut self, _: SimTick, _: View, payload: &[u8]) -> Result<()> {
        self.state.take(payload);
        Ok(())
    }

    fn end_tick(&mut self, _: SimTick) -> Result<()> {
        Ok(())
    }

    /// The last keyframe, as if it were of this tick: what came since is not in it.
    fn snapshot(&self, tick: SimTick) -> SimSnapshot {
        let mut snapshot = self.state.keyframe.as_deref().cloned().unwrap_or_default();
        snapshot.core.tick = tick;
        snapshot
    }

    fn restore(&mut self, snapshot: &SimSnapshot) -> Result<()> {
        self.state.enter(snapshot);
        Ok(())
    }

    fn copy(&self) -> Option<(Self, usize)> {
        let memory = self.state.keyframe.as_ref().map_or(0, |keyframe| keyframe.memory());
        Some((self.clone(), memory.min(COPY_BYTES)))
    }
}
