//! The model of a scene, as `spec/scene.md` specifies it.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::palette::{Colour, Palette};

/// What can be seen of a match at a moment by a view.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Scene {
    /// Which match it is, and the view that sees it.
    pub title: Title,
    /// Where it happens, if there is a board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<Board>,
    /// Everybody who plays or has played.
    pub players: Vec<Player>,
    /// Time, turn, view and the like.
    pub facts: Vec<Value>,
    /// What happened last, in words.
    pub lines: Vec<Line>,
}

impl Scene {
    /// A scene of a game in which nothing is seen yet.
    #[must_use]
    pub fn new(game: &str) -> Self {
        let title = Title { game: game.to_owned(), ..Title::default() };
        Self { title, ..Self::default() }
    }

    /// The player with a number from 1 on; nobody for 0 and for numbers that are not there.
    #[must_use]
    pub fn player(&self, number: u8) -> Option<&Player> {
        self.players.get(usize::from(number).checked_sub(1)?)
    }

    /// A tile as the game writes it: `y,x` or `x,y`.
    #[must_use]
    pub fn tile_name(&self, at: TileAt) -> String {
        match self.board.as_ref().is_some_and(|board| board.rows_first) {
            true => format!("{},{}", at.y, at.x),
            false => format!("{},{}", at.x, at.y),
        }
    }
}

/// Which match it is, and the view that sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Title {
    /// The name of the game.
    pub game: String,
    /// The title of the match or the name of its file.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub match_name: Option<String>,
    /// The names of the players.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub players: Vec<String>,
    /// The view that sees it; none for a view that sees everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<String>,
}

/// How tiles touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Shape {
    /// Six neighbours, axial coordinates.
    Hex,
    /// Four edges.
    Square,
    /// Positions are anywhere.
    #[default]
    Free,
}

/// The position of a tile.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
#[serde(from = "[i32; 2]", into = "[i32; 2]")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "[number, number]"))]
pub struct TileAt {
    /// Column.
    pub x: i32,
    /// Row.
    pub y: i32,
}

impl TileAt {
    /// The tile in column `x` and row `y`.
    #[must_use]
    pub const fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }
}

impl From<[i32; 2]> for TileAt {
    fn from([x, y]: [i32; 2]) -> Self {
        Self { x, y }
    }
}

impl From<TileAt> for [i32; 2] {
    fn from(TileAt { x, y }: TileAt) -> Self {
        [x, y]
    }
}

/// The position of a piece, in tiles.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "[f32; 2]", into = "[f32; 2]")]
pub struct Position {
    /// To the right.
    pub x: f32,
    /// Up or down, as the board says.
    pub y: f32,
}

impl Position {
    /// The tile that it is on; none where it is beyond what tiles can be.
    #[must_use]
    pub fn tile(self) -> Option<TileAt> {
        // Beyond this, floats do not know every integer.
        const MOST: f32 = 16_777_216.0;
        let whole = |value: f32| (value.abs() < MOST).then(|| value.round() as i32);
        Some(TileAt::new(whole(self.x)?, whole(self.y)?))
    }
}

impl From<TileAt> for Position {
    fn from(TileAt { x, y }: TileAt) -> Self {
        Self { x: x as f32, y: y as f32 }
    }
}

impl From<[f32; 2]> for Position {
    fn from([x, y]: [f32; 2]) -> Self {
        Self { x, y }
    }
}

impl From<Position> for [f32; 2] {
    fn from(Position { x, y }: Position) -> Self {
        [x, y]
    }
}

/// How well a tile is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Sight {
    /// It is seen as it is.
    #[default]
    Seen,
    /// It is known as it was.
    Remembered,
    /// Nothing is known of it.
    Unknown,
}

impl Sight {
    /// The number of it in a [`Board`].
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Seen => 0,
            Self::Remembered => 1,
            Self::Unknown => 2,
        }
    }

    /// What a number means; those without a meaning are unknown.
    #[must_use]
    pub const fn from_code(code: u8) -> Self {
        match code {
            0 => Self::Seen,
            1 => Self::Remembered,
            _ => Self::Unknown,
        }
    }

    /// In a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Seen => "seen",
            Self::Remembered => "remembered",
            Self::Unknown => "unknown",
        }
    }
}

/// Where it happens: tiles with layers of kinds, and pieces.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Board {
    /// How tiles touch.
    pub shape: Shape,
    /// Does y grow upwards?
    #[serde(default, skip_serializing_if = "is_false")]
    pub up: bool,
    /// Does the game write tiles as `y,x`?
    #[serde(default, skip_serializing_if = "is_false")]
    pub rows_first: bool,
    /// All tiles; further lists are in this order.
    pub tiles: Vec<TileAt>,
    /// The player who owns each tile, 0 for nobody; empty where nobody owns any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owners: Vec<u8>,
    /// The [`Sight`] of each tile; empty where all are seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sight: Vec<u8>,
    /// What is on tiles, the lowest first.
    pub layers: Vec<Layer>,
    /// The kinds of pieces.
    pub kinds: Vec<Kind>,
    /// What can move, or has a name.
    pub pieces: Vec<Piece>,
}

impl Board {
    /// A board on which there is nothing yet.
    #[must_use]
    pub fn new(shape: Shape, tiles: Vec<TileAt>) -> Self {
        Self { shape, tiles, ..Self::default() }
    }

    /// The owner of the tile with an index, 0 for nobody.
    #[must_use]
    pub fn owner(&self, tile: usize) -> u8 {
        self.owners.get(tile).copied().unwrap_or(0)
    }

    /// How well the tile with an index is known.
    #[must_use]
    pub fn sight(&self, tile: usize) -> Sight {
        self.sight.get(tile).map_or(Sight::Seen, |code| Sight::from_code(*code))
    }

    /// The kind of a piece.
    #[must_use]
    pub fn kind(&self, piece: &Piece) -> Option<&Kind> {
        self.kinds.get(usize::from(piece.kind).checked_sub(1)?)
    }

    /// The sign of a piece in text.
    #[must_use]
    pub fn glyph(&self, piece: &Piece) -> Option<char> {
        piece.glyph.or_else(|| self.kind(piece)?.glyph)
    }

    /// The indices of tiles by their positions.
    #[must_use]
    pub fn index(&self) -> HashMap<TileAt, usize> {
        self.tiles.iter().copied().zip(0..).collect()
    }
}

/// One kind of thing on each tile, or nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Layer {
    /// What it is about: `ground`, `structure`.
    pub name: String,
    /// The kinds that there are.
    pub kinds: Vec<Kind>,
    /// By tile, the number of the kind from 1 on; 0 for nothing.
    pub cells: Vec<u8>,
}

impl Layer {
    /// The kind on the tile with an index.
    #[must_use]
    pub fn kind(&self, tile: usize) -> Option<&Kind> {
        self.kinds.get(usize::from(*self.cells.get(tile)?).checked_sub(1)?)
    }
}

/// A kind of thing on a board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kind {
    /// What it is, in a word or two.
    pub name: String,
    /// Its sign in text; none where text does not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glyph: Option<char>,
    /// Its colour.
    pub colour: Colour,
    /// How a picture draws it.
    pub look: Look,
}

impl Kind {
    /// A kind.
    #[must_use]
    pub fn new(name: &str, glyph: Option<char>, colour: Colour, look: Look) -> Self {
        Self { name: name.to_owned(), glyph, colour, look }
    }
}

/// How a picture draws a kind of thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Look {
    /// The whole tile.
    #[default]
    Fill,
    /// The whole tile, mixed with what is below.
    Tint,
    /// A disc in the middle.
    Dot,
    /// A circle in the middle.
    Ring,
    /// A saint Andrew's cross.
    Cross,
    /// A bar across.
    Bar,
    /// Two bars across.
    Bars,
    /// A square.
    Block,
    /// An empty square.
    Frame,
    /// A triangle, point up.
    Triangle,
    /// A pole with a cloth.
    Flag,
    /// The name of the kind as letters.
    Text,
    /// A white disc with the glyph, ringed in the owner's colour.
    Disc,
    /// A disc in the owner's colour with the glyph.
    Token,
    /// A large disc in the owner's colour with a groove: a man of draughts.
    Counter,
    /// The same with a crown: a king of draughts.
    Crowned,
    /// A character in the colour of the kind.
    Symbol(char),
}

/// The looks that are one word.
const LOOKS: [(Look, &str); 16] = [
    (Look::Fill, "fill"),
    (Look::Tint, "tint"),
    (Look::Dot, "dot"),
    (Look::Ring, "ring"),
    (Look::Cross, "cross"),
    (Look::Bar, "bar"),
    (Look::Bars, "bars"),
    (Look::Block, "block"),
    (Look::Frame, "frame"),
    (Look::Triangle, "triangle"),
    (Look::Flag, "flag"),
    (Look::Text, "text"),
    (Look::Disc, "disc"),
    (Look::Token, "token"),
    (Look::Counter, "counter"),
    (Look::Crowned, "crowned"),
];

const SYMBOL: &str = "symbol:";

impl From<Look> for String {
    fn from(look: Look) -> Self {
        match (look, LOOKS.iter().find(|(own, _)| *own == look)) {
            (_, Some((_, word))) => (*word).to_owned(),
            (Look::Symbol(symbol), None) => format!("{SYMBOL}{symbol}"),
            (_, None) => String::new(),
        }
    }
}

impl TryFrom<String> for Look {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let word = LOOKS.iter().find(|(_, word)| *word == text).map(|(look, _)| *look);
        let symbol = || text.strip_prefix(SYMBOL)?.chars().next().map(Self::Symbol);
        word.or_else(symbol).ok_or_else(|| format!("{text:?} is not a look"))
    }
}

/// Something that can move, or has a name.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Piece {
    /// The same at every moment of a match.
    pub id: String,
    /// The number of its kind from 1 on.
    pub kind: u8,
    /// Its own sign, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glyph: Option<char>,
    /// The player who owns it, 0 for nobody.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub owner: u8,
    /// Where it is.
    pub at: Position,
    /// Where it looks: degrees, 0 up, 90 right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facing: Option<f32>,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What is known of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Value>,
}

impl Piece {
    /// A piece of a kind somewhere.
    #[must_use]
    pub fn new(id: impl Into<String>, kind: u8, at: impl Into<Position>) -> Self {
        Self { id: id.into(), kind, at: at.into(), ..Self::default() }
    }
}

/// Somebody who plays or has played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Player {
    /// The number of the seat, or the id of the game object.
    pub id: String,
    /// Their name.
    pub name: String,
    /// The sign of their tiles in text.
    pub glyph: char,
    /// Their colour.
    pub colour: Colour,
    /// Out of the match.
    #[serde(default, skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "ts", ts(as = "Option<bool>", optional))]
    pub eliminated: bool,
    /// What is known of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(as = "Option<Vec<Value>>", optional))]
    pub values: Vec<Value>,
}

impl Player {
    /// The player with a number from 1 on, with the sign and colour of that number.
    #[must_use]
    pub fn new(number: u8, id: impl Into<String>, name: impl Into<String>) -> Self {
        let glyph = char::from_digit(u32::from(number) % 36, 36).unwrap_or('?');
        let colour = Palette::player(number);
        let (id, name) = (id.into(), name.into());
        Self { id, name, glyph, colour, eliminated: false, values: Vec::new() }
    }

    /// The colour in which their land and pieces are drawn: grey once they are out.
    #[must_use]
    pub fn shown_colour(&self) -> Colour {
        if self.eliminated { self.colour.greyed() } else { self.colour }
    }
}

/// Something known, with its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Value {
    /// What it is: `money`.
    pub name: String,
    /// How much or what.
    pub value: Datum,
}

impl Value {
    /// A named value.
    #[must_use]
    pub fn new(name: impl Into<String>, value: impl Into<Datum>) -> Self {
        Self { name: name.into(), value: value.into() }
    }
}

/// A value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Datum {
    /// True or false.
    Flag(bool),
    /// A whole number.
    Integer(#[cfg_attr(feature = "ts", ts(type = "number"))] i64),
    /// Any number.
    Number(f64),
    /// A text.
    Text(String),
    /// The number of a player from 1 on.
    Player {
        /// The number.
        player: u8,
    },
    /// A tile.
    Tile {
        /// Where it is.
        tile: TileAt,
    },
}

impl Datum {
    /// The value in words, with names of players and tiles as a scene writes them.
    #[must_use]
    pub fn text(&self, scene: &Scene) -> String {
        match self {
            Self::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
            Self::Integer(number) => number.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
            Self::Player { player } => {
                scene.player(*player).map_or("nobody", |player| &player.name).to_owned()
            }
            Self::Tile { tile } => scene.tile_name(*tile),
        }
    }
}

impl From<i64> for Datum {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<u32> for Datum {
    fn from(number: u32) -> Self {
        Self::Integer(number.into())
    }
}

impl From<bool> for Datum {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<String> for Datum {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Datum {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<TileAt> for Datum {
    fn from(tile: TileAt) -> Self {
        Self::Tile { tile }
    }
}

/// What happened, in words.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Line {
    /// What kind of thing happened: `capture`, `build`.
    pub kind: String,
    /// The sentence.
    pub text: String,
    /// The numbers of the players in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(as = "Option<Vec<u8>>", optional))]
    pub players: Vec<u8>,
    /// Where it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub at: Option<TileAt>,
}

impl Line {
    /// A sentence about something of a kind.
    #[must_use]
    pub fn new(kind: &str, text: impl Into<String>) -> Self {
        Self { kind: kind.to_owned(), text: text.into(), ..Self::default() }
    }

    /// With the players in it; nobody is left out.
    #[must_use]
    pub fn by(mut self, players: &[u8]) -> Self {
        self.players.extend(players.iter().filter(|player| **player != 0));
        self
    }

    /// With the tile where it happened.
    #[must_use]
    pub fn at(mut self, at: TileAt) -> Self {
        self.at = Some(at);
        self
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u8) -> bool {
    *number == 0
}
