//! JSON text, laid out or changed in one pass whatever its depth.

use std::iter;

/// Containers inside of more than this many others stay on one line. Without a limit, indentation
/// would make a small input as large as its depth allows.
const PRETTY_DEPTH: usize = 32;

/// The pieces of a JSON text: strings, brackets, commas, colons, and runs of everything else.
fn tokens(mut json: &[u8]) -> impl Iterator<Item = &[u8]> {
    iter::from_fn(move || {
        json = json.trim_ascii_start();
        let length = match json.first()? {
            b'"' => string_length(json),
            first if is_mark(*first) => 1,
            _ => json.iter().position(|&b| ends_literal(b)).unwrap_or(json.len()),
        };
        let (token, rest) = json.split_at(length);
        json = rest;
        Some(token)
    })
}

fn is_mark(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':')
}

fn ends_literal(byte: u8) -> bool {
    is_mark(byte) || byte == b'"' || byte.is_ascii_whitespace()
}

/// Bytes of the string that `json` begins with, quotes included.
fn string_length(json: &[u8]) -> usize {
    let mut escaped = false;
    let is_end = |byte: &u8| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    };
    json[1..].iter().position(is_end).map_or(json.len(), |end| end + 2)
}

/// JSON without white space, and so on one line.
#[must_use]
pub fn compact(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    tokens(json).for_each(|token| out.extend_from_slice(token));
    out
}

/// JSON with indentation, one entry a line.
#[must_use]
pub fn pretty(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(2 * json.len());
    let mut depth = 0;
    let mut tokens = tokens(json).peekable();
    while let Some(token) = tokens.next() {
        match token {
            b"{" | b"[" => {
                out.extend_from_slice(token);
                depth += 1;
                match tokens.next_if(|next| matches!(*next, b"}" | b"]")) {
                    Some(close) => {
                        out.extend_from_slice(close);
                        depth -= 1;
                    }
                    None => new_line(depth, depth, &mut out),
                }
            }
            b"}" | b"]" => {
                new_line(depth, depth.saturating_sub(1), &mut out);
                depth = depth.saturating_sub(1);
                out.extend_from_slice(token);
            }
            b"," => {
                out.push(b',');
                new_line(depth, depth, &mut out);
            }
            b":" => out.extend_from_slice(b": "),
            _ => out.extend_from_slice(token),
        }
    }
    out.push(b'\n');
    out
}

/// A new line in, or after, a container at `depth`.
fn new_line(depth: usize, indent: usize, out: &mut Vec<u8>) {
    if depth <= PRETTY_DEPTH {
        out.push(b'\n');
        out.resize(out.len() + 2 * indent, b' ');
    }
}

/// A step on the path to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// In an object, at this key, which is still in quotes.
    Key(&'a [u8]),
    /// In a list.
    Item,
}

/// A string, number or word of a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'p, 'a> {
    /// Where it is.
    pub path: &'p [Step<'a>],
    /// Its text as it is written.
    pub text: &'a [u8],
    /// Is it a key of an object?
    pub is_key: bool,
}

/// Without white space, and with another text for some strings, numbers and words: `change` gets the
/// path of each key and value, and may return what is written instead. The path of a key ends with the
/// key itself.
pub fn rewrite(json: &[u8], mut change: impl FnMut(Token<'_, '_>) -> Option<Vec<u8>>) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    let mut path = Vec::new();
    let mut tokens = tokens(json).peekable();
    while let Some(token) = tokens.next() {
        match token {
            b"{" => path.push(Step::Key(b"")),
            b"[" => path.push(Step::Item),
            b"}" | b"]" => drop(path.pop()),
            b"," | b":" => {}
            token => {
                let is_key = tokens.peek() == Some(&&b":"[..]);
                if is_key && let Some(last) = path.last_mut() {
                    *last = Step::Key(token);
                }
                if let Some(other) = change(Token { path: &path, text: token, is_key }) {
                    out.extend_from_slice(&other);
                    continue;
                }
            }
        }
        out.extend_from_slice(token);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = br#" { "a b" : [ 1 , { } ,[]], "\"]\\":{"c":null } } "#;

    #[test]
    fn white_space_goes_from_between_tokens_only() {
        assert_eq!(compact(TEXT), br#"{"a b":[1,{},[]],"\"]\\":{"c":null}}"#);
    }

    #[test]
    fn pretty_text_has_one_entry_a_line() {
        let expected = "{\n  \"a b\": [\n    1,\n    {},\n    []\n  ],\n  \"\\\"]\\\\\": {\n    \"c\": null\n  }\n}\n";
        assert_eq!(String::from_utf8(pretty(TEXT)).unwrap(), expected);
        assert_eq!(compact(&pretty(TEXT)), compact(TEXT));
    }

    #[test]
    fn depth_costs_no_indentation_beyond_a_limit() {
        let deep = [b"[".repeat(100_000), b"1,2".to_vec(), b"]".repeat(100_000)].concat();
        let laid_out = pretty(&deep);
        assert!(laid_out.len() < deep.len() + 5_000);
        assert_eq!(compact(&laid_out), deep);
    }

    #[test]
    fn keys_and_values_are_changed_at_their_paths() {
        let mut depths = Vec::new();
        let changed = rewrite(TEXT, |Token { path, text, is_key }| {
            depths.push((path.len(), is_key));
            let is_null = path == [Step::Key(br#""\"]\\""#), Step::Key(b"\"c\"")] && !is_key;
            match text {
                b"\"a b\"" if is_key => Some(b"\"d\"".to_vec()),
                b"null" if is_null => Some(b"\"gone\"".to_vec()),
                _ => None,
            }
        });
        assert_eq!(changed, br#"{"d":[1,{},[]],"\"]\\":{"c":"gone"}}"#);
        assert_eq!(depths, [(1, true), (2, false), (1, true), (2, true), (2, false)]);
    }
}
