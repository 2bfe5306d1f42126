//! Writing results: to stdout, or to a file that is there as a whole or not at all.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use gametape_cadre::show::Put as PutText;
use gametape_library::TableFormat;
use gametape_replay::{Put, lock_recording};
use gametape_wire::{Error, Result as WireResult};
use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::input::Source;
use crate::streams::{self, Stdout, Stream};

/// How much is gathered before it is written.
const BUFFER_BYTES: usize = 256 << 10;

/// Why a file is not replaced even if it may be.
const BEING_RECORDED: &str = "somebody is recording into it";

/// Where a result goes, `-` for standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    Stdout,
    File(PathBuf),
}

impl From<OsString> for Target {
    fn from(text: OsString) -> Self {
        if text == "-" { Self::Stdout } else { Self::File(text.into()) }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdout => f.write_str("-"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// May files be replaced? What `--force` says, which every command has.
static FORCE: AtomicBool = AtomicBool::new(false);

/// Lets every command replace files that exist.
pub(crate) fn allow_replacing() {
    FORCE.store(true, Ordering::Relaxed);
}

/// May files be replaced?
pub(crate) fn may_replace() -> bool {
    FORCE.load(Ordering::Relaxed)
}

/// A file exists and must not be replaced.
pub(crate) fn exists(name: &impl fmt::Display) -> Failure {
    Failure::usage(format_args!("{name} already exists; use --force to replace it"))
}

/// What a result is, which decides how the name of its file may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Tape,
    MineWars,
    Gamelog { is_gzip: bool },
    Picture,
    Film,
    Plot,
    Page,
    Table(TableFormat),
    Assembly,
    Json,
    Messages,
    ManualPage,
}

impl Kind {
    /// What it is called, and the extensions that it may have.
    const fn names(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Tape => ("a tape", &["tape"]),
            Self::MineWars => ("a MineWars recording", &["minewars"]),
            Self::Gamelog { is_gzip: true } => ("a gzipped gamelog", &["gz", "gamelog"]),
            Self::Gamelog { is_gzip: false } => {
                ("a gamelog", &["json", "gamelog", "jsonl", "ndjson"])
            }
            Self::Picture => ("a picture", &["png"]),
            Self::Film => ("moving pictures", &["gif", "webm"]),
            Self::Plot => ("a plot", &["png", "svg"]),
            Self::Page => ("a page", &["html", "htm"]),
            Self::Table(TableFormat::Csv) => ("such a table", &["csv"]),
            Self::Table(TableFormat::Parquet) => ("such a table", &["parquet"]),
            Self::Table(_) => ("such a table", &["jsonl", "ndjson", "json"]),
            Self::Assembly => ("assembly text", &["asm", "txt"]),
            Self::Json => ("lines of JSON", &["jsonl", "ndjson", "json"]),
            Self::Messages => ("messages without frames", &["bin"]),
            Self::ManualPage => ("a manual page", &["1"]),
        }
    }
}

impl Target {
    /// A usage error if the name of the file ends as that of something else. Names without an extension
    /// say nothing.
    pub(crate) fn check_extension(&self, kind: Kind) -> Result<(), Failure> {
        let Self::File(path) = self else { return Ok(()) };
        // A device is what it is, whatever it is called.
        let is_device = fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir());
        let Some(extension) = path.extension().map(OsStr::to_ascii_lowercase) else {
            return Ok(());
        };
        let (what, known) = kind.names();
        if is_device || known.iter().any(|known| extension == *known) {
            return Ok(());
        }
        let known: Vec<String> = known.iter().map(|known| format!(".{known}")).collect();
        Err(Failure::usage(format_args!(
            "{self}: the name of {what} ends in {}",
            known.join(" or ")
        )))
    }

    /// Does the name of the file end so?
    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        let Self::File(path) = self else { return false };
        path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension))
    }

    /// Opens the target of a command that reads `source`, which is never overwritten. A name that is
    /// not one for a result of this kind is refused.
    pub(crate) fn open(&self, kind: Kind, source: &Source) -> Result<Output, Failure> {
        self.check_apart(source)?;
        self.check_extension(kind)?;
        self.create(may_replace())
    }

    /// The same, whatever the name is.
    pub(crate) fn open_named(&self, source: &Source) -> Result<Output, Failure> {
        self.check_apart(source)?;
        self.create(may_replace())
    }

    fn create(&self, replace: bool) -> Result<Output, Failure> {
        match self {
            Self::File(path) => {
                let sink = Sink::create(path, replace).map_err(|error| self.failed(&error))?;
                Ok(Output::new(self.clone(), sink))
            }
            Self::Stdout => Ok(Output::stdout()),
        }
    }

    fn failed(&self, error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::AlreadyExists => exists(self),
            io::ErrorKind::ResourceBusy => Failure::refused(self, BEING_RECORDED),
            _ => Failure::io(self, error),
        }
    }

    /// A usage error if that is the file that `source` is read from.
    pub(crate) fn check_apart(&self, source: &Source) -> Result<(), Failure> {
        match (self, source) {
            (Self::File(target), Source::File(source)) if is_same_file(target, source) => {
                Err(Failure::usage(format_args!("{self} would overwrite the input")))
            }
            _ => Ok(()),
        }
    }

    /// Writes a whole result at once.
    pub(crate) fn write(&self, kind: Kind, source: &Source, bytes: &[u8]) -> Result<(), Failure> {
        let mut output = self.open(kind, source)?;
        output.put(bytes)?;
        output.finish()
    }
}

/// A target, and how it got its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Destination {
    pub(crate) target: Target,
    naming: Naming,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Naming {
    /// It was given on the command line, and must fit the result.
    Given,
    /// It is that of the source, in another folder.
    Kept,
    /// It is the source, which is replaced.
    InPlace,
}

impl From<Target> for Destination {
    fn from(target: Target) -> Self {
        Self { target, naming: Naming::Given }
    }
}

impl Destination {
    /// The file that is read, which its result replaces.
    pub(crate) fn in_place(path: PathBuf) -> Self {
        Self { target: Target::File(path), naming: Naming::InPlace }
    }

    /// The file of the same name as the source, and this at its end, in a folder, which is made if it is not there.
    pub(crate) fn in_folder(source: &Source, folder: &Path, ending: &str) -> Result<Self, Failure> {
        let name = match source {
            Source::File(path) => path.file_name(),
            Source::Address(address) => Path::new(address).file_name(),
            Source::Stdin => None,
        };
        let name = name.ok_or_else(|| Failure::usage(format_args!("{source} has no file name")))?;
        fs::create_dir_all(folder).map_err(|error| Failure::io(&folder.display(), &error))?;
        let mut path = folder.join(name).into_os_string();
        path.push(ending);
        Ok(Self { target: Target::File(path.into()), naming: Naming::Kept })
    }

    /// Opens the destination of what is made of `source`.
    pub(crate) fn open(&self, kind: Kind, source: &Source) -> Result<Output, Failure> {
        match self.naming {
            Naming::Given => self.target.open(kind, source),
            Naming::Kept => self.target.open_named(source),
            Naming::InPlace => self.target.create(true),
        }
    }
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

/// A result on its way. Without [`finish`](Self::finish) a file stays as it was.
pub(crate) struct Output {
    name: Target,
    sink: BufWriter<Sink>,
}

enum Sink {
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
    fn new(name: Target, sink: Sink) -> Self {
        Self { name, sink: BufWriter::with_capacity(BUFFER_BYTES, sink) }
    }

    /// Standard output, for machines: nothing is added or taken away.
    pub(crate) fn stdout() -> Self {
        Self::new(Target::Stdout, Sink::Stdout(Stdout))
    }

    /// Writes one JSON value and an end of line.
    pub(crate) fn put_json(&mut self, value: &impl serde::Serialize) -> Result<(), Failure> {
        let written = serde_json::to_writer(&mut self.sink, value);
        written.map_err(|error| Failure::io(&self.name, &error.into()))?;
        self.put(b"\n")
    }

    /// Writes bytes.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.sink.write_all(bytes).map_err(|error| Failure::io(&self.name, &error))
    }

    /// Hands on what was gathered.
    fn flush(&mut self) -> Result<(), Failure> {
        self.sink.flush().map_err(|error| Failure::io(&self.name, &error))
    }

    /// Everything was written: the target is replaced, or created.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let sink = self.sink.into_inner().map_err(io::IntoInnerError::into_error);
        sink.and_then(Sink::finish).map_err(|error| self.name.failed(&error))
    }

    /// Does work whose result comes piece by piece; `name` is what errors are about.
    pub(crate) fn fill<T>(
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
#[derive(Default)]
pub(crate) struct Unwritten(Option<Failure>);

impl Unwritten {
    /// Notes how writing a piece ended, and ends the work where it failed.
    pub(crate) fn note(&mut self, written: Result<(), Failure>) -> WireResult<()> {
        written.map_err(|failure| {
            self.0 = Some(failure);
            Error::misuse("result", "it cannot be written")
        })
    }

    /// How the work ended.
    pub(crate) fn conclude<T>(
        self,
        name: &impl fmt::Display,
        done: WireResult<T>,
    ) -> Result<T, Failure> {
        self.0.map_or_else(|| done.map_err(|error| Failure::of(name, &error)), Err)
    }
}

/// Prints text that comes in pieces; `name` is what errors are about.
pub(crate) fn print_pieces<T>(
    name: &impl fmt::Display,
    work: impl FnOnce(&mut PutText<'_>) -> WireResult<T>,
) -> Result<T, Failure> {
    let (mut printer, mut unwritten) = (Printer::new(), Unwritten::default());
    let done = work(&mut |piece| unwritten.note(printer.put(piece)));
    // What was made before an error is shown too.
    let printed = if unwritten.0.is_none() { printer.finish() } else { Ok(()) };
    unwritten.conclude(name, done).and_then(|done| printed.map(|()| done))
}

impl Sink {
    fn create(path: &Path, replace: bool) -> io::Result<Self> {
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

/// Prints a result for people to stdout: colours and styles in it show on a terminal only.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut printer = Printer::new();
    printer.put(format_args!("{text}"))?;
    printer.finish()
}

/// Prints to stdout what may be too long to be held as a whole, as [`print()`] does.
pub(crate) struct Printer {
    waiting: String,
}

impl Printer {
    pub(crate) fn new() -> Self {
        Self { waiting: String::new() }
    }

    /// Prints a piece.
    pub(crate) fn put(&mut self, piece: fmt::Arguments<'_>) -> Result<(), Failure> {
        use fmt::Write;
        let _ = self.waiting.write_fmt(piece);
        if self.waiting.len() < BUFFER_BYTES { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let written = streams::put(Stream::Text, self.waiting.as_bytes());
        self.waiting.clear();
        written.map_err(|error| Failure::io(&Target::Stdout, &error))
    }

    /// Everything was printed.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.flush()
    }
}

/// Many results, one line each: JSON for machines, or text for people.
pub(crate) enum Lines {
    Json(Output),
    Text(Printer),
}

impl Lines {
    pub(crate) fn new(json: bool) -> Self {
        if json { Self::Json(Output::stdout()) } else { Self::Text(Printer::new()) }
    }

    /// Prints a line.
    pub(crate) fn add(
        &mut self,
        row: &(impl serde::Serialize + fmt::Display),
    ) -> Result<(), Failure> {
        match self {
            Self::Json(stdout) => stdout.put_json(row),
            Self::Text(printer) => printer.put(format_args!("{}\n", row.to_string().trim_end())),
        }
    }

    /// Shows the lines so far.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        match self {
            Self::Json(stdout) => stdout.flush(),
            Self::Text(printer) => printer.flush(),
        }
    }

    /// Everything was printed.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Json(stdout) => stdout.finish(),
            Self::Text(printer) => printer.finish(),
        }
    }
}

/// Will colours show in what is printed to stdout?
pub(crate) fn colours_show() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// Prints a result for machines to stdout: one JSON value and an end of line.
pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let mut stdout = Output::stdout();
    stdout.put_json(value)?;
    stdout.finish()
}
