//! Where results go, and which names and files they may have.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fmt, fs, io};

use crate::outcome::Failure;
use crate::output::{Output, Sink};
use crate::source::Source;

/// Why a file is not replaced even if it may be.
const BEING_RECORDED: &str = "somebody is recording into it";

/// Where a result goes, `-` for standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Standard output.
    Stdout,
    /// The file with this path.
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
pub fn allow_replacing() {
    FORCE.store(true, Ordering::Relaxed);
}

/// May files be replaced?
#[must_use]
pub fn may_replace() -> bool {
    FORCE.load(Ordering::Relaxed)
}

/// A file exists and must not be replaced.
#[must_use]
pub fn exists(name: &impl fmt::Display) -> Failure {
    Failure::usage(format_args!("{name} already exists; use --force to replace it"))
}

/// What a result is, which decides how the name of its file may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A tape.
    Tape,
    /// A MineWars recording.
    MineWars,
    /// A gamelog.
    Gamelog {
        /// Is it compressed?
        is_gzip: bool,
    },
    /// One picture.
    Picture,
    /// Moving pictures.
    Film,
    /// Curves.
    Plot,
    /// A page for browsers.
    Page,
    /// A table of a format with these extensions.
    Table(&'static [&'static str]),
    /// Assembly text.
    Assembly,
    /// Lines of JSON.
    Json,
    /// Messages without frames.
    Messages,
    /// A manual page.
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
            Self::Table(extensions) => ("such a table", extensions),
            Self::Assembly => ("assembly text", &["asm", "txt"]),
            Self::Json => ("lines of JSON", &["jsonl", "ndjson", "json"]),
            Self::Messages => ("messages without frames", &["bin"]),
            Self::ManualPage => ("a manual page", &["1"]),
        }
    }
}

impl Target {
    /// What messages call it.
    #[must_use]
    pub fn title(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Stdout => "standard output".to_owned(),
        }
    }

    /// A usage error if the name of the file ends as that of something else. Names without an extension
    /// say nothing.
    pub fn check_extension(&self, kind: Kind) -> Result<(), Failure> {
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
    #[must_use]
    pub fn has_extension(&self, extension: &str) -> bool {
        let Self::File(path) = self else { return false };
        path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension))
    }

    /// Opens the target of a command that reads `source`, which is never overwritten. A name that is
    /// not one for a result of this kind is refused.
    pub fn open(&self, kind: Kind, source: &Source) -> Result<Output, Failure> {
        self.check_apart(source)?;
        self.check_extension(kind)?;
        self.create(may_replace())
    }

    /// The same, whatever the name is.
    pub fn open_named(&self, source: &Source) -> Result<Output, Failure> {
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

    pub(crate) fn failed(&self, error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::AlreadyExists => exists(self),
            io::ErrorKind::ResourceBusy => Failure::refused(self, BEING_RECORDED),
            io::ErrorKind::IsADirectory => {
                Failure::usage(format_args!("{self} is a folder: name a file in it"))
            }
            _ => Failure::io(&self.title(), error),
        }
    }

    /// A usage error if that is the file that `source` is read from.
    pub fn check_apart(&self, source: &Source) -> Result<(), Failure> {
        match (self, source) {
            (Self::File(target), Source::File(source)) if is_same_file(target, source) => {
                Err(Failure::usage(format_args!("{self} would overwrite the input")))
            }
            _ => Ok(()),
        }
    }

    /// Writes a whole result at once.
    pub fn write(&self, kind: Kind, source: &Source, bytes: &[u8]) -> Result<(), Failure> {
        let mut output = self.open(kind, source)?;
        output.put(bytes)?;
        output.finish()
    }
}

/// A target, and how it got its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// Where the result goes.
    pub target: Target,
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
    #[must_use]
    pub fn in_place(path: PathBuf) -> Self {
        Self { target: Target::File(path), naming: Naming::InPlace }
    }

    /// Does the result replace the file that is read?
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        self.naming == Naming::InPlace
    }

    /// The file of the same name as the source, in a folder, which is made if it is not there. Where this is not at the
    /// end of the name, it is added.
    pub fn in_folder(source: &Source, folder: &Path, ending: &str) -> Result<Self, Failure> {
        let name = match source {
            Source::File(path) => path.file_name(),
            Source::Address(address) => Path::new(address).file_name(),
            Source::Stdin => None,
        };
        let name = name.ok_or_else(|| Failure::usage(format_args!("{source} has no file name")))?;
        make_folder(folder)?;
        let mut path = folder.join(name).into_os_string();
        if !path.as_encoded_bytes().ends_with(ending.as_bytes()) {
            path.push(ending);
        }
        Ok(Self { target: Target::File(path.into()), naming: Naming::Kept })
    }

    /// Opens the destination of what is made of `source`.
    pub fn open(&self, kind: Kind, source: &Source) -> Result<Output, Failure> {
        match self.naming {
            Naming::Given => self.target.open(kind, source),
            Naming::Kept => self.target.open_named(source),
            Naming::InPlace => self.target.create(true),
        }
    }
}

/// Makes a folder for results, unless it is there.
pub fn make_folder(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::usage(format_args!(
            "{} is a file, and a folder is needed here",
            path.display()
        )),
        _ => Failure::io(&path.display(), &error),
    })
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}
