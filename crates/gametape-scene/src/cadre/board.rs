//! A board of game objects: tiles, what is on them, pieces.

use gametape_wire::Arrange;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use gametape_cadre::Node;

use super::is_class;
use super::values::{Lookup, number, readable, text, values, whole};
use crate::layers::LayerBuilder;
use crate::model::{Board, Kind, Look, Piece, Position, Shape, TileAt};
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
const SHOWN: [&str; 4] = ["tile", "owner", "name", "gameObjectName"];

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
    let pieces = Pieces::of(&others, lookup);
    let at: Vec<TileAt> = match found.is_empty() {
        true => plain_tiles(root),
        false => found.iter().map(|(at, _)| *at).collect(),
    };
    if at.is_empty() && pieces.pieces.is_empty() {
        return None;
    }
    let shape = if at.is_empty() { Shape::Free } else { Shape::Square };
    let mut board = Board::new(shape, at);
    if is_hexagon(&board.tiles) {
        (board.shape, board.up, board.rows_first) = (Shape::Hex, true, true);
    }
    board.layers = layers(&found, board.tiles.len());
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

/// Tiles of which nothing is known but how many there are.
fn plain_tiles(root: Node<'_>) -> Vec<TileAt> {
    let side = |key: &str| root.get(key).and_then(whole).filter(|side| *side > 0);
    let Some((width, height)) = side("mapWidth").zip(side("mapHeight")) else { return Vec::new() };
    if i64::from(width) * i64::from(height) > MOST_TILES as i64 {
        return Vec::new();
    }
    (0..height).flat_map(|y| (0..width).map(move |x| TileAt::new(x, y))).collect()
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
fn layers(tiles: &[(TileAt, Node<'_>)], count: usize) -> Vec<crate::model::Layer> {
    let ground = grounds(tiles, count);
    let marks = rarest("mark", tiles, count, true);
    let contents = rarest("contents", tiles, count, false);
    [ground, contents, marks].into_iter().flatten().collect()
}

fn grounds(tiles: &[(TileAt, Node<'_>)], count: usize) -> Option<crate::model::Layer> {
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
) -> Option<crate::model::Layer> {
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
    fn of(objects: &[(std::borrow::Cow<'_, str>, Node<'_>)], lookup: &Lookup) -> Self {
        let placed =
            objects.iter().filter(|(_, object)| !is_class(*object, "Player") && is_there(*object));
        let placed = placed.filter_map(|(id, object)| Some((id, *object, place(*object, lookup)?)));
        let placed: Vec<_> = placed.take(MOST_PIECES).collect();
        let names: Vec<String> = placed.iter().map(|(_, object, _)| kind_name(*object)).collect();
        let all: BTreeSet<&String> = names.iter().take(MOST_PIECES).collect();
        let mut glyphs = Glyphs::new("");
        let kinds: Vec<Kind> =
            all.iter().take(MOST_KINDS).map(|name| piece_kind(name, &mut glyphs)).collect();
        let numbers: HashMap<&String, u8> = all.into_iter().take(MOST_KINDS).zip(1..).collect();
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

/// `Cowboy Bartender`, `Unit`
fn kind_name(object: Node<'_>) -> String {
    let class = object.get("gameObjectName").and_then(text).unwrap_or_default();
    let kind = KINDS.iter().find_map(|key| {
        let node = object.get(key)?;
        text(node).or_else(|| node.reference().and_then(|_| text(node.resolve().get("title")?)))
    });
    match kind.filter(|kind| !kind.is_empty()) {
        Some(kind) => format!("{class} {kind}").trim_start().to_owned(),
        None if class.is_empty() => "object".to_owned(),
        None => class,
    }
}

/// Signs are capital letters: of the last word first, which differs between kinds of one class.
fn piece_kind(name: &str, glyphs: &mut Glyphs) -> Kind {
    let last = name.rsplit(' ').next().unwrap_or(name);
    let letters: String = last.chars().chain(name.chars()).flat_map(char::to_uppercase).collect();
    Kind::new(name, Some(glyphs.next(&letters)), Palette::TEXT, Look::Token)
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
