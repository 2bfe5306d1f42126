//! The header and the outcome of a log for a fraction of what loading it costs.
//!
//! Only what can touch the players is merged: of every delta but the first, the entries of
//! `gameObjects` that are players, cut out of the text and merged like any delta. Everything else
//! is skipped. A log that changes who the players are, or does anything else that this cannot
//! follow, is merged whole; so the answer is always that of the last state. What is skipped is not
//! checked: a log with a broken delta may have a summary.

use std::borrow::Cow;
use std::io::Read;

use gametape_wire::{ErrorClass, Limit, Result};

use crate::check::outcome::{Outcome, player_references};
use crate::limits::{LOG_BYTES, LOG_BYTES_MOST, Options};
use crate::log::fast_path;
use crate::log::gzip;
use crate::log::header::{Field, Header, Root};
use crate::log::markers::Markers;
use crate::log::source::{self, Start, Stream, Text};
use crate::log::strip::Stripper;
use crate::log::{Log, Part, find_delta};
use crate::merge::Merger;
use crate::merge::watch::Unwatched;
use crate::state::State;
use crate::state::keys::parse_index;
use crate::text::json::{Cursor, Kind, Span};
use crate::text::raw::Raw;
use crate::timeline::Timeline;

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
    /// Reads the summary of a log, plain or gzip. Of a large one in gzip only a part is in memory at a
    /// time.
    pub fn read<'a>(input: impl Into<Cow<'a, [u8]>>, options: &Options) -> Result<Self> {
        let input = input.into();
        if Start::of(&input) != Start::Gzip {
            let most = Limit::new(LOG_BYTES.name, LOG_BYTES_MOST);
            let text = source::unpack(input, most)?;
            return Self::of_text(text, options);
        }
        let at_once = Limit::new(LOG_BYTES.name, options.max_bytes.min(AT_ONCE));
        if gzip::claimed_size(&input) <= at_once.max {
            match source::unpack(Cow::Borrowed(&*input), at_once) {
                Err(error) if error.class() == ErrorClass::Limit => {}
                text => return Self::of_text(text?, options),
            }
        }
        Self::from_reader(&*input, options)
    }

    /// Reads the summary of a log, plain or gzip, from a reader to its end. Only what is not the `data`
    /// of a delta has to fit into memory.
    pub fn from_reader(reader: impl Read, options: &Options) -> Result<Self> {
        let limit = options.log_bytes();
        let mut stream = Stream::new(reader)?;
        let (mut stripper, mut text) = (Stripper::default(), Vec::new());
        while let Some(piece) = stream.next_piece()? {
            let most = Limit::new(LOG_BYTES.name, LOG_BYTES_MOST);
            stripper.take(piece, &mut text);
            stream.consume();
            most.check(stream.bytes, stream.bytes)?;
            limit.check(text.len() as u64, stream.bytes)?;
        }
        let json_bytes = usize::try_from(stream.bytes).unwrap_or(usize::MAX);
        Ok(Self { json_bytes, ..Self::of_text(text.into(), options)? })
    }

    fn of_text(text: Text<'_>, options: &Options) -> Result<Self> {
        let json_bytes = text.bytes.len();
        let mut projection = Projection::new(options)?;
        let root = Root::walk(&text.bytes, &mut |cursor: &mut Cursor<'_>| projection.take(cursor))?;
        let header = Header { text: &text.bytes, fields: &root.fields };
        let delta_count = root.delta_count;
        if let Some(state) = projection.state(header)? {
            let outcome = Outcome::of(state, header);
            let (text, fields) = header.owned();
            return Ok(Self { text, fields, delta_count, json_bytes, outcome });
        }
        drop(projection);
        options.log_bytes().check(json_bytes as u64, 0)?;
        let log = Log::from_text(text, options)?;
        let timeline = Timeline::load(log, &options.with_keyframe_bytes(0))?;
        let header = timeline.log().header();
        let outcome = Outcome::of(timeline.state(), header);
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

/// Logs in gzip of up to this many bytes of JSON are unpacked at once, which is faster.
const AT_ONCE: u64 = 32 << 20;

/// More text about players than this is not followed.
const MERGED: usize = 32 << 20;

/// The fields of a player that an [`Outcome`] shows.
const OUTCOME_FIELDS: [&[u8]; 6] =
    [b"won", b"lost", b"reasonWon", b"reasonLost", b"name", b"clientType"];

/// The keys of the players among the game objects.
#[derive(Default)]
struct Players {
    names: Vec<String>,
    /// Those that are indices, once more.
    indices: Vec<u32>,
    highest: u32,
    /// How many digits the longest index has, if all are indices.
    most_digits: Option<usize>,
    /// All of them are objects now, so that a delta with other fields than those of the outcome
    /// cannot matter.
    all_there: bool,
}

impl Players {
    fn new(ids: impl Iterator<Item = String>) -> Self {
        let names: Vec<String> = ids.collect();
        let indices: Vec<u32> = names.iter().filter_map(|id| parse_index(id.as_bytes())).collect();
        let highest = indices.iter().copied().max().unwrap_or(0);
        let most_digits = names.iter().map(String::len).max();
        let most_digits = most_digits.filter(|_| indices.len() == names.len());
        Self { names, indices, highest, most_digits, all_there: false }
    }
}

/// The players' part of the state, as far as the log was walked over.
struct Projection {
    merger: Merger,
    /// The text of all that was merged.
    text: Vec<u8>,
    players: Players,
    /// The first delta named the players.
    is_begun: bool,
    /// Something came that only a merge of everything can follow.
    gave_up: bool,
}

impl Projection {
    /// Assumes the default markers: most logs have them, and some name theirs only at the end.
    fn new(options: &Options) -> Result<Self> {
        let merger = Merger::new(Markers::default(), options.shares(0))?;
        let players = Players::default();
        Ok(Self { merger, text: Vec::new(), players, is_begun: false, gave_up: false })
    }

    /// The state of the players at the end, if it could be followed.
    fn state(&self, header: Header<'_>) -> Result<Option<State<'_>>> {
        let markers = Markers::from_constants(header.field("constants"))?;
        let followed = self.is_begun && !self.gave_up && markers == Markers::default();
        Ok(followed.then(|| self.merged()))
    }

    /// Takes one delta.
    fn take(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        if !self.is_begun && !self.gave_up {
            return self.take_first(cursor);
        }
        if let Some(end) = self.end_of_irrelevant(cursor) {
            cursor.at = end;
            return Ok(());
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

    /// The end of the delta that is here, if it is known not to matter. Leaves the cursor there.
    #[inline]
    fn end_of_irrelevant(&self, cursor: &mut Cursor<'_>) -> Option<usize> {
        if self.gave_up || !self.players.all_there {
            return None;
        }
        cursor.peek();
        let start = cursor.at;
        let text = cursor.text;
        let end = fast_path::end_of_delta(cursor, self.players.most_digits?, |index, value| {
            self.players.indices.contains(&index) && self.matters(text, value)
        });
        cursor.at = start;
        end
    }

    /// Takes the first delta: it names the players, and then counts like the others.
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
                self.players = Players::new(players.into_iter().map(|(id, _)| id));
                self.is_begun = true;
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
        if self.text.len() > MERGED {
            self.gave_up = true;
            return;
        }
        let span = Span::new(start, self.text.len());
        self.gave_up |= self.merger.merge(&self.text, span, &mut Unwatched).is_err();
        self.merger.journal.clear();
        self.merger.tidy();
        let objects = self.merged().root().get("gameObjects");
        let is_there = |id: &String| {
            objects.and_then(|all| all.get(id)).is_some_and(|player| player.kind() == Kind::Object)
        };
        self.players.all_there = self.is_begun && self.players.names.iter().all(is_there);
    }

    /// Takes a `game`: cuts out what belongs to players and merges that. Only the first may name
    /// the players.
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
    #[inline]
    fn take_objects(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        let start = self.text.len();
        if !cursor.accept(b'{') {
            let value = cursor.skip_value()?;
            self.gave_up |= cursor.text[value.start as usize] == b'[';
            self.text.extend_from_slice(b"{\"gameObjects\":");
            self.text.extend_from_slice(value.of(cursor.text));
            self.text.push(b'}');
            return Ok(());
        }
        let mut more = !cursor.accept(b'}');
        while more {
            self.take_object(cursor, start)?;
            more = cursor.comma_or(b'}')?;
        }
        let is_empty = self.text.len() == start;
        if is_empty && !self.players.all_there {
            self.text.extend_from_slice(b"{\"gameObjects\":{}}");
        } else if !is_empty {
            self.text.extend_from_slice(b"}}");
        }
        Ok(())
    }

    /// Takes one entry of `gameObjects`; keeps it if it is a player. `start` is where in the text that
    /// is kept this `gameObjects` begins.
    #[inline]
    fn take_object(&mut self, cursor: &mut Cursor<'_>, start: usize) -> Result<()> {
        cursor.peek();
        let entry = cursor.at;
        let keep = match cursor.index_key() {
            Some(index) => index <= self.players.highest && self.players.indices.contains(&index),
            None => self.is_named_player(cursor)?,
        };
        let value = cursor.skip_value()?;
        if keep && self.matters(cursor.text, value.start as usize) {
            let before = if self.text.len() == start { "{\"gameObjects\":{" } else { "," };
            self.text.extend_from_slice(before.as_bytes());
            self.text.extend_from_slice(&cursor.text[entry..cursor.at]);
        }
        Ok(())
    }

    /// Takes a key of `gameObjects`. Is it a player's?
    fn is_named_player(&mut self, cursor: &mut Cursor<'_>) -> Result<bool> {
        let name = cursor.string()?;
        cursor.expect(b':', "expected a colon")?;
        let name = name.decoded(cursor.text);
        self.gave_up |= *name == *self.merger.markers.length;
        Ok(self.players.names.iter().any(|player| *player.as_bytes() == *name))
    }

    /// Can the value of a player that begins there change the outcome?
    fn matters(&self, text: &[u8], value: usize) -> bool {
        text[value] != b'{'
            || !self.players.all_there
            || has_outcome_field(&mut Cursor::new(text, value)).unwrap_or(true)
    }
}

/// Takes an object. Has it a field that an outcome shows?
fn has_outcome_field(cursor: &mut Cursor<'_>) -> Result<bool> {
    cursor.expect(b'{', "expected an object")?;
    let mut more = !cursor.accept(b'}');
    while more {
        let name = cursor.string()?;
        if OUTCOME_FIELDS.contains(&&*name.decoded(cursor.text)) {
            return Ok(true);
        }
        cursor.expect(b':', "expected a colon")?;
        cursor.skip_value()?;
        more = cursor.comma_or(b'}')?;
    }
    Ok(false)
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
