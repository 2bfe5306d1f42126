//! What a game says about itself, so that it can be recorded, entered at any moment and checked.

use gametape_tape::SimSnapshot;
use gametape_wire::{Result, Tick, View};

/// What one view knows, carried forward by recorded updates.
///
/// The state before tick T is what it was at a keyframe at K ≤ T, plus every update with K ≤ tick < T in
/// the order of recording. Two states that know the same give equal snapshots.
pub trait GameState {
    /// Carries the state forward by one payload of its view.
    ///
    /// An error says what is wrong with the payload. The state may then have taken a part of it.
    fn apply(&mut self, tick: Tick, payload: &[u8]) -> Result<()>;

    /// The whole state at a tick, in canonical form.
    fn snapshot(&self, tick: Tick) -> SimSnapshot;

    /// Becomes the state of a snapshot that [`snapshot`](Self::snapshot) made.
    fn restore(&mut self, snapshot: &SimSnapshot) -> Result<()>;

    /// A copy that play can go on from, and about how many bytes of memory it takes.
    ///
    /// A player keeps copies near the playhead, which makes going back and forth cheap. `None`, the
    /// default, where a copy is not much cheaper than a snapshot: then snapshots are kept.
    fn copy(&self) -> Option<(Self, usize)>
    where
        Self: Sized,
    {
        None
    }
}

/// One order: what a player asked the game to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Order<'a> {
    /// Who gave it.
    pub player: View,
    /// The game's own bytes.
    pub payload: &'a [u8],
}

impl<'a> Order<'a> {
    /// An order of a player.
    #[must_use]
    pub fn new(player: View, payload: &'a [u8]) -> Self {
        Self { player, payload }
    }
}

/// A deterministic game, advanced by orders alone: the same start and the same orders give the same
/// states, bit for bit, on every machine.
pub trait Simulation {
    /// How many ticks have been applied; the next [`step`](Self::step) applies this one.
    fn tick(&self) -> Tick;

    /// Applies the orders of one tick, then the tick itself. The orders come in the order of
    /// recording; an order that the rules refuse changes nothing and is not an error.
    fn step(&mut self, orders: &[Order<'_>]) -> Result<()>;

    /// The whole state before the orders of the present tick, in canonical form.
    fn snapshot(&self) -> SimSnapshot;

    /// Becomes the state of a snapshot that [`snapshot`](Self::snapshot) made.
    fn restore(&mut self, snapshot: &SimSnapshot) -> Result<()>;

    /// A copy that play can go on from, and about how many bytes of memory it takes.
    ///
    /// A player keeps copies near the playhead, which makes going back and forth cheap. `None`, the
    /// default, where a copy is not much cheaper than a snapshot: then snapshots are kept.
    fn copy(&self) -> Option<(Self, usize)>
    where
        Self: Sized,
    {
        None
    }
}
