//! A MineWars file as a timeline: its frames are played as they are.

use std::ops::Range;

use gametape_minewars::{Dialect, Frame, FrameLayout, Frames, ReplayFile, Setup, is_off_map};
use gametape_wire::{
    Error, ErrorKind, Finding, KeptStates, Moment, Need, Report, Result, SansIo, Tick, TickLength,
    View,
};

use super::{
    Change, Direction, Kept, KeptState, Marker, Spacing, Timeline, TimelineOptions, check_end,
};
use crate::minewars::MinewarsView;

/// Frames between two marks, from which frames are found again.
const MARK_SPACING: usize = 64;
/// What applying a frame costs besides its bytes, in bytes.
const FRAME_COST: u64 = 16;

/// What one view of a MineWars recording knows over time. A tick is a millisecond.
///
/// The frames are in memory and are played as they are. [`extend`](Self::extend) adds frames as they
/// come, in pieces of any size; [`open`](Self::open) takes a file.
///
/// ```
/// use gametape_minewars::sample::Sample;
/// use gametape_minewars::{Generation, ReplayFile, WriteOptions, write_file};
/// use gametape_replay::{MinewarsTimeline, Timeline, TimelineOptions};
/// use gametape_wire::{Moment, Tick, View};
///
/// let (setup, frames) = Sample::default().build(Generation::Current)?;
/// let bytes = write_file(&setup, &frames, &WriteOptions::default())?;
/// let (file, options) = (ReplayFile::open(&bytes)?, TimelineOptions::default());
/// let mut timeline = MinewarsTimeline::open(&file, View::SPECTATOR, options)?;
/// assert!(timeline.seek(Moment::after(Tick(20_000)))?.is_ready());
/// println!("{} cities", timeline.state().state().cities().count());
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct MinewarsTimeline {
    layout: FrameLayout,
    view: View,
    options: TimelineOptions,
    /// Whole frames, and what has come of the next one.
    bytes: Vec<u8>,
    /// After the last whole frame.
    last: Cursor,
    /// Before every [`MARK_SPACING`]th frame, and how many frames were passed since the last one.
    marks: Vec<Cursor>,
    since_mark: usize,
    /// Nothing more can be added.
    closed: bool,
    start: MinewarsView,
    state: MinewarsView,
    position: Moment,
    /// Before the next frame to be applied.
    next: Cursor,
    /// Offset up to which frames were played at least once.
    reached: usize,
    kept: KeptStates<Kept<(MinewarsView, Cursor)>>,
    spacing: Spacing,
    report: Report,
}

/// A boundary between two frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Cursor {
    offset: usize,
    /// When the frame before it happens.
    time: u64,
}

impl MinewarsTimeline {
    /// The timeline of a view without frames. A view that the setup does not have is refused.
    pub fn new(setup: &Setup, view: View, options: TimelineOptions) -> Result<Self> {
        Self::in_dialect(setup, setup.dialect(), view, options)
    }

    fn in_dialect(
        setup: &Setup,
        dialect: Dialect,
        view: View,
        options: TimelineOptions,
    ) -> Result<Self> {
        let most = setup.max_view();
        if view > most {
            return Err(Error::misuse("view", format!("there are views 0 to {most}, not {view}")));
        }
        let start = MinewarsView::in_dialect(setup, view, dialect);
        let memory = start.state().memory();
        Ok(Self {
            layout: FrameLayout::new(setup.generation, most)?,
            view,
            options,
            bytes: Vec::new(),
            last: Cursor::default(),
            marks: vec![Cursor::default()],
            since_mark: 0,
            closed: false,
            state: start.clone(),
            start,
            position: Moment::START,
            next: Cursor::default(),
            reached: 0,
            kept: KeptStates::new(options.kept_bytes),
            spacing: Spacing::new(Some(memory), options.kept_bytes),
            report: Report::default(),
        })
    }

    /// The timeline of a view of a whole file.
    pub fn open(file: &ReplayFile<'_>, view: View, options: TimelineOptions) -> Result<Self> {
        let setup = file.setup().to_setup()?;
        let frames = file.frames()?.bytes;
        let mut timeline = Self::in_dialect(&setup, file.dialect(), view, options)?;
        timeline.add(frames.into_owned());
        timeline.close();
        Ok(timeline)
    }

    /// Adds bytes of frames at the end. A frame counts once its last byte is there.
    pub fn extend(&mut self, bytes: &[u8]) -> Result<()> {
        if self.closed {
            return Err(Error::misuse("frames", "the recording has ended"));
        }
        if self.bytes.is_empty() {
            self.add(bytes.to_vec());
        } else {
            self.bytes.extend_from_slice(bytes);
            self.find_frames();
        }
        Ok(())
    }

    fn add(&mut self, bytes: Vec<u8>) {
        self.bytes = bytes;
        self.find_frames();
    }

    /// Says that nothing more comes: what is left of a frame is then a finding.
    pub fn close(&mut self) {
        if self.closed {
            return;
        }
        self.closed = true;
        let cut = self.frames_from(self.last, self.bytes.len()).next();
        if let Some(Err(error)) = cut {
            self.note_end(error);
        }
    }

    /// The view.
    #[must_use]
    pub fn view(&self) -> View {
        self.view
    }

    /// The bytes after the last whole frame.
    #[must_use]
    pub fn rest(&self) -> &[u8] {
        &self.bytes[self.last.offset..]
    }

    /// Bytes of states that are kept now.
    #[must_use]
    pub fn kept_bytes(&self) -> usize {
        self.kept.bytes()
    }

    #[cold]
    fn note_end(&mut self, error: Error) {
        self.report.add(Finding::error("frame", error).at_tick(Tick(self.last.time)));
    }

    /// The frames from a boundary on.
    fn frames_from(&self, from: Cursor, end: usize) -> Frames<'_> {
        frames_in(&self.bytes, self.layout, from, end)
    }

    /// Looks for whole frames among the bytes that were added.
    fn find_frames(&mut self) {
        let mut frames = frames_in(&self.bytes, self.layout, self.last, self.bytes.len());
        let failed = loop {
            match frames.next() {
                Some(Ok(_)) => {
                    self.last = Cursor { offset: frames.offset() as usize, time: frames.time() };
                    self.since_mark += 1;
                    if self.since_mark == MARK_SPACING {
                        self.since_mark = 0;
                        self.marks.push(self.last);
                    }
                }
                Some(Err(error)) => break Some(error),
                None => break None,
            }
        };
        // A frame that is cut may still become whole; another one never does.
        let is_final = |error: &Error| !matches!(error.kind(), ErrorKind::Truncated { .. });
        if let Some(error) = failed.filter(is_final) {
            self.closed = true;
            self.note_end(error);
        }
    }

    /// The boundary before the mark's frames at or before a time.
    fn mark_before(&self, time: u64) -> usize {
        self.marks.partition_point(|mark| mark.time < time).saturating_sub(1)
    }

    /// Begins at the best known state at or before a moment.
    fn start_for(&mut self, to: Moment) {
        let here = (self.position <= to).then_some(self.next.offset);
        if let Some((moment, kept)) = self.kept.nearest(to)
            && let KeptState::Copy((state, next)) = &kept.state
        {
            // From here it is as good where the way is short.
            let way = here.map(|here| (next.offset as u64).saturating_sub(here as u64));
            if way.is_none_or(|way| way > self.spacing.between(true)) {
                self.state.clone_from(state);
                (self.position, self.next, self.spacing.work) = (moment, *next, 0);
            }
        } else if here.is_none() {
            self.state.clone_from(&self.start);
            (self.position, self.next, self.spacing.work) = (Moment::START, Cursor::default(), 0);
        }
    }

    /// Plays everything up to a moment and keeps states on the way.
    fn run(&mut self, to: Moment, backward: bool) {
        let goal = self.marks[self.mark_before(to.next_tick().0)].offset;
        while let Some(moment) = self.run_until(to, self.spacing.next_look(backward)) {
            let is_close = |wide| goal.saturating_sub(self.next.offset) as u64 <= wide;
            if self.spacing.is_due(backward, is_close) {
                self.keep(moment);
            }
        }
        self.position = to;
    }

    /// Plays up to a moment. Stops earlier, at the moment that it returns, once there is this much work
    /// since the last copy.
    fn run_until(&mut self, to: Moment, most_work: u64) -> Option<Moment> {
        let frames = frames_in(&self.bytes, self.layout, self.next, self.last.offset);
        let (end, mut time) = (to.next_tick().0, self.next.time);
        let mut stop = None;
        for frame in frames.map_while(Result::ok) {
            if frame.time() >= end {
                break;
            }
            if frame.time() > time && self.spacing.work >= most_work {
                stop = Some(Moment::after(Tick(time)));
                break;
            }
            time = frame.time();
            let (offset, length) = (frame.offset() as usize, frame.bytes().len());
            if let Some((payload, at)) = payload_of(&frame, self.view) {
                self.spacing.work += FRAME_COST + payload.len() as u64;
                let (is_new, report) = (offset >= self.reached, &mut self.report);
                self.state.apply_payload(payload, at, |error| {
                    if is_new {
                        // As verification judges it.
                        let finding = match is_off_map(&error) {
                            true => Finding::warning("input", error),
                            false => Finding::error("input", error),
                        };
                        report.add(finding.at_tick(Tick(time)));
                    }
                });
            }
            self.next = Cursor { offset: offset + length, time };
        }
        self.reached = self.reached.max(self.next.offset);
        stop
    }

    fn keep(&mut self, moment: Moment) {
        self.spacing.work = 0;
        let memory = self.state.state().memory();
        self.spacing.resize(memory, self.options.kept_bytes);
        if !self.kept.has(moment) {
            let copy = (self.state.clone(), self.next);
            self.kept.keep(moment, Kept::copy(Moment::START, copy, memory), moment);
        }
    }

    /// When the view next receives something.
    fn next_change(&self) -> Option<u64> {
        let mut frames = self.frames_from(self.next, self.last.offset).map_while(Result::ok);
        frames.find(|frame| frame.views().contains(self.view)).map(|frame| frame.time())
    }

    /// When the view received something last, before a time.
    fn last_change(&self, before: u64) -> Option<u64> {
        let first = self.mark_before(before);
        (0..=first).rev().find_map(|mark| {
            let end = self.marks.get(mark + 1).map_or(self.last.offset, |next| next.offset);
            let frames = self.frames_from(self.marks[mark], end).map_while(Result::ok);
            let ours = frames.take_while(|frame| frame.time() < before);
            ours.filter(|frame| frame.views().contains(self.view)).map(|frame| frame.time()).last()
        })
    }
}

fn frames_in(bytes: &[u8], layout: FrameLayout, from: Cursor, end: usize) -> Frames<'_> {
    let frames = Frames::new(layout, &bytes[from.offset..end]);
    frames.at_offset(from.offset as u64).at_time(from.time)
}

/// What a view receives in a frame, and where it is.
#[inline]
fn payload_of<'a>(frame: &Frame<'a>, view: View) -> Option<(&'a [u8], u64)> {
    if !frame.views().contains(view) {
        return None;
    }
    let part = frame.parts().find(|part| part.views.contains(view))?;
    Some((part.payload, part.offset))
}

impl SansIo for MinewarsTimeline {
    fn need(&self) -> Need {
        Need::Ready
    }

    fn supply(&mut self, _: Range<u64>, _: &[u8]) -> Result<()> {
        Ok(())
    }
}

impl Timeline for MinewarsTimeline {
    type State = MinewarsView;

    fn tick_length(&self) -> TickLength {
        TickLength::MILLISECOND
    }

    fn end(&self) -> Moment {
        if self.last.offset == 0 { Moment::START } else { Moment::after(Tick(self.last.time)) }
    }

    fn position(&self) -> Moment {
        self.position
    }

    fn seek(&mut self, to: Moment) -> Result<Need> {
        check_end(to, self.end())?;
        let backward = to < self.position;
        self.start_for(to);
        self.run(to, backward);
        Ok(Need::Ready)
    }

    fn step(&mut self, direction: Direction) -> Result<Need> {
        let to = match direction {
            Direction::Forward => self.next_change().map(|time| Moment::after(Tick(time))),
            Direction::Backward => self.position.last_tick().map(|last| {
                let before = self.last_change(last.0);
                before.map_or(Moment::START, |time| Moment::after(Tick(time)))
            }),
        };
        to.map_or(Ok(Need::Ready), |to| self.seek(to))
    }

    fn state(&self) -> &MinewarsView {
        &self.state
    }

    fn changes(&self) -> Vec<Change<'_>> {
        let Some(Tick(last)) = self.position.last_tick() else { return Vec::new() };
        let frames = self.frames_from(self.marks[self.mark_before(last)], self.last.offset);
        let frames = frames.map_while(Result::ok).skip_while(|frame| frame.time() < last);
        let frames = frames.take_while(|frame| frame.time() == last);
        let ours = frames.filter_map(|frame| payload_of(&frame, self.view));
        ours.map(|(payload, offset)| Change::of(self.view, payload, Some(offset))).collect()
    }

    fn markers(&self) -> &[Marker] {
        &[]
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn is_growing(&self) -> bool {
        !self.closed
    }

    fn grow(&mut self, frames: &[u8]) -> Result<()> {
        self.extend(frames)
    }

    fn stop_growing(&mut self) {
        self.close();
    }
}
