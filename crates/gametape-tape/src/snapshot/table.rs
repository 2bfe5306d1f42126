//! Tables of opaque values with masks, in their canonical order and form.

use std::ops::Range;

use gametape_wire::{Error, ErrorKind, Limit, Reader, Result, Writer};

use super::keys::Key;
use crate::layout::names::read_bytes;

/// Rows in ascending order of their keys; each has some of its slots filled with opaque bytes.
///
/// All values are in one run of bytes, in the form they are written in: comparing and copying
/// rows is comparing and copying bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotTable<K> {
    rows: Vec<StoredRow<K>>,
    values: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct StoredRow<K> {
    key: K,
    mask: u64,
    /// Where its values end; they begin where those of the row before end.
    end: usize,
}

/// One row of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row<'a, K> {
    /// What it is found by.
    pub key: &'a K,
    /// Which slots are filled.
    pub mask: u64,
    /// The values of these slots, each with its length, one after the other.
    pub values: &'a [u8],
}

impl<'a, K> Row<'a, K> {
    /// The filled slots with their values.
    pub fn slots(&self) -> impl Iterator<Item = (u8, &'a [u8])> + use<'a, K> {
        slots(self.mask, self.values)
    }
}

/// The slots of a mask with their values, which were checked when they came in.
fn slots(mask: u64, values: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    let mut rest = Reader::new(values);
    bits(mask).map_while(move |slot| Some((slot, read_bytes(&mut rest, "value").ok()?)))
}

/// The indexes of the bits that are set, lowest first.
pub(super) fn bits(mut mask: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let slot = mask.trailing_zeros() as u8;
        mask &= mask.wrapping_sub(1);
        (slot < 64).then_some(slot)
    })
}

impl<K> Default for SlotTable<K> {
    fn default() -> Self {
        Self { rows: Vec::new(), values: Vec::new() }
    }
}

impl<K: Key> SlotTable<K> {
    /// How many rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Is there no row?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a row after the others. Keys ascend, and so do the slots of a row.
    pub fn push(&mut self, key: K, slots: &[(u8, &[u8])]) -> Result<()> {
        let ascending = slots.is_sorted_by(|a, b| a.0 < b.0);
        if !ascending || slots.iter().any(|&(slot, _)| u32::from(slot) >= K::SLOTS) {
            let problem = format!("slots must ascend and be below {}", K::SLOTS);
            return Err(Error::misuse(K::ITEM, problem));
        }
        if self.rows.len() as u64 >= K::MOST_ROWS {
            return Err(Error::misuse(K::ITEM, format!("at most {} are possible", K::MOST_ROWS)));
        }
        if self.rows.last().is_some_and(|last| last.key >= key) {
            return Err(Error::misuse(K::ITEM, "rows must be added in ascending order"));
        }
        let mask = slots.iter().fold(0, |mask, &(slot, _)| mask | 1 << slot);
        self.push_with(key, mask, |values| {
            let mut w = Writer::from(std::mem::take(values));
            for (_, value) in slots {
                w.varint(value.len() as u64).bytes(value);
            }
            *values = w.into_bytes();
        });
        Ok(())
    }

    /// An empty table with room for what `other` holds.
    pub(super) fn with_room_of(other: &Self) -> Self {
        Self {
            rows: Vec::with_capacity(other.rows.len()),
            values: Vec::with_capacity(other.values.len()),
        }
    }

    /// Adds a row that is known to follow the others; `fill` appends its values, each with its
    /// length before it.
    pub(super) fn push_with(&mut self, key: K, mask: u64, fill: impl FnOnce(&mut Vec<u8>)) {
        fill(&mut self.values);
        self.rows.push(StoredRow { key, mask, end: self.values.len() });
    }

    /// Adds a row that is known to follow the others.
    pub(super) fn push_values(&mut self, key: K, mask: u64, values: &[u8]) {
        self.push_with(key, mask, |all| all.extend_from_slice(values));
    }

    /// Adds copies of rows of another table that are known to follow the others.
    pub(super) fn push_rows(&mut self, other: &Self, rows: Range<usize>) {
        let Some(last) = rows.end.checked_sub(1).filter(|_| !rows.is_empty()) else { return };
        let start = other.start_of(rows.start);
        let shift = self.values.len();
        self.values.extend_from_slice(&other.values[start..other.rows[last].end]);
        self.rows.extend(other.rows[rows].iter().map(|row| {
            let StoredRow { key, mask, end } = row;
            StoredRow { key: key.clone(), mask: *mask, end: end - start + shift }
        }));
    }

    /// The index of the first row from `from` on whose key is not below `key`.
    pub(super) fn index_from(&self, from: usize, key: &K) -> usize {
        let rest = &self.rows[from..];
        match rest.first() {
            // The common case where most rows change.
            Some(row) if row.key >= *key => from,
            _ => from + rest.partition_point(|row| row.key < *key),
        }
    }

    /// The row at an index, if there is one.
    pub(super) fn row_at(&self, index: usize) -> Option<Row<'_, K>> {
        (index < self.rows.len()).then(|| self.row(index))
    }

    fn start_of(&self, index: usize) -> usize {
        index.checked_sub(1).map_or(0, |before| self.rows[before].end)
    }

    /// How many bytes of memory the table holds.
    pub(super) fn memory(&self) -> usize {
        self.rows.capacity() * size_of::<StoredRow<K>>() + self.values.capacity()
    }

    fn row(&self, index: usize) -> Row<'_, K> {
        let StoredRow { key, mask, end } = &self.rows[index];
        Row { key, mask: *mask, values: &self.values[self.start_of(index)..*end] }
    }

    /// The rows in order.
    pub fn iter(&self) -> impl Iterator<Item = Row<'_, K>> {
        (0..self.rows.len()).map(|index| self.row(index))
    }

    /// The row with this key.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<Row<'_, K>> {
        let index = self.rows.binary_search_by(|row| row.key.cmp(key)).ok()?;
        Some(self.row(index))
    }

    pub(super) fn write(&self, w: &mut Writer) {
        w.varint(self.rows.len() as u64);
        let mut previous = None;
        for row in self.iter() {
            row.key.write(w, previous);
            write_mask::<K>(w, row.mask);
            w.bytes(row.values);
            previous = Some(row.key);
        }
    }

    pub(super) fn read(r: &mut Reader<'_>) -> Result<Self> {
        let count = read_count::<K>(r)?;
        let mut table = Self::default();
        // Every row takes more than a byte, so no input reserves what it cannot fill.
        table.rows.reserve(r.remaining().min(count as usize));
        table.values.reserve(r.remaining().min(MOST_RESERVED));
        let mut shape = Shape::default();
        for _ in 0..count {
            let key = read_key(r, table.rows.last().map(|row| &row.key))?;
            let mask = read_mask::<K>(r)?;
            let values = shape.read_values(r, mask, K::ITEM)?;
            table.push_values(key, mask, values);
        }
        if table.values.len() < table.values.capacity() / 2 {
            table.values.shrink_to_fit();
        }
        Ok(table)
    }
}

/// Room that a table takes before it knows how much it needs.
const MOST_RESERVED: usize = 1 << 20;

/// How many rows follow.
pub(super) fn read_count<K: Key>(r: &mut Reader<'_>) -> Result<u64> {
    let offset = r.offset();
    Limit::new(K::ITEM, K::MOST_ROWS).check(r.varint(K::ITEM)?, offset)
}

/// A key that comes after the one before it.
pub(super) fn read_key<K: Key>(r: &mut Reader<'_>, previous: Option<&K>) -> Result<K> {
    let offset = r.offset();
    let key = K::read(r, previous)?;
    if previous.is_none_or(|previous| *previous < key) {
        return Ok(key);
    }
    let problem = "rows do not ascend".into();
    Err(Error::at(offset, K::ITEM, ErrorKind::BadSyntax { problem }))
}

/// A mask as wide as the table's rows can have slots; a table of one slot needs none.
pub(super) fn read_mask<K: Key>(r: &mut Reader<'_>) -> Result<u64> {
    match K::SLOTS {
        64 => r.u64_le(K::ITEM),
        32 => r.u32_le(K::ITEM).map(u64::from),
        _ => Ok(1),
    }
}

pub(super) fn write_mask<K: Key>(w: &mut Writer, mask: u64) {
    match K::SLOTS {
        64 => w.u64_le(mask),
        32 => w.u32_le(mask as u32),
        _ => w,
    };
}

/// What the rows before looked like. Rows of a table are often alike, and to compare lengths is quicker
/// than to go from each to the next.
#[derive(Default)]
struct Shape {
    mask: u64,
    /// All bytes that are lengths, with their offsets.
    lengths: Vec<(usize, u8)>,
    /// How many bytes the values take with their lengths; 0 when that is not known.
    end: usize,
}

impl Shape {
    /// The same as [`read_values`].
    #[inline]
    fn read_values<'a>(
        &mut self,
        r: &mut Reader<'a>,
        mask: u64,
        item: &'static str,
    ) -> Result<&'a [u8]> {
        if mask != self.mask || mask.count_ones() < 2 {
            // Worth a look when the next one is of this kind too.
            (self.mask, self.end) = (mask, 0);
            return read_values(r, mask, item);
        }
        if !self.fits(r.rest()) && self.learn(r.rest()).is_none() {
            return Err(missing_value(r.clone(), item));
        }
        r.take(self.end, item)
    }

    fn fits(&self, bytes: &[u8]) -> bool {
        let values = bytes.get(..self.end).unwrap_or_default();
        !values.is_empty() && self.lengths.iter().all(|&(offset, byte)| values[offset] == byte)
    }

    /// Remembers the values that `bytes` begin with, if all are there.
    fn learn(&mut self, bytes: &[u8]) -> Option<()> {
        self.lengths.clear();
        let mut end = 0;
        for _ in 0..self.mask.count_ones() {
            let rest = bytes.get(end..)?;
            let is_last = |byte: &u8| *byte < 0x80;
            let length_bytes = rest.iter().position(is_last)? + 1;
            self.lengths.extend((end..end + length_bytes).zip(rest.iter().copied()));
            end += values_run(rest, 1)?;
        }
        self.end = end;
        Some(())
    }
}

/// The values of a mask, as one run of bytes.
#[inline]
pub(super) fn read_values<'a>(
    r: &mut Reader<'a>,
    mask: u64,
    item: &'static str,
) -> Result<&'a [u8]> {
    match values_run(r.rest(), mask.count_ones()) {
        Some(length) => r.take(length, item),
        None => Err(missing_value(r.clone(), item)),
    }
}

/// What is wrong with values of which not all are there.
#[cold]
fn missing_value(mut r: Reader<'_>, item: &'static str) -> Error {
    loop {
        if let Err(error) = read_bytes(&mut r, item) {
            return error;
        }
    }
}

/// How many bytes the first `count` values take with the lengths before them, if all are there.
#[inline]
pub(super) fn values_run(bytes: &[u8], count: u32) -> Option<usize> {
    let mut end = 0;
    for _ in 0..count {
        end += match bytes.get(end)? {
            length @ 0..0x80 => 1 + usize::from(*length),
            _ => long_value_run(&bytes[end..])?,
        };
    }
    (end <= bytes.len()).then_some(end)
}

fn long_value_run(bytes: &[u8]) -> Option<usize> {
    let mut r = Reader::new(bytes);
    read_bytes(&mut r, "value").ok()?;
    Some(bytes.len() - r.remaining())
}

/// Rows in ascending order of their keys, with one opaque value each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueTable<K>(pub(super) SlotTable<K>);

impl<K> Default for ValueTable<K> {
    fn default() -> Self {
        Self(SlotTable::default())
    }
}

impl<K: Key> ValueTable<K> {
    /// How many rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Is there no row?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a row after the others. Keys ascend.
    pub fn push(&mut self, key: K, value: &[u8]) -> Result<()> {
        self.0.push(key, &[(0, value)])
    }

    /// The rows in order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &[u8])> {
        self.0.iter().map(|row| (row.key, only_value(&row)))
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<&[u8]> {
        self.0.get(key).map(|row| only_value(&row))
    }
}

fn only_value<'a, K>(row: &Row<'a, K>) -> &'a [u8] {
    row.slots().next().map_or(&[], |(_, value)| value)
}
