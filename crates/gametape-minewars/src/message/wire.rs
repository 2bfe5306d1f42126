//! One message on its way to the wire.

use crate::frames::PayloadRoom;
use gametape_wire::{Error, Result};

use super::operand::Fit;

/// The bytes of one message: its beginning put together in a register, its end borrowed.
///
/// Appending every operand on its own to a growing buffer would ask for room, and wait for the
/// buffer's length, several times in each message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wire<'a> {
    /// The first byte lowest. No row of the tables has more than eight before its list or text.
    head: u64,
    length: u32,
    tail: &'a [u8],
    fit: Fit,
}

impl<'a> Wire<'a> {
    pub(crate) const EMPTY: Self = Self { head: 0, length: 0, tail: &[], fit: Fit::Exact };

    /// Adds bytes to the beginning.
    #[inline(always)]
    pub(crate) fn put<const N: usize>(mut self, bytes: [u8; N]) -> Self {
        let mut word = [0; 8];
        word[..N].copy_from_slice(&bytes);
        self.head |= u64::from_le_bytes(word) << (8 * self.length);
        self.length += N as u32;
        self
    }

    /// Ends the message with borrowed bytes.
    #[inline(always)]
    pub(crate) fn end_with(self, tail: &'a [u8]) -> Self {
        debug_assert!(self.tail.is_empty(), "only the last operand is a list or text");
        Self { tail, ..self }
    }

    /// Remembers how well a value could be written.
    #[inline(always)]
    pub(crate) fn with_fit(self, fit: Fit) -> Self {
        Self { fit: self.fit.max(fit), ..self }
    }

    /// Appends the message, and says how well its values fit.
    #[inline(always)]
    pub(crate) fn push_to(self, out: &mut Vec<u8>) -> Fit {
        let end = out.len() + self.length as usize;
        out.extend_from_slice(&self.head.to_le_bytes());
        out.truncate(end);
        out.extend_from_slice(self.tail);
        self.fit
    }
}

/// Where an encoded message goes.
pub(crate) trait Take<'a> {
    type Taken;
    fn take(self, wire: Wire<'a>) -> Self::Taken;
}

impl<'a> Take<'a> for &mut Vec<u8> {
    type Taken = Fit;
    #[inline(always)]
    fn take(self, wire: Wire<'a>) -> Fit {
        wire.push_to(self)
    }
}

/// A payload being written: how long it is so far, and the worst fit in it.
///
/// The length is kept here and not in memory, where every message would wait for the one before it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Filled {
    pub(crate) length: usize,
    pub(crate) worst: Fit,
}

impl Filled {
    pub(crate) const EMPTY: Self = Self { length: 0, worst: Fit::Exact };
    /// The longest payload for which there is room, and then some to write heads in one piece.
    pub(crate) const LONGEST: usize = size_of::<PayloadRoom>() - size_of::<u64>();
    const TOO_LONG: usize = Self::LONGEST + 1;

    #[inline(always)]
    pub(crate) fn is_too_long(self) -> bool {
        self.length > Self::LONGEST
    }

    /// The length, unless the payload is too long or a value does not fit exactly.
    #[inline(always)]
    pub(crate) fn exact_length(self) -> Result<usize> {
        if self.is_too_long() || self.worst != Fit::Exact {
            return Err(self.refused());
        }
        Ok(self.length)
    }

    #[cold]
    fn refused(self) -> Error {
        let problem = if self.is_too_long() {
            format!("over {} bytes", Self::LONGEST)
        } else {
            "not every value fits exactly".to_owned()
        };
        Error::misuse("payload", problem)
    }
}

/// What fills a payload's room: the length stays over the longest once it is.
pub(crate) struct Fill<'o>(pub(crate) &'o mut PayloadRoom, pub(crate) Filled);

impl<'a> Take<'a> for Fill<'_> {
    type Taken = Filled;
    #[inline(always)]
    fn take(self, wire: Wire<'a>) -> Filled {
        let Self(room, Filled { length: at, worst }) = self;
        let worst = worst.max(wire.fit);
        if at > Filled::LONGEST {
            return Filled { length: at, worst };
        }
        room[at..at + 8].copy_from_slice(&wire.head.to_le_bytes());
        let tail_at = at + wire.length as usize;
        let length =
            if wire.tail.is_empty() { tail_at } else { put_tail(room, tail_at, wire.tail) };
        Filled { length, worst }
    }
}

/// Writes a tail at `at`, and says where it ends.
#[inline(always)]
fn put_tail(room: &mut PayloadRoom, at: usize, tail: &[u8]) -> usize {
    let end = at + tail.len();
    match room.get_mut(at..end) {
        Some(room) => copy_short(tail, room),
        None => return Filled::TOO_LONG,
    }
    end
}

/// Copies, in two pieces that may overlap, what is too short for a call to be worth it.
#[inline(always)]
fn copy_short(from: &[u8], to: &mut [u8]) {
    let short = from.len() <= 16
        && (copy_ends::<8>(from, to)
            || copy_ends::<4>(from, to)
            || copy_ends::<2>(from, to)
            || copy_ends::<1>(from, to));
    if !short {
        copy_long(from, to);
    }
}

#[cold]
#[inline(never)]
fn copy_long(from: &[u8], to: &mut [u8]) {
    to.copy_from_slice(from);
}

/// Copies the first and the last `N` bytes, if there are that many.
#[inline(always)]
fn copy_ends<const N: usize>(from: &[u8], to: &mut [u8]) -> bool {
    let (Some(first), Some(last)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) else {
        return false;
    };
    if let Some(start) = to.first_chunk_mut() {
        *start = *first;
    }
    if let Some(end) = to.last_chunk_mut() {
        *end = *last;
    }
    true
}

/// Keeps a message's bytes for a larger message.
pub(crate) struct Keep;

impl<'a> Take<'a> for Keep {
    type Taken = Wire<'a>;
    #[inline(always)]
    fn take(self, wire: Wire<'a>) -> Wire<'a> {
        wire
    }
}

#[cfg(test)]
mod tests {
    use crate::{Dialect, Generation};

    use super::*;
    use crate::map::Coord;
    use crate::message::{Duration, Message, Money, PlayerUpdate, Text, Who};

    fn fill(
        messages: &[Message<'_>],
        generation: Generation,
        room: &mut PayloadRoom,
    ) -> Result<Filled> {
        match generation {
            Generation::V01 => Message::fill_in::<{ Dialect::V01 as usize }>(messages, room),
            Generation::Current => {
                Message::fill_in::<{ Dialect::Current as usize }>(messages, room)
            }
        }
    }

    #[test]
    fn messages_follow_each_other_and_the_worst_fit_is_told() {
        let rounded = PlayerUpdate::Rtt { time: Duration(1234) };
        let messages = [
            Message::CityMoney { city: 1, money: Money { balance: 2, income: Some(3) } },
            Message::Player { who: Who { player: 2, sub: 1 }, update: rounded },
            Message::Player {
                who: Who::all_of(4),
                update: PlayerUpdate::VoteNew { id: 5, text: Text(b"why") },
            },
            Message::Tremor {},
        ];
        for generation in Generation::ALL {
            let (mut together, mut alone) = ([9; size_of::<PayloadRoom>()], Vec::new());
            let filled = fill(&messages, generation, &mut together).unwrap();
            for message in &messages {
                message.encode(generation, &mut alone).unwrap();
            }
            assert_eq!((filled.length, filled.worst), (alone.len(), Fit::Rounded));
            assert!(filled.exact_length().is_err());
            assert_eq!(together[..alone.len()], alone);
        }
    }

    #[test]
    fn tails_of_every_length_are_copied_whole() {
        let bytes: Vec<u8> = (0..=255).collect();
        for length in 0..=bytes.len() {
            let mut copy = vec![0; length];
            copy_short(&bytes[..length], &mut copy);
            assert_eq!(copy, bytes[..length]);
        }
    }

    #[test]
    fn a_payload_has_room_for_256_bytes_and_not_for_more() {
        let mut room = [9; size_of::<PayloadRoom>()];
        let tile = Message::SmokeStart { tile: Coord::new(1, 2) };
        let say = |text| Message::Player {
            who: Who::all_of(1),
            update: PlayerUpdate::ChatAll { text: Text(text) },
        };
        let encode = |messages: &[Message<'_>], room: &mut PayloadRoom| {
            fill(messages, Generation::Current, room)?.exact_length()
        };
        let full = [[Message::Tremor {}].as_slice(), &[tile; 85]].concat();
        assert_eq!(encode(&full, &mut room), Ok(256));
        let over = [[Message::Tremor {}; 2].as_slice(), &[tile; 85]].concat();
        assert!(encode(&over, &mut room).is_err());
        assert!(encode(&[tile; 200], &mut room).is_err());
        let letters = [b'x'; 252];
        assert_eq!(encode(&[say(&letters)], &mut room), Ok(256));
        assert!(encode(&[say(&letters), Message::Tremor {}], &mut room).is_err());
        assert!(encode(&[tile, say(&letters)], &mut room).is_err());
        assert!(encode(&[tile, tile, tile, say(&letters), tile], &mut room).is_err());
    }

    #[test]
    fn one_message_that_is_refused_refuses_all() {
        let too_high = Message::CityMoney { city: 0, money: Money { balance: !0, income: None } };
        let mut room = [0; size_of::<PayloadRoom>()];
        for generation in Generation::ALL {
            let messages = [Message::Tremor {}, too_high];
            assert!(fill(&messages, generation, &mut room).is_err());
        }
    }
}
