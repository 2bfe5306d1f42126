//! What a delta means, in words.

use gametape_cadre::{Kind as Json, Node, Raw};

use super::player_nodes;
use super::values::{called, cut, text};
use crate::model::Line;

/// More arguments of a call are left out.
const MOST_ARGUMENTS: usize = 8;

/// The lines about a delta; `root` is the state before it.
pub(super) fn lines(root: Node<'_>, delta: &[u8]) -> Vec<Line> {
    let Ok(delta) = Raw::parse(delta) else { return Vec::new() };
    let teller = Teller { root, players: player_nodes(root) };
    teller.line(delta).into_iter().collect()
}

struct Teller<'a> {
    root: Node<'a>,
    players: Vec<(String, Node<'a>)>,
}

impl Teller<'_> {
    fn line(&self, delta: Raw<'_>) -> Option<Line> {
        let kind = delta.get("type").and_then(|kind| kind.as_str()).unwrap_or_default();
        let data = delta.get("data");
        let part = |key: &str| data.and_then(|data| data.get(key));
        let player = part("player").and_then(|player| id(player)).unwrap_or_default();
        let number =
            self.players.iter().position(|(own, _)| *own == player).map_or(0, |i| i as u8 + 1);
        let who = self.player_name(number);
        let deed = part("run").and_then(|run| self.call(run));
        let deed = deed.or_else(|| part("order").and_then(|order| self.order(order)));
        let refused = part("invalid").and_then(|why| why.as_str()).map(|why| cut(&why));
        let text = match (&deed, who) {
            (Some(deed), Some(who)) => format!("{who}: {deed}"),
            (Some(deed), None) => deed.clone(),
            (None, Some(who)) => format!("{who}: {kind}"),
            (None, None) => kind.to_string(),
        };
        let returned = part("returned").and_then(scalar).map(|value| format!(" → {value}"));
        let (kind, text) = match refused {
            Some(why) => ("refused", format!("{text}, refused: {why}")),
            None => (&*kind, text + &returned.unwrap_or_default()),
        };
        (!text.is_empty()).then(|| Line::new(&cut(kind), text).by(&[number]))
    }

    fn player_name(&self, number: u8) -> Option<String> {
        let (id, node) = self.players.get(usize::from(number).checked_sub(1)?)?;
        let name = node.get("name").and_then(text);
        Some(name.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("player {id}")))
    }

    /// `Cowboy #524 move(tile 4,3)`
    fn call(&self, run: Raw<'_>) -> Option<String> {
        let function = run.get("functionName")?.as_str()?;
        let caller = run.get("caller").and_then(id).map(|id| self.object(&id) + " ");
        let arguments = self.arguments(run.get("args"));
        Some(format!("{}{}({arguments})", caller.unwrap_or_default(), cut(&function)))
    }

    fn order(&self, order: Raw<'_>) -> Option<String> {
        let name = order.as_str().or_else(|| order.get("name")?.as_str())?;
        Some(format!("{}({})", cut(&name), self.arguments(order.get("args"))))
    }

    fn arguments(&self, args: Option<Raw<'_>>) -> String {
        let Some(args) = args else { return String::new() };
        let named = args.entries().map_while(Result::ok).map(|(name, value)| {
            let name = name.as_str();
            match id(value) {
                Some(id) => self.object(&id),
                None => format!("{} {}", cut(&name), self.value(value)),
            }
        });
        let listed = args.elements().map_while(Result::ok).map(|value| self.value(value));
        let all: Vec<String> = match args.kind() {
            Json::List => listed.take(MOST_ARGUMENTS).collect(),
            _ => named.take(MOST_ARGUMENTS).collect(),
        };
        all.join(", ")
    }

    fn value(&self, value: Raw<'_>) -> String {
        let reference = id(value).map(|id| self.object(&id));
        reference.or_else(|| scalar(value)).unwrap_or_else(|| "…".to_owned())
    }

    /// A game object in a few words, a tile by its position.
    fn object(&self, id: &str) -> String {
        let object = self.root.get("gameObjects").and_then(|objects| objects.get(id));
        let Some(object) = object else { return cut(&format!("#{id}")) };
        let number = |key: &str| object.get(key).and_then(|node| node.as_literal());
        match (super::is_class(object, "Tile"), number("x"), number("y")) {
            (true, Some(x), Some(y)) => cut(&format!("tile {x},{y}")),
            _ => called(object, id),
        }
    }
}

/// The id of a reference.
fn id(value: Raw<'_>) -> Option<String> {
    if value.kind() != Json::Object {
        return None;
    }
    Some(value.get("id")?.as_str()?.into_owned())
}

/// A value that is neither list nor object.
fn scalar(value: Raw<'_>) -> Option<String> {
    match value.kind() {
        Json::List | Json::Object => None,
        Json::String => value.as_str().map(|text| format!("“{}”", cut(&text))),
        _ => Some(cut(&String::from_utf8_lossy(value.as_bytes()))),
    }
}
