//! When a keyframe is due, and whether it is full.

use gametape_wire::Tick;

use super::delta::DeltaSnapshot;
use super::{Keyframe, SimSnapshot, StateHash, hash_of_bytes};

/// How often keyframes are made, and how often full ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cadence {
    /// Ticks from one keyframe to the next; at least 1.
    pub ticks: u64,
    /// Every how many keyframes one is full; 1 makes all of them full.
    pub full_every: u32,
    /// A delta over this share of the last full keyframe is not worth it.
    pub delta_percent: u32,
}

impl Default for Cadence {
    /// Every 300 ticks, every tenth full, deltas up to 70 %.
    fn default() -> Self {
        Self::every(300)
    }
}

impl Cadence {
    /// A keyframe every `ticks` ticks, every tenth full, deltas up to 70 %.
    #[must_use]
    pub const fn every(ticks: u64) -> Self {
        Self { ticks, full_every: 10, delta_percent: 70 }
    }

    /// The same cadence with every how many keyframes one is full.
    #[must_use]
    pub const fn with_full_every(mut self, keyframes: u32) -> Self {
        self.full_every = keyframes;
        self
    }

    /// The same cadence with another share of the last full keyframe up to which a delta is worth it.
    #[must_use]
    pub const fn with_delta_percent(mut self, percent: u32) -> Self {
        self.delta_percent = percent;
        self
    }

    /// When a keyframe is due after one at `tick`.
    #[must_use]
    pub fn next_after(&self, tick: Tick) -> Tick {
        let ticks = self.ticks.max(1);
        Tick((tick.0 / ticks + 1).saturating_mul(ticks))
    }
}

/// Makes keyframes of snapshots: full ones, and deltas against the last full one.
///
/// ```
/// use gametape_tape::{KeyframeMaker, SimSnapshot};
/// use gametape_wire::Tick;
///
/// let mut keyframes = KeyframeMaker::default();
/// let mut made = Vec::new();
/// for tick in (0..1000).map(Tick) {
///     let state = || {
///         let mut state = SimSnapshot::default();
///         state.core.tick = tick;
///         state.core.random_state = vec![7; 500];
///         state
///     };
///     made.extend(keyframes.at(tick, state));
/// }
/// let full: Vec<(u64, bool)> = made.iter().map(|k| (k.tick.0, k.is_full())).collect();
/// assert_eq!(full, [(0, true), (300, false), (600, false), (900, false)]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct KeyframeMaker {
    cadence: Cadence,
    baseline: Option<Baseline>,
    next: Tick,
    /// Keyframes since the last full one, it included.
    since_full: u32,
}

#[derive(Debug, Clone)]
struct Baseline {
    snapshot: SimSnapshot,
    hash: StateHash,
    length: usize,
}

impl KeyframeMaker {
    /// A maker with another cadence.
    #[must_use]
    pub fn new(cadence: Cadence) -> Self {
        Self { cadence, ..Self::default() }
    }

    /// Is a keyframe due at `tick`?
    #[must_use]
    pub fn is_due(&self, tick: Tick) -> bool {
        tick >= self.next
    }

    /// The keyframe of `tick`, if one is due. The snapshot is only taken then.
    pub fn at(&mut self, tick: Tick, snapshot: impl FnOnce() -> SimSnapshot) -> Option<Keyframe> {
        self.is_due(tick).then(|| self.make(snapshot()))
    }

    /// The keyframe of a snapshot, due or not.
    pub fn make(&mut self, snapshot: SimSnapshot) -> Keyframe {
        self.next = self.cadence.next_after(snapshot.core.tick);
        let raw = snapshot.to_bytes();
        let hash = hash_of_bytes(&raw);
        if let Some(keyframe) = self.delta(&snapshot, hash) {
            self.since_full += 1;
            return keyframe;
        }
        self.since_full = 1;
        let tick = snapshot.core.tick;
        self.baseline = Some(Baseline { snapshot, hash, length: raw.len() });
        Keyframe { tick, baseline_tick: None, raw }
    }

    /// The snapshot as a delta, where there is a baseline and it is worth it.
    fn delta(&self, snapshot: &SimSnapshot, hash: StateHash) -> Option<Keyframe> {
        let baseline = self.baseline.as_ref()?;
        if self.since_full >= self.cadence.full_every {
            return None;
        }
        let from = (&baseline.snapshot, baseline.hash);
        let delta = DeltaSnapshot::between_hashed(from, (snapshot, hash)).ok()?;
        let keyframe = Keyframe::delta(&delta);
        let most = baseline.length as u64 * u64::from(self.cadence.delta_percent) / 100;
        (keyframe.raw.len() as u64 <= most).then_some(keyframe)
    }

    /// A keyframe was due or made, but is not on the tape: the next one is full.
    pub fn lost(&mut self) {
        self.baseline = None;
    }

    /// No keyframe is made at `tick` although one is due: the next one is full.
    pub fn skip(&mut self, tick: Tick) {
        self.next = self.cadence.next_after(tick);
        self.lost();
    }
}
