//! Finding text that is not UTF-8, while the text is still growing.

use gametape_wire::Result;

use crate::text::json::not_utf8;

/// What is looked at in one piece: most pieces are nothing but ASCII, which is seen at many bytes a time.
const PIECE: usize = 16 << 10;

/// How many of the first bytes of a text are known to be UTF-8.
///
/// Text that was just unpacked is still in the processor's cache. Whoever looks at it then need not wait for memory.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct KnownUtf8(usize);

impl KnownUtf8 {
    /// Looks at what was appended to the text since the last time. A character may be cut at its end.
    pub(crate) fn look_at(&mut self, text: &[u8]) {
        while self.0 < text.len() {
            let piece = &text[self.0..text.len().min(self.0 + PIECE)];
            match valid_length(piece) {
                0 => return,
                valid => self.0 += valid,
            }
        }
    }

    /// An error, unless all of the text is UTF-8.
    pub(crate) fn check(mut self, text: &[u8]) -> Result<()> {
        self.look_at(text);
        if self.0 == text.len() { Ok(()) } else { Err(not_utf8(self.0)) }
    }

    /// The same for a text whose first bytes, which are UTF-8, were taken away.
    pub(crate) fn without(self, first: usize) -> Self {
        Self(self.0.saturating_sub(first))
    }
}

/// How many of the first bytes are whole characters.
fn valid_length(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    std::str::from_utf8(text).map_or_else(|error| error.valid_up_to(), str::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_any_size_give_what_the_whole_gives() {
        let texts: [&[u8]; 7] = [
            "plain".as_bytes(),
            "aé€😀z".as_bytes(),
            b"abc\xffdef",
            b"ab\xe2\x82",
            b"ab\xe2\x82x",
            b"\xed\xa0\x80",
            b"",
        ];
        let long = ["x".repeat(PIECE - 1), "€".repeat(PIECE), "y".repeat(PIECE)].concat();
        let damaged = [long.as_bytes(), b"\xe2\x82", &[b'z'; PIECE]].concat();
        for text in texts.into_iter().chain([long.as_bytes(), &damaged]) {
            let expected =
                std::str::from_utf8(text).err().map(|error| not_utf8(error.valid_up_to()));
            for size in (1..=7).chain([text.len().max(1)]) {
                let mut known = KnownUtf8::default();
                for end in (0..text.len()).step_by(size) {
                    known.look_at(&text[..end]);
                }
                assert_eq!(known.check(text).err(), expected, "{text:?} by {size}");
            }
        }
    }

    #[test]
    fn what_was_taken_away_counts_no_longer() {
        let mut known = KnownUtf8::default();
        known.look_at("\u{feff}ab".as_bytes());
        assert!(known.without(3).check(b"ab").is_ok());
        assert_eq!(known.without(3).check(b"ab\xff").unwrap_err(), not_utf8(2));
    }
}
