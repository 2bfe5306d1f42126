//! The tapes of a match that is watched, as files.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use gametape_live::Notice;
use gametape_replay::Put;
use gametape_replay::merge::{MergeInput, merge};
use gametape_wire::{Error, Result, Tick};
use tempfile::TempDir;

use crate::watch::Seen;

/// Writes what is seen into files, which are gone when it is dropped: a tape for the start, and another one after
/// each seek.
#[derive(Debug)]
pub struct KeptTapes {
    folder: TempDir,
    tapes: Vec<Kept>,
}

#[derive(Debug)]
struct Kept {
    path: PathBuf,
    file: File,
    first: Tick,
}

impl KeptTapes {
    /// Nothing was seen yet.
    pub fn new() -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("gametape-").tempdir();
        Ok(Self { folder: folder.map_err(unwritable)?, tapes: Vec::new() })
    }

    /// Takes what was seen, if it belongs in a tape.
    pub fn take(&mut self, seen: &Seen) -> Result<()> {
        match seen {
            Seen::Notice(Notice::Began { tick }) => {
                let path = self.folder.path().join(format!("live-{}.tape", self.tapes.len() + 1));
                let file = File::create_new(&path).map_err(unwritable)?;
                self.tapes.push(Kept { path, file, first: *tick });
                Ok(())
            }
            Seen::Tape(bytes) => match self.tapes.last_mut() {
                Some(kept) => kept.file.write_all(bytes).map_err(unwritable),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// How many tapes there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.tapes.len()
    }

    /// The file of the tape that grows, and its first tick.
    #[must_use]
    pub fn present(&self) -> Option<(&Path, Tick)> {
        self.tapes.last().map(|kept| (kept.path.as_path(), kept.first))
    }

    /// Everything that was seen as one tape; several are joined.
    pub fn save(&self, put: &mut Put<'_>) -> Result<()> {
        match &self.tapes[..] {
            [] => Err(Error::misuse("tape", "nothing was seen")),
            [only] => copy(&only.path, put),
            several => {
                let open = |kept: &Kept| {
                    let file = File::open(&kept.path).map_err(unwritable)?;
                    MergeInput::open(kept.path.display().to_string(), file)
                };
                let mut inputs: Vec<MergeInput<File>> =
                    several.iter().map(open).collect::<Result<_>>()?;
                merge(&mut inputs, put).map(drop)
            }
        }
    }
}

fn copy(path: &Path, put: &mut Put<'_>) -> Result<()> {
    let mut file = File::open(path).map_err(unwritable)?;
    let mut piece = vec![0; 1 << 20];
    loop {
        match file.read(&mut piece).map_err(unwritable)? {
            0 => return Ok(()),
            length => put(&piece[..length])?,
        }
    }
}

fn unwritable(error: std::io::Error) -> Error {
    Error::unwritable(0, "tape of what is seen", error)
}
