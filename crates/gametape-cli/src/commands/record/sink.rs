//! Where the tape goes.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gametape_replay::{Sink, lock_recording};

use crate::failure::Failure;
use crate::output::{Target, exists};

/// A file or standard output.
pub(super) enum TapeSink {
    File(File),
    Stdout {
        stdout: io::Stdout,
        /// Becomes true when nobody reads it any more.
        is_closed: Arc<AtomicBool>,
    },
}

impl TapeSink {
    /// A file that is there already is refused, unless it is to be replaced. It is written as the
    /// match goes on, so that others can watch it and nothing is lost in a crash.
    pub(super) fn open(target: &Target, force: bool) -> Result<Self, Failure> {
        let Target::File(path) = target else {
            return Ok(Self::Stdout { stdout: io::stdout(), is_closed: Arc::default() });
        };
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

    /// Becomes true when nobody reads standard output any more.
    pub(super) fn is_closed(&self) -> Arc<AtomicBool> {
        match self {
            Self::File(_) => Arc::default(),
            Self::Stdout { is_closed, .. } => Arc::clone(is_closed),
        }
    }
}

impl Sink for TapeSink {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stdout { stdout, is_closed } => stdout.write(bytes).inspect_err(|error| {
                is_closed.fetch_or(error.kind() == io::ErrorKind::BrokenPipe, Ordering::Relaxed);
            }),
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        match self {
            // A pipe or device has nothing to sync.
            Self::File(file) => match file.sync_data() {
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
                synced => synced,
            },
            Self::Stdout { stdout, .. } => stdout.flush(),
        }
    }

    fn release(&mut self) {
        if let Self::File(file) = self {
            file.release();
        }
    }
}
