//! Writing a frame stream.

use super::layout::FrameLayout;
use super::pieces::Pieces;
use super::read::Frames;
use super::{Begun, HEAD_ROOM, current, v01};
use crate::generation::Generation;
use crate::message::SPOILED;
use gametape_wire::Limit;
use gametape_wire::{Error, Result};
use gametape_wire::{View, ViewSet};

/// The longest gap that is bridged. A million keepalives are over a year: more is a broken clock.
const KEEPALIVES: Limit = Limit::new("keepalives in a row", 1_000_000);

/// Room for one payload: the longest there is, and some bytes after it that a writer may spoil, so
/// that it can write in wide steps.
pub(crate) type PayloadRoom = [u8; LONGEST_PAYLOAD + SPOILED];

/// The most bytes that one view can receive in one frame of any generation.
pub(crate) const LONGEST_PAYLOAD: usize = 256;

/// More than the longest frame takes.
const FRAME_ROOM: usize = HEAD_ROOM + 16 * LONGEST_PAYLOAD + SPOILED;

/// Writes a frame stream: exact frames one by one, or whole moments by their absolute time.
///
/// What a method refuses leaves the output and the time as they were.
///
/// ```
/// use gametape_minewars::{FrameLayout, FrameWriter, Generation};
/// use gametape_wire::{View, ViewSet};
///
/// let layout = FrameLayout::new(Generation::V01, View::new(2).unwrap())?;
/// let mut out = FrameWriter::new(layout);
/// out.homogenous(5, ViewSet::from_bits(0b011), &[0xAA])?;
/// assert!(out.homogenous(5, ViewSet::from_bits(0b1000), &[0xAA]).is_err());
/// assert_eq!(out.as_bytes(), [0x00, 0x05, 0x01, 0x83, 0xAA]);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct FrameWriter {
    layout: FrameLayout,
    /// What was written, up to `end`; after that, room for what comes next.
    out: Vec<u8>,
    end: usize,
    time: u64,
}

impl FrameWriter {
    /// An empty stream that begins at time 0.
    #[must_use]
    pub fn new(layout: FrameLayout) -> Self {
        Self { layout, out: Vec::new(), end: 0, time: 0 }
    }

    /// The same writer, counting on from `time`.
    #[must_use]
    pub fn at_time(mut self, time: u64) -> Self {
        self.time = time;
        self
    }

    /// How frames are written.
    #[must_use]
    pub fn layout(&self) -> FrameLayout {
        self.layout
    }

    /// The time of the last frame written.
    #[must_use]
    pub fn time(&self) -> u64 {
        self.time
    }

    /// What was written so far.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.out[..self.end]
    }

    /// Forgets what was written and begins again at time 0, in the same memory.
    pub fn clear(&mut self) {
        self.end = 0;
        self.time = 0;
    }

    /// What was written, owned.
    #[must_use]
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.out.truncate(self.end);
        self.out
    }

    /// One homogenous frame.
    pub fn homogenous(&mut self, delta: u32, views: ViewSet, payload: &[u8]) -> Result<()> {
        self.homogenous_with(self.layout, delta, views, |room| copy(payload, room))
    }

    /// One homogenous frame, its payload written by `write` where it belongs: without a copy. `write`
    /// returns the payload's length; what it refuses, and why, comes back.
    ///
    /// `layout` is the writer's, as far as the caller knows it while it is compiled
    /// ([`FrameLayout::known_as`]).
    #[inline(always)]
    pub(crate) fn homogenous_with(
        &mut self,
        layout: FrameLayout,
        delta: u32,
        views: ViewSet,
        write: impl FnOnce(&mut PayloadRoom) -> Result<usize>,
    ) -> Result<()> {
        let delta = self.checked_delta(layout, delta)?;
        self.check_views(views)?;
        self.put_homogenous(layout, delta, views, write)
    }

    /// One heterogenous frame; the views may come in any order, but each only once.
    pub fn heterogenous(&mut self, delta: u32, parts: &[(View, &[u8])]) -> Result<()> {
        let pieces = Pieces::gather(parts)?;
        let payloads = pieces.iter().map(|(_, bytes)| bytes);
        self.heterogenous_with(self.layout, delta, pieces.views(), payloads, copy)
    }

    /// One heterogenous frame, its payloads written by `write` where they belong: without a copy. There
    /// is one for each view, in ascending order. `write` returns the payload's length; what it refuses,
    /// and why, comes back. `layout` is as in [`homogenous_with`](Self::homogenous_with).
    #[inline(always)]
    pub(crate) fn heterogenous_with<P>(
        &mut self,
        layout: FrameLayout,
        delta: u32,
        views: ViewSet,
        payloads: impl IntoIterator<Item = P>,
        write: impl FnMut(P, &mut PayloadRoom) -> Result<usize>,
    ) -> Result<()> {
        let delta = self.checked_delta(layout, delta)?;
        self.check_views(views)?;
        self.put_heterogenous(layout, delta, views, payloads, write)
    }

    /// One keepalive: time passes.
    pub fn keepalive(&mut self) {
        match self.layout.generation() {
            Generation::V01 => self.append(&v01::KEEPALIVE),
            Generation::Current => self.append(&current::KEEPALIVE.to_be_bytes()),
        }
        self.advance(self.layout.keepalive_advance());
    }

    /// Bytes as they are; time passes by the frames that are whole in them.
    pub fn raw(&mut self, bytes: &[u8]) {
        let mut frames = Frames::new(self.layout, bytes).at_time(self.time);
        frames.by_ref().for_each(drop);
        self.time = frames.time();
        self.append(bytes);
    }

    /// Everything that happens at `time`, in as many frames as it takes.
    ///
    /// Keepalives bridge the gap, views without bytes are left out, and what is too long for a
    /// frame goes on in frames with delta 0. A frame is homogenous when all its views receive the
    /// same.
    ///
    /// `split` is asked only about bytes that are too long. It returns the length of their longest
    /// beginning that is at most the given limit and ends where a message ends; 0 if there is none,
    /// which is refused.
    pub fn moment(
        &mut self,
        time: u64,
        views: &[(View, &[u8])],
        split: impl FnMut(&[u8], usize) -> usize,
    ) -> Result<()> {
        let mut pieces = Pieces::gather(views)?;
        pieces.drop_empty();
        self.put_moment(time, pieces, split)
    }

    /// Lets time pass until `time` without giving anything to anyone.
    ///
    /// What keepalives cannot express is carried by a frame without views.
    pub fn idle_until(&mut self, time: u64) -> Result<()> {
        let delta = self.approach(time)?;
        match (delta, self.layout.generation()) {
            (0, _) => {}
            (_, Generation::V01) => {
                self.put_homogenous(self.layout, delta, ViewSet::EMPTY, |_| Ok(0))?;
            }
            (_, Generation::Current) => {
                self.put_heterogenous(self.layout, delta, ViewSet::EMPTY, [], |(), _| Ok(0))?;
            }
        }
        Ok(())
    }

    /// As [`moment`](Self::moment), of pieces that are not empty.
    pub(super) fn put_moment(
        &mut self,
        time: u64,
        pieces: Pieces<'_>,
        split: impl FnMut(&[u8], usize) -> usize,
    ) -> Result<()> {
        self.check_views(pieces.views())?;
        if pieces.is_empty() {
            return Ok(());
        }
        let before = (self.end, self.time);
        let result = self.put_fragments(time, pieces, split);
        if result.is_err() {
            (self.end, self.time) = before;
        }
        result
    }

    fn put_fragments(
        &mut self,
        time: u64,
        mut pieces: Pieces<'_>,
        mut split: impl FnMut(&[u8], usize) -> usize,
    ) -> Result<()> {
        let mut delta = self.approach(time)?;
        loop {
            let rest = pieces.keep_fitting(self.layout.payload_limit(), &mut split)?;
            let views = pieces.views();
            match pieces.shared() {
                Some(payload) => {
                    self.put_homogenous(self.layout, delta, views, |room| copy(payload, room))?;
                }
                None => {
                    let payloads = pieces.iter().map(|(_, bytes)| bytes);
                    self.put_heterogenous(self.layout, delta, views, payloads, copy)?;
                }
            }
            let Some(rest) = rest else { return Ok(()) };
            (pieces, delta) = (rest, 0);
        }
    }

    /// Writes the keepalives that are needed and returns the delta that is left until `time`.
    fn approach(&mut self, time: u64) -> Result<u16> {
        let Some(gap) = time.checked_sub(self.time) else {
            let problem = format!("time {time} is before the time {} already reached", self.time);
            return Err(Error::misuse("frame time", problem));
        };
        let advance = u64::from(self.layout.keepalive_advance());
        let keepalives = gap.saturating_sub(u64::from(self.layout.max_delta())).div_ceil(advance);
        KEEPALIVES.check(keepalives, self.end as u64)?;
        (0..keepalives).for_each(|_| self.keepalive());
        Ok((gap - keepalives * advance) as u16)
    }

    #[inline(always)]
    fn put_homogenous(
        &mut self,
        layout: FrameLayout,
        delta: u16,
        views: ViewSet,
        write: impl FnOnce(&mut PayloadRoom) -> Result<usize>,
    ) -> Result<()> {
        self.put_frame(delta, |frame| {
            let begun = match layout.generation() {
                Generation::V01 => v01::begin_homogenous(frame, delta, views),
                Generation::Current => current::begin_homogenous(frame, layout, delta, views),
            };
            let length = put_payload(layout, frame, begun.payload_at, write)?;
            frame[begun.lengths.next] = length_byte(layout, length);
            if views.is_empty() && length > 0 {
                return Err(Error::misuse("frame mask", "a payload that no view would receive"));
            }
            Ok(begun.payload_at + length)
        })
    }

    #[inline(always)]
    fn put_heterogenous<P>(
        &mut self,
        layout: FrameLayout,
        delta: u16,
        views: ViewSet,
        payloads: impl IntoIterator<Item = P>,
        mut write: impl FnMut(P, &mut PayloadRoom) -> Result<usize>,
    ) -> Result<()> {
        self.put_frame(delta, |frame| {
            let Begun { mut lengths, payload_at: mut at } = match layout.generation() {
                Generation::V01 => v01::begin_heterogenous(frame, delta, views),
                Generation::Current => current::begin_heterogenous(frame, layout, delta, views),
            };
            for payload in payloads {
                let length = put_payload(layout, frame, at, |room| write(payload, room))?;
                frame[lengths.next()] = length_byte(layout, length);
                at += length;
            }
            if layout.generation() == Generation::V01 && v01::lacks_spectator(frame, views) {
                return Err(Error::misuse("frame payload", "the spectator's payload is empty"));
            }
            Ok(at)
        })
    }

    /// Lets `put` write a frame and return its length, and time pass; or nothing, if it fails.
    #[inline(always)]
    fn put_frame(
        &mut self,
        delta: u16,
        put: impl FnOnce(&mut [u8; FRAME_ROOM]) -> Result<usize>,
    ) -> Result<()> {
        let frame = match self.room() {
            Some(frame) => frame,
            None => self.make_room()?,
        };
        self.end += put(frame)?;
        self.advance(delta.into());
        Ok(())
    }

    /// Room for one frame, where there is enough.
    #[inline(always)]
    fn room(&mut self) -> Option<&mut [u8; FRAME_ROOM]> {
        self.out.get_mut(self.end..)?.first_chunk_mut()
    }

    /// Twice the memory, so that its clearing costs little in the long run.
    #[cold]
    fn make_room(&mut self) -> Result<&mut [u8; FRAME_ROOM]> {
        self.out.resize((2 * self.out.len()).max(self.end + FRAME_ROOM), 0);
        self.room().ok_or_else(|| Error::misuse("frame", "no room"))
    }

    /// Appends bytes of any number.
    fn append(&mut self, bytes: &[u8]) {
        let end = self.end + bytes.len();
        match self.out.get_mut(self.end..end) {
            Some(room) => room.copy_from_slice(bytes),
            None => {
                self.out.truncate(self.end);
                self.out.extend_from_slice(bytes);
            }
        }
        self.end = end;
    }

    fn advance(&mut self, delta: u32) {
        self.time = self.time.saturating_add(delta.into());
    }

    #[inline]
    fn checked_delta(&self, layout: FrameLayout, delta: u32) -> Result<u16> {
        // No limit has more than 16 bits.
        if delta <= layout.max_delta() {
            Ok(delta as u16)
        } else {
            Err(self.delta_over_limit(delta))
        }
    }

    #[inline]
    fn check_views(&self, views: ViewSet) -> Result<()> {
        let absent = views.without(self.layout.views());
        if absent.is_empty() { Ok(()) } else { Err(self.absent_views(absent)) }
    }

    #[cold]
    fn delta_over_limit(&self, delta: u32) -> Error {
        let most = self.layout.max_delta();
        Error::misuse("frame delta", format!("{delta} is over the {most} of a frame"))
    }

    #[cold]
    fn absent_views(&self, absent: ViewSet) -> Error {
        let most = self.layout.max_view();
        Error::misuse("frame mask", format!("views {absent} do not exist, {most} is the last"))
    }
}

/// Writes a payload that is there already. One that is too long is refused by its length.
fn copy(payload: &[u8], room: &mut PayloadRoom) -> Result<usize> {
    if let Some(room) = room.get_mut(..payload.len()) {
        room.copy_from_slice(payload);
    }
    Ok(payload.len())
}

/// Lets `write` write a payload at `at`, and returns its length.
#[inline(always)]
fn put_payload(
    layout: FrameLayout,
    frame: &mut [u8; FRAME_ROOM],
    at: usize,
    write: impl FnOnce(&mut PayloadRoom) -> Result<usize>,
) -> Result<usize> {
    let Some(room) = frame.get_mut(at..).and_then(<[u8]>::first_chunk_mut) else {
        return Err(Error::misuse("frame", "more payloads than views"));
    };
    let length = write(room)?;
    let shortest = match layout.generation() {
        Generation::V01 => 0,
        Generation::Current => 1,
    };
    if length < shortest || length > layout.payload_limit() {
        return Err(bad_length(length, layout.payload_limit()));
    }
    Ok(length)
}

/// The byte for the length of a payload that is neither too short nor too long.
#[inline(always)]
fn length_byte(layout: FrameLayout, length: usize) -> u8 {
    match layout.generation() {
        Generation::V01 => v01::length_byte(length),
        Generation::Current => current::length_byte(length),
    }
}

#[cold]
fn bad_length(length: usize, most: usize) -> Error {
    let problem = match length {
        0 => "this generation has no empty payloads".to_owned(),
        _ => format!("{length} bytes are over the {most} of a frame"),
    };
    Error::misuse("frame payload", problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writer(generation: Generation) -> FrameWriter {
        FrameWriter::new(FrameLayout::new(generation, View::new(6).unwrap()).unwrap())
    }

    #[test]
    fn frames_written_in_place_are_those_written_from_copies() {
        for generation in Generation::ALL {
            for bits in 1..=0x7F {
                let views = ViewSet::from_bits(bits);
                let payload = |view: View| vec![view.number(); usize::from(view.number()) + 1];
                let payloads: Vec<(View, Vec<u8>)> =
                    views.iter().map(|view| (view, payload(view))).collect();
                let parts: Vec<(View, &[u8])> =
                    payloads.iter().rev().map(|(view, bytes)| (*view, &**bytes)).collect();

                let (mut copied, mut in_place) = (writer(generation), writer(generation));
                let layout = in_place.layout().known_as(generation);
                copied.heterogenous(3, &parts).unwrap();
                copied.homogenous(4, views, &[1, 2]).unwrap();
                in_place
                    .heterogenous_with(layout, 3, views, views.iter(), |view, room| {
                        copy(&payload(view), room)
                    })
                    .unwrap();
                in_place
                    .homogenous_with(layout, 4, views, |room| {
                        room[..2].copy_from_slice(&[1, 2]);
                        Ok(2)
                    })
                    .unwrap();
                assert_eq!(in_place.as_bytes(), copied.as_bytes(), "{generation} {views}");
                assert_eq!(in_place.time(), 7);
            }
        }
    }

    #[test]
    fn what_is_refused_halfway_leaves_nothing_behind() {
        for generation in Generation::ALL {
            let mut out = writer(generation);
            out.homogenous(1, ViewSet::from_bits(1), &[9]).unwrap();
            let before = out.as_bytes().to_vec();

            let refused = Error::misuse("payload", "no");
            let layout = out.layout();
            let views = ViewSet::from_bits(0b11);
            let result = out.heterogenous_with(layout, 2, views, views.iter(), |view, room| {
                room[0] = 7;
                if view == View::SPECTATOR { Ok(1) } else { Err(refused.clone()) }
            });
            assert_eq!(result, Err(refused));
            for length in [257, size_of::<PayloadRoom>(), size_of::<PayloadRoom>() + 1, usize::MAX]
            {
                let too_long =
                    out.homogenous_with(layout, 2, ViewSet::from_bits(1), |_| Ok(length));
                assert!(too_long.is_err(), "{length}");
            }
            assert_eq!((out.as_bytes(), out.time()), (&*before, 1));
        }
    }

    #[test]
    fn a_heterogenous_frame_in_v01_gives_the_spectator_something_or_is_not_for_it() {
        let nothing: &[u8] = &[];
        let view = |number| View::new(number).unwrap();
        for generation in Generation::ALL {
            let mut out = writer(generation);
            let parts = [(view(0), nothing), (view(2), &[7])];
            assert!(out.heterogenous(1, &parts).is_err(), "{generation}");
            let parts = [(view(0), [9].as_slice()), (view(2), nothing)];
            assert_eq!(out.heterogenous(1, &parts).is_ok(), generation == Generation::V01);
            let parts = [(view(1), [9].as_slice()), (view(2), &[7])];
            assert!(out.heterogenous(1, &parts).is_ok(), "{generation}");
        }
    }

    #[test]
    fn the_longest_frame_there_is_has_room() {
        let layout = FrameLayout::new(Generation::Current, View::new(15).unwrap()).unwrap();
        let mut out = FrameWriter::new(layout);
        for _ in 0..3 {
            let views = ViewSet::from_bits(u16::MAX);
            out.heterogenous_with(layout, 1, views, views.iter(), |view, room| {
                room.fill(view.number());
                Ok(256)
            })
            .unwrap();
            out.raw(&[9; 5000]);
            out.keepalive();
        }
        let one = out.as_bytes().len() / 3;
        assert_eq!(one, 4 + 16 + 16 * 256 + 5000 + 2);
        assert_eq!(out.as_bytes()[20..20 + 256], [0; 256]);
        assert_eq!(out.as_bytes()[one - 5000 - 2 - 256..one - 5002], [15; 256]);
        assert_eq!(out.as_bytes()[..one], out.as_bytes()[one..2 * one]);
        let bytes = out.as_bytes().to_vec();
        assert_eq!(out.into_bytes(), bytes);
    }
}
