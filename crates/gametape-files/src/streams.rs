//! Standard output and standard error, in the order of the input.
//!
//! Work on one of many files runs while others do. Everything that it prints goes through [`put`],
//! which keeps it on the worker's page until its turn comes. Without a page it is printed at once.

use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::host::{FilesBar, host};

/// A page that holds more than this waits for its turn, so memory stays bounded.
const PAGE_BYTES: usize = 256 << 10;

/// Where something is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output, byte for byte.
    Data,
    /// Standard output, with styles that show on a terminal only.
    Text,
    /// Standard error, with styles that show on a terminal only.
    Messages,
}

thread_local! {
    static PAGE: RefCell<Option<Page>> = const { RefCell::new(None) };
}

/// Prints bytes, or keeps them until it is this worker's turn.
pub fn put(stream: Stream, bytes: &[u8]) -> io::Result<()> {
    PAGE.with_borrow_mut(|page| match page {
        Some(page) => page.put(stream, bytes),
        None => host().print(stream, bytes),
    })
}

/// Does this thread work on one of many files?
#[must_use]
pub fn is_on_page() -> bool {
    PAGE.with_borrow(Option::is_some)
}

/// Waits until it is this worker's turn, if it is one of many; `false` if it never will be.
#[must_use]
pub fn wait_for_turn() -> bool {
    let turn =
        PAGE.with_borrow(|page| page.as_ref().map(|page| (page.number, Arc::clone(&page.turns))));
    turn.is_none_or(|(number, turns)| turns.wait_for(number))
}

/// Does work whose output goes to a page; returns what it left there.
pub(crate) fn on_page<T>(page: Page, work: impl FnOnce() -> T) -> (T, Kept) {
    PAGE.set(Some(page));
    let result = work();
    let kept = PAGE.take().map(|page| page.kept).unwrap_or_default();
    (result, kept)
}

/// Standard output, byte for byte.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stdout;

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        put(Stream::Data, bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Output that waits to be printed.
#[derive(Debug, Default)]
pub(crate) struct Kept(Vec<(Stream, Vec<u8>)>);

impl Kept {
    fn add(&mut self, stream: Stream, bytes: &[u8]) {
        match self.0.last_mut() {
            Some((last, kept)) if *last == stream => kept.extend_from_slice(bytes),
            _ => self.0.push((stream, bytes.to_vec())),
        }
    }

    fn bytes(&self) -> usize {
        self.0.iter().map(|(_, bytes)| bytes.len()).sum()
    }

    /// Prints it.
    pub(crate) fn print(&self) -> io::Result<()> {
        self.0.iter().try_for_each(|(stream, bytes)| host().print(*stream, bytes))
    }
}

/// What the work on one file prints.
#[derive(Debug)]
pub(crate) struct Page {
    number: usize,
    turns: Arc<Turns>,
    kept: Kept,
}

impl Page {
    /// The empty page of the file with this number.
    pub(crate) fn new(number: usize, turns: &Arc<Turns>) -> Self {
        Self { number, turns: Arc::clone(turns), kept: Kept::default() }
    }

    fn put(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        if self.kept.bytes() + bytes.len() <= PAGE_BYTES {
            self.kept.add(stream, bytes);
            return Ok(());
        }
        if !self.turns.wait_for(self.number) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.turns.print(|| {
            std::mem::take(&mut self.kept).print()?;
            host().print(stream, bytes)
        })
    }
}

/// Whose turn it is to print.
#[derive(Debug)]
pub(crate) struct Turns {
    state: Mutex<Turn>,
    changed: Condvar,
    bar: Option<Box<dyn FilesBar>>,
}

#[derive(Debug, Default)]
struct Turn {
    number: usize,
    is_stopped: bool,
}

impl Turns {
    /// The turn of number 0. What is printed is printed above the bar.
    pub(crate) fn new(bar: Option<Box<dyn FilesBar>>) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), changed: Condvar::new(), bar })
    }

    fn lock(&self) -> MutexGuard<'_, Turn> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is the turn of `number` or of a later one; `false` if it never will be.
    pub(crate) fn wait_for(&self, number: usize) -> bool {
        let is_early = |turn: &mut Turn| turn.number < number && !turn.is_stopped;
        let turn = self.changed.wait_while(self.lock(), is_early);
        !turn.unwrap_or_else(PoisonError::into_inner).is_stopped
    }

    /// It is the next one's turn.
    pub(crate) fn pass(&self) {
        self.lock().number += 1;
        self.changed.notify_all();
        if let Some(bar) = &self.bar {
            bar.advance();
        }
    }

    /// Nobody has a turn any more.
    pub(crate) fn stop(&self) {
        self.lock().is_stopped = true;
        self.changed.notify_all();
    }

    /// Prints without disturbing the bar.
    pub(crate) fn print<E>(&self, mut print: impl FnMut() -> Result<(), E>) -> Result<(), E> {
        let Some(bar) = &self.bar else { return print() };
        let mut printed = Ok(());
        bar.aside(&mut || printed = print());
        printed
    }
}
