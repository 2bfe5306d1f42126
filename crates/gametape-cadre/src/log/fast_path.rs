//! Deltas as every known writer writes them, walked over without a stop.
//!
//! Whoever reads every delta of a log but needs next to nothing of them waits mostly for where one
//! thing ends, to know where the next begins. So this looks at as few bytes as it can, and gives up
//! on everything unusual: then the delta is read like any.

use crate::text::json::Cursor;
use crate::text::swar;

const GAME_OBJECTS: u128 = swar::of(b"gameObjects");
const PLAYERS: u128 = swar::of(b"players");

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
