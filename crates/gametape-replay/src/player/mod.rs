//! Playing a tape: any tick, forward, backward, in any order.

mod cache;
mod clock;
mod difference;
mod findings;
mod input_cursor;
mod keyframe_check;
mod keyframes;
mod lost;
mod route;
mod track;
mod verify;

use std::ops::Range;

use gametape_tape::{SimSnapshot, SimTick};
use gametape_wire::{Error, Limit, Result, View};

use crate::game::{GameState, Simulation};
use crate::source::Recording;
use gametape_wire::Source;

use cache::Cache;
use clock::Clock;
use findings::Findings;
use input_cursor::InputCursor;
use keyframes::Keyframes;
use lost::lost_input;
use route::{FRAME_COST, TICK_COST, WIDER, spacing, waypoints};

pub use difference::{Difference, Divergence, MOST_DIFFERENCES, Site, differences};
pub use findings::{DeepLevel, DeepVerification, PlayFinding};
pub use track::{SimulationTrack, Track, ViewTrack};

/// Ticks that one seek simulates at most.
const SIMULATED_TICKS: Limit = Limit::new("ticks to simulate in one seek", 1 << 24);

/// How a player works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayerOptions {
    /// Bytes of states that are kept in memory, near the playhead and elsewhere.
    pub cache_bytes: usize,
    /// Compare the state with every keyframe that is passed.
    pub check: bool,
}

impl Default for PlayerOptions {
    /// 64 MiB, and everything compared.
    fn default() -> Self {
        Self { cache_bytes: 64 << 20, check: true }
    }
}

/// Plays a tape: the state at any tick, as it is when all is played from the start.
///
/// The state at tick T is that of the last keyframe at or before T that can be used, carried forward
/// by everything that was recorded from there up to T, T itself not included. While playing goes
/// forward over a keyframe, the state is [compared](PlayerOptions::check) with it; where they differ
/// the difference is a [finding](Self::findings), and the recorded one counts.
///
/// ```
/// use gametape_minewars::sample::Sample;
/// use gametape_minewars::{ReplayFile, WriteOptions, write_file};
/// use gametape_replay::{ConvertOptions, PlayerOptions, Recording, minewars};
/// use gametape_minewars::Generation;
/// use gametape_wire::View;
///
/// // A file can be played as it is: as a tape in memory.
/// let (setup, frames) = Sample::default().build(Generation::Current)?;
/// let bytes = write_file(&setup, &frames, &WriteOptions::default())?;
/// let tape = minewars::to_tape(&ReplayFile::open(&bytes)?, &ConvertOptions::new(1))?;
///
/// let recording = Recording::open(tape)?;
/// let mut player = minewars::player(recording, View::SPECTATOR, PlayerOptions::default())?;
/// player.seek(5_000)?;
/// let then = player.snapshot().state_hash();
/// player.seek(player.end())?;
/// player.seek(5_001)?;
/// player.seek(5_000)?;
/// assert_eq!(player.snapshot().state_hash(), then);
/// println!("{} cities", player.track().state().state().cities().count());
///
/// // Four times as fast, by the caller's clock in microseconds.
/// player.play(4_000, 0);
/// player.advance(1_000_000)?;
/// assert_eq!(player.tick(), 9_000);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct Player<S, T> {
    recording: Recording<S>,
    track: T,
    input: InputCursor,
    keyframes: Keyframes,
    /// The state before tick 0.
    start: SimSnapshot,
    tick: SimTick,
    end: SimTick,
    /// The keyframe that the present state was carried forward from; 0 also for the start.
    base: SimTick,
    /// The state is not what it should be: something failed on the way.
    broken: bool,
    gaps: Vec<Range<SimTick>>,
    cache: Cache<T>,
    /// Input since the last state that is kept or recorded, in bytes.
    work: u64,
    /// How much of it lies between two copies.
    spacing: u64,
    clock: Clock,
    options: PlayerOptions,
    findings: Findings,
}

impl<S: Source, G: GameState> Player<S, ViewTrack<G>> {
    /// Plays what `view` knows; `state` is what it knows before tick 0.
    pub fn view(
        recording: Recording<S>,
        view: View,
        state: G,
        options: PlayerOptions,
    ) -> Result<Self> {
        Self::new(recording, ViewTrack::new(view, state), options)
    }

    /// What the view knows now.
    pub fn state(&self) -> &G {
        self.track.state()
    }
}

impl<S: Source, X: Simulation> Player<S, SimulationTrack<X>> {
    /// Runs a simulation again by its recorded orders; it must be at tick 0.
    pub fn simulation(
        recording: Recording<S>,
        simulation: X,
        options: PlayerOptions,
    ) -> Result<Self> {
        if simulation.tick() != 0 {
            return Err(Error::misuse("simulation", "it must be at tick 0"));
        }
        Self::new(recording, SimulationTrack::new(simulation), options)
    }
}

impl<S: Source, T: Track> Player<S, T> {
    fn new(recording: Recording<S>, track: T, options: PlayerOptions) -> Result<Self> {
        let views = track.views();
        let gaps = lost_input::<S, T>(&recording, views);
        let mut player = Self {
            input: InputCursor::new(&recording, T::INPUT, views),
            keyframes: Keyframes::new(recording.tape(), &track),
            start: track.snapshot(0),
            tick: 0,
            end: recording.tape().summary.end_tick,
            base: 0,
            broken: false,
            gaps,
            cache: Cache::new(options.cache_bytes),
            work: 0,
            spacing: track
                .copy()
                .map_or(u64::MAX, |(_, memory)| spacing(memory, options.cache_bytes)),
            clock: Clock::new(recording.tape().header.tick_length.micros()),
            options,
            findings: Findings::default(),
            recording,
            track,
        };
        player.input.seek(&mut player.recording, 0);
        player.meet_keyframe(options.check)?;
        Ok(player)
    }

    /// The tape that is played.
    pub fn recording(&self) -> &Recording<S> {
        &self.recording
    }

    /// Gives the tape back.
    pub fn into_recording(self) -> Recording<S> {
        self.recording
    }

    /// What is carried forward.
    pub fn track(&self) -> &T {
        &self.track
    }

    /// Where the playhead is: everything before this tick was applied.
    pub fn tick(&self) -> SimTick {
        self.tick
    }

    /// The last tick that can be gone to.
    pub fn end(&self) -> SimTick {
        self.end
    }

    /// The whole state now, in canonical form.
    pub fn snapshot(&self) -> SimSnapshot {
        self.track.snapshot(self.tick)
    }

    /// What was wrong so far: input that cannot be applied, keyframes that cannot be used or differ.
    pub fn findings(&self) -> &[PlayFinding] {
        self.findings.list()
    }

    /// Ticks with lost input between the keyframe that the state comes from and now: while there are
    /// any, the state may not be what it was.
    pub fn doubt(&self) -> Option<Range<SimTick>> {
        self.lost().map(|(ticks, _)| ticks.clone())
    }

    /// The first lost input between keyframe and now, and why it is lost where that is known.
    fn lost(&self) -> Option<(&Range<SimTick>, Option<&Error>)> {
        let told = self.gaps.iter().map(|ticks| (ticks, None));
        let unreadable = self.input.lost().map(|(ticks, error)| (ticks, Some(error)));
        told.chain(unreadable)
            .filter(|(gap, _)| gap.start < self.tick && gap.end > self.base)
            .min_by_key(|(gap, _)| gap.start)
    }

    /// Notes lost input, and says whether there is any.
    fn note_lost(&mut self) -> bool {
        let Some((ticks, error)) = self.lost() else { return false };
        let finding = PlayFinding::Lost { ticks: ticks.clone(), error: error.cloned() };
        self.findings.note(finding);
        true
    }

    /// Bytes of states that are kept now.
    pub fn cached_bytes(&self) -> usize {
        self.cache.bytes()
    }

    /// Goes to a tick, at most [`end`](Self::end).
    pub fn seek(&mut self, tick: SimTick) -> Result<()> {
        self.clock.forget();
        self.go(tick)
    }

    /// Applies the next tick that changes anything. False at the end.
    pub fn step(&mut self) -> Result<bool> {
        let next =
            if T::EVERY_TICK { Some(self.tick) } else { self.input.peek(&mut self.recording) };
        let Some(next) = next.filter(|next| *next < self.end) else { return Ok(false) };
        self.seek(next + 1)?;
        Ok(true)
    }

    /// Takes the last tick back that changed anything. False at the start.
    pub fn step_back(&mut self) -> Result<bool> {
        let last = if T::EVERY_TICK {
            self.tick.checked_sub(1)
        } else {
            self.input.last_before(&mut self.recording, self.tick)
        };
        let Some(last) = last else {
            self.input.seek(&mut self.recording, self.tick);
            return Ok(false);
        };
        self.seek(last)?;
        Ok(true)
    }

    /// Plays from here on: `rate` in thousandths, below 0 backwards; `now` in microseconds.
    pub fn play(&mut self, rate: i64, now: u64) {
        self.clock.set_rate(rate, now, self.tick);
    }

    /// The rate of play in thousandths; 0 while nothing plays.
    pub fn rate(&self) -> i64 {
        self.clock.rate()
    }

    /// Goes where the playhead is due at `now`, microseconds of the caller's clock.
    pub fn advance(&mut self, now: u64) -> Result<SimTick> {
        let due = self.clock.due(now, self.tick, self.end);
        self.go(due)?;
        Ok(self.tick)
    }

    fn go(&mut self, goal: SimTick) -> Result<()> {
        if goal > self.end {
            let problem = format!("the tape ends at {}, before {goal}", self.end);
            return Err(Error::misuse("tick", problem));
        }
        if goal == self.tick && !self.broken {
            return Ok(());
        }
        let backward = goal < self.tick;
        self.start_for(goal)?;
        self.run(goal, backward)
    }

    /// Plays forward to `goal` and keeps states on the way, more of them where somebody goes back.
    fn run(&mut self, goal: SimTick, backward: bool) -> Result<()> {
        if T::EVERY_TICK {
            SIMULATED_TICKS.check(goal - self.tick, 0)?;
        }
        let spacing = if backward { self.spacing } else { self.spacing.saturating_mul(WIDER) };
        // Where copies are kept all the way, there is no need for waypoints.
        let few = backward && spacing == u64::MAX;
        let mut waypoints = if few { waypoints(self.tick, goal) } else { Vec::new() };
        while self.tick < goal {
            while waypoints.last().is_some_and(|waypoint| *waypoint <= self.tick) {
                waypoints.pop();
            }
            let keyframe = self.keyframes.next_after(self.tick).unwrap_or(goal);
            let stop = waypoints.last().copied().unwrap_or(goal).min(keyframe).min(goal);
            let changed = self.run_to(stop, spacing)?;
            if self.tick == keyframe {
                self.pass_keyframe()?;
            }
            if self.work >= spacing {
                self.keep_copy();
            } else if changed && waypoints.last() == Some(&stop) && !self.cache.has(stop) {
                self.cache.keep_snapshot(&self.track.snapshot(stop), self.base, goal);
            }
        }
        self.note_lost();
        Ok(())
    }

    /// Applies everything before `stop`, or less: until there is so much work since the last state
    /// that is kept. Says whether that was anything.
    fn run_to(&mut self, stop: SimTick, most_work: u64) -> Result<bool> {
        self.broken = true;
        let before = self.work;
        while self.tick < stop && self.work < most_work {
            let until = if T::EVERY_TICK {
                self.work += TICK_COST;
                self.tick + 1
            } else {
                let next = self.input.peek(&mut self.recording).filter(|next| *next < stop);
                next.map_or(stop, |next| next + 1)
            };
            self.input_before(until);
            self.track.end_tick(self.tick)?;
            self.tick = until;
        }
        self.broken = false;
        Ok(self.work > before)
    }

    fn input_before(&mut self, stop: SimTick) {
        let views = self.track.views();
        while let Some(frame) = self.input.take(&mut self.recording, stop) {
            for part in frame.parts() {
                for view in part.views.and(views).iter() {
                    self.work += FRAME_COST + part.payload.len() as u64;
                    if let Err(error) = self.track.input(frame.tick, view, part.payload) {
                        self.findings.note(PlayFinding::Input { tick: frame.tick, error });
                    }
                }
            }
        }
    }
}
