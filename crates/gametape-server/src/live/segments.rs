//! The segments of a view as answers: bytes that are shared, with their tags.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use gametape_live::{Announce, NowDocument, SegmentFile, Segmenter, Shared, Stored, entry_of};
use gametape_wire::{Result, Tick, View};
use xxhash_rust::xxh3::xxh3_128;

use super::spool::Spool;
use crate::condition::tag;

/// Answers that are kept ready; the oldest are made again when somebody asks.
const READY: usize = 256;
/// Bytes of these.
const READY_BYTES: usize = 16 << 20;
/// What joiners begin with is kept for this many slots,
const ENTRIES: usize = 4;
/// and has at most this many bytes: `spec/live.md`, section 9.
const ENTRY_BYTES: usize = 1 << 20;
/// Bytes of the newest deltas that are in memory; those before them are in a file.
const NEWEST_BYTES: usize = 4 << 20;

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
    spool: Spool,
    /// Did the last bytes not fit into the spool?
    is_full: bool,
    ready: BTreeMap<SegmentFile, Segment>,
    ready_bytes: usize,
    /// What joiners begin with, by slot: audiences with other delays are at other slots.
    entries: BTreeMap<u64, Segment>,
}

impl Segments {
    pub(crate) fn new(announce: &Announce, view: View) -> Result<Self> {
        Ok(Self {
            segmenter: Segmenter::new(announce, view)?,
            spool: Spool::default(),
            is_full: false,
            ready: BTreeMap::new(),
            ready_bytes: 0,
            entries: BTreeMap::new(),
        })
    }

    pub(crate) fn receive(&mut self, bytes: &Shared, now: Duration) -> Result<()> {
        self.segmenter.receive(bytes, now)
    }

    /// Lets time pass.
    pub(crate) fn poll(&mut self, now: Duration) -> Result<()> {
        self.segmenter.poll(now)
    }

    /// Moves old deltas from memory to the spool. Gives what is wrong with it, once: what does not fit is gone, and the
    /// match goes on.
    pub(crate) fn spool(&mut self) -> Option<io::Error> {
        let old = self.segmenter.hand_out(NEWEST_BYTES);
        if old.is_empty() {
            return None;
        }
        let problem = self.spool.append(&old).err();
        let was_full = std::mem::replace(&mut self.is_full, problem.is_some());
        problem.filter(|_| !was_full)
    }

    /// The `now` document for who may know ticks up to `released`.
    pub(crate) fn now(&self, released: Option<Tick>) -> NowDocument {
        self.segmenter.now(released)
    }

    /// A file; `None` where it does not exist for who may know ticks up to `released`, or is gone.
    pub(crate) fn file(&mut self, file: SegmentFile, released: Option<Tick>) -> Option<Segment> {
        let segmenter = &self.segmenter;
        // Whether it exists is asked each time, what is in it once.
        let made = match file {
            SegmentFile::Now => return None,
            SegmentFile::Init => vec![Stored::Here(segmenter.init(released)?)],
            SegmentFile::Keyframe(slot) => segmenter.keyframe(slot, released)?,
            SegmentFile::Delta(slot) => vec![segmenter.delta(slot, released)?],
            SegmentFile::End => vec![Stored::Here(segmenter.end(released)?)],
            SegmentFile::Entry => return self.entry(released),
        };
        if let Some(segment) = self.ready.get(&file) {
            return Some(segment.clone());
        }
        let segment = Segment::of(self.bytes(&made)?);
        self.keep_ready(file, &segment);
        Some(segment)
    }

    /// The file `entry`: made once in a slot, for everybody who joins in it.
    fn entry(&mut self, released: Option<Tick>) -> Option<Segment> {
        let (slot, files) = self.segmenter.entry(released)?;
        if let Some(segment) = self.entries.get(&slot) {
            return Some(segment.clone());
        }
        let files: Option<Vec<Bytes>> = files.iter().map(|pieces| self.bytes(pieces)).collect();
        let bytes = entry_of(&files?);
        if bytes.len() > ENTRY_BYTES {
            return None;
        }
        let segment = Segment::of(bytes.into());
        self.entries.insert(slot, segment.clone());
        if self.entries.len() > ENTRIES {
            self.entries.pop_first();
        }
        Some(segment)
    }

    fn bytes(&self, pieces: &[Stored]) -> Option<Bytes> {
        if let [Stored::Here(one)] = pieces {
            return Some(Bytes::from_owner(one.clone()));
        }
        let mut all = Vec::new();
        for piece in pieces {
            match piece {
                Stored::Here(bytes) => all.extend_from_slice(bytes),
                Stored::Spooled(range) => all.extend(self.spool.read(range)?),
            }
        }
        Some(all.into())
    }

    fn keep_ready(&mut self, file: SegmentFile, segment: &Segment) {
        self.ready_bytes += segment.bytes.len();
        self.ready.insert(file, segment.clone());
        while self.ready.len() > READY || self.ready_bytes > READY_BYTES {
            // Slots are asked for near the newest, so the first are the oldest of their kind.
            let Some((_, oldest)) = self.ready.pop_first() else { return };
            self.ready_bytes -= oldest.bytes.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gametape_live::{Message, Publisher};
    use gametape_tape::TapeHeader;
    use gametape_wire::{TickLength, ViewSet};

    const NOW: Duration = Duration::ZERO;
    const ALL: Option<Tick> = Some(Tick::MAX);

    /// A match with a frame of this many random bytes in each second, and its segments without a spool.
    fn played(seconds: u64, length: usize) -> Segments {
        let header = TapeHeader::new(TickLength::millis::<50>(), 1);
        let (name, views) = ("m1".parse().unwrap(), ViewSet::EMPTY.with(View::SPECTATOR));
        let mut publisher = Publisher::new(name, header, "{}", views, 1 << 20).unwrap();
        let announce = publisher.announce();
        let Message::Announce(announce) = Message::read(&announce).unwrap() else { panic!() };
        let mut segments = Segments::new(&announce, View::SPECTATOR).unwrap();
        let link = publisher.connect_all(NOW);
        let mut state = 7_u64;
        let mut byte = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        for second in 0..seconds {
            let payload: Vec<u8> = (0..length).map(|_| byte()).collect();
            publisher.frame(Tick(second * 20), &[(View::SPECTATOR, &payload)], NOW).unwrap();
            publisher.end_tick(Tick(second * 20 + 19), NOW).unwrap();
            for out in publisher.poll(link, NOW, usize::MAX) {
                segments.receive(&out.bytes, NOW).unwrap();
            }
        }
        segments
    }

    #[test]
    fn what_is_in_the_spool_is_served_with_the_same_bytes_and_tags() {
        let (mut spooled, mut whole) = (played(300, 64 << 10), played(300, 64 << 10));
        assert!(spooled.spool().is_none());
        let is_spooled =
            |slot| matches!(spooled.segmenter.delta(slot, ALL), Some(Stored::Spooled(_)));
        let count = (0..300).filter(|slot| is_spooled(*slot)).count();
        assert!((200..290).contains(&count), "{count} of 300");
        for slot in (0..300).rev() {
            let file = SegmentFile::Delta(slot);
            let [one, other] = [&mut spooled, &mut whole].map(|all| all.file(file, ALL).unwrap());
            assert!((&one.bytes, &one.tag) == (&other.bytes, &other.tag), "slot {slot}");
            assert!(one.bytes.len() > 60_000);
        }
        assert!(spooled.ready_bytes <= READY_BYTES && spooled.ready.len() < 300);
        assert!(spooled.file(SegmentFile::Delta(300), ALL).is_none());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_said_once_and_the_newest_are_there() {
        let mut segments = played(200, 64 << 10);
        let full = std::fs::File::options().read(true).write(true).open("/dev/full").unwrap();
        segments.spool = Spool::on(full);
        let problem = segments.spool().unwrap();
        assert_eq!(problem.kind(), io::ErrorKind::StorageFull);
        assert!(segments.spool().is_none(), "nothing more is old");
        assert!(segments.file(SegmentFile::Delta(0), ALL).is_none(), "it is gone");
        assert!(segments.file(SegmentFile::Delta(199), ALL).is_some());
        assert_eq!(segments.now(ALL).slot, 199);
    }
}
