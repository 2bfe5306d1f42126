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
