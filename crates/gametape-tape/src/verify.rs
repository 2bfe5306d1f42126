//! Verifying a tape, in levels.

use std::collections::BTreeMap;

use gametape_wire::{Error, ErrorKind, Place, Result};

use crate::baselines::Baselines;
use crate::chain::{Chain, Hash, leaf};
use crate::chunk::Chunk;
use crate::content::check_content;
use crate::index::{ChunkEntry, KeyframeIndex};
use crate::kind::ChunkKind;
use crate::order::TickOrder;
use crate::pack::packed_place;
use crate::reader::{Depth, TapeReader};
use crate::scan::{Damage, DamageKind, Found, Need, Scanner};
use crate::sign::{PublicKey, Signature};
use crate::summary::Summary;
use crate::tape::Tape;
use crate::tape_header::TapeHeader;

/// How much is verified; each level includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
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

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Which level it breaks.
    pub level: Level,
    /// What, and where.
    pub error: Error,
}

/// What verifying found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// The level that was asked for.
    pub level: Level,
    /// What is wrong, at most [`MOST_FINDINGS`].
    pub findings: Vec<Finding>,
    /// Findings that are not listed.
    pub unlisted: u64,
    /// Counted chunks that are whole.
    pub chunks: usize,
    /// The chain's end, where it was computed and no chunk is missing.
    pub chain_head: Option<Hash>,
    /// Keys that signatures in the tape name; right or not.
    pub signers: Vec<PublicKey>,
}

/// More findings are only counted.
pub const MOST_FINDINGS: usize = 1000;
/// More signatures than these are not looked at.
const MOST_SIGNATURES: usize = 64;

impl Verification {
    /// Did the tape pass the level that was asked for?
    #[must_use]
    pub fn passed(&self) -> bool {
        self.findings.is_empty()
    }

    /// The highest level that the tape passed, if any.
    #[must_use]
    pub fn reached(&self) -> Option<Level> {
        let broken = self.findings.iter().map(|finding| finding.level).min();
        let all = [Level::Structure, Level::Checksums, Level::Chain, Level::Signature];
        let passed = |level: &&Level| **level <= self.level && broken.is_none_or(|b| **level < b);
        all.iter().rfind(passed).copied()
    }

    fn find(&mut self, level: Level, error: Error) {
        if level > self.level {
            return;
        }
        if self.findings.len() < MOST_FINDINGS {
            self.findings.push(Finding { level, error });
        } else {
            self.unlisted += 1;
        }
    }
}

/// Verifies a tape; sans-IO as [`Scanner`]: all of it is needed once, its index twice.
#[derive(Debug)]
pub struct Verifier {
    length: u64,
    key: Option<PublicKey>,
    phase: Phase,
    report: Verification,
    front: Option<TapeHeader>,
    /// Whole counted chunks, in the order of the tape.
    chunks: Vec<ChunkEntry>,
    leaves: Vec<(u32, Hash)>,
    signatures: BTreeMap<u32, Signature>,
    baselines: Baselines,
    is_finished: bool,
    buffer: Vec<u8>,
}

#[derive(Debug)]
enum Phase {
    Walk(Box<Scanner>),
    Index(Box<TapeReader>),
    Done,
}

impl Verifier {
    /// Of a tape of `length` bytes. The level [`Level::Signature`] needs a key.
    pub fn new(length: u64, level: Level, key: Option<PublicKey>) -> Result<Self> {
        if level == Level::Signature && key.is_none() {
            return Err(Error::misuse("verification", "a signature is checked against a key"));
        }
        let report = Verification {
            level,
            findings: Vec::new(),
            unlisted: 0,
            chunks: 0,
            chain_head: None,
            signers: Vec::new(),
        };
        Ok(Self {
            length,
            key,
            phase: Phase::Walk(Box::new(Scanner::new(length))),
            report,
            front: None,
            chunks: Vec::new(),
            leaves: Vec::new(),
            signatures: BTreeMap::new(),
            baselines: Baselines::default(),
            is_finished: false,
            buffer: Vec::new(),
        })
    }

    /// The bytes that are needed next.
    #[must_use]
    pub fn need(&self) -> Need {
        match &self.phase {
            Phase::Walk(scanner) => scanner.need(),
            Phase::Index(reader) => reader.need(),
            Phase::Done => Need::Done,
        }
    }

    /// The bytes that were needed.
    pub fn supply(&mut self, bytes: &[u8]) {
        match &mut self.phase {
            Phase::Walk(scanner) => {
                let found = scanner.supply(bytes);
                self.note(&found);
                self.end_walk();
            }
            Phase::Index(reader) => {
                let supplied = reader.supply(bytes);
                self.end_index(supplied);
            }
            Phase::Done => {}
        }
    }

    /// What was found.
    #[must_use]
    pub fn finish(self) -> Verification {
        self.report
    }

    fn note(&mut self, found: &Found<'_>) {
        match found {
            Found::TapeHeader(front) => self.front = Some(*front),
            Found::Chunk(chunk) => self.note_chunk(chunk),
            Found::Damage(damage) => self.report.find(level_of(damage.kind), error_of(damage)),
            Found::Trailer | Found::Nothing | Found::Waiting => {}
        }
        match found {
            Found::Trailer => self.is_finished = true,
            Found::Chunk(_) | Found::Damage(_) => self.is_finished = false,
            _ => {}
        }
    }

    fn note_chunk(&mut self, chunk: &Chunk<'_>) {
        let header = &chunk.header;
        if !header.kind.is_counted() {
            return;
        }
        let checked = check_content(chunk, &mut self.buffer)
            .and_then(|()| self.baselines.check(chunk, &mut self.buffer));
        if let Err(error) = checked {
            self.report.find(Level::Structure, error);
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

    /// When the walk is over: judges what it showed, then opens the tape's own index.
    fn end_walk(&mut self) {
        let Phase::Walk(scanner) = &self.phase else { return };
        if scanner.need() != Need::Done {
            return;
        }
        for run in scanner.sequences().missing() {
            let problem = format!("chunks {} to {} are missing", run.start, run.end - 1);
            self.report.find(Level::Structure, bad(Place::Nowhere, "chunks", problem));
        }
        self.report.chunks = self.chunks.len();
        self.phase = Phase::Done;
        if self.is_finished && self.front.is_some() {
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
        if supplied.is_ok() && !reader.is_walking() && reader.need() != Need::Done {
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

    /// Is every chunk where its form wants it?
    fn check_order(&mut self, packed: bool) {
        let place = |chunk: &ChunkEntry| match packed {
            true => packed_place(&chunk.header),
            false => (0, 0, chunk.header.sequence),
        };
        for pair in self.chunks.windows(2) {
            if place(&pair[0]) >= place(&pair[1]) {
                let problem = "it stands out of order";
                let item = pair[1].header.kind.to_string();
                self.report.find(Level::Structure, bad(Place::Byte(pair[1].offset), item, problem));
            }
        }
        self.chunks.sort_by_key(|chunk| chunk.header.sequence);
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
                self.report.find(Level::Structure, bad(Place::Byte(chunk.offset), item, problem));
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
        let mut expected = Summary::of(tape.front, &self.chunks, tape.summary.chain_head);
        expected.packed = tape.summary.packed;
        expected.pages = tape.summary.pages.clone();
        differs("summary", tape.summary == expected);
    }

    /// Chain and signature, over the chunks by their numbers.
    fn judge_chain(&mut self, summary: Option<&Summary>) {
        if self.report.level < Level::Chain {
            return;
        }
        self.leaves.sort_by_key(|&(sequence, _)| sequence);
        let whole = self.leaves.iter().zip(0..).all(|(&(sequence, _), n)| sequence == n);
        let (Some(front), true) = (&self.front, whole) else {
            let problem = "it cannot be followed: chunks are missing";
            return self.report.find(Level::Chain, bad(Place::Nowhere, "chain", problem));
        };
        let mut chain = Chain::start(front);
        let mut signed = false;
        for ((sequence, leaf), chunk) in self.leaves.iter().zip(&self.chunks) {
            let signature = self.signatures.get(sequence).zip(self.key.as_ref());
            let is_right = signature.is_some_and(|(signature, key)| signature.is_by(key, &chain));
            let covered = signed && chunk.header.kind == ChunkKind::SIGNATURE;
            signed = is_right || covered;
            chain.push(leaf);
        }
        self.report.chain_head = Some(chain.head());
        if summary.is_none_or(|summary| summary.chain_head != chain.head()) {
            let problem = "its end is not the one in the summary";
            self.report.find(Level::Chain, bad(Place::Nowhere, "chain", problem));
        }
        if !signed {
            let problem = "the whole tape is not signed by this key";
            self.report.find(Level::Signature, bad(Place::Nowhere, "signature", problem));
        }
    }
}

/// Verifies the tape in `bytes`.
pub fn verify_bytes(bytes: &[u8], level: Level, key: Option<PublicKey>) -> Result<Verification> {
    let mut verifier = Verifier::new(bytes.len() as u64, level, key)?;
    while let Need::Range(range) = verifier.need() {
        verifier.supply(&bytes[range.start as usize..range.end as usize]);
    }
    Ok(verifier.finish())
}

/// The first chunk is metadata directly behind the front.
fn check_first(first: Option<&ChunkEntry>) -> Result<()> {
    let is_right = first.is_some_and(|chunk| {
        let header = &chunk.header;
        header.kind == ChunkKind::METADATA
            && (header.sequence, header.stream) == (0, 0)
            && chunk.offset == TapeHeader::LENGTH as u64
    });
    if is_right {
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
