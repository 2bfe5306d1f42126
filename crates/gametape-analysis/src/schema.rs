//! Schemas: the columns of every kind, and of the wide table of all kinds.

use std::sync::LazyLock;

use crate::column::{Column, ColumnType};
use crate::field::column;
use crate::table::{AnalysisEvent, EventKind, KINDS};

/// A table of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Table {
    /// The events of one kind.
    Kind(EventKind),
    /// The events of all kinds, with every column that any of them has.
    Wide,
}

/// The columns of a table, and for each kind where its columns are in it.
pub(crate) struct Layout {
    pub(crate) columns: Vec<Column>,
    /// By place of the kind: the column of the table for each column of the kind.
    places: Vec<Vec<usize>>,
}

/// How many columns of the wide table stand before the kinds' own: `tick` and `kind`.
const WIDE_HEAD: usize = 2;

static KIND_COLUMNS: LazyLock<Vec<Vec<Column>>> = LazyLock::new(|| {
    let of_row = |row: &crate::kinds::KindRow| {
        let mut columns = vec![column("tick", ColumnType::U64, false)];
        row.fields.iter().for_each(|field| (field.columns)(field.name, false, &mut columns));
        columns
    };
    KINDS.iter().map(of_row).collect()
});

static WIDE: LazyLock<Layout> = LazyLock::new(|| {
    let mut columns =
        vec![column("tick", ColumnType::U64, false), column("kind", ColumnType::Text, false)];
    let places = KIND_COLUMNS.iter().map(|of_kind| place_all(of_kind, &mut columns)).collect();
    Layout { columns, places }
});

/// Where the columns of a kind are in the wide table; new ones are added.
fn place_all(of_kind: &[Column], wide: &mut Vec<Column>) -> Vec<usize> {
    let place = |column: &Column| {
        let known = wide.iter().position(|other| other.name == column.name);
        known.unwrap_or_else(|| {
            wide.push(Column { nullable: true, ..column.clone() });
            wide.len() - 1
        })
    };
    of_kind.iter().map(place).collect()
}

impl Table {
    /// Every table: one for each kind, and the wide one.
    pub fn all() -> impl Iterator<Item = Self> {
        EventKind::ALL.iter().map(|&kind| Self::Kind(kind)).chain([Self::Wide])
    }

    /// Its name: the kind's, or `events`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Kind(kind) => kind.name(),
            Self::Wide => "events",
        }
    }

    /// Its columns.
    #[must_use]
    pub fn columns(self) -> &'static [Column] {
        match self {
            Self::Kind(kind) => &KIND_COLUMNS[kind.place()],
            Self::Wide => &WIDE.columns,
        }
    }

    /// Does it have a row for this event?
    #[must_use]
    pub fn takes(self, event: &AnalysisEvent) -> bool {
        self == Self::Wide || self == Self::Kind(event.kind())
    }

    /// The column of this table for each column of `kind`.
    pub(crate) fn places(self, kind: EventKind) -> &'static [usize] {
        match self {
            Self::Kind(_) => IDENTITY.split_at(self.columns().len()).0,
            Self::Wide => &WIDE.places[kind.place()],
        }
    }

    /// The column that names the kind, where there is one.
    pub(crate) fn kind_column(self) -> Option<usize> {
        (self == Self::Wide).then_some(WIDE_HEAD - 1)
    }
}

/// The places of a kind's columns in its own table.
static IDENTITY: LazyLock<Vec<usize>> =
    LazyLock::new(|| (0..KIND_COLUMNS.iter().map(Vec::len).max().unwrap_or(0)).collect());
