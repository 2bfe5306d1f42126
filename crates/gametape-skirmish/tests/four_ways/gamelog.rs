//! The whole state of a match, read from a state of its gamelog by `spec/skirmish.md`, section 13.

use gametape_cadre::{Node, State};
use gametape_minewars::Coord;
use gametape_tape::UnitTag;

use crate::world::{City, Part, Player, Tile, Unit, Vote, World};

impl World {
    pub(crate) fn of_gamelog(state: State<'_>) -> Self {
        let root = state.root();
        let mut world = Self {
            tick: number(&root, "currentTurn"),
            clock: number(&root, "clock"),
            pause: there(&root, "pause")
                .map(|pause| (player_at(&pause, "by"), number(&pause, "ticksLeft"))),
            vote: there(&root, "vote").map(|vote| read_vote(&vote)),
            ..Self::default()
        };
        for (id, object) in root.get("gameObjects").unwrap().children() {
            let id: u32 = id.parse().unwrap();
            match &*text(&object, "gameObjectName") {
                "Player" => drop(world.players.insert(id as u8 + 1, player(&object))),
                "Tile" => drop(world.tiles.insert(position(&object), tile(&object))),
                _ => {
                    let tag = UnitTag { index: id as u16, generation: (id >> 16) as u16 - 1 };
                    world.units.insert(tag, unit(&object));
                }
            }
        }
        let listed = |name: &str| root.get(name).unwrap().len();
        assert_eq!(listed("units"), world.units.len(), "the list and the objects");
        assert_eq!(listed("tiles"), world.tiles.len());
        world
    }
}

fn field<'a>(node: &Node<'a>, name: &str) -> Node<'a> {
    node.get(name).unwrap_or_else(|| panic!("no {name}"))
}

/// A field that is not null.
fn there<'a>(node: &Node<'a>, name: &str) -> Option<Node<'a>> {
    Some(field(node, name)).filter(|value| value.as_literal() != Some("null"))
}

fn number(node: &Node<'_>, name: &str) -> u64 {
    field(node, name).as_literal().unwrap().parse().unwrap()
}

fn text(node: &Node<'_>, name: &str) -> String {
    field(node, name).as_str().unwrap().into_owned()
}

/// The number of the player that a reference names.
fn named(reference: &Node<'_>) -> u8 {
    reference.reference().unwrap().parse::<u8>().unwrap() + 1
}

fn player_at(node: &Node<'_>, name: &str) -> u8 {
    there(node, name).map_or(0, |reference| named(&reference))
}

fn bits(node: &Node<'_>, name: &str) -> u16 {
    field(node, name).children().iter().fold(0, |bits, (_, player)| bits | 1 << named(player))
}

fn position(tile: &Node<'_>) -> Coord {
    let [y, x] = ["y", "x"].map(|name| field(tile, name).as_i64().unwrap());
    Coord::new(y as i8, x as i8)
}

fn read_vote(vote: &Node<'_>) -> Vote {
    Vote {
        id: number(vote, "number"),
        kind: text(vote, "kind"),
        target: player_at(vote, "player"),
        caller: player_at(vote, "caller"),
        end: number(vote, "end"),
        yes: bits(vote, "yes"),
        no: bits(vote, "no"),
    }
}

fn tile(tile: &Node<'_>) -> Tile {
    Tile {
        ground: text(tile, "ground"),
        owner: player_at(tile, "owner"),
        item: there(tile, "item").map(|item| item.as_str().unwrap().into_owned()),
        flags: bits(tile, "flags"),
        smoke_end: number(tile, "smokeEnd"),
        region: there(tile, "region").map(|region| region.as_i64().unwrap() as u8),
    }
}

fn unit(unit: &Node<'_>) -> Unit {
    let tile = field(unit, "tile").resolve();
    let construction = unit.get("construction").and_then(|_| there(unit, "construction"));
    let part = match construction {
        Some(work) => Part::Construction {
            city: number(&work, "city"),
            done: number(&work, "done"),
            rate: number(&work, "rate"),
        },
        None if text(unit, "gameObjectName") == "City" => Part::City(city(unit)),
        None => Part::Structure { hp: number(unit, "hitPoints") },
    };
    let is_on_tile = matches!(part, Part::Structure { .. } | Part::City(_));
    let here = there(&tile, "unit").and_then(|here| here.reference());
    let own = field(unit, "id").as_str();
    assert_eq!(here == own, is_on_tile, "what is on a tile is named by it");
    Unit { kind: text(unit, "kind"), owner: player_at(unit, "owner"), at: position(&tile), part }
}

fn city(city: &Node<'_>) -> City {
    City {
        id: number(city, "number"),
        money: number(city, "money"),
        resources: number(city, "resources"),
        export: number(city, "export"),
        import: number(city, "import"),
        income: number(city, "income"),
        capture: there(city, "capture")
            .map(|capture| (player_at(&capture, "player"), number(&capture, "since"))),
    }
}

fn player(player: &Node<'_>) -> Player {
    let is = |name: &str| field(player, name).is_true();
    let counters = [
        "orders",
        "refused",
        "timeouts",
        "kills",
        "losses",
        "finished",
        "valueKilled",
        "valueLost",
        "pauses",
    ];
    Player {
        states: ["out", "surrendered", "left", "kicked"].map(is),
        ready_at: number(player, "readyAt"),
        strike_ready: number(player, "strikeReady"),
        timeout_end: number(player, "timeoutEnd"),
        protection_end: number(player, "protectionEnd"),
        counters: counters.map(|name| number(player, name)),
        result: (is("won"), is("lost")),
    }
}
