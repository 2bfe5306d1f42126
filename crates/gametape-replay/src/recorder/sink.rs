//! Where the bytes of a recording go.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

/// Takes the bytes of a tape, one after the other.
///
/// Only the writer's side calls it, so it may take its time. An error ends the recording, except
/// [`Interrupted`](io::ErrorKind::Interrupted), which is tried again.
pub trait Sink {
    /// Appends some of the bytes, and says how many; none is an error.
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize>;

    /// Returns when everything that was appended survives a loss of power.
    fn sync(&mut self) -> io::Result<()>;

    /// The recording ended, well or not: nothing more is appended. Called before anybody who waits for the
    /// end is reported, so what others may have then is given up here.
    fn release(&mut self) {}
}

/// A sink that holds a tape already, which can be read and cut: an interrupted recording can go on.
pub trait ResumableSink: Sink + Read + Seek {
    /// Keeps the first `length` bytes; appending goes on after them.
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

impl Sink for File {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }

    /// Another recorder may have the file.
    fn release(&mut self) {
        // Where that fails, closing the file does it.
        let _: io::Result<()> = self.unlock();
    }
}

impl ResumableSink for File {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)?;
        self.seek(SeekFrom::Start(length)).map(drop)
    }
}

/// A tape in memory.
impl Sink for Cursor<Vec<u8>> {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ResumableSink for Cursor<Vec<u8>> {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.get_mut().truncate(usize::try_from(length).unwrap_or(usize::MAX));
        self.set_position(length);
        Ok(())
    }
}
