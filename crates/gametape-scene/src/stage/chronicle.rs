//! What happened in a recording as a whole, in words: reported in one pass over its changes, a part at a time.

use gametape_replay::{Direction, Timeline};
use gametape_wire::{Arrange, Moment, Result, Source, Tick, drive};

use super::{Origin, SeenTimeline, Stage};
use crate::model::Line;

/// More lines are not kept: then the report ends.
const MOST_LINES: usize = 40_000;
/// More steps are not looked at: then the report ends, too.
const MOST_STEPS: usize = 500_000;
/// A longer tape is not read as a whole to be reported.
const LONGEST_TAPE: u64 = 16 << 20;
/// What a step costs besides the bytes of its changes.
const STEP_COST: usize = 512;
/// States that the pass itself keeps: it never goes back.
const KEPT_BYTES: usize = 1 << 20;

/// A line of what happened, and when.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReportedLine {
    /// The moment after it.
    pub moment: Moment,
    /// What happened.
    pub line: Line,
}

/// What was reported so far of a recording, as one view knows it after the other.
#[derive(Default)]
pub(super) struct Chronicle {
    lines: Vec<ReportedLine>,
    /// Everything before this moment was reported.
    until: Option<Moment>,
    /// Of recordings with messages: one timeline that plays on and gives the changes, and one that follows it and has the
    /// state before them. *Why two: lines are about the state before a change, and stepping back costs more.*
    pair: Option<(SeenTimeline, SeenTimeline)>,
    /// Of several views that are seen together: how many were reported.
    reported_views: usize,
    /// How many steps were looked at.
    steps: usize,
    is_over: bool,
}

impl Chronicle {
    /// The same of a recording that has grown by this. Of several views together it begins again, because their lines
    /// come one view after the other.
    pub(super) fn grown(mut self, piece: &[u8], views: usize) -> Self {
        if views > 1 || self.lines.len() > MOST_LINES {
            return if views > 1 { Self::default() } else { self };
        }
        if let Some((ahead, before)) = &mut self.pair
            && ahead.grow(piece).and_then(|()| before.grow(piece)).is_err()
        {
            // The recording itself says what is wrong with it.
            self.pair = None;
        }
        (self.reported_views, self.is_over) = (0, false);
        self
    }
}

impl<S: Source> Stage<S> {
    /// What happened, in words, as far as it was [reported](Self::report_more).
    #[must_use]
    pub fn reported(&self) -> &[ReportedLine] {
        &self.chronicle.lines
    }

    /// Which share of the recording was [reported](Self::report_more), 0 to 1. A tape that is too long to be read as a whole is never
    /// reported.
    #[must_use]
    pub fn reported_share(&self) -> f64 {
        let (begin, end) = (self.begin().next_tick().0, self.end().next_tick().0);
        let until = self.chronicle.until.map_or(begin, |until| until.next_tick().0);
        if self.chronicle.is_over {
            return 1.0;
        }
        let share = until.saturating_sub(begin) as f64 / end.saturating_sub(begin).max(1) as f64;
        let views = self.seen().len().max(1) as f64;
        ((self.chronicle.reported_views as f64 + share) / views).min(0.999)
    }

    /// Can the recording be reported as a whole?
    #[must_use]
    pub fn can_be_reported(&self) -> bool {
        match (&self.origin, &self.source) {
            (Origin::Tape(_), Some(source)) => source.length() <= LONGEST_TAPE,
            _ => true,
        }
    }

    /// Reports what happened further on, in words: about as much as `effort` bytes of changes. The position stays. True where
    /// everything was reported.
    pub fn report_more(&mut self, effort: usize) -> Result<bool> {
        if !self.chronicle.is_over && self.can_be_reported() {
            match self.is_gamelog() {
                _ if self.is_unknown => self.report_events()?,
                true => self.report_deltas(effort)?,
                false => self.report_messages(effort)?,
            }
        }
        Ok(self.chronicle.is_over || !self.can_be_reported())
    }

    /// Reports everything that happened before a moment, however long that takes.
    pub fn report_until(&mut self, moment: Moment) -> Result<()> {
        let last = self.seen().len().saturating_sub(1);
        while self.chronicle.reported_views < last
            || self.chronicle.until.is_none_or(|until| until < moment)
        {
            if self.report_more(1 << 20)? {
                break;
            }
        }
        Ok(())
    }

    /// The lines of a game that nobody here knows: its events, all at once.
    fn report_events(&mut self) -> Result<()> {
        self.chronicle.lines = self.event_lines(Tick::ZERO..Tick::MAX, MOST_LINES)?;
        (self.chronicle.until, self.chronicle.is_over) = (Some(self.end()), true);
        Ok(())
    }

    /// What the last tick of such a game says.
    pub(super) fn lines_of_events(&mut self) -> Result<Vec<Line>> {
        let position = self.position();
        let Some(tick) = position.last_tick() else { return Ok(Vec::new()) };
        let lines = match self.chronicle.is_over {
            true => {
                let all = &self.chronicle.lines;
                let first = all.partition_point(|report| report.moment < position);
                let these = all[first..].iter().take_while(|report| report.moment == position);
                these.cloned().collect()
            }
            false => self.event_lines(tick..tick + 1, MOST_LINES)?,
        };
        Ok(lines.into_iter().map(|report| report.line).collect())
    }

    #[cfg(not(feature = "story"))]
    fn event_lines(&mut self, _: std::ops::Range<Tick>, _: usize) -> Result<Vec<ReportedLine>> {
        Ok(Vec::new())
    }

    /// The lines of a gamelog: each delta says itself what it is.
    fn report_deltas(&mut self, effort: usize) -> Result<()> {
        let here = self.position();
        let done = self.report_deltas_from_here(effort);
        self.seek(here)?;
        done
    }

    fn report_deltas_from_here(&mut self, effort: usize) -> Result<()> {
        let mut spent = 0;
        let mut at = self.chronicle.until.unwrap_or(self.begin());
        while spent < effort && at < self.end() {
            self.seek(at)?;
            let index = at.next_tick();
            let context = self.context_at(Moment::after(index));
            let Some(log) = self.gamelog() else { break };
            let Some(delta) = log.log().delta(index.0 as usize) else { break };
            let text = delta.raw().as_bytes();
            spent += text.len() + STEP_COST;
            let lines = self.timeline.state().lines(text, &context);
            self.keep(Moment::after(index), lines);
            at = Moment::after(index);
            if self.chronicle.is_over {
                return Ok(());
            }
        }
        self.chronicle.is_over = at >= self.end();
        Ok(())
    }

    /// The lines of a recording with messages.
    fn report_messages(&mut self, effort: usize) -> Result<()> {
        let (mut ahead, mut before) = match self.chronicle.pair.take() {
            Some(pair) => pair,
            None => (self.another_timeline()?, self.another_timeline()?),
        };
        let view = self.chronicle.reported_views;
        let done = self.report_pair(&mut ahead, &mut before, effort);
        let goes_on = !self.chronicle.is_over && self.chronicle.reported_views == view;
        let goes_on = goes_on || (self.is_growing() && self.seen().len() == 1);
        self.chronicle.pair = goes_on.then_some((ahead, before));
        done
    }

    fn report_pair(
        &mut self,
        ahead: &mut SeenTimeline,
        before: &mut SeenTimeline,
        effort: usize,
    ) -> Result<()> {
        let mut spent = 0;
        while spent < effort && !self.chronicle.is_over {
            // A pass that was interrupted because bytes were missing is still before what it did not report.
            let next = self.chronicle.until.unwrap_or(ahead.begin());
            self.go(ahead, next)?;
            if !ahead.step(Direction::Forward)?.is_ready() {
                self.supply(ahead)?;
            }
            let (now, Some(tick)) = (ahead.position(), ahead.position().last_tick()) else { break };
            if now <= next {
                self.end_of_view();
                break;
            }
            self.go(before, Moment::before(tick))?;
            let context = self.context_at(now);
            let mut lines = Vec::new();
            for change in ahead.changes() {
                spent += change.payload.len();
                lines.extend(before.state().lines(change.payload, &context));
            }
            spent += STEP_COST;
            self.keep(now, lines);
        }
        Ok(())
    }

    /// A view was reported: the next one, or all lines in order, nothing twice.
    fn end_of_view(&mut self) {
        let views = self.seen().len();
        let chronicle = &mut self.chronicle;
        chronicle.reported_views += 1;
        chronicle.is_over = chronicle.reported_views >= views;
        if !chronicle.is_over {
            chronicle.until = None;
        }
        if views > 1 {
            chronicle.lines.arrange_by_key(|reported| reported.moment);
            let mut kept: Vec<ReportedLine> = Vec::with_capacity(chronicle.lines.len());
            for reported in chronicle.lines.drain(..) {
                let mut same =
                    kept.iter().rev().take_while(|other| other.moment == reported.moment);
                if !same.any(|other| *other == reported) {
                    kept.push(reported);
                }
            }
            chronicle.lines = kept;
        }
    }

    fn go(&mut self, timeline: &mut SeenTimeline, to: Moment) -> Result<()> {
        super::seek(timeline, self.source.as_mut(), to)
    }

    fn supply(&mut self, timeline: &mut SeenTimeline) -> Result<()> {
        match &mut self.source {
            Some(source) => drive(timeline, source),
            None => Ok(()),
        }
    }

    /// The recording once more, at its beginning, with few kept states.
    fn another_timeline(&mut self) -> Result<SeenTimeline> {
        let view = self.seen().iter().nth(self.chronicle.reported_views).unwrap_or(self.view);
        self.timeline_of(view, KEPT_BYTES)
    }

    fn keep(&mut self, moment: Moment, lines: Vec<Line>) {
        let chronicle = &mut self.chronicle;
        chronicle.until = Some(moment);
        chronicle.steps += 1;
        chronicle.lines.extend(lines.into_iter().map(|line| ReportedLine { moment, line }));
        chronicle.is_over = chronicle.lines.len() > MOST_LINES || chronicle.steps > MOST_STEPS;
    }
}
