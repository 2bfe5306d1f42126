//! Old segments of a view, in a file without a name: it is gone when the server is, however that ends.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

/// Bytes that are appended and read again.
#[derive(Debug, Default)]
pub(crate) struct Spool {
    file: Option<File>,
    end: u64,
    /// What could not be written, in order.
    lost: Vec<Range<u64>>,
}

impl Spool {
    /// Appends bytes. What cannot be written is lost, and those after it have their place all the same.
    pub(crate) fn append(&mut self, pieces: &[impl AsRef<[u8]>]) -> io::Result<()> {
        let start = self.end;
        self.end += pieces.iter().map(|piece| piece.as_ref().len() as u64).sum::<u64>();
        let written = self.write_at(start, pieces);
        if written.is_err() {
            self.lose(start..self.end);
        }
        written
    }

    fn write_at(&mut self, start: u64, pieces: &[impl AsRef<[u8]>]) -> io::Result<()> {
        let mut file = match &self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile()?),
        };
        file.seek(SeekFrom::Start(start))?;
        pieces.iter().try_for_each(|piece| file.write_all(piece.as_ref()))
    }

    fn lose(&mut self, range: Range<u64>) {
        match self.lost.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => self.lost.push(range),
        }
    }

    /// Is some of this lost? What is lost lies in its order: a disk may be full often, and everybody who reads asks.
    fn has_lost(&self, range: &Range<u64>) -> bool {
        let next = self.lost.partition_point(|lost| lost.end <= range.start);
        self.lost.get(next).is_some_and(|lost| lost.start < range.end)
    }

    /// Bytes that were appended; `None` where they are lost.
    pub(crate) fn read(&self, range: &Range<u64>) -> Option<Vec<u8>> {
        if range.end > self.end || self.has_lost(range) {
            return None;
        }
        let mut bytes = vec![0; usize::try_from(range.end - range.start).ok()?];
        let mut file = self.file.as_ref()?;
        file.seek(SeekFrom::Start(range.start)).ok()?;
        file.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }
}

#[cfg(test)]
impl Spool {
    /// A spool in this file.
    pub(super) fn on(file: File) -> Self {
        Self { file: Some(file), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_appended_is_read_again() {
        let mut spool = Spool::default();
        assert_eq!(spool.read(&(0..1)), None);
        spool.append(&[b"abc", b"def"]).unwrap();
        spool.append(&[b"ghi"]).unwrap();
        assert_eq!(spool.read(&(2..8)).unwrap(), b"cdefgh");
        assert_eq!(spool.read(&(8..10)), None);
    }

    #[test]
    fn what_is_lost_is_found_wherever_it_is() {
        // Bytes 10 to 19, 30 to 39 and so on are lost, and a last piece of one byte.
        let mut spool = Spool { end: 1001, ..Spool::default() };
        (0..50).for_each(|n| spool.lose(20 * n + 10..20 * n + 20));
        spool.lose(1000..1001);
        assert_eq!(spool.lost.len(), 50, "what follows is one loss");
        for start in 0..1001 {
            for end in start + 1..=(start + 25).min(1001) {
                let is_lost = (start..end).any(|at| at == 1000 || at / 10 % 2 == 1);
                assert_eq!(spool.has_lost(&(start..end)), is_lost, "{start}..{end}");
            }
        }
    }

    /// A file that is always full.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_loses_what_cannot_be_written_and_nothing_else() {
        let mut spool = Spool::default();
        spool.append(&[b"abc"]).unwrap();
        let good = spool.file.take();
        spool.file = Some(File::options().read(true).write(true).open("/dev/full").unwrap());
        for bytes in [b"def", b"ghi"] {
            let error = spool.append(&[bytes]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
        spool.file = good;
        spool.append(&[b"jkl"]).unwrap();
        assert!(spool.lost.len() == 1 && spool.lost[0] == (3..9), "{:?}", spool.lost);
        assert_eq!(spool.read(&(0..3)).unwrap(), b"abc");
        assert_eq!(spool.read(&(9..12)).unwrap(), b"jkl");
        for gone in [3..9, 4..5, 2..4, 8..10] {
            assert_eq!(spool.read(&gone), None, "{gone:?}");
        }
    }
}
