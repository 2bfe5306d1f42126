//! Replay files of both generations: opening, checking, repairing and writing.

pub(crate) mod compress;
pub(crate) mod dictionary;
mod header;
mod write;

use std::borrow::Cow;
use std::ops::Range;

use crate::{FrameLayout, Generation};
use gametape_wire::{Error, ErrorClass, ErrorKind, Limit, Place, Reader, Result};

pub use dictionary::frame_dictionary;
pub use header::{Check, FileHeader, FilePart};
pub(crate) use write::check_frames_fit;
pub use write::{WriteOptions, write_file, write_file_around};

use crate::dialect::Dialect;
use crate::setup::SetupView;
use compress::Packed;

/// The most raw bytes of frames that are unpacked or written.
pub const MAX_FRAME_BYTES: Limit = Limit::new("raw length of the frames", 1 << 30);

/// How a file's dialect was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Detection {
    /// The headers' checksum of that generation matches.
    Checksum,
    /// No checksum of the headers matches; version bytes or lengths fit that generation.
    Structure,
    /// There is no file header: the bytes begin with a setup of that generation.
    Headerless,
    /// The caller said so.
    Forced,
}

impl Detection {
    /// The name that JSON uses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Checksum => "checksum",
            Self::Structure => "structure",
            Self::Headerless => "headerless",
            Self::Forced => "forced",
        }
    }
}

/// How frames are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FrameStorage {
    /// As they are.
    Raw,
    /// As one LZ4 block.
    Lz4,
    /// As one LZ4 block that needs the dictionary of v0.1.
    Lz4Dictionary,
}

impl FrameStorage {
    /// The name that text and JSON use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Lz4 => "lz4",
            Self::Lz4Dictionary => "lz4 with dictionary",
        }
    }
}

/// The frames of a file, unpacked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FrameBytes<'a> {
    /// The frames one after the other, borrowed where they are stored raw.
    pub bytes: Cow<'a, [u8]>,
    /// How they are stored.
    pub storage: FrameStorage,
}

/// A replay file in borrowed bytes. Opening reads the headers only; every part is read when it is
/// asked for, and a damaged one does not keep the others from being read.
///
/// ```
/// use gametape_minewars::{Grid, ItemKind, Map, ReplayFile, Setup, Tile, TileKind};
/// use gametape_minewars::{WriteOptions, write_file};
/// use gametape_minewars::Generation;
///
/// let ground = Tile { kind: TileKind::Regular, item: ItemKind::None };
/// let mut setup = Setup::new(Generation::Current, Map::new(Grid::Hex, 3, ground)?);
/// setup.max_player = 2;
/// let keepalive = [0x7F, 0xFF];
/// let bytes = write_file(&setup, &keepalive, &WriteOptions::default())?;
///
/// let file = ReplayFile::open(&bytes)?;
/// assert!(file.checks().iter().all(|check| check.is_ok()));
/// assert_eq!(file.setup().to_setup()?, setup);
/// assert_eq!(*file.frames()?.bytes, keepalive);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ReplayFile<'a> {
    bytes: &'a [u8],
    detection: Detection,
    header: FileHeader,
    /// Are the bytes a stream, without file header?
    headerless: bool,
    setup: SetupView<'a>,
}

impl<'a> ReplayFile<'a> {
    /// Opens a file of either generation, with or without file header. The dialect of the public
    /// tool is never guessed.
    pub fn open(bytes: &'a [u8]) -> Result<Self> {
        let file = Self::open_file(bytes);
        if file.as_ref().is_ok_and(|file| file.detection == Detection::Checksum) {
            return file;
        }
        let streams =
            Generation::ALL.map(|generation| Self::sniff_stream(bytes, generation.into()));
        streams.into_iter().flatten().next().map_or(file, Ok)
    }

    /// Opens a file in a dialect that the caller knows, with or without file header.
    pub fn open_as(bytes: &'a [u8], dialect: Dialect) -> Result<Self> {
        let file = Self::read(bytes, dialect).and_then(Self::accept);
        let stream = match &file {
            Ok(file) if file.detection == Detection::Checksum => None,
            _ => Self::sniff_stream(bytes, dialect),
        };
        let file = stream.map_or(file, Ok)?;
        Ok(Self { detection: Detection::Forced, ..file })
    }

    /// Opens a stream without file header: a setup, then frames up to the end. Without a dialect,
    /// the version bytes decide.
    ///
    /// ```
    /// use gametape_minewars::sample::Sample;
    /// use gametape_minewars::{Generation, ReplayFile};
    ///
    /// let (setup, frames) = Sample::default().build(Generation::V01)?;
    /// let encoded = setup.encode(true)?;
    /// let stream = [&encoded.header[..], &encoded.data, &frames].concat();
    /// let file = ReplayFile::open_stream(&stream, None)?;
    /// assert!(file.is_headerless() && file.checks().is_empty());
    /// assert_eq!(*file.frames()?.bytes, frames);
    /// # Ok::<(), gametape_wire::Error>(())
    /// ```
    pub fn open_stream(bytes: &'a [u8], dialect: Option<Dialect>) -> Result<Self> {
        let Some(dialect) = dialect else {
            let [v01, current] = Generation::ALL.map(|one| Self::read_stream(bytes, one.into()));
            return v01.or(current);
        };
        Ok(Self { detection: Detection::Forced, ..Self::read_stream(bytes, dialect)? })
    }

    fn open_file(bytes: &'a [u8]) -> Result<Self> {
        let readings = Generation::ALL.map(|generation| Self::read(bytes, generation.into()));
        let too_short = readings.iter().find_map(|reading| reading.as_ref().err()).cloned();
        let best = readings.into_iter().flatten().max_by_key(Self::plausibility);
        match (best, too_short) {
            (Some(file), _) if file.plausibility() != (false, false, false) => file.accept(),
            (_, Some(error)) => Err(error),
            _ => Err(not_minewars()),
        }
    }

    /// How a file that begins with `start` would be recognised; `None` where it is no MineWars file.
    /// `length` is how long all of it is, where that is known.
    ///
    /// The headers decide, so a few kilobytes are enough.
    #[must_use]
    pub fn sniff(start: &'a [u8], length: Option<u64>) -> Option<Detection> {
        let readings = Generation::ALL.map(|generation| Self::read(start, generation.into()));
        let signs = readings.iter().flatten().map(|file| {
            let (intact, has_version, _) = file.plausibility();
            (intact, has_version, length == Some(file.frames_range().end))
        });
        match signs.max() {
            Some((true, ..)) => Some(Detection::Checksum),
            _ if Self::begins_as_stream(start, length) => Some(Detection::Headerless),
            None | Some((false, false, false)) => None,
            Some(_) => Some(Detection::Structure),
        }
    }

    /// The dialect the file is read as.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.setup.header().dialect
    }

    /// How that was found.
    #[must_use]
    pub fn detection(&self) -> Detection {
        self.detection
    }

    /// Is it a stream without file header, and so without checksums?
    #[must_use]
    pub fn is_headerless(&self) -> bool {
        self.headerless
    }

    /// The file header. A stream has none: then the lengths are those of the frames that are there,
    /// and the checksums are 0.
    #[must_use]
    pub fn header(&self) -> &FileHeader {
        &self.header
    }

    /// The setup, to be read part by part.
    #[must_use]
    pub fn setup(&self) -> &SetupView<'a> {
        &self.setup
    }

    /// The setup as it is in the file, header and data; shorter where the file ends early.
    #[must_use]
    pub fn setup_bytes(&self) -> &'a [u8] {
        &self.bytes[self.clip(self.setup.header().offset..self.setup.end_offset())]
    }

    /// Where the stored frames are in the file, as announced.
    #[must_use]
    pub fn frames_range(&self) -> Range<u64> {
        let start = self.setup.end_offset();
        start..start + u64::from(self.header.frames_stored)
    }

    /// How the frames are read.
    pub fn frame_layout(&self) -> Result<FrameLayout> {
        FrameLayout::new(self.dialect().generation(), self.setup.header().max_view()?)
    }

    /// Bytes after the frames, which belong to nothing.
    #[must_use]
    pub fn trailing(&self) -> &'a [u8] {
        &self.bytes[self.clip(self.frames_range()).end..]
    }

    /// The three checksums, stored and computed; none without a file header.
    #[must_use]
    pub fn checks(&self) -> Vec<Check> {
        FilePart::ALL.into_iter().filter_map(|part| self.check(part)).collect()
    }

    /// One checksum, stored and computed, without reading the other parts; `None` without a file
    /// header.
    #[must_use]
    pub fn check(&self, part: FilePart) -> Option<Check> {
        if self.headerless {
            return None;
        }
        let range = self.covered(part);
        let computed = seahash::hash(&self.bytes[range.clone()]);
        Some(Check { part, stored: self.header.checksums[part as usize], computed, range })
    }

    /// The frames as stored.
    pub fn stored_frames(&self) -> Result<&'a [u8]> {
        let Range { start, .. } = self.frames_range();
        let rest = &self.bytes[self.clip(start..start).start..];
        Reader::with_base(rest, start).take(self.header.frames_stored as usize, "frames")
    }

    /// The frames, unpacked.
    ///
    /// Nothing in a v0.1 file says whether its dictionary was used. A block that needs it reaches
    /// back before its own start, which plain LZ4 refuses, so trying plain first is never wrong.
    pub fn frames(&self) -> Result<FrameBytes<'a>> {
        let packed = Packed {
            item: "frames",
            stored: self.stored_frames()?,
            offset: self.frames_range().start,
            raw: self.header.frames_raw.into(),
        };
        let plain = packed.unpack(MAX_FRAME_BYTES);
        let storage = if packed.is_compressed() { FrameStorage::Lz4 } else { FrameStorage::Raw };
        match plain {
            Ok(bytes) => Ok(FrameBytes { bytes, storage }),
            Err(_) if packed.is_compressed() && self.dialect() == Dialect::V01 => {
                let bytes = packed.unpack_with_dictionary(MAX_FRAME_BYTES, &self.dictionary()?)?;
                Ok(FrameBytes { bytes, storage: FrameStorage::Lz4Dictionary })
            }
            Err(error) => Err(error),
        }
    }

    /// The options with which its parts are stored the way they are now, or nearly.
    #[must_use]
    pub fn write_options(&self) -> WriteOptions {
        let storage = self.frames().map_or(FrameStorage::Raw, |frames| frames.storage);
        WriteOptions {
            compress: storage != FrameStorage::Raw || self.setup.is_map_compressed(),
            dictionary: storage == FrameStorage::Lz4Dictionary,
        }
    }

    /// Everything that is wrong with the file outside of what its frames say: checksums, setup,
    /// frames that do not unpack, trailing bytes.
    #[must_use]
    pub fn faults(&self) -> Vec<Error> {
        let mut faults: Vec<Error> = self.checks().iter().filter_map(Check::error).collect();
        faults.extend(self.setup.faults());
        faults.extend(self.frames().err());
        faults.extend(
            Reader::with_base(self.trailing(), self.frames_range().end).finish("file").err(),
        );
        faults
    }

    /// The same file with its three checksums recomputed and no other byte changed. A file that is
    /// shorter than announced cannot be repaired this way, nor a stream, which has no checksums.
    pub fn with_repaired_checksums(&self) -> Result<Vec<u8>> {
        if self.headerless {
            return Err(Error::misuse("checksums", "a stream without file header has none"));
        }
        self.stored_frames()?;
        let mut file = self.bytes.to_vec();
        header::seal(&mut file, self.covered(FilePart::Setup), self.covered(FilePart::Frames));
        Ok(file)
    }

    fn read(bytes: &'a [u8], dialect: Dialect) -> Result<Self> {
        let mut r = Reader::new(bytes);
        let header = FileHeader::read(&mut r, dialect.generation())?;
        let setup = SetupView::read(r.rest(), dialect, r.offset())?;
        Ok(Self { bytes, detection: Detection::Structure, header, headerless: false, setup })
    }

    fn read_stream(bytes: &'a [u8], dialect: Dialect) -> Result<Self> {
        let setup = SetupView::parse(bytes, dialect, 0)?;
        let length = (bytes.len() as u64).saturating_sub(setup.end_offset());
        let length = u32::try_from(length)
            .map_err(|_| Error::misuse("frames", format!("{length} bytes are over 4 GiB")))?;
        let header = FileHeader { checksums: [0; 3], frames_stored: length, frames_raw: length };
        Ok(Self { bytes, detection: Detection::Headerless, header, headerless: true, setup })
    }

    /// Do the first bytes look like the setup of a stream? *Why not by its version alone: fonts begin with the version
    /// of v0.1, icons with that of the current generation.*
    fn begins_as_stream(start: &[u8], length: Option<u64>) -> bool {
        let is_setup = |generation: Generation| {
            SetupView::parse(start, generation.into(), 0).is_ok_and(|setup| {
                let fits = length.is_none_or(|length| setup.end_offset() <= length);
                let is_cut = |fault: &Error| fault.class() == ErrorClass::Truncated;
                setup.header().has_own_version() && fits && setup.faults().iter().all(is_cut)
            })
        };
        Generation::ALL.into_iter().any(is_setup)
    }

    /// The bytes as a stream, if they begin with version bytes and a setup without any fault.
    fn sniff_stream(bytes: &'a [u8], dialect: Dialect) -> Option<Self> {
        Self::read_stream(bytes, dialect).ok().filter(|stream| stream.setup.faults().is_empty())
    }

    /// Takes a reading, unless its version is not ours: only damage excuses that, which shows in a
    /// wrong checksum while all lengths still add up.
    fn accept(mut self) -> Result<Self> {
        let (intact, _, exact) = self.plausibility();
        if intact || !exact {
            self.setup.header().check_version()?;
        }
        if intact {
            self.detection = Detection::Checksum;
        }
        Ok(self)
    }

    /// How much speaks for this reading of the bytes, the strongest sign first.
    fn plausibility(&self) -> (bool, bool, bool) {
        let intact = self.check(FilePart::Headers).is_some_and(|check| check.is_ok());
        let exact = self.frames_range().end == self.bytes.len() as u64;
        (intact, self.setup.header().has_own_version(), exact)
    }

    /// The dictionary with which v0.1 frames may be compressed; needs the map.
    pub(crate) fn dictionary(&self) -> Result<Vec<u8>> {
        let header = self.setup.header();
        let map = self.setup.map().map_err(|error| error.within("dictionary of the frames"))?;
        Ok(frame_dictionary(&map, header.max_view()?.number(), header.city_count))
    }

    /// The bytes that a checksum covers, as far as the file has them.
    fn covered(&self, part: FilePart) -> Range<usize> {
        let data = self.setup.data_offset();
        match part {
            FilePart::Headers => self.clip(8..data),
            FilePart::Setup => self.clip(data..self.setup.end_offset()),
            FilePart::Frames => self.clip(self.frames_range()),
        }
    }

    fn clip(&self, range: Range<u64>) -> Range<usize> {
        let clip = |offset: u64| offset.min(self.bytes.len() as u64) as usize;
        clip(range.start)..clip(range.end)
    }
}

fn not_minewars() -> Error {
    let problem = "no checksum, version or length of v0.1 or the current generation fits".into();
    Error::new(Place::Nowhere, "not a MineWars file", ErrorKind::BadSyntax { problem })
}
