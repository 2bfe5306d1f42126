//! The segments of a view as answers: bytes that are shared, with their tags.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use gametape_live::{Announce, NowDocument, SegmentFile, Segmenter, Shared};
use gametape_wire::{Result, View};
use xxhash_rust::xxh3::xxh3_128;

use crate::condition::tag;

/// Answers that are kept ready; the oldest are made again when somebody asks.
const READY: usize = 256;

/// A file that does not change any more.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    pub(crate) bytes: Bytes,
    pub(crate) tag: String,
}

impl Segment {
    fn of(bytes: Bytes) -> Self {
        let tag = tag(&format!("{:032x}", xxh3_128(&bytes)));
        Self { bytes, tag }
    }
}

/// The segments of a view.
#[derive(Debug)]
pub(crate) struct Segments {
    segmenter: Segmenter,
    ready: BTreeMap<SegmentFile, Segment>,
}

impl Segments {
    pub(crate) fn new(announce: &Announce, view: View) -> Result<Self> {
        Ok(Self { segmenter: Segmenter::new(announce, view)?, ready: BTreeMap::new() })
    }

    pub(crate) fn receive(&mut self, bytes: &Shared, now: Duration) -> Result<()> {
        self.segmenter.receive(bytes, now)
    }

    /// Lets time pass.
    pub(crate) fn poll(&mut self, now: Duration) -> Result<()> {
        self.segmenter.poll(now)
    }

    /// The `now` document for who may know ticks up to `released`.
    pub(crate) fn now(&self, released: Option<u64>) -> NowDocument {
        self.segmenter.now(released)
    }

    /// A file; `None` where it does not exist for who may know ticks up to `released`.
    pub(crate) fn file(&mut self, file: SegmentFile, released: Option<u64>) -> Option<Segment> {
        let segmenter = &self.segmenter;
        // Whether it exists is asked each time, what is in it once.
        let made = match file {
            SegmentFile::Now => return None,
            SegmentFile::Init => vec![segmenter.init(released)?],
            SegmentFile::Keyframe(slot) => segmenter.keyframe(slot, released)?,
            SegmentFile::Delta(slot) => vec![segmenter.delta(slot, released)?],
            SegmentFile::End => vec![segmenter.end(released)?],
        };
        if let Some(segment) = self.ready.get(&file) {
            return Some(segment.clone());
        }
        let bytes = match &made[..] {
            [one] => Bytes::from_owner(one.clone()),
            pieces => Bytes::from(pieces.concat()),
        };
        let segment = Segment::of(bytes);
        if self.ready.len() >= READY {
            // Slots are asked for near the newest, so the first are the oldest of their kind.
            self.ready.pop_first();
        }
        self.ready.insert(file, segment.clone());
        Some(segment)
    }
}
