//! Strings: JSON escapes, WTF-8 and the order of keys.
//!
//! A decoded string is WTF-8: UTF-8 in which a lone surrogate is encoded like any other code
//! point of its size. So every string that JSON can spell has exactly one decoded form.

pub(crate) mod json;
pub mod layout;
pub(crate) mod path;
pub(crate) mod raw;
pub(crate) mod scan;
pub(crate) mod swar;
pub(crate) mod utf8;

use std::borrow::Cow;
use std::cmp::Ordering;

/// Decodes what is between the quotes. The escapes must have been checked.
pub(crate) fn decode(inner: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(plain) = memchr::memchr(b'\\', rest) {
        decoded.extend_from_slice(&rest[..plain]);
        rest = decode_escape(&rest[plain + 1..], &mut decoded);
    }
    decoded.extend_from_slice(rest);
    decoded
}

/// Decodes one escape, given what follows its backslash; returns what follows the escape.
fn decode_escape<'a>(escape: &'a [u8], decoded: &mut Vec<u8>) -> &'a [u8] {
    let Some((&letter, rest)) = escape.split_first() else { return escape };
    let byte = match letter {
        b'b' => 0x08,
        b'f' => 0x0C,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'u' => return decode_unit(rest, decoded),
        other => other,
    };
    decoded.push(byte);
    rest
}

/// Decodes the four digits of a `\u` escape, and the low surrogate that belongs to it.
fn decode_unit<'a>(digits: &'a [u8], decoded: &mut Vec<u8>) -> &'a [u8] {
    let Some((unit, rest)) = take_hex(digits) else { return &digits[digits.len()..] };
    if (0xD800..0xDC00).contains(&unit)
        && let Some((low, after)) = rest.strip_prefix(b"\\u").and_then(take_hex)
        && (0xDC00..0xE000).contains(&low)
    {
        push_code_point(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00), decoded);
        return after;
    }
    push_code_point(unit, decoded);
    rest
}

fn take_hex(digits: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, rest) = digits.split_at_checked(4)?;
    let unit = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    Some((unit, rest))
}

/// Appends a code point, a surrogate too.
fn push_code_point(code: u32, decoded: &mut Vec<u8>) {
    match char::from_u32(code) {
        Some(c) => decoded.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        None => decoded.extend_from_slice(&[
            0xE0 | (code >> 12) as u8,
            0x80 | (code >> 6 & 0x3F) as u8,
            0x80 | (code & 0x3F) as u8,
        ]),
    }
}

/// A decoded string as text, lone surrogates replaced by U+FFFD.
pub(crate) fn lossy(decoded: Cow<'_, [u8]>) -> Cow<'_, str> {
    match decoded {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Cow::Owned(text),
            Err(error) => Cow::Owned(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        },
    }
}

/// The order of two decoded strings by their UTF-16 code units.
pub(crate) fn compare_utf16(a: &[u8], b: &[u8]) -> Ordering {
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    match (a.get(same), b.get(same)) {
        // Only a code point over U+FFFF against one from U+E000 on sorts unlike its bytes. Bytes from
        // 0xED on begin a code point.
        (Some(x), Some(y)) if *x >= 0xED && *y >= 0xED => units(&a[same..]).cmp(units(&b[same..])),
        (x, y) => x.cmp(&y),
    }
}

/// The UTF-16 code units of a decoded string.
fn units(decoded: &[u8]) -> impl Iterator<Item = u16> + '_ {
    let mut rest = decoded;
    let mut low = None;
    std::iter::from_fn(move || {
        if let Some(unit) = low.take() {
            return Some(unit);
        }
        let (&lead, _) = rest.split_first()?;
        let length = match lead {
            0x00..=0x7F => 1,
            0x80..=0xDF => 2,
            0xE0..=0xEF => 3,
            _ => 4,
        };
        let (bytes, after) = rest.split_at(length.min(rest.len()));
        rest = after;
        let lead_bits = u32::from(lead) & if length == 1 { 0x7F } else { 0x7F >> length };
        let code = bytes[1..].iter().fold(lead_bits, |code, b| code << 6 | u32::from(b & 0x3F));
        if code < 0x10000 {
            return Some(code as u16);
        }
        low = Some(0xDC00 | ((code - 0x10000) & 0x3FF) as u16);
        Some(0xD800 | ((code - 0x10000) >> 10) as u16)
    })
}

#[cfg(test)]
mod tests {
    use gametape_wire::json;

    use super::*;

    fn canonical(inner: &str) -> String {
        let mut out = Vec::new();
        json::push_bytes(&decode(inner.as_bytes()), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn escapes_come_out_canonical() {
        assert_eq!(canonical(r"a\/b\u0041\u00e9"), "\"a/bAé\"");
        assert_eq!(
            canonical(r"\u0008\b\t\n\f\r\u001F\u007f"),
            "\"\\b\\b\\t\\n\\f\\r\\u001f\u{7f}\""
        );
        assert_eq!(canonical(r#"\"\\"#), r#""\"\\""#);
        assert_eq!(canonical(r"\uD83D\uDE00"), "\"😀\"");
    }

    #[test]
    fn lone_surrogates_survive() {
        assert_eq!(canonical(r"x\ud800y"), r#""x\ud800y""#);
        assert_eq!(canonical(r"\uDC00\uD83D"), r#""\udc00\ud83d""#);
        assert_eq!(canonical(r"\uD83D\uD83D\uDE00"), "\"\\ud83d😀\"");
    }

    #[test]
    fn keys_sort_by_utf16_units() {
        let sorted = ["", "10", "2", "a", "é", "\u{d7ff}", "😀", "\u{e000}", "\u{ffff}"];
        for pair in sorted.windows(2) {
            assert_eq!(compare_utf16(pair[0].as_bytes(), pair[1].as_bytes()), Ordering::Less);
            assert_eq!(compare_utf16(pair[1].as_bytes(), pair[0].as_bytes()), Ordering::Greater);
        }
        let (lone, pair) = (decode(br"\ud83d"), decode(br"\ud83d\ude00"));
        assert_eq!(compare_utf16(&lone, &pair), Ordering::Less);
        assert_eq!(compare_utf16(&pair, &pair), Ordering::Equal);
        let (low, high) = (decode("😀".as_bytes()), decode("😁".as_bytes()));
        assert_eq!(compare_utf16(&low, &high), Ordering::Less);
    }
}
