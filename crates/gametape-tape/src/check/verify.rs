//! Verifying a tape, in levels.

use std::collections::BTreeMap;
use std::ops::Range;

use gametape_wire::{
    Arrange, Error, ErrorKind, Finding, Need, Place, Report, Result, SansIo, Severity, drive,
};

use crate::check::baselines::Baselines;
use crate::check::chain::{Chain, Hash, leaf};
use crate::check::content::check_content;
use crate::check::coverage::Coverage;
use crate::check::sign::{PublicKey, Signature};
use crate::edit::assemble::packed_order;
use crate::index::summary::Summary;
use crate::index::table::{ChunkEntry, KeyframeIndex};
use crate::layout::chunk::Chunk;
use crate::layout::gap::{Gap, GapCause};
use crate::layout::kind::ChunkKind;
use crate::layout::tape_header::TapeHeader;
use crate::read::order::TickOrder;
use crate::read::reader::{Depth, TapeReader};
use crate::read::tape::Tape;
use crate::recover::scan::{Damage, DamageKind, Found, Scanner};

/// How much is verified; each level includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Level {
    /// Order, numbers, contents, index.
    Structure,
    /// Every checksum.
    Checksums,
    /// The SHA-256 chain.
    Chain,
    /// Signed by the key that the caller names.
    Signature,
}

impl Level {
    /// All levels, ascending.
    pub const ALL: [Self; 4] = [Self::Structure, Self::Checksums, Self::Chain, Self::Signature];

    /// The level as one word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Structure => "structure",
            Self::Checksums => "checksums",
            Self::Chain => "chain",
            Self::Signature => "signature",
        }
    }
}

/// What verifying found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct Verification {
    /// The level that was asked for.
    pub level: Level,
    /// What is wrong: an error has the [name](Level::name) of the level that it breaks as its rule.
    /// Losses that the tape itself declares are warnings.
    pub report: Report,
    /// Counted chunks that are whole.
    pub chunks: usize,
    /// The chain's end, where it was computed and no chunk is missing.
    pub chain_head: Option<Hash>,
    /// Keys that signatures in the tape name; right or not.
    pub signers: Vec<PublicKey>,
    /// The lowest level that an error breaks.
    broken: Option<Level>,
    /// Is there no error about what is in a chunk, and about what it builds on?
    chunks_are_sound: bool,
}

/// More signatures than these are not looked at.
const MOST_SIGNATURES: usize = 64;

impl Verification {
    /// Did the tape pass the level that was asked for?
    #[must_use]
    pub fn passed(&self) -> bool {
        self.report.is_sound()
    }

    /// What was found: errors and warnings.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        self.report.findings()
    }

    /// The highest level that the tape passed, if any.
    #[must_use]
    pub fn reached(&self) -> Option<Level> {
        let passed =
            |level: &&Level| **level <= self.level && self.broken.is_none_or(|b| **level < b);
        Level::ALL.iter().rfind(passed).copied()
    }

    /// Is what is in the whole chunks as it should be, wherever they are?
    #[must_use]
    pub fn chunks_are_sound(&self) -> bool {
        self.chunks_are_sound
    }

    fn find(&mut self, level: Level, error: Error) {
        if level > self.level {
            return;
        }
        self.broken = Some(self.broken.map_or(level, |broken| broken.min(level)));
        self.report.add(Finding::error(level.name(), error));
    }

    /// Something in a chunk is wrong.
    fn find_in_chunk(&mut self, error: Error) {
        self.chunks_are_sound = false;
        self.find(Level::Structure, error);
    }
}

/// Verifies a tape; [`SansIo`]: all of it is needed once, its index twice.
#[derive(Debug)]
pub struct Verifier {
    length: u64,
    key: Option<PublicKey>,
    phase: Phase,
    report: Verification,
    header: Option<TapeHeader>,
    /// Whole counted chunks, in the order of the tape.
    chunks: Vec<ChunkEntry>,
    leaves: Vec<(u32, Hash)>,
    signatures: BTreeMap<u32, Signature>,
    baselines: Baselines,
    gaps: Vec<Gap>,
    coverage: Coverage,
    is_finished: bool,
    buffer: Vec<u8>,
}

#[derive(Debug)]
enum Phase {
    Walk(Box<Scanner>),
    Index(Box<TapeReader>),
    Done,
}

impl SansIo for Verifier {
    fn need(&self) -> Need {
        match &self.phase {
            Phase::Walk(scanner) => scanner.need(),
            Phase::Index(reader) => reader.need(),
            Phase::Done => Need::Ready,
        }
    }

    fn supply(&mut self, range: Range<u64>, bytes: &[u8]) -> Result<()> {
        match &mut self.phase {
            Phase::Walk(scanner) => {
                let found = scanner.supply(range, bytes);
                self.note(&found);
                self.end_walk();
            }
            Phase::Index(reader) => {
                let supplied = reader.supply(range, bytes);
                self.end_index(supplied);
            }
            Phase::Done => {}
        }
        Ok(())
    }
}

impl Verifier {
    /// Of a tape of `length` bytes. The level [`Level::Signature`] needs a key.
    pub fn new(length: u64, level: Level, key: Option<PublicKey>) -> Result<Self> {
        if level == Level::Signature && key.is_none() {
            return Err(Error::misuse("verification", "a signature is checked against a key"));
        }
        let report = Verification {
            level,
            report: Report::default(),
            chunks: 0,
            chain_head: None,
            signers: Vec::new(),
            broken: None,
            chunks_are_sound: true,
        };
        let mut verifier = Self {
            length,
            key,
            phase: Phase::Walk(Box::new(Scanner::new(length))),
            report,
            header: None,
            chunks: Vec::new(),
            leaves: Vec::new(),
            signatures: BTreeMap::new(),
            baselines: Baselines::default(),
            gaps: Vec::new(),
            coverage: Coverage::default(),
            is_finished: false,
            buffer: Vec::new(),
        };
        // An empty tape needs no bytes.
        verifier.end_walk();
        Ok(verifier)
    }

    /// What was found.
    pub fn finish(self) -> Verification {
        self.report
    }

    fn note(&mut self, found: &Found<'_>) {
        match found {
            Found::TapeHeader(header) => self.header = Some(*header),
            Found::Chunk(chunk) => self.note_chunk(chunk),
            Found::Damage(damage) => self.report.find(level_of(damage.kind), error_of(damage)),
            Found::Trailer(offset) => self.coverage.note_trailer(*offset),
            Found::Nothing => {}
        }
        match found {
            Found::Trailer(_) => self.is_finished = true,
            Found::Chunk(_) | Found::Damage(_) => self.is_finished = false,
            _ => {}
        }
    }

    fn note_chunk(&mut self, chunk: &Chunk<'_>) {
        let header = &chunk.header;
        if !header.kind.is_counted() {
            return self.coverage.note_index(chunk);
        }
        let checked =
            check_content(chunk, &mut self.buffer).and_then(|raw| self.baselines.note(chunk, raw));
        if let Err(error) = checked {
            self.report.find_in_chunk(error);
        }
        if header.kind == ChunkKind::GAP
            && let Ok(gap) = Gap::read(chunk)
        {
            self.note_gap(gap, chunk.offset);
        }
        if self.report.level >= Level::Chain {
            self.leaves.push((header.sequence, leaf(chunk)));
        }
        if header.kind == ChunkKind::SIGNATURE
            && self.signatures.len() < MOST_SIGNATURES
            && let Ok(signature) = Signature::read(chunk)
        {
            self.report.signers.push(signature.key);
            self.signatures.insert(header.sequence, signature);
        }
        self.chunks.push(ChunkEntry::from(chunk));
    }

    /// A loss that the tape declares itself. A cut or an interruption is no loss.
    fn note_gap(&mut self, gap: Gap, offset: u64) {
        if matches!(gap.cause, GapCause::DAMAGE | GapCause::SHED) {
            let kind = ErrorKind::BadSyntax { problem: gap.to_string().into() };
            let finding = Finding::warning("loss", Error::at(offset, "gap", kind));
            self.report.report.add(finding.at_tick(gap.first_tick));
        }
        self.gaps.push(gap);
    }

    /// When the walk is over: judges what it showed, then opens the tape's own index.
    fn end_walk(&mut self) {
        let Phase::Walk(scanner) = &self.phase else { return };
        if !scanner.need().is_ready() {
            return;
        }
        for run in scanner.sequences().missing() {
            let problem = format!("chunks {} to {} are missing", run.start, run.end - 1);
            self.report.find(Level::Structure, bad(Place::Nowhere, "chunks", problem));
        }
        self.report.chunks = self.chunks.len();
        self.phase = Phase::Done;
        self.judge_keyframes();
        if self.is_finished && self.header.is_some() {
            self.phase = Phase::Index(Box::new(TapeReader::new(self.length, Depth::Index)));
            return;
        }
        let problem = "it has no trailer: it was not finished";
        self.report.find(Level::Structure, bad(Place::Byte(self.length), "tape", problem));
        self.check_order(false);
        self.judge_chain(None);
    }

    fn end_index(&mut self, supplied: Result<()>) {
        let Phase::Index(reader) = &self.phase else { return };
        if supplied.is_ok() && !reader.is_walking() && !reader.need().is_ready() {
            return;
        }
        let Phase::Index(reader) = std::mem::replace(&mut self.phase, Phase::Done) else { return };
        let opened = match supplied {
            Ok(()) if reader.is_walking() => Err(reader.into_index_problem()),
            Ok(()) => reader.finish(),
            Err(error) => Err(error),
        };
        match opened {
            Ok(tape) => {
                self.check_order(tape.summary.packed);
                self.check_index(&tape);
                self.judge_chain(Some(&tape.summary));
            }
            Err(error) => {
                self.report.find(Level::Structure, error);
                self.check_order(false);
                self.judge_chain(None);
            }
        }
    }

    /// Do deltas lead to full keyframes, and are there any?
    fn judge_keyframes(&mut self) {
        for finding in std::mem::take(&mut self.baselines).judge(&self.gaps) {
            match finding.severity {
                Severity::Error => self.report.find_in_chunk(finding.error),
                _ => self.report.report.add(finding),
            }
        }
        let has = |is: fn(ChunkKind) -> bool| self.chunks.iter().any(|c| is(c.header.kind));
        if has(ChunkKind::is_framed) && !has(ChunkKind::is_keyframe) {
            let problem = "it has no keyframes: every seek plays from the start";
            let error = bad(Place::Nowhere, "tape", problem);
            self.report.report.add(Finding::warning("keyframes", error));
        }
    }

    /// Is every chunk where its form wants it?
    fn check_order(&mut self, packed: bool) {
        let order = |chunk: &ChunkEntry| match packed {
            true => packed_order(&chunk.header),
            false => (0, 0, chunk.header.sequence),
        };
        for pair in self.chunks.windows(2) {
            if order(&pair[0]) >= order(&pair[1]) {
                let problem = "it is out of order";
                let item = pair[1].header.kind.to_string();
                self.report.find(Level::Structure, bad(Place::Byte(pair[1].offset), item, problem));
            }
        }
        self.chunks.arrange_by_key(|chunk| chunk.header.sequence);
        if let Err(error) = check_first(self.chunks.first()) {
            self.report.find(Level::Structure, error);
        }
        self.check_ticks();
    }

    /// Do the ticks of no stream go back? Frames and orders do not even begin before the last tick of
    /// the chunk before.
    fn check_ticks(&mut self) {
        let mut order = TickOrder::default();
        for chunk in &self.chunks {
            if !order.admits(&chunk.header) {
                let (item, problem) = (chunk.header.kind.to_string(), "its ticks go back");
                self.report.find_in_chunk(bad(Place::Byte(chunk.offset), item, problem));
            }
        }
    }

    /// Is the tape's own index the one that would be rebuilt?
    fn check_index(&mut self, tape: &Tape) {
        let offset = tape.summary.pages.first().map_or(0, |page| page.range.start);
        let mut differs = |item: &'static str, same: bool| {
            if !same {
                let problem = "it is not what the chunks say";
                self.report.find(Level::Structure, bad(Place::Byte(offset), item, problem));
            }
        };
        differs("chunk table", tape.chunks == self.chunks);
        let rebuilt = KeyframeIndex::of(&self.chunks, None);
        differs("keyframe index", tape.keyframes.is_same(&rebuilt));
        let mut expected = Summary::of(tape.header, &self.chunks, tape.summary.chain_head);
        expected.packed = tape.summary.packed;
        expected.pages = tape.summary.pages.clone();
        differs("summary", tape.summary == expected);
    }

    /// Chain and signature, over the chunks by their numbers.
    fn judge_chain(&mut self, summary: Option<&Summary>) {
        if self.report.level < Level::Chain {
            return;
        }
        self.leaves.arrange_by_key(|&(sequence, _)| sequence);
        let whole = self.leaves.iter().zip(0..).all(|(&(sequence, _), n)| sequence == n);
        let (Some(header), true) = (&self.header, whole) else {
            let problem = "it cannot be followed: chunks are missing";
            return self.report.find(Level::Chain, bad(Place::Nowhere, "chain", problem));
        };
        let (signed, chain) = self.follow_chain(Chain::start(header));
        self.report.chain_head = Some(chain.head());
        let problem = match summary {
            Some(summary) if summary.chain_head == chain.head() => None,
            Some(_) => Some("its end is not the one in the summary"),
            None => Some("nothing says where it ends: there is no summary"),
        };
        if let Some(problem) = problem {
            self.report.find(Level::Chain, bad(Place::Nowhere, "chain", problem));
        }
        if !signed {
            let problem = "the whole tape is not signed by this key";
            self.report.find(Level::Signature, bad(Place::Nowhere, "signature", problem));
        }
        self.judge_coverage(summary, chain.head());
    }

    /// The chain over all chunks, and whether the key signed it up to its end.
    fn follow_chain(&mut self, mut chain: Chain) -> (bool, Chain) {
        let mut signed = false;
        for ((sequence, leaf), chunk) in self.leaves.iter().zip(&self.chunks) {
            let signature = self.signatures.get(sequence).filter(|_| self.key.is_some());
            let is_by = |key: &PublicKey| signature.is_some_and(|one| one.is_by(key, &chain));
            let is_named = self.key.as_ref().is_some_and(is_by);
            // Another signature may follow, if it is a right one.
            let later = signature.filter(|one| signed && !is_named && one.is_by(&one.key, &chain));
            if let Some(later) = later {
                let problem = format!("{} signed later, which this key does not cover", later.key);
                let error = bad(Place::Byte(chunk.offset), "signature", problem);
                self.report.report.add(Finding::note("signature", error));
            }
            signed = is_named || later.is_some();
            let expected = signature.map(|one| one.leaf(chunk.header.tape_id, *sequence));
            if signed && expected != Some(Ok(*leaf)) {
                let problem = "no signature covers this: its chunk is not as a writer makes it";
                let error = bad(Place::Byte(chunk.offset), "signature", problem);
                self.report.find(Level::Signature, error);
            }
            chain.push(leaf);
        }
        (signed, chain)
    }

    /// Does the signature vouch for every byte?
    fn judge_coverage(&mut self, summary: Option<&Summary>, chain_head: Hash) {
        let (Some(summary), Some(header)) = (summary, self.header) else { return };
        if self.report.level < Level::Signature {
            return;
        }
        let checked =
            self.coverage.check(header, &self.chunks, summary.packed, chain_head, self.length);
        if let Err(error) = checked {
            self.report.find(Level::Signature, error);
        }
    }
}

/// Verifies the tape in `bytes`.
pub fn verify_bytes(bytes: &[u8], level: Level, key: Option<PublicKey>) -> Result<Verification> {
    let mut verifier = Verifier::new(bytes.len() as u64, level, key)?;
    drive(&mut verifier, &mut &*bytes)?;
    Ok(verifier.finish())
}

/// The first chunk is metadata directly after the header.
fn check_first(first: Option<&ChunkEntry>) -> Result<()> {
    let Some(chunk) = first else {
        return Err(bad(Place::Nowhere, "metadata", "there is none: there is no whole chunk"));
    };
    let header = &chunk.header;
    let is_first = header.kind == ChunkKind::METADATA
        && (header.sequence, header.stream) == (0, 0)
        && chunk.offset == TapeHeader::LENGTH as u64;
    if is_first {
        return Ok(());
    }
    Err(bad(Place::Byte(TapeHeader::LENGTH as u64), "metadata", "it is not the first chunk"))
}

fn level_of(kind: DamageKind) -> Level {
    match kind {
        DamageKind::Payload => Level::Checksums,
        DamageKind::Unreadable | DamageKind::Torn | DamageKind::Duplicate => Level::Structure,
    }
}

fn error_of(damage: &Damage) -> Error {
    bad(Place::Byte(damage.range.start), "tape", damage.to_string())
}

fn bad(
    place: Place,
    item: impl Into<std::borrow::Cow<'static, str>>,
    problem: impl Into<std::borrow::Cow<'static, str>>,
) -> Error {
    Error::new(place, item, ErrorKind::BadSyntax { problem: problem.into() })
}
