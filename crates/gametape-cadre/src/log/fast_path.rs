//! Deltas as every known writer writes them, walked over without a stop.
//!
//! Whoever reads every delta of a log but needs next to nothing of them waits mostly for where one
//! thing ends, to know where the next begins. So this looks at as few bytes as it can, and gives up
//! on everything unusual: then the delta is read like any.

use crate::text::json::{Cursor, Span};
use crate::text::swar;

const GAME_OBJECTS: u128 = swar::of(b"gameObjects");
const PLAYERS: u128 = swar::of(b"players");

/// Where the `type`, `data` and `game` of the delta that is here are, and where it ends, if it is written as most
/// are.
#[inline(always)]
pub(crate) fn parts_of_delta(cursor: &mut Cursor<'_>) -> Option<([Span; 3], usize)> {
    let text = cursor.text;
    let kind = after(text, cursor.at, b"{\"type\":\"")?;
    let kind_end = swar::short_string_end(text, kind)?;
    let data = after(text, kind_end, b"\",\"data\":{")? - 1;
    let data_end = cursor.end_of_container(data)?;
    let game = after(text, data_end, b",\"game\":{")? - 1;
    let game_end = cursor.end_of_container(game)?;
    let end = after(text, game_end, b"}")?;
    let kind = Span::new(kind - 1, kind_end + 1);
    Some(([kind, Span::new(data, data_end), Span::new(game, game_end)], end))
}

/// The end of the delta that is here, if it is written as most are and changes nothing about who the
/// players are, and if `matters` is true for no entry of `gameObjects` with an index of up to `digits`
/// digits (its index, and where its value begins).
#[inline]
pub(crate) fn end_of_delta(
    cursor: &mut Cursor<'_>,
    digits: usize,
    mut matters: impl FnMut(u32, usize) -> bool,
) -> Option<usize> {
    let text = cursor.text;
    let mut at = after_head(cursor)?;
    if text.get(at) == Some(&b'}') {
        return after(text, at, b"}}");
    }
    loop {
        at = match after(text, at, b"\"gameObjects\":{") {
            Some(first) => end_of_objects(cursor, first, digits, &mut matters)?,
            None => end_of_field(cursor, at)?,
        };
        match text.get(at)? {
            b',' => at += 1,
            _ => break,
        }
    }
    after(text, at, b"}}")
}

/// Where the first field of the `game` is.
#[inline(always)]
fn after_head(cursor: &mut Cursor<'_>) -> Option<usize> {
    let text = cursor.text;
    let data = match after(text, cursor.at, b"{\"type\":\"ran\",\"data\":{") {
        Some(data) => data,
        None => {
            let kind = after(text, cursor.at, b"{\"type\":\"")?;
            after(text, swar::short_string_end(text, kind)?, b"\",\"data\":{")?
        }
    };
    after(text, cursor.end_of_container(data - 1)?, b",\"game\":{")
}

/// The end of the `gameObjects` whose first entry is at `at`.
#[inline(always)]
fn end_of_objects(
    cursor: &mut Cursor<'_>,
    mut at: usize,
    most_digits: usize,
    matters: &mut impl FnMut(u32, usize) -> bool,
) -> Option<usize> {
    let text = cursor.text;
    loop {
        let digits = after(text, at, b"\"")?;
        let word = u64::from_le_bytes(*text.get(digits..)?.first_chunk()?);
        let length = swar::leading_digits(word);
        let value = after(text, digits + length, b"\":{")? - 1;
        if length <= most_digits && matters(swar::leading_number(word)?.0, value) {
            return None;
        }
        let end = cursor.end_of_container(value)?;
        at = end + 1;
        match text.get(end)? {
            b',' => {}
            b'}' => return Some(at),
            _ => return None,
        }
    }
}

/// The end of a field of a `game` that has nothing to do with players.
fn end_of_field(cursor: &mut Cursor<'_>, at: usize) -> Option<usize> {
    let text = cursor.text;
    let start = after(text, at, b"\"")?;
    let end = swar::short_string_end(text, start)?;
    let name = swar::short_string(text, start, end)?;
    if name == GAME_OBJECTS || name == PLAYERS {
        return None;
    }
    cursor.at = after(text, end, b"\":")?;
    let value = cursor.skip_value().ok()?;
    Some(value.end as usize)
}

/// The offset after `expected`, if that is at `at`.
#[inline(always)]
fn after<const N: usize>(text: &[u8], at: usize, expected: &[u8; N]) -> Option<usize> {
    (text.get(at..)?.first_chunk()? == expected).then_some(at + N)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Parts;

    #[test]
    fn parts_are_those_that_any_delta_has() {
        let usual = [
            r#"{"type":"ran","data":{},"game":{}}"#,
            r#"{"type":"","data":{"a":"}}"},"game":{"b":[{"c":"\"}"}]}}"#,
            r#"{"type":"sixteen letters.","data":{"a":{}},"game":{"turn":1}}"#,
        ];
        let others = [
            r#" {"type":"ran","data":{},"game":{}}"#,
            r#"{"type":"seventeen letters","data":{},"game":{}}"#,
            r#"{"type":"r\u0061n","data":{},"game":{}}"#,
            r#"{"type":"ran","data":{}, "game":{}}"#,
            r#"{"type":"ran","data":[],"game":{}}"#,
            r#"{"type":"ran","data":{},"game":null}"#,
            r#"{"type":"ran","data":{},"game":{},"game":{"last":1}}"#,
            r#"{"type":"ran","data":{},"game":{} }"#,
            r#"{"game":{},"type":"ran","data":{}}"#,
            r#"{"type":"ran","data":{},"game":{}"#,
            r#"{"type":"ran","data":{},"game":{"#,
            r#"{"type":"ran","data":{"#,
        ];
        let texts =
            usual.map(|text| (text, true)).into_iter().chain(others.map(|text| (text, false)));
        for (delta, is_usual) in texts {
            let text = format!("{delta},");
            let mut cursor = Cursor::new(text.as_bytes(), 0);
            assert_eq!(parts_of_delta(&mut cursor.clone()).is_some(), is_usual, "{delta}");
            let mut other = cursor.clone();
            let found = Parts::find(&mut cursor).map(|parts| format!("{parts:?}"));
            let expected = Parts::find_any(&mut other).map(|parts| format!("{parts:?}"));
            assert_eq!((found, cursor.at), (expected, other.at), "{delta}");
        }
    }
}
