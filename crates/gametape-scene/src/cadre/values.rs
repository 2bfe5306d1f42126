//! Values of game objects as values of a scene.

use std::borrow::Cow;
use std::collections::HashMap;

use gametape_cadre::{Kind as Json, Node};

use super::is_container;
use crate::model::{Datum, TileAt, Value};

/// Longer texts are cut.
const MOST_CHARS: usize = 120;
/// More values of one thing are left out.
const MOST_VALUES: usize = 64;
/// Of an object with more lists none is counted.
const MOST_LISTS: usize = 3;
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

/// How many things the lists of a game object have; none where there are more lists than anybody reads.
pub(super) fn lengths(node: Node<'_>) -> Vec<Value> {
    let is_list = |(name, node): &(Cow<'_, str>, Node<'_>)| {
        node.kind() == Json::List && !BOOKKEEPING.contains(&&**name)
    };
    let lists: Vec<_> = node.children().into_iter().filter(is_list).collect();
    let shown = if lists.len() <= MOST_LISTS { lists } else { Vec::new() };
    shown.into_iter().map(|(name, list)| Value::new(readable(name), list.len() as i64)).collect()
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
    decimal(node.as_literal()?).filter(|number| number.is_finite())
}

/// The value of a JSON number: exact with up to 15 digits and an exponent of up to 22, as nearly every number of a game has;
/// else the last digits may differ. *Why not the parser of the standard library: its tables are a hundredth of what a browser
/// loads.*
fn decimal(text: &str) -> Option<f64> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (sign, digits) = mantissa.strip_prefix('-').map_or((1.0, mantissa), |rest| (-1.0, rest));
    let (mut value, mut shift, mut is_fraction) = (0u64, exponent, false);
    for digit in digits.bytes() {
        match digit {
            b'.' => is_fraction = true,
            // More digits than a number knows only count as places.
            _ if value >= u64::MAX / 16 => shift = shift.saturating_add(i32::from(!is_fraction)),
            b'0'..=b'9' => {
                value = value * 10 + u64::from(digit - b'0');
                shift = shift.saturating_sub(i32::from(is_fraction));
            }
            _ => return None,
        }
    }
    Some(sign * scaled(value as f64, shift))
}

/// A number times a power of ten.
fn scaled(mut number: f64, shift: i32) -> f64 {
    let mut left = shift.unsigned_abs().min(700);
    while left > 0 && number != 0.0 {
        let step = left.min(22);
        let power = (0..step).fold(1.0, |power: f64, _| power * 10.0);
        number = if shift < 0 { number / power } else { number * power };
        left -= step;
    }
    number
}

/// A whole number that a position can be.
pub(super) fn whole(node: Node<'_>) -> Option<i32> {
    let number = number(node)?;
    (number.fract() == 0.0 && number.abs() < f64::from(1 << 24)).then_some(number as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        let texts = [
            "0",
            "-0",
            "7",
            "-12",
            "0.5",
            "3.25",
            "0.1",
            "-217.6",
            "1e3",
            "2.5E-3",
            "1E+2",
            "123456789012345",
            "0.000001",
            "9007199254740991",
            "1e22",
            "0.30000000000000004",
        ];
        for text in texts {
            let exact: f64 = text.parse().unwrap();
            let read = decimal(text).unwrap();
            assert!((read - exact).abs() <= exact.abs() * 1e-15, "{text}: {read} is not {exact}");
            if text.len() <= 16 {
                assert_eq!(read, exact, "{text}");
            }
        }
        assert_eq!(decimal("1e999"), Some(f64::INFINITY));
        assert_eq!(decimal("1e-999"), Some(0.0));
        assert_eq!(decimal("0e999999999"), Some(0.0));
        let long = format!("1{}", "0".repeat(40));
        assert!((decimal(&long).unwrap() / 1e40 - 1.0).abs() < 1e-12);
        assert!((decimal(&format!("0.{}5", "0".repeat(40))).unwrap() / 5e-41 - 1.0).abs() < 1e-12);
        assert_eq!(decimal("1e99999999999"), None, "no exponent");
        assert_eq!(decimal("x"), None);
    }
}
