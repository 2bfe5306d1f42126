//! What is printed to standard output, for people and for machines.

use std::fmt;

use gametape_cadre::show::Put as PutText;
use gametape_wire::Result as WireResult;

use crate::outcome::Failure;
use crate::output::{BUFFER_BYTES, Output, Unwritten};
use crate::streams::{self, Stream};
use crate::target::Target;

/// Prints a result for people to stdout: colours and styles in it show on a terminal only.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut printer = Printer::new();
    printer.put(format_args!("{text}"))?;
    printer.finish()
}

/// Prints to stdout what may be too long to be held as a whole, as [`print()`] does.
#[derive(Debug, Default)]
pub struct Printer {
    waiting: String,
}

impl Printer {
    /// Nothing is printed yet.
    #[must_use]
    pub fn new() -> Self {
        Self { waiting: String::new() }
    }

    /// Prints a piece.
    pub fn put(&mut self, piece: fmt::Arguments<'_>) -> Result<(), Failure> {
        use fmt::Write;
        let _ = self.waiting.write_fmt(piece);
        if self.waiting.len() < BUFFER_BYTES { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        // Nothing to print cannot fail, after what did.
        if self.waiting.is_empty() {
            return Ok(());
        }
        let written = streams::put(Stream::Text, self.waiting.as_bytes());
        self.waiting.clear();
        written.map_err(|error| Target::Stdout.failed(&error))
    }

    /// Everything was printed.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.flush()
    }
}

/// Many results, one line each: JSON for machines, or text for people.
#[derive(Debug)]
pub enum Lines {
    /// For machines.
    Json(Output),
    /// For people.
    Text(Printer),
}

impl Lines {
    /// No lines yet.
    #[must_use]
    pub fn new(json: bool) -> Self {
        if json { Self::Json(Output::stdout()) } else { Self::Text(Printer::new()) }
    }

    /// Prints a line.
    pub fn add(&mut self, row: &(impl serde::Serialize + fmt::Display)) -> Result<(), Failure> {
        match self {
            Self::Json(stdout) => stdout.put_json(row),
            Self::Text(printer) => printer.put(format_args!("{}\n", row.to_string().trim_end())),
        }
    }

    /// Shows the lines so far.
    pub fn flush(&mut self) -> Result<(), Failure> {
        match self {
            Self::Json(stdout) => stdout.flush(),
            Self::Text(printer) => printer.flush(),
        }
    }

    /// Everything was printed.
    pub fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Json(stdout) => stdout.finish(),
            Self::Text(printer) => printer.finish(),
        }
    }
}

/// Prints text that comes in pieces; `name` is what errors are about.
pub fn print_pieces<T>(
    name: &impl fmt::Display,
    work: impl FnOnce(&mut PutText<'_>) -> WireResult<T>,
) -> Result<T, Failure> {
    let (mut printer, mut unwritten) = (Printer::new(), Unwritten::default());
    let done = work(&mut |piece| unwritten.note(printer.put(piece)));
    // What was made before an error is shown too.
    let printed = if unwritten.is_nothing() { printer.finish() } else { Ok(()) };
    unwritten.conclude(name, done).and_then(|done| printed.map(|()| done))
}

/// Prints a result for machines to stdout: one JSON value and an end of line.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let mut stdout = Output::stdout();
    stdout.put_json(value)?;
    stdout.finish()
}
