//! Playing a tape: any moment, forward, backward, in any order.

mod changes;
mod difference;
mod findings;
mod grow;
mod input_cursor;
mod keyframe_check;
mod keyframes;
mod lost;
mod play;
mod route;
mod track;
mod verify;
mod waiting;

use std::ops::Range;
use std::sync::OnceLock;

use gametape_tape::SimSnapshot;
use gametape_wire::{
    Arrange, Error, Finding, KeptStates, Moment, Need, Report, Result, SansIo, Source, Tick,
    TickLength, View, drive,
};

use crate::game::{GameState, Simulation};
use crate::source::{OpenTape, Recording};
use crate::timeline::{
    Change, Direction, KEPT_BYTES, Kept, Marker, Playback, Spacing, Timeline, check_end,
};

use changes::Changed;
use findings::Findings;
use input_cursor::InputCursor;
use keyframes::Keyframes;
use lost::lost_input;
use waiting::Task;

pub use difference::{Difference, Divergence, MOST_DIFFERENCES, Site, differences};
pub use findings::{DeepLevel, DeepVerification, PlayRule};
pub use track::{SimulationTrack, Track, ViewTrack};

/// How a player works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlayerOptions {
    /// Bytes of states that are kept in memory, near the position and elsewhere.
    pub cache_bytes: usize,
    /// Compare the state with every keyframe that is passed.
    pub check: bool,
}

impl Default for PlayerOptions {
    /// 40 MiB, and everything compared.
    fn default() -> Self {
        Self::new()
    }
}

impl PlayerOptions {
    /// 40 MiB, and everything compared.
    #[must_use]
    pub const fn new() -> Self {
        Self { cache_bytes: KEPT_BYTES, check: true }
    }

    /// The same options with another budget for kept states.
    #[must_use]
    pub const fn with_cache_bytes(mut self, bytes: usize) -> Self {
        self.cache_bytes = bytes;
        self
    }

    /// The same options, with or without comparing the state with keyframes.
    #[must_use]
    pub const fn with_check(mut self, check: bool) -> Self {
        self.check = check;
        self
    }
}

/// Plays a tape: the state at any moment, as it is when all is played from the start.
///
/// The state at a moment is that of the last keyframe at or before it that can be used, carried
/// forward by everything that was recorded from there on. While playing goes forward over a keyframe,
/// the state is [compared](PlayerOptions::check) with it; where they differ the difference is a
/// [finding](Self::findings), and the recorded one counts.
///
/// A player does no I/O: it is a [`Timeline`] that says which bytes it needs. [`Playback`] supplies them
/// from a [`Source`].
///
/// ```
/// use gametape_minewars::sample::Sample;
/// use gametape_minewars::{Generation, ReplayFile, WriteOptions, write_file};
/// use gametape_replay::{ConvertOptions, PlayerOptions, Recording, minewars};
/// use gametape_wire::{Tick, View};
///
/// let (setup, frames) = Sample::default().build(Generation::Current)?;
/// let bytes = write_file(&setup, &frames, &WriteOptions::default())?;
/// let tape = minewars::to_tape(&ReplayFile::open(&bytes)?, &ConvertOptions::new(1))?;
///
/// let recording = Recording::open(tape)?;
/// let mut player = minewars::player(recording, View::SPECTATOR, PlayerOptions::default())?;
/// player.seek(Tick(5_000))?; // After everything that happened at this tick.
/// let then = player.timeline().snapshot().state_hash();
/// player.seek(player.end())?;
/// player.seek(Tick(5_001))?;
/// player.seek(Tick(5_000))?;
/// assert_eq!(player.timeline().snapshot().state_hash(), then);
/// println!("{} cities", player.state().state().cities().count());
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct Player<T> {
    tape: OpenTape,
    track: T,
    input: InputCursor,
    keyframes: Keyframes,
    /// The state before tick 0.
    start: SimSnapshot,
    /// Everything before this tick is in the state.
    tick: u64,
    /// Where play begins: what is before it was cut away.
    begin: u64,
    end: u64,
    /// The keyframe that the present state was carried forward from; 0 also for the start.
    base: u64,
    /// The state is not what it should be: something failed on the way.
    broken: bool,
    /// The keyframe of this tick is still to be compared.
    keyframe_pending: bool,
    gaps: Vec<Range<u64>>,
    kept: KeptStates<Kept<T>>,
    spacing: Spacing,
    options: PlayerOptions,
    findings: Findings,
    /// What is under way, and the bytes that it waits for.
    task: Option<Task>,
    lacking: Vec<Range<u64>>,
    changes: OnceLock<Vec<Changed>>,
    markers: Vec<Marker>,
}

impl<G: GameState> Player<ViewTrack<G>> {
    /// Plays what `view` knows; `state` is what it knows before tick 0.
    pub fn view(tape: OpenTape, view: View, state: G, options: PlayerOptions) -> Result<Self> {
        Self::new(tape, ViewTrack::new(view, state), options)
    }
}

impl<X: Simulation> Player<SimulationTrack<X>> {
    /// Runs a simulation again by its recorded orders; it must be at tick 0.
    pub fn simulation(tape: OpenTape, simulation: X, options: PlayerOptions) -> Result<Self> {
        if simulation.tick() != Tick(0) {
            return Err(Error::misuse("simulation", "it must be at tick 0"));
        }
        Self::new(tape, SimulationTrack::new(simulation), options)
    }
}

impl<T: Track> Player<T> {
    pub(crate) fn new(tape: OpenTape, track: T, options: PlayerOptions) -> Result<Self> {
        let views = track.views();
        let memory = track.copy().map(|(_, memory)| memory);
        let mut player = Self {
            input: InputCursor::new(tape.tape(), track.input_kind(), views),
            keyframes: Keyframes::new(tape.tape(), &track),
            start: track.snapshot(Tick::ZERO),
            tick: 0,
            begin: 0,
            end: 0,
            base: 0,
            broken: false,
            keyframe_pending: false,
            gaps: Vec::new(),
            kept: KeptStates::new(options.cache_bytes),
            spacing: Spacing::new(memory, options.cache_bytes),
            options,
            findings: Findings::default(),
            task: None,
            lacking: Vec::new(),
            changes: OnceLock::new(),
            markers: Vec::new(),
            tape,
            track,
        };
        player.find_end();
        if player.begin > 0 {
            // Nothing leads there from the start.
            player.broken = true;
            player.task = Some(Task::Seek { goal: player.begin, backward: false });
        } else {
            // What was recorded of the start counts, if it can be used.
            player.keyframe_pending = options.check && player.keyframes.nearest(0) == Some(0);
            player.task = player.keyframe_pending.then_some(Task::Enter);
        }
        player.go_on().map(|_| player)
    }

    /// Finds end, losses and markers in what is known of the tape.
    fn find_end(&mut self) {
        (self.gaps, self.end) = lost_input(&self.tape, &self.track);
        self.begin = self.find_begin();
        let begin = self.begin;
        let keyframes = self.keyframes.ticks().filter(|tick| *tick >= begin);
        let lost = self.gaps.iter().filter(|gap| gap.end > begin);
        let mut markers: Vec<Marker> =
            keyframes.map(Marker::keyframe).chain(lost.map(Marker::lost)).collect();
        markers.arrange();
        self.markers = markers;
    }

    /// Where play begins. Of a cut tape that is the first state that can be had without what was cut
    /// away.
    fn find_begin(&self) -> u64 {
        match self.tape.first_tick().0 {
            0 => 0,
            first => {
                let state = self.keyframes.ticks().find(|tick| *tick >= first);
                state.unwrap_or(first).min(self.end)
            }
        }
    }

    /// The tape that is played.
    #[must_use]
    pub fn open_tape(&self) -> &OpenTape {
        &self.tape
    }

    /// Gives the tape back.
    #[must_use]
    pub fn into_open_tape(self) -> OpenTape {
        self.tape
    }

    /// What is carried forward.
    #[must_use]
    pub fn track(&self) -> &T {
        &self.track
    }

    /// The whole state at the position, in canonical form.
    #[must_use]
    pub fn snapshot(&self) -> SimSnapshot {
        self.track.snapshot(Tick(self.tick))
    }

    /// What was wrong so far, by [`PlayRule`]: input that cannot be applied, keyframes that cannot be
    /// used or differ.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        self.findings.report().findings()
    }

    /// The states that are not the recorded ones.
    #[must_use]
    pub fn divergences(&self) -> &[Divergence] {
        self.findings.divergences()
    }

    /// Ticks with lost input between the keyframe that the state comes from and the position: while
    /// there are any, the state may not be what it was.
    #[must_use]
    pub fn doubt(&self) -> Option<Range<Tick>> {
        self.lost().map(|(ticks, _)| Tick(ticks.start)..Tick(ticks.end))
    }

    /// The first lost input between keyframe and position, and why it is lost where that is known.
    fn lost(&self) -> Option<(&Range<u64>, Option<&Error>)> {
        let declared = self.gaps.iter().map(|ticks| (ticks, None));
        let unreadable = self.input.lost().map(|(ticks, error)| (ticks, Some(error)));
        declared
            .chain(unreadable)
            .filter(|(gap, _)| gap.start < self.tick && gap.end > self.base)
            .min_by_key(|(gap, _)| gap.start)
    }

    /// Notes lost input, and says whether there is any. What was cut away is not lost.
    fn note_lost(&mut self) -> bool {
        let Some((ticks, error)) = self.lost() else { return false };
        if self.tick <= self.begin {
            return true;
        }
        let (ticks, error) = (ticks.clone(), error.cloned());
        self.findings.note_lost(&ticks, error.as_ref());
        true
    }

    /// Bytes of states that are kept now.
    #[must_use]
    pub fn cached_bytes(&self) -> usize {
        self.kept.bytes()
    }
}

impl<T: Track> SansIo for Player<T> {
    fn need(&self) -> Need {
        if self.lacking.is_empty() { Need::Ready } else { Need::Bytes(self.lacking.clone()) }
    }

    fn supply(&mut self, range: Range<u64>, bytes: &[u8]) -> Result<()> {
        self.take_bytes(&range, bytes)
    }
}

impl<T: Track> Timeline for Player<T> {
    type State = T::State;

    fn tick_length(&self) -> TickLength {
        self.tape.tape().header.tick_length
    }

    fn begin(&self) -> Moment {
        Moment::before(Tick(self.begin))
    }

    fn end(&self) -> Moment {
        Moment::before(Tick(self.end))
    }

    fn position(&self) -> Moment {
        Moment::before(Tick(self.tick))
    }

    fn seek(&mut self, to: Moment) -> Result<Need> {
        check_end(to, self.end())?;
        let goal = to.next_tick().0.max(self.begin);
        self.undertake(Task::Seek { goal, backward: goal < self.tick })
    }

    fn step(&mut self, direction: Direction) -> Result<Need> {
        self.undertake(Task::Step(direction))
    }

    fn state(&self) -> &T::State {
        self.track.state()
    }

    fn changes(&self) -> Vec<Change<'_>> {
        self.changes_now()
    }

    fn markers(&self) -> &[Marker] {
        &self.markers
    }

    fn report(&self) -> &Report {
        self.findings.report()
    }

    fn is_growing(&self) -> bool {
        self.tape.is_growing()
    }

    fn grow(&mut self, bytes: &[u8]) -> Result<()> {
        self.extend(bytes)
    }

    fn stop_growing(&mut self) {
        self.close();
    }
}

impl<S: Source, G: GameState> Playback<S, Player<ViewTrack<G>>> {
    /// Plays what `view` knows; `state` is what it knows before tick 0. Nothing is read yet: a keyframe
    /// of the start counts once something is sought.
    pub fn view(
        recording: Recording<S>,
        view: View,
        state: G,
        options: PlayerOptions,
    ) -> Result<Self> {
        let (source, tape) = recording.into_parts();
        Ok(Self::new(source, Player::view(tape, view, state, options)?))
    }
}

impl<S: Source, X: Simulation> Playback<S, Player<SimulationTrack<X>>> {
    /// Runs a simulation again by its recorded orders; it must be at tick 0. Nothing is read yet: a
    /// keyframe of the start counts once something is sought.
    pub fn simulation(
        recording: Recording<S>,
        simulation: X,
        options: PlayerOptions,
    ) -> Result<Self> {
        let (source, tape) = recording.into_parts();
        Ok(Self::new(source, Player::simulation(tape, simulation, options)?))
    }
}

impl<S: Source, T: Track> Playback<S, Player<T>> {
    /// Plays everything from the start and compares it with every keyframe: see
    /// [`Player::begin_verify`].
    pub fn verify(&mut self, level: DeepLevel) -> Result<DeepVerification> {
        let (source, player) = self.parts_mut();
        if !player.begin_verify(level)?.is_ready() {
            drive(player, source)?;
        }
        Ok(player.verification(level))
    }

    /// The whole state at the position, in canonical form.
    #[must_use]
    pub fn snapshot(&self) -> SimSnapshot {
        self.timeline().snapshot()
    }

    /// What is carried forward.
    #[must_use]
    pub fn track(&self) -> &T {
        self.timeline().track()
    }

    /// What was wrong so far.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        self.timeline().findings()
    }

    /// Ticks with lost input between the keyframe that the state comes from and the position.
    #[must_use]
    pub fn doubt(&self) -> Option<Range<Tick>> {
        self.timeline().doubt()
    }

    /// Gives the tape and its source back.
    #[must_use]
    pub fn into_recording(self) -> Recording<S> {
        let (source, player) = self.into_parts();
        Recording::new(source, player.into_open_tape())
    }
}
