//! What follows a mnemonic: the operand trait, and the plain operands.
//!
//! Each operand has its four directions (read, write, print, parse) side by side.

use gametape_wire::{Error, Reader, Result};

use super::pattern::Field;
use super::tokens::{Token, Tokens};
use super::wire::Wire;
use crate::dialect::Dialect;
use crate::map::{Coord, ItemKind, StructureKind, TileKind};
use crate::message::pen::Pen;

/// How well a value survived being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[non_exhaustive]
pub enum Fit {
    /// Reading gives the same value back.
    #[default]
    Exact,
    /// The nearest value that can be written is written instead.
    Rounded,
    /// The value was over the maximum; the maximum is written instead.
    Saturated,
}

/// Where an operand is: its name, its bits in the first byte (if it has any), the dialect.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) name: &'static str,
    pub(crate) field: Option<Field>,
    pub(crate) dialect: Dialect,
}

impl Slot {
    /// The operand's one byte: its bits of the first byte, or else the next byte.
    #[inline(always)]
    fn byte(self, opcode: u8, r: &mut Reader<'_>) -> Result<u8> {
        match self.field {
            Some(field) => Ok(field.get(opcode)),
            None => r.u8(self.name),
        }
    }

    /// Writes the operand's one byte, unless the first byte carries it.
    #[inline(always)]
    fn put_byte<'a>(self, value: u8, wire: Wire<'a>) -> Wire<'a> {
        if self.field.is_none() { wire.put([value]) } else { wire }
    }

    /// The first byte's bits for an operand with the value `bits`.
    #[inline(always)]
    pub(crate) fn shifted(self, bits: usize) -> Result<usize> {
        match self.field {
            None => Ok(0),
            Some(field) => match field.put(bits) {
                Some(placed) => Ok(placed),
                None => Err(does_not_fit(self.name, bits, field)),
            },
        }
    }
}

#[cold]
fn does_not_fit(name: &'static str, bits: usize, field: Field) -> Error {
    Error::misuse(name, format!("{bits} does not fit, the most is {}", field.max()))
}

/// One operand of a message.
pub(crate) trait Operand<'a>: Sized {
    /// Is it a list that continues in further messages when it is too long for one?
    const LIST: bool = false;

    fn read(slot: Slot, opcode: u8, r: &mut Reader<'a>) -> Result<Self>;
    /// Does the text say everything, so that assembling it gives the same bytes?
    #[inline(always)]
    fn is_exact(&self, _: Slot) -> bool {
        true
    }
    /// The value for the operand's bits in the first byte.
    fn bits(&self) -> usize;
    /// Writes what follows the first byte.
    fn write(&self, slot: Slot, wire: Wire<'a>) -> Result<Wire<'a>>;
    /// Writes the operand's text after a blank.
    fn print<'p>(&self, slot: Slot, pen: Pen<'p>) -> Pen<'p>;
    /// Parses and writes in one go; gives the bits for the first byte.
    fn parse(slot: Slot, tokens: &mut Tokens<'_>, out: &mut Vec<u8>) -> Result<(usize, Fit)>;
}

/// Writes a parsed value: the end of most `parse` functions.
pub(crate) fn put<'a>(
    value: &impl Operand<'a>,
    slot: Slot,
    out: &mut Vec<u8>,
) -> Result<(usize, Fit)> {
    Ok((value.bits(), value.write(slot, Wire::EMPTY)?.push_to(out)))
}

/// Parses one word with the type's own `FromStr`, so that overflow is an error, never a wrap.
pub(crate) fn parse_word<T: std::str::FromStr>(
    tokens: &Tokens<'_>,
    word: Token<'_>,
    slot: Slot,
    expected: &'static str,
) -> Result<T> {
    word.text
        .parse()
        .map_err(|_| tokens.error(word, slot.name, format!("'{}' is not {expected}", word.text)))
}

macro_rules! integer_operand {
    ($type:ty, $expected:literal, $read:ident) => {
        impl<'a> Operand<'a> for $type {
            #[inline(always)]
            fn read(slot: Slot, _: u8, r: &mut Reader<'a>) -> Result<Self> {
                Ok(r.$read(slot.name)? as $type)
            }
            fn bits(&self) -> usize {
                0
            }
            #[inline(always)]
            fn write(&self, _: Slot, wire: Wire<'a>) -> Result<Wire<'a>> {
                Ok(wire.put(self.to_be_bytes()))
            }
            #[inline(always)]
            fn print<'p>(&self, _: Slot, pen: Pen<'p>) -> Pen<'p> {
                let value = i64::from(*self);
                let start: &[u8] = if value < 0 { b" -" } else { b" " };
                pen.text(start).number(value.unsigned_abs())
            }
            fn parse(
                slot: Slot,
                tokens: &mut Tokens<'_>,
                out: &mut Vec<u8>,
            ) -> Result<(usize, Fit)> {
                let word = tokens.take(slot.name)?;
                put(&parse_word::<$type>(tokens, word, slot, $expected)?, slot, out)
            }
        }
    };
}

integer_operand!(u16, "a number from 0 to 65535", u16_be);
integer_operand!(i16, "a number from -32768 to 32767", u16_be);

impl<'a> Operand<'a> for u8 {
    #[inline(always)]
    fn read(slot: Slot, opcode: u8, r: &mut Reader<'a>) -> Result<Self> {
        slot.byte(opcode, r)
    }
    fn bits(&self) -> usize {
        usize::from(*self)
    }
    #[inline(always)]
    fn write(&self, slot: Slot, wire: Wire<'a>) -> Result<Wire<'a>> {
        Ok(slot.put_byte(*self, wire))
    }
    #[inline(always)]
    fn print<'p>(&self, _: Slot, pen: Pen<'p>) -> Pen<'p> {
        pen.after_blank(u64::from(*self))
    }
    fn parse(slot: Slot, tokens: &mut Tokens<'_>, out: &mut Vec<u8>) -> Result<(usize, Fit)> {
        let word = tokens.take(slot.name)?;
        put(&parse_word::<u8>(tokens, word, slot, "a number from 0 to 255")?, slot, out)
    }
}

impl<'a> Operand<'a> for Coord {
    #[inline(always)]
    fn read(slot: Slot, _: u8, r: &mut Reader<'a>) -> Result<Self> {
        Ok(Self::from_wire(r.array(slot.name)?))
    }
    fn bits(&self) -> usize {
        0
    }
    #[inline(always)]
    fn write(&self, _: Slot, wire: Wire<'a>) -> Result<Wire<'a>> {
        Ok(wire.put(self.to_wire()))
    }
    #[inline(always)]
    fn print<'p>(&self, _: Slot, pen: Pen<'p>) -> Pen<'p> {
        pen.coord(self.to_wire())
    }
    fn parse(slot: Slot, tokens: &mut Tokens<'_>, out: &mut Vec<u8>) -> Result<(usize, Fit)> {
        let word = tokens.take(slot.name)?;
        put(&parse_coord(tokens, word, word.text, slot)?, slot, out)
    }
}

/// Parses `y,x`, the whole or the end of `word`.
pub(crate) fn parse_coord(
    tokens: &Tokens<'_>,
    word: Token<'_>,
    text: &str,
    slot: Slot,
) -> Result<Coord> {
    Coord::parse(text).ok_or_else(|| {
        let problem = format!("'{text}' is not a tile: y,x with numbers from -128 to 127");
        tokens.error(word, slot.name, problem)
    })
}

macro_rules! kind_operand {
    ($($type:ty),*) => {$(
        impl<'a> Operand<'a> for $type {
            #[inline(always)]
            fn read(slot: Slot, opcode: u8, r: &mut Reader<'a>) -> Result<Self> {
                Ok(Self::from_code_in(slot.byte(opcode, r)?, slot.dialect))
            }
            fn bits(&self) -> usize {
                usize::from(self.code())
            }
            #[inline(always)]
            fn write(&self, slot: Slot, wire: Wire<'a>) -> Result<Wire<'a>> {
                Ok(slot.put_byte(self.code(), wire))
            }
            #[inline(always)]
            fn print<'p>(&self, _: Slot, pen: Pen<'p>) -> Pen<'p> {
                match self.printed_word() {
                    Some(word) => pen.word(word),
                    None => pen.after_blank(u64::from(self.code())),
                }
            }
            fn parse(slot: Slot, tokens: &mut Tokens<'_>, out: &mut Vec<u8>) -> Result<(usize, Fit)> {
                let word = tokens.take(slot.name)?;
                let kind = match Self::from_word(word.text) {
                    Some(kind) => kind,
                    None => Self::from_code(parse_word(tokens, word, slot, "a known kind or a number")?),
                };
                put(&kind, slot, out)
            }
        }
    )*};
}

kind_operand!(TileKind, ItemKind, StructureKind);
