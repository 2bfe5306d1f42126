//! Columns: what every export makes of an event's fields.

use std::fmt;

use gametape_tape::NameTable;

/// The type of a column, the same in JSON lines, CSV and Parquet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnType {
    /// True or false.
    Bool,
    /// An unsigned number of 8 bits.
    U8,
    /// An unsigned number of 16 bits.
    U16,
    /// An unsigned number of 32 bits.
    U32,
    /// A signed number of 32 bits.
    I32,
    /// A signed number of 64 bits.
    I64,
    /// A floating-point number of 64 bits.
    F64,
    /// Text.
    Text,
    /// A list of unsigned numbers of 32 bits.
    ListU32,
    /// A list of signed numbers of 32 bits.
    ListI32,
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Bool => "bool",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F64 => "f64",
            Self::Text => "text",
            Self::ListU32 => "list of u32",
            Self::ListI32 => "list of i32",
        })
    }
}

/// One column of an export.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Column {
    /// Its name: the field's, with a suffix where a field needs several columns.
    pub name: String,
    /// Its type.
    pub column_type: ColumnType,
    /// May it be empty?
    pub nullable: bool,
}

/// Columns whose name ends so are the numbers of players.
const PLAYERS: [&str; 6] = ["player", "owner", "winner", "leaver", "proposer", "voter"];

impl Column {
    /// Is it the number of a player?
    #[must_use]
    pub fn is_player(&self) -> bool {
        let last = self.name.rsplit('_').next().unwrap_or_default();
        self.column_type == ColumnType::U8 && PLAYERS.contains(&last)
    }
}

/// The value in one column of one row.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Value<'a> {
    /// Nothing.
    Null,
    /// For [`ColumnType::Bool`].
    Bool(bool),
    /// For the unsigned types.
    Unsigned(u64),
    /// For the signed types.
    Signed(i64),
    /// For [`ColumnType::F64`].
    Float(f64),
    /// For [`ColumnType::Text`].
    Text(&'a str),
    /// For the list types.
    List(List<'a>),
}

/// The numbers of a list, each computed when it is asked for.
#[derive(Clone, Copy)]
pub struct List<'a> {
    length: usize,
    at: &'a dyn Fn(usize) -> i64,
}

impl<'a> List<'a> {
    pub(crate) fn new(length: usize, at: &'a dyn Fn(usize) -> i64) -> Self {
        Self { length, at }
    }

    /// How many numbers there are.
    #[must_use]
    pub fn len(self) -> usize {
        self.length
    }

    /// Is there no number?
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.length == 0
    }

    /// The numbers in order.
    pub fn iter(self) -> impl Iterator<Item = i64> + 'a {
        (0..self.length).map(self.at)
    }
}

impl fmt::Debug for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Takes the values of one row, one after the other in the order of the columns.
pub trait RowSink {
    /// The value of the next column.
    fn value(&mut self, value: Value<'_>);

    /// Nothing in the next `count` columns.
    fn nulls(&mut self, count: usize) {
        (0..count).for_each(|_| self.value(Value::Null));
    }
}

/// The names that the name ids in events mean.
pub trait Names {
    /// The name of an id, where there is one.
    fn name(&self, id: u32) -> Option<&str>;
}

impl Names for NameTable {
    fn name(&self, id: u32) -> Option<&str> {
        self.get(id)
    }
}

impl<S: AsRef<str>> Names for [S] {
    fn name(&self, id: u32) -> Option<&str> {
        self.get(id as usize).map(AsRef::as_ref)
    }
}

impl<S: AsRef<str>, const N: usize> Names for [S; N] {
    fn name(&self, id: u32) -> Option<&str> {
        self.as_slice().name(id)
    }
}

impl<S: AsRef<str>> Names for Vec<S> {
    fn name(&self, id: u32) -> Option<&str> {
        self.as_slice().name(id)
    }
}
