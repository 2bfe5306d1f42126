//! The one contract between a computation without I/O and whoever has the bytes.

use std::borrow::Cow;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

use crate::error::{Error, ErrorKind, Result};

/// What a computation needs before it can go on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Need {
    /// Nothing: its result is there.
    Ready,
    /// These bytes, ascending by start, not overlapping, none of them empty.
    Bytes(Vec<Range<u64>>),
}

impl Need {
    /// One range of bytes, or nothing where the range is empty.
    pub fn range(range: Range<u64>) -> Self {
        if range.is_empty() { Self::Ready } else { Self::Bytes(vec![range]) }
    }

    /// Is nothing needed?
    #[must_use]
    pub fn is_ready(&self) -> bool {
        *self == Self::Ready
    }

    /// The ranges that are needed; none where the result is there.
    #[must_use]
    pub fn ranges(&self) -> &[Range<u64>] {
        match self {
            Self::Ready => &[],
            Self::Bytes(ranges) => ranges,
        }
    }
}

/// A computation over bytes that it does not fetch itself.
///
/// Ask what it [needs](Self::need), [supply](Self::supply) these ranges in any order, ask again, until
/// it is ready. [`drive`] does so with a [`Source`]; a browser does it with `fetch`.
///
/// Whoever cannot get the bytes stops asking: nothing is recorded about bytes that were never
/// supplied, and the computation can be asked for something else.
pub trait SansIo {
    /// What is needed next. The answer stays the same until something is supplied.
    fn need(&self) -> Need;

    /// The bytes of one needed range, all of them.
    ///
    /// An error is about the bytes: they are not what they should be.
    fn supply(&mut self, range: Range<u64>, bytes: &[u8]) -> Result<()>;
}

impl<M: SansIo + ?Sized> SansIo for Box<M> {
    fn need(&self) -> Need {
        (**self).need()
    }

    fn supply(&mut self, range: Range<u64>, bytes: &[u8]) -> Result<()> {
        (**self).supply(range, bytes)
    }
}

/// Bytes of a recording, read when they are needed: from memory, a file, an HTTP range request.
pub trait Source {
    /// How many bytes there are.
    fn length(&self) -> u64;

    /// These bytes, all of them. A range that is not within the length is an error.
    fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>>;

    /// These ranges are fetched next: a source for which a request is expensive gets them at once.
    ///
    /// By default nothing is done. An error says that they cannot be had now.
    fn prepare(&mut self, ranges: &[Range<u64>]) -> Result<()> {
        let _ = ranges;
        Ok(())
    }
}

/// Supplies a computation from a source until it is ready.
///
/// ```
/// use std::ops::Range;
/// use gametape_wire::{Need, Result, SansIo, drive};
///
/// /// Reads a length byte, then as many bytes as it says.
/// #[derive(Default)]
/// struct Text(Option<u64>, Vec<u8>);
///
/// impl SansIo for Text {
///     fn need(&self) -> Need {
///         match self.0 {
///             None => Need::range(0..1),
///             Some(length) => Need::range(1 + self.1.len() as u64..1 + length),
///         }
///     }
///
///     fn supply(&mut self, range: Range<u64>, bytes: &[u8]) -> Result<()> {
///         match range.start {
///             0 => self.0 = Some(u64::from(bytes[0])),
///             _ => self.1.extend_from_slice(bytes),
///         }
///         Ok(())
///     }
/// }
///
/// let mut text = Text::default();
/// drive(&mut text, &mut &b"\x04tape..."[..])?;
/// assert_eq!(text.1, b"tape");
/// # Ok::<(), gametape_wire::Error>(())
/// ```
pub fn drive(machine: &mut (impl SansIo + ?Sized), source: &mut impl Source) -> Result<()> {
    while let Need::Bytes(ranges) = machine.need() {
        source.prepare(&ranges)?;
        for range in ranges {
            let bytes = source.fetch(range.clone())?;
            machine.supply(range, &bytes)?;
        }
    }
    Ok(())
}

impl<S: Source + ?Sized> Source for &mut S {
    fn length(&self) -> u64 {
        (**self).length()
    }

    fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        (**self).fetch(range)
    }

    fn prepare(&mut self, ranges: &[Range<u64>]) -> Result<()> {
        (**self).prepare(ranges)
    }
}

impl Source for &[u8] {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        slice(self, &range).map(Cow::Borrowed)
    }
}

impl Source for Vec<u8> {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        slice(self, &range).map(Cow::Borrowed)
    }
}

/// A file is asked for its length each time, so that one that grows can be followed.
impl Source for std::fs::File {
    fn length(&self) -> u64 {
        self.metadata().map_or(0, |metadata| metadata.len())
    }

    fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let available = Source::length(self).saturating_sub(range.start);
        let needed = range.end.saturating_sub(range.start);
        if needed > available {
            let kind = ErrorKind::Truncated { needed, available };
            return Err(Error::at(range.start, "file", kind));
        }
        let mut bytes = vec![0; needed as usize];
        self.seek(SeekFrom::Start(range.start))
            .and_then(|_| self.read_exact(&mut bytes))
            .map_err(|why| Error::unreadable(range.start, "file", why))?;
        Ok(Cow::Owned(bytes))
    }
}

/// A source that remembers whether a read of it failed, and whose length stays as it was.
///
/// For callers of something that reads and has errors of two kinds: bytes that cannot be had, which end
/// everything and may be there at another time, and bytes that are not what they should be.
///
/// ```
/// use gametape_wire::{Source, WatchedSource};
///
/// let mut source = WatchedSource::new(&b"0123"[..]);
/// assert!(source.fetch(2..9).is_err() && source.check().is_ok()); // No source has these bytes.
/// assert_eq!(source.fetch(2..4)?.as_ref(), b"23");
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct WatchedSource<S> {
    source: S,
    length: u64,
    failure: Option<Error>,
}

impl<S: Source> WatchedSource<S> {
    /// A source, as long as it is now.
    pub fn new(source: S) -> Self {
        let length = source.length();
        Self { source, length, failure: None }
    }

    /// The error of the first read that failed since the last check. Ranges that are not within the
    /// length are refused without a read.
    pub fn check(&mut self) -> Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }
}

impl<S: Source> Source for WatchedSource<S> {
    fn length(&self) -> u64 {
        self.length
    }

    fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        check_range(&range, self.length)?;
        let Self { source, failure, .. } = self;
        source.fetch(range).inspect_err(|error| {
            failure.get_or_insert_with(|| error.clone());
        })
    }

    fn prepare(&mut self, ranges: &[Range<u64>]) -> Result<()> {
        let Self { source, failure, .. } = self;
        source.prepare(ranges).inspect_err(|error| {
            failure.get_or_insert_with(|| error.clone());
        })
    }
}

/// Refuses a range that is not within a recording of this length: nobody can supply it.
pub fn check_range(range: &Range<u64>, length: u64) -> Result<()> {
    if range.end <= length {
        return Ok(());
    }
    let (needed, available) =
        (range.end.saturating_sub(range.start), length.saturating_sub(range.start));
    Err(Error::at(range.start, "recording", ErrorKind::Truncated { needed, available }))
}

fn slice<'a>(bytes: &'a [u8], range: &Range<u64>) -> Result<&'a [u8]> {
    let index = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
    check_range(range, bytes.len() as u64)?;
    let backwards = || Error::misuse("range of bytes", "its end is before its start");
    bytes.get(index(range.start)..index(range.end)).ok_or_else(backwards)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_outside_a_source_is_an_error_with_its_offset() {
        let mut bytes = &b"0123456789"[..];
        assert_eq!(bytes.fetch(2..5).unwrap().as_ref(), b"234");
        let error = bytes.fetch(8..12).unwrap_err();
        assert_eq!(error.offset(), Some(8));
        assert_eq!(*error.kind(), ErrorKind::Truncated { needed: 4, available: 2 });
        assert!(bytes.fetch(u64::MAX - 1..u64::MAX).is_err());
    }

    /// A file that somebody cuts while it is read.
    struct Shrinking(Vec<u8>);

    impl Source for Shrinking {
        fn length(&self) -> u64 {
            self.0.len() as u64
        }

        fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
            let bytes = slice(&self.0, &range).map(<[u8]>::to_vec);
            self.0.truncate(self.0.len() / 2);
            bytes.map(Cow::Owned)
        }
    }

    #[test]
    fn a_watched_source_distinguishes_what_it_never_had_from_what_it_cannot_read() {
        let mut source = WatchedSource::new(Shrinking(vec![7; 8]));
        assert!(source.fetch(7..9).is_err());
        assert_eq!(source.check(), Ok(()));
        assert_eq!(source.fetch(4..8).unwrap().len(), 4);
        assert!(source.fetch(4..8).is_err() && source.fetch(3..5).is_err());
        assert_eq!(source.length(), 8);
        assert_eq!(source.check().unwrap_err().offset(), Some(4), "the first that failed");
        assert_eq!(source.check(), Ok(()));
    }

    #[test]
    fn an_empty_range_needs_nothing() {
        assert!(Need::range(7..7).is_ready());
        assert_eq!(Need::range(3..7).ranges().first(), Some(&(3..7)));
    }
}
