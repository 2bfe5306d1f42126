//! A match that is being published: one publisher, which those who give and those who send share.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gametape_live::{Again, Data, JournalStart, MatchName, Publisher, Shared};
use gametape_wire::{Error, Result};
use tokio::sync::watch;

/// Bytes of messages of each view that are kept in memory; the journal has everything.
pub(crate) const WINDOW: usize = 8 << 20;
/// Bytes of the journal that are read at once.
const PIECE: usize = 64 << 10;

/// A match that is being published. Whoever gives something never waits for a connection: what does not
/// fit into memory is read from the journal again when a relay needs it.
#[derive(Debug, Clone)]
pub struct Broadcast {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    publisher: Mutex<Publisher>,
    /// Counts what was given.
    given: watch::Sender<u64>,
    began: Instant,
}

impl Broadcast {
    /// Publishes what this publisher is given.
    #[must_use]
    pub fn new(publisher: Publisher) -> Self {
        let (publisher, given) = (Mutex::new(publisher), watch::Sender::new(0));
        Self { inner: Arc::new(Inner { publisher, given, began: Instant::now() }) }
    }

    /// Gives something to the publisher, and wakes those who send.
    pub fn give<T>(&self, give: impl FnOnce(&mut Publisher, Duration) -> T) -> T {
        let given = self.look(give);
        self.inner.given.send_modify(|count| *count = count.wrapping_add(1));
        given
    }

    /// Does something with the publisher that is nothing new for those who send.
    pub fn look<T>(&self, look: impl FnOnce(&mut Publisher, Duration) -> T) -> T {
        let now = self.inner.began.elapsed();
        // Nothing that holds the lock panics; if it did, what it guards would still be whole.
        let publisher = self.inner.publisher.lock();
        look(&mut publisher.unwrap_or_else(PoisonError::into_inner), now)
    }

    /// Changes whenever something was given.
    pub(crate) fn given(&self) -> watch::Receiver<u64> {
        self.inner.given.subscribe()
    }
}

/// A journal that is read a second time, for messages that memory has no more.
#[derive(Debug)]
pub struct Rereader {
    path: PathBuf,
    name: MatchName,
    reading: Option<Reading>,
}

/// How far it came.
#[derive(Debug)]
struct Reading {
    file: File,
    publisher: Publisher,
}

impl Rereader {
    /// The journal with this path, of the match of this name.
    #[must_use]
    pub fn new(path: &Path, name: MatchName) -> Self {
        Self { path: path.to_owned(), name, reading: None }
    }

    /// The messages that are wanted, as far as the journal has them; the first of them at least, if it has any.
    pub fn messages(&mut self, wanted: &[Again]) -> Result<Vec<Shared>> {
        let mut found = Found::new(wanted);
        // What it has just read is often what is wanted next; else it begins again.
        if let Some(reading) = &mut self.reading {
            reading.search(&mut found)?;
        }
        if !found.is_all() {
            let mut reading = self.open()?;
            reading.search(&mut found)?;
            self.reading = Some(reading);
        }
        Ok(found.messages)
    }

    fn open(&self) -> Result<Reading> {
        let mut file = open(&self.path)?;
        let mut bytes = Vec::new();
        let start = loop {
            if let Some(start) = JournalStart::read(&bytes)? {
                break start;
            }
            if read_piece(&mut file, &mut bytes)? == 0 {
                return Err(Error::misuse("journal", "it became shorter"));
            }
        };
        let mut publisher = start.publisher(self.name.clone(), WINDOW)?;
        publisher.follow(&bytes, Duration::ZERO)?;
        Ok(Reading { file, publisher })
    }
}

impl Reading {
    /// Reads on until everything is found, or there is no more.
    fn search(&mut self, found: &mut Found) -> Result<()> {
        found.take(&self.publisher);
        while !found.is_all() && self.read_on()? {
            found.take(&self.publisher);
        }
        Ok(())
    }

    /// Reads a piece; false where there is no more now.
    fn read_on(&mut self) -> Result<bool> {
        let mut piece = Vec::new();
        let length = read_piece(&mut self.file, &mut piece)?;
        self.publisher.follow(&piece, Duration::ZERO)?;
        Ok(length > 0)
    }
}

/// What was found of what is wanted.
struct Found {
    messages: Vec<Shared>,
    /// What is still wanted: numbers are found in their order.
    wanted: Vec<Again>,
}

impl Found {
    fn new(wanted: &[Again]) -> Self {
        Self { messages: Vec::new(), wanted: wanted.to_vec() }
    }

    fn take(&mut self, publisher: &Publisher) {
        for again in &mut self.wanted {
            for bytes in publisher.messages(again) {
                let number = Data::read(&bytes).ok().flatten().map(|data| data.number);
                // Only those without a hole before them: the search goes on after the last.
                if number == Some(again.numbers.start) {
                    again.numbers.start += 1;
                    self.messages.push(bytes);
                }
            }
        }
        self.wanted.retain(|again| !again.numbers.is_empty());
    }

    fn is_all(&self) -> bool {
        self.wanted.is_empty()
    }
}

pub(crate) fn open(path: &Path) -> Result<File> {
    File::open(path).map_err(|error| Error::unreadable(0, "journal", error))
}

/// Reads a piece more; 0 where there is none now.
pub(crate) fn read_piece(file: &mut File, bytes: &mut Vec<u8>) -> Result<usize> {
    let read = Read::by_ref(file).take(PIECE as u64).read_to_end(bytes);
    read.map_err(|error| Error::unreadable(bytes.len() as u64, "journal", error))
}
