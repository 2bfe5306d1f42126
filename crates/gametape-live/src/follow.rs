//! Follows the segments of a view. Normative: `spec/live.md`, section 9.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use gametape_tape::{Chunk, ChunkHeader, ChunkKind, Gap, GapCause, TapeHeader, TapeWriter};
use gametape_wire::{Error, Reader, Result, Tick, View, ViewSet};

use crate::limits::HELD_BYTES;
use crate::message::StartAt;
use crate::receiver::malformed;
use crate::segments::NowDocument;
use crate::spectator::Notice;

/// A file of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SegmentFile {
    /// What changes.
    Now,
    /// Header, metadata, setup.
    Init,
    /// What a slot is entered with.
    Keyframe(u64),
    /// A slot.
    Delta(u64),
    /// What follows the last slot.
    End,
    /// What whoever joins live begins with.
    Entry,
}

impl fmt::Display for SegmentFile {
    /// The end of its path: `delta/17`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Now => f.write_str("now"),
            Self::Init => f.write_str("init"),
            Self::Keyframe(slot) => write!(f, "keyframe/{slot}"),
            Self::Delta(slot) => write!(f, "delta/{slot}"),
            Self::End => f.write_str("end"),
            Self::Entry => f.write_str("entry"),
        }
    }
}

impl FromStr for SegmentFile {
    type Err = Error;

    /// The file whose path ends like this. Numbers are written in one way only.
    fn from_str(text: &str) -> Result<Self> {
        let slot = |text: &str| text.parse().ok().filter(|slot: &u64| slot.to_string() == text);
        let found = match text {
            "now" => Some(Self::Now),
            "init" => Some(Self::Init),
            "end" => Some(Self::End),
            "entry" => Some(Self::Entry),
            _ => text.split_once('/').and_then(|(kind, number)| match kind {
                "keyframe" => slot(number).map(Self::Keyframe),
                "delta" => slot(number).map(Self::Delta),
                _ => None,
            }),
        };
        found.ok_or_else(|| malformed("no file of a view"))
    }
}

/// Deltas that are asked for at once.
const AT_ONCE: usize = 4;
/// A file that is missing is asked for again after these times, then given up.
const RETRIES: [Duration; 3] =
    [Duration::from_millis(250), Duration::from_millis(500), Duration::from_millis(1000)];
/// `now` is asked for this often at most.
const NOW_APART: Duration = Duration::from_millis(250);
/// Slots that are asked for when they are due, before `now` is asked for again: clocks differ.
const PREDICTED: u32 = 30;

/// What a file is asked for, and how often it was not there.
#[derive(Debug, Clone, Copy)]
struct Asked {
    tries: usize,
    /// When to ask again; `None` while nobody has answered.
    again_at: Option<Duration>,
}

/// Makes a tape that can be played of the segments of a view: says which files it needs, and takes them.
///
/// It holds at most what it asked for. With all slots from the first on, its tape is the view tape, byte
/// for byte.
#[derive(Debug)]
pub struct SegmentFollower {
    view: View,
    from: StartAt,
    /// Is what everybody begins with still to be asked for?
    wants_entry: bool,
    now: Option<NowDocument>,
    now_due: Duration,
    prediction: Option<Prediction>,
    /// Did a slot not come when it was expected, and none since?
    is_stalled: bool,
    asked: BTreeMap<SegmentFile, Asked>,
    /// Slots that came before the one that is next.
    held: BTreeMap<u64, Vec<u8>>,
    tape: Option<Tape>,
    /// The next slot; `None` before it is known where to begin.
    next: Option<u64>,
    shown: Option<Tick>,
    notices: VecDeque<Notice>,
    is_over: bool,
}

/// When the slot after the last known one should be there, so that `now` need not be asked for.
#[derive(Debug, Clone, Copy)]
struct Prediction {
    due: Duration,
    /// How many slots may still be predicted.
    left: u32,
}

/// The tape that is made.
#[derive(Debug)]
struct Tape {
    header: TapeHeader,
    writer: Option<TapeWriter>,
    done: Vec<u8>,
    /// The sequence number in the view tape of the last chunk that was taken.
    last: u32,
    keyframe: Option<Tick>,
}

impl SegmentFollower {
    /// Follows a view, from the newest slot or from a tick on.
    #[must_use]
    pub fn new(view: View, from: StartAt) -> Self {
        Self {
            view,
            from,
            wants_entry: from == StartAt::Live,
            now: None,
            now_due: Duration::ZERO,
            prediction: None,
            is_stalled: false,
            asked: BTreeMap::new(),
            held: BTreeMap::new(),
            tape: None,
            next: None,
            shown: None,
            notices: VecDeque::new(),
            is_over: false,
        }
    }

    /// The files to ask for now. Each is answered once, by [`answer`](Self::answer).
    pub fn poll(&mut self, now: Duration) -> Vec<SegmentFile> {
        if self.is_over {
            return Vec::new();
        }
        let mut files = Vec::new();
        for file in self.wanted(now) {
            let asked = self.asked.get(&file);
            let is_due = asked.is_none_or(|asked| asked.again_at.is_some_and(|at| now >= at));
            if is_due {
                let tries = asked.map_or(0, |asked| asked.tries);
                self.asked.insert(file, Asked { tries, again_at: None });
                files.push(file);
            }
        }
        files
    }

    fn wanted(&self, now: Duration) -> Vec<SegmentFile> {
        let mut wanted = Vec::new();
        if self.wants_entry {
            // Which slot it is of, and when the next one comes: both are asked for at once.
            wanted.push(SegmentFile::Entry);
            wanted.extend(self.now.is_none().then_some(SegmentFile::Now));
            return wanted;
        }
        let needs_now = self.next.is_none() || self.next_is_after_last();
        let predicted = self.predicted(now);
        if now >= self.now_due && needs_now && predicted.is_none() && !self.is_all_there() {
            wanted.push(SegmentFile::Now);
        }
        if self.tape.is_none() {
            wanted.push(SegmentFile::Init);
        }
        let last = self.last_slot();
        match (self.next, last) {
            (None, Some(last)) if self.tape.is_some() => {
                wanted.push(SegmentFile::Keyframe(self.entry_slot(last)));
            }
            (Some(next), Some(last)) => {
                let slots = (next..=last).filter(|slot| !self.held.contains_key(slot));
                wanted.extend(slots.take(AT_ONCE).map(SegmentFile::Delta));
                if self.is_all_there() {
                    wanted.push(SegmentFile::End);
                }
                if let Some(Some(slot)) = predicted {
                    wanted.push(SegmentFile::Delta(slot));
                }
            }
            _ => {}
        }
        wanted
    }

    /// The next slot where it is known when it comes, and as soon as it is due; `None` where `now` has to
    /// be asked.
    fn predicted(&self, now: Duration) -> Option<Option<u64>> {
        let prediction = self.prediction.filter(|_| self.next_is_after_last())?;
        Some(self.next.filter(|_| now >= prediction.due))
    }

    /// A slot that was predicted is there: the next one follows after as long as a slot takes.
    fn came(&mut self, slot: u64, now: Duration) {
        let length = self.slot_length();
        let Some(document) = self.now.as_mut().filter(|document| document.slot < slot as i64)
        else {
            return;
        };
        document.slot = slot as i64;
        document.tick = ((slot + 1).saturating_mul(document.slot_ticks) - 1) as i64;
        self.now_due = now;
        self.prediction = self.prediction.and_then(|prediction| {
            let left = prediction.left.checked_sub(1)?;
            Some(Prediction { due: prediction.due + length, left })
        });
    }

    fn slot_length(&self) -> Duration {
        let length = |now: &NowDocument| ticks_long(now.slot_ticks, now.tick_us);
        self.now.as_ref().map_or(Duration::ZERO, length)
    }

    fn last_slot(&self) -> Option<u64> {
        self.now.as_ref().and_then(|now| u64::try_from(now.slot).ok())
    }

    fn slot_ticks(&self) -> u64 {
        self.now.as_ref().map_or(1, |now| now.slot_ticks)
    }

    fn next_is_after_last(&self) -> bool {
        self.next.is_some_and(|next| self.last_slot().is_none_or(|last| next > last))
    }

    /// Was every slot taken, and is the match over?
    fn is_all_there(&self) -> bool {
        self.next_is_after_last() && self.now.as_ref().is_some_and(|now| now.over)
    }

    /// The slot to begin with.
    fn entry_slot(&self, last: u64) -> u64 {
        match self.from {
            StartAt::Live => last,
            StartAt::Tick(tick) => (tick.0 / self.slot_ticks()).min(last),
        }
    }

    /// A file that was asked for came, or, where there are no bytes, was not there. An error means that the
    /// other side sends something else than segments.
    pub fn answer(&mut self, file: SegmentFile, bytes: Option<&[u8]>, now: Duration) -> Result<()> {
        let Some(asked) = self.asked.remove(&file) else { return Ok(()) };
        let Some(bytes) = bytes else { return self.missing(file, asked, now) };
        HELD_BYTES.check(bytes.len() as u64, 0)?;
        match file {
            SegmentFile::Now => self.take_now(bytes, now),
            SegmentFile::Init => self.take_init(bytes),
            SegmentFile::Keyframe(slot) => self.enter(slot, bytes),
            SegmentFile::Delta(slot) => {
                if self.next.is_some_and(|next| slot >= next) {
                    self.held.insert(slot, bytes.to_vec());
                    self.came(slot, now);
                }
                self.take_slots()
            }
            SegmentFile::End => self.finish(bytes),
            SegmentFile::Entry => self.take_entry(bytes, now),
        }
    }

    /// Begins with the files of an `entry`.
    fn take_entry(&mut self, bytes: &[u8], now: Duration) -> Result<()> {
        self.wants_entry = false;
        let mut r = Reader::new(bytes);
        let document = read_file(&mut r)?;
        let slot = read_now(document, self.view)?.slot;
        let slot = u64::try_from(slot).map_err(|_| malformed("an entry of no slot"))?;
        // One that came by itself is not older.
        if self.now.is_none() {
            self.take_now(document, now)?;
        }
        self.take_init(read_file(&mut r)?)?;
        self.enter(slot, read_file(&mut r)?)?;
        while let Some(next) = self.next.filter(|next| *next <= slot) {
            self.held.insert(next, read_file(&mut r)?.to_vec());
            self.take_slots()?;
        }
        r.finish("entry")
    }

    /// Asks again, then gives up: of a slot by going on with the newest one.
    fn missing(&mut self, file: SegmentFile, asked: Asked, now: Duration) -> Result<()> {
        let is_slot = matches!(file, SegmentFile::Delta(_) | SegmentFile::Keyframe(_));
        if matches!(file, SegmentFile::Delta(slot) if self.last_slot().is_none_or(|last| slot > last))
        {
            // It was only expected: the match may pause, or be over.
            (self.prediction, self.now_due, self.is_stalled) = (None, now, true);
            return Ok(());
        }
        if file == SegmentFile::Entry {
            // Then it begins with one file after the other.
            self.wants_entry = false;
            return Ok(());
        }
        match RETRIES.get(asked.tries) {
            None if is_slot => {
                self.next = None;
                self.held.clear();
                self.asked.retain(|file, _| !matches!(file, SegmentFile::Delta(_)));
                (self.from, self.now, self.now_due) = (StartAt::Live, None, now);
            }
            wait => {
                let wait = wait.copied().unwrap_or(RETRIES[RETRIES.len() - 1]);
                let again_at = Some(now + wait);
                self.asked.insert(file, Asked { tries: asked.tries + 1, again_at });
            }
        }
        Ok(())
    }

    fn take_now(&mut self, bytes: &[u8], now: Duration) -> Result<()> {
        let read = read_now(bytes, self.view)?;
        self.now_due = now + NOW_APART;
        let is_new = self.now.as_ref().is_none_or(|known| read.slot > known.slot);
        self.is_stalled &= !is_new;
        let is_predictable = !self.is_stalled && !read.over;
        self.prediction = is_predictable.then(|| Prediction::of(&read, now));
        self.now = Some(read);
        Ok(())
    }

    fn take_init(&mut self, bytes: &[u8]) -> Result<()> {
        if self.tape.is_some() {
            return Ok(());
        }
        let header = TapeHeader::read(bytes)?;
        let mut writer = None;
        let mut last = 0;
        for chunk in chunks(&bytes[TapeHeader::LENGTH..], &header)? {
            match &mut writer {
                None => writer = Some(TapeWriter::new(header, &chunk.raw()?)?),
                Some(writer) => writer.copy(&chunk, chunk.header.views)?,
            }
            last = chunk.header.sequence;
        }
        if writer.is_none() {
            return Err(malformed("no metadata"));
        }
        self.tape = Some(Tape { header, writer, done: Vec::new(), last, keyframe: None });
        Ok(())
    }

    /// Enters a slot with its keyframe; from the first slot on where there is none.
    fn enter(&mut self, slot: u64, bytes: &[u8]) -> Result<()> {
        let slot_ticks = self.slot_ticks();
        let Some(tape) = &mut self.tape else { return Ok(()) };
        let chunks = chunks(bytes, &tape.header)?;
        let tick = chunks.last().map_or(Tick::ZERO, |chunk| chunk.header.first_tick);
        if tick.0 / slot_ticks > slot || chunks.last().is_some_and(|chunk| !is_keyframe(chunk)) {
            return Err(malformed("no keyframe of this slot"));
        }
        let views = ViewSet::EMPTY.with(self.view);
        let after = self.shown.map_or(Tick::ZERO, |shown| shown + 1);
        let gap = match self.shown {
            None if tick > Tick::ZERO => Some((GapCause::CUT, Tick::ZERO)),
            Some(_) if tick > after => Some((GapCause::DAMAGE, after)),
            _ => None,
        };
        if let Some((cause, first)) = gap {
            let kind = if cause == GapCause::CUT { ChunkKind(0) } else { ChunkKind::FRAMES };
            let count = u32::try_from(tick.since(first)).unwrap_or(u32::MAX);
            let gap = Gap::new(cause, kind).with_views(views).with_ticks(first, count);
            tape.writer()?.gap(&gap)?;
        }
        let is_new = self.shown.is_none_or(|_| tick >= after);
        if is_new {
            chunks.iter().try_for_each(|chunk| tape.take(chunk))?;
        }
        let next = if is_new { tick } else { after }.0 / slot_ticks;
        self.next = Some(next);
        match self.shown {
            None => self.notices.push_back(Notice::Began { tick }),
            Some(_) => {
                let (view, first) = (self.view, after);
                let last = tick.previous().filter(|last| *last >= first);
                let lost = last.map(|last| Notice::Lost { view, first, last, parts: 0 });
                self.notices.extend(lost);
            }
        }
        self.take_slots()
    }

    fn take_slots(&mut self) -> Result<()> {
        while let Some(next) = self.next
            && let Some(bytes) = self.held.remove(&next)
        {
            let slot_ticks = self.slot_ticks();
            let Some(tape) = &mut self.tape else { return Ok(()) };
            for chunk in chunks(&bytes, &tape.header)? {
                if chunk.header.sequence > tape.last {
                    tape.take(&chunk)?;
                }
            }
            self.next = Some(next + 1);
            let tick = Tick((next + 1).saturating_mul(slot_ticks).saturating_sub(1));
            self.shown = self.shown.max(Some(tick));
            self.notices.push_back(Notice::Shown { tick });
        }
        Ok(())
    }

    fn finish(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(tape) = &mut self.tape else { return Ok(()) };
        for chunk in chunks(bytes, &tape.header)? {
            if chunk.header.kind.is_counted() && chunk.header.sequence > tape.last {
                tape.take(&chunk)?;
            }
        }
        if let Some(mut writer) = tape.writer.take() {
            tape.done = writer.take();
            tape.done.extend(writer.finish()?);
        }
        self.is_over = true;
        self.notices.push_back(Notice::Over);
        Ok(())
    }

    /// Goes to a tick, or to the newest slot: another tape begins.
    pub fn seek(&mut self, to: StartAt) {
        *self = Self::new(self.view, to);
    }

    /// Everything that happened since the last call, in its order.
    pub fn notices(&mut self) -> Vec<Notice> {
        self.notices.drain(..).collect()
    }

    /// The bytes that follow those of the last call in the tape.
    pub fn take_tape(&mut self) -> Vec<u8> {
        let Some(tape) = &mut self.tape else { return Vec::new() };
        // Nothing is in it before it is known where it begins.
        match &mut tape.writer {
            Some(writer) if self.next.is_some() || self.shown.is_some() => writer.take(),
            Some(_) => Vec::new(),
            None => std::mem::take(&mut tape.done),
        }
    }

    /// Ends the tape here, with its index, and the session with it; gives the last bytes.
    pub fn close(mut self) -> Result<Vec<u8>> {
        let has_begun = self.next.is_some() || self.shown.is_some();
        let Some(tape) = self.tape.as_mut().filter(|_| has_begun) else { return Ok(Vec::new()) };
        match tape.writer.take() {
            Some(mut writer) => Ok([writer.take(), writer.finish()?].concat()),
            None => Ok(std::mem::take(&mut tape.done)),
        }
    }

    /// The last tick that can be shown.
    #[must_use]
    pub fn shown(&self) -> Option<Tick> {
        self.shown
    }

    /// The newest tick that is released.
    #[must_use]
    pub fn newest(&self) -> Option<Tick> {
        self.now.as_ref().and_then(|now| u64::try_from(now.tick).ok()).map(Tick)
    }

    /// Was everything taken, up to the end of the match?
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over
    }
}

/// The `now` document of a view.
fn read_now(bytes: &[u8], view: View) -> Result<NowDocument> {
    let read: Option<NowDocument> = serde_json::from_slice(bytes).ok();
    let is_sound = |now: &NowDocument| now.slot_ticks > 0 && now.view == view.number();
    read.filter(is_sound).ok_or_else(|| malformed("no `now` document"))
}

/// The next file of an `entry`.
fn read_file<'a>(r: &mut Reader<'a>) -> Result<&'a [u8]> {
    let length = r.varint("length of a file")?;
    r.take(usize::try_from(length).unwrap_or(usize::MAX), "file of an entry")
}

impl Prediction {
    /// When the slot after the last one of a `now` document, taken at `now`, is complete.
    fn of(document: &NowDocument, now: Duration) -> Self {
        let next = document.slot.saturating_add(2).max(0) as u64;
        let complete = next.saturating_mul(document.slot_ticks);
        let over = document.tick.saturating_add(1).max(0) as u64;
        let wait = ticks_long(complete.saturating_sub(over), document.tick_us);
        Self { due: now + wait, left: PREDICTED }
    }
}

/// How long this many ticks take; an hour at most.
fn ticks_long(ticks: u64, tick_us: u32) -> Duration {
    Duration::from_micros(ticks.saturating_mul(tick_us.into())).min(Duration::from_secs(3600))
}

impl Tape {
    fn writer(&mut self) -> Result<&mut TapeWriter> {
        self.writer.as_mut().ok_or_else(|| malformed("something after the end"))
    }

    fn take(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        let header = &chunk.header;
        if is_keyframe(chunk) {
            let tick = header.first_tick;
            if self.keyframe.is_some_and(|last| tick <= last) {
                return Ok(());
            }
            self.keyframe = Some(tick);
        }
        // The chain of a keyframe may be older than what was taken.
        self.last = self.last.max(header.sequence);
        self.writer()?.copy(chunk, header.views)
    }
}

fn is_keyframe(chunk: &Chunk<'_>) -> bool {
    chunk.header.kind.is_keyframe()
}

/// The chunks in these bytes, which are nothing else but for the end of a tape.
fn chunks<'a>(mut bytes: &'a [u8], header: &TapeHeader) -> Result<Vec<Chunk<'a>>> {
    let mut chunks = Vec::new();
    while !bytes.is_empty() {
        let chunk = Chunk::read(bytes, 0)?;
        if chunk.header.tape_id != header.tape_id {
            return Err(malformed("a chunk of another tape"));
        }
        bytes = &bytes[ChunkHeader::LENGTH + chunk.stored.len()..];
        let is_index = chunk.header.kind == ChunkKind::INDEX;
        chunks.push(chunk);
        if is_index {
            break;
        }
    }
    Ok(chunks)
}
