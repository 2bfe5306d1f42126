//! Schemas: the columns of every kind, and of the wide table of all kinds.

use std::sync::LazyLock;

use crate::event::field::column;
use crate::event::table::{AnalysisEvent, EventKind, KINDS};
use crate::export::column::{Column, ColumnType};

/// A table of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Table {
    /// The events of one kind.
    Kind(EventKind),
    /// The events of all kinds, with every column that any of them has.
    Wide,
}

/// The columns of a table, and for each kind where its columns are in it.
pub(crate) struct Layout {
    pub(crate) columns: Vec<Column>,
    /// By index of the kind: the column of the table for each column of the kind.
    indexes: Vec<Vec<usize>>,
}

/// The columns that every table begins with.
fn head() -> Vec<Column> {
    vec![
        column("match_id", ColumnType::Text, false),
        column("tape", ColumnType::Text, false),
        column("tick", ColumnType::I64, false),
        column("seconds", ColumnType::F64, false),
    ]
}

/// By kind: the tick and the columns of its fields.
static OWN_COLUMNS: LazyLock<Vec<Vec<Column>>> = LazyLock::new(|| {
    let of_row = |row: &crate::event::kinds::KindRow| {
        let mut columns = vec![column("tick", ColumnType::I64, false)];
        row.fields.iter().for_each(|field| (field.columns)(field.name, false, &mut columns));
        columns
    };
    KINDS.iter().map(of_row).collect()
});

/// By kind: the columns of its table.
static KIND_COLUMNS: LazyLock<Vec<Vec<Column>>> = LazyLock::new(|| {
    let with_name = |own: &Column| {
        let name = Column {
            name: format!("{}_name", own.name),
            column_type: ColumnType::Text,
            nullable: true,
        };
        std::iter::once(own.clone()).chain(own.is_player().then_some(name))
    };
    let of_kind =
        |own: &Vec<Column>| head().into_iter().chain(own[1..].iter().flat_map(with_name)).collect();
    OWN_COLUMNS.iter().map(of_kind).collect()
});

static WIDE: LazyLock<Layout> = LazyLock::new(|| {
    let mut columns = head();
    columns.push(column("kind", ColumnType::Text, false));
    let indexes = KIND_COLUMNS.iter().map(|of_kind| index_all(of_kind, &mut columns)).collect();
    Layout { columns, indexes }
});

/// Where the columns of a kind are in the wide table; new ones are added.
fn index_all(of_kind: &[Column], wide: &mut Vec<Column>) -> Vec<usize> {
    let index = |column: &Column| {
        let known = wide.iter().position(|other| other.name == column.name);
        known.unwrap_or_else(|| {
            wide.push(Column { nullable: true, ..column.clone() });
            wide.len() - 1
        })
    };
    of_kind.iter().map(index).collect()
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
            Self::Kind(kind) => &KIND_COLUMNS[kind.index()],
            Self::Wide => &WIDE.columns,
        }
    }

    /// The columns that [`AnalysisEvent::values`] gives for a kind: the tick and those of its fields.
    #[must_use]
    pub fn own_columns(kind: EventKind) -> &'static [Column] {
        &OWN_COLUMNS[kind.index()]
    }

    /// Does it have a row for this event?
    #[must_use]
    pub fn takes(self, event: &AnalysisEvent) -> bool {
        self == Self::Wide || self == Self::Kind(event.kind())
    }

    /// The column of this table for each column of `kind`.
    #[must_use]
    pub fn columns_of(self, kind: EventKind) -> &'static [usize] {
        match self {
            Self::Kind(_) => IDENTITY.split_at(self.columns().len()).0,
            Self::Wide => &WIDE.indexes[kind.index()],
        }
    }

    /// The column that names the kind, where there is one.
    #[must_use]
    pub fn kind_column(self) -> Option<usize> {
        let is_kind = |column: &Column| column.name == "kind";
        (self == Self::Wide).then(|| WIDE.columns.iter().position(is_kind)).flatten()
    }
}

/// The indexes of a kind's columns in its own table.
static IDENTITY: LazyLock<Vec<usize>> =
    LazyLock::new(|| (0..KIND_COLUMNS.iter().map(Vec::len).max().unwrap_or(0)).collect());
