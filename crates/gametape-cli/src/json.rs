//! JSON text, laid out anew in one pass that does not mind how deep it is.

use std::iter;

use serde_json::value::{RawValue, to_raw_value};

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

/// Without white space, and so on one line.
pub(crate) fn compact(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    tokens(json).for_each(|token| out.extend_from_slice(token));
    out
}

/// Indented, one entry a line.
pub(crate) fn pretty(json: &[u8]) -> Vec<u8> {
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

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    /// In an object, at this key, which is still in quotes.
    Key(&'a [u8]),
    /// In a list.
    Item,
}

/// Without white space, and with another text for some strings, numbers and words: `change` gets
/// the place of each and may return what stands there instead. Keys stay.
pub(crate) fn rewrite(
    json: &[u8],
    mut change: impl FnMut(&[Step<'_>], &[u8]) -> Option<Vec<u8>>,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    let mut path: Vec<Step<'_>> = Vec::new();
    let mut tokens = tokens(json).peekable();
    while let Some(token) = tokens.next() {
        match token {
            b"{" => path.push(Step::Key(b"")),
            b"[" => path.push(Step::Item),
            b"}" | b"]" => drop(path.pop()),
            b"," | b":" => {}
            key if tokens.peek() == Some(&&b":"[..]) => {
                if let Some(last) = path.last_mut() {
                    *last = Step::Key(key);
                }
            }
            value => {
                if let Some(other) = change(&path, value) {
                    out.extend_from_slice(&other);
                    continue;
                }
            }
        }
        out.extend_from_slice(token);
    }
    out
}

/// JSON text as part of a JSON result; as a string if it is no JSON after all.
pub(crate) fn embed(json: &[u8]) -> Option<Box<RawValue>> {
    let text = String::from_utf8(compact(json)).ok()?;
    RawValue::from_string(text).or_else(|_| to_raw_value(&String::from_utf8_lossy(json))).ok()
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
    fn values_are_changed_at_their_places() {
        let mut places = Vec::new();
        let changed = rewrite(TEXT, |path, token| {
            places.push(path.len());
            let is_null = path == [Step::Key(br#""\"]\\""#), Step::Key(b"\"c\"")];
            (is_null && token == b"null").then(|| b"\"gone\"".to_vec())
        });
        assert_eq!(changed, br#"{"a b":[1,{},[]],"\"]\\":{"c":"gone"}}"#);
        assert_eq!(places, [2, 2]);
    }

    #[test]
    fn text_that_is_no_json_becomes_a_string() {
        assert_eq!(embed(b"[1, \"\\ud800\"]").unwrap().get(), "[1,\"\\ud800\"]");
        assert_eq!(embed(b"[1,,]").unwrap().get(), "\"[1,,]\"");
    }
}
