//! Views: the seats that a piece of a recording is for.

use std::fmt;

/// One point of view: 0 is the all-seeing spectator, 1..=15 are the players.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct View(u8);

impl View {
    /// The all-seeing spectator.
    pub const SPECTATOR: Self = Self(0);
    /// The highest view number.
    pub const MAX: u8 = 15;

    /// View `number`, unless it is over 15.
    #[must_use]
    pub const fn new(number: u8) -> Option<Self> {
        if number <= Self::MAX { Some(Self(number)) } else { None }
    }

    /// The view's number.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A set of views: bit n is view n.
///
/// ```
/// use gametape_wire::{View, ViewSet};
///
/// let set: ViewSet = [0, 2].into_iter().filter_map(View::new).collect();
/// assert_eq!(set.bits(), 0b101);
/// assert_eq!(set.to_string(), "0,2");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ViewSet(u16);

impl ViewSet {
    /// No view.
    pub const EMPTY: Self = Self(0);
    /// Every view, 0 to 15.
    pub const ALL: Self = Self(u16::MAX);

    /// The set with the given bits.
    #[must_use]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// Views 0 to `max`, both included.
    #[must_use]
    pub const fn up_to(max: View) -> Self {
        Self(u16::MAX >> (View::MAX - max.0))
    }

    /// The set as bits.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// How many views.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Is there no view in it?
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Is `view` in it?
    #[must_use]
    pub const fn contains(self, view: View) -> bool {
        self.0 & (1 << view.0) != 0
    }

    /// The set with `view` added.
    #[must_use]
    pub const fn with(self, view: View) -> Self {
        Self(self.0 | 1 << view.0)
    }

    /// The views in both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The views in one of them or in both.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The views in this one but not in the other.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The set of only the view with the lowest number.
    #[must_use]
    pub const fn lowest(self) -> Self {
        Self(self.0 & self.0.wrapping_neg())
    }

    /// The views in ascending order.
    pub fn iter(self) -> impl Iterator<Item = View> {
        let mut bits = self.0;
        std::iter::from_fn(move || {
            let number = bits.trailing_zeros() as u8;
            bits &= bits.wrapping_sub(1);
            View::new(number)
        })
    }
}

impl FromIterator<View> for ViewSet {
    fn from_iter<I: IntoIterator<Item = View>>(views: I) -> Self {
        views.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl fmt::Display for ViewSet {
    /// Comma-separated numbers, `-` for the empty set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("-");
        }
        for (i, view) in self.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma}{view}")?;
        }
        Ok(())
    }
}

/// One payload of a frame and the views that receive it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<'a> {
    /// Who receives it: all views of a homogenous frame, one view of a heterogenous frame.
    pub views: ViewSet,
    /// What they receive.
    pub payload: &'a [u8],
    /// Absolute offset of the payload's first byte.
    pub offset: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_lists_its_views_in_order_and_ends() {
        let all = ViewSet::from_bits(u16::MAX);
        let numbers: Vec<u8> = all.iter().map(View::number).collect();
        assert_eq!(numbers, (0..=15).collect::<Vec<u8>>());
        assert_eq!(ViewSet::EMPTY.iter().count(), 0);
        assert_eq!(ViewSet::up_to(View(15)), all);
        assert_eq!(ViewSet::up_to(View(0)).bits(), 1);
    }
}
