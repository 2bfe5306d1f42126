//! Operands of orders: how each is read, written, and passed as an argument, side by side.

use gametape_minewars::{Coord, ItemKind, StructureKind};
use gametape_tape::UnitTag;
use gametape_wire::{Error, ErrorKind, Limit, Reader, Result, Writer};

use super::{Argument, GroupAction, VoteKind};

/// A message that repeats it fits into a frame.
const TEXT_LENGTH: Limit = Limit::new("text", 240);
const TAGS: Limit = Limit::new("units", 255);

type Arguments<'a> = Vec<(&'static str, Argument<'a>)>;

/// How an operand is read and written. What `write` refuses, `read` never returns.
pub(super) trait Operand {
    type Value;
    /// Its bytes, in the words of the specification.
    const FORM: &'static str;

    fn read(r: &mut Reader<'_>, name: &'static str) -> Result<Self::Value>;
    fn write(value: &Self::Value, w: &mut Writer) -> Result<()>;
    fn arguments<'a>(value: &'a Self::Value, name: &'static str, list: &mut Arguments<'a>);
}

/// A byte from `least` to `most`.
fn choice(r: &mut Reader<'_>, name: &'static str, least: u8, most: u8) -> Result<u8> {
    let (offset, found) = (r.offset(), r.u8(name)?);
    match (least..=most).contains(&found) {
        true => Ok(found),
        false => Err(Error::at(offset, name, no_choice(found))),
    }
}

fn put_choice(w: &mut Writer, name: &'static str, value: u8, least: u8, most: u8) -> Result<()> {
    if !(least..=most).contains(&value) {
        return Err(Error::at(w.offset(), name, no_choice(value)));
    }
    w.u8(value);
    Ok(())
}

fn no_choice(found: u8) -> ErrorKind {
    ErrorKind::BadValue { found: found.into(), expected: "one of the order's choices" }
}

impl Operand for u8 {
    type Value = Self;
    const FORM: &'static str = "u8";

    fn read(r: &mut Reader<'_>, name: &'static str) -> Result<Self> {
        r.u8(name)
    }

    fn write(value: &Self, w: &mut Writer) -> Result<()> {
        w.u8(*value);
        Ok(())
    }

    fn arguments<'a>(value: &'a Self, name: &'static str, list: &mut Arguments<'a>) {
        list.push((name, Argument::Number((*value).into())));
    }
}

impl Operand for u16 {
    type Value = Self;
    const FORM: &'static str = "u16";

    fn read(r: &mut Reader<'_>, name: &'static str) -> Result<Self> {
        r.u16_be(name)
    }

    fn write(value: &Self, w: &mut Writer) -> Result<()> {
        w.u16_be(*value);
        Ok(())
    }

    fn arguments<'a>(value: &'a Self, name: &'static str, list: &mut Arguments<'a>) {
        list.push((name, Argument::Number((*value).into())));
    }
}

pub(super) struct Tile;

impl Operand for Tile {
    type Value = Coord;
    const FORM: &'static str = "y, x";

    fn read(r: &mut Reader<'_>, name: &'static str) -> Result<Coord> {
        Ok(Coord::from_wire(r.array(name)?))
    }

    fn write(value: &Coord, w: &mut Writer) -> Result<()> {
        w.bytes(&value.to_wire());
        Ok(())
    }

    fn arguments<'a>(value: &'a Coord, name: &'static str, list: &mut Arguments<'a>) {
        list.push((name, Argument::Tile(*value)));
    }
}

pub(super) struct Flag;

impl Operand for Flag {
    type Value = bool;
    const FORM: &'static str = "0–1";

    fn read(r: &mut Reader<'_>, name: &'static str) -> Result<bool> {
        Ok(choice(r, name, 0, 1)? == 1)
    }

    fn write(value: &bool, w: &mut Writer) -> Result<()> {
        w.u8((*value).into());
        Ok(())
    }

    fn arguments<'a>(value: &'a bool, name: &'static str, list: &mut Arguments<'a>) {
        list.push((name, Argument::Flag(*value)));
    }
}

pub(super) struct Percent;

impl Operand for Percent {
    type Value = u8;
    const FORM: &'static str = "0–100";

    fn read(r: &mut Reader<'_>, name: &'static str) -> Result<u8> {
        choice(r, name, 0, 100)
    }

    fn write(value: &u8, w: &mut Writer) -> Result<()> {
        put_choice(w, "percent", *value, 0, 100)
    }

    fn arguments<'a>(value: &'a u8, name: &'static str, list: &mut Arguments<'a>) {
        list.push((name, Argument::Number((*value).into())));
    }
}

pub(super) struct Item;

impl Operand for Item {
    type Value = ItemKind;
    const FORM: &'static str = "1–3";

    fn read(r: &mut Reader<'_>, name: &'static str) -> Result<ItemKind> {
        choice(r, name, 1, 3).map(ItemKind::from_code)
    }

    fn write(value: &ItemKind, w: &mut Writer) -> Result<()> {
        put_choice(w, "item", value.code(), 1, 3)
    }

    fn arguments<'a>(value: &'a ItemKind, name: &'static str, list: &mut Arguments<'a>) {
        list.push((name, Argument::Word(value.word().unwrap_or("unknown"))));
    }
}

pub(super) struct Structure;

impl Operand for Structure {
    type Value = StructureKind;
    const FORM: &'static str = "0–3";

    fn read(r: &mut Reader<'_>, name: &'static str) -> Result<StructureKind> {
        choice(r, name, 0, 3).map(StructureKind::from_code)
    }

    fn write(value: &StructureKind, w: &mut Writer) -> Result<()> {
        put_choice(w, "structure", value.code(), 0, 3)
    }

    fn arguments<'a>(value: &'a StructureKind, name: &'static str, list: &mut Arguments<'a>) {
        list.push((name, Argument::Word(value.word().unwrap_or("unknown"))));
    }
}

pub(super) struct Vote;

impl Operand for Vote {
    type Value = VoteKind;
    const FORM: &'static str = "0 surrender, 1 draw, 2 kick; then the player, 0 for the others";

    fn read(r: &mut Reader<'_>, name: &'static str) -> Result<VoteKind> {
        let (offset, bytes) = (r.offset(), r.array::<2>(name)?);
        VoteKind::from_bytes(bytes).ok_or_else(|| {
            let found = u16::from_be_bytes(bytes).into();
            Error::at(offset, name, ErrorKind::BadValue { found, expected: "a kind of vote" })
        })
    }

    fn write(value: &VoteKind, w: &mut Writer) -> Result<()> {
        w.bytes(&value.to_bytes());
        Ok(())
    }

    fn arguments<'a>(value: &'a VoteKind, name: &'static str, list: &mut Arguments<'a>) {
        list.push((name, Argument::Word(value.name())));
        if let VoteKind::Kick(player) = value {
            list.push(("player", Argument::Player(*player)));
        }
    }
}

impl VoteKind {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Surrender => "surrender",
            Self::Draw => "draw",
            Self::Kick(_) => "kick",
        }
    }

    /// Kind and player.
    pub(crate) const fn to_bytes(self) -> [u8; 2] {
        match self {
            Self::Surrender => [0, 0],
            Self::Draw => [1, 0],
            Self::Kick(player) => [2, player],
        }
    }

    pub(crate) const fn from_bytes(bytes: [u8; 2]) -> Option<Self> {
        match bytes {
            [0, 0] => Some(Self::Surrender),
            [1, 0] => Some(Self::Draw),
            [2, player] => Some(Self::Kick(player)),
            _ => None,
        }
    }
}

pub(super) struct Action;

const ACTIONS: [(GroupAction, &str); 3] = [
    (GroupAction::Assign, "assign"),
    (GroupAction::Append, "append"),
    (GroupAction::Recall, "recall"),
];

impl Operand for Action {
    type Value = GroupAction;
    const FORM: &'static str = "0 assign, 1 append, 2 recall";

    fn read(r: &mut Reader<'_>, name: &'static str) -> Result<GroupAction> {
        let code = choice(r, name, 0, ACTIONS.len() as u8 - 1)?;
        Ok(ACTIONS[usize::from(code)].0)
    }

    fn write(value: &GroupAction, w: &mut Writer) -> Result<()> {
        w.u8(*value as u8);
        Ok(())
    }

    fn arguments<'a>(value: &'a GroupAction, name: &'static str, list: &mut Arguments<'a>) {
        list.push((name, Argument::Word(ACTIONS[*value as usize].1)));
    }
}

pub(super) struct Say;

impl Operand for Say {
    type Value = String;
    const FORM: &'static str = "u8 length, up to 240; UTF-8";

    fn read(r: &mut Reader<'_>, name: &'static str) -> Result<String> {
        let offset = r.offset();
        let length = TEXT_LENGTH.check(r.u8(name)?.into(), offset)?;
        let bytes = r.take(length as usize, name)?;
        String::from_utf8(bytes.to_vec()).map_err(|_| {
            Error::at(offset, name, ErrorKind::BadSyntax { problem: "not UTF-8".into() })
        })
    }

    fn write(value: &String, w: &mut Writer) -> Result<()> {
        let length = TEXT_LENGTH.check(value.len() as u64, w.offset())?;
        w.u8(length as u8).bytes(value.as_bytes());
        Ok(())
    }

    fn arguments<'a>(value: &'a String, name: &'static str, list: &mut Arguments<'a>) {
        list.push((name, Argument::Text(value)));
    }
}

pub(super) struct Units;

impl Operand for Units {
    type Value = Vec<UnitTag>;
    const FORM: &'static str = "u8 count, tags: each u16 index, u16 generation";

    fn read(r: &mut Reader<'_>, name: &'static str) -> Result<Vec<UnitTag>> {
        let count = r.u8(name)?;
        let tags = r.chunks::<4>(count.into(), name)?;
        let tag = |&[a, b, c, d]: &[u8; 4]| UnitTag {
            index: u16::from_be_bytes([a, b]),
            generation: u16::from_be_bytes([c, d]),
        };
        Ok(tags.iter().map(tag).collect())
    }

    fn write(value: &Vec<UnitTag>, w: &mut Writer) -> Result<()> {
        let count = TAGS.check(value.len() as u64, w.offset())?;
        w.u8(count as u8);
        for tag in value {
            w.u16_be(tag.index).u16_be(tag.generation);
        }
        Ok(())
    }

    fn arguments<'a>(value: &'a Vec<UnitTag>, name: &'static str, list: &mut Arguments<'a>) {
        list.push((name, Argument::Units(value)));
    }
}
