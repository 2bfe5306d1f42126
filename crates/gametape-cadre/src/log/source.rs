//! Getting the JSON text out of what a caller has: plain or gzip, a slice or a reader.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use gametape_wire::{Error, ErrorKind, Limit, Result};

use crate::limits::{LEADING_SPACE, Options};
use crate::log::gzip;
use crate::text::utf8::KnownUtf8;

const BYTE_ORDER_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

/// What the first bytes of an input can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Start {
    /// Gzip, with whatever in it.
    Gzip,
    /// A JSON object.
    Object,
    /// White space only; what follows decides.
    Space,
    /// Nothing that a gamelog begins with.
    Other,
}

impl Start {
    /// What an input with these first bytes can be; a few kilobytes are plenty.
    ///
    /// ```
    /// use gametape_cadre::Start;
    ///
    /// assert_eq!(Start::of(b"\x1f\x8b\x08"), Start::Gzip);
    /// assert_eq!(Start::of(b"\xef\xbb\xbf {\"deltas\":"), Start::Object);
    /// assert_eq!(Start::of(&[0; 4096]), Start::Other);
    /// ```
    #[must_use]
    pub fn of(first: &[u8]) -> Self {
        if first.starts_with(gzip::MAGIC) {
            return Self::Gzip;
        }
        let text = first.strip_prefix(BYTE_ORDER_MARK).unwrap_or(first);
        match text.iter().find(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t')) {
            Some(b'{') => Self::Object,
            Some(_) => Self::Other,
            None => Self::Space,
        }
    }
}

/// The JSON text of a log, and how much of it is UTF-8.
pub(crate) struct Text<'a> {
    pub(crate) bytes: Cow<'a, [u8]>,
    pub(crate) utf8: KnownUtf8,
}

impl From<Vec<u8>> for Text<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes: bytes.into(), utf8: KnownUtf8::default() }
    }
}

/// The JSON text of a log, unpacked, without a byte order mark.
pub(crate) fn unpack<'a>(input: Cow<'a, [u8]>, limit: Limit) -> Result<Text<'a>> {
    let (text, utf8) = if input.starts_with(gzip::MAGIC) {
        let (text, utf8) = gzip::unpack(&input, limit)?;
        (Cow::Owned(text), utf8)
    } else {
        limit.check(input.len() as u64, limit.max)?;
        (input, KnownUtf8::default())
    };
    if !text.starts_with(BYTE_ORDER_MARK) {
        return Ok(Text { bytes: text, utf8 });
    }
    let bytes = match text {
        Cow::Borrowed(text) => text[BYTE_ORDER_MARK.len()..].into(),
        Cow::Owned(mut text) => {
            text.drain(..BYTE_ORDER_MARK.len());
            text.into()
        }
    };
    Ok(Text { bytes, utf8: utf8.without(BYTE_ORDER_MARK.len()) })
}

/// The same from a reader, of which nothing is read beyond the limit.
pub(crate) fn read(reader: impl Read, options: &Options) -> Result<Text<'static>> {
    let limit = options.log_bytes();
    let mut stream = Stream::new(reader)?;
    let (mut text, mut utf8) = (Vec::new(), KnownUtf8::default());
    while let Some(piece) = stream.next_piece()? {
        limit.check((text.len() + piece.len()) as u64, limit.max)?;
        reserve(&mut text, piece.len(), limit);
        text.extend_from_slice(piece);
        utf8.look_at(&text);
        stream.consume();
    }
    Ok(Text { bytes: text.into(), utf8 })
}

/// Makes room for more, but not for more than the limit.
fn reserve(text: &mut Vec<u8>, more: usize, limit: Limit) {
    if text.capacity() - text.len() < more {
        let most = (limit.max as usize).saturating_sub(text.len());
        text.reserve_exact(text.len().clamp(more, most.max(more)));
    }
}

/// Bytes that are read in one piece.
const PIECE: usize = 256 << 10;

/// The JSON text of a reader piece by piece, unpacked, without white space and a byte order mark
/// before it.
pub(crate) struct Stream<R: Read> {
    input: Input<R>,
    /// Bytes of text so far.
    pub(crate) bytes: u64,
}

enum Input<R: Read> {
    Plain(BufReader<Started<R>>),
    Gzip(Box<BufReader<Started<Unpacked<R>>>>),
}

type Unpacked<R> = MultiGzDecoder<BufReader<Started<R>>>;

/// A reader whose first bytes were looked at.
type Started<R> = io::Chain<io::Cursor<Vec<u8>>, R>;

/// The first bytes of a reader, as many as a byte order mark has, and all of it.
fn started<R: Read>(mut reader: R) -> io::Result<(Vec<u8>, Started<R>)> {
    let mut first = Vec::new();
    reader.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut first)?;
    if first == BYTE_ORDER_MARK {
        first.clear();
    }
    Ok((first.clone(), io::Cursor::new(first).chain(reader)))
}

impl<R: Read> Stream<R> {
    pub(crate) fn new(reader: R) -> Result<Self> {
        let (first, reader) = started(reader).map_err(|error| unreadable(0, &error))?;
        let plain = BufReader::with_capacity(PIECE, reader);
        let input = if first.starts_with(gzip::MAGIC) {
            let (_, unpacked) =
                started(MultiGzDecoder::new(plain)).map_err(|error| damaged(0, &error))?;
            Input::Gzip(Box::new(BufReader::with_capacity(PIECE, unpacked)))
        } else {
            Input::Plain(plain)
        };
        let mut stream = Self { input, bytes: 0 };
        stream.skip_to_object()?;
        Ok(stream)
    }

    /// Skips white space. Refuses everything that is not an object then.
    fn skip_to_object(&mut self) -> Result<()> {
        loop {
            let start = self.bytes;
            let Some(piece) = self.next_piece()? else { return Err(not_a_gamelog(start)) };
            let whole = piece.len();
            match Start::of(piece) {
                Start::Object => {
                    let skipped = whole - piece.trim_ascii_start().len();
                    self.consume_some(skipped);
                    return Ok(());
                }
                Start::Space => self.consume_some(whole),
                Start::Gzip | Start::Other => return Err(not_a_gamelog(start)),
            }
            LEADING_SPACE.check(self.bytes, self.bytes)?;
        }
    }

    /// The bytes that come next, not consumed; `None` at the end.
    pub(crate) fn next_piece(&mut self) -> Result<Option<&[u8]>> {
        let bytes = self.bytes;
        let piece = match &mut self.input {
            Input::Plain(reader) => reader.fill_buf().map_err(|error| unreadable(bytes, &error))?,
            Input::Gzip(reader) => reader.fill_buf().map_err(|error| damaged(bytes, &error))?,
        };
        Ok((!piece.is_empty()).then_some(piece))
    }

    /// Takes the piece that [`next_piece`](Self::next_piece) returned.
    pub(crate) fn consume(&mut self) {
        let length = match &self.input {
            Input::Plain(reader) => reader.buffer().len(),
            Input::Gzip(reader) => reader.buffer().len(),
        };
        self.consume_some(length);
    }

    fn consume_some(&mut self, length: usize) {
        match &mut self.input {
            Input::Plain(reader) => reader.consume(length),
            Input::Gzip(reader) => reader.consume(length),
        }
        self.bytes += length as u64;
    }
}

/// What errors of the decoder are about: it counts what it made, not what it read.
const UNPACKED: &str = "text unpacked from gzip";

#[cold]
fn not_a_gamelog(offset: u64) -> Error {
    let problem = "a gamelog must be an object".into();
    Error::at(offset, "JSON", ErrorKind::BadSyntax { problem })
}

#[cold]
fn unreadable(offset: u64, error: &io::Error) -> Error {
    Error::unreadable(offset, "gamelog", error)
}

/// What the decoder says, as one of our errors.
#[cold]
fn damaged(offset: u64, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            Error::at(offset, UNPACKED, ErrorKind::Truncated { needed: 1, available: 0 })
        }
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            Error::at(offset, UNPACKED, ErrorKind::BadSyntax { problem: error.to_string().into() })
        }
        _ => unreadable(offset, error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Log;
    use crate::sample;

    /// A reader that counts what is read from it.
    struct Counted<R>(R, u64);

    impl<R: Read> Read for Counted<R> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let read = self.0.read(buffer)?;
            self.1 += read as u64;
            Ok(read)
        }
    }

    #[test]
    fn what_is_no_gamelog_is_refused_after_its_first_bytes() {
        for byte in [0, b'[', b'x', b' ', b'\n'] {
            let mut endless = Counted(io::repeat(byte), 0);
            assert!(read(&mut endless, &Options::default()).is_err());
            assert!(endless.1 <= 2 * PIECE as u64, "{byte}: {} bytes were read", endless.1);
        }
        let mut endless = Counted((&b"{\"deltas\":[\""[..]).chain(io::repeat(b'x')), 0);
        let options = Options::default().with_max_bytes(1 << 20);
        assert!(read(&mut endless, &options).is_err());
        assert!(endless.1 <= (1 << 20) + 2 * PIECE as u64);
    }

    #[test]
    fn a_stream_is_the_text_that_unpacking_gives() {
        let text = sample::log(400, 5);
        let packed = Log::open(&text, &Options::default()).unwrap().to_gzip(6).unwrap();
        let twice = [&b"\xef\xbb\xbf \n"[..], &text].concat();
        for input in [&text[..], &packed, &twice] {
            assert_eq!(*read(input, &Options::default()).unwrap().bytes, *text);
        }
        let cut = read(&packed[..packed.len() - 9], &Options::default()).err().unwrap();
        assert!(matches!(cut.kind(), ErrorKind::Truncated { .. }), "{cut}");
        // An offset in the text is not one in the file.
        assert!(cut.to_string().starts_with("text unpacked from gzip: "), "{cut}");
    }
}
