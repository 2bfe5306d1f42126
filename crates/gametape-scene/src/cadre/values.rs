//! Values of game objects as values of a scene.

use std::collections::HashMap;

use gametape_cadre::{Kind as Json, Node};

use super::is_container;
use crate::model::{Datum, TileAt, Value};

/// Longer texts are cut.
const MOST_CHARS: usize = 120;
/// More values of one thing are left out.
const MOST_VALUES: usize = 64;
/// What every game object has and nobody asks for.
const BOOKKEEPING: [&str; 5] = ["id", "gameObjectName", "logs", "x", "y"];

/// What references lead to.
#[derive(Debug, Default)]
pub(super) struct Lookup {
    /// Numbers of players by their ids.
    pub(super) players: HashMap<String, u8>,
    /// Positions of tiles by their ids.
    pub(super) tiles: HashMap<String, TileAt>,
}

/// The simple values of a game object, without some of them.
pub(super) fn values(node: Node<'_>, without: &[&str], lookup: &Lookup) -> Vec<Value> {
    let skipped = |name: &str| BOOKKEEPING.contains(&name) || without.contains(&name);
    let known = node.children().into_iter().filter(|(name, _)| !skipped(name));
    let value =
        |(name, node): (_, Node<'_>)| Some(Value::new(readable(name), datum(node, lookup)?));
    known.filter_map(value).take(MOST_VALUES).collect()
}

/// `turnsToDie` as `turns to die`.
pub(super) fn readable(name: impl AsRef<str>) -> String {
    let mut words = String::new();
    for letter in name.as_ref().chars().take(MOST_CHARS) {
        if letter.is_uppercase() && !words.is_empty() && !words.ends_with(char::is_uppercase) {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

/// A value that can be shown in a few words; none for lists, objects, null and empty texts.
fn datum(node: Node<'_>, lookup: &Lookup) -> Option<Datum> {
    if let Some(id) = node.reference() {
        let player = lookup.players.get(&*id).map(|player| Datum::Player { player: *player });
        let tile = || lookup.tiles.get(&*id).map(|tile| Datum::Tile { tile: *tile });
        let other = || Datum::Text(called(node, &id));
        return Some(player.or_else(tile).unwrap_or_else(other));
    }
    if is_container(node) {
        return None;
    }
    match (node.kind(), node.as_literal()) {
        (Json::String, _) => text(node).filter(|text| !text.is_empty()).map(Datum::Text),
        (_, Some("true")) => Some(Datum::Flag(true)),
        (_, Some("false")) => Some(Datum::Flag(false)),
        (_, Some(literal)) => match literal.parse::<i64>() {
            Ok(number) => Some(Datum::Integer(number)),
            Err(_) => number(node).map(Datum::Number),
        },
        _ => None,
    }
}

/// A game object in a few words: `Job builder`, `Unit #7`.
pub(super) fn called(reference: Node<'_>, id: &str) -> String {
    let object = reference.resolve();
    let field = |key: &str| object.get(key).and_then(text).filter(|text| !text.is_empty());
    let class = field("gameObjectName");
    let name = field("title").or_else(|| field("name"));
    let name = name.unwrap_or_else(|| cut(&format!("#{id}")));
    class.map_or_else(|| name.clone(), |class| format!("{class} {name}"))
}

/// A text, cut where it is long.
pub(super) fn text(node: Node<'_>) -> Option<String> {
    node.as_str().map(|text| cut(&text))
}

pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A finite number.
pub(super) fn number(node: Node<'_>) -> Option<f64> {
    if node.kind() != Json::Number {
        return None;
    }
    node.as_literal()?.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A whole number that a position can be.
pub(super) fn whole(node: Node<'_>) -> Option<i32> {
    let number = number(node)?;
    (number.fract() == 0.0 && number.abs() < f64::from(1 << 24)).then_some(number as i32)
}
