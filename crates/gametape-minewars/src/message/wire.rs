//! One message on its way to the wire.

use crate::frames::{LONGEST_PAYLOAD, PayloadRoom};
use gametape_wire::{Error, Result};

use super::lists::MAX_OWNED;
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
    end: End<'a>,
    fit: Fit,
}

/// What follows the beginning.
#[derive(Debug, Clone, Copy)]
enum End<'a> {
    Nothing,
    Borrowed(&'a [u8]),
    /// The first bytes of these, and how many.
    Few([u8; FEW], usize),
}

impl<'a> Wire<'a> {
    pub(crate) const EMPTY: Self = Self { head: 0, length: 0, end: End::Nothing, fit: Fit::Exact };

    /// Begins with a first byte.
    #[inline(always)]
    pub(crate) fn put_first(mut self, byte: usize) -> Self {
        self.head |= (byte as u64) << (8 * self.length);
        self.length += 1;
        self
    }

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
    pub(crate) fn end_with(self, bytes: &'a [u8]) -> Self {
        debug_assert!(matches!(self.end, End::Nothing), "only the last operand is a list or text");
        Self { end: End::Borrowed(bytes), ..self }
    }

    /// Ends the message with the first `count` tiles of a few.
    #[inline(always)]
    pub(crate) fn end_with_tiles(self, tiles: [[u8; 2]; MAX_OWNED], count: usize) -> Self {
        let mut few = [0; FEW];
        few.copy_from_slice(tiles.as_flattened());
        Self { end: End::Few(few, 2 * count), ..self }
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
        match self.end {
            End::Nothing => {}
            End::Borrowed(bytes) => out.extend_from_slice(bytes),
            End::Few(bytes, length) => out.extend_from_slice(&bytes[..length.min(FEW)]),
        }
        self.fit
    }
}

/// The bytes of the tiles of a message about ownership.
const FEW: usize = 2 * MAX_OWNED;

/// Where an encoded message goes.
pub(crate) trait Take<'a> {
    type Taken;
    fn take(self, wire: Wire<'a>) -> Result<Self::Taken>;
}

impl<'a> Take<'a> for &mut Vec<u8> {
    type Taken = Fit;
    #[inline(always)]
    fn take(self, wire: Wire<'a>) -> Result<Fit> {
        Ok(wire.push_to(self))
    }
}

/// Writes a message at an offset of a payload's room, and returns where it ends. Refuses values that do
/// not fit exactly.
///
/// The offset is handed from message to message and not kept in memory, where every message would wait
/// for the one before it. What is refused ends the payload: a result that the next message had to look
/// at would cost each of them.
pub(crate) struct Fill<'o>(pub(crate) &'o mut PayloadRoom, pub(crate) usize);

impl<'a> Take<'a> for Fill<'_> {
    type Taken = usize;
    #[inline(always)]
    fn take(self, wire: Wire<'a>) -> Result<usize> {
        let Self(room, at) = self;
        if wire.fit != Fit::Exact {
            return Err(inexact());
        }
        if at > LONGEST_PAYLOAD {
            return Err(too_long());
        }
        let end = at + wire.length as usize;
        room[at..at + HEAD].copy_from_slice(&wire.head.to_le_bytes());
        match wire.end {
            End::Nothing => Ok(end),
            End::Borrowed(bytes) => put_borrowed(room, end, bytes),
            End::Few(bytes, length) => {
                room[end..end + FEW].copy_from_slice(&bytes);
                Ok(end + length)
            }
        }
    }
}

/// Writes a list or text at `at`, and returns where it ends.
#[inline(always)]
fn put_borrowed(room: &mut PayloadRoom, at: usize, bytes: &[u8]) -> Result<usize> {
    match bytes.len() {
        0 => Ok(at),
        1..=SHORT_TAIL => {
            // The room after the longest payload is enough for this, so that nothing is compared.
            copy_short(bytes, &mut room[at..at + SHORT_TAIL]);
            Ok(at + bytes.len())
        }
        _ => put_long_tail(room, at, bytes),
    }
}

/// Bytes of a message before its list or text, written in one piece.
const HEAD: usize = size_of::<u64>();

/// The longest list or text that is written without a look at the room that is left.
const SHORT_TAIL: usize = 16;

/// What one message may spoil after the end of a payload.
pub(crate) const SPOILED: usize = HEAD + SHORT_TAIL;

/// The length of a payload, unless that is too long.
#[inline(always)]
pub(crate) fn checked_length(length: usize) -> Result<usize> {
    if length > LONGEST_PAYLOAD { Err(too_long()) } else { Ok(length) }
}

#[cold]
fn inexact() -> Error {
    Error::misuse("payload", "not every value fits exactly")
}

#[cold]
fn too_long() -> Error {
    Error::misuse("payload", format!("over {LONGEST_PAYLOAD} bytes"))
}

/// Writes a tail at `at`, and returns where it ends.
#[cold]
#[inline(never)]
fn put_long_tail(room: &mut PayloadRoom, at: usize, tail: &[u8]) -> Result<usize> {
    let end = at + tail.len();
    match room.get_mut(at..end) {
        Some(room) => room.copy_from_slice(tail),
        None => return Err(too_long()),
    }
    Ok(end)
}

/// Copies 1 to [`SHORT_TAIL`] bytes to the beginning of as much room, in two pieces that may overlap: a
/// call would take longer.
#[inline(always)]
pub(crate) fn copy_short(from: &[u8], to: &mut [u8]) {
    let _ = copy_ends::<8>(from, to)
        || copy_ends::<4>(from, to)
        || copy_ends::<2>(from, to)
        || copy_ends::<1>(from, to);
}

/// Copies the first and the last `N` bytes of what has at least `N` and at most `2 * N`.
#[inline(always)]
fn copy_ends<const N: usize>(from: &[u8], to: &mut [u8]) -> bool {
    let (Some(first), Some(last)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) else {
        return false;
    };
    to[..N].copy_from_slice(first);
    to[from.len() - N..from.len()].copy_from_slice(last);
    true
}

/// Keeps a message's bytes for a larger message.
pub(crate) struct Keep;

impl<'a> Take<'a> for Keep {
    type Taken = Wire<'a>;
    #[inline(always)]
    fn take(self, wire: Wire<'a>) -> Result<Wire<'a>> {
        Ok(wire)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Dialect, FrameLayout, FrameWriter, Frames, Generation};
    use gametape_wire::{View, ViewSet};

    use super::*;
    use crate::map::{Coord, StructureKind};
    use crate::message::{Duration, Message, Money, OwnedTiles, PlayerUpdate, Text, Who};

    fn fill(
        messages: &[Message<'_>],
        generation: Generation,
        room: &mut PayloadRoom,
    ) -> Result<usize> {
        match generation {
            Generation::V01 => Message::fill_in::<{ Dialect::V01 as usize }>(messages, room),
            Generation::Current => {
                Message::fill_in::<{ Dialect::Current as usize }>(messages, room)
            }
        }
    }

    #[test]
    fn messages_follow_each_other_and_inexact_ones_are_refused() {
        let round_trip = |time| Message::Player {
            who: Who { player: 2, sub: 1 },
            update: PlayerUpdate::Rtt { time: Duration(time) },
        };
        let messages = |time| {
            [
                Message::CityMoney { city: 1, money: Money { balance: 2, income: Some(3) } },
                round_trip(time),
                Message::Player {
                    who: Who::all_of(4),
                    update: PlayerUpdate::VoteNew { id: 5, text: Text(b"why") },
                },
                Message::Tremor {},
            ]
        };
        for generation in Generation::ALL {
            let (mut together, mut alone) = ([9; size_of::<PayloadRoom>()], Vec::new());
            let length = fill(&messages(1200), generation, &mut together).unwrap();
            for message in &messages(1200) {
                assert_eq!(message.encode(generation, &mut alone), Ok(Fit::Exact));
            }
            assert_eq!(together[..length], alone);
            let refused = fill(&messages(1234), generation, &mut together).unwrap_err();
            assert!(refused.to_string().contains("fits exactly"), "{refused}");
        }
    }

    #[test]
    fn tails_of_every_length_are_copied_whole() {
        let bytes: Vec<u8> = (0..=255).collect();
        for length in 0..=LONGEST_PAYLOAD - 4 {
            let text = Text(&bytes[..length]);
            let chat =
                Message::Player { who: Who::all_of(1), update: PlayerUpdate::ChatAll { text } };
            let (mut room, mut alone) = ([9; size_of::<PayloadRoom>()], Vec::new());
            let filled = fill(&[chat], Generation::Current, &mut room).unwrap();
            chat.encode(Generation::Current, &mut alone).unwrap();
            assert_eq!(room[..filled], alone, "{length}");
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
            fill(messages, Generation::Current, room)
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

    #[test]
    fn a_heterogenous_frame_has_as_many_payloads_as_views() {
        let some: &[Message<'_>] = &[Message::Tremor {}];
        for generation in Generation::ALL {
            let layout = FrameLayout::new(generation, View::new(3).unwrap()).unwrap();
            let mut out = FrameWriter::new(layout);
            let views = ViewSet::from_bits(0b101);
            for payloads in [[].as_slice(), &[some], &[some, some, some]] {
                assert!(out.heterogenous_messages(1, views, payloads).is_err(), "{generation}");
                assert_eq!((out.as_bytes(), out.time()), ([].as_slice(), 0));
            }
            out.heterogenous_messages(1, views, &[some, some]).unwrap();
            let frame = Frames::new(layout, out.as_bytes()).next().unwrap().unwrap();
            assert_eq!((frame.views(), frame.parts().count()), (views, 2));
        }
    }

    #[test]
    fn operands_that_spell_another_message_are_refused() {
        let tile = Coord::CENTRE;
        let colliding = [
            Message::Owner { player: 0, tiles: OwnedTiles::from(tile) },
            Message::StructureHp { tile, hp: 0 },
            Message::Structure { tile, kind: StructureKind::Unknown(15) },
        ];
        let mut room = [0; size_of::<PayloadRoom>()];
        for generation in Generation::ALL {
            for message in colliding {
                let mut alone = Vec::new();
                assert!(message.encode(generation, &mut alone).is_err(), "{message:?}");
                assert!(fill(&[message], generation, &mut room).is_err(), "{message:?}");
            }
        }
    }
}
