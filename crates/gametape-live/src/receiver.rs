//! The receiving side of one view: what is complete, what is missing, what is lost.

use std::collections::BTreeMap;
use std::time::Duration;

use gametape_wire::{Error, ErrorKind, Result, Tick, View};

use crate::lane::{Classes, Lane, PerLane};
use crate::limits::{HELD_BYTES, MARKS};
use crate::log::ViewLog;
use crate::message::{Again, Body, Data, Mark, Moved, Shared};

/// Something that does not come is given up after this time, if a later group is there.
const GIVE_UP: Duration = Duration::from_secs(3);

/// Everything of one tick of a view.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TickContent {
    /// Chunks of lane 5, in their order.
    pub(crate) chunks: Vec<Shared>,
    /// Payloads by index, each of runs by position.
    payloads: BTreeMap<u32, BTreeMap<u32, Vec<u8>>>,
    /// What it costs.
    bytes: usize,
}

impl TickContent {
    /// Nothing but chunks.
    pub(crate) fn of_chunks(chunks: Vec<Shared>) -> Self {
        Self { chunks, ..Self::default() }
    }

    /// The payloads by index, put together.
    pub(crate) fn payloads(&self) -> impl Iterator<Item = (u32, Vec<u8>)> {
        self.payloads.iter().map(|(index, runs)| {
            (*index, runs.values().flat_map(|run| run.iter().copied()).collect())
        })
    }
}

/// What happened in a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// A group is entered here; with the chunks before it. Ticks after the last claimed are lost.
    Entered { tick: Tick, prelude: Vec<Shared> },
    /// All ticks up to this one are complete; this many unreliable parts of them are not there, and this
    /// many messages were left out because nobody wanted them.
    Claimed { tick: Tick, lost: u64, left_out: u64 },
}

/// The receiving side of one view.
#[derive(Debug)]
pub(crate) struct Receiver {
    view: View,
    classes: Classes,
    log: ViewLog,
    /// A group that is entered when the chunks before it are there.
    entering: Option<Moved>,
    /// The first numbers that are not claimed yet; none before a group is entered.
    next: Option<PerLane>,
    claimed: Option<Tick>,
    /// How long to wait for what is fine to miss.
    linger: Duration,
    lingers_since: Option<Duration>,
    missing_since: Option<Duration>,
    /// Complete ticks that nobody took yet.
    ready: BTreeMap<Tick, TickContent>,
    ready_bytes: usize,
    /// Events, in the order of their numbers.
    pub(crate) events: Vec<Shared>,
    /// Parts that came, in the order in which a player wants them; `None` where nobody does.
    pub(crate) arrived: Option<Vec<Shared>>,
    handed: PerLane,
    pub(crate) is_over: bool,
}

impl Receiver {
    pub(crate) fn new(view: View, classes: Classes, linger: Duration) -> Self {
        Self {
            view,
            classes,
            log: ViewLog::default(),
            entering: None,
            next: None,
            claimed: None,
            linger,
            lingers_since: None,
            missing_since: None,
            ready: BTreeMap::new(),
            ready_bytes: 0,
            events: Vec::new(),
            arrived: None,
            handed: [0; Lane::COUNT],
            is_over: false,
        }
    }

    /// The same for a player, who wants parts when they come.
    pub(crate) fn eager(mut self) -> Self {
        self.arrived = Some(Vec::new());
        self
    }

    /// The last tick that is complete.
    pub(crate) fn claimed(&self) -> Option<Tick> {
        self.claimed
    }

    /// The newest tick that is known to be over.
    pub(crate) fn newest(&self) -> Option<Tick> {
        self.log.mark.map(|mark| mark.tick)
    }

    /// The first number of each lane that is lacking; `None` before anything was entered.
    pub(crate) fn lacks(&self) -> Option<PerLane> {
        let next = self.next?;
        let mut lacks = next;
        for lane in Lane::ALL {
            lacks[lane.index()] = next[lane.index()].max(self.log.have[lane.index()]);
        }
        // What is fine to miss is not asked for again.
        let last = self.log.lane(Lane::UNRELIABLE).last_key_value().map_or(0, |(n, _)| n + 1);
        lacks[0] = lacks[0].max(last);
        Some(lacks)
    }

    /// A numbered message; false where it is known.
    pub(crate) fn data(&mut self, data: &Data<'_>, bytes: &Shared) -> Result<bool> {
        HELD_BYTES.check((self.log.bytes + self.ready_bytes + bytes.len()) as u64, 0)?;
        let is_known = |next: &PerLane| data.number < next[data.lane.index()];
        let is_wanted = |moved: &Moved| {
            data.lane == Lane::TAPE && moved.prelude.binary_search(&data.number).is_ok()
        };
        let is_waited_for = self.entering.as_ref().is_some_and(is_wanted);
        if self.is_nowhere() || (self.next.as_ref().is_some_and(is_known) && !is_waited_for) {
            return Ok(false);
        }
        let is_new = self.log.insert(data, bytes)?;
        if let Some(arrived) = &mut self.arrived
            && is_new
            && data.lane.has_parts()
            && !data.lane.class().is_ordered()
        {
            arrived.push(bytes.clone());
        }
        Ok(is_new)
    }

    /// Is it not known yet with which group it begins?
    fn is_nowhere(&self) -> bool {
        self.next.is_none() && self.entering.is_none()
    }

    /// Hands on parts of ordered classes, as far as they follow each other.
    fn hand_on(&mut self) {
        let Some(arrived) = &mut self.arrived else { return };
        for lane in Lane::ALL.into_iter().filter(|lane| lane.class().is_ordered()) {
            let handed = &mut self.handed[lane.index()];
            while let Some(entry) = self.log.entry(lane, *handed) {
                arrived.push(entry.bytes.clone());
                *handed += 1;
            }
        }
    }

    pub(crate) fn mark(&mut self, mark: Mark) -> Result<()> {
        MARKS.check(self.log.mark_count() as u64, 0)?;
        // What was on its way before a seek counts what does not come.
        if self.is_nowhere() {
            return Ok(());
        }
        if mark.is_last || self.claimed.is_none_or(|claimed| mark.tick > claimed) {
            self.log.take_mark(mark);
        }
        Ok(())
    }

    /// What follows begins with another group; nothing changes where its beginning is known.
    pub(crate) fn moved(&mut self, moved: Moved) {
        let after = self.claimed.map_or(Tick::ZERO, |claimed| claimed + 1);
        if self.next.is_some() && moved.tick <= after {
            return;
        }
        self.log.begin_at(&moved.first);
        self.entering = Some(moved);
    }

    /// Forgets where it is: a seek begins.
    pub(crate) fn reset(&mut self) {
        let is_eager = self.arrived.is_some();
        *self = Self::new(self.view, self.classes, self.linger);
        self.arrived = is_eager.then(Vec::new);
    }

    pub(crate) fn take(&mut self, tick: Tick) -> Option<TickContent> {
        let taken = self.ready.remove(&tick)?;
        self.ready_bytes = self.ready_bytes.saturating_sub(taken.bytes);
        Some(taken)
    }

    /// Gives back what is to be taken later.
    pub(crate) fn put_back(&mut self, tick: Tick, content: TickContent) {
        self.ready_bytes += content.bytes;
        self.ready.insert(tick, content);
    }

    /// Puts chunks before everything else of a tick.
    pub(crate) fn put_first(&mut self, tick: Tick, mut chunks: Vec<Shared>) {
        if !chunks.is_empty() {
            let content = self.ready.entry(tick).or_default();
            chunks.append(&mut content.chunks);
            content.chunks = chunks;
        }
    }

    /// The first complete tick that has something, and that nobody took yet.
    pub(crate) fn first_ready(&self) -> Option<Tick> {
        self.ready.first_key_value().map(|(tick, _)| *tick)
    }

    /// Goes on as far as possible.
    pub(crate) fn advance(&mut self, now: Duration) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        self.enter(&mut steps);
        if self.next.is_some() {
            self.hand_on();
        }
        while let Some(step) = self.claim(now)? {
            steps.push(step);
        }
        self.take_events()?;
        self.give_up(now);
        self.enter(&mut steps);
        self.finish();
        Ok(steps)
    }

    fn enter(&mut self, steps: &mut Vec<Step>) {
        let Some(moved) = &self.entering else { return };
        let has = |number: &u64| self.log.entry(Lane::TAPE, *number).is_some();
        let next = self.next.unwrap_or([0; Lane::COUNT]);
        // What was claimed is in the tape already.
        let is_new = |number: &&u64| **number >= next[Lane::TAPE.index()] || self.next.is_none();
        if !moved.prelude.iter().filter(is_new).all(has) {
            return;
        }
        let chunk = |number: &u64| Some(self.log.entry(Lane::TAPE, *number)?.bytes.clone());
        let prelude = moved.prelude.iter().filter(is_new).filter_map(chunk).collect();
        let (tick, mut first) = (moved.tick, moved.first);
        first.iter_mut().zip(next).for_each(|(first, next)| *first = (*first).max(next));
        self.next = Some(first);
        self.handed
            .iter_mut()
            .zip(first)
            .for_each(|(handed, first)| *handed = (*handed).max(first));
        self.claimed = self.claimed.max(tick.previous());
        self.entering = None;
        (self.lingers_since, self.missing_since) = (None, None);
        self.forget_before(&first);
        steps.push(Step::Entered { tick, prelude });
    }

    fn forget_before(&mut self, first: &PerLane) {
        for lane in Lane::ALL {
            let numbers = self.log.lane(lane).range(..first[lane.index()]);
            let old: Vec<u64> = numbers.map(|(number, _)| *number).collect();
            old.into_iter().for_each(|number| drop(self.log.remove(lane, number)));
        }
    }

    /// Claims the ticks up to the next mark, if everything of them is there.
    fn claim(&mut self, now: Duration) -> Result<Option<Step>> {
        let (Some(next), None) = (self.next, &self.entering) else { return Ok(None) };
        let mark = self.log.next_mark(self.claimed, 1, Tick::MAX);
        let Some((tick, counts)) = mark.map(|(tick, mark)| (tick, mark.counts)) else {
            return Ok(None);
        };
        if !self.log.is_complete(&next, &counts, self.classes) {
            self.missing_since.get_or_insert(now);
            return Ok(None);
        }
        self.missing_since = None;
        let (lost, left_out) = self.lost(&next, &counts);
        if lost > 0 && now.saturating_sub(*self.lingers_since.get_or_insert(now)) < self.linger {
            return Ok(None);
        }
        self.lingers_since = None;
        self.collect(&next, &counts, tick)?;
        let mut after = next;
        for lane in Lane::ALL.into_iter().filter(|lane| *lane != Lane::EVENTS) {
            after[lane.index()] = after[lane.index()].max(counts[lane.index()]);
        }
        (self.next, self.claimed) = (Some(after), Some(tick));
        // What came too late is not waited for, and not kept.
        let late: Vec<u64> =
            self.log.lane(Lane::UNRELIABLE).range(..after[0]).map(|(number, _)| *number).collect();
        late.into_iter().for_each(|number| drop(self.log.remove(Lane::UNRELIABLE, number)));
        self.log.begin_at(&after);
        self.log.forget_marks(tick);
        Ok(Some(Step::Claimed { tick, lost, left_out }))
    }

    /// How many unreliable parts are not there, and how many messages were not wanted.
    fn lost(&self, next: &PerLane, counts: &PerLane) -> (u64, u64) {
        let missing = |lane: Lane| {
            let (from, to) = (next[lane.index()], counts[lane.index()]);
            let there = if from < to { self.log.lane(lane).range(from..to).count() } else { 0 };
            to.saturating_sub(from) - there as u64
        };
        let left_out = [Lane::UNRELIABLE, Lane::BACKGROUND]
            .into_iter()
            .filter(|lane| !self.classes.has_lane(*lane))
            .map(missing)
            .sum();
        let wants_all = self.classes.has_lane(Lane::UNRELIABLE);
        (if wants_all { missing(Lane::UNRELIABLE) } else { 0 }, left_out)
    }

    /// Takes parts and chunks out of the log.
    fn collect(&mut self, next: &PerLane, counts: &PerLane, tick: Tick) -> Result<()> {
        let first = self.claimed.map_or(Tick::ZERO, |claimed| claimed + 1);
        for lane in [5, 4, 3, 2, 1, 0].into_iter().filter_map(Lane::new) {
            let (from, to) = (next[lane.index()], counts[lane.index()]);
            let numbers: Vec<u64> = match from < to {
                true => self.log.lane(lane).range(from..to).map(|(number, _)| *number).collect(),
                false => Vec::new(),
            };
            for number in numbers {
                let Some(entry) = self.log.remove(lane, number) else { continue };
                if !(first..=tick).contains(&entry.tick) {
                    return Err(malformed("a message that its mark does not cover"));
                }
                self.put(entry.tick, &entry.bytes)?;
            }
        }
        Ok(())
    }

    fn put(&mut self, tick: Tick, bytes: &Shared) -> Result<()> {
        let Some(data) = Data::read(bytes)? else { return Ok(()) };
        let content = self.ready.entry(tick).or_default();
        let cost = bytes.len() + 64;
        content.bytes += cost;
        self.ready_bytes += cost;
        match data.body {
            Body::Chunk(..) => content.chunks.push(bytes.clone()),
            Body::Part(part) => {
                let payload = content.payloads.entry(part.index).or_default();
                for (position, run) in part.runs() {
                    if payload.insert(position, run.to_vec()).is_some() {
                        return Err(malformed("two runs at one position"));
                    }
                }
            }
        }
        Ok(())
    }

    fn take_events(&mut self) -> Result<()> {
        let Some(next) = &mut self.next else { return Ok(()) };
        let number = &mut next[Lane::EVENTS.index()];
        while let Some(entry) = self.log.remove(Lane::EVENTS, *number) {
            self.events.push(entry.bytes);
            *number += 1;
        }
        Ok(())
    }

    /// Goes on with a later group where something does not come.
    fn give_up(&mut self, now: Duration) {
        let waited = self.missing_since.map(|since| now.saturating_sub(since));
        if waited.is_none_or(|waited| waited < GIVE_UP) {
            return;
        }
        let from = self.claimed.unwrap_or(Tick::ZERO);
        let mut group = self.log.group_after(from);
        while let Some(found) = group {
            let moved = self.log.moved_to(self.view, &found);
            let is_there = |number: &u64| {
                let claimed = self.next.is_some_and(|next| *number < next[Lane::TAPE.index()]);
                claimed || self.log.entry(Lane::TAPE, *number).is_some()
            };
            let keyframe = found.first[Lane::TAPE.index()];
            if is_there(&keyframe) && moved.prelude.iter().all(is_there) {
                self.entering = Some(moved);
                self.log.begin_at(&found.first);
                return;
            }
            group = self.log.group_after(found.tick);
        }
    }

    fn finish(&mut self) {
        let Some(mark) = self.log.mark.filter(|mark| mark.is_last) else { return };
        let Some(next) = &self.next else { return };
        self.is_over = self.claimed == Some(mark.tick)
            && next[Lane::EVENTS.index()] >= mark.counts[Lane::EVENTS.index()];
    }

    /// What to ask for again.
    pub(crate) fn missing(&self) -> Vec<Again> {
        let mut wanted = Vec::new();
        let mut push = |lane, start: u64, end: u64| {
            let numbers = start..end.min(start + crate::limits::AGAIN.max);
            wanted.push(Again { view: self.view, lane, numbers });
        };
        let next = self.next.unwrap_or([0; Lane::COUNT]);
        if let Some(moved) = &self.entering {
            let lacking = moved.prelude.iter().filter(|number| {
                let is_claimed = self.next.is_some() && **number < next[Lane::TAPE.index()];
                !is_claimed && self.log.entry(Lane::TAPE, **number).is_none()
            });
            lacking.take(16).for_each(|number| push(Lane::TAPE, *number, number + 1));
        }
        if self.next.is_some() {
            let counts = self.log.counts();
            for lane in Lane::ALL.into_iter().filter(|lane| *lane != Lane::UNRELIABLE) {
                let (from, to) = (next[lane.index()], counts[lane.index()]);
                let is_wanted = self.classes.has_lane(lane);
                if is_wanted && from < to {
                    let holes = self.log.holes(lane, from..to, 8);
                    holes.into_iter().for_each(|hole| push(lane, hole.start, hole.end));
                }
            }
        }
        wanted
    }
}

pub(crate) fn malformed(problem: &'static str) -> Error {
    Error::at(0, "message", ErrorKind::BadSyntax { problem: problem.into() })
}
