//! New tapes out of old ones: cut to some views, or without what was lost.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use gametape_wire::{Error, Result, Tick, ViewSet};

use super::assemble::join;
use super::cut::Cut;
use super::dropped::{DropReason, Dropped, Drops};
use crate::check::content::check_content;
use crate::check::keyframes::{KeyframeChecker, KeyframeLinks};
use crate::check::verify::{Level, verify_bytes};
use crate::layout::chunk::Chunk;
use crate::layout::chunk_header::ChunkHeader;
use crate::layout::frames::{Pieces, TapeFrames};
use crate::layout::gap::Gap;
use crate::layout::kind::{ChunkKind, Flags};
use crate::layout::tape_header::TapeHeader;
use crate::read::order::TickOrder;
use crate::read::tape::Tape;
use crate::recover::losses::chunk_gap;
use crate::recover::recovery::Recovered;
use crate::write::draft::ChunkDraft;
use crate::write::writer::TapeWriter;

/// Writes a tape with those chunks of another that may be in it.
///
/// Give it the chunks in ascending order of their sequence numbers, and append what
/// [`take`](Self::take) returns, as with a [`TapeWriter`].
#[derive(Debug)]
pub struct Rewriter {
    writer: TapeWriter,
    mode: Mode,
    /// Frames and orders at other ticks are left out.
    ticks: Range<Tick>,
    events: Option<Box<dyn EventFilter>>,
    drops: Drops,
    order: TickOrder,
    /// Of a repair: where the keyframes are that restore.
    sound_keyframes: BTreeSet<u64>,
    links: KeyframeLinks,
    /// Chunks that a repair refused, as gaps.
    refused: Vec<Gap>,
    buffer: Vec<u8>,
}

/// What is done to a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Cut to some views, or for everybody.
    Cut(Option<ViewSet>),
    /// Everything that is sound.
    Repair,
}

/// Chooses the events of a cut. The container itself does not know what an event is.
pub trait EventFilter: fmt::Debug + Send {
    /// Takes a chunk of events that is not for these views as a whole, of which the cut has these ticks;
    /// returns how many of its events are kept.
    fn chunk(&mut self, chunk: &Chunk<'_>, views: ViewSet, ticks: &Range<Tick>) -> Result<u32>;

    /// The events of a chunk that are at these ticks, as chunks with their raw bytes; none where it
    /// cannot be read.
    fn within(
        &mut self,
        chunk: &Chunk<'_>,
        ticks: &Range<Tick>,
    ) -> Result<Vec<(ChunkDraft, Vec<u8>)>>;

    /// The events that [`chunk`](Self::chunk) kept, as chunks with their raw bytes. *Why at the end:* where the events of others
    /// ended a chunk would reveal something about them.
    fn finish(&mut self) -> Result<Vec<(ChunkDraft, Vec<u8>)>>;
}

/// The end of a rewritten tape.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rewritten {
    /// The last bytes to append.
    pub bytes: Vec<u8>,
    /// What was left out, and why.
    pub dropped: Vec<Dropped>,
}

impl Rewritten {
    /// How many chunks of a kind were left out.
    #[must_use]
    pub fn dropped_of(&self, kind: ChunkKind) -> u32 {
        self.dropped.iter().filter(|row| row.kind == kind).map(|row| row.chunks).sum()
    }
}

impl Rewriter {
    /// Cuts a tape to what `views` may know. `metadata` is for everybody.
    pub fn cut(header: TapeHeader, metadata: &[u8], views: ViewSet) -> Result<Self> {
        Self::new(header, metadata, Mode::Cut(Some(views)))
    }

    /// Copies a tape, for everybody, without chunks whose ticks go back.
    pub fn copy(header: TapeHeader, metadata: &[u8]) -> Result<Self> {
        Self::new(header, metadata, Mode::Cut(None))
    }

    /// Repairs a tape: everything that is sound, and gaps for everything else. Keyframes are sound where
    /// a [`KeyframeChecker`] restored those at these offsets of the old tape. *Why the caller does that:*
    /// it goes run by run, while chunks are copied in their order.
    pub fn repair(
        header: TapeHeader,
        metadata: &[u8],
        sound_keyframes: BTreeSet<u64>,
    ) -> Result<Self> {
        Ok(Self { sound_keyframes, ..Self::new(header, metadata, Mode::Repair)? })
    }

    fn new(header: TapeHeader, metadata: &[u8], mode: Mode) -> Result<Self> {
        Ok(Self {
            writer: TapeWriter::new(header, metadata)?,
            mode,
            ticks: Tick::ZERO..Tick::MAX,
            events: None,
            drops: Drops::default(),
            order: TickOrder::default(),
            sound_keyframes: BTreeSet::new(),
            links: KeyframeLinks::default(),
            refused: Vec::new(),
            buffer: Vec::new(),
        })
    }

    /// Keeps only the frames, orders, events and gaps of these ticks. Chunks of other kinds are for the
    /// caller to choose: who wants to play needs a keyframe at the start.
    #[must_use]
    pub fn within(mut self, ticks: Range<Tick>) -> Self {
        self.ticks = ticks;
        self
    }

    /// Keeps the events that `filter` chooses for the views and ticks of a cut, out of chunks that are
    /// not in it as a whole. Without it such chunks are left out.
    #[must_use]
    pub fn with_events(mut self, filter: impl EventFilter + 'static) -> Self {
        self.events = Some(Box::new(filter));
        self
    }

    /// The bytes that are to be appended now.
    #[must_use]
    pub fn take(&mut self) -> Vec<u8> {
        self.writer.take()
    }

    /// A chunk of the old tape is not in the cut.
    pub(crate) fn pass_over(&mut self, reason: DropReason, header: &ChunkHeader) {
        self.drops.chunk(header, reason);
    }

    /// The next chunk of the old tape.
    pub fn chunk(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        let header = &chunk.header;
        if !header.kind.is_counted() || (header.kind == ChunkKind::METADATA && header.sequence == 0)
        {
            return Ok(());
        }
        match self.mode {
            Mode::Cut(views) => self.cut_chunk(chunk, views),
            Mode::Repair => self.repair_chunk(chunk),
        }
    }

    fn cut_chunk(&mut self, chunk: &Chunk<'_>, views: Option<ViewSet>) -> Result<()> {
        let header = &chunk.header;
        if !self.order.admits_frames(header) {
            self.drops.chunk(header, DropReason::Misplaced);
            return Ok(());
        }
        let is_within =
            self.ticks.start <= header.first_tick && header.end_tick() <= self.ticks.end;
        match views {
            Some(views) if header.kind.is_framed() => self.select(chunk, views),
            None if header.kind.is_framed() && !is_within => self.select(chunk, ViewSet::ALL),
            Some(views) if header.kind == ChunkKind::EVENTS && !is_for(header, views) => {
                self.select_events(chunk, views)
            }
            _ if header.kind == ChunkKind::EVENTS && !is_within => self.trim_events(chunk, views),
            _ if header.kind == ChunkKind::GAP && !is_within => {
                let gap = Gap::read(chunk)?.within(&self.ticks);
                gap.map_or(Ok(()), |gap| self.gap(&gap))
            }
            _ => match kept_views(header, views) {
                Ok(views) => self.writer.copy(chunk, views),
                Err(reason) => {
                    self.drops.chunk(header, reason);
                    Ok(())
                }
            },
        }
    }

    /// Copies a chunk if it would pass verification in the new tape.
    fn repair_chunk(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        let header = &chunk.header;
        if let Err(reason) = kept_views(header, None) {
            self.drops.chunk(header, reason);
            return Ok(());
        }
        let Some(reason) = self.problem(chunk) else {
            self.order.admits(header);
            return self.writer.copy(chunk, header.views);
        };
        self.drops.chunk(header, reason);
        self.refused.push(chunk_gap(header));
        Ok(())
    }

    /// Why a chunk would not pass verification in the new tape; `None` where it would.
    fn problem(&mut self, chunk: &Chunk<'_>) -> Option<DropReason> {
        let header = &chunk.header;
        if !self.order.has_room_for(header) {
            return Some(DropReason::Misplaced);
        }
        if check_content(chunk, &mut self.buffer).is_err() {
            return Some(DropReason::Malformed);
        }
        if header.kind.is_keyframe() && !self.is_sound_keyframe(chunk) {
            let is_delta = header.kind == ChunkKind::DELTA_KEYFRAME;
            return Some(if is_delta { DropReason::NoBaseline } else { DropReason::Malformed });
        }
        None
    }

    /// Does a keyframe restore, from states that are in the new tape?
    fn is_sound_keyframe(&mut self, chunk: &Chunk<'_>) -> bool {
        self.sound_keyframes.contains(&chunk.offset)
            && self.links.admits(chunk, &mut self.buffer).unwrap_or(false)
    }

    /// The frames of a chunk that are at the right time, with the parts of some views only.
    fn select(&mut self, chunk: &Chunk<'_>, views: ViewSet) -> Result<()> {
        let header = &chunk.header;
        let raw = chunk.raw_in(&mut self.buffer)?;
        for frame in TapeFrames::new(header, raw) {
            let frame = frame?;
            let pieces = Pieces::select(&frame, views);
            if !pieces.views.is_empty() && self.ticks.contains(&frame.tick) {
                self.writer.framed(header.kind, header.stream, frame.tick, &pieces)?;
            }
        }
        Ok(())
    }

    /// The events of a chunk that some views may know.
    fn select_events(&mut self, chunk: &Chunk<'_>, views: ViewSet) -> Result<()> {
        let header = &chunk.header;
        let kept = match &mut self.events {
            Some(filter) => filter.chunk(chunk, views, &self.ticks)?,
            None => 0,
        };
        match kept {
            0 => self.drops.chunk(header, DropReason::OtherViews),
            _ => {
                let left_out = header.detail.saturating_sub(kept);
                self.drops.items(header, DropReason::OtherViews, left_out.into());
            }
        }
        Ok(())
    }

    /// The events of a chunk that are at the right time.
    fn trim_events(&mut self, chunk: &Chunk<'_>, views: Option<ViewSet>) -> Result<()> {
        let header = &chunk.header;
        let views = match kept_views(header, views) {
            Ok(views) => views,
            Err(reason) => {
                self.drops.chunk(header, reason);
                return Ok(());
            }
        };
        let blocks = match &mut self.events {
            Some(filter) => filter.within(chunk, &self.ticks)?,
            None => Vec::new(),
        };
        if blocks.is_empty() {
            self.drops.chunk(header, DropReason::OutsideTime);
            return Ok(());
        }
        let kept: u64 = blocks.iter().map(|(draft, _)| u64::from(draft.detail)).sum();
        let left_out = u64::from(header.detail).saturating_sub(kept);
        self.drops.items(header, DropReason::OutsideTime, left_out);
        self.writer.flush()?;
        for (draft, raw) in blocks {
            self.writer.chunk(&ChunkDraft { views, ..draft }, &raw)?;
        }
        Ok(())
    }

    /// Closing metadata instead of that of the old tape, a JSON object.
    pub fn closing_metadata(&mut self, metadata: &[u8]) -> Result<()> {
        self.writer.closing_metadata(metadata)
    }

    /// Writes the events that were kept, for the views of the cut.
    fn put_events(&mut self) -> Result<()> {
        let Mode::Cut(Some(views)) = self.mode else { return Ok(()) };
        let Some(mut filter) = self.events.take() else { return Ok(()) };
        self.writer.flush()?;
        for (draft, raw) in filter.finish()? {
            self.writer.chunk(&ChunkDraft { views, ..draft }, &raw)?;
        }
        Ok(())
    }

    /// Something of the old tape is lost, see [`Tape::gaps`] and [`Recovered::gaps`]: says so in the
    /// new one, where that is for somebody who may have known it.
    pub fn gap(&mut self, gap: &Gap) -> Result<()> {
        let Mode::Cut(Some(wanted)) = self.mode else { return self.writer.gap(gap) };
        let is_public = gap.views == ViewSet::ALL;
        let views = if is_public { ViewSet::ALL } else { gap.views.and(wanted) };
        if views.is_empty() {
            return Ok(());
        }
        // How much it was would reveal something about the others.
        let bytes = if gap.views.without(wanted).is_empty() { gap.bytes } else { 0 };
        self.writer.gap(&Gap { views, bytes, ..*gap })
    }

    /// Ends the new tape.
    pub fn finish(mut self) -> Result<Rewritten> {
        self.put_events()?;
        for gap in std::mem::take(&mut self.refused) {
            self.writer.gap(&gap)?;
        }
        Ok(Rewritten { bytes: self.writer.finish()?, dropped: self.drops.finish() })
    }
}

/// Is all of a chunk for some of these views, or for everybody?
fn is_for(header: &ChunkHeader, views: ViewSet) -> bool {
    let is_own = !header.views.is_empty() && header.views.without(views).is_empty();
    header.views == ViewSet::ALL || is_own
}

/// For whom a chunk is in the new tape, or why it is left out.
fn kept_views(
    header: &ChunkHeader,
    wanted: Option<ViewSet>,
) -> std::result::Result<ViewSet, DropReason> {
    match header.kind {
        ChunkKind::SIGNATURE => return Err(DropReason::Signature),
        ChunkKind::METADATA => {}
        _ if !header.flags.has(Flags::SAFE_TO_COPY) => return Err(DropReason::NotSafeToCopy),
        _ => {}
    }
    let Some(wanted) = wanted else { return Ok(header.views) };
    let is_public = header.views == ViewSet::ALL;
    let fits = match header.kind.is_known() {
        true => is_public || !header.views.and(wanted).is_empty(),
        // Its payload may hold parts for others.
        false if header.flags.has(Flags::PARTS) || !is_public => {
            !header.views.is_empty() && header.views.without(wanted).is_empty()
        }
        false => true,
    };
    let views = if is_public { ViewSet::ALL } else { header.views.and(wanted) };
    fits.then_some(views).ok_or(DropReason::OtherViews)
}

/// Cuts the tape in `bytes` to what `views` may know; `tape_id` is that of the new tape.
///
/// Of a damaged tape, what is whole is cut, and gaps say what is not. A view that the tape does not
/// have is an error.
pub fn cut_bytes(bytes: &[u8], views: ViewSet, tape_id: u32) -> Result<Rewritten> {
    let tape = Tape::open(bytes)?;
    let header = TapeHeader::new(tape.header.tick_length, tape_id);
    let cut = Cut::new(&tape, Some(views), Tick::ZERO..Tick::MAX)?;
    let mut rewriter = cut.rewriter(&tape, header)?;
    for entry in tape.chunks.iter().filter(|entry| cut.keeps(entry)) {
        rewriter.chunk(&tape.read(entry, bytes)?)?;
    }
    finish_whole(rewriter)
}

/// Writes what is sound of the tape in `bytes` as a new tape with `tape_id`.
///
/// `header` is used where the tape's own is lost, and metadata that is lost becomes `{}`.
pub fn repair_bytes(bytes: &[u8], header: Option<TapeHeader>, tape_id: u32) -> Result<Rewritten> {
    let found = Recovered::from_bytes(bytes);
    let (sound_keyframes, _) = sound_keyframes(&found, bytes);
    repair(&found, sound_keyframes, bytes, header, tape_id)
}

fn repair(
    found: &Recovered,
    sound_keyframes: BTreeSet<u64>,
    bytes: &[u8],
    header: Option<TapeHeader>,
    tape_id: u32,
) -> Result<Rewritten> {
    let old = found.header.or(header);
    let problem = "the header is lost: the tick length must be given";
    let old = old.ok_or_else(|| Error::misuse("repair", problem))?;
    let header = TapeHeader::new(old.tick_length, tape_id);
    let mut rewriter = Rewriter::repair(header, found.metadata_or_empty(), sound_keyframes)?;
    for entry in &found.chunks {
        let range = entry.range();
        let bytes = &bytes[range.start as usize..range.end as usize];
        rewriter.chunk(&Chunk::read(bytes, entry.offset)?)?;
    }
    found.gaps().iter().try_for_each(|gap| rewriter.gap(gap))?;
    finish_whole(rewriter)
}

/// What must be done to a tape so that it passes verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Nothing: it is sound as it is.
    Keep,
    /// Every chunk is there and sound: order and index are [rebuilt](Recovered::rebuild).
    Rebuild,
    /// Something is lost: the rest is [copied](Rewriter::repair) into a new tape.
    Repair,
}

/// The tape that is left of the one in `bytes`: it passes verification, with warnings for what was lost.
///
/// A sound tape stays as it is, so recovering twice changes nothing. Where something was lost the result
/// is a new tape with `tape_id`. `header` is used where the tape's own is lost.
pub fn recover_bytes(
    bytes: &[u8],
    header: Option<TapeHeader>,
    tape_id: u32,
) -> Result<(Remedy, Rewritten)> {
    let verified = verify_bytes(bytes, Level::Chain, None)?;
    let found = Recovered::from_bytes(bytes);
    let (sound_keyframes, states_are_sound) = sound_keyframes(&found, bytes);
    let remedy = found.remedy(verified.passed(), verified.chunks_are_sound(), states_are_sound);
    let unchanged = |bytes| Rewritten { bytes, dropped: Vec::new() };
    let rewritten = match remedy {
        Remedy::Keep => unchanged(bytes.to_vec()),
        Remedy::Rebuild => unchanged(join(found.rebuild()?, bytes)?),
        Remedy::Repair => repair(&found, sound_keyframes, bytes, header, tape_id)?,
    };
    Ok((remedy, rewritten))
}

/// Where the keyframes are that restore, of what is left of the tape in `bytes`; and do all that lead to
/// a full one?
fn sound_keyframes(found: &Recovered, bytes: &[u8]) -> (BTreeSet<u64>, bool) {
    let mut keyframes = KeyframeChecker::default();
    let (mut sound, mut are_all) = (BTreeSet::new(), true);
    for (_, _, range) in found.keyframes().usable() {
        let chunk = usize::try_from(range.start).ok().and_then(|start| bytes.get(start..));
        let chunk = chunk.and_then(|bytes| Chunk::read(bytes, range.start).ok());
        match chunk.is_some_and(|chunk| keyframes.add(&chunk).is_ok()) {
            true => drop(sound.insert(range.start)),
            false => are_all = false,
        }
    }
    (sound, are_all)
}

impl Recovered {
    /// What must be done to this tape, by what verification found: did it pass, are its
    /// [chunks](crate::Verification::chunks_are_sound) sound, and do its keyframes
    /// [restore](KeyframeChecker)?
    #[must_use]
    pub fn remedy(&self, passed: bool, chunks_are_sound: bool, states_are_sound: bool) -> Remedy {
        match (passed, chunks_are_sound && states_are_sound) {
            (true, true) => Remedy::Keep,
            (_, true) if self.is_complete() => Remedy::Rebuild,
            _ => Remedy::Repair,
        }
    }
}

fn finish_whole(mut rewriter: Rewriter) -> Result<Rewritten> {
    let mut bytes = rewriter.take();
    let mut rewritten = rewriter.finish()?;
    bytes.append(&mut rewritten.bytes);
    Ok(Rewritten { bytes, ..rewritten })
}
