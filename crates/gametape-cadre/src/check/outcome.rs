//! Who won, by the last state, and what the log's own lists say about it.

use std::fmt;

use crate::limits::PLAYERS;
use crate::log::header::{Client, Header};
use crate::state::{Node, State};
use crate::text::json::Kind;

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Outcome {
    /// The players, in the order of the state's `players`.
    pub players: Vec<PlayerResult>,
    /// Where the lists `winners` and `losers` say something else.
    pub disagreements: Vec<Disagreement>,
}

/// How a game ended for one player, as the last state says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PlayerResult {
    /// The id of the player's game object.
    pub id: String,
    /// The player's name.
    pub name: Option<String>,
    /// What the client was written in, or what it calls itself.
    pub client_type: Option<String>,
    /// Did the player win?
    pub won: bool,
    /// Did the player lose?
    pub lost: bool,
    /// Why the player won; empty when the state does not say.
    pub reason_won: String,
    /// Why the player lost; empty when the state does not say.
    pub reason_lost: String,
}

/// One of the two lists in which a log names clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResultList {
    /// `winners`.
    Winners,
    /// `losers`.
    Losers,
}

/// A difference between the last state and the lists.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Disagreement {
    /// A player is in the list, but the state's flag is not set.
    ListedOnly {
        /// In which list.
        list: ResultList,
        /// The player's id.
        id: String,
    },
    /// The state's flag is set, but the player is not in the list.
    FlaggedOnly {
        /// In which list the player is missing.
        list: ResultList,
        /// The player's id.
        id: String,
    },
    /// A client in the list whose id is no player's.
    UnknownClient {
        /// In which list.
        list: ResultList,
        /// The id, if the client has one.
        id: Option<String>,
    },
    /// A client whose `index` is not the player's index in the state.
    Index {
        /// The player's id.
        id: String,
        /// The index that the list names.
        listed: i64,
        /// The player's index in the state.
        actual: usize,
    },
    /// A client whose `name` is not the player's.
    Name {
        /// The player's id.
        id: String,
        /// The name in the list.
        listed: String,
        /// The name in the state.
        actual: String,
    },
}

impl fmt::Display for ResultList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Winners => "winners",
            Self::Losers => "losers",
        })
    }
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ListedOnly { list, id } => {
                write!(f, "player {id} is in {list}, but not by the last state")
            }
            Self::FlaggedOnly { list, id } => {
                write!(f, "player {id} is not in {list}, but should be by the last state")
            }
            Self::UnknownClient { list, id: Some(id) } => {
                write!(f, "{id} in {list} is no player")
            }
            Self::UnknownClient { list, id: None } => write!(f, "a client in {list} has no id"),
            Self::Index { id, listed, actual } => {
                write!(f, "player {id} is listed with index {listed}, but has index {actual}")
            }
            Self::Name { id, listed, actual } => {
                write!(f, "player {id} is listed as {listed:?}, but is called {actual:?}")
            }
        }
    }
}

impl Outcome {
    /// The outcome that a state shows, compared with the lists of a log.
    #[must_use]
    pub fn of(state: State<'_>, header: Header<'_>) -> Self {
        let players: Vec<_> = players(state).into_iter().map(PlayerResult::of).collect();
        let mut disagreements = Vec::new();
        for (list, clients) in
            [(ResultList::Winners, header.winners()), (ResultList::Losers, header.losers())]
        {
            compare(list, &clients, &players, &mut disagreements);
        }
        Self { players, disagreements }
    }

    /// The players who won.
    pub fn winners(&self) -> impl Iterator<Item = &PlayerResult> {
        self.players.iter().filter(|player| player.won)
    }

    /// Did the game end with nobody winning and everybody losing?
    #[must_use]
    pub fn is_draw(&self) -> bool {
        !self.players.is_empty() && self.players.iter().all(|player| player.lost && !player.won)
    }
}

/// The players of a state, with their ids.
fn players(state: State<'_>) -> Vec<(String, Node<'_>)> {
    let Some(references) = player_references(state) else { return named_players(state) };
    let resolved = references.into_iter();
    let objects = state.game_objects();
    resolved.filter_map(|(id, node)| Some((id, objects.target(node)?))).collect()
}

/// The references in the root's list of players; none if there is no such list.
pub(crate) fn player_references(state: State<'_>) -> Option<Vec<(String, Node<'_>)>> {
    let list = state.root().get("players").filter(|node| node.kind() == Kind::List)?;
    let children = list.children().into_iter().map(|(_, node)| node).take(PLAYERS);
    Some(children.filter_map(|node| Some((node.reference()?.into_owned(), node))).collect())
}

/// The game objects that call themselves players.
fn named_players(state: State<'_>) -> Vec<(String, Node<'_>)> {
    let Some(objects) = state.root().get("gameObjects") else { return Vec::new() };
    let is_player = |node: &Node<'_>| {
        node.get("gameObjectName").and_then(|name| name.as_str()).is_some_and(|n| n == "Player")
    };
    let objects = objects.children().into_iter();
    let named = objects.filter(|(_, node)| is_player(node)).take(PLAYERS);
    named.map(|(id, node)| (id.into_owned(), node)).collect()
}

impl PlayerResult {
    fn of((id, node): (String, Node<'_>)) -> Self {
        let text = |key: &str| Some(node.get(key)?.as_str()?.into_owned());
        let flag = |key: &str| node.get(key).is_some_and(|value| value.is_true());
        Self {
            id,
            name: text("name"),
            client_type: text("clientType"),
            won: flag("won"),
            lost: flag("lost"),
            reason_won: text("reasonWon").unwrap_or_default(),
            reason_lost: text("reasonLost").unwrap_or_default(),
        }
    }

    fn flag(&self, list: ResultList) -> bool {
        match list {
            ResultList::Winners => self.won,
            ResultList::Losers => self.lost,
        }
    }
}

fn compare(
    list: ResultList,
    clients: &[Client<'_>],
    players: &[PlayerResult],
    found: &mut Vec<Disagreement>,
) {
    for client in clients {
        let id = client.id();
        let index = players.iter().position(|player| Some(player.id.as_str()) == id.as_deref());
        match index {
            Some(index) => compare_client(list, client, index, &players[index], found),
            None => {
                found.push(Disagreement::UnknownClient { list, id: id.map(Into::into) });
            }
        }
    }
    for player in players.iter().filter(|player| player.flag(list)) {
        if !clients.iter().any(|client| client.id().as_deref() == Some(&player.id)) {
            found.push(Disagreement::FlaggedOnly { list, id: player.id.clone() });
        }
    }
}

fn compare_client(
    list: ResultList,
    client: &Client<'_>,
    index: usize,
    player: &PlayerResult,
    found: &mut Vec<Disagreement>,
) {
    let id = || player.id.clone();
    if !player.flag(list) {
        found.push(Disagreement::ListedOnly { list, id: id() });
    }
    if let Some(listed) = client.index()
        && listed != index as i64
    {
        found.push(Disagreement::Index { id: id(), listed, actual: index });
    }
    if let (Some(listed), Some(actual)) = (client.name(), &player.name)
        && listed != *actual
    {
        let (listed, actual) = (listed.into_owned(), actual.clone());
        found.push(Disagreement::Name { id: id(), listed, actual });
    }
}
