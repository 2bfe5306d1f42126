//! What a player carries forward: what a view knows, or a simulation that runs again.

use std::ops::Range;

use gametape_tape::{ChunkKind, KeyframeIndexEntry, SimSnapshot};
use gametape_wire::{Error, Result, Tick, View, ViewSet};

use crate::game::{GameState, Order, Simulation};
use crate::streams;

/// Something that recorded input carries forward.
pub trait Track {
    /// What whoever plays it wants to see.
    type State: ?Sized;

    /// Does a tick without input change it too?
    const EVERY_TICK: bool;

    /// The chunks whose first stream holds its input.
    fn input_kind(&self) -> ChunkKind;

    /// Does input lead from one keyframe to the next? Where it does not, a keyframe is never compared, but counts where play
    /// comes to it.
    fn is_carried(&self) -> bool {
        true
    }

    /// What whoever plays it wants to see.
    fn state(&self) -> &Self::State;

    /// Whose input it takes.
    fn views(&self) -> ViewSet;

    /// Is this a keyframe of it?
    fn owns(&self, keyframe: &KeyframeIndexEntry) -> bool;

    /// Takes one input of a tick. What is wrong with it is the error; play goes on.
    fn input(&mut self, tick: Tick, view: View, payload: &[u8]) -> Result<()>;

    /// All input of a tick was given. An error here ends play.
    fn end_tick(&mut self, tick: Tick) -> Result<()>;

    /// The whole state at a tick.
    fn snapshot(&self, tick: Tick) -> SimSnapshot;

    /// Becomes the state of a snapshot.
    fn restore(&mut self, snapshot: &SimSnapshot) -> Result<()>;

    /// A copy to go on from, and about how many bytes of memory it takes; `None` where only
    /// snapshots can be kept.
    fn copy(&self) -> Option<(Self, usize)>
    where
        Self: Sized;
}

/// What one view knows, carried forward by recorded frames.
#[derive(Debug, Clone)]
pub struct ViewTrack<G> {
    view: View,
    state: G,
}

impl<G> ViewTrack<G> {
    pub(crate) fn new(view: View, state: G) -> Self {
        Self { view, state }
    }

    /// The view.
    #[must_use]
    pub fn view(&self) -> View {
        self.view
    }

    /// What the view knows.
    #[must_use]
    pub fn state(&self) -> &G {
        &self.state
    }
}

impl<G: GameState> Track for ViewTrack<G> {
    type State = G;

    const EVERY_TICK: bool = false;

    fn input_kind(&self) -> ChunkKind {
        ChunkKind::FRAMES
    }

    fn state(&self) -> &G {
        &self.state
    }

    fn views(&self) -> ViewSet {
        ViewSet::EMPTY.with(self.view)
    }

    fn owns(&self, keyframe: &KeyframeIndexEntry) -> bool {
        keyframe.stream == streams::keyframes_of(self.view) && keyframe.views.contains(self.view)
    }

    fn input(&mut self, tick: Tick, _: View, payload: &[u8]) -> Result<()> {
        self.state.apply(tick, payload)
    }

    fn end_tick(&mut self, _: Tick) -> Result<()> {
        Ok(())
    }

    fn snapshot(&self, tick: Tick) -> SimSnapshot {
        self.state.snapshot(tick)
    }

    fn restore(&mut self, snapshot: &SimSnapshot) -> Result<()> {
        self.state.restore(snapshot)
    }

    fn copy(&self) -> Option<(Self, usize)> {
        let (state, memory) = self.state.copy()?;
        Some((Self { view: self.view, state }, memory))
    }
}

/// A simulation that runs again from its recorded orders.
#[derive(Debug, Clone)]
pub struct SimulationTrack<X> {
    simulation: X,
    /// The orders of the present tick: who, and where in `payloads`.
    orders: Vec<(View, Range<usize>)>,
    payloads: Vec<u8>,
}

impl<X> SimulationTrack<X> {
    pub(super) fn new(simulation: X) -> Self {
        Self { simulation, orders: Vec::new(), payloads: Vec::new() }
    }

    /// The simulation.
    #[must_use]
    pub fn simulation(&self) -> &X {
        &self.simulation
    }

    fn forget_orders(&mut self) {
        self.orders.clear();
        self.payloads.clear();
    }
}

impl<X: Simulation> Track for SimulationTrack<X> {
    type State = X;

    const EVERY_TICK: bool = true;

    fn input_kind(&self) -> ChunkKind {
        ChunkKind::ORDERS
    }

    fn state(&self) -> &X {
        &self.simulation
    }

    fn views(&self) -> ViewSet {
        gametape_wire::ViewSet::ALL
    }

    fn owns(&self, keyframe: &KeyframeIndexEntry) -> bool {
        keyframe.stream == streams::SIMULATION
    }

    fn input(&mut self, _: Tick, view: View, payload: &[u8]) -> Result<()> {
        let start = self.payloads.len();
        self.payloads.extend_from_slice(payload);
        self.orders.push((view, start..self.payloads.len()));
        Ok(())
    }

    fn end_tick(&mut self, _: Tick) -> Result<()> {
        let payloads = &self.payloads;
        let order = |(player, range): &(View, Range<usize>)| Order {
            player: *player,
            payload: &payloads[range.clone()],
        };
        let orders: Vec<Order<'_>> = self.orders.iter().map(order).collect();
        let stepped = self.simulation.step(&orders);
        self.forget_orders();
        stepped
    }

    fn snapshot(&self, _: Tick) -> SimSnapshot {
        self.simulation.snapshot()
    }

    fn restore(&mut self, snapshot: &SimSnapshot) -> Result<()> {
        self.forget_orders();
        self.simulation.restore(snapshot)?;
        if self.simulation.tick() == snapshot.core.tick {
            return Ok(());
        }
        Err(Error::misuse("simulation", "its tick is not that of the snapshot"))
    }

    fn copy(&self) -> Option<(Self, usize)> {
        let (simulation, memory) = self.simulation.copy()?;
        Some((Self::new(simulation), memory))
    }
}
