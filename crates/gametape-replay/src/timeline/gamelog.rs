//! A gamelog as a timeline: its ticks are its deltas.

use std::ops::Range;

use gametape_cadre::{Log, Options};
use gametape_wire::{Error, Finding, Moment, Need, Report, Result, SansIo, Tick, TickLength, View};

use super::{Change, Direction, Marker, MarkerKind, Timeline, check_end};
use crate::cadre;

/// The states of a gamelog, which is in memory.
///
/// A tick is one delta. Where a delta cannot be merged the timeline ends before it, and the
/// [report](Timeline::report) says why.
///
/// ```
/// use gametape_cadre::{Log, Options, sample};
/// use gametape_replay::{GamelogTimeline, Timeline};
/// use gametape_wire::{Moment, Tick, When};
///
/// let log = Log::open(sample::log(300, 1), &Options::default())?;
/// let mut timeline = GamelogTimeline::load(log, &Options::default())?;
/// let turn = timeline.moment("turn:7".parse()?)?;
/// assert!(timeline.seek(turn)?.is_ready());
/// let state = timeline.state().state();
/// assert_eq!(state.get("currentTurn").and_then(|turn| turn.as_i64()), Some(7));
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct GamelogTimeline {
    timeline: gametape_cadre::Timeline,
    /// Deltas that can be merged.
    length: usize,
    markers: Vec<Marker>,
    /// Changes of the turn that are among the markers.
    marked: usize,
    report: Report,
    /// May more deltas come?
    is_open: bool,
}

impl GamelogTimeline {
    /// Merges every delta once. The position is then the start.
    pub fn load(log: Log, options: &Options) -> Result<Self> {
        let (timeline, problem) = gametape_cadre::Timeline::load_readable(log, options)?;
        let mut loaded = Self {
            length: timeline.position(),
            timeline,
            markers: Vec::new(),
            marked: 0,
            report: Report::default(),
            is_open: true,
        };
        if let Some(problem) = problem {
            loaded.note(problem);
        }
        loaded.mark_turns();
        loaded.timeline.seek(0)?;
        Ok(loaded)
    }

    /// Adds a delta at the end. The position stays. One that cannot be merged ends the timeline: it and
    /// all after it are refused.
    pub fn extend(&mut self, delta: &[u8]) -> Result<()> {
        if self.length < self.timeline.len() || !self.report.is_sound() {
            return Err(Error::misuse("gamelog", "an earlier delta cannot be merged"));
        }
        let position = self.timeline.position();
        let pushed = self.timeline.push(delta);
        self.timeline.seek(position)?;
        if let Err(error) = pushed {
            self.note(error.clone());
            return Err(error);
        }
        self.length += 1;
        self.mark_turns();
        Ok(())
    }

    /// Notes why the next delta cannot be merged.
    fn note(&mut self, problem: Error) {
        let tick = Tick(self.length as u64);
        self.report.add(Finding::error("delta", problem).at_tick(tick));
    }

    fn mark_turns(&mut self) {
        let starts = self.timeline.turns().starts();
        let new = starts[self.marked..].iter().filter_map(|(delta, turn)| {
            Some(Marker::new(Moment::after(Tick(*delta as u64)), MarkerKind::Turn((*turn)?)))
        });
        self.markers.extend(new);
        self.marked = starts.len();
    }
}

impl SansIo for GamelogTimeline {
    fn need(&self) -> Need {
        Need::Ready
    }

    fn supply(&mut self, _: Range<u64>, _: &[u8]) -> Result<()> {
        Ok(())
    }
}

impl Timeline for GamelogTimeline {
    type State = gametape_cadre::Timeline;

    fn tick_length(&self) -> TickLength {
        cadre::TICK_LENGTH
    }

    fn end(&self) -> Moment {
        Moment::before(Tick(self.length as u64))
    }

    fn position(&self) -> Moment {
        Moment::before(Tick(self.timeline.position() as u64))
    }

    fn seek(&mut self, to: Moment) -> Result<Need> {
        check_end(to, self.end())?;
        self.timeline.seek(to.next_tick().0 as usize)?;
        Ok(Need::Ready)
    }

    fn step(&mut self, direction: Direction) -> Result<Need> {
        match direction {
            Direction::Forward if self.position() < self.end() => self.timeline.step()?,
            Direction::Forward => false,
            Direction::Backward => self.timeline.step_back()?,
        };
        Ok(Need::Ready)
    }

    fn state(&self) -> &gametape_cadre::Timeline {
        &self.timeline
    }

    fn changes(&self) -> Vec<Change<'_>> {
        let last = self.timeline.position().checked_sub(1);
        let delta = last.and_then(|last| self.timeline.log().delta(last));
        let text = delta.map(|delta| delta.raw().as_bytes());
        text.map(|text| Change::of(View::SPECTATOR, text, None)).into_iter().collect()
    }

    fn markers(&self) -> &[Marker] {
        &self.markers
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn is_growing(&self) -> bool {
        self.is_open && self.report.is_sound()
    }

    fn grow(&mut self, delta: &[u8]) -> Result<()> {
        self.extend(delta)
    }

    fn stop_growing(&mut self) {
        self.is_open = false;
    }
}
