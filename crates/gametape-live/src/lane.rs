//! Lanes: the runs of numbered messages of a view. Normative: `spec/live.md`, section 2.

use gametape_minewars::Class;

/// A run of numbered messages of a view: one for each class of parts, one for the other chunks of the
/// tape, one for events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lane(u8);

/// A number for each lane.
pub type PerLane = [u64; Lane::COUNT];

impl Lane {
    /// How many there are.
    pub const COUNT: usize = 7;
    /// Parts that are fine to miss.
    pub const UNRELIABLE: Self = Self(0);
    /// Parts that come last, in any order.
    pub const BACKGROUND: Self = Self(1);
    /// Everything of the tape but frames and events.
    pub const TAPE: Self = Self(5);
    /// Events.
    pub const EVENTS: Self = Self(6);
    /// All lanes, in the order in which they are sent.
    pub const ALL: [Self; 7] = [Self(4), Self(3), Self(2), Self(1), Self(5), Self(6), Self(0)];
    /// The lanes that must be complete before a tick can be claimed.
    pub const CLAIMED: [Self; 5] = [Self(1), Self(2), Self(3), Self(4), Self(5)];

    /// The lane with this number.
    #[must_use]
    pub const fn new(number: u8) -> Option<Self> {
        if (number as usize) < Self::COUNT { Some(Self(number)) } else { None }
    }

    /// The lane that parts of a class travel in.
    #[must_use]
    pub const fn of(class: Class) -> Self {
        Self(match class {
            Class::Unreliable => 0,
            Class::Background => 1,
            Class::Personal => 2,
            Class::Notification => 3,
            _ => 4,
        })
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The index of its entry in a [`PerLane`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Does it hold parts of payloads?
    #[must_use]
    pub const fn has_parts(self) -> bool {
        self.0 <= 4
    }

    /// How its messages are to be delivered.
    #[must_use]
    pub const fn class(self) -> Class {
        match self.0 {
            0 => Class::Unreliable,
            2 => Class::Personal,
            3 => Class::Notification,
            4 => Class::PvP,
            _ => Class::Background,
        }
    }

    /// Its priority on transports that know priorities: 3 before 2, 1 and 0.
    #[must_use]
    pub const fn priority(self) -> u8 {
        match self.0 {
            4 => 3,
            3 => 2,
            2 => 1,
            _ => 0,
        }
    }
}

/// A set of classes: bit *n* is the lane with number *n*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Classes(u8);

impl Classes {
    /// All five.
    pub const ALL: Self = Self(0b1_1111);
    /// Those that no seat can do without.
    pub const NEEDED: Self = Self(0b1_1100);

    /// The set with these bits; `None` where there are others than the lowest five.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Option<Self> {
        if bits & !Self::ALL.0 == 0 { Some(Self(bits)) } else { None }
    }

    /// The set as bits.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Is the class in it?
    #[must_use]
    pub const fn contains(self, class: Class) -> bool {
        self.0 & (1 << Lane::of(class).0) != 0
    }

    /// Are the messages of a lane wanted by who wants these classes?
    #[must_use]
    pub const fn has_lane(self, lane: Lane) -> bool {
        !lane.has_parts() || self.0 & (1 << lane.0) != 0
    }

    /// The set without a class.
    #[must_use]
    pub const fn without(self, class: Class) -> Self {
        Self(self.0 & !(1 << Lane::of(class).0))
    }

    /// The classes in both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Are all classes of the other in it?
    #[must_use]
    pub const fn has_all(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}
