//! One message on its way to the wire.

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
        for byte in bytes {
            self.head |= u64::from(byte) << (8 * self.length);
            self.length += 1;
        }
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
        if !self.tail.is_empty() {
            out.extend_from_slice(self.tail);
        }
        self.fit
    }
}

#[cfg(test)]
mod tests {
    use gametape_wire::Generation;

    use super::*;
    use crate::message::{Duration, Message, Money, PlayerUpdate, Text, Who};

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
            let (mut together, mut alone) = (vec![9], vec![9]);
            let fit = Message::encode_all(&messages, generation, &mut together);
            assert_eq!(fit, Ok(Fit::Rounded));
            for message in &messages {
                message.encode(generation, &mut alone).unwrap();
            }
            assert_eq!(together, alone);
        }
    }

    #[test]
    fn one_message_that_is_refused_refuses_all() {
        let too_high = Message::CityMoney { city: 0, money: Money { balance: !0, income: None } };
        let mut out = vec![9];
        for generation in Generation::ALL {
            let messages = [Message::Tremor {}, too_high];
            assert!(Message::encode_all(&messages, generation, &mut out).is_err());
            assert_eq!(out, [9]);
        }
    }
}
