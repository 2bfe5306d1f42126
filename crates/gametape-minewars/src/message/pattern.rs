//! Bit patterns of first bytes, read at compile time.
//!
//! A pattern is eight characters: `0` and `1` are fixed, a letter is one bit of the field with
//! that letter, and fields are contiguous: `1ppppccc`.

/// One first byte, or a family of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pattern {
    text: [u8; 8],
    mask: u8,
    value: u8,
}

/// Where a field is inside a first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field {
    shift: u8,
    width: u8,
}

impl Pattern {
    /// Reads a pattern; a mistake in it is an error of the build.
    #[allow(clippy::panic, reason = "only ever runs at compile time, on literals of this crate")]
    pub(crate) const fn parse(text: &str) -> Self {
        let Some(text) = text.as_bytes().first_chunk::<8>() else {
            panic!("a pattern has eight characters");
        };
        let (mut mask, mut value) = (0, 0);
        let mut i = 0;
        while i < 8 {
            let bit = 0x80 >> i;
            match text[i] {
                b'0' => mask |= bit,
                b'1' => {
                    mask |= bit;
                    value |= bit;
                }
                b'a'..=b'z' => {}
                _ => panic!("a pattern has only 0, 1 and lower-case letters"),
            }
            i += 1;
        }
        Self { text: *text, mask, value }
    }

    /// The fixed bits.
    pub(crate) const fn value(self) -> u8 {
        self.value
    }

    /// The pattern as it was written.
    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.text).unwrap_or_default()
    }

    /// The field with this letter, if the pattern has one.
    pub(crate) const fn field(self, letter: u8) -> Option<Field> {
        let (mut shift, mut width) = (0, 0);
        let mut i = 0;
        while i < 8 {
            if self.text[i] == letter {
                shift = 7 - i as u8;
                width += 1;
            }
            i += 1;
        }
        if width == 0 { None } else { Some(Field { shift, width }) }
    }

    /// Has the byte the fixed bits?
    pub(crate) const fn matches(self, byte: u8) -> bool {
        byte & self.mask == self.value
    }

    const fn fixed_bits(self) -> u32 {
        self.mask.count_ones()
    }
}

impl Field {
    /// The field's value in a first byte.
    #[inline]
    pub(crate) const fn get(self, byte: u8) -> u8 {
        byte >> self.shift & self.max()
    }

    /// The field's bits for `value`, unless it does not fit.
    #[inline]
    pub(crate) const fn put(self, value: usize) -> Option<usize> {
        if value > self.max() as usize { None } else { Some(value << self.shift) }
    }

    /// The largest value that fits.
    pub(crate) const fn max(self) -> u8 {
        (0xFF_u16 >> (8 - self.width)) as u8
    }
}

/// For every first byte the row it belongs to: the matching pattern with the most fixed bits,
/// unless the byte is reserved.
///
/// Evaluated at compile time, so two rows that claim the same byte with equal right do not build.
#[allow(clippy::panic, reason = "only ever runs at compile time, on tables of this crate")]
pub(crate) const fn decode_map(patterns: &[Option<Pattern>], reserved: &[u8]) -> [Option<u8>; 256] {
    let mut map = [None; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut best = 0;
        let mut row = 0;
        while row < patterns.len() {
            if let Some(pattern) = patterns[row]
                && pattern.matches(byte as u8)
            {
                let bits = pattern.fixed_bits();
                assert!(bits != best, "two rows of the table have the same pattern");
                if bits > best {
                    best = bits;
                    map[byte] = Some(row as u8);
                }
            }
            row += 1;
        }
        byte += 1;
    }
    let mut i = 0;
    while i < reserved.len() {
        map[reserved[i] as usize] = None;
        i += 1;
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_and_bounded() {
        let pattern = Pattern::parse("1ppppccc");
        let player = pattern.field(b'p').unwrap();
        assert_eq!(player.get(0b1010_1111), 0b0101);
        assert_eq!(player.put(5), Some(0b0010_1000));
        assert_eq!(player.put(16), None);
        assert_eq!(pattern.field(b'x'), None);
        assert_eq!(pattern.value(), 0x80);
    }

    #[test]
    fn the_more_specific_pattern_wins() {
        let rows = [Some(Pattern::parse("1ppppccc")), Some(Pattern::parse("10000ccc")), None];
        let map = decode_map(&rows, &[0x87]);
        assert_eq!(map[0x87], None);
        assert_eq!(map[0x80], Some(1));
        assert_eq!(map[0x88], Some(0));
        assert_eq!(map[0x00], None);
    }

    #[test]
    #[should_panic(expected = "two rows of the table have the same pattern")]
    fn two_rows_with_the_same_pattern_are_refused() {
        decode_map(&[Some(Pattern::parse("0010hhhh")), Some(Pattern::parse("0010kkkk"))], &[]);
    }
}
