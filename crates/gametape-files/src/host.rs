//! The program around the work: where output goes, and what is shown while work goes on.

use std::cell::Cell;
use std::fmt::Display;
use std::io;
use std::sync::OnceLock;

use gametape_wire::text::count;

use crate::streams::Stream;

/// What a program shows. Every function has a default that shows nothing.
pub trait Host: Sync {
    /// Prints bytes at once.
    ///
    /// # Errors
    ///
    /// What the system says; [`io::ErrorKind::BrokenPipe`] ends the work without a message.
    fn print(&self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        let _ = (stream, bytes);
        Ok(())
    }

    /// Takes a message for people. Its text may quote a file.
    fn say(&self, saying: Saying, text: &str) {
        let _ = (saying, text);
    }

    /// Work on this many bytes begins, after which results are printed.
    fn watch_bytes(&self, label: &'static str, total: u64) -> Option<Box<dyn BytesBar>> {
        let _ = (label, total);
        None
    }

    /// Work on this many files begins.
    fn watch_files(&self, total: u64) -> Option<Box<dyn FilesBar>> {
        let _ = total;
        None
    }

    /// Work begins that does not say how far it is. It ends when what is returned is dropped.
    fn watch_wait(&self, label: &'static str) -> Option<Box<dyn std::fmt::Debug>> {
        let _ = label;
        None
    }
}

/// What kind of message it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Saying {
    /// Why there is no result.
    Error,
    /// What is wrong with a result.
    Warning,
    /// What was done.
    Note,
    /// How the work on many files ended.
    Summary,
}

/// How far work on bytes is. It ends when this is dropped.
pub trait BytesBar: Send + std::fmt::Debug {
    /// The work is at this byte. It may go back, where the bytes are gone through again.
    fn at(&mut self, done: u64);
}

/// How far work on files is. It ends when this is dropped.
pub trait FilesBar: Send + Sync + std::fmt::Debug {
    /// One more file is done.
    fn advance(&self);

    /// Prints without disturbing the bar.
    fn aside(&self, print: &mut dyn FnMut());
}

struct Silent;

impl Host for Silent {}

static HOST: OnceLock<&'static dyn Host> = OnceLock::new();

/// Makes this the program around all work from now on. The first call counts; before it nothing is shown.
pub fn set_host(host: &'static dyn Host) {
    let _ = HOST.set(host);
}

pub(crate) fn host() -> &'static dyn Host {
    HOST.get().copied().unwrap_or(&Silent)
}

thread_local! {
    /// Was something of an input lost before the work on it began?
    static INPUT_LOST: Cell<bool> = const { Cell::new(false) };
}

/// Was something of an input lost since the last call, on this thread?
#[must_use = "asking makes it forgotten"]
pub fn take_loss() -> bool {
    INPUT_LOST.take()
}

/// Warns that something of the file called `name` is not in what is worked on. Then the work does not end as if all
/// were well.
pub fn warn_of_loss(name: &impl Display, problem: impl Display) {
    INPUT_LOST.set(true);
    warn(name, problem);
}

/// Warns of something about the file called `name`.
pub fn warn(name: &impl Display, problem: impl Display) {
    host().say(Saying::Warning, &format!("{name}: {problem}"));
}

/// More warnings of one kind are counted, not shown.
const SHOWN_WARNINGS: usize = 10;

/// Warns of the first of several problems of the file called `name`, and says how many more there are of all.
pub fn warn_of_each<T: Display>(
    name: &impl Display,
    problems: impl IntoIterator<Item = T>,
    all: u64,
    noun: &str,
) {
    let mut shown = 0;
    for problem in problems.into_iter().take(SHOWN_WARNINGS) {
        warn(name, problem);
        shown += 1;
    }
    if all > shown {
        warn(name, format_args!("{} more like this", count(all - shown, noun)));
    }
}

/// Says what was done to the file called `name`.
pub fn note(name: &impl Display, what: impl Display) {
    host().say(Saying::Note, &format!("{name}: {what}"));
}

/// Does work that does not say how far it is; the program shows that it goes on.
pub fn waiting<T>(label: &'static str, work: impl FnOnce() -> T) -> T {
    let _shown = host().watch_wait(label);
    work()
}
