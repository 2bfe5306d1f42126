//! The string table of a recording, and named attachments.

use std::borrow::Cow;

use gametape_wire::{Error, ErrorKind, Place, Reader, Result, Writer};

use crate::layout::chunk::Chunk;
use crate::limits::{NAME_BYTES, STRINGS};

/// The names chunks of a tape, one after the other: what the ids in events mean.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameTable {
    names: Vec<Option<String>>,
}

impl NameTable {
    /// The name of an id.
    #[must_use]
    pub fn get(&self, id: u32) -> Option<&str> {
        self.names.get(id as usize)?.as_deref()
    }

    /// One more than the highest id.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Is there no name?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Adds what a names chunk says. Ids between it and the last one (a chunk was lost) have no
    /// name.
    pub fn add(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        let raw = chunk.raw()?;
        let mut r = Reader::with_base(&raw, chunk.payload_offset());
        let first = STRINGS.check(r.varint("first name")?, r.offset())? as usize;
        let count = r.varint("number of names")?;
        STRINGS.check(count.saturating_add(first as u64), r.offset())?;
        let names: Vec<String> = (0..count).map(|_| read_name(&mut r)).collect::<Result<_>>()?;
        r.finish("names")?;
        if self.names.len() < first + names.len() {
            self.names.resize(first + names.len(), None);
        }
        let slots = &mut self.names[first..];
        slots.iter_mut().zip(names).for_each(|(slot, name)| *slot = Some(name));
        Ok(())
    }

    /// The raw bytes of a names chunk.
    pub(crate) fn encode<S: AsRef<str>>(first: u32, names: &[S]) -> Result<Vec<u8>> {
        let most = STRINGS.max as usize;
        if names.is_empty() || names.len() + first as usize > most {
            return Err(Error::misuse("names", format!("at least one, at most {most} in all")));
        }
        for name in names {
            let checked = NAME_BYTES.check(name.as_ref().len() as u64, 0);
            checked.map_err(|error| error.with_place(Place::Nowhere))?;
        }
        let mut w = Writer::new();
        w.varint(first.into()).varint(names.len() as u64);
        names.iter().for_each(|name| write_string(&mut w, name.as_ref()));
        Ok(w.into_bytes())
    }
}

/// A name: tables of events repeat it in every row, so it is short.
fn read_name(r: &mut Reader<'_>) -> Result<String> {
    let offset = r.offset();
    let name = read_string(r, "name")?;
    NAME_BYTES.check(name.len() as u64, offset)?;
    Ok(name.to_owned())
}

pub(crate) fn write_string(w: &mut Writer, text: &str) {
    w.varint(text.len() as u64).bytes(text.as_bytes());
}

pub(crate) fn read_string<'a>(r: &mut Reader<'a>, item: &'static str) -> Result<&'a str> {
    let offset = r.offset();
    let bytes = read_bytes(r, item)?;
    std::str::from_utf8(bytes)
        .map_err(|_| Error::at(offset, item, ErrorKind::BadSyntax { problem: "not UTF-8".into() }))
}

/// A varint length and that many bytes.
pub(crate) fn read_bytes<'a>(r: &mut Reader<'a>, item: &'static str) -> Result<&'a [u8]> {
    let length = r.varint(item)?;
    r.take(usize::try_from(length).unwrap_or(usize::MAX), item)
}

/// `count` strings; nothing is allocated before it was read.
pub(crate) fn read_strings(
    r: &mut Reader<'_>,
    count: u64,
    item: &'static str,
) -> Result<Vec<String>> {
    (0..count).map(|_| read_string(r, item).map(str::to_owned)).collect()
}

/// A named attachment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource<'a> {
    raw: Cow<'a, [u8]>,
    name: std::ops::Range<usize>,
}

impl<'a> Resource<'a> {
    /// The attachment in a chunk of kind [`ChunkKind::RESOURCE`](crate::ChunkKind::RESOURCE).
    pub fn read(chunk: &Chunk<'a>) -> Result<Self> {
        let raw = chunk.raw()?;
        let mut r = Reader::with_base(&raw, chunk.payload_offset());
        let length = read_string(&mut r, "resource name")?.len();
        let end = raw.len() - r.remaining();
        Ok(Self { name: end - length..end, raw })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        std::str::from_utf8(&self.raw[self.name.clone()]).unwrap_or_default()
    }

    /// What it is.
    #[must_use]
    pub fn content(&self) -> &[u8] {
        &self.raw[self.name.end..]
    }
}
