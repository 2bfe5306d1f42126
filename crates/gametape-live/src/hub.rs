//! What publisher and relay have in common: the messages of a match, and the seats that get them.

use std::collections::VecDeque;
use std::collections::btree_map::{BTreeMap, Entry as MapEntry};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use gametape_tape::TapeHeader;
use gametape_wire::{Result, Tick, TickLength, Time, View, ViewSet};

use crate::delay::{Delay, Head};
use crate::filling::Filling;
use crate::lane::{Lane, PerLane};
use crate::limits::AGAIN;
use crate::log::{Entry, ViewLog};
use crate::message::{Again, Data, Mark, Message, Shared, StartAt};
use crate::name::MatchName;
use crate::pass::Grant;
use crate::publisher::slot_ticks;

/// Unreliable messages that are this much older than what is released are dropped.
const LATE: Duration = Duration::from_millis(250);
/// A seat that needs something which is not there for this long goes on with a later group.
const PATIENCE: Duration = Duration::from_secs(3);
/// Who lacks more gets it in steps of this length.
const STEP: Time = Time::from_seconds(1);

/// A seat of a match; another number for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SeatId(u64);

/// Something to send to a seat.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outgoing {
    /// The message, shared with all others who get it.
    pub bytes: Shared,
    /// The lane that it belongs to; `None` for what travels with the session, in its order: messages about it, and
    /// parts of lane 0 that are history.
    pub lane: Option<Lane>,
    /// May it travel as a datagram, and get lost?
    pub is_datagram: bool,
}

impl Outgoing {
    /// A message about the session.
    #[must_use]
    pub fn new(bytes: Shared) -> Self {
        Self { bytes, lane: None, is_datagram: false }
    }

    fn session(message: &Message<'_>) -> Self {
        Self::new(message.to_bytes())
    }
}

/// What a match is.
#[derive(Debug, Clone)]
pub(crate) struct About {
    pub(crate) name: MatchName,
    pub(crate) header: TapeHeader,
    pub(crate) metadata: String,
}

/// The messages of a match, and the seats that get them.
#[derive(Debug)]
pub(crate) struct Hub {
    pub(crate) about: About,
    logs: BTreeMap<View, ViewLog>,
    head: Head,
    /// Views that came in the middle of the match.
    filling: Filling,
    seats: BTreeMap<SeatId, Seat>,
    next_seat: u64,
    /// Bytes of messages that are kept of each view.
    window: usize,
}

#[derive(Debug)]
struct Seat {
    grant: Grant,
    /// Where to begin, until everything is there that this needs.
    waiting: Option<Begin>,
    views: BTreeMap<View, SeatView>,
    /// What is about the session, and what was asked for again.
    queue: VecDeque<Outgoing>,
    /// Is it a relay, which is a copy of the journal?
    is_link: bool,
    /// Is nothing fine to miss for it?
    misses_nothing: bool,
    /// What it asked for, and is not there any more.
    forgotten: Vec<Again>,
}

/// Where a seat wants to begin.
#[derive(Debug)]
struct Begin {
    from: StartAt,
    /// What it has already.
    lacks: Vec<(View, PerLane)>,
}

/// How far a seat has come in a view.
#[derive(Debug)]
struct SeatView {
    cursor: PerLane,
    /// The tick of the last mark that was sent.
    position: Option<Tick>,
    /// Chunks to send before all else.
    prelude: VecDeque<u64>,
    /// From this number on, what is fine to miss may be missed.
    live_from: u64,
    stuck_since: Option<Duration>,
    is_done: bool,
}

impl Hub {
    pub(crate) fn new(about: About, views: ViewSet, window: usize) -> Self {
        let logs = views.iter().map(|view| (view, ViewLog::default())).collect();
        let (head, filling, seats) = (Head::default(), Filling::default(), BTreeMap::new());
        Self { about, logs, head, filling, seats, next_seat: 0, window }
    }

    /// From now on has a view too, of which all is still to come.
    pub(crate) fn want(&mut self, view: View, now: Duration) {
        if let MapEntry::Vacant(entry) = self.logs.entry(view) {
            entry.insert(ViewLog::default());
            self.filling.begin(view, now);
        }
    }

    /// Has a view no more.
    pub(crate) fn forget(&mut self, view: View) {
        self.logs.remove(&view);
        self.filling.forget(view);
    }

    /// Does a seat have a view?
    pub(crate) fn is_seated(&self, view: View) -> bool {
        self.seats.values().any(|seat| seat.grant.views.contains(view))
    }

    /// Notes how far views are that came in the middle of the match.
    pub(crate) fn look_at_filling(&mut self, now: Duration) {
        self.filling.look(&self.logs, now);
    }

    pub(crate) fn is_filling(&self, views: ViewSet) -> bool {
        self.filling.has_any(views)
    }

    pub(crate) fn views(&self) -> ViewSet {
        self.logs.keys().copied().collect()
    }

    pub(crate) fn log(&self, view: View) -> Option<&ViewLog> {
        self.logs.get(&view)
    }

    pub(crate) fn log_mut(&mut self, view: View) -> Option<&mut ViewLog> {
        self.logs.get_mut(&view)
    }

    fn tick_length(&self) -> TickLength {
        self.about.header.tick_length
    }

    /// Adds a numbered message; false where it is there, or of a view that nobody has.
    pub(crate) fn add(&mut self, data: &Data<'_>, bytes: &Shared) -> Result<bool> {
        let slot = slot_ticks(self.tick_length());
        let Some(log) = self.logs.get_mut(&data.view) else { return Ok(false) };
        // What was asked for again is there for somebody who will come for it.
        let is_recalled = data.number < log.have[data.lane.index()];
        let added = log.insert(data, bytes)?;
        if !is_recalled {
            log.trim(self.window, slot);
        }
        Ok(added)
    }

    /// Notes a mark; false where a later one is known, or it is of a view that nobody has.
    pub(crate) fn mark(&mut self, mark: Mark, now: Duration) -> bool {
        let Some(log) = self.logs.get_mut(&mark.view) else { return false };
        let is_news = log.take_mark(mark);
        self.head.advance(mark.tick, mark.is_last, now);
        is_news
    }

    /// Has the last mark come?
    pub(crate) fn is_ended(&self) -> bool {
        self.head.is_ended()
    }

    /// The newest marks of the views that a seat gets.
    pub(crate) fn newest_marks(&self, id: SeatId) -> Vec<Shared> {
        let views = self.seats.get(&id).into_iter().flat_map(|seat| seat.views.keys());
        let marks = views.filter_map(|view| self.logs.get(view)?.mark);
        marks.map(|mark| Message::Mark(mark).to_bytes()).collect()
    }

    /// The last tick that is released at `now`; `None` where nothing is.
    pub(crate) fn released(&self, delay: u64, now: Duration) -> Option<Tick> {
        Delay(delay).released(self.head.at(now, self.tick_length()))
    }

    /// The same, at most the last tick that is over.
    pub(crate) fn known_released(&self, delay: u64, now: Duration) -> Option<Tick> {
        let over = self.logs.values().filter_map(|log| log.mark).map(|mark| mark.tick).max()?;
        Some(self.released(delay, now)?.min(over))
    }

    /// Gives a seat, which begins where it wants, or goes on after what it has.
    pub(crate) fn sit(
        &mut self,
        grant: Grant,
        from: StartAt,
        lacks: &[(View, PerLane)],
        is_link: bool,
        now: Duration,
    ) -> SeatId {
        let id = SeatId(self.next_seat);
        self.next_seat += 1;
        let seat = Seat {
            grant,
            waiting: Some(Begin { from, lacks: lacks.to_vec() }),
            views: BTreeMap::new(),
            queue: VecDeque::new(),
            is_link,
            misses_nothing: false,
            forgotten: Vec::new(),
        };
        self.seats.insert(id, seat);
        self.begin_seat(id, now);
        id
    }

    /// Lets a seat begin, if all its views can be entered.
    fn begin_seat(&mut self, id: SeatId, now: Duration) {
        let Some(seat) = self.seats.get_mut(&id).filter(|seat| seat.waiting.is_some()) else {
            return;
        };
        self.filling.look(&self.logs, now);
        let views = seat.grant.views;
        if self.filling.has_any(views) {
            return;
        }
        let Some(Begin { from, lacks }) = seat.waiting.take() else { return };
        for view in views.and(self.views()).iter() {
            let known = lacks.iter().find(|(other, _)| *other == view);
            let resumed = known.is_some_and(|(_, lacks)| self.resume(id, view, lacks, now));
            if !resumed {
                self.move_seat(id, view, from, now);
            }
        }
    }

    /// A relay wants these views and no others from now on: those that it has go on where they are, others begin
    /// with the newest mark, so that the relay knows how much there is.
    pub(crate) fn link(&mut self, id: SeatId, have: &[(View, PerLane)], now: Duration) {
        let named: ViewSet = have.iter().map(|(view, _)| *view).collect();
        let views = named.and(self.views());
        let Some(seat) = self.seats.get_mut(&id) else { return };
        seat.grant.views = views;
        seat.views.retain(|view, _| views.contains(*view));
        seat.forgotten.retain(|again| views.contains(again.view));
        let is_new = |view: &View| views.contains(*view) && !seat.views.contains_key(view);
        let new: Vec<_> = have.iter().copied().filter(|(view, _)| is_new(view)).collect();
        for (view, lacks) in new {
            let mark = self.logs.get(&view).and_then(|log| log.mark);
            let mark = mark.map(|mark| Outgoing::session(&Message::Mark(mark)));
            if let Some(seat) = self.seats.get_mut(&id) {
                seat.queue.extend(mark);
            }
            self.resume(id, view, &lacks, now);
        }
    }

    /// Sends a message before everything else.
    pub(crate) fn send_first(&mut self, seat: SeatId, message: &Message<'_>) {
        if let Some(seat) = self.seats.get_mut(&seat) {
            seat.queue.push_front(Outgoing::session(message));
        }
    }

    pub(crate) fn leave(&mut self, seat: SeatId) {
        self.seats.remove(&seat);
    }

    /// From now on everything is history for a seat.
    pub(crate) fn miss_nothing(&mut self, seat: SeatId) {
        if let Some(seat) = self.seats.get_mut(&seat) {
            seat.misses_nothing = true;
            seat.views.values_mut().for_each(|seat_view| seat_view.live_from = u64::MAX);
        }
    }

    pub(crate) fn seat_count(&self) -> usize {
        self.seats.len()
    }

    /// Goes on after what a seat has. Refused where it would be ahead of what it may have.
    fn resume(&mut self, id: SeatId, view: View, lacks: &PerLane, now: Duration) -> bool {
        let Some(grant) = self.seats.get(&id).map(|seat| seat.grant) else { return false };
        let Some(limit) = self.released(grant.delay, now) else { return false };
        let Some(log) = self.logs.get(&view) else { return false };
        let counts = log.counts_at(limit);
        let is_ahead = Lane::CLAIMED.iter().any(|lane| lacks[lane.index()] > counts[lane.index()]);
        // Without a delay everything may be known that is there.
        if is_ahead && grant.delay > 0 {
            return false;
        }
        let live_from = log.unreliable_until(limit).max(lacks[0]);
        let position = log.position_of(lacks, limit);
        // Who has everything up to a mark does not know it without the mark.
        let known = position.and_then(|tick| log.next_mark(tick.previous(), 1, tick));
        let known = known.map(|(_, mark)| Outgoing::new(Arc::clone(&mark.bytes)));
        let seat_view = SeatView {
            cursor: *lacks,
            position,
            prelude: VecDeque::new(),
            live_from,
            stuck_since: None,
            is_done: false,
        };
        self.put(id, view, seat_view);
        if let Some(seat) = self.seats.get_mut(&id) {
            seat.queue.extend(known);
        }
        true
    }

    fn put(&mut self, id: SeatId, view: View, seat_view: SeatView) {
        if let Some(seat) = self.seats.get_mut(&id) {
            seat.views.insert(view, seat_view);
        }
    }

    /// Moves a seat to the group that it wants, of those that are released.
    pub(crate) fn move_seat(&mut self, id: SeatId, view: View, from: StartAt, now: Duration) {
        let Some(seat) = self.seats.get(&id) else { return };
        let (misses_nothing, limit) = (seat.misses_nothing, self.released(seat.grant.delay, now));
        let tick = match from {
            StartAt::Live => limit.unwrap_or_default(),
            StartAt::Tick(tick) => tick.min(limit.unwrap_or_default()),
        };
        let Some(log) = self.logs.get(&view) else { return };
        let group = log.group_at(tick);
        let moved = log.moved_to(view, &group);
        let live_from = match misses_nothing {
            true => u64::MAX,
            false => limit.map_or(0, |limit| log.unreliable_until(limit)).max(group.first[0]),
        };
        let seat_view = SeatView {
            cursor: moved.first,
            position: group.tick.previous(),
            prelude: moved.prelude.iter().copied().collect(),
            live_from,
            stuck_since: None,
            is_done: false,
        };
        self.put(id, view, seat_view);
        if let Some(seat) = self.seats.get_mut(&id) {
            seat.queue.push_back(Outgoing::session(&Message::Moved(moved)));
        }
    }

    /// Moves a seat to what it wants, in all its views.
    pub(crate) fn seek(&mut self, id: SeatId, from: StartAt, now: Duration) {
        if let Some(waiting) = self.seats.get_mut(&id).and_then(|seat| seat.waiting.as_mut()) {
            *waiting = Begin { from, lacks: Vec::new() };
            return;
        }
        let views: Vec<View> =
            self.seats.get(&id).into_iter().flat_map(|seat| seat.views.keys().copied()).collect();
        views.into_iter().for_each(|view| self.move_seat(id, view, from, now));
    }

    /// Repeats what a seat lacks and may have.
    pub(crate) fn again(&mut self, id: SeatId, again: &Again, now: Duration) {
        let limit = self.seats.get(&id).map(|seat| seat.grant.delay);
        let Some(limit) = limit.and_then(|delay| self.released(delay, now)) else { return };
        let (Some(log), Some(seat)) = (self.logs.get(&again.view), self.seats.get_mut(&id)) else {
            return;
        };
        let may_have =
            seat.views.contains_key(&again.view) && seat.grant.classes.has_lane(again.lane);
        let is_repeated = again.lane != Lane::UNRELIABLE || seat.is_link;
        // Who asks faster than it reads gets no more until it has read.
        if !may_have || !is_repeated || seat.queue.len() as u64 > 4 * AGAIN.max {
            return;
        }
        let numbers = again.numbers.start..again.numbers.end.min(again.numbers.start + AGAIN.max);
        let have = log.have[again.lane.index()];
        seat.forgotten.retain(|old| !old.is_within(again));
        if let Some(hole) = log.holes(again.lane, numbers.start..numbers.end.min(have), 1).pop() {
            seat.forget(Again { numbers: hole, ..again.clone() });
        }
        for (_, entry) in log.lane(again.lane).range(numbers) {
            if entry.tick <= limit {
                let bytes = Arc::clone(&entry.bytes);
                seat.queue.push_back(Outgoing {
                    bytes,
                    lane: Some(again.lane),
                    is_datagram: false,
                });
            }
        }
    }

    /// What to send to a seat now, about `budget` bytes of it.
    pub(crate) fn poll(&mut self, id: SeatId, now: Duration, budget: usize) -> Vec<Outgoing> {
        self.begin_seat(id, now);
        let Some(delay) = self.seats.get(&id).map(|seat| seat.grant.delay) else {
            return Vec::new();
        };
        let (limit, late) = (self.released(delay, now), self.late(delay, now));
        let step = self.step();
        let logs = &self.logs;
        let Some(seat) = self.seats.get_mut(&id) else { return Vec::new() };
        let mut out = Batch { list: Vec::new(), left: budget };
        while out.has_room()
            && let Some(queued) = seat.queue.pop_front()
        {
            out.push(queued);
        }
        let mut stuck = Vec::new();
        let seat_views = limit.is_some().then_some(&mut seat.views).into_iter().flatten();
        for (view, seat_view) in seat_views {
            let (Some(log), Some(limit)) = (logs.get(view), limit) else { continue };
            let is_patient = !seat_view.is_out_of_patience(now);
            let mut feed = Feed { log, grant: &seat.grant, limit, step, is_patient };
            let before = seat_view.cursor;
            let is_stuck = feed.run(seat_view, &mut out, late);
            // Who gets on, however slowly, gets what is next.
            seat_view.note_stuck(is_stuck && seat_view.cursor == before, now);
            if seat_view.is_out_of_patience(now) && out.has_room() && !seat.is_link {
                stuck.push(*view);
            }
        }
        for view in stuck {
            self.skip(id, view, now);
        }
        out.list
    }

    fn step(&self) -> u64 {
        self.tick_length().ticks_in(STEP)
    }

    /// The last tick whose datagrams are late: it was released too long ago. *Why not by the ticks themselves:* a
    /// publisher that follows a recorder has a second of them at once, and nobody is late then.
    fn late(&self, delay: u64, now: Duration) -> Option<Tick> {
        let over = self.head.earlier(now.checked_sub(LATE)?, self.tick_length())?;
        over.checked_sub(delay)
    }

    /// Something that a seat needs does not come: goes on with the next group, if there is one.
    fn skip(&mut self, id: SeatId, view: View, now: Duration) {
        let seat_view = self.seats.get(&id).and_then(|seat| Some((seat, seat.views.get(&view)?)));
        let Some((seat, seat_view)) = seat_view else { return };
        let limit = self.released(seat.grant.delay, now).unwrap_or_default();
        let position = seat_view.position.unwrap_or_default();
        let next = self.logs.get(&view).and_then(|log| log.group_after(position));
        if let Some(group) = next.filter(|group| group.tick <= limit) {
            self.move_seat(id, view, StartAt::Tick(group.tick), now);
        }
    }

    /// Does a view get what it lacks without asking for it?
    pub(crate) fn is_steady(&self, view: View, now: Duration) -> bool {
        self.filling.is_steady(view, now)
    }

    /// What seats need and is not there, and what is missing of what is known to exist.
    pub(crate) fn missing(&self, most: usize) -> Vec<Again> {
        let mut wanted = Vec::new();
        for (view, log) in &self.logs {
            for lane in Lane::ALL {
                let (have, count) = (log.have[lane.index()], log.counts()[lane.index()]);
                let last = log.lane(lane).last_key_value().map_or(0, |(number, _)| *number);
                push_ranges(&mut wanted, *view, lane, log.holes(lane, have..count.max(last), 8));
            }
        }
        for seat in self.seats.values() {
            if wanted.len() >= most {
                break;
            }
            for (view, seat_view) in &seat.views {
                let Some(log) = self.logs.get(view) else { continue };
                for number in seat_view.prelude.iter().take(16) {
                    if log.entry(Lane::TAPE, *number).is_none() {
                        push_ranges(&mut wanted, *view, Lane::TAPE, Some(*number..number + 1));
                    }
                }
                for lane in Lane::ALL {
                    let (cursor, have) = (seat_view.cursor[lane.index()], log.have[lane.index()]);
                    // Where the next one is missing, more of them probably are.
                    if log.first_hole(lane, cursor, have).is_some() {
                        push_ranges(&mut wanted, *view, lane, log.holes(lane, cursor..have, HOLES));
                    }
                }
            }
            for Again { view, lane, numbers } in &seat.forgotten {
                let holes = self.logs.get(view).map(|log| log.holes(*lane, numbers.clone(), 4));
                push_ranges(&mut wanted, *view, *lane, holes.into_iter().flatten());
            }
        }
        wanted.truncate(most);
        wanted
    }
}

fn push_ranges(
    wanted: &mut Vec<Again>,
    view: View,
    lane: Lane,
    ranges: impl IntoIterator<Item = Range<u64>>,
) {
    for Range { start, end } in ranges {
        let pieces = (start..end).step_by(AGAIN.max as usize).take(PIECES);
        for start in pieces {
            let again = Again { view, lane, numbers: start..end.min(start + AGAIN.max) };
            if !wanted.contains(&again) {
                wanted.push(again);
            }
        }
    }
}

/// Holes that are asked for at once for one seat, in each lane.
const HOLES: usize = 16;
/// A large hole is asked for in this many pieces at once.
const PIECES: usize = 4;

/// What a seat asked for that is remembered until it is there again.
const FORGOTTEN: usize = 64;

/// What is sent in one go.
struct Batch {
    list: Vec<Outgoing>,
    left: usize,
}

impl Batch {
    fn has_room(&self) -> bool {
        self.left > 0
    }

    fn push(&mut self, message: Outgoing) {
        self.left = self.left.saturating_sub(message.bytes.len());
        self.list.push(message);
    }
}

impl Seat {
    /// Notes what it needs and is not there any more.
    fn forget(&mut self, again: Again) {
        if !self.forgotten.contains(&again) {
            self.forgotten.truncate(FORGOTTEN - 1);
            self.forgotten.insert(0, again);
        }
    }
}

impl SeatView {
    fn note_stuck(&mut self, is_stuck: bool, now: Duration) {
        match (is_stuck, self.stuck_since) {
            (true, None) => self.stuck_since = Some(now),
            (false, _) => self.stuck_since = None,
            _ => {}
        }
    }

    fn is_out_of_patience(&self, now: Duration) -> bool {
        self.stuck_since.is_some_and(|since| now.saturating_sub(since) >= PATIENCE)
    }
}

/// Sends of one view to one seat what is released.
struct Feed<'a> {
    log: &'a ViewLog,
    grant: &'a Grant,
    limit: Tick,
    step: u64,
    /// Is history that is not there waited for, even where it is fine to miss?
    is_patient: bool,
}

impl Feed<'_> {
    /// Is something needed that is not there?
    fn run(&mut self, seat_view: &mut SeatView, out: &mut Batch, late: Option<Tick>) -> bool {
        while let Some(&number) = seat_view.prelude.front() {
            if !out.has_room() {
                return false;
            }
            let Some(entry) = self.released(Lane::TAPE, number) else { return true };
            let bytes = Arc::clone(&entry.bytes);
            out.push(Outgoing { bytes, lane: Some(Lane::TAPE), is_datagram: false });
            seat_view.prelude.pop_front();
        }
        while let Some((tick, mark)) = self.log.next_mark(seat_view.position, self.step, self.limit)
        {
            if !out.has_room() {
                return false;
            }
            match self.up_to(seat_view, &mark.counts, out, late) {
                Sent::All => {}
                Sent::NoRoom => return false,
                Sent::Missing => return true,
            }
            let bytes = Arc::clone(&mark.bytes);
            out.push(Outgoing::new(bytes));
            seat_view.position = Some(tick);
        }
        self.events(seat_view, out);
        if self.limit == Tick::MAX {
            // Nothing is held back: what is not marked yet goes out, too.
            let all = [u64::MAX; Lane::COUNT];
            let _ = self.up_to(seat_view, &all, out, late);
        }
        self.finish(seat_view, out);
        false
    }

    /// A message that is there and old enough, whatever a mark says about it.
    fn released(&self, lane: Lane, number: u64) -> Option<&Entry> {
        self.log.entry(lane, number).filter(|entry| entry.tick <= self.limit)
    }

    /// Sends parts and chunks up to these numbers.
    fn up_to(
        &self,
        seat_view: &mut SeatView,
        counts: &PerLane,
        out: &mut Batch,
        late: Option<Tick>,
    ) -> Sent {
        let mut sent = Sent::All;
        for lane in [4, 3, 2, 1, 5].into_iter().filter_map(Lane::new) {
            let is_wanted = self.grant.classes.has_lane(lane);
            let count = counts[lane.index()];
            let cursor = &mut seat_view.cursor[lane.index()];
            if !is_wanted {
                let known = if count == u64::MAX { self.log.have[lane.index()] } else { count };
                *cursor = (*cursor).max(known);
            }
            while *cursor < count {
                if !out.has_room() {
                    return Sent::NoRoom;
                }
                let Some(entry) = self.released(lane, *cursor) else {
                    sent = Sent::Missing;
                    break;
                };
                let bytes = Arc::clone(&entry.bytes);
                out.push(Outgoing { bytes, lane: Some(lane), is_datagram: false });
                *cursor += 1;
            }
        }
        match self.unreliable(seat_view, counts[0], out, late) {
            true => sent,
            false => Sent::Missing,
        }
    }

    /// Is everything there that is history, and so not to be missed?
    fn unreliable(
        &self,
        seat_view: &mut SeatView,
        count: u64,
        out: &mut Batch,
        late: Option<Tick>,
    ) -> bool {
        let cursor = seat_view.cursor[0];
        let there = if self.is_patient { u64::MAX } else { self.log.have[0] };
        let history = seat_view.live_from.min(count).min(there);
        let is_wanted = self.grant.classes.has_lane(Lane::UNRELIABLE);
        if is_wanted && self.log.first_hole(Lane::UNRELIABLE, cursor, history).is_some() {
            return false;
        }
        if is_wanted && cursor < count {
            for (&number, entry) in self.log.lane(Lane::UNRELIABLE).range(cursor..count) {
                if number > seat_view.cursor[0] && seat_view.cursor[0] < history {
                    return false;
                }
                let is_datagram = number >= seat_view.live_from;
                let is_in_time = !is_datagram || late.is_none_or(|late| entry.tick > late);
                if is_in_time && entry.tick <= self.limit {
                    let bytes = Arc::clone(&entry.bytes);
                    // History comes before the mark that counts it, and so with the marks.
                    let lane = is_datagram.then_some(Lane::UNRELIABLE);
                    out.push(Outgoing { bytes, lane, is_datagram });
                }
                seat_view.cursor[0] = number + 1;
            }
        }
        if seat_view.cursor[0] < history && is_wanted {
            return false;
        }
        if count != u64::MAX {
            seat_view.cursor[0] = seat_view.cursor[0].max(count);
        }
        true
    }

    fn events(&self, seat_view: &mut SeatView, out: &mut Batch) {
        let cursor = &mut seat_view.cursor[Lane::EVENTS.index()];
        while out.has_room()
            && let Some(entry) = self.released(Lane::EVENTS, *cursor)
        {
            let bytes = Arc::clone(&entry.bytes);
            out.push(Outgoing { bytes, lane: Some(Lane::EVENTS), is_datagram: false });
            *cursor += 1;
        }
    }

    fn finish(&self, seat_view: &mut SeatView, out: &mut Batch) {
        let Some(mark) = self.log.mark.filter(|mark| mark.is_last && mark.tick <= self.limit)
        else {
            return;
        };
        let has_all = seat_view.position == Some(mark.tick)
            && seat_view.cursor[Lane::EVENTS.index()] >= mark.counts[Lane::EVENTS.index()];
        if has_all && !seat_view.is_done {
            out.push(Outgoing::session(&Message::Mark(mark)));
            seat_view.is_done = true;
        }
    }
}

/// How far sending came.
enum Sent {
    All,
    NoRoom,
    Missing,
}
