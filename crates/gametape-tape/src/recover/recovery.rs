//! Collecting what a walk over a tape finds, and making a sound tape of it.

use std::ops::Range;

use gametape_wire::{Arrange, Error, Need, Place, Result, SansIo, Tick, Writer, drive};

use crate::check::chain::{Chain, Hash, leaf};
use crate::check::sign::{self, SigningKey};
use crate::edit::assemble::{Assembly, Segment, packed_order};
use crate::index::footer::{IndexCodec, SUMMARY_STREAM};
use crate::index::summary::{PageRow, Summary};
use crate::index::table::{ChunkEntry, KeyframeIndex};
use crate::layout::chunk::Chunk;
use crate::layout::chunk_header::ChunkHeader;
use crate::layout::gap::Gap;
use crate::layout::kind::{ChunkKind, Codec};
use crate::layout::tape_header::TapeHeader;
use crate::recover::losses::{gaps, lost_ticks, unwritten_gaps};
use crate::recover::scan::{Damage, DamageKind, Found, Scanner};
use crate::write::draft::{ChunkDraft, put_chunk};
use crate::write::writer::{TapeWriter, check_metadata};

const DAMAGED: &str = "it is damaged before its end: recover it first";

/// Everything that is left of a tape.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovered {
    /// The header of the tape, from the summary where it is damaged itself.
    pub header: Option<TapeHeader>,
    /// The metadata, as JSON.
    pub metadata: Option<Vec<u8>>,
    /// The closing metadata, as JSON.
    pub closing: Option<Vec<u8>>,
    /// Whole counted chunks, ascending by sequence number.
    pub chunks: Vec<ChunkEntry>,
    /// Bytes that are no whole chunk, in the order of the tape.
    pub damages: Vec<Damage>,
    /// Sequence numbers of which nothing is left, not even a header.
    pub missing: Vec<Range<u32>>,
    /// Does the tape end with a trailer?
    pub is_finished: bool,
    /// Are counted chunks in another order than they were written in?
    pub is_reordered: bool,
    /// Is that the order of a packed tape?
    pub is_packed: bool,
    /// After the last whole counted chunk: where recording can go on.
    pub end: u64,
    /// How many counted chunks there were, where an index chunk says so.
    count: Option<u32>,
    /// Do index chunks say that no chunk follows those that are known?
    is_counted: bool,
    /// After the last whole chunk or trailer.
    last_whole: u64,
    /// The chain, where it was asked for and no chunk is missing in it.
    chain: Option<Chain>,
}

/// Walks a whole tape and collects what is whole; [`SansIo`].
#[derive(Debug, Clone)]
pub struct Recovery {
    scanner: Scanner,
    found: Recovered,
    /// The leaves of the chain, if it is followed.
    leaves: Option<Vec<(u32, Hash)>>,
    /// The form that the last whole summary names.
    packed: Option<bool>,
    has_early_pages: bool,
}

impl SansIo for Recovery {
    fn need(&self) -> Need {
        self.scanner.need()
    }

    fn supply(&mut self, range: Range<u64>, bytes: &[u8]) -> Result<()> {
        self.look(range, bytes);
        Ok(())
    }
}

impl Recovery {
    /// Over a tape of `length` bytes.
    #[must_use]
    pub fn new(length: u64) -> Self {
        Self::over(Scanner::new(length))
    }

    /// Over a tape that is still being written, see [`Scanner::growing`].
    #[must_use]
    pub fn growing() -> Self {
        Self::over(Scanner::growing())
    }

    fn over(scanner: Scanner) -> Self {
        let found = Recovered {
            header: None,
            metadata: None,
            closing: None,
            chunks: Vec::new(),
            damages: Vec::new(),
            missing: Vec::new(),
            is_finished: false,
            is_reordered: false,
            is_packed: false,
            end: 0,
            count: None,
            is_counted: false,
            last_whole: 0,
            chain: None,
        };
        Self { scanner, found, leaves: None, packed: None, has_early_pages: false }
    }

    /// Also follows the chain, so that [`Recovered::resume`], [`rebuild`](Recovered::rebuild) and
    /// [`sign`](Recovered::sign) work.
    #[must_use]
    pub fn with_chain(mut self) -> Self {
        self.leaves = Some(Vec::new());
        self
    }

    /// The bytes that were needed, as in [`SansIo::supply`]; returns what they are.
    pub fn look<'a>(&mut self, range: Range<u64>, bytes: &'a [u8]) -> Found<'a> {
        let found = self.scanner.supply(range, bytes);
        match &found {
            Found::TapeHeader(header) => {
                self.found.header = Some(*header);
                self.found.end = TapeHeader::LENGTH as u64;
                self.found.last_whole = self.found.end;
            }
            Found::Chunk(chunk) => self.note(chunk),
            Found::Damage(damage) => self.found.damages.push(damage.clone()),
            Found::Trailer(_) | Found::Nothing => {}
        }
        match found {
            Found::Trailer(_) => {
                self.found.is_finished = true;
                self.found.last_whole = self.scanner.position();
            }
            Found::Chunk(_) | Found::Damage(_) => self.found.is_finished = false,
            _ => {}
        }
        found
    }

    fn note(&mut self, chunk: &Chunk<'_>) {
        let entry = ChunkEntry::from(chunk);
        self.found.last_whole = entry.range().end;
        if chunk.header.kind == ChunkKind::INDEX {
            return self.note_index(chunk);
        }
        let found = &mut self.found;
        if chunk.header.kind == ChunkKind::METADATA
            && let Ok(raw) = chunk.raw()
        {
            match chunk.header.stream {
                0 if chunk.header.sequence == 0 => found.metadata = Some(raw.into_owned()),
                0 => {}
                _ => found.closing = Some(raw.into_owned()),
            }
        }
        let last = found.chunks.last();
        found.is_reordered |= last.is_some_and(|last| last.header.sequence > chunk.header.sequence);
        if let Some(leaves) = &mut self.leaves {
            leaves.push((chunk.header.sequence, leaf(chunk)));
        }
        found.end = entry.range().end;
        found.chunks.push(entry);
    }

    fn note_index(&mut self, chunk: &Chunk<'_>) {
        self.found.count = self.found.count.max(Some(chunk.header.sequence));
        let is_early = (self.found.chunks.len() as u64) < u64::from(chunk.header.sequence);
        self.has_early_pages |= is_early && chunk.header.stream == PageRow::KEYFRAMES;
        if chunk.header.stream != SUMMARY_STREAM {
            return;
        }
        let Ok(raw) = chunk.raw() else { return };
        let Ok(summary) = Summary::read(&raw, chunk.offset) else { return };
        self.packed = Some(summary.packed);
        if self.found.header.is_none() && summary.header.tape_id == chunk.header.tape_id {
            self.found.header = Some(summary.header);
        }
    }

    /// A tape that was growing has `length` bytes by now.
    pub fn grow(&mut self, length: u64) {
        self.scanner.grow(length);
    }

    /// A tape that was growing has ended, with `length` bytes.
    pub fn close(&mut self, length: u64) {
        self.scanner.close(length);
    }

    /// What was found.
    #[must_use]
    pub fn finish(mut self) -> Recovered {
        let in_packed_order = is_ascending(&self.found.chunks, |chunk| packed_order(&chunk.header));
        let guess = self.found.is_reordered && in_packed_order && self.has_early_pages;
        self.found.is_packed = self.packed.unwrap_or(guess);
        self.found.chunks.arrange_by_key(|chunk| chunk.header.sequence);
        self.found.missing = self.scanner.sequences().missing();
        self.found.is_counted = self.found.is_counted();
        self.found.chain = self.chain();
        self.found
    }

    /// The chain over all chunks, where none is missing.
    fn chain(&mut self) -> Option<Chain> {
        let mut leaves = self.leaves.take()?;
        leaves.arrange_by_key(|&(sequence, _)| sequence);
        let mut chain = Chain::start(self.found.header.as_ref()?);
        for (sequence, leaf) in &leaves {
            if *sequence != chain.length() {
                return None;
            }
            chain.push(leaf);
        }
        (!leaves.is_empty()).then_some(chain)
    }
}

fn is_ascending<K: Ord>(chunks: &[ChunkEntry], key: impl Fn(&ChunkEntry) -> K) -> bool {
    chunks.windows(2).all(|pair| key(&pair[0]) <= key(&pair[1]))
}

impl Recovered {
    /// Everything that is left of the tape in `bytes`.
    #[must_use]
    pub fn from_bytes(mut bytes: &[u8]) -> Self {
        let mut recovery = Recovery::new(bytes.len() as u64).with_chain();
        let walked = drive(&mut recovery, &mut bytes);
        debug_assert!(walked.is_ok(), "memory has all bytes, and a walk refuses none");
        recovery.finish()
    }

    /// Is every byte part of a whole chunk, and no sequence number missing? A torn end is damage.
    #[must_use]
    pub fn is_undamaged(&self) -> bool {
        self.header.is_some() && self.damages.is_empty() && self.missing.is_empty()
    }

    /// Is every chunk there that the tape ever had, as far as the tape itself says? What a recorder had
    /// not written yet when it stopped is not known to the tape.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let is_first = |chunk: &ChunkEntry| {
            (chunk.header.kind, chunk.header.stream) == (ChunkKind::METADATA, 0)
        };
        self.chain.is_some()
            && self.missing.is_empty()
            && self.chunks.first().is_some_and(is_first)
            && !self.damages.iter().any(|damage| self.is_loss(damage))
            && self.unwritten().is_none()
    }

    /// The ticks at which a tape that was never finished has events, or something else, but no frames
    /// and orders any more: those were given and not written.
    ///
    /// `None` where there are no such ticks, and of a tape that has no frames and orders at all.
    #[must_use]
    pub fn unwritten(&self) -> Option<Range<Tick>> {
        if self.is_finished || (self.count.is_some() && self.is_counted) {
            return None;
        }
        let headers = || self.chunks.iter().map(|chunk| &chunk.header);
        let input = headers().filter(|header| header.kind.is_framed());
        let written = input.map(ChunkHeader::end_tick).max()?;
        // Before a keyframe everything is written.
        let keyframes = headers().filter(|header| header.kind.is_keyframe());
        let written = keyframes.map(|header| header.first_tick).fold(written, Tick::max);
        // What a gap declares is declared.
        let other = headers().filter(|h| h.kind.has_ticks() && h.kind != ChunkKind::GAP);
        let end = other.map(ChunkHeader::end_tick).max()?;
        (written < end).then_some(written..end)
    }

    /// Did a damage take anything that the index cannot be rebuilt without?
    ///
    /// It did not where it hit an index chunk, a second copy of a chunk that is there, or bytes that no
    /// sequence number is missing for.
    #[must_use]
    pub fn is_loss(&self, damage: &Damage) -> bool {
        if let Some(header) = &damage.header {
            let index = self.chunks.binary_search_by_key(&header.sequence, |c| c.header.sequence);
            let is_there = index.is_ok_and(|index| self.chunks[index].header == *header);
            return header.kind.is_counted() && !is_there;
        }
        if self.is_counted && damage.range.start >= self.end {
            return false;
        }
        !self.missing.is_empty() || damage.range.end > self.last_whole
    }

    fn is_counted(&self) -> bool {
        let lost = self.damages.iter().filter_map(|damage| damage.header);
        let known = self.chunks.iter().map(|chunk| chunk.header).chain(lost);
        let known = known.filter(|header| header.kind.is_counted());
        self.count == known.map(|header| header.sequence + 1).max()
    }

    /// The ticks that a damage may concern: those of the lost chunk where its header is left, else
    /// those between the chunks around it.
    #[must_use]
    pub fn lost_ticks(&self, damage: &Damage) -> Range<Tick> {
        lost_ticks(&self.chunks, damage)
    }

    /// Everything that is lost, as gaps in a recovered tape; ascending by tick.
    #[must_use]
    pub fn gaps(&self) -> Vec<Gap> {
        let lost = self.damages.iter().filter(|damage| self.is_loss(damage));
        let mut all = gaps(&self.chunks, lost, &self.missing);
        if let Some(ticks) = self.unwritten() {
            all.extend(unwritten_gaps(&self.chunks, &ticks));
            all.arrange_by_key(|gap| gap.first_tick);
        }
        all
    }

    /// The keyframes among the chunks that are left, by tick.
    #[must_use]
    pub fn keyframes(&self) -> KeyframeIndex {
        KeyframeIndex::of(&self.chunks, None)
    }

    /// The metadata for a tape that is made of this one: its own where it can be read, else `{}`.
    #[must_use]
    pub fn metadata_or_empty(&self) -> &[u8] {
        let readable = |json: &&[u8]| check_metadata(json, 0).is_ok();
        self.metadata.as_deref().filter(readable).unwrap_or(b"{}")
    }

    /// The same chunks in their right order with an index of their own: what to write, and what to
    /// copy. Tape id, chain and signatures stay as they are.
    ///
    /// Refused unless the tape [is complete](Self::is_complete).
    pub fn rebuild(&self) -> Result<Vec<Segment>> {
        let (header, chain) = self.whole()?;
        Ok(self.assemble(header, &self.chunks, chain.head())?.segments(None))
    }

    /// The tape with one more signature over all of it, and an index: what to write, and what to copy.
    ///
    /// Refused unless the tape [is complete](Self::is_complete).
    pub fn sign(&self, key: &SigningKey) -> Result<Vec<Segment>> {
        let (header, mut chain) = self.whole()?;
        let raw = sign::sign(key, &chain);
        let sequence = chain.length();
        let draft = ChunkDraft::new(ChunkKind::SIGNATURE);
        let signature = draft.header(header.tape_id, sequence, Codec::RAW, raw.len(), &raw)?;
        let chunk = Chunk { header: signature, offset: 0, stored: &raw };
        chain.push(&leaf(&chunk));
        let mut chunks = self.chunks.clone();
        chunks.push(ChunkEntry::from(&chunk));
        let mut bytes = Writer::new();
        put_chunk(&mut bytes, &signature, &raw);
        let assembly = self.assemble(header, &chunks, chain.head())?;
        Ok(assembly.segments(Some((sequence, bytes.as_bytes()))))
    }

    fn whole(&self) -> Result<(TapeHeader, Chain)> {
        match (self.header, self.chain) {
            (Some(header), Some(chain)) if self.is_complete() => Ok((header, chain)),
            _ => Err(Error::misuse("tape", "it is damaged: recover it first")),
        }
    }

    fn assemble(&self, header: TapeHeader, chunks: &[ChunkEntry], head: Hash) -> Result<Assembly> {
        let codec = IndexCodec::of(chunks);
        match self.is_packed {
            true => Assembly::packed(header, chunks, head, codec),
            false => Assembly::recording(header, chunks, head, codec),
        }
    }

    /// The writer that goes on with this tape: cut the file at [`end`](Self::end), then append.
    ///
    /// Refused where anything but the end is lost: recover such a tape first.
    pub fn resume(self) -> Result<TapeWriter> {
        let torn =
            |damage: &Damage| damage.kind == DamageKind::Torn && damage.range.start >= self.end;
        let refuse = |problem| Err(Error::misuse("tape to continue", problem));
        if self.is_packed {
            return refuse("a packed tape is complete");
        }
        if self.is_reordered {
            return refuse("its chunks are out of order: recover it first");
        }
        if let Some(damage) = self.damages.iter().find(|damage| !torn(damage)) {
            let place = Place::Byte(damage.range.start);
            return refuse(DAMAGED).map_err(|error| error.with_place(place));
        }
        if !self.missing.is_empty() {
            return refuse(DAMAGED);
        }
        match (self.header, self.chain) {
            (Some(header), Some(chain)) if !self.chunks.is_empty() => {
                let out = Writer::with_base(self.end);
                Ok(TapeWriter::continuing(header, out, self.chunks, chain))
            }
            _ => refuse("header, metadata and the chain are needed"),
        }
    }
}
