//! JSON text in another layout, or with other values, in one pass that works at any depth.

use std::io::{self, Write};
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

/// The text without white space, and so on one line.
#[must_use]
pub fn compact(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    tokens(json).for_each(|token| out.extend_from_slice(token));
    out
}

/// The text indented, with one entry a line.
#[must_use]
pub fn pretty(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(2 * json.len());
    // Writing to memory cannot fail.
    let _ = write_pretty(json, &mut out);
    out
}

/// Writes what [`pretty`] returns. It can be many times as long as the text.
pub fn write_pretty(json: &[u8], out: &mut impl Write) -> io::Result<()> {
    let mut depth: usize = 0;
    let mut tokens = tokens(json).peekable();
    while let Some(token) = tokens.next() {
        match token {
            b"{" | b"[" => {
                out.write_all(token)?;
                match tokens.next_if(|next| matches!(*next, b"}" | b"]")) {
                    Some(close) => out.write_all(close)?,
                    None => {
                        depth += 1;
                        new_line(depth, depth, out)?;
                    }
                }
            }
            b"}" | b"]" => {
                let outer = depth.saturating_sub(1);
                new_line(depth, outer, out)?;
                depth = outer;
                out.write_all(token)?;
            }
            b"," => {
                out.write_all(b",")?;
                new_line(depth, depth, out)?;
            }
            b":" => out.write_all(b": ")?,
            _ => out.write_all(token)?,
        }
    }
    out.write_all(b"\n")
}

/// Begins a line in, or after, a container at `depth`.
fn new_line(depth: usize, indent: usize, out: &mut impl Write) -> io::Result<()> {
    const SPACES: [u8; 2 * PRETTY_DEPTH] = [b' '; 2 * PRETTY_DEPTH];
    if depth > PRETTY_DEPTH {
        return Ok(());
    }
    out.write_all(b"\n")?;
    out.write_all(&SPACES[..2 * indent])
}

/// One step of the path of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// In an object, at this key, which is in quotes.
    Key(&'a [u8]),
    /// In a list.
    Item,
}

/// What a token is that can be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// A key of an object: the last step of the path.
    Key,
    /// A string, a number or a word.
    Value,
}

/// The text without white space, and with other keys and scalars: `change` gets the path of each, what
/// it is and its text, and may return another text for it. Paths have the keys as they were.
///
/// ```
/// use gametape_cadre::json::{Part, Step, rewrite};
///
/// let out = rewrite(br#"{"a": [1, {"b": 2}]}"#, |path, part, token| match (path, part) {
///     ([Step::Key(b"\"a\"")], Part::Key) => Some(b"\"x\"".to_vec()),
///     ([_, Step::Item], Part::Value) => Some(b"7".to_vec()),
///     _ => None,
/// });
/// assert_eq!(out, br#"{"x":[7,{"b":2}]}"#);
/// ```
pub fn rewrite(
    json: &[u8],
    mut change: impl FnMut(&[Step<'_>], Part, &[u8]) -> Option<Vec<u8>>,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    let mut path: Vec<Step<'_>> = Vec::new();
    let mut tokens = tokens(json).peekable();
    while let Some(token) = tokens.next() {
        let changed = match token {
            b"{" => {
                path.push(Step::Key(b""));
                None
            }
            b"[" => {
                path.push(Step::Item);
                None
            }
            b"}" | b"]" => {
                path.pop();
                None
            }
            b"," | b":" => None,
            key if tokens.peek() == Some(&&b":"[..]) => {
                if let Some(last) = path.last_mut() {
                    *last = Step::Key(key);
                }
                change(&path, Part::Key, key)
            }
            value => change(&path, Part::Value, value),
        };
        out.extend_from_slice(changed.as_deref().unwrap_or(token));
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
    fn values_are_changed_where_they_are() {
        let mut depths = Vec::new();
        let changed = rewrite(TEXT, |path, part, token| {
            if part == Part::Key {
                return None;
            }
            depths.push(path.len());
            let is_null = path == [Step::Key(br#""\"]\\""#), Step::Key(b"\"c\"")];
            (is_null && token == b"null").then(|| b"\"gone\"".to_vec())
        });
        assert_eq!(changed, br#"{"a b":[1,{},[]],"\"]\\":{"c":"gone"}}"#);
        assert_eq!(depths, [2, 2]);
    }
}
