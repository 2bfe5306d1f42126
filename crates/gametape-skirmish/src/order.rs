//! Orders and their bytes; normative text: `spec/skirmish.md`, section 5.

use gametape_minewars::{Coord, ItemKind, StructureKind};
use gametape_tape::UnitTag;
use gametape_wire::{Error, ErrorKind, Limit, Reader, Result, Writer};

/// A message that tells it fits into a frame.
const TEXT_LENGTH: Limit = Limit::new("text", 240);

/// What a player can ask for, say, or report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Take a tile next to own land.
    Capture(Coord),
    /// Put a flag on a tile, or take it away.
    Flag(Coord, bool),
    /// Lay an item on own land.
    Deploy(Coord, ItemKind),
    /// Begin a structure.
    Build(Coord, StructureKind),
    /// Remove an own structure, finished or not.
    Bulldoze(Coord),
    /// Turn own land into resources, once.
    Harvest(Coord),
    /// Explode a tile in sight.
    Strike(Coord),
    /// Look what lies on a tile.
    Reveal(Coord),
    /// Smoke a tile and its neighbours.
    Smoke(Coord),
    /// Set what a city exports and imports, in percent and money per second.
    Trade {
        /// The city.
        city: u8,
        /// Percent of unused resources that become money.
        export: u8,
        /// Most points per second that are bought for a construction.
        import: u8,
    },
    /// Give up; and leave, or stay to watch.
    Surrender {
        /// Leave at once?
        leave: bool,
    },
    /// Call a vote.
    CallVote(VoteKind),
    /// Vote.
    Ballot {
        /// The vote.
        id: u8,
        /// For or against?
        yes: bool,
    },
    /// Pause the match, or go on.
    Pause(bool),
    /// Say something, in at most 240 bytes.
    Chat {
        /// To friends only, not to all?
        friends: bool,
        /// What is said.
        text: String,
    },
    /// Where the player looks.
    Camera {
        /// The middle of the screen.
        at: Coord,
        /// How near, as the player's machine counts it.
        zoom: u16,
    },
    /// What the player selected: at most 255 units each.
    Selection {
        /// Selected now.
        added: Vec<UnitTag>,
        /// Not selected any more.
        removed: Vec<UnitTag>,
    },
    /// The player used a control group.
    ControlGroup {
        /// Its number.
        group: u8,
        /// How.
        action: GroupAction,
    },
    /// How long messages take to the player's machine and back, in milliseconds.
    RoundTrip(u16),
    /// A number on a tile, for developers.
    Note(u8, Coord),
}

/// What a vote is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VoteKind {
    /// The match goes to who owns most.
    Surrender,
    /// Nobody wins.
    Draw,
    /// A player is removed.
    Kick(u8),
}

/// What a player did with a control group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupAction {
    /// Set it.
    Assign,
    /// Added to it.
    Append,
    /// Selected it.
    Recall,
}

/// Whose business an order is: the stream of a tape that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Channel {
    /// An input to the simulation: orders stream 0.
    Game,
    /// Talk: orders stream 1.
    Talk,
    /// Reported by the player's machine: orders stream 2.
    Report,
}

impl VoteKind {
    /// The two bytes of an order: kind and player.
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

impl Command {
    /// Whose business it is.
    #[must_use]
    pub fn channel(&self) -> Channel {
        match self {
            Self::Chat { .. } => Channel::Talk,
            Self::Camera { .. }
            | Self::Selection { .. }
            | Self::ControlGroup { .. }
            | Self::RoundTrip(_)
            | Self::Note(..) => Channel::Report,
            _ => Channel::Game,
        }
    }

    /// The bytes of the order. Texts and selections that are too long are cut.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::new();
        let at = Coord::to_wire;
        match self {
            Self::Capture(tile) => w.u8(0x01).bytes(&at(*tile)),
            Self::Flag(tile, on) => w.u8(0x02).bytes(&at(*tile)).u8((*on).into()),
            Self::Deploy(tile, item) => w.u8(0x03).bytes(&at(*tile)).u8(item.code()),
            Self::Build(tile, kind) => w.u8(0x04).bytes(&at(*tile)).u8(kind.code()),
            Self::Bulldoze(tile) => w.u8(0x05).bytes(&at(*tile)),
            Self::Harvest(tile) => w.u8(0x06).bytes(&at(*tile)),
            Self::Strike(tile) => w.u8(0x07).bytes(&at(*tile)),
            Self::Reveal(tile) => w.u8(0x08).bytes(&at(*tile)),
            Self::Smoke(tile) => w.u8(0x09).bytes(&at(*tile)),
            Self::Trade { city, export, import } => w.bytes(&[0x0A, *city, *export, *import]),
            Self::Surrender { leave } => w.bytes(&[0x0B, (*leave).into()]),
            Self::CallVote(kind) => w.u8(0x0C).bytes(&kind.to_bytes()),
            Self::Ballot { id, yes } => w.bytes(&[0x0D, *id, (*yes).into()]),
            Self::Pause(on) => w.bytes(&[0x0E, (*on).into()]),
            _ => return self.other_to_bytes(),
        };
        w.into_bytes()
    }

    /// Talk and reports.
    fn other_to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::new();
        match self {
            Self::Chat { friends, text } => {
                let text = at_most(text, TEXT_LENGTH.max as usize);
                w.u8(0x20).u8((*friends).into()).u8(text.len() as u8).bytes(text.as_bytes())
            }
            Self::Camera { at, zoom } => w.u8(0x30).bytes(&at.to_wire()).u16_be(*zoom),
            Self::Selection { added, removed } => {
                w.u8(0x31);
                write_tags(&mut w, added);
                write_tags(&mut w, removed);
                &mut w
            }
            Self::ControlGroup { group, action } => w.bytes(&[0x32, *group, *action as u8]),
            Self::RoundTrip(ms) => w.u8(0x33).u16_be(*ms),
            Self::Note(value, tile) => w.u8(0x34).u8(*value).bytes(&tile.to_wire()),
            _ => &mut w,
        };
        w.into_bytes()
    }

    /// The order in these bytes, and in no others.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut r = Reader::new(bytes);
        let command = match r.u8("order")? {
            0x01 => Self::Capture(tile(&mut r)?),
            0x02 => Self::Flag(tile(&mut r)?, flag(&mut r)?),
            0x03 => Self::Deploy(tile(&mut r)?, ItemKind::from_code(choice(&mut r, 1, 3)?)),
            0x04 => Self::Build(tile(&mut r)?, StructureKind::from_code(choice(&mut r, 0, 3)?)),
            0x05 => Self::Bulldoze(tile(&mut r)?),
            0x06 => Self::Harvest(tile(&mut r)?),
            0x07 => Self::Strike(tile(&mut r)?),
            0x08 => Self::Reveal(tile(&mut r)?),
            0x09 => Self::Smoke(tile(&mut r)?),
            0x0A => Self::Trade {
                city: r.u8("city")?,
                export: choice(&mut r, 0, 100)?,
                import: choice(&mut r, 0, 100)?,
            },
            0x0B => Self::Surrender { leave: flag(&mut r)? },
            0x0C => Self::CallVote(vote(&mut r)?),
            0x0D => Self::Ballot { id: r.u8("vote")?, yes: flag(&mut r)? },
            0x0E => Self::Pause(flag(&mut r)?),
            other => Self::other_from_bytes(other, &mut r)?,
        };
        r.finish("order")?;
        Ok(command)
    }

    fn other_from_bytes(first: u8, r: &mut Reader<'_>) -> Result<Self> {
        Ok(match first {
            0x20 => Self::Chat { friends: flag(r)?, text: text(r)? },
            0x30 => Self::Camera { at: tile(r)?, zoom: r.u16_be("zoom")? },
            0x31 => Self::Selection { added: read_tags(r)?, removed: read_tags(r)? },
            0x32 => {
                let group = r.u8("control group")?;
                let actions = [GroupAction::Assign, GroupAction::Append, GroupAction::Recall];
                let action = actions[usize::from(choice(r, 0, 2)?)];
                Self::ControlGroup { group, action }
            }
            0x33 => Self::RoundTrip(r.u16_be("round trip")?),
            0x34 => Self::Note(r.u8("note")?, tile(r)?),
            other => return Err(Error::at(0, "order", ErrorKind::Unknown { code: other.into() })),
        })
    }
}

fn tile(r: &mut Reader<'_>) -> Result<Coord> {
    Ok(Coord::from_wire(r.array("tile")?))
}

fn flag(r: &mut Reader<'_>) -> Result<bool> {
    Ok(choice(r, 0, 1)? == 1)
}

/// A byte from `least` to `most`.
fn choice(r: &mut Reader<'_>, least: u8, most: u8) -> Result<u8> {
    let (offset, found) = (r.offset(), r.u8("order")?);
    if (least..=most).contains(&found) {
        return Ok(found);
    }
    let kind = ErrorKind::BadValue { found: found.into(), expected: "one of the order's choices" };
    Err(Error::at(offset, "order", kind))
}

fn vote(r: &mut Reader<'_>) -> Result<VoteKind> {
    let (offset, bytes) = (r.offset(), r.array::<2>("vote")?);
    VoteKind::from_bytes(bytes).ok_or_else(|| {
        let found = u16::from_be_bytes(bytes).into();
        Error::at(offset, "vote", ErrorKind::BadValue { found, expected: "a kind of vote" })
    })
}

fn text(r: &mut Reader<'_>) -> Result<String> {
    let offset = r.offset();
    let length = TEXT_LENGTH.check(r.u8("text")?.into(), offset)?;
    let bytes = r.take(length as usize, "text")?;
    String::from_utf8(bytes.to_vec()).map_err(|_| {
        Error::at(offset, "text", ErrorKind::BadSyntax { problem: "not UTF-8".into() })
    })
}

/// The longest beginning of a text that has at most `limit` bytes.
fn at_most(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn write_tags(w: &mut Writer, tags: &[UnitTag]) {
    let tags = &tags[..tags.len().min(usize::from(u8::MAX))];
    w.u8(tags.len() as u8);
    for tag in tags {
        w.u16_be(tag.index).u16_be(tag.generation);
    }
}

fn read_tags(r: &mut Reader<'_>) -> Result<Vec<UnitTag>> {
    let count = r.u8("units")?;
    let tags = r.chunks::<4>(count.into(), "units")?;
    Ok(tags
        .iter()
        .map(|&[a, b, c, d]| UnitTag {
            index: u16::from_be_bytes([a, b]),
            generation: u16::from_be_bytes([c, d]),
        })
        .collect())
}
