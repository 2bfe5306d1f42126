//! A state without its log: deltas go in, the state stays.

use gametape_wire::{Error, ErrorKind, Result};

use crate::limits::{LOG_BYTES, Options};
use crate::log::markers::Markers;
use crate::log::{Part, find_delta};
use crate::merge::Merger;
use crate::merge::watch::Unwatched;
use crate::state::State;
use crate::text::json::{Cursor, Span, StringToken, not_utf8};

/// A state that deltas are merged into, one after the other, and that forgets them.
///
/// For who has the deltas elsewhere; who has a whole log uses a [`Timeline`](crate::Timeline).
///
/// ```
/// use gametape_cadre::{Game, Markers};
///
/// let mut game = Game::new(Markers::default())?;
/// game.merge(br#"{"type":"start","game":{"list":{"0":7,"1":8,"&LEN":2},"turn":0}}"#)?;
/// game.merge(br#"{"type":"ran","game":{"list":{"&LEN":1}}}"#)?;
/// let json = game.state().canonical();
/// assert_eq!(json, br#"{"list":[7],"turn":0}"#);
/// let again = Game::from_json(&json, Markers::default())?;
/// assert_eq!(again.state().hash(), game.state().hash());
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct Game {
    merger: Merger,
    /// The bodies that were merged: scalars of the state are in them.
    text: Vec<u8>,
    /// How much text there was when the state was last rewritten.
    fresh_bytes: usize,
}

/// Less text than this is not worth dropping.
const STALE_FROM: usize = 1 << 18;
/// More names than these are looked through for some that nothing has any more.
const MANY_NAMES: usize = 1 << 12;

impl Clone for Game {
    fn clone(&self) -> Self {
        Self { merger: self.merger.copy(), text: self.text.clone(), ..*self }
    }
}

impl Game {
    /// The empty state.
    pub fn new(markers: Markers) -> Result<Self> {
        let merger = Merger::new(markers, Options::new().shares(0))?;
        Ok(Self { merger, text: Vec::new(), fresh_bytes: 0 })
    }

    /// The state with this canonical JSON. Its holes are nulls.
    ///
    /// Refused where a delta could not make it: with the removal marker as a string or the length
    /// marker as a key.
    pub fn from_json(json: &[u8], markers: Markers) -> Result<Self> {
        let mut game = Self::new(markers)?;
        let body = as_body(json, &game.merger.markers)?;
        game.merge_body(&body)?;
        game.fresh_bytes = game.text.len();
        Ok(game)
    }

    /// The state now.
    #[must_use]
    pub fn state(&self) -> State<'_> {
        State { tree: &self.merger.tree, keys: &self.merger.keys, text: &self.text }
    }

    /// The markers of its deltas.
    #[must_use]
    pub fn markers(&self) -> &Markers {
        &self.merger.markers
    }

    /// Merges a delta. One that is refused changes nothing.
    pub fn merge(&mut self, delta: &[u8]) -> Result<()> {
        if let Err(error) = std::str::from_utf8(delta) {
            return Err(not_utf8(error.valid_up_to()));
        }
        let mut cursor = Cursor::new(delta, 0);
        let mut body = Span::default();
        find_delta(&mut cursor, |part, cursor| {
            let value = cursor.skip_value()?;
            if part == Part::Game {
                body = value;
            }
            Ok(())
        })?;
        cursor.peek();
        let extra = (delta.len() - cursor.at) as u64;
        if extra > 0 {
            return Err(Error::at(cursor.at as u64, "delta", ErrorKind::Trailing { extra }));
        }
        match body.of(delta) {
            b"" | b"null" => Ok(()),
            body => self.merge_body(body),
        }
    }

    fn merge_body(&mut self, body: &[u8]) -> Result<()> {
        self.drop_stale_text();
        let start = self.text.len();
        LOG_BYTES.check((start + body.len()) as u64, 0)?;
        self.text.extend_from_slice(body);
        let merged =
            self.merger.merge(&self.text, Span::new(start, self.text.len()), &mut Unwatched);
        self.merger.journal.clear();
        match merged {
            Ok(()) => self.merger.tidy(),
            Err(_) => self.text.truncate(start),
        }
        merged
    }

    /// Drops text when much of it is probably no longer part of the state.
    fn drop_stale_text(&mut self) {
        if self.text.len() < 2 * self.fresh_bytes + STALE_FROM {
            return;
        }
        if self.merger.keys.count() > MANY_NAMES {
            let json = self.state().canonical();
            if let Ok(fresh) = Self::from_json(&json, self.merger.markers.clone()) {
                let holes_left = self.merger.holes_left;
                *self = fresh;
                self.merger.holes_left = holes_left;
                return;
            }
        }
        self.text = self.merger.rewrite_text(&self.text);
        self.fresh_bytes = self.text.len();
    }

    /// About how many bytes of memory it takes.
    #[must_use]
    pub fn memory(&self) -> usize {
        let names = self.merger.keys.bytes() as usize;
        size_of::<Self>() + self.merger.tree.bytes() + self.text.len() + names
    }
}

/// A container of the JSON that is being written.
struct Open {
    list: bool,
    entries: u32,
}

/// JSON as a body that makes it out of nothing: a list becomes an object with indices and a length.
fn as_body(json: &[u8], markers: &Markers) -> Result<Vec<u8>> {
    let mut cursor = Cursor::new(json, 0);
    let mut out = Vec::with_capacity(json.len() * 5 / 4);
    let mut open: Vec<Open> = Vec::new();
    loop {
        match cursor.peek() {
            bracket @ (b'{' | b'[') => {
                cursor.at += 1;
                out.push(b'{');
                open.push(Open { list: bracket == b'[', entries: 0 });
            }
            b'"' => {
                let token = cursor.string()?;
                refuse(&cursor, token, &markers.removed, "a string is the removal marker")?;
                out.extend_from_slice(&json[token.start..token.end]);
            }
            _ => out.extend_from_slice(cursor.literal()?.of(json)),
        }
        if !to_next_entry(&mut cursor, &mut open, markers, &mut out)? {
            return Ok(out);
        }
    }
}

/// Closes what ends here and writes the key of the next entry. False when nothing is open any more.
fn to_next_entry(
    cursor: &mut Cursor<'_>,
    open: &mut Vec<Open>,
    markers: &Markers,
    out: &mut Vec<u8>,
) -> Result<bool> {
    while let Some(top) = open.last_mut() {
        let close = if top.list { b']' } else { b'}' };
        let more = if top.entries == 0 { !cursor.accept(close) } else { cursor.comma_or(close)? };
        if top.entries > 0 && (more || top.list) {
            out.push(b',');
        }
        if more {
            if top.list {
                out.extend_from_slice(format!("\"{}\":", top.entries).as_bytes());
            } else {
                let token = cursor.string()?;
                refuse(cursor, token, &markers.length, "a key is the length marker")?;
                out.extend_from_slice(&cursor.text[token.start..token.end]);
                cursor.expect(b':', "expected a colon")?;
                out.push(b':');
            }
            top.entries += 1;
            return Ok(true);
        }
        if top.list {
            gametape_wire::json::push_bytes(&markers.length, out);
            out.extend_from_slice(format!(":{}", top.entries).as_bytes());
        }
        out.push(b'}');
        open.pop();
    }
    Ok(false)
}

fn refuse(
    cursor: &Cursor<'_>,
    token: StringToken,
    marker: &[u8],
    problem: &'static str,
) -> Result<()> {
    if *token.decoded(cursor.text) != *marker {
        return Ok(());
    }
    Err(Error::at(token.start as u64, "state", ErrorKind::BadSyntax { problem: problem.into() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Log, Options, Timeline, sample};

    #[test]
    fn a_game_has_the_states_of_the_timeline_and_every_state_comes_back_from_its_json() {
        let options = Options::default();
        let log = Log::open(sample::log(150, 3), &options).unwrap();
        let mut timeline = Timeline::load(log.clone(), &options).unwrap();
        let mut game = Game::new(log.markers().clone()).unwrap();
        for delta in log.deltas() {
            game.merge(delta.raw().as_bytes()).unwrap();
            timeline.seek(delta.index() + 1).unwrap();
            assert_eq!(game.state().hash(), timeline.state().hash());
            let json = game.state().canonical();
            game = Game::from_json(&json, log.markers().clone()).unwrap();
            assert_eq!(game.state().canonical(), json);
        }
    }

    #[test]
    fn text_that_is_no_longer_part_of_the_state_is_dropped() {
        let mut game = Game::new(Markers::default()).unwrap();
        let long = "x".repeat(10_000);
        for turn in 0..2_000 {
            let delta = format!(r#"{{"game":{{"turn":{turn},"long":"{long}"}}}}"#);
            game.merge(delta.as_bytes()).unwrap();
            assert!(game.text.len() < STALE_FROM + (100 << 10));
        }
        assert_eq!(game.state().get("turn").unwrap().as_i64(), Some(1_999));
    }

    #[test]
    fn rewritten_text_and_copies_change_no_state() {
        let options = Options::default();
        let log = Log::open(sample::log(150, 8), &options).unwrap();
        let mut timeline = Timeline::load(log.clone(), &options).unwrap();
        let mut game = Game::new(log.markers().clone()).unwrap();
        let mut copies = Vec::new();
        for delta in log.deltas() {
            if delta.index() % 10 == 0 {
                copies.push((delta.index(), game.clone()));
            }
            game.text = game.merger.rewrite_text(&game.text);
            game.merge(delta.raw().as_bytes()).unwrap();
            timeline.seek(delta.index() + 1).unwrap();
            assert_eq!(game.state().hash(), timeline.state().hash(), "delta {}", delta.index());
        }
        for (start, mut copy) in copies {
            for delta in log.deltas().skip(start).take(12) {
                copy.merge(delta.raw().as_bytes()).unwrap();
                timeline.seek(delta.index() + 1).unwrap();
                assert_eq!(copy.state().hash(), timeline.state().hash(), "from {start}");
            }
        }
    }

    #[test]
    fn names_that_nothing_has_any_more_are_forgotten() {
        let mut game = Game::new(Markers::default()).unwrap();
        for turn in 0..15_000 {
            let delta = format!(r#"{{"game":{{"now":{{"a{turn}":{turn}}}}}}}"#);
            game.merge(delta.as_bytes()).unwrap();
            let removal = format!(r#"{{"game":{{"now":{{"a{turn}":"&RM"}}}}}}"#);
            game.merge(removal.as_bytes()).unwrap();
        }
        assert!(game.merger.keys.count() < 12_000, "{}", game.merger.keys.count());
        assert_eq!(game.state().canonical(), br#"{"now":{}}"#);
    }

    #[test]
    fn what_no_delta_can_say_is_refused_and_a_bad_delta_changes_nothing() {
        let markers = Markers::default;
        for json in [&br#"{"a":"&RM"}"#[..], br#"{"a":[{"&LEN":1}]}"#, b"{", b"[1", br#"{"a":"#] {
            assert!(Game::from_json(json, markers()).is_err());
        }
        let mut game = Game::from_json(br#"{"a":[[],{},null]}"#, markers()).unwrap();
        for delta in
            [&br#"{"game":7}"#[..], br#"{"game":{"a":1}"#, br#"{"game":{"b":[tru]}}"#, b"{}x"]
        {
            assert!(game.merge(delta).is_err());
        }
        game.merge(br#"{"game":null}"#).unwrap();
        assert_eq!(game.state().canonical(), br#"{"a":[[],{},null]}"#);
    }
}
