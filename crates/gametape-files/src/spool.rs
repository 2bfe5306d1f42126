//! What comes through pipes or from addresses, kept in files as long as it is used.

use std::io::{self, Write};

use tempfile::NamedTempFile;

use crate::outcome::Failure;
use crate::source::Source;

/// Sources of which each is a file. Those that came through pipes or from addresses are gone when this is dropped.
#[derive(Debug)]
pub struct Spooled {
    sources: Vec<Source>,
    _kept: Vec<NamedTempFile>,
}

impl Spooled {
    /// The same sources; what is no file or folder is copied into one. Only recordings are: a device may have no end.
    pub fn new(mut sources: Vec<Source>) -> Result<Self, Failure> {
        Source::check_stdin(&sources)?;
        let mut kept = Vec::new();
        for source in sources.iter_mut().filter(|source| is_pipe(source)) {
            let bytes = source.read_recording()?;
            let file = copied(&bytes).map_err(|error| Failure::io(source, &error))?;
            *source = Source::File(file.path().to_owned());
            kept.push(file);
        }
        Ok(Self { sources, _kept: kept })
    }

    /// The files and folders.
    #[must_use]
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }
}

fn is_pipe(source: &Source) -> bool {
    match source {
        Source::Stdin | Source::Address(_) => true,
        Source::File(path) => {
            path.metadata().is_ok_and(|about| !about.is_file() && !about.is_dir())
        }
    }
}

fn copied(bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("recording-").tempfile()?;
    file.write_all(bytes)?;
    Ok(file)
}
