//! Getting the JSON text out of what a caller has: plain or gzip, a slice or a reader.

use std::borrow::Cow;
use std::io::Read;

use gametape_wire::{Error, Result};

use crate::limits::Options;
use crate::log::gzip;

const BYTE_ORDER_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

/// The JSON text of a log, unpacked, without a byte order mark.
pub(crate) fn unpack<'a>(input: Cow<'a, [u8]>, options: &Options) -> Result<Cow<'a, [u8]>> {
    let limit = options.log_bytes();
    let text = if input.starts_with(gzip::MAGIC) {
        Cow::Owned(gzip::unpack(&input, limit)?)
    } else {
        limit.check(input.len() as u64, limit.max)?;
        input
    };
    Ok(match text {
        Cow::Borrowed(text) => text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text).into(),
        Cow::Owned(mut text) => {
            if text.starts_with(BYTE_ORDER_MARK) {
                text.drain(..BYTE_ORDER_MARK.len());
            }
            text.into()
        }
    })
}

/// The same from a reader, of which nothing is read beyond the limit.
pub(crate) fn read(reader: impl Read, options: &Options) -> Result<Vec<u8>> {
    let limit = options.log_bytes();
    let mut input = Vec::new();
    match reader.take(limit.max + 1).read_to_end(&mut input) {
        Ok(_) => unpack(input.into(), options).map(Cow::into_owned),
        Err(error) => Err(Error::unreadable(input.len() as u64, "gamelog", error)),
    }
}
