//! Operands that name several tiles: explosions, owners, digits.

use gametape_wire::{Reader, Result};

use super::operand::{Fit, Operand, Slot, parse_coord, put};
use super::tokens::{Token, Tokens};
use super::wire::{Wire, copy_short};
use crate::map::Coord;
use crate::message::pen::Pen;

/// Most tiles that one message of any kind can name.
pub(crate) const MAX_TILES: usize = 16;
/// Most tiles that one message about ownership can name.
pub(crate) const MAX_OWNED: usize = 8;
/// Most tiles that one message with digits can name.
pub(crate) const MAX_DIGITS: usize = 8;

/// The tiles of one message, borrowed from the wire or from a [`TileBuf`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tiles<'a>(&'a [[u8; 2]]);

impl<'a> Tiles<'a> {
    /// How many tiles.
    #[must_use]
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Is there none? (On the wire there is always at least one.)
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The tiles in their order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Coord> + 'a {
        self.0.iter().map(|wire| Coord::from_wire(*wire))
    }
}

/// The number for the count field: how many less one, and an empty list fits nowhere.
fn count_bits(count: usize) -> usize {
    count.wrapping_sub(1)
}

/// How many tiles the first byte announces, or the most it could, while parsing text.
fn count_in(slot: Slot, opcode: u8) -> usize {
    slot.field.map_or(1, |field| usize::from(field.get(opcode)) + 1)
}

impl<'a> Operand<'a> for Tiles<'a> {
    const LIST: bool = true;

    #[inline(always)]
    fn read(slot: Slot, opcode: u8, r: &mut Reader<'a>) -> Result<Self> {
        Ok(Self(r.chunks(count_in(slot, opcode), slot.name)?))
    }
    fn bits(&self) -> usize {
        count_bits(self.0.len())
    }
    #[inline(always)]
    fn write(&self, _: Slot, wire: Wire<'a>) -> Result<Wire<'a>> {
        Ok(wire.end_with(self.0.as_flattened()))
    }
    #[inline(always)]
    fn print<'p>(&self, _: Slot, pen: Pen<'p>) -> Pen<'p> {
        self.0.iter().fold(pen, |pen, wire| pen.coord(*wire))
    }
    fn parse(slot: Slot, tokens: &mut Tokens<'_>, out: &mut Vec<u8>) -> Result<(usize, Fit)> {
        parse_tiles(slot, tokens, out)
    }
}

/// Parses as many tiles as one message can name, or all that are left.
fn parse_tiles(slot: Slot, tokens: &mut Tokens<'_>, out: &mut Vec<u8>) -> Result<(usize, Fit)> {
    let count = count_in(slot, 0xFF).min(tokens.left().max(1));
    for _ in 0..count {
        let word = tokens.take(slot.name)?;
        out.extend_from_slice(&parse_coord(tokens, word, word.text, slot)?.to_wire());
    }
    Ok((count_bits(count), Fit::Exact))
}

/// The tiles of one message about ownership: up to 8, which the message holds itself.
///
/// Half of all messages are such. Their few tiles are written in one step, however many they are; borrowed
/// ones would have to be copied by their number, which a processor guesses wrongly.
///
/// ```
/// use gametape_minewars::{Coord, Message, OwnedTiles};
///
/// let mut tiles = OwnedTiles::from(Coord::new(-7, 2));
/// assert!(tiles.push(Coord::new(-7, 3)));
/// let message = Message::Owner { player: 2, tiles };
/// assert_eq!(tiles.iter().map(|tile| tile.x).collect::<Vec<_>>(), [2, 3]);
/// # drop(message);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct OwnedTiles {
    /// Zeros after the last tile.
    wire: [[u8; 2]; MAX_OWNED],
    count: u8,
}

impl OwnedTiles {
    /// No tiles yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tile; false when 8 are there already.
    pub fn push(&mut self, tile: Coord) -> bool {
        let Some(slot) = self.wire.get_mut(usize::from(self.count)) else { return false };
        *slot = tile.to_wire();
        self.count += 1;
        true
    }

    /// How many tiles.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count as usize
    }

    /// Is there none? (On the wire there is always at least one.)
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The tiles in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Coord> + '_ {
        self.wire().iter().map(|wire| Coord::from_wire(*wire))
    }

    fn wire(&self) -> &[[u8; 2]] {
        // There are never more than there is room for.
        &self.wire[..self.len().min(MAX_OWNED)]
    }
}

impl From<Coord> for OwnedTiles {
    /// One tile.
    fn from(tile: Coord) -> Self {
        let mut tiles = Self::new();
        tiles.push(tile);
        tiles
    }
}

impl<'a> Operand<'a> for OwnedTiles {
    const LIST: bool = true;

    #[inline(always)]
    fn read(slot: Slot, opcode: u8, r: &mut Reader<'a>) -> Result<Self> {
        let bytes = r.take(2 * count_in(slot, opcode), slot.name)?;
        let mut wire = [0; 2 * MAX_OWNED];
        copy_short(bytes, &mut wire);
        let wire = *wire.as_chunks().0.first_chunk().unwrap_or(&[[0; 2]; MAX_OWNED]);
        Ok(Self { wire, count: (bytes.len() / 2) as u8 })
    }
    fn bits(&self) -> usize {
        count_bits(self.len())
    }
    #[inline(always)]
    fn write(&self, _: Slot, wire: Wire<'a>) -> Result<Wire<'a>> {
        Ok(wire.end_with_tiles(self.wire, self.len()))
    }
    #[inline(always)]
    fn print<'p>(&self, _: Slot, pen: Pen<'p>) -> Pen<'p> {
        self.wire().iter().fold(pen, |pen, wire| pen.coord(*wire))
    }
    fn parse(slot: Slot, tokens: &mut Tokens<'_>, out: &mut Vec<u8>) -> Result<(usize, Fit)> {
        parse_tiles(slot, tokens, out)
    }
}

/// Room for the tiles of one message, to build one without allocating.
///
/// ```
/// use gametape_minewars::{Coord, TileBuf};
///
/// let mut tiles = TileBuf::new();
/// assert!(tiles.push(Coord::new(-7, 2)));
/// assert_eq!(tiles.as_tiles().len(), 1);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct TileBuf {
    wire: [[u8; 2]; MAX_TILES],
    count: usize,
}

impl TileBuf {
    /// No tiles yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tile; false when 16 are there already.
    pub fn push(&mut self, tile: Coord) -> bool {
        let Some(slot) = self.wire.get_mut(self.count) else { return false };
        *slot = tile.to_wire();
        self.count += 1;
        true
    }

    /// The tiles so far.
    #[must_use]
    pub fn as_tiles(&self) -> Tiles<'_> {
        Tiles(&self.wire[..self.count])
    }
}

/// The number that a tile shows, with its asterisk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Digit {
    /// 0 to 7. A larger number cannot be written and is refused.
    pub value: u8,
    /// Is one of the counted neighbours not a mine?
    pub asterisk: bool,
}

impl Digit {
    /// Four bits as on the wire: asterisk, then three bits of value.
    pub(crate) const fn from_nibble(nibble: u8) -> Self {
        Self { value: nibble & 7, asterisk: nibble & 8 != 0 }
    }

    /// The four bits of a digit that came from the wire.
    pub(crate) const fn to_nibble(self) -> u8 {
        self.value & 7 | (self.asterisk as u8) << 3
    }

    /// The four bits, or more when the value is over 7: those fit nowhere.
    const fn nibble(self) -> usize {
        let value = self.value as usize;
        value | (self.asterisk as usize) << 3 | (value >> 3) << 4
    }
}

/// One tile and the digit it shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DigitTile {
    /// The digit.
    pub digit: Digit,
    /// The tile.
    pub tile: Coord,
}

impl<'a> Operand<'a> for DigitTile {
    #[inline(always)]
    fn read(slot: Slot, opcode: u8, r: &mut Reader<'a>) -> Result<Self> {
        let nibble = slot.field.map_or(0, |field| field.get(opcode));
        let tile = Coord::from_wire(r.array(slot.name)?);
        Ok(Self { digit: Digit::from_nibble(nibble), tile })
    }
    fn bits(&self) -> usize {
        self.digit.nibble()
    }
    #[inline(always)]
    fn write(&self, _: Slot, wire: Wire<'a>) -> Result<Wire<'a>> {
        Ok(wire.put(self.tile.to_wire()))
    }
    #[inline(always)]
    fn print<'p>(&self, _: Slot, pen: Pen<'p>) -> Pen<'p> {
        match self.digit.value {
            0..=7 => pen.digit(self.digit.to_nibble(), self.tile.to_wire()),
            _ => self.print_oversized(pen),
        }
    }
    fn parse(slot: Slot, tokens: &mut Tokens<'_>, out: &mut Vec<u8>) -> Result<(usize, Fit)> {
        let word = tokens.take(slot.name)?;
        put(&parse_digit_tile(tokens, word, slot)?, slot, out)
    }
}

impl DigitTile {
    /// Writes a digit that no message can carry.
    #[cold]
    fn print_oversized<'p>(&self, pen: Pen<'p>) -> Pen<'p> {
        let asterisk = if self.digit.asterisk { "*" } else { "" };
        pen.text(format!(" {}{asterisk}/{}", self.digit.value, self.tile).as_bytes())
    }
}

/// Parses `d/y,x` or `d*/y,x`; the digit has three bits, so 8 is refused.
fn parse_digit_tile(tokens: &Tokens<'_>, word: Token<'_>, slot: Slot) -> Result<DigitTile> {
    let shape = "is not a digit and its tile: d/y,x or d*/y,x";
    let Some((digit, tile)) = word.text.split_once('/') else {
        return Err(tokens.error(word, slot.name, format!("'{}' {shape}", word.text)));
    };
    let (value, asterisk) = match digit.strip_suffix('*') {
        Some(value) => (value, true),
        None => (digit, false),
    };
    let value = match value.parse() {
        Ok(value @ 0..=7) => value,
        Ok(8..) => return Err(tokens.error(word, slot.name, "a digit is at most 7")),
        Err(_) => return Err(tokens.error(word, slot.name, format!("'{}' {shape}", word.text))),
    };
    let tile = parse_coord(tokens, word, tile, slot)?;
    Ok(DigitTile { digit: Digit { value, asterisk }, tile })
}

/// Several tiles and the digits they show: borrowed from the wire or from a [`DigitBuf`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digits<'a> {
    /// The tiles, then two digits a byte, the first in the high half.
    wire: &'a [u8],
}

impl<'a> Digits<'a> {
    /// Bytes on the wire for `count` tiles.
    const fn wire_length(count: usize) -> usize {
        2 * count + count.div_ceil(2)
    }

    /// How many tiles.
    #[must_use]
    pub const fn len(self) -> usize {
        self.wire.len() * 2 / 5
    }

    /// Is there none? (On the wire there is always at least one.)
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.wire.is_empty()
    }

    /// The one tile with its digit, where there is just one.
    #[must_use]
    pub fn single(self) -> Option<DigitTile> {
        if self.len() == 1 { self.iter().next() } else { None }
    }

    /// Is it more than one tile, with zero after an odd number of them? Only then does its text
    /// mean exactly these bytes.
    pub(crate) fn is_regular(self) -> bool {
        let padding = match self.wire.last() {
            Some(last) if self.len() % 2 == 1 => last & 15,
            _ => 0,
        };
        self.len() > 1 && padding == 0
    }

    /// The tiles with their digits, in their order.
    pub fn iter(self) -> impl Iterator<Item = DigitTile> + 'a {
        let (tiles, packed) = self.wire.split_at(2 * self.len());
        let nibbles = packed.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        tiles.as_chunks::<2>().0.iter().zip(nibbles).map(|(wire, nibble)| DigitTile {
            digit: Digit::from_nibble(nibble),
            tile: Coord::from_wire(*wire),
        })
    }
}

impl<'a> Operand<'a> for Digits<'a> {
    const LIST: bool = true;

    /// The text of a single tile means the single encoding, and hides what pads an odd count.
    fn is_exact(&self, _: Slot) -> bool {
        self.is_regular()
    }
    #[inline(always)]
    fn read(slot: Slot, opcode: u8, r: &mut Reader<'a>) -> Result<Self> {
        Ok(Self { wire: r.take(Self::wire_length(count_in(slot, opcode)), slot.name)? })
    }
    fn bits(&self) -> usize {
        count_bits(self.len())
    }
    #[inline(always)]
    fn write(&self, _: Slot, wire: Wire<'a>) -> Result<Wire<'a>> {
        Ok(wire.end_with(self.wire))
    }
    #[inline(always)]
    fn print<'p>(&self, slot: Slot, pen: Pen<'p>) -> Pen<'p> {
        self.iter().fold(pen, |pen, digit| digit.print(slot, pen))
    }
    fn parse(slot: Slot, tokens: &mut Tokens<'_>, out: &mut Vec<u8>) -> Result<(usize, Fit)> {
        let count = count_in(slot, 0xFF).min(tokens.left().max(1));
        let mut digits = DigitBuf::new();
        for _ in 0..count {
            let word = tokens.take(slot.name)?;
            digits.push(parse_digit_tile(tokens, word, slot)?);
        }
        put(&digits.as_digits(), slot, out)
    }
}

/// Room for the digits of one message, to build one without allocating.
#[derive(Debug, Clone, Copy, Default)]
pub struct DigitBuf {
    wire: [u8; Digits::wire_length(MAX_DIGITS)],
    count: usize,
}

impl DigitBuf {
    /// No digits yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tile with its digit; false when 8 are there already or the digit is over 7.
    pub fn push(&mut self, digit_tile: DigitTile) -> bool {
        let nibble = digit_tile.digit.nibble();
        if nibble > 15 || self.count == MAX_DIGITS {
            return false;
        }
        let tiles = 2 * self.count;
        let end = Digits::wire_length(self.count);
        self.wire.copy_within(tiles..end, tiles + 2);
        self.wire[tiles..tiles + 2].copy_from_slice(&digit_tile.tile.to_wire());
        if self.count.is_multiple_of(2) {
            self.wire[end + 2] = (nibble as u8) << 4;
        } else {
            self.wire[end + 1] |= nibble as u8;
        }
        self.count += 1;
        true
    }

    /// The digits so far.
    #[must_use]
    pub fn as_digits(&self) -> Digits<'_> {
        Digits { wire: &self.wire[..Digits::wire_length(self.count)] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_gathered_as_the_wire_has_them() {
        let mut digits = DigitBuf::new();
        for value in 0..8 {
            assert_eq!(digits.as_digits().len(), usize::from(value));
            let digit = Digit { value, asterisk: value == 3 };
            assert!(digits.push(DigitTile { digit, tile: Coord::new(1, value as i8) }));
        }
        let expected = [1, 0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 1, 7, 0x01, 0x2B, 0x45, 0x67];
        assert_eq!(digits.as_digits().wire, expected);
        let values: Vec<u8> = digits.as_digits().iter().map(|one| one.digit.value).collect();
        assert_eq!(values, (0..8).collect::<Vec<u8>>());
        let one_more = DigitTile { digit: Digit::default(), tile: Coord::CENTRE };
        assert!(!digits.push(one_more));
        let eight = DigitTile { digit: Digit { value: 8, asterisk: false }, tile: Coord::CENTRE };
        assert!(!DigitBuf::new().push(eight));
    }
}
