//! Making damaged files whole again, with as little change as possible; normative text:
//! `spec/minewars-tools.md`, section 2.

mod block;
mod payloads;
mod report;
mod setup;

use std::borrow::Cow;

use crate::{FrameLayout, Frames, Generation};
use gametape_wire::{Error, ErrorKind, Result, Writer};

pub use report::{Change, Lost, Repaired, SetupItem};

use crate::dialect::Dialect;
use crate::file::compress::pack;
use crate::file::{
    FileHeader, FilePart, FrameStorage, MAX_FRAME_BYTES, ReplayFile, check_frames_fit,
};
use crate::verify::Soundness;
use block::{Unpacked, unpack_prefix};
use payloads::without_unsound;
use setup::sound_setup;

/// What a repair leaves alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RepairOptions {
    /// Keep what cannot be read or breaks a rule of verification, in the setup and in payloads, as it is:
    /// a newer reader may know it. The result then need not pass verification. Off by default.
    pub keep_unreadable: bool,
    /// Read the bytes as a stream without file header, even where its setup is damaged.
    pub headerless: bool,
}

impl RepairOptions {
    /// The default: the result passes verification.
    #[must_use]
    pub const fn new() -> Self {
        Self { keep_unreadable: false, headerless: false }
    }

    /// The same, with or without what cannot be read.
    #[must_use]
    pub const fn with_keep_unreadable(mut self, keep_unreadable: bool) -> Self {
        self.keep_unreadable = keep_unreadable;
        self
    }

    /// The same, of a stream without file header or of whatever the bytes look like.
    #[must_use]
    pub const fn with_headerless(mut self, headerless: bool) -> Self {
        self.headerless = headerless;
        self
    }
}

/// Repairs the file in `bytes`, which is read as `dialect` if one is given.
///
/// The result passes verification, with warnings at most, unless the options keep what does not. Refuses a
/// file that ends before its frames begin, and a setup that leaves open how many views or tiles there are.
///
/// ```
/// use gametape_minewars::sample::Sample;
/// use gametape_minewars::{ReplayFile, WriteOptions, repair, verify, write_file};
/// use gametape_minewars::Generation;
///
/// let (setup, frames) = Sample::default().build(Generation::Current)?;
/// let whole = write_file(&setup, &frames, &WriteOptions::default())?;
/// let cut = &whole[..whole.len() - 100];
/// let repaired = repair(cut, None, Default::default())?;
/// assert!(!repaired.lost.is_empty());
/// assert!(verify(&ReplayFile::open(&repaired.bytes)?).is_ok());
/// # Ok::<(), gametape_wire::Error>(())
/// ```
pub fn repair(bytes: &[u8], dialect: Option<Dialect>, options: RepairOptions) -> Result<Repaired> {
    let file = match dialect {
        _ if options.headerless => ReplayFile::open_stream(bytes, dialect)?,
        Some(dialect) => ReplayFile::open_as(bytes, dialect)?,
        None => ReplayFile::open(bytes)?,
    };
    check_setup_is_whole(&file)?;
    let mut repair =
        Repair { file: &file, bytes, setup: None, changes: Vec::new(), lost: Vec::new() };
    if !options.keep_unreadable {
        repair.replace_setup()?;
    }
    let frames = repair.frames(options)?;
    let unsealed = repair.assemble(&frames);
    repair.seal(&unsealed)
}

fn check_setup_is_whole(file: &ReplayFile<'_>) -> Result<()> {
    let setup = file.setup();
    let (needed, available) = (setup.header().data_length(), setup.data().len() as u64);
    if available == needed {
        return Ok(());
    }
    let kind = ErrorKind::Truncated { needed, available };
    Err(Error::at(setup.data_offset(), "setup data", kind))
}

/// Frames as they are written.
struct StoredFrames<'a> {
    stored: Cow<'a, [u8]>,
    raw_length: usize,
}

/// Frames as far as they could be unpacked.
struct RawFrames<'a> {
    raw: Cow<'a, [u8]>,
    storage: FrameStorage,
    /// The stored bytes that they came from, where those can stay as they are.
    intact: Option<&'a [u8]>,
}

struct Repair<'f, 'a> {
    file: &'f ReplayFile<'a>,
    bytes: &'a [u8],
    /// The setup to write instead of the one that is there.
    setup: Option<Vec<u8>>,
    changes: Vec<Change>,
    lost: Vec<Lost>,
}

impl<'a> Repair<'_, 'a> {
    /// Finds a sound setup where the one that is there is not.
    fn replace_setup(&mut self) -> Result<()> {
        let has_checksum = self.file.check(FilePart::Setup).is_some_and(|check| check.is_ok());
        if let Some(sound) = sound_setup(self.file.setup(), has_checksum)? {
            self.changes.extend(sound.changes);
            self.lost.extend(sound.lost);
            self.setup = Some(sound.bytes);
        }
        Ok(())
    }

    /// The frames to write.
    fn frames(&mut self, options: RepairOptions) -> Result<StoredFrames<'a>> {
        let mut frames = self.unpack()?;
        if let Ok(layout) = self.file.frame_layout() {
            self.drop_cut_frame(layout, &mut frames);
            if !options.keep_unreadable {
                self.drop_unreadable(layout, &mut frames)?;
            }
        }
        // The dictionary is made of the map, which may be another one now.
        if self.setup.is_some() && frames.storage == FrameStorage::Lz4Dictionary {
            frames.storage = FrameStorage::Lz4;
            frames.intact = None;
        }
        let raw_length = frames.raw.len();
        let stored = match frames.intact {
            Some(stored) => Cow::Borrowed(stored),
            None => Cow::Owned(self.store(&frames)?),
        };
        check_frames_fit(self.generation(), raw_length)?;
        Ok(StoredFrames { stored, raw_length })
    }

    fn generation(&self) -> Generation {
        self.file.dialect().generation()
    }

    /// All bytes after the setup.
    fn rest(&self) -> &'a [u8] {
        let start = self.file.frames_range().start.min(self.bytes.len() as u64);
        &self.bytes[start as usize..]
    }

    fn unpack(&mut self) -> Result<RawFrames<'a>> {
        if let Ok(frames) = self.file.frames() {
            self.note_trailing(self.file.trailing().len());
            let intact = Some(self.file.stored_frames()?);
            return Ok(RawFrames { raw: frames.bytes, storage: frames.storage, intact });
        }
        let FileHeader { frames_stored: stored, frames_raw: raw, .. } = *self.file.header();
        let there = self.rest().len().min(stored as usize);
        if stored == raw {
            self.note_damage(there as u64, there as u64);
            let raw = Cow::Borrowed(&self.rest()[..there]);
            return Ok(RawFrames { raw, storage: FrameStorage::Raw, intact: None });
        }
        let (block, storage) = self.unpack_block(there, raw as usize);
        if stored > raw && block.damaged_at.is_some() {
            let raw = Cow::Borrowed(&self.rest()[..there]);
            self.note_trailing(self.rest().len() - there);
            return Ok(RawFrames { raw, storage: FrameStorage::Raw, intact: None });
        }
        // A block can be cut where it might have ended; its length gives that away.
        let cut = there < stored as usize && block.bytes.len() < raw as usize;
        if let Some(at) = block.damaged_at.or(cut.then_some(there)) {
            self.note_damage(at as u64, block.bytes.len() as u64);
        }
        Ok(RawFrames { raw: Cow::Owned(block.bytes), storage, intact: None })
    }

    /// Unpacks the block in the first `there` bytes of the rest, or in all of them if only then
    /// the announced length comes out.
    fn unpack_block(&mut self, there: usize, announced: usize) -> (Unpacked, FrameStorage) {
        let rest = self.rest();
        let announced_block = self.unpack_prefix(&rest[..there]);
        let fits = |(block, _): &(Unpacked, FrameStorage)| {
            block.damaged_at.is_none() && block.bytes.len() == announced
        };
        if there < rest.len() && !fits(&announced_block) {
            let longer = self.unpack_prefix(rest);
            if fits(&longer) {
                return longer;
            }
        }
        self.note_trailing(rest.len() - there);
        announced_block
    }

    /// The reading that is clean, else the one that gives more.
    fn unpack_prefix(&self, block: &[u8]) -> (Unpacked, FrameStorage) {
        let limit = match self.generation() {
            Generation::V01 => usize::from(u16::MAX),
            Generation::Current => MAX_FRAME_BYTES.max as usize,
        };
        let plain = unpack_prefix(block, &[], limit);
        if plain.damaged_at.is_some()
            && self.generation() == Generation::V01
            && let Ok(dictionary) = self.file.dictionary()
        {
            let other = unpack_prefix(block, &dictionary, limit);
            if other.damaged_at.is_none() || other.bytes.len() > plain.bytes.len() {
                return (other, FrameStorage::Lz4Dictionary);
            }
        }
        (plain, FrameStorage::Lz4)
    }

    fn drop_cut_frame(&mut self, layout: FrameLayout, frames: &mut RawFrames<'_>) {
        let mut walk = Frames::new(layout, &frames.raw);
        let number = walk.by_ref().flatten().count() as u64;
        let bytes = walk.rest().len();
        if bytes > 0 {
            self.lost.push(Lost::Frame { number, time: walk.time(), bytes: bytes as u64 });
            let whole = frames.raw.len() - bytes;
            frames.raw.to_mut().truncate(whole);
            frames.intact = None;
        }
    }

    fn drop_unreadable(&mut self, layout: FrameLayout, frames: &mut RawFrames<'_>) -> Result<()> {
        let soundness = Soundness::of(self.file.setup().header());
        let (raw, lost) = without_unsound(layout, &frames.raw, &soundness)?;
        if raw != *frames.raw {
            self.lost.extend(lost);
            frames.raw = Cow::Owned(raw);
            frames.intact = None;
        }
        Ok(())
    }

    /// Frames stored the way they were.
    fn store(&self, frames: &RawFrames<'_>) -> Result<Vec<u8>> {
        let stored = match frames.storage {
            FrameStorage::Raw => Cow::Borrowed(&frames.raw[..]),
            FrameStorage::Lz4 => pack(&frames.raw, &[]),
            FrameStorage::Lz4Dictionary => pack(&frames.raw, &self.file.dictionary()?),
        };
        Ok(stored.into_owned())
    }

    /// The file with its old checksums.
    fn assemble(&mut self, frames: &StoredFrames<'_>) -> Vec<u8> {
        let old = *self.file.header();
        let new = FileHeader {
            frames_stored: frames.stored.len() as u32,
            frames_raw: frames.raw_length as u32,
            ..old
        };
        if self.file.is_headerless() {
            self.changes.push(Change::FileHeader);
        } else if new != old {
            let lengths = |header: FileHeader| [header.frames_stored, header.frames_raw];
            self.changes.push(Change::Lengths { old: lengths(old), new: lengths(new) });
        }
        let mut w = Writer::new();
        new.write(&mut w, self.generation());
        let setup = self.file.setup();
        let range = setup.header().offset as usize..setup.end_offset() as usize;
        let version = self.version();
        let setup = self.setup.as_deref().unwrap_or(&self.bytes[range]);
        w.bytes(&version).bytes(&setup[version.len()..]).bytes(&frames.stored);
        w.into_bytes()
    }

    /// The version bytes to write: those that are there, unless they are no version of ours.
    fn version(&mut self) -> [u8; 4] {
        let header = self.file.setup().header();
        let old = header.version;
        if header.has_own_version() {
            return old;
        }
        let new = match self.generation() {
            Generation::V01 => [0, 1, 0, 0],
            Generation::Current => [0, 0, 1, old[3]],
        };
        self.changes.push(Change::Version { old, new });
        new
    }

    /// Writes the checksums again.
    fn seal(self, unsealed: &[u8]) -> Result<Repaired> {
        let Self { file, mut changes, lost, .. } = self;
        let bytes = ReplayFile::open_as(unsealed, file.dialect())?.with_repaired_checksums()?;
        let sealed = ReplayFile::open_as(&bytes, file.dialect())?;
        for (old, new) in file.checks().iter().zip(sealed.checks()) {
            if old.stored != new.stored {
                let (part, old, new) = (new.part, old.stored, new.stored);
                changes.push(Change::Checksum { part, old, new });
            }
        }
        Ok(Repaired { bytes, changes, lost })
    }

    fn note_damage(&mut self, at: u64, kept: u64) {
        let offset = self.file.frames_range().start + at;
        let announced = u64::from(self.file.header().frames_raw);
        self.lost.push(Lost::Damage { offset, kept, announced });
    }

    fn note_trailing(&mut self, bytes: usize) {
        if bytes > 0 {
            self.lost.push(Lost::Trailing { bytes: bytes as u64 });
        }
    }
}
