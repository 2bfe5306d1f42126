//! Frames and orders of several tapes, tick by tick.

use std::collections::{BTreeMap, VecDeque};

use gametape_tape::{ChunkEntry, ChunkKind, TapeFrames, TapeWriter};
use gametape_wire::View;

use super::{Part, contradiction, unwritable};
use crate::failure::Failure;

/// What one view receives in one frame, or one player asks for.
type Piece = (View, Vec<u8>);

/// One frame: views ascend.
type Frame = Vec<Piece>;

/// All streams of frames and orders.
pub(super) struct Lanes {
    lanes: Vec<Lane>,
    /// Ticks with orders of several tapes that nobody knows the order of.
    pub(super) unordered: u64,
}

/// One stream, in all tapes that have it.
struct Lane {
    kind: ChunkKind,
    stream: u16,
    cursors: Vec<Cursor>,
}

/// One stream in one tape, read chunk by chunk.
struct Cursor {
    part: usize,
    chunks: VecDeque<ChunkEntry>,
    frames: VecDeque<(u64, Frame)>,
}

impl Lanes {
    pub(super) fn of(parts: &[Part]) -> Self {
        let mut lanes = BTreeMap::<(ChunkKind, u16), BTreeMap<usize, VecDeque<ChunkEntry>>>::new();
        for (part, Part { tape, .. }) in parts.iter().enumerate() {
            for entry in tape.chunks.iter().filter(|entry| entry.header.kind.is_framed()) {
                let lane = lanes.entry((entry.header.kind, entry.header.stream)).or_default();
                lane.entry(part).or_default().push_back(*entry);
            }
        }
        let cursor = |(part, chunks)| Cursor { part, chunks, frames: VecDeque::new() };
        let lane = |((kind, stream), cursors): ((ChunkKind, u16), BTreeMap<_, _>)| Lane {
            kind,
            stream,
            cursors: cursors.into_iter().map(cursor).collect(),
        };
        Self { lanes: lanes.into_iter().map(lane).collect(), unordered: 0 }
    }

    /// The next tick at which anything happens.
    pub(super) fn next_tick(&mut self, parts: &mut [Part]) -> Result<Option<u64>, Failure> {
        let mut next: Option<u64> = None;
        for cursor in self.lanes.iter_mut().flat_map(|lane| &mut lane.cursors) {
            if let Some(tick) = cursor.tick(parts)? {
                next = Some(next.map_or(tick, |next| next.min(tick)));
            }
        }
        Ok(next)
    }

    /// Writes what happens at a tick.
    pub(super) fn write_tick(
        &mut self,
        tick: u64,
        parts: &mut [Part],
        writer: &mut TapeWriter,
    ) -> Result<(), Failure> {
        for lane in &mut self.lanes {
            let mut told = Vec::new();
            for cursor in &mut lane.cursors {
                let frames = cursor.take(tick, parts)?;
                if !frames.is_empty() {
                    told.push((cursor.part, frames));
                }
            }
            let (frames, is_ordered) = joined(lane, tick, told, parts)?;
            self.unordered += u64::from(!is_ordered);
            frames.iter().try_for_each(|frame| lane.write(tick, frame, writer))?;
        }
        Ok(())
    }
}

impl Lane {
    fn write(&self, tick: u64, frame: &Frame, writer: &mut TapeWriter) -> Result<(), Failure> {
        let pieces: Vec<(View, &[u8])> = frame.iter().map(|(view, p)| (*view, &p[..])).collect();
        let written = match self.kind {
            ChunkKind::ORDERS => writer.orders(self.stream, tick, &pieces),
            _ => writer.frame(self.stream, tick, &pieces),
        };
        written.map_err(|error| unwritable(&error))
    }
}

impl Cursor {
    /// The tick of the next frame.
    fn tick(&mut self, parts: &mut [Part]) -> Result<Option<u64>, Failure> {
        while self.frames.is_empty() {
            let Some(entry) = self.chunks.pop_front() else { return Ok(None) };
            let file = &mut parts[self.part].file;
            let source = file.source.clone();
            let chunk = file.chunk(&entry)?;
            let raw = chunk.raw().map_err(|error| Failure::of(&source, &error))?;
            for frame in TapeFrames::new(&chunk.header, &raw) {
                let frame = frame.map_err(|error| Failure::of(&source, &error))?;
                let pieces = frame.views.iter();
                let pieces = pieces.filter_map(|view| Some((view, frame.view(view)?.to_vec())));
                self.frames.push_back((frame.tick, pieces.collect()));
            }
        }
        Ok(self.frames.front().map(|(tick, _)| *tick))
    }

    /// The frames of a tick.
    fn take(&mut self, tick: u64, parts: &mut [Part]) -> Result<Vec<Frame>, Failure> {
        let mut frames = Vec::new();
        while self.tick(parts)? == Some(tick) {
            frames.extend(self.frames.pop_front().map(|(_, frame)| frame));
        }
        Ok(frames)
    }
}

/// The frames of one tick in several tapes as one; is their order known?
fn joined(
    lane: &Lane,
    tick: u64,
    mut told: Vec<(usize, Vec<Frame>)>,
    parts: &[Part],
) -> Result<(Vec<Frame>, bool), Failure> {
    if told.len() == 1 {
        return Ok((told.remove(0).1, true));
    }
    let refuse = |part: usize, view: View| {
        let (kind, source) = (lane.kind, &parts[part].file.source);
        contradiction(&format!("{source} has other {kind} of view {view} at tick {tick}"))
    };
    match lane.kind {
        ChunkKind::ORDERS => join_orders(&told).map_err(|(part, view)| refuse(part, view)),
        _ => {
            let frames = join_frames(&told).map_err(|(part, view)| refuse(part, view))?;
            Ok((frames, true))
        }
    }
}

/// What each view receives, one payload after the other.
fn by_view(frames: &[Frame]) -> BTreeMap<View, Vec<&Vec<u8>>> {
    let mut views = BTreeMap::<View, Vec<&Vec<u8>>>::new();
    for (view, payload) in frames.iter().flatten() {
        views.entry(*view).or_default().push(payload);
    }
    views
}

/// The n-th frame has the n-th payload of every view. Fails with who contradicts about which view.
fn join_frames(told: &[(usize, Vec<Frame>)]) -> Result<Vec<Frame>, (usize, View)> {
    let mut views = BTreeMap::<View, Vec<&Vec<u8>>>::new();
    for (part, frames) in told {
        for (view, payloads) in by_view(frames) {
            match views.get(&view) {
                Some(known) if *known != payloads => return Err((*part, view)),
                _ => views.insert(view, payloads),
            };
        }
    }
    let longest = views.values().map(Vec::len).max().unwrap_or(0);
    let frame = |n: usize| {
        let pieces = views.iter();
        pieces.filter_map(|(view, all)| Some((*view, (*all.get(n)?).clone()))).collect()
    };
    Ok((0..longest).map(frame).collect())
}

/// The orders of the first tape, then those of other players in the others.
fn join_orders(told: &[(usize, Vec<Frame>)]) -> Result<(Vec<Frame>, bool), (usize, View)> {
    let mut orders: Vec<Frame> = Vec::new();
    let mut is_ordered = true;
    for (part, frames) in told {
        let known: BTreeMap<View, Vec<Vec<u8>>> = by_view(&orders)
            .into_iter()
            .map(|(view, all)| (view, all.into_iter().cloned().collect()))
            .collect();
        for (view, theirs) in by_view(frames) {
            if known.get(&view).is_some_and(|ours| !ours.iter().eq(theirs.iter().copied())) {
                return Err((*part, view));
            }
        }
        let is_new = |(view, _): &Piece| !known.contains_key(view);
        let new: Vec<Frame> = frames
            .iter()
            .map(|frame| frame.iter().filter(|piece| is_new(piece)).cloned().collect())
            .filter(|frame: &Frame| !frame.is_empty())
            .collect();
        is_ordered &= new.is_empty() || orders.is_empty();
        orders.extend(new);
    }
    Ok((orders, is_ordered))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(pieces: &[(u8, &[u8])]) -> Frame {
        pieces.iter().map(|(view, bytes)| (View::new(*view).unwrap(), bytes.to_vec())).collect()
    }

    #[test]
    fn views_keep_their_order() {
        let ours = vec![frame(&[(0, b"a"), (1, b"b")]), frame(&[(1, b"c")])];
        let theirs = vec![frame(&[(0, b"a")]), frame(&[(2, b"d")])];
        let joined = join_frames(&[(0, ours.clone()), (1, theirs)]).unwrap();
        assert_eq!(joined, [frame(&[(0, b"a"), (1, b"b"), (2, b"d")]), frame(&[(1, b"c")])]);
        let other = vec![frame(&[(1, b"x")])];
        assert_eq!(join_frames(&[(0, ours), (1, other)]), Err((1, View::new(1).unwrap())));
    }

    #[test]
    fn orders_of_several_tapes_have_no_order() {
        let ours = vec![frame(&[(1, b"a")]), frame(&[(1, b"b")])];
        let theirs = vec![frame(&[(2, b"c")])];
        assert_eq!(join_orders(&[(0, ours.clone()), (1, ours.clone())]), Ok((ours.clone(), true)));
        let all = [ours.clone(), theirs.clone()].concat();
        assert_eq!(join_orders(&[(0, ours.clone()), (1, theirs)]), Ok((all, false)));
        let fewer = vec![frame(&[(1, b"a")])];
        assert_eq!(join_orders(&[(0, ours), (1, fewer)]), Err((1, View::new(1).unwrap())));
    }
}
