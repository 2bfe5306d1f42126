//! Fields that are one of several things: a code byte, then what that choice carries.

/// Declares such a type: enum, bytes, columns and rows for the printed table.
///
/// In exports it is a text column with the choice's name, then one column for each distinct name
/// of a carried field, empty where the choice has no such field.
macro_rules! choices {
    (
        $(#[$doc:meta])*
        $set:ident, rows $rows:ident, $type:literal {
            $(
                $(#[$variant_doc:meta])*
                $code:literal $variant:ident $({
                    $($(#[$field_doc:meta])* $field:ident: $field_type:ty),*
                })?
            )*
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $set {
            $(
                $(#[$variant_doc])*
                $variant $({ $($(#[$field_doc])* $field: $field_type),* })?,
            )*
        }

        impl $set {
            /// The name of the choice.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant { .. } => stringify!($variant)),* }
            }

            /// Name and columns of every carried field, of all choices.
            const CARRIED: &'static [$crate::event::choice::Carried] = &[
                $($($((stringify!($field), <$field_type as Field>::columns),)*)?)*
            ];
        }

        impl Field for $set {
            const TYPE: &'static str = $type;
            const WIDTH: usize = 1 + $crate::event::choice::distinct_count(Self::CARRIED);

            fn write(&self, w: &mut Writer, last: &mut Last) -> Result<()> {
                match self {
                    $(Self::$variant $({ $($field),* })? => {
                        w.u8($code);
                        $($($field.write(w, last)?;)*)?
                    })*
                }
                let _ = last;
                Ok(())
            }

            fn read(r: &mut Reader<'_>, last: &mut Last, item: &'static str) -> Result<Self> {
                let offset = r.offset();
                let _ = &last;
                Ok(match r.u8(item)? {
                    $($code => Self::$variant $({
                        $($field: Field::read(r, last, stringify!($field))?),*
                    })?,)*
                    other => return Err(bad_value(offset, item, other.into(), "a known choice")),
                })
            }

            fn columns(name: &str, nullable: bool, out: &mut Vec<Column>) {
                out.push(column(name, ColumnType::Text, nullable));
                for (field, columns) in $crate::event::choice::distinct(Self::CARRIED) {
                    columns(&format!("{name}_{field}"), true, out);
                }
            }

            fn values(&self, names: &dyn Names, row: &mut impl RowSink) {
                row.value(Value::Text(self.name()));
                for (column, _) in $crate::event::choice::distinct(Self::CARRIED) {
                    let _ = (names, column);
                    match self {
                        $(Self::$variant $({ $($field),* })? => {$($(
                            if *column == stringify!($field) {
                                $field.values(names, row);
                                continue;
                            }
                        )*)?})*
                    }
                    row.nulls(1);
                }
            }

            fn sample(random: &mut Random) -> Self {
                let all = [$($code),*];
                match all[random.below(all.len() as u64) as usize] {
                    $($code => Self::$variant $({ $($field: Field::sample(random)),* })?,)*
                    _ => unreachable!("a code of the list above"),
                }
            }
        }

        /// Code, name and carried fields of every choice, for the printed table.
        pub(crate) const $rows: &[$crate::event::choice::ChoiceRow] = &[
            $(($code, stringify!($variant), &[
                $($((stringify!($field), <$field_type as Field>::TYPE)),*)?
            ])),*
        ];
    };
}

pub(crate) use choices;

use crate::export::column::Column;

/// Code, name, and name and type of each carried field.
pub(crate) type ChoiceRow = (u8, &'static str, &'static [(&'static str, &'static str)]);

/// A field's name and how its columns are made; every carried field has one column.
pub(crate) type Carried = (&'static str, fn(&str, bool, &mut Vec<Column>));

/// The fields without those whose name occurs earlier.
pub(crate) fn distinct(fields: &'static [Carried]) -> impl Iterator<Item = &'static Carried> {
    let is_first = |index: usize| fields[..index].iter().all(|(name, _)| *name != fields[index].0);
    (0..fields.len()).filter(move |&index| is_first(index)).map(|index| &fields[index])
}

/// How many [`distinct`] ones there are.
pub(crate) const fn distinct_count(fields: &[Carried]) -> usize {
    let (mut count, mut index) = (0, 0);
    while index < fields.len() {
        let mut before = 0;
        while before < index && !same(fields[before].0, fields[index].0) {
            before += 1;
        }
        count += (before == index) as usize;
        index += 1;
    }
    count
}

const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}
