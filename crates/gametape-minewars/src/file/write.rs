//! Writing replay files.

use std::borrow::Cow;

use crate::Generation;
use gametape_wire::{Error, Result, Writer};

use super::MAX_FRAME_BYTES;
use super::header::{FileHeader, seal};
use crate::file::compress::pack;
use crate::file::dictionary::frame_dictionary;
use crate::setup::{Setup, SetupHeader, fit_u16};

/// How a file is written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteOptions {
    /// Compress map and frames where that makes them smaller. On by default.
    pub compress: bool,
    /// Compress frames with the dictionary (v0.1 only). Off by default: it gains next to nothing,
    /// and a reader must unpack the map before it can unpack the frames.
    pub dictionary: bool,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl WriteOptions {
    /// The default: compressed, without the dictionary.
    #[must_use]
    pub const fn new() -> Self {
        Self { compress: true, dictionary: false }
    }

    /// The same, with or without compression.
    #[must_use]
    pub const fn with_compress(mut self, compress: bool) -> Self {
        self.compress = compress;
        self
    }

    /// The same, with or without the dictionary.
    #[must_use]
    pub const fn with_dictionary(mut self, dictionary: bool) -> Self {
        self.dictionary = dictionary;
        self
    }
}

/// A replay file in the generation of the setup, or why that generation cannot hold it.
pub fn write_file(setup: &Setup, frames: &[u8], options: &WriteOptions) -> Result<Vec<u8>> {
    let encoded = setup.encode(options.compress)?;
    write_file_around(&[&encoded.header[..], &encoded.data].concat(), setup, frames, options)
}

/// A replay file around a setup that is stored already: the bytes of `setup` in its generation, as
/// [`ReplayFile::setup_bytes`](crate::ReplayFile::setup_bytes) gives them.
pub fn write_file_around(
    setup_bytes: &[u8],
    setup: &Setup,
    frames: &[u8],
    options: &WriteOptions,
) -> Result<Vec<u8>> {
    check_frames_fit(setup.generation, frames.len())?;
    let stored = match (options.compress, options.dictionary) {
        (true, true) => Cow::Owned(pack(frames, &setup_dictionary(setup)?).into_owned()),
        (true, false) => pack(frames, &[]),
        (false, false) => Cow::Borrowed(frames),
        (false, true) => return Err(Error::misuse("dictionary", "nothing is to be compressed")),
    };
    let header = FileHeader {
        checksums: [0; 3],
        frames_stored: stored.len() as u32,
        frames_raw: frames.len() as u32,
    };
    let mut w = Writer::new();
    header.write(&mut w, setup.generation);
    let data_start = w.as_bytes().len() + SetupHeader::length(setup.generation);
    w.bytes(setup_bytes).bytes(&stored);
    let mut file = w.into_bytes();
    let (frames_start, length) = (file.len() - stored.len(), file.len());
    seal(&mut file, data_start.min(frames_start)..frames_start, frames_start..length);
    Ok(file)
}

/// Can the generation announce frames of this length?
pub(crate) fn check_frames_fit(generation: Generation, length: usize) -> Result<()> {
    match generation {
        Generation::V01 => fit_u16(length, "frames").map(drop),
        Generation::Current if length as u64 <= MAX_FRAME_BYTES.max => Ok(()),
        Generation::Current => {
            Err(Error::misuse("frames", format!("{length} bytes are more than 1 GiB")))
        }
    }
}

fn setup_dictionary(setup: &Setup) -> Result<Vec<u8>> {
    match setup.generation {
        Generation::V01 => {
            Ok(frame_dictionary(&setup.map, setup.max_player, setup.cities.len() as u8))
        }
        Generation::Current => Err(Error::misuse("dictionary", "only v0.1 frames have one")),
    }
}
