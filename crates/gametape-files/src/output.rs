//! Results on their way: to standard output, or to a file that is there as a whole or not at all.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use gametape_replay::{Put, lock_recording};
use gametape_wire::{Error, Result as WireResult};
use tempfile::NamedTempFile;

use crate::outcome::Failure;
use crate::streams::Stdout;
use crate::target::Target;

/// How much is gathered before it is written.
pub(crate) const BUFFER_BYTES: usize = 256 << 10;

/// A result on its way. Without [`finish`](Self::finish) a file stays as it was.
#[derive(Debug)]
pub struct Output {
    name: Target,
    sink: BufWriter<Sink>,
}

#[derive(Debug)]
pub(crate) enum Sink {
    Stdout(Stdout),
    /// Something that is there and is no ordinary file, such as a pipe or a device.
    Device(File),
    /// Becomes the target once it is complete.
    Temporary {
        file: NamedTempFile,
        path: PathBuf,
        /// The file that it replaces, locked: nobody begins to record into it.
        replaced: Option<File>,
        replace: bool,
    },
}

impl Output {
    pub(crate) fn new(name: Target, sink: Sink) -> Self {
        Self { name, sink: BufWriter::with_capacity(BUFFER_BYTES, sink) }
    }

    /// Standard output, for machines: nothing is added or taken away.
    #[must_use]
    pub fn stdout() -> Self {
        Self::new(Target::Stdout, Sink::Stdout(Stdout))
    }

    /// Writes one JSON value and an end of line.
    pub fn put_json(&mut self, value: &impl serde::Serialize) -> Result<(), Failure> {
        let written = serde_json::to_writer(&mut self.sink, value);
        written.map_err(|error| self.name.failed(&error.into()))?;
        self.put(b"\n")
    }

    /// Writes bytes.
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.sink.write_all(bytes).map_err(|error| self.name.failed(&error))
    }

    /// Hands on what was gathered.
    pub fn flush(&mut self) -> Result<(), Failure> {
        self.sink.flush().map_err(|error| self.name.failed(&error))
    }

    /// Everything was written: the target is replaced, or created.
    pub fn finish(self) -> Result<(), Failure> {
        let sink = self.sink.into_inner().map_err(io::IntoInnerError::into_error);
        sink.and_then(Sink::finish).map_err(|error| self.name.failed(&error))
    }

    /// Does work whose result comes piece by piece; `name` is what errors are about.
    pub fn fill<T>(
        &mut self,
        name: &impl fmt::Display,
        work: impl FnOnce(&mut Put<'_>) -> WireResult<T>,
    ) -> Result<T, Failure> {
        let mut unwritten = Unwritten::default();
        let done = work(&mut |bytes| unwritten.note(self.put(bytes)));
        unwritten.conclude(name, done)
    }
}

/// Why a piece of a result could not be written, which ends the work that makes it.
#[derive(Debug, Default)]
pub struct Unwritten(Option<Failure>);

impl Unwritten {
    /// Notes how writing a piece ended, and ends the work where it failed.
    pub fn note(&mut self, written: Result<(), Failure>) -> WireResult<()> {
        written.map_err(|failure| {
            self.0 = Some(failure);
            Error::misuse("result", "it cannot be written")
        })
    }

    /// Was everything written?
    pub(crate) fn is_nothing(&self) -> bool {
        self.0.is_none()
    }

    /// How the work ended.
    pub fn conclude<T>(self, name: &impl fmt::Display, done: WireResult<T>) -> Result<T, Failure> {
        self.0.map_or_else(|| done.map_err(|error| Failure::of(name, &error)), Err)
    }
}

impl Sink {
    pub(crate) fn create(path: &Path, replace: bool) -> io::Result<Self> {
        // A link stays a link: the file that it leads to is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let there = fs::metadata(&path);
        match &there {
            Ok(there) if there.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(there) if !there.is_file() => {
                return File::options().write(true).open(&path).map(Self::Device);
            }
            Ok(_) if !replace => return Err(io::ErrorKind::AlreadyExists.into()),
            _ => {}
        }
        // Who cannot read a file may still replace it; then nothing is known about a recorder.
        let replaced = there.is_ok().then(|| File::open(&path).ok()).flatten();
        if replaced.as_ref().is_some_and(|file| lock_recording(file).is_err()) {
            return Err(io::ErrorKind::ResourceBusy.into());
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let file = temporary_builder().tempfile_in(folder.unwrap_or(Path::new(".")))?;
        if let Ok(there) = there {
            file.as_file().set_permissions(there.permissions())?;
        }
        Ok(Self::Temporary { file, path, replaced, replace })
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Stdout(mut stdout) => stdout.flush(),
            Self::Device(mut file) => file.flush(),
            Self::Temporary { file, path, replaced, replace: true } => {
                // The old file must not be gone before the new one is on disk.
                file.as_file().sync_data()?;
                let persisted = file.persist(path).map(drop).map_err(|error| error.error);
                drop(replaced);
                persisted
            }
            Self::Temporary { file, path, replace: false, .. } => {
                file.persist_noclobber(path).map(drop).map_err(|error| error.error)
            }
        }
    }
}

/// Temporary files are private by default, but these become ordinary ones.
fn temporary_builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".gametape-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::Device(file) => file.write(bytes),
            Self::Temporary { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::Device(file) => file.flush(),
            Self::Temporary { file, .. } => file.flush(),
        }
    }
}
