//! A board of game objects: tiles, what is on them, pieces.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use gametape_cadre::{Kind as Json, Node};
use gametape_wire::Arrange;

use super::is_class;
use super::values::{Lookup, number, readable, text, values, whole};
use crate::layers::LayerBuilder;
use crate::model::{Board, Kind, Layer, Look, Piece, Position, Shape, TileAt};
use crate::palette::Palette;

/// More tiles or pieces than these are left out.
const MOST_TILES: usize = 1 << 18;
const MOST_PIECES: usize = 1 << 16;
const MOST_KINDS: usize = 254;

/// What the ground of a tile is called by.
const GROUNDS: [&str; 3] = ["type", "ground", "terrain"];
/// What the kind of a piece is called by.
const KINDS: [&str; 3] = ["type", "kind", "job"];
/// What shows otherwise than as a value.
const SHOWN: [&str; 5] = ["tile", "owner", "name", "gameObjectName", KINGED];
/// Says of a piece of draughts whether it is a king.
const KINGED: &str = "kinged";
/// What width and height of a map are called by, and whether it is chequered.
const SIDES: [([&str; 2], bool); 2] =
    [(["mapWidth", "mapHeight"], false), (["boardWidth", "boardHeight"], true)];

/// The board of a state; none where nothing has a position.
pub(super) fn board(root: Node<'_>, lookup: &mut Lookup) -> Option<Board> {
    let objects = root.get("gameObjects").map(|objects| objects.children()).unwrap_or_default();
    let is_tile = |node: &Node<'_>| is_class(*node, "Tile");
    let (tiles, others): (Vec<_>, Vec<_>) = objects.into_iter().partition(|(_, o)| is_tile(o));
    let mut found: Vec<(TileAt, Node<'_>)> = Vec::new();
    for (id, tile) in tiles.into_iter().take(MOST_TILES) {
        let Some(at) = position(tile).and_then(Position::tile) else { continue };
        lookup.tiles.insert(id.into_owned(), at);
        found.push((at, tile));
    }
    // The order of a map, not that of ids as texts.
    found.arrange_by_key(|(at, _)| (at.y, at.x));
    found.dedup_by_key(|(at, _)| *at);
    let pieces = Pieces::of(root, &others, lookup);
    let (at, is_chequered) = match found.is_empty() {
        true => plain_tiles(root),
        false => (found.iter().map(|(at, _)| *at).collect(), false),
    };
    if at.is_empty() && pieces.pieces.is_empty() {
        return None;
    }
    let shape = if at.is_empty() { Shape::Free } else { Shape::Square };
    let mut board = Board::new(shape, at);
    if is_hexagon(&board.tiles) {
        (board.shape, board.up, board.rows_first) = (Shape::Hex, true, true);
    }
    board.layers = match is_chequered {
        true => chequered(&board.tiles, "light").into_iter().collect(),
        false => layers(&found, board.tiles.len()),
    };
    let owners: Vec<u8> = found.iter().map(|(_, tile)| owner(*tile, lookup)).collect();
    if owners.iter().any(|owner| *owner != 0) {
        board.owners = owners;
    }
    (board.kinds, board.pieces) = (pieces.kinds, pieces.pieces);
    Some(board)
}

/// The numbers `x` and `y`.
fn position(node: Node<'_>) -> Option<Position> {
    let part = |key: &str| Some(number(node.get(key)?)? as f32);
    Some(Position { x: part("x")?, y: part("y")? })
}

/// Tiles of which nothing is known but how many there are, and whether they are chequered.
fn plain_tiles(root: Node<'_>) -> (Vec<TileAt>, bool) {
    let side = |key: &str| root.get(key).and_then(whole).filter(|side| *side > 0);
    let sides = |[width, height]: [&str; 2]| {
        let sides = side(width).zip(side(height));
        sides.filter(|(width, height)| i64::from(*width) * i64::from(*height) <= MOST_TILES as i64)
    };
    let found = SIDES.iter().find_map(|(keys, is_chequered)| Some((sides(*keys)?, *is_chequered)));
    let Some(((width, height), is_chequered)) = found else { return (Vec::new(), false) };
    let tiles = (0..height).flat_map(|y| (0..width).map(move |x| TileAt::new(x, y)));
    (tiles.collect(), is_chequered)
}

/// Do the tiles fill exactly a hexagon around 0,0 in axial coordinates?
fn is_hexagon(tiles: &[TileAt]) -> bool {
    let ring = |at: &TileAt| at.x.abs().max(at.y.abs()).max(at.x.saturating_add(at.y).abs());
    let radius = tiles.iter().map(ring).max().unwrap_or(0) as usize;
    radius > 0 && tiles.len() == 1 + 3 * radius * (radius + 1)
}

/// The player who owns something, 0 for nobody.
fn owner(node: Node<'_>, lookup: &Lookup) -> u8 {
    let of = |node: Node<'_>| lookup.players.get(&*node.reference()?).copied();
    if let Some(owner) = node.get("owner") {
        return of(owner).unwrap_or(0);
    }
    let fields = node.children().into_iter().filter(|(name, _)| name.ends_with("Owner"));
    let fields: Vec<Node<'_>> = fields.map(|(_, node)| node).collect();
    match fields.as_slice() {
        [only] => of(*only).unwrap_or(0),
        _ => 0,
    }
}

/// What is on tiles: ground, marks, contents.
fn layers(tiles: &[(TileAt, Node<'_>)], count: usize) -> Vec<Layer> {
    let ground = grounds(tiles, count);
    let marks = rarest("mark", tiles, count, true);
    let contents = rarest("contents", tiles, count, false);
    [ground, contents, marks].into_iter().flatten().collect()
}

/// The squares of a chess board, of which 0,0 is `light` or `dark`.
pub(super) fn chequered(tiles: &[TileAt], first: &'static str) -> Option<Layer> {
    let second = if first == "dark" { "light" } else { "dark" };
    let mut layer = LayerBuilder::new("square", tiles.len());
    for (index, at) in tiles.iter().enumerate() {
        let word = if (at.x + at.y) % 2 == 0 { first } else { second };
        layer.put(index, word, |word| {
            Kind::new(word, Some('.'), Palette::terrain(word), Look::Fill)
        });
    }
    layer.finish()
}

fn grounds(tiles: &[(TileAt, Node<'_>)], count: usize) -> Option<Layer> {
    let name = |tile: Node<'_>| GROUNDS.iter().find_map(|key| tile.get(key).and_then(text));
    let names: Vec<String> =
        tiles.iter().map(|(_, tile)| name(*tile).unwrap_or_default()).collect();
    let words: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let order: HashMap<&str, usize> = words.into_iter().zip(0..).collect();
    let mut layer = LayerBuilder::new("ground", count);
    let mut glyphs = Glyphs::new(".,:;~^&%\"");
    for tile in 0..count {
        let word = names.get(tile).map_or("", String::as_str);
        layer.put(tile, word, |word| match *word {
            "" => Kind::new("tile", Some('.'), Palette::terrain("floor"), Look::Fill),
            word => {
                let number = order.get(word).copied().unwrap_or(0);
                let colour = Palette::terrain_or(word, number);
                Kind::new(word, Some(glyphs.ground(word)), colour, Look::Fill)
            }
        });
    }
    layer.finish()
}

/// Of the fields that are true, or above 0, on each tile, the one that fewest tiles have.
fn rarest(
    name: &'static str,
    tiles: &[(TileAt, Node<'_>)],
    count: usize,
    flags: bool,
) -> Option<Layer> {
    let fields = |tile: Node<'_>| fields(tile, flags);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, tile) in tiles {
        fields(*tile).into_iter().for_each(|field| *counts.entry(field).or_default() += 1);
    }
    let order: HashMap<String, usize> = counts.keys().cloned().zip(0..).collect();
    let mut layer = LayerBuilder::new(name, count);
    let mut glyphs = Glyphs::new("");
    for (index, (_, tile)) in tiles.iter().enumerate() {
        let rarest = fields(*tile).into_iter().min_by_key(|field| (counts[field], field.clone()));
        let Some(field) = rarest else { continue };
        let number = order[&field];
        layer.put(index, field, |field| {
            let words = readable(field.trim_start_matches("is").trim_start_matches("has"));
            let look = if flags { Look::Frame } else { Look::Dot };
            let glyph = glyphs.next(&words.to_lowercase());
            Kind::new(&words, Some(glyph), Palette::mark(number), look)
        });
    }
    layer.finish()
}

/// The fields of a tile that are true and begin with `is` or `has`, or those that are above 0.
fn fields(tile: Node<'_>, flags: bool) -> Vec<String> {
    let is_one = |key: &str, node: Node<'_>| match flags {
        true => node.is_true() && (key.starts_with("is") || key.starts_with("has")),
        false => !matches!(key, "x" | "y") && number(node).is_some_and(|number| number > 0.0),
    };
    let children = tile.children().into_iter().filter(|(key, node)| is_one(key, *node));
    children.map(|(key, _)| key.into_owned()).collect()
}

/// Signs for kinds, each taken once.
#[derive(Debug)]
struct Glyphs {
    taken: BTreeSet<char>,
    spare: &'static str,
}

/// Signs for words that many games use.
const COMMON: [(&str, char); 6] = [
    ("water", '~'),
    ("land", '.'),
    ("grass", '.'),
    ("mountain", '^'),
    ("forest", '&'),
    ("wall", '#'),
];

impl Glyphs {
    fn new(spare: &'static str) -> Self {
        Self { taken: BTreeSet::new(), spare }
    }

    fn ground(&mut self, word: &str) -> char {
        let common = COMMON.iter().find(|(own, _)| own.eq_ignore_ascii_case(word));
        let candidates = common.map(|(_, glyph)| *glyph).into_iter().chain(self.spare.chars());
        self.first(candidates)
    }

    /// The first letter of a word that is free.
    fn next(&mut self, word: &str) -> char {
        self.first(word.chars().filter(|letter| letter.is_alphanumeric()))
    }

    fn first(&mut self, candidates: impl Iterator<Item = char>) -> char {
        let spare = ('a'..='z').chain('A'..='Z').chain('0'..='9');
        let free = candidates.chain(spare).find(|glyph| !self.taken.contains(glyph));
        let glyph = free.unwrap_or('?');
        self.taken.insert(glyph);
        glyph
    }
}

/// The pieces of a state and their kinds.
#[derive(Debug, Default)]
struct Pieces {
    kinds: Vec<Kind>,
    pieces: Vec<Piece>,
}

impl Pieces {
    fn of(root: Node<'_>, objects: &[(Cow<'_, str>, Node<'_>)], lookup: &Lookup) -> Self {
        let placed =
            objects.iter().filter(|(_, object)| !is_class(*object, "Player") && is_there(*object));
        let placed = placed.filter_map(|(id, object)| Some((id, *object, place(*object, lookup)?)));
        let mut placed: Vec<_> = placed.take(MOST_PIECES).collect();
        let listed = Listed::of(root, placed.iter().map(|(_, object, _)| *object));
        placed.retain(|(id, object, _)| listed.has(id, *object));
        let names: Vec<String> = placed.iter().map(|(_, object, _)| kind_name(*object)).collect();
        let looks = placed.iter().map(|(_, object, _)| Rank::of(*object));
        let all: BTreeMap<&String, Option<Rank>> = names.iter().zip(looks).collect();
        let mut glyphs = Glyphs::new("");
        let kinds: Vec<Kind> = all
            .iter()
            .take(MOST_KINDS)
            .map(|(name, rank)| piece_kind(name, *rank, &mut glyphs))
            .collect();
        let numbers: HashMap<&String, u8> = all.into_keys().take(MOST_KINDS).zip(1..).collect();
        let mut pieces: Vec<Piece> = Vec::new();
        for ((id, object, at), name) in placed.iter().zip(&names) {
            let mut piece =
                Piece::new(id.to_string(), numbers.get(name).copied().unwrap_or(0), *at);
            piece.owner = owner(*object, lookup);
            piece.label = object.get("name").and_then(text).filter(|name| !name.is_empty());
            piece.facing = facing(*object);
            piece.values = values(*object, &SHOWN, lookup);
            pieces.push(piece);
        }
        // Those with an owner are drawn last: on top.
        pieces.arrange_by_key(|piece| {
            (piece.owner != 0, piece.id.parse::<u64>().unwrap_or(u64::MAX))
        });
        Self { kinds, pieces }
    }
}

/// Objects with positions of their own that the lists of a state have. *Why: a piece that was captured stays among the objects,
/// where it was last, and is only taken out of the lists.*
#[derive(Debug, Default)]
struct Listed {
    ids: HashSet<String>,
    classes: HashSet<String>,
}

impl Listed {
    /// What the lists of a root have of the classes of these objects.
    fn of<'a>(root: Node<'a>, objects: impl Iterator<Item = Node<'a>>) -> Self {
        let own = objects.filter(|object| object.get("tile").is_none()).filter_map(class);
        let wanted: HashSet<String> = own.collect();
        let mut listed = Self::default();
        if wanted.is_empty() {
            return listed;
        }
        let lists = root.children().into_iter().filter(|(_, node)| node.kind() == Json::List);
        for (_, item) in lists.flat_map(|(_, list)| list.children()) {
            let (Some(id), Some(class)) = (item.reference(), class(item.resolve())) else {
                continue;
            };
            if wanted.contains(&class) {
                listed.ids.insert(id.into_owned());
                listed.classes.insert(class);
            }
        }
        listed
    }

    /// Is an object not missing from the lists that have others of its class?
    fn has(&self, id: &str, object: Node<'_>) -> bool {
        object.get("tile").is_some()
            || self.ids.contains(id)
            || class(object).is_none_or(|class| !self.classes.contains(&class))
    }
}

/// Is it neither dead nor destroyed?
fn is_there(object: Node<'_>) -> bool {
    let is = |key: &str| object.get(key).is_some_and(|node| node.is_true());
    !is("isDead") && !is("isDestroyed")
}

/// Where a game object is: on its tile, or at its position.
fn place(object: Node<'_>, lookup: &Lookup) -> Option<Position> {
    let tile = object.get("tile").and_then(|tile| tile.reference());
    let on_tile = tile.and_then(|id| lookup.tiles.get(&*id).copied()).map(Position::from);
    on_tile.or_else(|| position(object))
}

fn class(object: Node<'_>) -> Option<String> {
    object.get("gameObjectName").and_then(text)
}

/// `Cowboy Bartender`, `Unit`
fn kind_name(object: Node<'_>) -> String {
    let class = class(object).unwrap_or_default();
    let said = KINDS.iter().find_map(|key| {
        let node = object.get(key)?;
        text(node).or_else(|| node.reference().and_then(|_| text(node.resolve().get("title")?)))
    });
    let kind = Rank::of(object).map(|rank| rank.name().to_owned()).or(said);
    match kind.filter(|kind| !kind.is_empty()) {
        Some(kind) => format!("{class} {kind}").trim_start().to_owned(),
        None if class.is_empty() => "object".to_owned(),
        None => class,
    }
}

/// A piece of draughts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rank {
    Man,
    King,
}

impl Rank {
    /// The rank of an object that says whether it is kinged.
    fn of(object: Node<'_>) -> Option<Self> {
        match object.get(KINGED)?.as_literal()? {
            "true" => Some(Self::King),
            "false" => Some(Self::Man),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Man => "man",
            Self::King => "king",
        }
    }

    /// Its sign, and how it is drawn.
    const fn look(self) -> (&'static str, Look) {
        match self {
            Self::Man => ("o", Look::Counter),
            Self::King => ("K", Look::Crowned),
        }
    }
}

/// Signs are capital letters: of the last word first, which differs between kinds of one class.
fn piece_kind(name: &str, rank: Option<Rank>, glyphs: &mut Glyphs) -> Kind {
    let last = name.rsplit(' ').next().unwrap_or(name);
    let letters: String = last.chars().chain(name.chars()).flat_map(char::to_uppercase).collect();
    let (sign, look) = rank.map_or(("", Look::Token), Rank::look);
    Kind::new(name, Some(glyphs.next(&format!("{sign}{letters}"))), Palette::TEXT, look)
}

/// Degrees of a direction: 0 up, 90 right.
fn facing(object: Node<'_>) -> Option<f32> {
    let text = ["direction", "facing"].iter().find_map(|key| object.get(key)?.as_str());
    let degrees = match text?.to_ascii_lowercase().as_str() {
        "north" | "up" => 0.0,
        "northeast" => 45.0,
        "east" | "right" => 90.0,
        "southeast" => 135.0,
        "south" | "down" => 180.0,
        "southwest" => 225.0,
        "west" | "left" => 270.0,
        "northwest" => 315.0,
        _ => return None,
    };
    Some(degrees)
}
