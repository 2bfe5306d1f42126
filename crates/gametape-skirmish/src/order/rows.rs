//! From one table to enum, decoder, encoder, arguments and the printed table.

/// One row of the table, for the specification.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) number: u8,
    pub(super) name: &'static str,
    /// Name and form of each operand.
    pub(super) operands: &'static [(&'static str, &'static str)],
    /// When the order is allowed.
    pub(super) rule: &'static str,
}

/// Declares the orders.
///
/// A row is: documentation, first byte, variant, name, stream, when it is allowed, and its operands,
/// each a documented field with its type and the operand that reads and writes it. Two rows with the same byte do not
/// compile: the second arm of the decoder could not be reached.
macro_rules! orders {
    (
        $(#[$set_doc:meta])*
        $set:ident, rows $rows:ident {
            $(
                $(#[doc = $doc:literal])*
                $number:literal $variant:ident $name:literal $channel:ident $rule:literal {
                    $( $(#[doc = $field_doc:literal])* $field:ident: $type:ty as $operand:ty, )*
                }
            )*
        }
    ) => {
        $(#[$set_doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $set {
            $(
                $(#[doc = $doc])*
                $variant { $( $(#[doc = $field_doc])* $field: $type, )* },
            )*
        }

        pub(super) const $rows: &[Row] = &[$(
            Row {
                number: $number,
                name: $name,
                operands: &[$((stringify!($field), <$operand as Operand>::FORM)),*],
                rule: $rule,
            }
        ),*];

        impl $set {
            /// The name of the order.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $name,)* }
            }

            /// The stream of a tape that it belongs to.
            #[must_use]
            pub const fn channel(&self) -> Channel {
                match self { $(Self::$variant { .. } => Channel::$channel,)* }
            }

            /// The bytes of the order. An order whose operands have no bytes is an error: nothing is
            /// cut or left out.
            pub fn to_bytes(&self) -> Result<Vec<u8>> {
                let mut w = Writer::new();
                match self {
                    $(Self::$variant { $($field),* } => {
                        w.u8($number);
                        $(<$operand as Operand>::write($field, &mut w)
                            .map_err(|error| error.within($name))?;)*
                    })*
                }
                Ok(w.into_bytes())
            }

            /// The order in these bytes, and in no others.
            #[deny(unreachable_patterns)]
            pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
                let mut r = Reader::new(bytes);
                let command = match r.u8("order")? {
                    $($number => {
                        $(let $field = <$operand as Operand>::read(&mut r, stringify!($field))?;)*
                        Self::$variant { $($field),* }
                    })*
                    other => {
                        let kind = ErrorKind::Unknown { code: other.into() };
                        return Err(Error::at(0, "order", kind));
                    }
                };
                r.finish("order")?;
                Ok(command)
            }

            /// Its arguments with their names, as a function call would have them.
            #[must_use]
            pub fn arguments(&self) -> Vec<(&'static str, Argument<'_>)> {
                let mut arguments = Vec::new();
                match self {
                    $(Self::$variant { $($field),* } => {
                        $(<$operand as Operand>::arguments(
                            $field,
                            stringify!($field),
                            &mut arguments,
                        );)*
                    })*
                }
                arguments
            }
        }
    };
}

pub(super) use orders;
