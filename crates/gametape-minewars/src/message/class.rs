//! Message classes: how urgent and how reliable a message is to be delivered.

use std::fmt;

/// How a message wants to be delivered, lowest first.
///
/// A message may always travel in a higher class, so a batch travels in its highest one:
/// [`Class::of_batch`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Class {
    /// Fine to miss; may be left out of recordings.
    Unreliable,
    /// Reliable, in any order, last.
    Background,
    /// Reliable and ordered, low priority: the player's own affairs.
    Personal,
    /// Reliable and ordered, medium priority: announcements.
    Notification,
    /// Reliable and ordered, first: players acting on the world and on each other.
    PvP,
}

impl Class {
    /// Every class, lowest first.
    pub const ALL: [Self; 5] =
        [Self::Unreliable, Self::Background, Self::Personal, Self::Notification, Self::PvP];

    /// The class that a batch of messages travels in: its highest.
    #[must_use]
    pub fn of_batch(classes: impl IntoIterator<Item = Self>) -> Option<Self> {
        classes.into_iter().max()
    }

    /// The name that text and JSON use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unreliable => "unreliable",
            Self::Background => "background",
            Self::Personal => "personal",
            Self::Notification => "notification",
            Self::PvP => "pvp",
        }
    }

    /// Must every message of the class arrive?
    #[must_use]
    pub const fn is_reliable(self) -> bool {
        !matches!(self, Self::Unreliable)
    }

    /// Must messages of the class arrive in the order they were sent?
    #[must_use]
    pub const fn is_ordered(self) -> bool {
        !matches!(self, Self::Unreliable | Self::Background)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_takes_its_highest_class() {
        assert_eq!(Class::of_batch([]), None);
        assert_eq!(Class::of_batch([Class::Unreliable]), Some(Class::Unreliable));
        for low in Class::ALL {
            for high in Class::ALL {
                assert_eq!(Class::of_batch([low, high]), Some(low.max(high)));
            }
        }
        assert!(Class::ALL.is_sorted());
    }
}
