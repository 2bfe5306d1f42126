//! Getting the JSON text out of what a caller has: plain or gzip, a slice or a reader.

use std::borrow::Cow;
use std::io::{self, Read};

use flate2::bufread::MultiGzDecoder;
use gametape_wire::{Error, ErrorKind, Limit, Place, Result};

use crate::limits::Options;

const GZIP: &[u8] = &[0x1F, 0x8B];
const BYTE_ORDER_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

/// How much larger than its gzip form text is expected to be, at most, before it is seen.
const EXPECTED_RATIO: usize = 8;

/// The JSON text of a log, unpacked, without a byte order mark.
pub(crate) fn unpack<'a>(input: Cow<'a, [u8]>, options: &Options) -> Result<Cow<'a, [u8]>> {
    let limit = options.log_bytes();
    if input.starts_with(GZIP) {
        return Ok(Cow::Owned(gunzip(&input, limit)?));
    }
    limit.check(input.len() as u64, limit.max)?;
    Ok(match input {
        Cow::Borrowed(text) => text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text).into(),
        Cow::Owned(text) => without_mark(text).into(),
    })
}

/// The same from a reader, of which nothing is read beyond the limit.
pub(crate) fn read(reader: impl Read, options: &Options) -> Result<Vec<u8>> {
    let limit = options.log_bytes();
    let mut input = Vec::new();
    match reader.take(limit.max + 1).read_to_end(&mut input) {
        Ok(_) => unpack(input.into(), options).map(Cow::into_owned),
        Err(error) => Err(unreadable(&error, input.len())),
    }
}

fn gunzip(input: &[u8], limit: Limit) -> Result<Vec<u8>> {
    let mut text = Vec::with_capacity(expected_size(input).min(limit.max as usize));
    let mut decoder = MultiGzDecoder::new(input).take(limit.max + 1);
    let outcome = decoder.read_to_end(&mut text);
    limit.check(text.len() as u64, limit.max)?;
    match outcome {
        Ok(_) => {
            text.shrink_to_fit();
            Ok(without_mark(text))
        }
        Err(error) => {
            let consumed = input.len() - decoder.into_inner().into_inner().len();
            Err(damaged(&error, consumed))
        }
    }
}

fn without_mark(mut text: Vec<u8>) -> Vec<u8> {
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len());
    }
    text
}

/// What the last four bytes say, believed only as far as the size of the input bears it out.
fn expected_size(input: &[u8]) -> usize {
    let claimed = input.last_chunk::<4>().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    (claimed as usize).min(input.len() * EXPECTED_RATIO)
}

#[cold]
fn damaged(error: &io::Error, consumed: usize) -> Error {
    let kind = match error.kind() {
        io::ErrorKind::UnexpectedEof => ErrorKind::Truncated { needed: 1, available: 0 },
        _ => ErrorKind::BadSyntax { problem: format!("damaged gzip stream: {error}").into() },
    };
    Error::new(Place::Byte(consumed as u64), "gzip", kind)
}

#[cold]
fn unreadable(error: &io::Error, offset: usize) -> Error {
    let problem = format!("cannot be read: {error}").into();
    Error::at(offset as u64, "gamelog", ErrorKind::Misuse { problem })
}
