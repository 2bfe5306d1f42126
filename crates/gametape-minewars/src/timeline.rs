//! What a view knows at any frame, forward, backward, in any order.

use crate::{Frame, Frames};
use gametape_wire::{Error, Result, View};

use crate::dialect::Dialect;
use crate::map::Map;
use crate::replay::{Problems, play_frame};
use crate::state::ViewState;

/// Frames between two places from which frames are counted again.
const MARK_SPACING: usize = 64;

/// Bytes of frames between two keyframes, at least.
const LEAST_SPACING: usize = 4 << 10;

/// Copying so many bytes of a state takes about as long as playing one byte of frames.
const COPIED_PER_PLAYED: usize = 16;

/// The frames of a recording as one view sees them, every state of it within reach.
///
/// A *position* counts the frames that were played: at position 0 the state is the map of the
/// setup, at position `n` it is the state after frame `n - 1`. Every state is the one that playing
/// from the start gives.
///
/// ```
/// use gametape_minewars::sample::Sample;
/// use gametape_minewars::{Dialect, Timeline, replay_view};
/// use gametape_minewars::{FrameLayout, Frames, Generation};
/// use gametape_wire::View;
///
/// let (setup, bytes) = Sample::default().build(Generation::Current)?;
/// let frames = Frames::new(FrameLayout::new(Generation::Current, setup.max_view())?, &bytes);
/// let (dialect, view) = (Dialect::Current, View::SPECTATOR);
///
/// let mut timeline = Timeline::new(&setup.map, frames.clone(), dialect, view, 1 << 20);
/// let middle = timeline.position_at(20_000);
/// let end = timeline.seek(timeline.len())?.hash();
/// assert_ne!(timeline.seek(middle)?.hash(), end);
/// let played = replay_view(&setup.map, frames, dialect, view, 20_000);
/// assert_eq!(*timeline.state(), played.state);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Timeline<'a> {
    dialect: Dialect,
    start: Moment<'a>,
    now: Moment<'a>,
    /// The stream before every [`MARK_SPACING`]th frame.
    marks: Vec<Frames<'a>>,
    length: usize,
    keyframes: Keyframes<'a>,
    problems: Problems,
}

/// A state, how many frames it took to get there, and the frames behind it.
#[derive(Debug, Clone)]
struct Moment<'a> {
    position: usize,
    rest: Frames<'a>,
    state: ViewState,
}

impl<'a> Timeline<'a> {
    /// Plays all frames once, keeping keyframes of at most `budget` bytes on the way. Ends at the
    /// start.
    ///
    /// A frame that is cut ends the stream and is one of the [`problems`](Self::problems).
    #[must_use]
    pub fn new(map: &Map, frames: Frames<'a>, dialect: Dialect, view: View, budget: usize) -> Self {
        let state = ViewState::new(map, view, dialect.generation());
        let start = Moment { position: 0, rest: frames, state };
        let mut timeline = Self {
            dialect,
            now: start.clone(),
            marks: vec![start.rest.clone()],
            keyframes: Keyframes::new(budget, &start),
            start,
            length: 0,
            problems: Problems::default(),
        };
        timeline.play_all();
        timeline.now.clone_from(&timeline.start);
        timeline
    }

    fn play_all(&mut self) {
        loop {
            match self.now.advance(self.dialect, &mut self.problems) {
                Some(Ok(_)) => self.note_place(),
                Some(Err(error)) => self.problems.note(self.now.rest.time(), error),
                None => return,
            }
        }
    }

    fn note_place(&mut self) {
        self.length = self.now.position;
        if self.length.is_multiple_of(MARK_SPACING) {
            self.marks.push(self.now.rest.clone());
        }
        if self.keyframes.is_due(&self.now) {
            self.keyframes.keep(&self.now);
        }
    }

    /// How many frames there are: the last position.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Are there no frames?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// How many frames are played now.
    #[must_use]
    pub fn position(&self) -> usize {
        self.now.position
    }

    /// What the view knows now.
    #[must_use]
    pub fn state(&self) -> &ViewState {
        &self.now.state
    }

    /// Goes to a position, at most [`len`](Self::len), and gives what the view knows there.
    pub fn seek(&mut self, position: usize) -> Result<&ViewState> {
        if position > self.length {
            let problem = format!("there are {} frames, not {position}", self.length);
            return Err(Error::misuse("position", problem));
        }
        let nearest = self.keyframes.nearest(position).unwrap_or(&self.start);
        if self.now.position > position || self.now.position < nearest.position {
            self.now.clone_from(nearest);
        }
        // What is wrong with these frames is known since all of them were played.
        let mut known = Problems::default();
        while self.now.position < position {
            let played = self.now.advance(self.dialect, &mut known);
            played.unwrap_or_else(|| Err(Error::misuse("position", "the frames ended")))?;
        }
        Ok(&self.now.state)
    }

    /// The frame that leads to a position; none leads to position 0.
    #[must_use]
    pub fn frame_before(&self, position: usize) -> Option<Frame<'a>> {
        let frame = position.checked_sub(1).filter(|frame| *frame < self.length)?;
        let mut frames = self.marks.get(frame / MARK_SPACING)?.clone();
        frames.nth(frame % MARK_SPACING)?.ok()
    }

    /// When the last frame before a position happens, in milliseconds (ticks in v0.1).
    #[must_use]
    pub fn time_at(&self, position: usize) -> u64 {
        self.frame_before(position.min(self.length)).map_or(0, |frame| frame.time())
    }

    /// The position behind all frames up to and including a time.
    #[must_use]
    pub fn position_at(&self, time: u64) -> usize {
        let behind = self.marks.partition_point(|mark| mark.time() <= time);
        let mark = behind.saturating_sub(1);
        let Some(frames) = self.marks.get(mark) else { return 0 };
        let earlier =
            |frame: &Result<Frame<'_>>| frame.as_ref().is_ok_and(|frame| frame.time() <= time);
        mark * MARK_SPACING + frames.clone().take(MARK_SPACING).take_while(earlier).count()
    }

    /// The first problems with the frames of the view, and how many there are: messages that cannot
    /// be read or applied, a frame that is cut.
    #[must_use]
    pub fn problems(&self) -> (&[Error], u64) {
        (&self.problems.first, self.problems.count)
    }
}

impl Moment<'_> {
    /// Plays the next frame.
    fn advance(&mut self, dialect: Dialect, problems: &mut Problems) -> Option<Result<()>> {
        Some(self.rest.next()?.map(|frame| {
            self.position += 1;
            play_frame(&mut self.state, &frame, dialect, problems);
        }))
    }
}

/// Keyframes in the order of their positions, within a budget of memory.
///
/// When the budget is spent, every second one is dropped and the others come half as often.
#[derive(Debug, Clone)]
struct Keyframes<'a> {
    moments: Vec<Moment<'a>>,
    bytes: usize,
    budget: usize,
    spacing: u64,
    /// The offset from which the next one is due.
    due: u64,
}

impl<'a> Keyframes<'a> {
    /// None yet, for states that are about as large as this one.
    fn new(budget: usize, start: &Moment<'a>) -> Self {
        let spacing = (bytes_of(start) / COPIED_PER_PLAYED).max(LEAST_SPACING) as u64;
        Self { moments: Vec::new(), bytes: 0, budget, spacing, due: spacing }
    }

    fn is_due(&self, now: &Moment<'a>) -> bool {
        now.rest.offset() >= self.due
    }

    fn keep(&mut self, now: &Moment<'a>) {
        self.bytes += bytes_of(now);
        self.moments.push(now.clone());
        while self.bytes > self.budget && !self.moments.is_empty() {
            self.thin_out();
        }
        self.due = now.rest.offset().saturating_add(self.spacing);
    }

    /// Drops the first of each two.
    fn thin_out(&mut self) {
        self.spacing = self.spacing.saturating_mul(2);
        let mut kept = true;
        self.moments.retain(|_| {
            kept = !kept;
            kept
        });
        self.bytes = self.moments.iter().map(bytes_of).sum();
    }

    /// The last keyframe at or before a position.
    fn nearest(&self, position: usize) -> Option<&Moment<'a>> {
        let behind = self.moments.partition_point(|moment| moment.position <= position);
        self.moments.get(behind.checked_sub(1)?)
    }
}

/// About what a keyframe takes: nearly all of a state is in memory as it is in canonical bytes.
fn bytes_of(moment: &Moment<'_>) -> usize {
    size_of::<Moment<'_>>() + moment.state.to_bytes().len()
}

#[cfg(test)]
mod tests {
    use crate::{FrameLayout, Generation};

    use super::*;
    use crate::replay_view;
    use crate::sample::Sample;
    use crate::setup::Setup;

    /// Enough frames for several keyframes and marks.
    fn sample(generation: Generation) -> (Setup, Vec<u8>) {
        let sample = Sample { moments: 700, radius: 4, ..Sample::default() };
        sample.build(generation).unwrap()
    }

    fn frames<'a>(setup: &Setup, bytes: &'a [u8]) -> Frames<'a> {
        let layout = FrameLayout::new(setup.generation, setup.max_view()).unwrap();
        Frames::new(layout, bytes)
    }

    /// The hash at every position, by playing from the start to the end.
    fn linear(setup: &Setup, frames: Frames<'_>, view: View) -> Vec<[u8; 32]> {
        let dialect = Dialect::from(setup.generation);
        let mut state = ViewState::new(&setup.map, view, setup.generation);
        let mut hashes = vec![state.hash()];
        for frame in frames.map_while(Result::ok) {
            play_frame(&mut state, &frame, dialect, &mut Problems::default());
            hashes.push(state.hash());
        }
        hashes
    }

    /// Forward, backward, then in an order that jumps about.
    fn orders(length: usize) -> impl Iterator<Item = usize> {
        let mut dice = 1u64;
        let random = move |_| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (dice >> 33) as usize % (length + 1)
        };
        (0..=length).chain((0..=length).rev()).chain((0..300).map(random))
    }

    #[test]
    fn a_seek_equals_playing_from_the_start_whatever_the_order_and_the_budget() {
        for generation in [Generation::V01, Generation::Current] {
            let (setup, bytes) = sample(generation);
            for (view, budget) in [(0, usize::MAX), (1, 0), (2, 4_000)] {
                let (view, frames) = (View::new(view).unwrap(), frames(&setup, &bytes));
                let hashes = linear(&setup, frames.clone(), view);
                let dialect = generation.into();
                let mut timeline = Timeline::new(&setup.map, frames, dialect, view, budget);
                assert_eq!(timeline.len() + 1, hashes.len());
                let sparse = if budget == 0 { 17 } else { 1 };
                for position in orders(timeline.len()).step_by(sparse) {
                    assert_eq!(timeline.seek(position).unwrap().hash(), hashes[position]);
                    assert_eq!(timeline.position(), position);
                }
                assert!(timeline.seek(timeline.len() + 1).is_err());
            }
        }
    }

    #[test]
    fn keyframes_stay_within_their_budget() {
        let (setup, bytes) = sample(Generation::Current);
        let count = |budget| {
            let frames = frames(&setup, &bytes);
            let (dialect, view) = (Dialect::Current, View::SPECTATOR);
            let timeline = Timeline::new(&setup.map, frames, dialect, view, budget);
            assert!(timeline.keyframes.bytes <= budget);
            timeline.keyframes.moments.len()
        };
        let [all, some, none] = [usize::MAX, 4_000, 100].map(count);
        assert!(all > some && some > none && none == 0, "{all} {some} {none}");
    }

    #[test]
    fn positions_and_times_agree_with_replaying_up_to_a_time() {
        let (setup, bytes) = sample(Generation::Current);
        let frames = frames(&setup, &bytes);
        let (dialect, view) = (Dialect::Current, View::SPECTATOR);
        let mut timeline = Timeline::new(&setup.map, frames.clone(), dialect, view, 1 << 20);
        let times: Vec<u64> = frames.clone().map(|frame| frame.unwrap().time()).collect();
        for (index, time) in times.iter().enumerate() {
            assert_eq!(timeline.time_at(index + 1), *time);
            assert_eq!(timeline.frame_before(index + 1).unwrap().time(), *time);
            for time in [time.saturating_sub(1), *time, time + 1] {
                let expected = times.iter().filter(|other| **other <= time).count();
                assert_eq!(timeline.position_at(time), expected, "{time}");
            }
        }
        assert_eq!((timeline.time_at(0), timeline.frame_before(0)), (0, None));
        let end = times[times.len() - 1];
        assert_eq!(timeline.position_at(u64::MAX), times.len());
        for time in [0, end / 3, end / 2, end] {
            let position = timeline.position_at(time);
            let played = replay_view(&setup.map, frames.clone(), dialect, view, time);
            assert_eq!(*timeline.seek(position).unwrap(), played.state);
        }
    }

    #[test]
    fn a_stream_that_is_cut_ends_early_and_says_so() {
        let (setup, bytes) = sample(Generation::Current);
        let (dialect, view) = (Dialect::Current, View::SPECTATOR);
        let whole = Timeline::new(&setup.map, frames(&setup, &bytes), dialect, view, 0);
        assert_eq!(whole.problems(), (&[][..], 0));
        let cut = frames(&setup, &bytes[..bytes.len() - 1]);
        let mut cut = Timeline::new(&setup.map, cut, dialect, view, 0);
        assert_eq!((cut.len(), cut.problems().1), (whole.len() - 1, 1));
        assert!(cut.seek(cut.len()).is_ok());
        assert_eq!(cut.position_at(u64::MAX), cut.len());
        let empty = Timeline::new(&setup.map, frames(&setup, &[]), dialect, view, 0);
        assert!(empty.is_empty() && empty.position_at(9) == 0 && empty.time_at(9) == 0);
    }
}
