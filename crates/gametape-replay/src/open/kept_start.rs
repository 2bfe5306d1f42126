//! The first bytes of a source, read once.

use std::borrow::Cow;
use std::ops::Range;

use gametape_wire::{Result, Source};

use super::SNIFFED_BYTES;

/// A source whose first bytes are read at once and kept: whoever has looked at what a recording is does
/// not read them again to open it.
///
/// ```
/// use gametape_replay::open::KeptStart;
/// use gametape_wire::Source;
///
/// let mut source = KeptStart::new(&b"tape"[..]);
/// assert_eq!(source.fetch(1..3)?.as_ref(), b"ap"); // Reads all four.
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct KeptStart<S> {
    source: S,
    start: Vec<u8>,
}

impl<S: Source> KeptStart<S> {
    /// A source of which nothing was read.
    pub fn new(source: S) -> Self {
        Self { source, start: Vec::new() }
    }

    /// The source itself.
    pub fn into_inner(self) -> S {
        self.source
    }

    /// The source itself.
    pub fn get_ref(&self) -> &S {
        &self.source
    }

    /// The first [`SNIFFED_BYTES`], or all where there are fewer.
    pub fn start(&mut self) -> Result<&[u8]> {
        if self.start.is_empty() {
            let length = self.source.length().min(SNIFFED_BYTES as u64);
            self.start = self.source.fetch(0..length)?.into_owned();
        }
        Ok(&self.start)
    }
}

impl<S: Source> Source for KeptStart<S> {
    fn length(&self) -> u64 {
        self.source.length()
    }

    fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        if range.start >= SNIFFED_BYTES as u64 || range.end > self.length() {
            return self.source.fetch(range);
        }
        let kept = self.start()?.len() as u64;
        if range.end <= kept {
            return Ok(Cow::Borrowed(&self.start[range.start as usize..range.end as usize]));
        }
        if kept <= range.start {
            return self.source.fetch(range);
        }
        let mut bytes = self.start[range.start as usize..].to_vec();
        bytes.extend_from_slice(&self.source.fetch(kept..range.end)?);
        Ok(Cow::Owned(bytes))
    }

    fn prepare(&mut self, ranges: &[Range<u64>]) -> Result<()> {
        self.source.prepare(ranges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Counting {
        bytes: Vec<u8>,
        fetched: Vec<Range<u64>>,
    }

    impl Source for Counting {
        fn length(&self) -> u64 {
            self.bytes.len() as u64
        }

        fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
            self.fetched.push(range.clone());
            self.bytes.fetch(range)
        }
    }

    fn counting(length: usize) -> KeptStart<Counting> {
        let bytes = (0..length).map(|index| (index % 251) as u8).collect();
        KeptStart::new(Counting { bytes, fetched: Vec::new() })
    }

    #[test]
    fn the_start_is_read_once_and_the_rest_as_asked() {
        const KEPT: u64 = SNIFFED_BYTES as u64;
        let mut source = counting(100_000);
        let expected = source.get_ref().bytes.clone();
        let ranges = [4..9, 0..KEPT, KEPT - 1..KEPT + 7, KEPT..KEPT + 1, 90_000..100_000, 0..1];
        for range in ranges {
            let bytes = source.fetch(range.clone()).unwrap().into_owned();
            assert_eq!(bytes, expected[range.start as usize..range.end as usize], "{range:?}");
        }
        let fetched = [0..KEPT, KEPT..KEPT + 7, KEPT..KEPT + 1, 90_000..100_000];
        assert_eq!(source.get_ref().fetched, fetched);
        assert!(source.fetch(99_999..100_001).is_err() && source.fetch(0..100_001).is_err());
    }

    /// A tape that is being recorded: what was not there yet is read when it is.
    #[test]
    fn a_source_that_grows_is_followed() {
        let mut source = counting(10);
        assert_eq!(source.start().unwrap().len(), 10);
        source.source.bytes.extend([7; 10]);
        assert_eq!(source.fetch(8..12).unwrap().as_ref(), [8, 9, 7, 7]);
        assert_eq!(source.fetch(15..20).unwrap().as_ref(), [7; 5]);
        assert_eq!(source.get_ref().fetched, [0..10, 10..12, 15..20]);
    }
}
