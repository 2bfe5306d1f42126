//! The state of a view as JSON and as text.

use std::collections::BTreeMap;

use gametape_wire::Time;
use gametape_wire::text::{count, printable};
use serde::Serialize;

use super::{CityState, ClientState, Gone, PlayerState, Replayed, VoteState};
use super::{FlagState, Pending, TileState, ViewState};
use crate::map::Coord;

/// The value of "flag" where the format does not say whose it is.
const UNNAMED_FLAG: u8 = 16;

/// What a view knows at a moment, as a JSON object and as rows of text.
///
/// ```
/// use gametape_minewars::sample::Sample;
/// use gametape_minewars::{Dialect, FrameLayout, Frames, Generation, ViewShape, replay_view};
/// use gametape_wire::View;
///
/// let (setup, bytes) = Sample::default().build(Generation::Current)?;
/// let frames = Frames::new(FrameLayout::new(Generation::Current, setup.max_view())?, &bytes);
/// let (dialect, view) = (Dialect::Current, View::SPECTATOR);
/// let start = replay_view(&setup.map, [], dialect, view, 0).state;
/// let end = replay_view(&setup.map, frames, dialect, view, u64::MAX);
/// let cities = setup.cities.iter().map(|city| (city.at, Some(city.name.to_string())));
/// let shape = ViewShape::new(&start, &end, (0..=u8::MAX).zip(cities));
/// assert!(shape.rows().contains(&("view", "0 spectator".to_owned())));
/// assert!(serde_json::to_string(&shape).unwrap().starts_with(r#"{"time":"#));
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Serialize)]
pub struct ViewShape {
    time: u64,
    view: u8,
    grid: &'static str,
    radius: u8,
    hash: String,
    tiles: Vec<Tile>,
    players: Vec<Player>,
    cities: Vec<City>,
    votes: Vec<Vote>,
    time_limit: Option<u16>,
    problems: Vec<String>,
    #[serde(skip)]
    land: BTreeMap<u8, u64>,
}

/// Fields after the `;` are left out where they have no value.
macro_rules! sparse {
    ($(#[$meta:meta])* struct $name:ident { $($always:ident: $type:ty,)* ; $($field:ident: $known:ty,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Serialize)]
        struct $name {
            $($always: $type,)*
            $(#[serde(skip_serializing_if = "Option::is_none")] $field: Option<$known>,)*
        }
    };
}

sparse! {
    struct Tile {
        y: i8, x: i8, kind: String, item: String, owner: u8, ;
        digit: u8, asterisk: bool, structure: String, hp: u8, pending: Construction, flag: u8,
        smoke: bool,
    }
}

sparse! {
    struct Construction { points: u16, current: u16, rate: u16, ; kind: String, }
}

sparse! {
    struct Player {
        id: u8, clients: Vec<Client>, ;
        lives: u8, timeout: u32, protected: bool, eliminated: bool, surrendered: bool,
    }
}

sparse! {
    struct Client { sub: u8, name: String, ; rtt: u32, gone: &'static str, }
}

sparse! {
    struct City {
        id: u8, ;
        y: i8, x: i8, name: String, owner: u8, money: u32, income: u16, resources: u16, export: u8,
        import: u8, capturing: Capturing, contested_by: u8,
    }
}

#[derive(Debug, Serialize)]
struct Capturing {
    player: u8,
    ms: u32,
}

#[derive(Debug, Serialize)]
struct Vote {
    id: u8,
    text: String,
    ballots: Vec<BallotCast>,
}

#[derive(Debug, Serialize)]
struct BallotCast {
    player: u8,
    sub: u8,
    ballot: u8,
}

impl ViewShape {
    /// What is known, and which tiles are not as in `start`. `cities_of_setup` are the cities of the setup by
    /// id, with their names where they have one.
    #[must_use]
    pub fn new(
        start: &ViewState,
        replayed: &Replayed,
        cities_of_setup: impl IntoIterator<Item = (u8, (Coord, Option<String>))>,
    ) -> Self {
        let state = &replayed.state;
        let changed = start.changed_tiles(state).into_iter().flatten();
        Self {
            time: replayed.time,
            view: state.view().number(),
            grid: state.grid().name(),
            radius: state.radius(),
            hash: gametape_wire::text::hex(&state.hash()),
            tiles: changed.map(|(at, _, tile)| Tile::of(at, &tile)).collect(),
            players: state.players().map(|(id, player)| Player::of(id, player)).collect(),
            cities: cities(cities_of_setup.into_iter().collect(), state),
            votes: state.votes().map(|(id, vote)| Vote::of(id, vote)).collect(),
            time_limit: state.time_limit(),
            problems: replayed.problems.iter().map(ToString::to_string).collect(),
            land: land(state),
        }
    }

    /// A summary for people: labels and values. A row without a label belongs to the row before it.
    #[must_use]
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let who = if self.view == 0 { "spectator" } else { "player" };
        let mut rows = vec![
            ("time", Time::from_millis(self.time).to_string()),
            ("view", format!("{} {who}", self.view)),
            ("map", format!("{}, radius {}", self.grid, self.radius)),
            ("tiles", format!("{} changed", self.tiles.len())),
        ];
        let owned = |(owner, tiles): (&u8, &u64)| {
            ("", format!("player {owner:>2} owns {}", count(*tiles, "tile")))
        };
        rows.extend(self.land.iter().map(owned));
        rows.push(("players", self.players.len().to_string()));
        rows.extend(self.players.iter().map(|player| ("", player.to_text())));
        rows.push(("cities", self.cities.len().to_string()));
        rows.extend(self.cities.iter().map(|city| ("", city.to_text())));
        rows.extend(self.votes.iter().map(|vote| ("vote", vote.to_text())));
        let limit = |seconds| {
            let left = Time::from_millis(u64::from(seconds) * 1000);
            ("limit", format!("{left} left when last announced"))
        };
        rows.extend(self.time_limit.map(limit));
        rows.push(("hash", self.hash.clone()));
        rows
    }
}

/// A city of the setup: its tile, and its name where it has one.
type NamedTile = (Coord, Option<String>);

/// How many tiles each player owns.
fn land(state: &ViewState) -> BTreeMap<u8, u64> {
    let mut land = BTreeMap::new();
    for (_, tile) in state.tiles().filter(|(_, tile)| tile.owner != 0) {
        *land.entry(tile.owner).or_default() += 1;
    }
    land
}

/// Every city of the setup, and any other that is known of.
fn cities(mut of_setup: BTreeMap<u8, NamedTile>, state: &ViewState) -> Vec<City> {
    let known: BTreeMap<u8, &CityState> = state.cities().collect();
    let nothing = CityState::default();
    let mut ids: Vec<u8> = of_setup.keys().chain(known.keys()).copied().collect();
    ids.sort_unstable();
    ids.dedup();
    ids.iter()
        .map(|id| City::of(*id, of_setup.remove(id), known.get(id).copied().unwrap_or(&nothing)))
        .collect()
}

impl Tile {
    fn of(at: Coord, tile: &TileState) -> Self {
        Self {
            y: at.y,
            x: at.x,
            kind: tile.kind.to_string(),
            item: tile.item.to_string(),
            owner: tile.owner,
            digit: tile.digit.map(|digit| digit.value),
            asterisk: if_so(tile.digit.is_some_and(|digit| digit.asterisk)),
            structure: tile.structure.map(|kind| kind.to_string()),
            hp: Some(tile.hp).filter(|hp| *hp != 0),
            pending: tile.pending.map(|pending| Construction::of(&pending)),
            flag: tile.flag.map(|flag| match flag {
                FlagState::Unnamed => UNNAMED_FLAG,
                FlagState::Of(player) => player,
            }),
            smoke: if_so(tile.smoke),
        }
    }
}

impl Construction {
    fn of(pending: &Pending) -> Self {
        let Pending { kind, points, current, rate } = *pending;
        Self { kind: kind.map(|kind| kind.to_string()), points, current, rate }
    }
}

impl Player {
    fn of(id: u8, player: &PlayerState) -> Self {
        Self {
            id,
            clients: player.clients.iter().map(|(sub, client)| Client::of(*sub, client)).collect(),
            lives: player.lives,
            timeout: player.timeout,
            protected: if_so(player.protected),
            eliminated: if_so(player.eliminated),
            surrendered: if_so(player.surrendered),
        }
    }

    fn to_text(&self) -> String {
        let names: Vec<String> = self.clients.iter().map(Client::to_text).collect();
        let facts = [
            self.lives.map(|lives| format!("{lives} lives")),
            self.timeout.map(|ms| format!("out for {ms} ms")),
            self.protected.map(|_| "protected".to_owned()),
            self.eliminated.map(|_| "eliminated".to_owned()),
            self.surrendered.map(|_| "surrendered".to_owned()),
        ];
        format!("{:>2} {}", self.id, listed(names.into_iter().chain(facts.into_iter().flatten())))
    }
}

impl Client {
    fn of(sub: u8, client: &ClientState) -> Self {
        let gone = client.gone.map(|gone| match gone {
            Gone::Left => "left",
            Gone::Kicked => "kicked",
        });
        let name = String::from_utf8_lossy(&client.name).into_owned();
        Self { sub, name, rtt: client.rtt, gone }
    }

    fn to_text(&self) -> String {
        let gone = self.gone.map(|gone| format!(" ({gone})")).unwrap_or_default();
        printable(&self.name) + &gone
    }
}

impl City {
    fn of(id: u8, of_setup: Option<NamedTile>, city: &CityState) -> Self {
        let (at, name) = of_setup.unzip();
        Self {
            id,
            y: at.map(|at| at.y),
            x: at.map(|at| at.x),
            name: name.flatten(),
            owner: Some(city.owner).filter(|owner| *owner != 0),
            money: city.money,
            income: city.income,
            resources: city.resources,
            export: city.trade.map(|(export, _)| export),
            import: city.trade.map(|(_, import)| import),
            capturing: city.capturing.map(|(player, ms)| Capturing { player, ms }),
            contested_by: city.contested_by,
        }
    }

    fn to_text(&self) -> String {
        let place = self.y.zip(self.x).map(|(y, x)| format!("at {y},{x}"));
        let facts = [
            self.owner.map(|owner| format!("of player {owner}")),
            self.money.map(|money| format!("money {money}")),
            self.income.map(|income| format!("income {income}")),
            self.resources.map(|resources| format!("resources {resources}")),
            self.capturing.as_ref().map(|c| format!("falls to {} in {} ms", c.player, c.ms)),
            self.contested_by.map(|player| format!("contested by {player}")),
        ];
        let name = self.name.clone().into_iter();
        let all = place.into_iter().chain(name).chain(facts.into_iter().flatten());
        format!("{:>2} {}", self.id, listed(all))
    }
}

impl Vote {
    fn of(id: u8, vote: &VoteState) -> Self {
        let ballots = vote.ballots.iter();
        let ballots =
            ballots.map(|(&(player, sub), &ballot)| BallotCast { player, sub, ballot }).collect();
        Self { id, text: String::from_utf8_lossy(&vote.text).into_owned(), ballots }
    }

    fn to_text(&self) -> String {
        let yes = self.ballots.iter().filter(|cast| cast.ballot == 1).count();
        let all = self.ballots.len();
        format!("{} \"{}\", {yes} of {all} in favour", self.id, printable(&self.text))
    }
}

/// Left out where it is false.
fn if_so(is_so: bool) -> Option<bool> {
    is_so.then_some(true)
}

fn listed(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}
