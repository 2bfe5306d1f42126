//! How the fields of events are read, written and turned into columns: all side by side, type by type.

use gametape_tape::UnitTag;
use gametape_wire::{
    Error, ErrorKind, Limit, Place, Reader, Result, Tick, Writer, unzigzag, zigzag,
};

use crate::event::types::{NameId, WorldPos};
use crate::export::column::{Column, ColumnType, List, Names, RowSink, Value};
use crate::sample::{self, Random};

/// Units in one position sample.
pub const SAMPLE_UNITS: Limit = Limit::new("units of a position sample", 256);
/// Tags in one list.
pub const TAG_LIST: Limit = Limit::new("tags of a list", 1 << 14);

/// What the next tag and position of a kind are written as a difference to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Last {
    tag: UnitTag,
    pos: WorldPos,
}

impl Last {
    /// Before the first of a block.
    pub(crate) const NONE: Self =
        Self { tag: UnitTag { index: 0, generation: 0 }, pos: WorldPos { x: 0, y: 0, z: 0 } };
}

/// A type that a field of an event can have.
pub(crate) trait Field: Sized {
    /// Its name in the specification.
    const TYPE: &'static str;
    /// How many columns it needs.
    const WIDTH: usize = 1;

    /// Appends the value. Refuses what no reader would take.
    fn write(&self, w: &mut Writer, last: &mut Last) -> Result<()>;
    /// Reads a value; `item` names it in errors.
    fn read(r: &mut Reader<'_>, last: &mut Last, item: &'static str) -> Result<Self>;
    /// Appends its columns, [`WIDTH`](Self::WIDTH) of them.
    fn columns(name: &str, nullable: bool, out: &mut Vec<Column>);
    /// Gives the value of each of its columns.
    fn values(&self, names: &dyn Names, row: &mut impl RowSink);
    /// A value of chance.
    fn sample(random: &mut Random) -> Self;
}

pub(crate) fn column(name: &str, column_type: ColumnType, nullable: bool) -> Column {
    Column { name: name.to_owned(), column_type, nullable }
}

pub(crate) fn bad_value(
    offset: u64,
    item: &'static str,
    found: u64,
    expected: &'static str,
) -> Error {
    Error::at(offset, item, ErrorKind::BadValue { found: found as i64, expected })
}

#[inline]
fn read_number<T: TryFrom<u64>>(
    r: &mut Reader<'_>,
    item: &'static str,
    expected: &'static str,
) -> Result<T> {
    let offset = r.offset();
    let value = r.varint(item)?;
    T::try_from(value).map_err(|_| bad_value(offset, item, value, expected))
}

/// Unsigned numbers are varints, but one byte stays one byte; signed ones are zigzag-coded before.
macro_rules! numbers {
    ($($type:ident $column:ident $value:ident
        |$w:ident, $number:ident| $write:expr, |$r:ident, $item:ident| $read:expr,
        |$random:ident| $sample:expr;)*) => {$(
        impl Field for $type {
            const TYPE: &'static str = stringify!($type);
            #[inline]
            fn write(&self, $w: &mut Writer, _: &mut Last) -> Result<()> {
                let $number = *self;
                $write;
                Ok(())
            }
            #[inline]
            fn read($r: &mut Reader<'_>, _: &mut Last, $item: &'static str) -> Result<Self> {
                $read
            }
            fn columns(name: &str, nullable: bool, out: &mut Vec<Column>) {
                out.push(column(name, ColumnType::$column, nullable));
            }
            fn values(&self, _: &dyn Names, row: &mut impl RowSink) {
                row.value(Value::$value((*self).into()));
            }
            fn sample($random: &mut Random) -> Self {
                $sample
            }
        }
    )*};
}

numbers! {
    u8 U8 Unsigned |w, n| w.u8(n), |r, item| r.u8(item), |random| random.number() as Self;
    bool Bool Bool |w, n| w.u8(n.into()), |r, item| read_flag(r, item),
        |random| random.below(2) == 1;
    u16 U16 Unsigned |w, n| w.varint(n.into()), |r, item| read_number(r, item, "at most 16 bits"),
        |random| random.any_size() as Self;
    u32 U32 Unsigned |w, n| w.varint(n.into()), |r, item| read_number(r, item, "at most 32 bits"),
        |random| random.any_size() as Self;
    i32 I32 Signed |w, n| w.varint(zigzag(n.into())), |r, item| read_i32(r, item),
        |random| random.any_size() as Self;
    i64 I64 Signed |w, n| w.varint(zigzag(n)), |r, item| Ok(unzigzag(r.varint(item)?)),
        |random| unzigzag(random.any_size());
}

/// A tick is written and exported as its number.
impl Field for Tick {
    const TYPE: &'static str = <u64 as Field>::TYPE;
    #[inline]
    fn write(&self, w: &mut Writer, last: &mut Last) -> Result<()> {
        self.0.write(w, last)
    }
    #[inline]
    fn read(r: &mut Reader<'_>, last: &mut Last, item: &'static str) -> Result<Self> {
        u64::read(r, last, item).map(Self)
    }
    fn columns(name: &str, nullable: bool, out: &mut Vec<Column>) {
        u64::columns(name, nullable, out);
    }
    fn values(&self, names: &dyn Names, row: &mut impl RowSink) {
        self.0.values(names, row);
    }
    fn sample(random: &mut Random) -> Self {
        Self(u64::sample(random))
    }
}

/// Ticks and durations. They are exported as signed numbers, so that they can be subtracted.
impl Field for u64 {
    const TYPE: &'static str = "u64";
    #[inline]
    fn write(&self, w: &mut Writer, _: &mut Last) -> Result<()> {
        w.varint(*self);
        Ok(())
    }
    #[inline]
    fn read(r: &mut Reader<'_>, _: &mut Last, item: &'static str) -> Result<Self> {
        r.varint(item)
    }
    fn columns(name: &str, nullable: bool, out: &mut Vec<Column>) {
        out.push(column(name, ColumnType::I64, nullable));
    }
    fn values(&self, _: &dyn Names, row: &mut impl RowSink) {
        row.value(Value::Signed(i64::try_from(*self).unwrap_or(i64::MAX)));
    }
    fn sample(random: &mut Random) -> Self {
        random.any_size()
    }
}

#[inline]
fn read_flag(r: &mut Reader<'_>, item: &'static str) -> Result<bool> {
    let offset = r.offset();
    match r.u8(item)? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(bad_value(offset, item, other.into(), "0 or 1")),
    }
}

#[inline]
fn read_i32(r: &mut Reader<'_>, item: &'static str) -> Result<i32> {
    let coded: u32 = read_number(r, item, "at most 32 bits")?;
    Ok(unzigzag(coded.into()) as i32)
}

/// An id is written as a number and exported as the name that it means.
impl Field for NameId {
    const TYPE: &'static str = "name";
    #[inline]
    fn write(&self, w: &mut Writer, last: &mut Last) -> Result<()> {
        self.0.write(w, last)
    }
    #[inline]
    fn read(r: &mut Reader<'_>, last: &mut Last, item: &'static str) -> Result<Self> {
        u32::read(r, last, item).map(Self)
    }
    fn columns(name: &str, nullable: bool, out: &mut Vec<Column>) {
        out.push(column(name, ColumnType::Text, nullable));
    }
    fn values(&self, names: &dyn Names, row: &mut impl RowSink) {
        match names.name(self.0) {
            Some(name) => row.value(Value::Text(name)),
            None => row.value(Value::Text(&format!("#{}", self.0))),
        }
    }
    fn sample(random: &mut Random) -> Self {
        Self(random.below(12) as u32)
    }
}

/// The number that a tag is in exports.
pub(crate) fn tag_number(tag: UnitTag) -> u32 {
    u32::from(tag.generation) << 16 | u32::from(tag.index)
}

impl Field for UnitTag {
    const TYPE: &'static str = "tag";
    #[inline]
    fn write(&self, w: &mut Writer, last: &mut Last) -> Result<()> {
        let step = i64::from(self.index) - i64::from(last.tag.index);
        let is_new = self.generation != last.tag.generation;
        w.varint(zigzag(step) << 1 | u64::from(is_new));
        if is_new {
            w.varint(self.generation.into());
        }
        last.tag = *self;
        Ok(())
    }
    #[inline]
    fn read(r: &mut Reader<'_>, last: &mut Last, item: &'static str) -> Result<Self> {
        let offset = r.offset();
        let coded = r.varint(item)?;
        let index = i64::from(last.tag.index).wrapping_add(unzigzag(coded >> 1));
        let Ok(index) = u16::try_from(index) else {
            return Err(bad_value(offset, item, index as u64, "an index of 16 bits"));
        };
        let mut generation = last.tag.generation;
        if coded & 1 == 1 {
            let offset = r.offset();
            generation = read_number(r, item, "a generation of 16 bits")?;
            if generation == last.tag.generation {
                return Err(bad_value(offset, item, generation.into(), "another generation"));
            }
        }
        last.tag = Self { index, generation };
        Ok(last.tag)
    }
    fn columns(name: &str, nullable: bool, out: &mut Vec<Column>) {
        out.push(column(name, ColumnType::U32, nullable));
    }
    fn values(&self, _: &dyn Names, row: &mut impl RowSink) {
        row.value(Value::Unsigned(tag_number(*self).into()));
    }
    fn sample(random: &mut Random) -> Self {
        Self { index: random.any_size() as u16, generation: random.below(3) as u16 }
    }
}

impl Field for WorldPos {
    const TYPE: &'static str = "position";
    const WIDTH: usize = 3;
    #[inline]
    fn write(&self, w: &mut Writer, last: &mut Last) -> Result<()> {
        for (to, from) in [(self.x, last.pos.x), (self.y, last.pos.y), (self.z, last.pos.z)] {
            w.varint(zigzag(to.wrapping_sub(from).into()));
        }
        last.pos = *self;
        Ok(())
    }
    #[inline]
    fn read(r: &mut Reader<'_>, last: &mut Last, item: &'static str) -> Result<Self> {
        last.pos = Self {
            x: last.pos.x.wrapping_add(read_i32(r, item)?),
            y: last.pos.y.wrapping_add(read_i32(r, item)?),
            z: last.pos.z.wrapping_add(read_i32(r, item)?),
        };
        Ok(last.pos)
    }
    fn columns(name: &str, nullable: bool, out: &mut Vec<Column>) {
        out.extend(
            ["x", "y", "z"]
                .map(|axis| column(&format!("{name}_{axis}"), ColumnType::I32, nullable)),
        );
    }
    fn values(&self, _: &dyn Names, row: &mut impl RowSink) {
        for axis in [self.x, self.y, self.z] {
            row.value(Value::Signed(axis.into()));
        }
    }
    fn sample(random: &mut Random) -> Self {
        let mut axis = || i32::sample(random);
        Self { x: axis(), y: axis(), z: axis() }
    }
}

impl<T: Field> Field for Option<T> {
    const TYPE: &'static str = T::TYPE;
    const WIDTH: usize = T::WIDTH;
    #[inline]
    fn write(&self, w: &mut Writer, last: &mut Last) -> Result<()> {
        w.u8(self.is_some().into());
        self.as_ref().map_or(Ok(()), |value| value.write(w, last))
    }
    #[inline]
    fn read(r: &mut Reader<'_>, last: &mut Last, item: &'static str) -> Result<Self> {
        if read_flag(r, item)? { T::read(r, last, item).map(Some) } else { Ok(None) }
    }
    fn columns(name: &str, _: bool, out: &mut Vec<Column>) {
        T::columns(name, true, out);
    }
    fn values(&self, names: &dyn Names, row: &mut impl RowSink) {
        match self {
            Some(value) => value.values(names, row),
            None => row.nulls(Self::WIDTH),
        }
    }
    fn sample(random: &mut Random) -> Self {
        bool::sample(random).then(|| T::sample(random))
    }
}

/// A pair is one after the other.
impl Field for (UnitTag, WorldPos) {
    const TYPE: &'static str = "tag and position";
    const WIDTH: usize = 4;
    #[inline]
    fn write(&self, w: &mut Writer, last: &mut Last) -> Result<()> {
        self.0.write(w, last)?;
        self.1.write(w, last)
    }
    #[inline]
    fn read(r: &mut Reader<'_>, last: &mut Last, item: &'static str) -> Result<Self> {
        Ok((UnitTag::read(r, last, item)?, WorldPos::read(r, last, item)?))
    }
    fn columns(name: &str, nullable: bool, out: &mut Vec<Column>) {
        UnitTag::columns(&format!("{name}_tag"), nullable, out);
        WorldPos::columns(name, nullable, out);
    }
    fn values(&self, names: &dyn Names, row: &mut impl RowSink) {
        self.0.values(names, row);
        self.1.values(names, row);
    }
    fn sample(random: &mut Random) -> Self {
        (UnitTag::sample(random), WorldPos::sample(random))
    }
}

/// A type that lists hold: how many there may be, and the columns of a list.
pub(crate) trait Element: Field + 'static {
    const LIST_TYPE: &'static str;
    const MOST: Limit;
    /// Bytes of the shortest one.
    const SHORTEST: usize;
    /// The number of one element in each column of the list.
    const NUMBERS: &'static [fn(&Self) -> i64];
}

impl Element for UnitTag {
    const LIST_TYPE: &'static str = "tags";
    const MOST: Limit = TAG_LIST;
    const SHORTEST: usize = 1;
    const NUMBERS: &'static [fn(&Self) -> i64] = &[|tag| tag_number(*tag).into()];
}

impl Element for (UnitTag, WorldPos) {
    const LIST_TYPE: &'static str = "tags and positions";
    const MOST: Limit = SAMPLE_UNITS;
    const SHORTEST: usize = 4;
    const NUMBERS: &'static [fn(&Self) -> i64] = &[
        |(tag, _)| tag_number(*tag).into(),
        |(_, pos)| pos.x.into(),
        |(_, pos)| pos.y.into(),
        |(_, pos)| pos.z.into(),
    ];
}

impl<T: Element> Field for Vec<T> {
    const TYPE: &'static str = T::LIST_TYPE;
    const WIDTH: usize = T::WIDTH;
    fn write(&self, w: &mut Writer, last: &mut Last) -> Result<()> {
        let count = self.len() as u64;
        T::MOST.check(count, 0).map_err(|error| error.with_place(Place::Nowhere))?;
        w.varint(count);
        self.iter().try_for_each(|element| element.write(w, last))
    }
    fn read(r: &mut Reader<'_>, last: &mut Last, item: &'static str) -> Result<Self> {
        let offset = r.offset();
        let count = T::MOST.check(r.varint(item)?, offset)? as usize;
        // No more room than the bytes that are there can fill.
        let mut list = Self::with_capacity(count.min(r.remaining() / T::SHORTEST));
        for _ in 0..count {
            list.push(T::read(r, last, item)?);
        }
        Ok(list)
    }
    fn columns(name: &str, nullable: bool, out: &mut Vec<Column>) {
        let first = out.len();
        T::columns(name, nullable, out);
        for column in &mut out[first..] {
            column.column_type = match column.column_type {
                ColumnType::I32 => ColumnType::ListI32,
                _ => ColumnType::ListU32,
            };
        }
    }
    fn values(&self, _: &dyn Names, row: &mut impl RowSink) {
        for number in T::NUMBERS {
            row.value(Value::List(List::new(self.len(), &|at| number(&self[at]))));
        }
    }
    fn sample(random: &mut Random) -> Self {
        sample::list(random)
    }
}
