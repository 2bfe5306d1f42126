//! The header and the outcome of a log for a fraction of what loading it costs.
//!
//! Only what can touch the players is merged: of every delta but the first, the entries of
//! `gameObjects` that are players, cut out of the text and merged like any delta. Everything else
//! is skipped. A log that changes who the players are, or does anything else that this cannot
//! follow, is merged whole; so the answer is always that of the last state. What is skipped is not
//! checked: a log with a broken delta may have a summary.

use std::borrow::Cow;

use gametape_wire::Result;

use crate::header::{Field, Header, Root};
use crate::json::{Cursor, Kind, Span};
use crate::keys::parse_index;
use crate::limits::Options;
use crate::log::{Log, Part, find_delta};
use crate::markers::Markers;
use crate::merge::Merger;
use crate::outcome::{Outcome, player_references};
use crate::raw::{Name, Raw};
use crate::source;
use crate::state::State;
use crate::timeline::Timeline;
use crate::watch::Unwatched;

/// What a log is about and how it ended.
///
/// ```
/// use gametape_cadre::{Options, Summary, sample};
///
/// let summary = Summary::read(&sample::log(50, 1), &Options::default()).unwrap();
/// assert_eq!(summary.header().game_name().unwrap(), "Sample");
/// assert_eq!(summary.delta_count(), 50);
/// assert_eq!(summary.outcome().winners().count(), 1);
/// ```
#[derive(Debug, Clone)]
pub struct Summary {
    text: Vec<u8>,
    fields: Vec<Field>,
    delta_count: usize,
    json_bytes: usize,
    outcome: Outcome,
}

impl Summary {
    /// Reads the summary of a log, plain or gzip.
    pub fn read<'a>(input: impl Into<Cow<'a, [u8]>>, options: &Options) -> Result<Self> {
        let text = source::unpack(input.into(), options)?;
        let mut projection = Projection::new()?;
        let root = Root::walk(&text, &mut |cursor: &mut Cursor<'_>| projection.take(cursor))?;
        let header = Header { text: &text, fields: &root.fields };
        let outcome = match projection.state(header)? {
            Some(state) => Outcome::of(state, header),
            None => {
                let log = Log::open(&*text, options)?;
                let timeline = Timeline::load(log, &Options { keyframe_bytes: 0, ..*options })?;
                Outcome::of(timeline.state(), header)
            }
        };
        let (delta_count, json_bytes) = (root.delta_count, text.len());
        let (text, fields) = header.owned();
        Ok(Self { text, fields, delta_count, json_bytes, outcome })
    }

    /// The fields of the root.
    #[must_use]
    pub fn header(&self) -> Header<'_> {
        Header { text: &self.text, fields: &self.fields }
    }

    /// How many deltas the log has.
    #[must_use]
    pub fn delta_count(&self) -> usize {
        self.delta_count
    }

    /// How many bytes of JSON the log has.
    #[must_use]
    pub fn json_bytes(&self) -> usize {
        self.json_bytes
    }

    /// How the game ended.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }
}

/// The fields of a player that an [`Outcome`] shows.
const OUTCOME_FIELDS: [&[u8]; 6] =
    [b"won", b"lost", b"reasonWon", b"reasonLost", b"name", b"clientType"];

/// The keys of the players among the game objects.
struct Players {
    names: Vec<String>,
    /// Those that are indices, once more.
    indices: Vec<u32>,
    highest: u32,
    /// All of them are objects now, so that a delta with other fields than those of the outcome
    /// cannot matter.
    all_there: bool,
}

impl Players {
    fn new(ids: impl Iterator<Item = String>) -> Self {
        let names: Vec<String> = ids.collect();
        let indices: Vec<u32> = names.iter().filter_map(|id| parse_index(id.as_bytes())).collect();
        let highest = indices.iter().copied().max().unwrap_or(0);
        Self { names, indices, highest, all_there: false }
    }
}

/// The players' part of the state, as far as the log was walked over.
struct Projection {
    merger: Merger,
    /// The text of all that was merged.
    text: Vec<u8>,
    /// The keys of the players, once the first delta told them.
    players: Option<Players>,
    /// Something came that only a merge of everything can follow.
    gave_up: bool,
}

impl Projection {
    /// Assumes the default markers: most logs have them, and some name theirs only at the end.
    fn new() -> Result<Self> {
        let merger = Merger::new(Markers::default())?;
        Ok(Self { merger, text: Vec::new(), players: None, gave_up: false })
    }

    /// The state of the players at the end, if it could be followed.
    fn state(&self, header: Header<'_>) -> Result<Option<State<'_>>> {
        let markers = Markers::from_constants(header.field("constants"))?;
        let followed = self.players.is_some() && !self.gave_up && markers == Markers::default();
        Ok(followed.then(|| self.merged()))
    }

    /// Takes one delta.
    fn take(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        if self.players.is_none() && !self.gave_up {
            return self.take_first(cursor);
        }
        let mut games = 0;
        find_delta(cursor, |part, cursor| {
            if part == Part::Game && !self.gave_up {
                games += 1;
                self.gave_up |= games > 1;
                return self.take_game(cursor, false);
            }
            cursor.skip_value().map(drop)
        })
    }

    /// Takes the first delta: it tells who the players are, and then counts like the others.
    fn take_first(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        let mut game = Span::default();
        find_delta(cursor, |part, cursor| {
            let value = cursor.skip_value()?;
            if part == Part::Game {
                game = value;
            }
            Ok(())
        })?;
        let Some(list) = Raw::of(cursor.text, game).get("players") else {
            self.gave_up = true;
            return Ok(());
        };
        self.merge_parts(&[b"{\"players\":", list.as_bytes(), b"}"]);
        match player_references(self.merged()) {
            // An id that text cannot hold exactly is not worth the trouble.
            Some(players) if !players.iter().any(|(id, _)| id.contains('\u{FFFD}')) => {
                self.players = Some(Players::new(players.into_iter().map(|(id, _)| id)));
                self.take_game(&mut Cursor::new(cursor.text, game.start as usize), true)
            }
            _ => {
                self.gave_up = true;
                Ok(())
            }
        }
    }

    fn merge_parts(&mut self, parts: &[&[u8]]) {
        let start = self.text.len();
        parts.iter().for_each(|part| self.text.extend_from_slice(part));
        self.merge_from(start);
    }

    fn merged(&self) -> State<'_> {
        State { tree: &self.merger.tree, keys: &self.merger.keys, text: &self.text }
    }

    fn merge_from(&mut self, start: usize) {
        let span = Span::new(start, self.text.len());
        self.gave_up |= self.merger.merge(&self.text, span, &mut Unwatched).is_err();
        self.merger.journal.clear();
        self.merger.tidy();
        let objects = self.merged().root().get("gameObjects");
        let is_there = |id: &String| {
            objects.and_then(|all| all.get(id)).is_some_and(|player| player.kind() == Kind::Object)
        };
        let all_there = self.players.as_ref().is_some_and(|p| p.names.iter().all(is_there));
        if let Some(players) = &mut self.players {
            players.all_there = all_there;
        }
    }

    /// Takes a `game`: cuts out what belongs to players and merges that. Only the first may tell who
    /// the players are.
    fn take_game(&mut self, cursor: &mut Cursor<'_>, is_first: bool) -> Result<()> {
        if !cursor.accept(b'{') {
            return cursor.skip_value().map(drop);
        }
        let start = self.text.len();
        let mut more = !cursor.accept(b'}');
        while more {
            match game_field(cursor)? {
                GameField::Objects => {
                    self.gave_up |= self.text.len() > start;
                    self.take_objects(cursor)?;
                }
                GameField::Players => {
                    self.gave_up |= !is_first;
                    cursor.skip_value()?;
                }
                GameField::Other => {
                    cursor.skip_value()?;
                }
            }
            more = cursor.comma_or(b'}')?;
        }
        if self.text.len() > start && !self.gave_up {
            self.merge_from(start);
        }
        Ok(())
    }

    /// Takes a `gameObjects` and puts a delta with only its players into the text, if any matter.
    fn take_objects(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        let start = self.text.len();
        self.text.extend_from_slice(b"{\"gameObjects\":");
        if cursor.accept(b'{') {
            self.text.push(b'{');
            let found = self.text.len();
            let mut more = !cursor.accept(b'}');
            while more {
                self.take_object(cursor)?;
                more = cursor.comma_or(b'}')?;
            }
            if self.text.len() == found && self.players.as_ref().is_some_and(|p| p.all_there) {
                self.text.truncate(start);
                return Ok(());
            }
            if self.text.last() == Some(&b',') {
                self.text.pop();
            }
            self.text.push(b'}');
        } else {
            let value = cursor.skip_value()?;
            self.gave_up |= cursor.text[value.start as usize] == b'[';
            self.text.extend_from_slice(value.of(cursor.text));
        }
        self.text.push(b'}');
        Ok(())
    }

    /// Takes one entry of `gameObjects`; keeps it, with a comma, if it is a player.
    #[inline]
    fn take_object(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        cursor.peek();
        let start = cursor.at;
        let Some(players) = &self.players else { return cursor.skip_value().map(drop) };
        let keep = match cursor.index_key() {
            Some(index) => index <= players.highest && players.indices.contains(&index),
            None => {
                let name = cursor.string()?;
                cursor.expect(b':', "expected a colon")?;
                let name = name.decoded(cursor.text);
                self.gave_up |= *name == *self.merger.markers.length;
                players.names.iter().any(|player| *player.as_bytes() == *name)
            }
        };
        let value = match cursor.peek() {
            b'{' => cursor.skip_container()?,
            _ => cursor.skip_value()?,
        };
        if keep && self.matters(cursor, value) {
            self.text.extend_from_slice(&cursor.text[start..cursor.at]);
            self.text.push(b',');
        }
        Ok(())
    }

    /// Can this value of a player change the outcome?
    fn matters(&self, cursor: &Cursor<'_>, value: Span) -> bool {
        let value = Raw::of(cursor.text, value);
        let is_field = |name: Name<'_>| OUTCOME_FIELDS.contains(&&*name.decoded());
        value.kind() != Kind::Object
            || !self.players.as_ref().is_some_and(|players| players.all_there)
            || value.entries().any(|entry| entry.map_or(true, |(name, _)| is_field(name)))
    }
}

/// What a field of a `game` is to the players.
enum GameField {
    Objects,
    Players,
    Other,
}

/// Takes the name of a field of a `game`, and its colon.
#[inline]
fn game_field(cursor: &mut Cursor<'_>) -> Result<GameField> {
    if cursor.accept_text(b"\"gameObjects\":") {
        return Ok(GameField::Objects);
    }
    let name = cursor.string()?;
    cursor.expect(b':', "expected a colon")?;
    Ok(match &*name.decoded(cursor.text) {
        b"gameObjects" => GameField::Objects,
        b"players" => GameField::Players,
        _ => GameField::Other,
    })
}
