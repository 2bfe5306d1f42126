//! From one table to enum, encoder, decoder, columns and the printed table.

use crate::export::column::Column;

/// Which stream of events chunks a kind belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EventStream {
    /// What the simulation produced.
    Simulation = 0,
    /// Position samples.
    Samples = 1,
    /// What a player's own machine reported.
    Reported = 2,
}

impl EventStream {
    /// All streams.
    pub const ALL: [Self; 3] = [Self::Simulation, Self::Samples, Self::Reported];

    /// The stream's number in the tape.
    #[must_use]
    pub const fn number(self) -> u16 {
        self as u16
    }
}

/// One field of a kind, for schemas and for the printed table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FieldRow {
    pub(crate) name: &'static str,
    /// Its type in the specification.
    pub(crate) field_type: &'static str,
    pub(crate) columns: fn(&str, bool, &mut Vec<Column>),
}

/// One row of the table of kinds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KindRow {
    pub(crate) number: u8,
    pub(crate) name: &'static str,
    pub(crate) stream: EventStream,
    pub(crate) meaning: &'static str,
    pub(crate) fields: &'static [FieldRow],
}

/// Declares the kinds of events.
///
/// A row is: documentation (its first line is the meaning in the printed table), number, name,
/// stream, and the fields in the order of their bytes. Every kind begins with `tick`, which is
/// written outside of the body. Two rows with the same number do not compile.
macro_rules! events {
    (
        $(#[$set_doc:meta])*
        $set:ident, kinds $kind:ident, rows $rows:ident {
            $(
                #[doc = $meaning:literal] $(#[doc = $more:literal])*
                $number:literal $variant:ident $stream:ident
                { $($(#[doc = $field_doc:literal])* $field:ident: $type:ty,)* }
            )*
        }
    ) => {
        $(#[$set_doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum $set {
            $(
                #[doc = $meaning] $(#[doc = $more])*
                $variant {
                    /// When.
                    tick: Tick,
                    $($(#[doc = $field_doc])* $field: $type,)*
                },
            )*
        }

        /// A kind of event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $kind {
            $(#[doc = $meaning] $variant = $number,)*
        }

        pub(crate) const $rows: &[KindRow] = &[$(
            KindRow {
                number: $number,
                name: stringify!($variant),
                stream: EventStream::$stream,
                meaning: $meaning,
                fields: &[$(FieldRow {
                    name: stringify!($field),
                    field_type: <$type as Field>::TYPE,
                    columns: <$type as Field>::columns,
                }),*],
            }
        ),*];

        impl $kind {
            /// Every kind, ascending by number.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The kind with this number, where this version knows one.
            #[must_use]
            #[inline]
            pub const fn from_number(number: u8) -> Option<Self> {
                match number {
                    $($number => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }

        impl $set {
            /// Its kind.
            #[must_use]
            #[inline]
            pub const fn kind(&self) -> $kind {
                match self { $(Self::$variant { .. } => $kind::$variant),* }
            }

            /// When it happened.
            #[must_use]
            #[inline]
            pub const fn tick(&self) -> Tick {
                match self { $(Self::$variant { tick, .. } => *tick),* }
            }

            /// The same at another tick.
            #[must_use]
            pub fn with_tick(mut self, at: Tick) -> Self {
                match &mut self { $(Self::$variant { tick, .. } => *tick = at),* }
                self
            }

            /// An event of a kind whose fields are chance.
            pub(crate) fn sample(kind: $kind, tick: Tick, random: &mut Random) -> Self {
                match kind {
                    $($kind::$variant => {
                        $(let $field = <$type as Field>::sample(random);)*
                        Self::$variant { tick, $($field),* }
                    })*
                }
            }

            /// Appends the fields but the tick.
            #[inline]
            pub(crate) fn write_body(&self, w: &mut Writer, last: &mut Last) -> Result<()> {
                match self {
                    $(Self::$variant { tick: _, $($field),* } => {
                        $($field.write(w, last)?;)*
                    })*
                }
                Ok(())
            }

            /// Reads what [`write_body`](Self::write_body) wrote, to the end of `r`.
            #[inline]
            pub(crate) fn read_body(
                kind: $kind,
                tick: Tick,
                r: &mut Reader<'_>,
                last: &mut Last,
            ) -> Result<Self> {
                match kind {
                    $($kind::$variant => {
                        $(let $field = <$type as Field>::read(r, last, stringify!($field))?;)*
                        r.finish(stringify!($variant))?;
                        Ok(Self::$variant { tick, $($field),* })
                    })*
                }
            }

            /// Gives the value of each column of its kind.
            pub fn values(&self, names: &dyn Names, row: &mut impl RowSink) {
                row.value(Value::Unsigned(self.tick().0));
                match self {
                    $(Self::$variant { tick: _, $($field),* } => {
                        $($field.values(names, row);)*
                    })*
                }
            }
        }
    };
}

pub(crate) use events;
