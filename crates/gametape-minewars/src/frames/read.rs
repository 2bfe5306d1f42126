//! Walking through a frame stream.

use std::iter::FusedIterator;

use super::frame::Frame;
use super::layout::FrameLayout;
use super::{current, v01};
use crate::generation::Generation;
use gametape_wire::Reader;
use gametape_wire::Result;

/// Iterates over the frames of a stream without copying or allocating.
///
/// A frame that is cut by the end of the stream is one error, then iteration ends;
/// [`rest`](Self::rest) still has the bytes of that frame.
///
/// ```
/// use gametape_minewars::{FrameLayout, Frames, Generation};
/// use gametape_wire::View;
///
/// let layout = FrameLayout::new(Generation::Current, View::new(3).unwrap())?;
/// let bytes = [0x80, 0xC3, 0x03, 0x02, 0xAA, 0xBB, 0xCC, 0x7F, 0xFF, 0x00];
/// let mut frames = Frames::new(layout, &bytes).at_offset(1000);
/// let frame = frames.next().unwrap()?;
/// assert_eq!((frame.offset(), frame.time()), (1000, 195));
/// assert_eq!(frame.view(View::SPECTATOR), Some(&[0xAA, 0xBB, 0xCC][..]));
/// assert_eq!(frames.next().unwrap()?.time(), 195 + 32767);
/// assert_eq!(frames.next().unwrap().unwrap_err().offset(), Some(1009));
/// assert_eq!((frames.next(), frames.rest()), (None, &[0x00][..]));
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Frames<'a> {
    layout: FrameLayout,
    rest: &'a [u8],
    offset: u64,
    time: u64,
    cut: bool,
}

impl<'a> Frames<'a> {
    /// The frames in `bytes`, which begin at offset 0 and time 0.
    #[must_use]
    pub fn new(layout: FrameLayout, bytes: &'a [u8]) -> Self {
        Self { layout, rest: bytes, offset: 0, time: 0, cut: false }
    }

    /// The same frames, their next byte at an absolute offset.
    #[must_use]
    pub fn at_offset(mut self, offset: u64) -> Self {
        self.offset = offset;
        self
    }

    /// The same frames, counting on from `time`.
    #[must_use]
    pub fn at_time(mut self, time: u64) -> Self {
        self.time = time;
        self
    }

    /// How these frames are read.
    #[must_use]
    pub fn layout(&self) -> FrameLayout {
        self.layout
    }

    /// The time reached so far.
    #[must_use]
    pub fn time(&self) -> u64 {
        self.time
    }

    /// Absolute offset of the next frame.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes after the frames that were read.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    // Inlined with `next`, so that a frame need not be moved through memory on its way to the loop.
    #[inline(always)]
    fn read(&mut self) -> Result<Frame<'a>> {
        let start = Reader::with_base(self.rest, self.offset);
        let mut reader = start.clone();
        let head = match self.layout.generation() {
            Generation::V01 => v01::read(&mut reader),
            Generation::Current => current::read(&mut reader, self.layout),
        }?;
        let bytes = reader.since(&start);
        let offset = self.offset;
        self.rest = reader.rest();
        self.offset += bytes.len() as u64;
        self.time = self.time.saturating_add(u64::from(head.delta));
        Ok(Frame::new(self.layout, &head, bytes, offset, self.time))
    }
}

impl<'a> Iterator for Frames<'a> {
    type Item = Result<Frame<'a>>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.cut || self.rest.is_empty() {
            return None;
        }
        let frame = self.read();
        self.cut = frame.is_err();
        Some(frame)
    }
}

impl FusedIterator for Frames<'_> {}
