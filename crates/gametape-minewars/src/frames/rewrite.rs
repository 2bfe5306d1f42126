//! From streams to a stream: some views of one, or all views of several.

use super::frame::Frame;
use super::layout::FrameLayout;
use super::pieces::Pieces;
use super::read::Frames;
use super::write::FrameWriter;
use gametape_wire::{Error, Result};
use gametape_wire::{View, ViewSet};

/// What becomes of the time after the last payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tail {
    /// It stays: the result ends when its source ends.
    Keep,
    /// It goes: the result ends with its last payload.
    Drop,
}

/// The stream with only the given views.
///
/// They receive the same bytes at the same times. The result has no byte of another view's payload
/// and is what the wanted payloads alone would have given: a frame's kind does not show whether
/// others received something else. It still shows where the source cut a moment into frames, and
/// with [`Tail::Keep`] when the source ended.
///
/// The result begins at the time that `frames` has reached. Refuses views that the layout does
/// not have, and fails on a stream that is cut short.
pub fn select_views(mut frames: Frames<'_>, views: ViewSet, tail: Tail) -> Result<Vec<u8>> {
    let absent = views.without(frames.layout().views());
    if !absent.is_empty() {
        return Err(Error::misuse("view selection", format!("views {absent} do not exist")));
    }
    let mut out = FrameWriter::new(frames.layout()).at_time(frames.time());
    for frame in frames.by_ref() {
        let frame = frame?;
        let mut pieces = Pieces::default();
        pieces.add_frame(&frame, views);
        out.put_moment(frame.time(), pieces, no_split)?;
    }
    if tail == Tail::Keep {
        out.idle_until(frames.time())?;
    }
    Ok(out.into_bytes())
}

/// One stream out of several of the same generation, in which no view occurs twice.
///
/// Every view receives the same bytes at the same times. Payloads of the same moment share a
/// frame, a homogenous one where they are equal: the first frames of that moment with each other,
/// then the second ones. The order of `streams` does not matter.
///
/// The result begins at the earliest time that any of `streams` has reached and is written in
/// `layout`, which may have more views than theirs. Views that a stream's own layout does not have
/// are left out.
pub fn merge_views<'a>(
    layout: FrameLayout,
    streams: impl IntoIterator<Item = Frames<'a>>,
    tail: Tail,
) -> Result<Vec<u8>> {
    let mut sources: Vec<Source<'a>> =
        streams.into_iter().map(|frames| Source::open(layout, frames)).collect::<Result<_>>()?;
    let start = sources.iter().map(|source| source.start).min().unwrap_or(0);
    let mut out = FrameWriter::new(layout).at_time(start);
    let mut owners = Owners::default();
    while let Some(time) = sources.iter().filter_map(Source::next_time).min() {
        let mut round = Pieces::default();
        for (number, source) in sources.iter_mut().enumerate() {
            if let Some(frame) = source.take_at(time)? {
                owners.claim(number, receivers(&frame))?;
                round.add_frame(&frame, frame.views());
            }
        }
        out.put_moment(time, round, no_split)?;
    }
    if tail == Tail::Keep {
        let end = sources.iter().map(|source| source.frames.time()).max();
        out.idle_until(end.unwrap_or(start))?;
    }
    Ok(out.into_bytes())
}

/// A piece of a frame fits in a frame.
fn no_split(_: &[u8], _: usize) -> usize {
    0
}

/// The views that exist and receive at least one byte.
fn receivers(frame: &Frame<'_>) -> ViewSet {
    let parts = frame.parts().filter(|part| !part.payload.is_empty());
    let bits = parts.fold(0, |bits, part| bits | part.views.bits());
    ViewSet::from_bits(bits).without(frame.absent())
}

/// A stream that looks ahead to its next frame with receivers.
struct Source<'a> {
    frames: Frames<'a>,
    start: u64,
    next: Option<Frame<'a>>,
}

impl<'a> Source<'a> {
    fn open(target: FrameLayout, frames: Frames<'a>) -> Result<Self> {
        if frames.layout().generation() != target.generation() {
            let problem = format!("a stream is not of the generation {}", target.generation());
            return Err(Error::misuse("merge", problem));
        }
        let start = frames.time();
        let mut source = Self { frames, start, next: None };
        source.look_ahead()?;
        Ok(source)
    }

    fn next_time(&self) -> Option<u64> {
        self.next.map(|frame| frame.time())
    }

    /// The next frame, if its time is `time`.
    fn take_at(&mut self, time: u64) -> Result<Option<Frame<'a>>> {
        let frame = self.next.take_if(|frame| frame.time() == time);
        if frame.is_some() {
            self.look_ahead()?;
        }
        Ok(frame)
    }

    /// Steps over frames without receivers.
    fn look_ahead(&mut self) -> Result<()> {
        for frame in self.frames.by_ref() {
            let frame = frame?;
            if !receivers(&frame).is_empty() {
                self.next = Some(frame);
                break;
            }
        }
        Ok(())
    }
}

/// Which stream a view belongs to, as far as it is known.
#[derive(Default)]
struct Owners([Option<usize>; View::MAX as usize + 1]);

impl Owners {
    fn claim(&mut self, stream: usize, views: ViewSet) -> Result<()> {
        for view in views.iter() {
            let owner = *self.0[usize::from(view.number())].get_or_insert(stream);
            if owner != stream {
                let problem = format!("view {view} is in streams {owner} and {stream}");
                return Err(Error::misuse("merge", problem));
            }
        }
        Ok(())
    }
}
