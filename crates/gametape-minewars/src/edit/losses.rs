//! What an operation could not take along, counted.

use std::collections::BTreeMap;
use std::fmt;

use crate::Generation;
use gametape_wire::ViewSet;

/// One sort of thing that could not be expressed, or not exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Loss {
    /// A part of the setup that the target does not store.
    SetupPart(&'static str),
    /// Messages that the target does not have.
    Message(&'static str),
    /// Player updates that the target does not have.
    PlayerUpdate(&'static str),
    /// Money that a city received: v0.1 knows spending only.
    Income,
    /// Whose flag it is: v0.1 does not say.
    FlagOwner,
    /// A flag of v0.1 that several players see, or none: it could be anybody's.
    UnclaimedFlag,
    /// Kinds and ballots with numbers that the target has no room for.
    ReservedValue(&'static str),
    /// Durations that became the nearest one that can be written.
    Duration(&'static str),
    /// Explosions that leave the ground as it was: in v0.1 every explosion destroys it.
    IntactGround,
    /// Updates about all clients of a player, which speak of client 0 only in v0.1.
    EveryClient(&'static str),
    /// Messages that are longer than a frame of the target.
    LongMessage(&'static str),
    /// Ends of payloads that cannot be read.
    UnreadablePayload,
    /// Payloads for views that do not exist, or for nobody.
    UnseenPayload,
    /// A frame that is cut by the end of the stream.
    CutFrame,
}

/// How often something was lost, and when first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LossCount {
    /// How often.
    pub count: u64,
    /// The time of the first, where it was in a frame.
    pub first: Option<(u64, ViewSet)>,
}

/// Everything that was lost, by sort.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Losses(BTreeMap<Loss, LossCount>);

impl Losses {
    /// Was nothing lost?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How often something was lost.
    #[must_use]
    pub fn count(&self, loss: Loss) -> u64 {
        self.0.get(&loss).map_or(0, |counted| counted.count)
    }

    /// Every sort of loss with its count.
    pub fn iter(&self) -> impl Iterator<Item = (Loss, LossCount)> {
        self.0.iter().map(|(loss, count)| (*loss, *count))
    }

    pub(crate) fn note(&mut self, loss: Loss, first: Option<(u64, ViewSet)>) {
        self.0.entry(loss).or_insert(LossCount { count: 0, first }).count += 1;
    }
}

impl FromIterator<(Loss, LossCount)> for Losses {
    fn from_iter<I: IntoIterator<Item = (Loss, LossCount)>>(losses: I) -> Self {
        Self(losses.into_iter().collect())
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SetupPart(part) => write!(f, "{part}: the target does not store them"),
            Self::Message(word) => write!(f, "{word} messages: the target has none"),
            Self::PlayerUpdate(word) => write!(f, "PLAYER {word} messages: the target has none"),
            Self::Income => {
                let v01 = Generation::V01;
                write!(f, "CITTRANS messages with income: {v01} knows spending only")
            }
            Self::FlagOwner => f.write_str("flags whose owner is lost"),
            Self::UnclaimedFlag => f.write_str("FLAG messages that do not say whose flag it is"),
            Self::ReservedValue(word) => {
                write!(f, "{word} messages with a reserved value: the target has no room for it")
            }
            Self::Duration(word) => write!(f, "durations of {word} that had to be rounded"),
            Self::IntactGround => {
                f.write_str("exploded tiles that keep their ground: the target destroys it")
            }
            Self::EveryClient(word) => {
                write!(f, "PLAYER {word} messages about every client, now about client 0")
            }
            Self::LongMessage(word) => write!(f, "{word} messages too long for a frame"),
            Self::UnreadablePayload => f.write_str("ends of payloads that cannot be read"),
            Self::UnseenPayload => f.write_str("payloads for views that do not exist"),
            Self::CutFrame => f.write_str("a last frame that is cut short"),
        }
    }
}

/// A line for each: `12 × PLAYER LIVES messages: the target has none (first at t=606, views 0,1)`
impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (loss, LossCount { count, first }) in self.iter() {
            match first {
                Some((time, views)) => {
                    writeln!(f, "{count} × {loss} (first at t={time}{})", For(views))?;
                }
                None => writeln!(f, "{loss}")?,
            }
        }
        Ok(())
    }
}

/// `, view 1` or `, views 0,1`, and nothing where nobody is meant.
pub(crate) struct For(pub(crate) ViewSet);

impl fmt::Display for For {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            0 => Ok(()),
            1 => write!(f, ", view {}", self.0),
            _ => write!(f, ", views {}", self.0),
        }
    }
}
