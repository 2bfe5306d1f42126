//! Operands about players and cities: who, for how long, how they voted, how much money.

use crate::Generation;
use gametape_wire::{Reader, Result};

use super::operand::{Fit, Operand, Slot, parse_word, put};
use super::tokens::Tokens;
use super::wire::Wire;
use crate::message::pen::Pen;

/// The player (and the client, where several share a player) that an update is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Who {
    /// The player's number; 0 means the whole game.
    pub player: u8,
    /// The client of the player: 0 to 14, or [`Who::EVERYONE`].
    pub sub: u8,
}

impl Who {
    /// The sub id that means every client of the player.
    pub const EVERYONE: u8 = 15;

    /// Every client of a player.
    #[must_use]
    pub const fn all_of(player: u8) -> Self {
        Self { player, sub: Self::EVERYONE }
    }

    /// A player as a whole, as updates that no single client causes name it. v0.1 has no sub id
    /// for everyone and writes 0.
    #[must_use]
    pub const fn whole(player: u8, generation: Generation) -> Self {
        match generation {
            Generation::V01 => Self { player, sub: 0 },
            Generation::Current => Self::all_of(player),
        }
    }
}

impl<'a> Operand<'a> for Who {
    #[inline(always)]
    fn read(slot: Slot, _: u8, r: &mut Reader<'a>) -> Result<Self> {
        let byte = r.u8(slot.name)?;
        Ok(Self { player: byte & 15, sub: byte >> 4 })
    }
    fn bits(&self) -> usize {
        0
    }
    #[inline(always)]
    fn write(&self, slot: Slot, wire: Wire<'a>) -> Result<Wire<'a>> {
        if self.player > 15 || self.sub > 15 {
            let problem = format!("{}/{} is over 15/15", self.player, self.sub);
            return Err(gametape_wire::Error::misuse(slot.name, problem));
        }
        Ok(wire.put([self.sub << 4 | self.player]))
    }
    #[inline(always)]
    fn print<'p>(&self, _: Slot, pen: Pen<'p>) -> Pen<'p> {
        let pen = pen.after_blank(u64::from(self.player));
        if self.sub == Self::EVERYONE { pen } else { pen.text(b"/").number(u64::from(self.sub)) }
    }
    fn parse(slot: Slot, tokens: &mut Tokens<'_>, out: &mut Vec<u8>) -> Result<(usize, Fit)> {
        let word = tokens.take(slot.name)?;
        let who = match word.text.split_once('/') {
            Some((player, sub)) => player.parse().ok().zip(sub.parse().ok()),
            None => word.text.parse().ok().zip(Some(Self::EVERYONE)),
        };
        match who {
            Some((player @ 0..=15, sub @ 0..=15)) => put(&Self { player, sub }, slot, out),
            _ => {
                let problem = format!("'{}' is not a player: p or p/sub, up to 15/15", word.text);
                Err(tokens.error(word, slot.name, problem))
            }
        }
    }
}

/// A span of time in milliseconds, written in one byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Duration(pub u32);

/// What the two longer units of a duration byte begin at, in their own unit.
struct Units {
    centiseconds: u32,
    deciseconds: u32,
}

impl Units {
    const fn of(generation: Generation) -> Self {
        match generation {
            Generation::V01 => Self { centiseconds: 12, deciseconds: 7 },
            Generation::Current => Self { centiseconds: 13, deciseconds: 8 },
        }
    }
}

impl Duration {
    /// The time that a byte means.
    #[must_use]
    pub const fn from_byte(byte: u8, generation: Generation) -> Self {
        let units = Units::of(generation);
        let count = (byte & 0x3F) as u32;
        match byte >> 6 {
            0 | 1 => Self(byte as u32),
            2 => Self((count + units.centiseconds) * 10),
            _ => Self((count + units.deciseconds) * 100),
        }
    }

    /// The byte for the nearest time that can be written, in the finest unit, and how near it is.
    #[must_use]
    pub fn to_byte(self, generation: Generation) -> (u8, Fit) {
        let units = Units::of(generation);
        let steps =
            |step: u32, first: u32| (self.0.saturating_add(step / 2) / step).max(first) - first;
        let candidates = [
            self.0.min(127),
            0x80 | steps(10, units.centiseconds).min(63),
            0xC0 | steps(100, units.deciseconds).min(63),
        ];
        let distance = |byte: &u32| Self::from_byte(*byte as u8, generation).0.abs_diff(self.0);
        let byte = candidates.into_iter().min_by_key(distance).unwrap_or(0xFF);
        let fit = match distance(&byte) {
            0 => Fit::Exact,
            _ if byte == 0xFF && self.0 > Self::from_byte(0xFF, generation).0 => Fit::Saturated,
            _ => Fit::Rounded,
        };
        (byte as u8, fit)
    }
}

impl<'a> Operand<'a> for Duration {
    /// In v0.1 two times have two bytes each; the text means the finer one.
    fn is_exact(&self, slot: Slot) -> bool {
        const TWICE: [u32; 2] = [120, 700];
        slot.dialect.generation() != Generation::V01 || !TWICE.contains(&self.0)
    }
    #[inline(always)]
    fn read(slot: Slot, _: u8, r: &mut Reader<'a>) -> Result<Self> {
        Ok(Self::from_byte(r.u8(slot.name)?, slot.dialect.generation()))
    }
    fn bits(&self) -> usize {
        0
    }
    fn write(&self, slot: Slot, wire: Wire<'a>) -> Result<Wire<'a>> {
        let (byte, fit) = self.to_byte(slot.dialect.generation());
        Ok(wire.put([byte]).with_fit(fit))
    }
    fn print<'p>(&self, _: Slot, pen: Pen<'p>) -> Pen<'p> {
        pen.after_blank(u64::from(self.0))
    }
    fn parse(slot: Slot, tokens: &mut Tokens<'_>, out: &mut Vec<u8>) -> Result<(usize, Fit)> {
        let word = tokens.take(slot.name)?;
        put(&Self(parse_word(tokens, word, slot, "a number of milliseconds")?), slot, out)
    }
}

/// A ballot: 0 is no, 1 is yes; other numbers are reserved and kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ballot(pub u8);

impl Ballot {
    /// Against.
    pub const NO: Self = Self(0);
    /// In favour.
    pub const YES: Self = Self(1);
}

impl<'a> Operand<'a> for Ballot {
    #[inline(always)]
    fn read(slot: Slot, opcode: u8, r: &mut Reader<'a>) -> Result<Self> {
        u8::read(slot, opcode, r).map(Self)
    }
    fn bits(&self) -> usize {
        self.0.bits()
    }
    fn write(&self, slot: Slot, wire: Wire<'a>) -> Result<Wire<'a>> {
        self.0.write(slot, wire)
    }
    fn print<'p>(&self, slot: Slot, pen: Pen<'p>) -> Pen<'p> {
        match *self {
            Self::NO => pen.text(b" N"),
            Self::YES => pen.text(b" Y"),
            Self(other) => other.print(slot, pen),
        }
    }
    fn parse(slot: Slot, tokens: &mut Tokens<'_>, out: &mut Vec<u8>) -> Result<(usize, Fit)> {
        let word = tokens.take(slot.name)?;
        let ballot = match word.text {
            "N" | "n" => Self::NO,
            "Y" | "y" => Self::YES,
            _ => Self(parse_word(tokens, word, slot, "Y, N or a number")?),
        };
        put(&ballot, slot, out)
    }
}

/// How much money a city has, and what it earns where that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Money {
    /// The balance: 31 bits.
    pub balance: u32,
    /// Income per second.
    pub income: Option<u16>,
}

impl Money {
    const HAS_INCOME: u32 = 1 << 31;
    const WORD_WITH_INCOME: &'static str = "CITINCOME";

    /// The mnemonic that says whether the income follows.
    pub(crate) const fn word(self) -> &'static str {
        if self.income.is_some() { Self::WORD_WITH_INCOME } else { "CITMONEY" }
    }
}

impl<'a> Operand<'a> for Money {
    #[inline(always)]
    fn read(slot: Slot, _: u8, r: &mut Reader<'a>) -> Result<Self> {
        let word = r.u32_be(slot.name)?;
        let income = if word & Self::HAS_INCOME == 0 { None } else { Some(r.u16_be("income")?) };
        Ok(Self { balance: word & !Self::HAS_INCOME, income })
    }
    fn bits(&self) -> usize {
        0
    }
    fn write(&self, slot: Slot, wire: Wire<'a>) -> Result<Wire<'a>> {
        if self.balance & Self::HAS_INCOME != 0 {
            let problem = format!("{} is over 2147483647", self.balance);
            return Err(gametape_wire::Error::misuse(slot.name, problem));
        }
        let flag = if self.income.is_some() { Self::HAS_INCOME } else { 0 };
        let wire = wire.put((self.balance | flag).to_be_bytes());
        Ok(match self.income {
            Some(income) => wire.put(income.to_be_bytes()),
            None => wire,
        })
    }
    fn print<'p>(&self, _: Slot, pen: Pen<'p>) -> Pen<'p> {
        let pen = pen.after_blank(u64::from(self.balance));
        match self.income {
            Some(income) => pen.after_blank(u64::from(income)),
            None => pen,
        }
    }
    fn parse(slot: Slot, tokens: &mut Tokens<'_>, out: &mut Vec<u8>) -> Result<(usize, Fit)> {
        let word = tokens.take(slot.name)?;
        let balance = parse_word(tokens, word, slot, "a number from 0 to 2147483647")?;
        let income = if tokens.mnemonic() == Some(Self::WORD_WITH_INCOME) {
            let income = tokens.take("income")?;
            Some(parse_word(tokens, income, slot, "a number from 0 to 65535")?)
        } else {
            None
        };
        put(&Self { balance, income }, slot, out).map_err(|error| tokens.locate(error, word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_duration_byte_comes_back_unless_a_finer_one_says_the_same() {
        for generation in Generation::ALL {
            for byte in 0..=255 {
                let time = Duration::from_byte(byte, generation);
                let (again, fit) = time.to_byte(generation);
                assert_eq!(fit, Fit::Exact);
                assert_eq!(Duration::from_byte(again, generation), time);
                let doubled = generation == Generation::V01 && matches!(byte, 0x80 | 0xC0);
                assert_eq!(again == byte, !doubled, "{generation} {byte:#x}");
            }
        }
    }

    #[test]
    fn durations_take_the_nearest_byte_and_say_so() {
        for generation in Generation::ALL {
            let all: Vec<u32> = (0..=255).map(|b| Duration::from_byte(b, generation).0).collect();
            for time in 0..=8000 {
                let (byte, fit) = Duration(time).to_byte(generation);
                let written = Duration::from_byte(byte, generation).0;
                let nearest = all.iter().map(|t| t.abs_diff(time)).min().unwrap();
                assert_eq!(written.abs_diff(time), nearest, "{generation} {time}");
                let max = *all.iter().max().unwrap();
                assert_eq!(fit == Fit::Saturated, time > max);
                assert_eq!(fit == Fit::Exact, written == time);
            }
        }
    }
}
