//! Bytes of a game that nobody here knows, as text: `spec/scene.md`, section 12, rule 5.

use gametape_cadre::{Kind, Raw};
use gametape_wire::json::push_str;

use crate::text::hex;

/// Of more bytes only the first are shown.
const SHOWN_BYTES: usize = 64;
/// Fewer bytes are no text.
const SHORTEST_TEXT: usize = 3;
/// Text is cut after about this many bytes.
const LONGEST_TEXT: usize = 4096;

/// A payload in one line.
#[must_use]
pub fn payload_text(bytes: &[u8]) -> String {
    match text(bytes) {
        Some(text) => cut(text),
        None => digits(bytes),
    }
}

/// Appends bytes as a JSON value.
pub(super) fn push_value(bytes: &[u8], out: &mut String) {
    match text(bytes) {
        Some(json) if is_tree(json) => out.push_str(json),
        Some(text) => push_str(&cut(text), out),
        None => push_str(&digits(bytes), out),
    }
}

/// Bytes that are text.
fn text(bytes: &[u8]) -> Option<&str> {
    let text = str::from_utf8(bytes).ok().filter(|text| text.len() >= SHORTEST_TEXT)?;
    (!text.contains(|c: char| c.is_control() && !c.is_ascii_whitespace())).then_some(text)
}

/// Is it the JSON of an object or a list?
fn is_tree(text: &str) -> bool {
    let looks_so = text.starts_with(['{', '[']);
    let parsed = looks_so.then(|| Raw::parse(text.as_bytes()).ok()).flatten();
    parsed.is_some_and(|raw| matches!(raw.kind(), Kind::Object | Kind::List))
}

fn cut(text: &str) -> String {
    match text.char_indices().find(|(at, _)| *at >= LONGEST_TEXT) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// `2a000000 = 42`
fn digits(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "nothing".to_owned();
    }
    if bytes.len() > SHOWN_BYTES {
        return format!("{}… {} bytes", hex(&bytes[..SHOWN_BYTES]), bytes.len());
    }
    let number = matches!(bytes.len(), 1 | 2 | 4 | 8).then(|| {
        let value = bytes.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
        format!(" = {value}")
    });
    hex(bytes) + &number.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_json_text_or_digits() {
        let value = |bytes: &[u8]| {
            let mut out = String::new();
            push_value(bytes, &mut out);
            out
        };
        assert_eq!(value(br#"{"x":1}"#), r#"{"x":1}"#);
        assert_eq!(value(b"[1,2"), r#""[1,2""#, "no JSON");
        assert_eq!(value("Ana's \"turn\"".as_bytes()), r#""Ana's \"turn\"""#);
        assert_eq!(value(&42u32.to_le_bytes()), r#""2a000000 = 42""#);
        assert_eq!(value(&u64::MAX.to_le_bytes()), r#""ffffffffffffffff = 18446744073709551615""#);
        assert_eq!(value(b"A"), r#""41 = 65""#);
        assert_eq!(value(&[1, 2, 3]), r#""010203""#);
        assert_eq!(value(b""), r#""nothing""#);
        assert_eq!(value(b"a\0bc"), r#""61006263 = 1667367009""#, "control characters are no text");
        let long = payload_text(&[0xff; 100]);
        assert!(long.starts_with("ffff") && long.ends_with("… 100 bytes") && long.len() < 150);
        assert!(payload_text("é".repeat(9000).as_bytes()).len() < LONGEST_TEXT + 8);
    }
}
