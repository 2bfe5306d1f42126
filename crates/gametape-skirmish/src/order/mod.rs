//! Orders: what a player can ask for, say, or report; normative text: `spec/skirmish.md`, section 5.
//!
//! [`table`] has one row for each order. It makes the enum, its bytes, its arguments as a gamelog and
//! people read them, and the table in the specification.

mod operand;
mod rows;
mod table;

use std::fmt;

use gametape_minewars::Coord;
use gametape_tape::UnitTag;

pub use table::Command;

/// What a vote is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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
#[non_exhaustive]
pub enum GroupAction {
    /// Set it.
    Assign,
    /// Added to it.
    Append,
    /// Selected it.
    Recall,
}

/// The stream of a tape that an order belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Channel {
    /// An input to the simulation: orders stream 0.
    Game,
    /// Talk: orders stream 1.
    Talk,
    /// Reported by the player's machine: orders stream 2.
    Report,
}

/// One argument of an order, as a function call would have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Argument<'a> {
    /// A tile of the map.
    Tile(Coord),
    /// Yes or no.
    Flag(bool),
    /// A number.
    Number(u64),
    /// One of the choices of an operand.
    Word(&'static str),
    /// A player, from 1 on.
    Player(u8),
    /// What somebody said.
    Text(&'a str),
    /// Units.
    Units(&'a [UnitTag]),
}

impl fmt::Display for Argument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tile(at) => write!(f, "{},{}", at.y, at.x),
            Self::Flag(is) => f.write_str(if *is { "yes" } else { "no" }),
            Self::Number(number) => number.fmt(f),
            Self::Word(word) => f.write_str(word),
            Self::Player(player) => write!(f, "player {player}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Units(tags) => {
                let tags: Vec<_> =
                    tags.iter().map(|tag| format!("{}.{}", tag.index, tag.generation)).collect();
                write!(f, "[{}]", tags.join(" "))
            }
        }
    }
}

/// The order for people: `build 3,-2 tower`.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        self.arguments().iter().try_for_each(|(_, argument)| write!(f, " {argument}"))
    }
}

/// The table of orders as Markdown, made from the table that encoder and decoder are made from: what
/// `spec/skirmish.md` prints.
#[must_use]
pub fn orders_table() -> String {
    let head = "| byte | order | operands | allowed when |\n|---|---|---|---|\n";
    let line = |row: &rows::Row| {
        let operand = |(name, form): &(&str, &str)| match form.is_empty() {
            true => format!("`{name}`"),
            false => format!("`{name}` {form}"),
        };
        let operands: Vec<String> = row.operands.iter().map(operand).collect();
        format!("| {:02X} | {} | {} | {} |\n", row.number, row.name, operands.join("; "), row.rule)
    };
    std::iter::once(head.to_owned()).chain(table::ROWS.iter().map(line)).collect()
}
