//! The messages of a view, as far as somebody has them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use gametape_tape::ChunkKind;
use gametape_wire::{Result, Tick};

use crate::lane::{Classes, Lane, PerLane};
use crate::limits::AHEAD;
use crate::message::{Body, Data, Mark, Message, Moved, Shared};

/// A message that is there.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) tick: Tick,
    pub(crate) bytes: Shared,
}

/// A group of a view: everything from a keyframe on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) tick: Tick,
    /// The first number in each lane.
    pub(crate) first: PerLane,
    /// The tick of the keyframe that its own builds on.
    pub(crate) baseline: Option<Tick>,
    has_keyframe: bool,
}

impl Group {
    /// The one before the first keyframe.
    const START: Self =
        Self { tick: Tick::ZERO, first: [0; 7], baseline: None, has_keyframe: false };
}

/// A mark that is not the last, made once.
#[derive(Debug, Clone)]
pub(crate) struct SharedMark {
    pub(crate) counts: PerLane,
    pub(crate) bytes: Shared,
}

/// The messages of a view, as far as somebody has them.
#[derive(Debug, Default)]
pub(crate) struct ViewLog {
    lanes: [BTreeMap<u64, Entry>; Lane::COUNT],
    /// The newest mark.
    pub(crate) mark: Option<Mark>,
    /// By tick.
    groups: BTreeMap<Tick, Group>,
    /// Lane 5: chunks that whoever joins later needs, which are no keyframes.
    prelude: Vec<u64>,
    /// What each lane had at the ticks of marks.
    marks: BTreeMap<Tick, SharedMark>,
    /// Everything before these numbers was there once, or came before this log began.
    pub(crate) have: PerLane,
    pub(crate) bytes: usize,
    /// Everything before this tick was forgotten, but for what joiners need.
    trimmed: Tick,
}

impl ViewLog {
    pub(crate) fn entry(&self, lane: Lane, number: u64) -> Option<&Entry> {
        self.lanes[lane.index()].get(&number)
    }

    pub(crate) fn lane(&self, lane: Lane) -> &BTreeMap<u64, Entry> {
        &self.lanes[lane.index()]
    }

    /// How many messages of each lane are known to exist.
    pub(crate) fn counts(&self) -> PerLane {
        self.mark.map_or([0; Lane::COUNT], |mark| mark.counts)
    }

    /// Adds a message; false where it is there already. Refused where it is far ahead of all others.
    pub(crate) fn insert(&mut self, data: &Data<'_>, bytes: &Shared) -> Result<bool> {
        let index = data.lane.index();
        let known = self.lanes[index].last_key_value().map_or(0, |(number, _)| *number);
        let known = known.max(self.have[index]).max(self.counts()[index]);
        AHEAD.check(data.number.saturating_sub(known), 0)?;
        if self.lanes[index].contains_key(&data.number) {
            return Ok(false);
        }
        self.note(data);
        let entry = Entry { tick: data.tick, bytes: Arc::clone(bytes) };
        self.lanes[index].insert(data.number, entry);
        self.bytes += bytes.len() + COST;
        self.count_on(data.lane);
        Ok(true)
    }

    /// Counts on over what is there.
    fn count_on(&mut self, lane: Lane) {
        let have = &mut self.have[lane.index()];
        while self.lanes[lane.index()].contains_key(have) {
            *have += 1;
        }
    }

    /// This log begins with a group: nothing before it is missing.
    pub(crate) fn begin_at(&mut self, first: &PerLane) {
        for lane in Lane::ALL {
            let have = &mut self.have[lane.index()];
            *have = (*have).max(first[lane.index()]);
            self.count_on(lane);
        }
    }

    fn note(&mut self, data: &Data<'_>) {
        let Body::Chunk(chunk, first) = &data.body else { return };
        if let Some(first) = first {
            let is_delta = chunk.header.kind == ChunkKind::DELTA_KEYFRAME;
            let back = u64::from(chunk.header.detail);
            let baseline = is_delta.then(|| data.tick.checked_sub(back).unwrap_or_default());
            let group = Group { tick: data.tick, first: *first, baseline, has_keyframe: true };
            self.groups.insert(data.tick, group);
        } else if data.lane == Lane::TAPE && chunk.header.kind != ChunkKind::GAP {
            let at = self.prelude.partition_point(|number| *number < data.number);
            if self.prelude.get(at) != Some(&data.number) {
                self.prelude.insert(at, data.number);
            }
        }
    }

    /// Notes a mark; false where a later one is known.
    pub(crate) fn take_mark(&mut self, mark: Mark) -> bool {
        let is_news = self.mark.is_none_or(|known| {
            mark.tick > known.tick || (mark.tick == known.tick && mark.is_last && !known.is_last)
        });
        if is_news {
            self.mark = Some(mark);
        }
        let mut usual = Mark { is_last: false, ..mark };
        usual.counts[Lane::EVENTS.index()] = 0;
        let bytes = Message::Mark(usual).to_bytes();
        self.marks.insert(mark.tick, SharedMark { counts: usual.counts, bytes });
        is_news
    }

    /// The mark to send next to who is at a tick: of the last tick within `span` ticks, or of the first
    /// after them, up to `limit`.
    pub(crate) fn next_mark(
        &self,
        position: Option<Tick>,
        span: u64,
        limit: Tick,
    ) -> Option<(Tick, &SharedMark)> {
        let start = position.map_or(Tick::ZERO, |position| position + 1);
        if start > limit {
            return None;
        }
        let near = (start + span.saturating_sub(1)).min(limit);
        let within = self.marks.range(start..=near).next_back();
        let found = within.or_else(|| self.marks.range(start..=limit).next())?;
        Some((*found.0, found.1))
    }

    /// The last tick of a mark up to which nobody lacks anything who lacks only these numbers.
    pub(crate) fn position_of(&self, lacks: &PerLane, limit: Tick) -> Option<Tick> {
        let has = |counts: &PerLane| {
            Lane::CLAIMED.iter().all(|lane| counts[lane.index()] <= lacks[lane.index()])
        };
        let marks = self.marks.range(..=limit).rev();
        marks.take(1 << 16).find(|(_, mark)| has(&mark.counts)).map(|(tick, _)| *tick)
    }

    /// What was counted at the last mark up to a tick.
    pub(crate) fn counts_at(&self, tick: Tick) -> PerLane {
        self.marks.range(..=tick).next_back().map_or([0; Lane::COUNT], |(_, mark)| mark.counts)
    }

    /// The first number of lane 0 that is of a later tick, marked or not, as far as is known.
    pub(crate) fn unreliable_until(&self, tick: Tick) -> u64 {
        let marked = self.counts_at(tick)[0];
        let after = self.lane(Lane::UNRELIABLE).range(marked..);
        after.take_while(|(_, entry)| entry.tick <= tick).last().map_or(marked, |(n, _)| n + 1)
    }

    /// The last group that starts at this tick or before.
    pub(crate) fn group_at(&self, tick: Tick) -> Group {
        self.groups.range(..=tick).next_back().map_or(Group::START, |(_, group)| *group)
    }

    /// The first group that starts after a tick.
    pub(crate) fn group_after(&self, tick: Tick) -> Option<Group> {
        self.groups.range(tick + 1..).next().map(|(_, group)| *group)
    }

    /// The keyframes that the one of a group builds on, by their numbers in lane 5.
    fn chain(&self, group: &Group) -> Vec<u64> {
        let mut chain = Vec::new();
        let mut baseline = group.baseline;
        while let Some(found) = baseline.and_then(|tick| self.groups.get(&tick)) {
            if !found.has_keyframe || chain.contains(&found.first[Lane::TAPE.index()]) {
                break;
            }
            chain.push(found.first[Lane::TAPE.index()]);
            baseline = found.baseline;
        }
        chain
    }

    /// What is sent before a group.
    pub(crate) fn moved_to(&self, view: gametape_wire::View, group: &Group) -> Moved {
        let first = group.first[Lane::TAPE.index()];
        let mut prelude: Vec<u64> =
            self.prelude.iter().copied().filter(|number| *number < first).collect();
        prelude.extend(self.chain(group));
        prelude.sort_unstable();
        prelude.dedup();
        let mut first = group.first;
        // When events were complete is nobody's business, so a group does not say where they begin.
        let events = self.lane(Lane::EVENTS).iter().find(|(_, entry)| entry.tick >= group.tick);
        first[Lane::EVENTS.index()] = events.map_or(self.have[Lane::EVENTS.index()], |(n, _)| *n);
        Moved { view, tick: group.tick, first, prelude }
    }

    /// Numbers of a lane from `from` up to `to` that are not there, at most this many ranges.
    pub(crate) fn holes(&self, lane: Lane, numbers: Range<u64>, most: usize) -> Vec<Range<u64>> {
        let mut holes = Vec::new();
        if numbers.is_empty() {
            return holes;
        }
        let mut next = numbers.start;
        for (&number, _) in self.lane(lane).range(numbers.clone()) {
            if holes.len() == most {
                return holes;
            }
            if number > next {
                holes.push(next..number);
            }
            next = number + 1;
        }
        if next < numbers.end && holes.len() < most {
            holes.push(next..numbers.end);
        }
        holes
    }

    /// Is everything of the lanes that count there, from `from` up to these counts?
    pub(crate) fn is_complete(&self, from: &PerLane, counts: &PerLane, classes: Classes) -> bool {
        Lane::CLAIMED.iter().filter(|lane| classes.has_lane(**lane)).all(|lane| {
            let (from, to) = (from[lane.index()], counts[lane.index()]);
            from >= to || self.holes(*lane, from..to, 1).is_empty()
        })
    }

    pub(crate) fn remove(&mut self, lane: Lane, number: u64) -> Option<Entry> {
        let removed = self.lanes[lane.index()].remove(&number)?;
        self.bytes -= removed.bytes.len() + COST;
        Some(removed)
    }

    /// Forgets the oldest messages where there are twice as many bytes as `most`, until half of them are left.
    /// What whoever joins later needs stays: groups, the chunks before them, everything from the last two
    /// keyframes on; of older marks one for each `slot` ticks.
    pub(crate) fn trim(&mut self, most: usize, slot: u64) {
        if self.bytes + self.marks.len() * MARK_COST <= most.saturating_mul(2) {
            return;
        }
        let mut newest = self.groups.values().rev();
        let (_, second) = (newest.next(), newest.next());
        let Some(kept) = second.copied().filter(|kept| kept.tick > self.trimmed) else { return };
        self.trimmed = kept.tick;
        let chain = self.chain(&kept);
        self.marks.retain(|tick, _| *tick >= kept.tick || (*tick + 1).0.is_multiple_of(slot));
        for lane in Lane::ALL {
            let first = kept.first[lane.index()];
            let old: Vec<u64> = self.lane(lane).range(..first).map(|(number, _)| *number).collect();
            for number in old {
                let is_kept = lane == Lane::TAPE
                    && (chain.contains(&number) || self.prelude.binary_search(&number).is_ok());
                if self.bytes > most && !is_kept {
                    self.remove(lane, number);
                }
            }
        }
    }

    /// The first numbers of a lane from `from` on that are not there, before `to`.
    pub(crate) fn first_hole(&self, lane: Lane, from: u64, to: u64) -> Option<Range<u64>> {
        if from >= to || self.lane(lane).contains_key(&from) {
            return None;
        }
        let next = self.lane(lane).range(from..to).next();
        Some(from..next.map_or(to, |(number, _)| *number))
    }

    /// How many marks are kept.
    pub(crate) fn mark_count(&self) -> usize {
        self.marks.len()
    }
}

/// What an entry costs besides its bytes.
const COST: usize = 64;
/// What a mark costs.
const MARK_COST: usize = 160;

impl ViewLog {
    /// Forgets marks up to a tick.
    pub(crate) fn forget_marks(&mut self, tick: Tick) {
        self.marks = self.marks.split_off(&(tick + 1));
    }
}
