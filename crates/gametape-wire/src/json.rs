//! JSON strings: the one place that knows what is escaped, and how.
//!
//! The form is canonical, and that of `serde_json`: `\"`, `\\`, `\b`, `\f`, `\n`, `\r`, `\t`, other control characters
//! as `\u00xx` in lower case, and everything else as it is.
//!
//! ```
//! let mut json = String::new();
//! gametape_wire::json::push_str("a \"b\"\n", &mut json);
//! assert_eq!(json, r#""a \"b\"\n""#);
//! ```

/// Appends text as a JSON string, with its quotes.
pub fn push_str(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some((at, escape)) = first_escape(rest.as_bytes()) {
        out.push_str(&rest[..at]);
        out.extend(escape.bytes().iter().map(|byte| char::from(*byte)));
        rest = &rest[at + escape.replaced..];
    }
    out.push_str(rest);
    out.push('"');
}

/// Appends WTF-8 bytes as a JSON string, with its quotes: UTF-8, in which a lone surrogate, encoded as any
/// other code point of its size, becomes its `\u` escape.
pub fn push_bytes(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text;
    while let Some((at, escape)) = first_escape(rest) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(escape.bytes());
        rest = &rest[at + escape.replaced..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// What is written instead of some bytes.
struct Escape {
    text: [u8; 6],
    length: usize,
    /// The number of bytes that it replaces.
    replaced: usize,
}

impl Escape {
    fn bytes(&self) -> &[u8] {
        &self.text[..self.length]
    }

    fn short(letter: u8) -> Self {
        Self { text: [b'\\', letter, 0, 0, 0, 0], length: 2, replaced: 1 }
    }

    fn long(unit: u16, replaced: usize) -> Self {
        let digit = |shift: u16| b"0123456789abcdef"[usize::from(unit >> shift & 15)];
        let text = [b'\\', b'u', digit(12), digit(8), digit(4), digit(0)];
        Self { text, length: 6, replaced }
    }
}

/// The first escape that a text needs, and the index of what it replaces.
fn first_escape(text: &[u8]) -> Option<(usize, Escape)> {
    let mut start = 0;
    loop {
        let at =
            start + text[start..].iter().position(|byte| MAY_NEED_ESCAPE[usize::from(*byte)])?;
        if let Some(escape) = escape_of(&text[at..]) {
            return Some((at, escape));
        }
        start = at + 1;
    }
}

/// May an escape begin with this byte? Most bytes need none, and one look at a table is all they cost.
static MAY_NEED_ESCAPE: [bool; 256] = {
    let mut table = [false; 256];
    let mut control = 0;
    while control < 0x20 {
        table[control] = true;
        control += 1;
    }
    table[b'"' as usize] = true;
    table[b'\\' as usize] = true;
    table[SURROGATE_LEAD as usize] = true;
    table
};

/// The first byte of every surrogate, and of some characters.
const SURROGATE_LEAD: u8 = 0xED;

/// The escape of what the bytes begin with.
fn escape_of(bytes: &[u8]) -> Option<Escape> {
    Some(match *bytes {
        [byte @ (b'"' | b'\\'), ..] => Escape::short(byte),
        [0x08, ..] => Escape::short(b'b'),
        [b'\t', ..] => Escape::short(b't'),
        [b'\n', ..] => Escape::short(b'n'),
        [0x0C, ..] => Escape::short(b'f'),
        [b'\r', ..] => Escape::short(b'r'),
        [byte @ ..0x20, ..] => Escape::long(byte.into(), 1),
        [SURROGATE_LEAD, middle @ 0xA0..=0xBF, last, ..] => {
            let unit = 0xD000 | u16::from(middle & 0x3F) << 6 | u16::from(last & 0x3F);
            Escape::long(unit, 3)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of_bytes(text: &[u8]) -> String {
        let mut out = Vec::new();
        push_bytes(text, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_json_cannot_hold_is_escaped() {
        assert_eq!(of_bytes(b""), r#""""#);
        assert_eq!(of_bytes("OWNER 1 -7,2 é😀\u{7f}".as_bytes()), "\"OWNER 1 -7,2 é😀\u{7f}\"");
        assert_eq!(of_bytes(b"\"a\\"), r#""\"a\\""#);
        assert_eq!(of_bytes(b"\0\x08\t\n\x0B\x0C\r\x1F "), r#""\u0000\b\t\n\u000b\f\r\u001f ""#);
    }

    #[test]
    fn only_lone_surrogates_of_their_lead_are_escaped() {
        assert_eq!(of_bytes(b"x\xED\xA0\x80y"), r#""x\ud800y""#);
        assert_eq!(of_bytes(b"\xED\xBF\xBF\xED\xA0\xBD"), r#""\udfff\ud83d""#);
        assert_eq!(of_bytes("\u{d000}\u{d7ff}\u{e000}".as_bytes()), "\"\u{d000}\u{d7ff}\u{e000}\"");
    }

    proptest! {
        #[test]
        fn both_ways_write_the_same(text in "[\0-\u{20}\"\\\\a-cé\u{d000}-\u{d7ff}]{0,40}") {
            let mut json = String::new();
            push_str(&text, &mut json);
            prop_assert_eq!(of_bytes(text.as_bytes()), json.clone());
            // Read again by hand: an escape is one character.
            let inner = &json[1..json.len() - 1];
            let mut read = String::new();
            let mut rest = inner.chars();
            while let Some(c) = rest.next() {
                read.push(match c {
                    '\\' => match rest.next().unwrap() {
                        'b' => '\x08',
                        'f' => '\x0C',
                        'n' => '\n',
                        'r' => '\r',
                        't' => '\t',
                        'u' => {
                            let digits: String = rest.by_ref().take(4).collect();
                            char::from_u32(u32::from_str_radix(&digits, 16).unwrap()).unwrap()
                        }
                        other => other,
                    },
                    plain => plain,
                });
            }
            prop_assert_eq!(read, text);
        }
    }
}
