//! What happens while a match is watched, as lines for people and machines.

use std::fmt;

use gametape_live::Notice;
use gametape_wire::{Tick, TickRange, View};
use serde::Serialize;

use crate::watch::Seen;

/// A line about a match that is watched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "lowercase")]
#[non_exhaustive]
pub enum SeenLine {
    /// There is a connection.
    Connected {
        /// By which transport.
        transport: String,
    },
    /// There is none.
    Disconnected {
        /// Why.
        reason: String,
        /// When it is tried again, in milliseconds.
        again_ms: u64,
    },
    /// A seat was given.
    Welcome {
        /// The match.
        #[serde(rename = "match")]
        name: String,
        /// What may be seen.
        views: Vec<u8>,
        /// How much later.
        delay_ticks: u64,
        /// How long a tick is.
        tick_us: u32,
    },
    /// A tape begins.
    Began {
        /// With this tick.
        tick: Tick,
    },
    /// Everything up to a tick is there.
    Shown {
        /// The tick.
        tick: Tick,
    },
    /// Something will not come.
    Lost {
        /// Of which view.
        view: u8,
        /// From which tick on.
        first: Tick,
        /// Up to which.
        last: Tick,
        /// Parts that were fine to miss; 0 where whole ticks are missing.
        parts: u64,
    },
    /// The match is over.
    Over,
}

impl SeenLine {
    /// The line about something; `None` where it is none for people.
    #[must_use]
    pub fn of(seen: &Seen) -> Option<Self> {
        Some(match seen {
            Seen::Connected(transport) => Self::Connected { transport: transport.to_string() },
            Seen::Lost { reason, again_in } => Self::Disconnected {
                reason: reason.clone(),
                again_ms: again_in.as_millis().try_into().unwrap_or(u64::MAX),
            },
            Seen::Notice(notice) => Self::of_notice(notice)?,
            _ => return None,
        })
    }

    fn of_notice(notice: &Notice) -> Option<Self> {
        Some(match notice {
            Notice::Welcome(welcome) => Self::Welcome {
                name: welcome.name.to_string(),
                views: welcome.views.iter().map(View::number).collect(),
                delay_ticks: welcome.delay,
                tick_us: welcome.header.tick_length.micros(),
            },
            Notice::Began { tick } => Self::Began { tick: *tick },
            Notice::Shown { tick } => Self::Shown { tick: *tick },
            Notice::Lost { view, first, last, parts } => {
                Self::Lost { view: view.number(), first: *first, last: *last, parts: *parts }
            }
            Notice::Over => Self::Over,
            _ => return None,
        })
    }
}

impl fmt::Display for SeenLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connected { transport } => write!(f, "connected by {transport}"),
            Self::Disconnected { reason, again_ms } => {
                write!(f, "disconnected: {reason}; again in {again_ms} ms")
            }
            Self::Welcome { name, views, delay_ticks, .. } => {
                let views: Vec<String> = views.iter().map(u8::to_string).collect();
                write!(f, "match {name}, views {}, {delay_ticks} ticks later", views.join(", "))
            }
            Self::Began { tick } => write!(f, "begins with tick {tick}"),
            Self::Shown { tick } => write!(f, "tick {tick}"),
            Self::Lost { view, first, last, parts } => {
                let ticks = TickRange::from(*first..*last + 1);
                match parts {
                    0 => write!(f, "lost: {ticks} of view {view}"),
                    _ => write!(f, "lost: {parts} parts of {ticks} of view {view}"),
                }
            }
            Self::Over => f.write_str("the match is over"),
        }
    }
}
