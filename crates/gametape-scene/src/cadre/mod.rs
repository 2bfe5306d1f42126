//! Scenes of Cadre gamelogs, by rules instead of code per game: `spec/scene.md`, section 6.

mod board;
mod chess;
mod values;
mod words;

use std::any::Any;
use std::collections::HashMap;

use gametape_cadre::{Kind as Json, Node, State, Timeline};

use crate::model::{Datum, Line, Player, Scene, Value};
use crate::visible::{Context, Visible};
use values::{Lookup, number, text, values};

/// The most players that a scene can number.
const MOST_PLAYERS: usize = 255;

impl Visible for State<'_> {
    fn scene(&self, context: &Context) -> Scene {
        let root = self.root();
        let name = context.game.clone().or_else(|| text(root.get("name")?));
        let mut scene = Scene::new(name.as_deref().unwrap_or("gamelog"));
        let players = player_nodes(root);
        let numbers = players.iter().map(|(id, _)| id.clone()).zip(1..).collect();
        let mut lookup = Lookup { players: numbers, tiles: HashMap::new() };
        scene.board = chess::board(root, &players).or_else(|| board::board(root, &mut lookup));
        let numbered = players.iter().zip(1..);
        scene.players =
            numbered.map(|((id, node), number)| player(number, id, *node, &lookup)).collect();
        let session = || text(root.get("session")?).filter(|session| !session.is_empty());
        scene.title.match_name = context.match_name.clone().or_else(session);
        scene.title.players = scene.players.iter().map(|player| player.name.clone()).collect();
        scene.facts = facts(root, context, &lookup);
        if root.get("currentPlayer").is_none() {
            scene.facts.extend(chess::facts(root, &players));
        }
        scene
    }

    fn lines(&self, change: &[u8], _: &Context) -> Vec<Line> {
        words::lines(self.root(), change)
    }
}

/// The state at its position; the name of the game is in its log.
impl Visible for Timeline {
    fn scene(&self, context: &Context) -> Scene {
        let mut scene = self.state().scene(context);
        if let (None, Some(game)) = (&context.game, self.log().header().game_name()) {
            scene.title.game = values::cut(&game);
        }
        scene
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn lines(&self, change: &[u8], context: &Context) -> Vec<Line> {
        self.state().lines(change, context)
    }
}

/// The players in order, with their ids.
fn player_nodes(root: Node<'_>) -> Vec<(String, Node<'_>)> {
    let listed = root.get("players").map(|list| list.children()).unwrap_or_default();
    let listed: Vec<(String, Node<'_>)> = listed
        .into_iter()
        .filter_map(|(_, node)| Some((node.reference()?.into_owned(), node.resolve())))
        .take(MOST_PLAYERS)
        .collect();
    if !listed.is_empty() {
        return listed;
    }
    let objects = root.get("gameObjects").map(|objects| objects.children()).unwrap_or_default();
    let all = objects.into_iter().filter(|(_, node)| is_class(*node, "Player"));
    all.map(|(id, node)| (id.into_owned(), node)).take(MOST_PLAYERS).collect()
}

fn is_class(node: Node<'_>, class: &str) -> bool {
    node.get("gameObjectName").and_then(|name| name.as_str()).as_deref() == Some(class)
}

/// What is said elsewhere in the scene, or is only bookkeeping.
const NOT_OF_PLAYERS: [&str; 9] = [
    "name",
    "won",
    "lost",
    "clientType",
    "timeRemaining",
    "reasonLost",
    "reasonWon",
    "color",
    "yDirection",
];

fn player(index: u8, id: &str, node: Node<'_>, lookup: &Lookup) -> Player {
    let name = node.get("name").and_then(text).filter(|name| !name.trim().is_empty());
    let mut player = Player::new(index, id, name.unwrap_or_else(|| format!("player {id}")));
    player.eliminated = node.get("lost").is_some_and(|lost| lost.is_true());
    if node.get("won").is_some_and(|won| won.is_true()) {
        player.values.push(Value::new("won", true));
    }
    let colour = node.get("color").and_then(text);
    player.values.extend(colour.map(|colour| Value::new("colour", colour)));
    let own = node.children().into_iter().filter(|(_, value)| value.reference().is_some());
    let references: Vec<String> = own.map(|(name, _)| name.into_owned()).collect();
    let without: Vec<&str> =
        NOT_OF_PLAYERS.iter().copied().chain(references.iter().map(String::as_str)).collect();
    player.values.extend(values(node, &without, lookup));
    player.values.extend(values::lengths(node));
    for (name, reason) in [("why", "reasonWon"), ("why", "reasonLost")] {
        let reason = node.get(reason).and_then(text).filter(|reason| !reason.is_empty());
        player.values.extend(reason.map(|reason| Value::new(name, reason)));
    }
    player
}

fn facts(root: Node<'_>, context: &Context, lookup: &Lookup) -> Vec<Value> {
    let whole = |key: &str| root.get(key).and_then(number).filter(|n| n.fract() == 0.0);
    let turn = whole("currentTurn").map(|turn| match whole("maxTurns") {
        Some(most) => Value::new("turn", format!("{turn} of {most}")),
        None => Value::new("turn", turn as i64),
    });
    let current = root.get("currentPlayer").and_then(|node| node.reference());
    let current = current.and_then(|id| lookup.players.get(&*id).copied());
    let delta = context.tick.map(|delta| Value::new("delta", delta.0 as i64));
    let time = context.time.map(|time| Value::new("time", time.to_string()));
    let current = current.map(|player| Value::new("to move", Datum::Player { player }));
    [time, delta, turn, current].into_iter().flatten().collect()
}

/// Is it a list or an object?
fn is_container(node: Node<'_>) -> bool {
    matches!(node.kind(), Json::List | Json::Object)
}
