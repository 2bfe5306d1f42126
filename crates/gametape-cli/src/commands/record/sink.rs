//! Where the tape goes.

use std::fs::File;
use std::io::{self, Write};

use gametape_replay::{Sink, lock_recording};

use crate::failure::Failure;
use crate::output::{Target, exists};

/// A file or standard output.
pub(super) enum TapeSink {
    File(File),
    Stdout(io::Stdout),
}

impl TapeSink {
    /// A file that is there already is refused, unless it is to be replaced. It is written as the
    /// match goes on, so that others can watch it and nothing is lost in a crash.
    pub(super) fn open(target: &Target, force: bool) -> Result<Self, Failure> {
        let Target::File(path) = target else { return Ok(Self::Stdout(io::stdout())) };
        if path.is_dir() {
            return Err(Failure::usage(format_args!("{target} is a folder: name a file in it")));
        }
        let mut options = File::options();
        let options = options.write(true).create(force).create_new(!force);
        match options.open(path) {
            Ok(file) => {
                let problem = "somebody is recording into it";
                lock_recording(&file).map_err(|_| Failure::refused(target, problem))?;
                file.set_len(0).map_err(|error| Failure::io(target, &error))?;
                Ok(Self::File(file))
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(exists(target)),
            Err(error) => Err(Failure::io(target, &error)),
        }
    }
}

impl Sink for TapeSink {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        match self {
            // A pipe or device has nothing to sync.
            Self::File(file) => match file.sync_data() {
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
                synced => synced,
            },
            Self::Stdout(stdout) => stdout.flush(),
        }
    }

    fn release(&mut self) {
        if let Self::File(file) = self {
            file.release();
        }
    }
}
