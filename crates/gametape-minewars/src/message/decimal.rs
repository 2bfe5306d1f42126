//! Numbers as decimal text, fast: coordinates come by the hundred thousand.

/// The text of every byte read as a signed number: the first character lowest, the length in the
/// upper half.
static SIGNED: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = signed_text(byte as u8 as i8);
        byte += 1;
    }
    table
};

const LENGTH_SHIFT: u32 = 32;

const fn signed_text(value: i8) -> u64 {
    let mut text = 0;
    let mut length = 0;
    if value < 0 {
        text = b'-' as u64;
        length = 1;
    }
    let magnitude = value.unsigned_abs();
    let mut unit = if magnitude >= 100 {
        100
    } else if magnitude >= 10 {
        10
    } else {
        1
    };
    while unit > 0 {
        text |= ((b'0' + magnitude / unit % 10) as u64) << (8 * length);
        length += 1;
        unit /= 10;
    }
    text | length << LENGTH_SHIFT
}

/// Up to 8 characters, put together in a register and written at once: many small copies of
/// unknown length are slow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Short {
    /// The first character lowest.
    text: u64,
    length: u32,
}

impl Short {
    pub(crate) const EMPTY: Self = Self { text: 0, length: 0 };
    pub(crate) const BLANK: Self = Self::of(" ");

    /// Text of up to 8 characters.
    pub(crate) const fn of(text: &str) -> Self {
        let mut short = Self::EMPTY;
        let mut i = 0;
        while i < text.len() {
            short = short.char(text.as_bytes()[i]);
            i += 1;
        }
        short
    }

    /// One character more.
    #[inline(always)]
    pub(crate) const fn char(self, character: u8) -> Self {
        let text = self.text | (character as u64) << (8 * self.length);
        Self { text, length: self.length + 1 }
    }

    /// A byte as a signed number more; numbers up to 127 are the same without a sign.
    #[inline(always)]
    pub(crate) fn signed(self, byte: u8) -> Self {
        let entry = SIGNED[usize::from(byte)];
        let text = u64::from(entry as u32) << (8 * self.length);
        Self { text: self.text | text, length: self.length + (entry >> LENGTH_SHIFT) as u32 }
    }

    /// Appends it to longer text.
    #[inline(always)]
    pub(crate) fn push_to(self, out: &mut Vec<u8>) {
        let end = out.len() + self.length as usize;
        out.extend_from_slice(&self.text.to_le_bytes());
        out.truncate(end);
    }

    /// Appends it, which must not be empty, to longer text together with what follows it.
    #[inline(always)]
    pub(crate) fn push_with(self, next: Self, out: &mut Vec<u8>) {
        // Cheaper than one shift of 128 bits, and the second of the two is never by all 64.
        let shift = 8 * (self.length - 1);
        let low = self.text | next.text << shift << 8;
        let high = next.text >> (56 - shift);
        let end = out.len() + (self.length + next.length) as usize;
        out.extend_from_slice(&(u128::from(high) << 64 | u128::from(low)).to_le_bytes());
        out.truncate(end);
    }
}

/// Appends `y,x` for the two bytes of a coordinate, after up to four other characters.
#[inline(always)]
pub(crate) fn push_coord(out: &mut Vec<u8>, before: Short, wire: [u8; 2]) {
    let [y, x] = wire;
    before.signed(y).push_with(Short::EMPTY.char(b',').signed(x), out);
}

/// Appends a small number after a blank.
#[inline(always)]
pub(crate) fn push_u8(out: &mut Vec<u8>, value: u8) {
    match value {
        0..=127 => Short::BLANK.signed(value).push_to(out),
        128.. => push_integer(out, value),
    }
}

/// Appends a number, most often a small one, after up to 8 characters.
#[inline(always)]
pub(crate) fn push_number(out: &mut Vec<u8>, before: Short, value: u64) {
    if let 0..=127 = value {
        before.push_with(Short::EMPTY.signed(value as u8), out);
    } else {
        before.push_to(out);
        out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    }
}

/// Appends a number of any width after a blank.
pub(crate) fn push_integer(out: &mut Vec<u8>, value: impl itoa::Integer) {
    out.push(b' ');
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_coordinate_prints_as_the_standard_library_does() {
        for y in i8::MIN..=i8::MAX {
            for x in i8::MIN..=i8::MAX {
                let wire = [y as u8, x as u8];
                assert_eq!(text(|out| push_coord(out, Short::of(">"), wire)), format!(">{y},{x}"));
            }
        }
    }

    #[test]
    fn numbers_print_as_the_standard_library_does() {
        for value in 0..=u8::MAX {
            assert_eq!(text(|out| push_u8(out, value)), format!(" {value}"));
        }
        for value in [0, 9, 10, 127, 128, 255, 256, u64::MAX] {
            let before = Short::of("12345678");
            assert_eq!(text(|out| push_number(out, before, value)), format!("12345678{value}"));
        }
        for value in [i64::MIN, -300, -1, 0, 9, 10, i64::MAX] {
            assert_eq!(text(|out| push_integer(out, value)), format!(" {value}"));
        }
    }
}
