//! Many bytes of text at once, in one number: the first byte is the lowest.
//!
//! There are no branches here that depend on how long a key or a number is. Keys and numbers of
//! changing lengths are what deltas are made of, and a processor guesses the end of each wrongly.

/// The number for a text of at most 16 bytes, as [`short_string`] gives it.
pub(crate) const fn of(text: &[u8]) -> u128 {
    let (mut word, mut i) = (0, text.len());
    while i > 0 {
        i -= 1;
        word = word << 8 | text[i] as u128;
    }
    word
}

/// The number that repeats `byte` in all of its bytes.
const fn each(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Bit 7 of the first byte that is special inside of a string: a quote, a backslash or a control
/// character. Zero if none is. Bits above that one may be set, too.
#[inline(always)]
pub(crate) fn special_in_strings(word: u128) -> u128 {
    const fn each(byte: u8) -> u128 {
        u128::from_le_bytes([byte; 16])
    }
    // Without bit 1 a quote is a space, and a space is none: both kinds are below 0x21 then.
    let low = (word ^ each(0x02)).wrapping_sub(each(0x21));
    let backslash = (word ^ each(b'\\')).wrapping_sub(each(1));
    (low | backslash) & !word & each(0x80)
}

/// The end of the string whose first byte is at `start`, if it is short and has no escapes.
#[inline(always)]
pub(crate) fn short_string_end(text: &[u8], start: usize) -> Option<usize> {
    let rest = text.get(start..)?;
    let special = special_in_strings(u128::from_le_bytes(*rest.first_chunk()?));
    // Of a word without anything special this is one more than there is.
    let length = special.trailing_zeros() as usize / 8;
    (rest.get(length) == Some(&b'"')).then_some(start + length)
}

/// The bytes `start..end` of the text, zeros after them. None when they are not 1 to 16, or when
/// the text ends right after them.
#[inline(always)]
pub(crate) fn short_string(text: &[u8], start: usize, end: usize) -> Option<u128> {
    let bytes = text.get(start..)?.first_chunk()?;
    let length = end - start;
    if length == 0 || length > bytes.len() {
        return None;
    }
    Some(u128::from_le_bytes(*bytes) & (u128::MAX >> (u128::BITS - 8 * length as u32)))
}

/// Bit 7 of the first byte that is no digit. Zero if all are. Bits above that one may be set, too.
#[inline(always)]
pub(crate) fn no_digits(word: u64) -> u64 {
    let values = word ^ each(b'0');
    (values.wrapping_add(each(0x80 - 10)) | values) & each(0x80)
}

/// How many of the first bytes are digits.
#[inline(always)]
pub(crate) fn leading_digits(word: u64) -> usize {
    no_digits(word).trailing_zeros() as usize / 8
}

/// The number in up to six digits at the beginning, without a leading 0, and how many digits it has.
#[inline(always)]
pub(crate) fn leading_number(word: u64) -> Option<(u32, usize)> {
    let length = leading_digits(word);
    let leads_with_zero = word as u8 == b'0' && length > 1;
    if length == 0 || length > 6 || leads_with_zero {
        return None;
    }
    // As if there were zeros before it, so that it has eight digits.
    let values = (word ^ each(b'0')) << (64 - 8 * length);
    // Neighbours are joined: pairs of digits, then pairs of those, then the two halves.
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_FFFF_0000_FFFF;
    let number = fours.wrapping_mul(10_000).wrapping_add(fours >> 32) as u32;
    Some((number, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word<const N: usize>(text: &[u8]) -> [u8; N] {
        std::array::from_fn(|i| text.get(i).copied().unwrap_or(b'x'))
    }

    #[test]
    fn the_first_special_byte_is_found() {
        for byte in 0..=u8::MAX {
            for index in 0..16 {
                for filler in [b'x', b' ', b'!', b'#', b'~', 0x7F, 0x80, 0xA2, 0xDC, 0xFF] {
                    let mut bytes = [filler; 16];
                    bytes[index] = byte;
                    let found = special_in_strings(u128::from_le_bytes(bytes));
                    let is_special = byte < 0x20 || byte == b'"' || byte == b'\\';
                    let expected = if is_special { index as u32 } else { 16 };
                    assert_eq!(found.trailing_zeros() / 8, expected, "{byte} at {index}");
                }
            }
        }
    }

    #[test]
    fn leading_numbers_are_those_that_an_index_can_be() {
        let number = |text: &str| leading_number(u64::from_le_bytes(word(text.as_bytes())));
        for n in (0..2000).chain((2000..1_000_000).step_by(997)).chain([99_999, 999_999]) {
            let text = n.to_string();
            assert_eq!(number(&format!("{text}\":")), Some((n, text.len())));
        }
        for text in ["", "00", "01", "1234567", "12345678", "a", "-1", "\u{80}1"] {
            assert_eq!(number(text), None, "{text}");
        }
        assert_eq!(number("12\u{ff}"), Some((12, 2)));
        for byte in 0..=u8::MAX {
            let digits = leading_digits(u64::from_le_bytes(word(&[b'7', byte, b'1'])));
            assert_eq!(digits, if byte.is_ascii_digit() { 3 } else { 1 }, "{byte}");
        }
    }
}
