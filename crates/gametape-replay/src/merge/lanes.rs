//! Frames and orders of several tapes, tick by tick.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use gametape_tape::{ChunkEntry, ChunkKind, TapeWriter};
use gametape_wire::{Limit, Result, Source, Tick, View, ViewSet};

use super::MergeInput;
use super::cursor::{Cursor, Frame};
use crate::rewrite::Put;

/// What one view receives in one frame, or one player asks for.
type Piece = (View, Vec<u8>);

/// What is collected of one tick, where tapes differ in it.
const TICK_BYTES: Limit = Limit::new("bytes of one tick in which tapes differ", 32 << 20);
/// What a piece takes beside its bytes.
const PIECE_BYTES: u64 = 64;

/// All streams of frames and orders.
pub(super) struct Lanes {
    lanes: Vec<Lane>,
    /// The tick, lane and cursor of whatever may come next.
    queue: BinaryHeap<Reverse<(Tick, usize, usize)>>,
    /// Bytes of the chunks that cursors hold.
    held: u64,
    /// Ticks with orders of several tapes that nobody knows the order of.
    pub(super) unordered_ticks: u64,
}

/// One stream, in all tapes that have it.
struct Lane {
    kind: ChunkKind,
    stream: u16,
    cursors: Vec<Cursor>,
}

impl Lanes {
    pub(super) fn of<S: Source>(inputs: &[MergeInput<S>]) -> Self {
        let mut lanes = BTreeMap::<(ChunkKind, u16), BTreeMap<usize, VecDeque<ChunkEntry>>>::new();
        for (index, MergeInput { tape, .. }) in inputs.iter().enumerate() {
            for entry in tape.chunks.iter().filter(|entry| entry.header.kind.is_framed()) {
                let lane = lanes.entry((entry.header.kind, entry.header.stream)).or_default();
                lane.entry(index).or_default().push_back(*entry);
            }
        }
        let cursor = |(input, chunks)| Cursor::new(input, chunks);
        let lane = |((kind, stream), cursors): ((ChunkKind, u16), BTreeMap<_, _>)| Lane {
            kind,
            stream,
            cursors: cursors.into_iter().map(cursor).collect(),
        };
        let lanes = lanes.into_iter().map(lane).collect();
        let mut all = Self { lanes, queue: BinaryHeap::new(), held: 0, unordered_ticks: 0 };
        for lane in 0..all.lanes.len() {
            (0..all.lanes[lane].cursors.len()).for_each(|cursor| all.enqueue(lane, cursor));
        }
        all
    }

    fn enqueue(&mut self, lane: usize, cursor: usize) {
        if let Some(tick) = self.lanes[lane].cursors[cursor].next_tick() {
            self.queue.push(Reverse((tick, lane, cursor)));
        }
    }

    /// The next tick at which something may happen.
    pub(super) fn next_tick(&self) -> Option<Tick> {
        self.queue.peek().map(|Reverse((tick, ..))| *tick)
    }

    /// Writes what happens in one lane at the next tick.
    pub(super) fn write_tick<S: Source>(
        &mut self,
        inputs: &mut [MergeInput<S>],
        writer: &mut TapeWriter,
        put: &mut Put<'_>,
    ) -> Result<()> {
        let Some(&Reverse((tick, lane, _))) = self.queue.peek() else { return Ok(()) };
        let mut due = Vec::new();
        while let Some(&Reverse((at, other, cursor))) = self.queue.peek()
            && (at, other) == (tick, lane)
        {
            self.queue.pop();
            self.lanes[lane].cursors[cursor].load(inputs, &mut self.held)?;
            due.push(cursor);
        }
        let is_there = |cursor: &usize| self.lanes[lane].cursors[*cursor].is_at(tick);
        let taking: Vec<usize> = due.iter().copied().filter(is_there).collect();
        if !taking.is_empty() {
            let mut at = AtTick {
                lane: &mut self.lanes[lane],
                tick,
                cursors: &taking,
                inputs,
                held: &mut self.held,
            };
            self.unordered_ticks += u64::from(!at.write(writer, put)?);
        }
        due.into_iter().for_each(|cursor| self.enqueue(lane, cursor));
        Ok(())
    }
}

/// One lane at one tick, at which several cursors have frames.
struct AtTick<'a, S> {
    lane: &'a mut Lane,
    tick: Tick,
    cursors: &'a [usize],
    inputs: &'a mut [MergeInput<S>],
    held: &'a mut u64,
}

impl<S: Source> AtTick<'_, S> {
    /// Writes the frames of the tick; is their order known?
    fn write(&mut self, writer: &mut TapeWriter, put: &mut Put<'_>) -> Result<bool> {
        let shared = self.write_equal(writer, put)?;
        let mut rest = Vec::new();
        let mut bytes = 0;
        for &cursor in self.cursors {
            let frames = self.collect(cursor, &mut bytes)?;
            rest.push((self.lane.cursors[cursor].input, frames));
        }
        if rest.iter().all(|(_, frames)| frames.is_empty()) {
            return Ok(true);
        }
        let (frames, is_ordered) = self.joined(shared, &rest)?;
        for frame in &frames {
            let pieces: Vec<(View, &[u8])> =
                frame.iter().map(|(view, p)| (*view, &p[..])).collect();
            self.put_frame(&pieces, writer)?;
            put(&writer.take())?;
        }
        Ok(is_ordered)
    }

    /// Writes frames as long as all cursors have the same; returns the views that received any.
    ///
    /// The frames of a single tape, and of tapes that have the same, never need more memory.
    fn write_equal(&mut self, writer: &mut TapeWriter, put: &mut Put<'_>) -> Result<ViewSet> {
        let mut shared = ViewSet::EMPTY;
        while let Some(views) = self.write_if_equal(writer)? {
            shared = shared.or(views);
            put(&writer.take())?;
            for &cursor in self.cursors {
                self.lane.cursors[cursor].advance(self.held)?;
                self.lane.cursors[cursor].load(self.inputs, self.held)?;
            }
        }
        Ok(shared)
    }

    fn write_if_equal(&self, writer: &mut TapeWriter) -> Result<Option<ViewSet>> {
        let mut frames = self.cursors.iter().map(|&cursor| {
            let cursor = &self.lane.cursors[cursor];
            let failed = |error| self.inputs[cursor.input].failed(error);
            cursor.frame_at(self.tick).map_err(failed)
        });
        let Some(first) = frames.next().transpose()?.flatten() else { return Ok(None) };
        for other in frames {
            match other? {
                Some(other) if other.pieces().eq(first.pieces()) => {}
                _ => return Ok(None),
            }
        }
        let pieces: Vec<(View, &[u8])> = first.pieces().collect();
        self.put_frame(&pieces, writer)?;
        Ok(Some(first.views))
    }

    fn put_frame(&self, pieces: &[(View, &[u8])], writer: &mut TapeWriter) -> Result<()> {
        let Lane { kind, stream, .. } = *self.lane;
        match kind {
            ChunkKind::ORDERS => writer.orders(stream, self.tick, pieces),
            _ => writer.frame(stream, self.tick, pieces),
        }
    }

    /// The frames that a cursor still has at the tick.
    fn collect(&mut self, cursor: usize, bytes: &mut u64) -> Result<Vec<Vec<Piece>>> {
        let mut frames = Vec::new();
        loop {
            let cursor = &mut self.lane.cursors[cursor];
            let Some(frame) = cursor.frame_at(self.tick)? else { return Ok(frames) };
            let size: u64 = frame.pieces().map(|(_, p)| p.len() as u64 + PIECE_BYTES).sum();
            *bytes = TICK_BYTES.check(*bytes + size, 0)?;
            frames.push(owned(&frame));
            cursor.advance(self.held)?;
            cursor.load(self.inputs, self.held)?;
        }
    }

    /// The frames of several tapes as one; is their order known?
    fn joined(&self, shared: ViewSet, rest: &[Rest]) -> Result<(Vec<Vec<Piece>>, bool)> {
        let joined = match self.lane.kind {
            ChunkKind::ORDERS => join_orders(shared, rest),
            _ => join_frames(shared, rest).map(|frames| (frames, true)),
        };
        joined.map_err(|(input, view)| {
            let (kind, tick) = (self.lane.kind, self.tick);
            let problem = format!("it has other {kind} of view {view} at tick {tick}");
            self.inputs[input].contradicts(problem)
        })
    }
}

fn owned(frame: &Frame<'_>) -> Vec<Piece> {
    frame.pieces().map(|(view, payload)| (view, payload.to_vec())).collect()
}

/// The frames of an input at a tick, after those that all have.
type Rest = (usize, Vec<Vec<Piece>>);
/// An input contradicts those before it about a view.
type Contradiction = (usize, View);

/// What each view receives, one payload after the other; views of `shared` receive something even
/// where it is nothing.
fn by_view(shared: ViewSet, frames: &[Vec<Piece>]) -> BTreeMap<View, Vec<&[u8]>> {
    let mut views: BTreeMap<View, Vec<&[u8]>> =
        shared.iter().map(|view| (view, Vec::new())).collect();
    for (view, payload) in frames.iter().flatten() {
        views.entry(*view).or_default().push(payload);
    }
    views
}

/// The n-th frame has the n-th payload of every view.
fn join_frames(shared: ViewSet, rest: &[Rest]) -> Result<Vec<Vec<Piece>>, Contradiction> {
    let mut views = BTreeMap::<View, Vec<&[u8]>>::new();
    for (input, frames) in rest {
        for (view, payloads) in by_view(shared, frames) {
            match views.get(&view) {
                Some(known) if *known != payloads => return Err((*input, view)),
                _ => views.insert(view, payloads),
            };
        }
    }
    let longest = views.values().map(Vec::len).max().unwrap_or(0);
    let frame = |n: usize| {
        let pieces = views.iter();
        pieces.filter_map(|(view, all)| Some((*view, all.get(n)?.to_vec()))).collect()
    };
    Ok((0..longest).map(frame).collect())
}

/// The orders of the first tape, then those of other players in the others.
fn join_orders(shared: ViewSet, rest: &[Rest]) -> Result<(Vec<Vec<Piece>>, bool), Contradiction> {
    let mut known = BTreeMap::<View, Vec<&[u8]>>::new();
    let mut orders: Vec<Vec<Piece>> = Vec::new();
    let mut is_ordered = true;
    for (input, frames) in rest {
        let theirs = by_view(shared, frames);
        for (view, payloads) in &theirs {
            if known.get(view).is_some_and(|ours| ours != payloads) {
                return Err((*input, *view));
            }
        }
        let is_new = |(view, _): &&Piece| !known.contains_key(view);
        let new: Vec<Vec<Piece>> = frames
            .iter()
            .map(|frame| frame.iter().filter(is_new).cloned().collect())
            .filter(|frame: &Vec<Piece>| !frame.is_empty())
            .collect();
        let is_first = orders.is_empty() && shared.is_empty();
        is_ordered &= new.is_empty() || is_first;
        orders.extend(new);
        known.extend(theirs);
    }
    Ok((orders, is_ordered))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(number: u8) -> View {
        View::new(number).unwrap()
    }

    fn frame(pieces: &[(u8, &[u8])]) -> Vec<Piece> {
        pieces.iter().map(|(number, bytes)| (view(*number), bytes.to_vec())).collect()
    }

    #[test]
    fn views_keep_their_order() {
        let ours = vec![frame(&[(0, b"a"), (1, b"b")]), frame(&[(1, b"c")])];
        let theirs = vec![frame(&[(0, b"a")]), frame(&[(2, b"d")])];
        let none = ViewSet::EMPTY;
        let joined = join_frames(none, &[(0, ours.clone()), (1, theirs)]).unwrap();
        assert_eq!(joined, [frame(&[(0, b"a"), (1, b"b"), (2, b"d")]), frame(&[(1, b"c")])]);
        let other = vec![frame(&[(1, b"x")])];
        assert_eq!(join_frames(none, &[(0, ours), (1, other)]), Err((1, view(1))));
    }

    #[test]
    fn a_view_that_all_received_something_of_must_go_on_alike() {
        let more = vec![frame(&[(1, b"c")])];
        let shared = ViewSet::EMPTY.with(view(1));
        let rest = [(0, more.clone()), (1, Vec::new())];
        assert_eq!(join_frames(shared, &rest), Err((1, view(1))));
        assert_eq!(join_frames(ViewSet::EMPTY, &rest), Ok(more));
        assert_eq!(join_orders(shared, &rest), Err((1, view(1))));
    }

    #[test]
    fn orders_of_several_tapes_have_no_order() {
        let none = ViewSet::EMPTY;
        let ours = vec![frame(&[(1, b"a")]), frame(&[(1, b"b")])];
        let theirs = vec![frame(&[(2, b"c")])];
        let twice = [(0, ours.clone()), (1, ours.clone())];
        assert_eq!(join_orders(none, &twice), Ok((ours.clone(), true)));
        let all = [ours.clone(), theirs.clone()].concat();
        assert_eq!(join_orders(none, &[(0, ours.clone()), (1, theirs)]), Ok((all, false)));
        let fewer = vec![frame(&[(1, b"a")])];
        assert_eq!(join_orders(none, &[(0, ours), (1, fewer)]), Err((1, view(1))));
    }
}
