//! What a player carries forward of a game that nobody here knows.

use gametape_tape::{ChunkKind, KeyframeIndexEntry, SimSnapshot, Tape};
use gametape_wire::{Result, Tick, View, ViewSet};

use super::UnknownState;
use crate::player::Track;
use crate::streams;

/// More copies of keyframes than this do not count as memory: most share one.
const COPY_BYTES: usize = 256 << 10;

/// A view of a game that nobody here knows.
#[derive(Debug, Clone)]
pub struct UnknownTrack {
    view: View,
    /// Its input are the orders of all players: the tape has no frames.
    is_ordered: bool,
    /// The keyframes are those of the simulation.
    is_simulated: bool,
    state: UnknownState,
}

impl UnknownTrack {
    /// What a tape has of a view.
    #[must_use]
    pub fn new(tape: &Tape, view: View) -> Self {
        let is_framed = tape.stream(ChunkKind::FRAMES, streams::FRAMES).next().is_some();
        let has_own = tape.keyframes.entries().iter().any(|own| is_of(own, view));
        let is_all_seeing = view == View::SPECTATOR;
        let (is_ordered, is_simulated) = (is_all_seeing && !is_framed, is_all_seeing && !has_own);
        Self { view, is_ordered, is_simulated, state: UnknownState::default() }
    }

    /// What was recorded.
    #[must_use]
    pub fn state(&self) -> &UnknownState {
        &self.state
    }
}

/// Is this a keyframe of what the view knows?
fn is_of(keyframe: &KeyframeIndexEntry, view: View) -> bool {
    keyframe.stream == streams::keyframes_of(view) && keyframe.views.contains(view)
}

impl Track for UnknownTrack {
    type State = UnknownState;

    const EVERY_TICK: bool = false;

    fn input_kind(&self) -> ChunkKind {
        if self.is_ordered { ChunkKind::ORDERS } else { ChunkKind::FRAMES }
    }

    fn is_carried(&self) -> bool {
        false
    }

    fn state(&self) -> &UnknownState {
        &self.state
    }

    fn views(&self) -> ViewSet {
        if self.is_ordered { ViewSet::ALL } else { ViewSet::EMPTY.with(self.view) }
    }

    fn owns(&self, keyframe: &KeyframeIndexEntry) -> bool {
        match self.is_simulated {
            true => keyframe.stream == streams::SIMULATION,
            false => is_of(keyframe, self.view),
        }
    }

    fn input(&mut self, _: Tick, _: View, payload: &[u8]) -> Result<()> {
        self.state.take(payload);
        Ok(())
    }

    fn end_tick(&mut self, _: Tick) -> Result<()> {
        Ok(())
    }

    /// The last keyframe, as if it were of this tick: what came since is not in it.
    fn snapshot(&self, tick: Tick) -> SimSnapshot {
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
