//! States over time: one contract for every recording; normative text: `spec/timeline.md`.

mod boxed;
mod clock;
mod gamelog;
mod kept;
mod map_state;
mod marker;
mod minewars;
mod playback;

use gametape_wire::{Error, Moment, Need, Report, Result, SansIo, TickLength, View, ViewSet, When};

pub use clock::{Clock, Rate};
pub use gamelog::GamelogTimeline;
pub(crate) use kept::{Kept, KeptState, Spacing};
pub use map_state::MapState;
pub use marker::{Marker, MarkerKind};
pub use minewars::MinewarsTimeline;
pub use playback::Playback;

/// Which way a step goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// To the next change.
    Forward,
    /// To the change before.
    Backward,
}

/// One thing that carried the state forward during a tick: a payload of messages, a delta, an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change<'a> {
    /// Who received it; of an order, who gave it.
    pub views: ViewSet,
    /// The bytes as they were recorded.
    pub payload: &'a [u8],
    /// Where the payload begins in its recording, where that is known.
    pub offset: Option<u64>,
}

impl<'a> Change<'a> {
    /// A change for one view.
    pub(crate) fn of(view: View, payload: &'a [u8], offset: Option<u64>) -> Self {
        Self { views: ViewSet::EMPTY.with(view), payload, offset }
    }
}

/// States over time: any of them can be gone to, in any order.
///
/// A timeline has a [position](Self::position) between its [beginning](Self::begin) and its
/// [end](Self::end), and the [state](Self::state) is always the one at the position. The state at a
/// moment is the same any way led there. [`seek`](Self::seek) and [`step`](Self::step) either
/// arrive at once, or answer which bytes they need; whoever has them [supplies](SansIo::supply) them,
/// until nothing more is [needed](SansIo::need). Until then the position is somewhere on the way.
/// [`Playback`] does that with a [`Source`](gametape_wire::Source).
///
/// The end moves when a timeline [grows](Self::grow).
///
/// | recording | timeline | state |
/// |---|---|---|
/// | MineWars file | [`MinewarsTimeline`] | [`MinewarsView`](crate::minewars::MinewarsView) |
/// | gamelog | [`GamelogTimeline`] | [`gametape_cadre::Timeline`] |
/// | view of a tape | [`Player`](crate::Player) of a [`ViewTrack`](crate::ViewTrack) | the [`GameState`](crate::GameState) |
/// | simulation in a tape | [`Player`](crate::Player) of a [`SimulationTrack`](crate::SimulationTrack) | the [`Simulation`](crate::Simulation) |
///
/// ```
/// use gametape_minewars::sample::Sample;
/// use gametape_minewars::Generation;
/// use gametape_replay::minewars::MinewarsView;
/// use gametape_replay::{Direction, MinewarsTimeline, Timeline, TimelineOptions};
/// use gametape_wire::{Moment, Tick, View, When};
///
/// /// Works for every timeline of MineWars views: of a file, of a tape.
/// fn cities(timeline: &mut dyn Timeline<State = MinewarsView>, at: When) -> usize {
///     let moment = timeline.moment(at).unwrap();
///     assert!(timeline.seek(moment).unwrap().is_ready());
///     timeline.state().state().cities().count()
/// }
///
/// let (setup, frames) = Sample::default().build(Generation::Current)?;
/// let options = TimelineOptions::default();
/// let mut timeline = MinewarsTimeline::new(&setup, View::SPECTATOR, options)?;
/// timeline.extend(&frames)?;
/// assert!(cities(&mut timeline, When::End) >= cities(&mut timeline, "50%".parse()?));
/// let _ = timeline.step(Direction::Backward)?;
/// # Ok::<(), gametape_wire::Error>(())
/// ```
pub trait Timeline: SansIo {
    /// What is known at a moment.
    type State: ?Sized;

    /// How long a tick takes.
    fn tick_length(&self) -> TickLength;

    /// The first moment that can be gone to: the [start](Moment::START), unless the recording was cut.
    fn begin(&self) -> Moment {
        Moment::START
    }

    /// The last moment that can be gone to. It moves when the timeline is extended.
    fn end(&self) -> Moment;

    /// How much of the recording is in the state.
    fn position(&self) -> Moment;

    /// Goes to a moment, at most the [end](Self::end), and gives up what was under way. One before the
    /// [beginning](Self::begin) means the beginning.
    ///
    /// Where the answer is not [`Need::Ready`], the way goes on with [`supply`](SansIo::supply). Who
    /// cannot supply may leave it: the position is then a moment on the way, and its state is right.
    fn seek(&mut self, to: Moment) -> Result<Need>;

    /// Goes to the next or the last moment before the position at which the state may differ: after a
    /// tick that changes something, or the beginning. Where there is none, the position stays.
    fn step(&mut self, direction: Direction) -> Result<Need>;

    /// The state at the [position](Self::position).
    fn state(&self) -> &Self::State;

    /// What carried the state forward during the last tick before the position, in its order.
    fn changes(&self) -> Vec<Change<'_>>;

    /// Moments of interest, ascending: turns, keyframes, losses.
    fn markers(&self) -> &[Marker];

    /// What was wrong with the parts that were played so far.
    fn report(&self) -> &Report;

    /// May more come?
    fn is_growing(&self) -> bool {
        false
    }

    /// Adds what came since: frames of a MineWars file in any pieces, one delta of a gamelog, bytes of a tape that is
    /// followed in any pieces. The position stays. Refused where nothing can come.
    fn grow(&mut self, _: &[u8]) -> Result<()> {
        Err(Error::misuse("timeline", "it does not grow"))
    }

    /// Says that nothing more comes.
    fn stop_growing(&mut self) {}

    /// The moment that somebody wrote.
    fn moment(&self, when: When) -> Result<Moment> {
        match when {
            When::Turn(turn) => turn_of(self.markers(), turn),
            when => {
                let span = self.begin()..self.end();
                Ok(when.moment_within(self.tick_length(), span).unwrap_or(Moment::START))
            }
        }
    }

    /// The same timeline with its state seen as something more general, such as a trait object. So
    /// timelines of several kinds become one type.
    ///
    /// ```
    /// use std::fmt::Debug;
    /// use gametape_cadre::{Log, Options, sample};
    /// use gametape_replay::{GamelogTimeline, Timeline};
    ///
    /// let log = Log::open(sample::log(30, 1), &Options::default())?;
    /// let timeline = GamelogTimeline::load(log, &Options::default())?;
    /// let any: Box<dyn Timeline<State = dyn Debug>> =
    ///     Box::new(timeline.map_state::<dyn Debug>(|state| state));
    /// assert_eq!(any.end().next_tick().0, 30);
    /// # Ok::<(), gametape_wire::Error>(())
    /// ```
    fn map_state<S: ?Sized>(self, map: fn(&Self::State) -> &S) -> MapState<Self, S>
    where
        Self: Sized,
    {
        MapState::new(self, map)
    }
}

fn turn_of(markers: &[Marker], turn: i64) -> Result<Moment> {
    let is_it = |marker: &&Marker| marker.kind == MarkerKind::Turn(turn);
    let found = markers.iter().find(is_it).map(|marker| marker.moment);
    found.ok_or_else(|| Error::misuse("time", format!("there is no turn {turn}")))
}

/// Refuses a moment after the end.
pub(crate) fn check_end(to: Moment, end: Moment) -> Result<()> {
    if to <= end {
        return Ok(());
    }
    let problem = format!("the recording ends before tick {}", end.next_tick());
    Err(Error::misuse(format!("moment before tick {}", to.next_tick()), problem))
}

/// Bytes of states that are kept unless the caller says otherwise. With the bytes of a tape that are
/// stored and what is unpacked of them, a player stays well under 96 MiB.
pub(crate) const KEPT_BYTES: usize = 40 << 20;

/// How a timeline works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TimelineOptions {
    /// Bytes of states that are kept in memory, near the position and elsewhere.
    pub kept_bytes: usize,
}

impl Default for TimelineOptions {
    /// 40 MiB.
    fn default() -> Self {
        Self { kept_bytes: KEPT_BYTES }
    }
}

impl TimelineOptions {
    /// The same options with another budget for kept states.
    #[must_use]
    pub fn with_kept_bytes(mut self, bytes: usize) -> Self {
        self.kept_bytes = bytes;
        self
    }
}
