//! The whole state of a match as plain values, read from a snapshot by `spec/skirmish.md`, section 11.

use std::collections::BTreeMap;

use gametape_minewars::{Coord, ItemKind, Map, StructureKind, TileKind};
use gametape_tape::{SimSnapshot, UnitTag};
use gametape_wire::Reader;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct World {
    pub(crate) tick: u64,
    pub(crate) clock: u64,
    /// Who paused, and ticks that are left.
    pub(crate) pause: Option<(u8, u64)>,
    pub(crate) vote: Option<Vote>,
    pub(crate) tiles: BTreeMap<Coord, Tile>,
    pub(crate) units: BTreeMap<UnitTag, Unit>,
    pub(crate) players: BTreeMap<u8, Player>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Vote {
    pub(crate) id: u64,
    pub(crate) kind: String,
    pub(crate) target: u8,
    pub(crate) caller: u8,
    pub(crate) end: u64,
    pub(crate) yes: u16,
    pub(crate) no: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tile {
    pub(crate) ground: String,
    pub(crate) owner: u8,
    pub(crate) item: Option<String>,
    /// Bit n: a flag of player n.
    pub(crate) flags: u16,
    pub(crate) smoke_end: u64,
    pub(crate) region: Option<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) kind: String,
    pub(crate) owner: u8,
    pub(crate) at: Coord,
    pub(crate) part: Part,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    Structure { hp: u64 },
    Construction { city: u64, done: u64, rate: u64 },
    City(City),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct City {
    pub(crate) id: u64,
    pub(crate) money: u64,
    pub(crate) resources: u64,
    pub(crate) export: u64,
    pub(crate) import: u64,
    pub(crate) income: u64,
    /// Who captures it, since when.
    pub(crate) capture: Option<(u8, u64)>,
}

/// Out, surrendered, left, kicked; times; counters; won, lost.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Player {
    pub(crate) states: [bool; 4],
    pub(crate) ready_at: u64,
    pub(crate) strike_ready: u64,
    pub(crate) timeout_end: u64,
    pub(crate) protection_end: u64,
    /// Orders, refused, time-outs, kills, losses, finished, value killed, value lost, pauses.
    pub(crate) counters: [u64; 9],
    pub(crate) result: (bool, bool),
}

impl Player {
    pub(crate) fn is_out(&self) -> bool {
        self.states[0]
    }
}

impl World {
    /// The state that a snapshot says, on the map that the match began on.
    pub(crate) fn of_snapshot(map: &Map, snapshot: &SimSnapshot) -> Self {
        let core = &snapshot.core;
        let section = |name: &str| Reader::new(core.sections.get(&name.to_owned()).unwrap());
        let mut pause = section("pause");
        let (by, left) = (pause.u8("").unwrap(), pause.u16_be("").unwrap());
        let mut world = Self {
            tick: core.tick.0,
            clock: section("clock").u64_be("").unwrap(),
            pause: (by != 0).then_some((by, left.into())),
            vote: vote(section("vote")),
            ..Self::default()
        };
        world.read_tiles(map, snapshot);
        for row in core.entities.iter() {
            world.units.insert(*row.key, unit(&row.slots().collect::<Vec<_>>()));
        }
        for row in core.players.iter() {
            world.players.insert(*row.key, player(&row.slots().collect::<Vec<_>>()));
        }
        world.read_outcome(section("outcome").rest());
        world
    }

    fn read_tiles(&mut self, map: &Map, snapshot: &SimSnapshot) {
        let owners = snapshot.core.sections.get(&"clusters".to_owned()).unwrap();
        for (at, tile) in map.tiles() {
            let ground = tile.kind.to_string();
            let (item, region) = (item(tile.item), map.region(at));
            self.tiles.insert(at, Tile { ground, owner: 0, item, flags: 0, smoke_end: 0, region });
        }
        for (at, bytes) in snapshot.core.map.iter() {
            let mut r = Reader::new(bytes);
            let tile = self.tiles.get_mut(&Coord::new(at.y as i8, at.x as i8)).unwrap();
            tile.ground = TileKind::from_code(r.u8("").unwrap()).to_string();
            tile.owner = r.u8("").unwrap();
            tile.item = item(ItemKind::from_code(r.u8("").unwrap()));
            tile.flags = r.u16_be("").unwrap();
            tile.smoke_end = r.u64_be("").unwrap();
        }
        let clusters = clusters(map);
        assert_eq!(clusters.len(), owners.len());
        for (cluster, owner) in clusters.iter().zip(owners) {
            cluster.iter().for_each(|at| self.tiles.get_mut(at).unwrap().owner = *owner);
        }
    }

    fn read_outcome(&mut self, outcome: &[u8]) {
        let &[form, who, _] = outcome else { return };
        for (number, player) in &mut self.players {
            let won = match form {
                0 => *number == who,
                1 => false,
                _ => !player.is_out(),
            };
            player.result = (won, !won);
        }
    }
}

fn item(kind: ItemKind) -> Option<String> {
    (kind != ItemKind::None).then(|| kind.to_string())
}

/// Neighbouring tiles of the same kind, in order of their first tiles.
fn clusters(map: &Map) -> Vec<Vec<Coord>> {
    let kind = |at: Coord| map.get(at).map(|tile| tile.kind);
    let mut found: Vec<Vec<Coord>> = Vec::new();
    for (at, tile) in map.tiles().filter(|(_, tile)| tile.kind.is_clustered()) {
        if found.iter().flatten().any(|known| *known == at) {
            continue;
        }
        let mut cluster = vec![at];
        let mut next = 0;
        while let Some(here) = cluster.get(next).copied() {
            let same = map.neighbours(here).filter(|beside| kind(*beside) == Some(tile.kind));
            let new: Vec<Coord> = same.filter(|beside| !cluster.contains(beside)).collect();
            cluster.extend(new);
            next += 1;
        }
        found.push(cluster);
    }
    found
}

fn vote(mut r: Reader<'_>) -> Option<Vote> {
    let id = r.u8("").unwrap().into();
    let kind = r.u8("").ok()?;
    Some(Vote {
        id,
        kind: ["surrender", "draw", "kick"][usize::from(kind)].to_owned(),
        target: r.u8("").unwrap(),
        caller: r.u8("").unwrap(),
        end: r.u64_be("").unwrap(),
        yes: r.u16_be("").unwrap(),
        no: r.u16_be("").unwrap(),
    })
}

fn unit(slots: &[(u8, &[u8])]) -> Unit {
    let &[(0, &[kind]), (1, &[owner]), (2, &[y, x]), (slot, rest), ref more @ ..] = slots else {
        panic!("components {slots:?}");
    };
    let mut r = Reader::new(rest);
    let part = match slot {
        3 => Part::Structure { hp: r.u8("").unwrap().into() },
        4 => Part::Construction {
            city: r.u8("").unwrap().into(),
            done: r.u16_be("").unwrap().into(),
            rate: r.u16_be("").unwrap().into(),
        },
        _ => Part::City(City {
            id: r.u8("").unwrap().into(),
            money: r.u32_be("").unwrap().into(),
            resources: r.u16_be("").unwrap().into(),
            export: r.u8("").unwrap().into(),
            import: r.u8("").unwrap().into(),
            income: r.u16_be("").unwrap().into(),
            capture: more.first().map(|(_, bytes)| {
                let mut r = Reader::new(bytes);
                (r.u8("").unwrap(), r.u64_be("").unwrap())
            }),
        }),
    };
    r.finish("").unwrap();
    let kind = match kind {
        4 => "city".to_owned(),
        code => StructureKind::from_code(code).to_string(),
    };
    Unit { kind, owner, at: Coord::new(y as i8, x as i8), part }
}

fn player(slots: &[(u8, &[u8])]) -> Player {
    let &[(0, &[state]), (1, times), (2, counters)] = slots else { panic!("fields {slots:?}") };
    let (mut times, mut r) = (Reader::new(times), Reader::new(counters));
    let mut counters = [0; 9];
    counters[..6].iter_mut().for_each(|counter| *counter = r.u32_be("").unwrap().into());
    counters[6..8].iter_mut().for_each(|counter| *counter = r.u64_be("").unwrap());
    counters[8] = r.u8("").unwrap().into();
    r.finish("").unwrap();
    Player {
        states: [0, 1, 2, 3].map(|bit| state >> bit & 1 == 1),
        ready_at: times.u64_be("").unwrap(),
        strike_ready: times.u64_be("").unwrap(),
        timeout_end: times.u64_be("").unwrap(),
        protection_end: times.u64_be("").unwrap(),
        counters,
        // Who is out has lost.
        result: (false, state & 1 == 1),
    }
}
