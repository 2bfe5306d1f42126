//! Made-up gamelogs for tests, benchmarks and documentation: the same for the same arguments.

use std::fmt::Write;

/// Tiles of the map: game objects 2 and on.
const TILES: u64 = 60;
/// The first unit is the game object after the tiles.
const FIRST_UNIT: u64 = 2 + TILES;

/// A gamelog of a game called `Sample` with this many deltas, at least 2, as JSON.
///
/// Its lists grow and shrink, units come and go, references change and dangle never; there are
/// nulls, fractions, large numbers, escapes, stray removals, refused calls and empty deltas, as in
/// real logs. One delta has about 300 bytes.
#[must_use]
pub fn log(deltas: usize, seed: u64) -> Vec<u8> {
    let mut game = Game::new(seed);
    let mut json = String::from(
        r#"{"gamelogVersion":"2.2.0","gameName":"Sample","gameSession":"1","constants":{"DELTA_REMOVED":"&RM","DELTA_LIST_LENGTH":"&LEN"},"deltas":["#,
    );
    json.push_str(&game.start());
    for index in 1..deltas.max(2) - 1 {
        json.push(',');
        json.push_str(&game.delta(index));
    }
    json.push_str(r#",{"type":"over","game":{"gameObjects":{"0":{"lost":true,"reasonLost":"Fewer units."},"1":{"won":true,"reasonWon":"More \"units\"."}}}}]"#);
    json.push_str(r#","epoch":1700000000000,"losers":[{"index":0,"id":"0","name":"Ann","reason":"Fewer units.","disconnected":false,"timedOut":false}],"winners":[{"index":1,"id":"1","name":"Bob","reason":"More \"units\".","disconnected":false,"timedOut":false}],"settings":{"randomSeed":"sample","maxTurns":1000}}"#);
    json.into_bytes()
}

/// What the next delta depends on.
struct Game {
    random: u64,
    turn: u64,
    /// The ids of the living units, in the order of the list.
    units: Vec<u64>,
    next_unit: u64,
    /// How long the path of each unit is.
    paths: Vec<u64>,
}

impl Game {
    fn new(seed: u64) -> Self {
        Self { random: seed, turn: 0, units: Vec::new(), next_unit: FIRST_UNIT, paths: Vec::new() }
    }

    /// A number below `below`.
    fn pick(&mut self, below: u64) -> u64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.random >> 33) % below
    }

    fn start(&self) -> String {
        let mut objects = String::new();
        for (id, name) in ["Ann", "Bob"].iter().enumerate() {
            write(
                &mut objects,
                format_args!(
                    r#""{id}":{{"clientType":"Rust","gold":0.5,"lost":false,"name":"{name}","opponent":{{"id":"{}"}},"reasonLost":"","reasonWon":"","timeRemaining":60000000000,"won":false,"gameObjectName":"Player","id":"{id}","logs":{{"&LEN":0}}}},"#,
                    1 - id
                ),
            );
        }
        for id in 2..FIRST_UNIT {
            write(
                &mut objects,
                format_args!(
                    r#""{id}":{{"gold":0,"next":{{"id":"{}"}},"unit":null,"gameObjectName":"Tile","id":"{id}","logs":{{"&LEN":0}}}},"#,
                    2 + (id - 1) % TILES
                ),
            );
        }
        objects.pop();
        format!(
            r#"{{"type":"start","game":{{"currentPlayer":{{"id":"0"}},"currentTurn":0,"gameObjects":{{{objects}}},"maxTurns":1000,"name":"Sample","players":{{"0":{{"id":"0"}},"1":{{"id":"1"}},"&LEN":2}},"session":"1","units":{{"&LEN":0}}}}}}"#
        )
    }

    fn delta(&mut self, index: usize) -> String {
        let player = self.turn % 2;
        match index % 16 {
            1 => format!(
                r#"{{"type":"order","data":{{"player":{{"id":"{player}"}},"order":{{"name":"runTurn","index":{},"args":[]}}}},"game":{{}}}}"#,
                self.turn
            ),
            0 => self.finished(player),
            3 => self.ran(player, "spawn", Self::spawn),
            9 if self.units.len() > 8 => self.ran(player, "attack", Self::attack),
            5 => self.refused(player),
            _ if self.units.is_empty() => self.ran(player, "spawn", Self::spawn),
            _ => self.ran(player, "move", Self::walk),
        }
    }

    fn ran(&mut self, player: u64, function: &str, act: fn(&mut Self) -> (u64, String)) -> String {
        let (caller, game) = act(self);
        let amount = self.pick(1_000_000);
        format!(
            r#"{{"type":"ran","data":{{"player":{{"id":"{player}"}},"run":{{"caller":{{"id":"{caller}"}},"functionName":"{function}","args":{{"amount":{amount}}}}},"returned":true}},"game":{{{game}}}}}"#
        )
    }

    fn refused(&mut self, player: u64) -> String {
        let time = self.pick(1_000_000_000);
        format!(
            r#"{{"type":"ran","data":{{"player":{{"id":"{player}"}},"invalid":"Not your \u00fcnit.","run":{{"caller":{{"id":"2"}},"functionName":"move","args":{{}}}},"returned":false}},"game":{{"7":"&RM","gameObjects":{{"{player}":{{"timeRemaining":{time}}}}}}}}}"#
        )
    }

    fn finished(&mut self, player: u64) -> String {
        let ended = self.turn;
        self.turn += 1;
        let gold = self.pick(100_000);
        format!(
            r#"{{"type":"finished","data":{{"player":{{"id":"{player}"}},"order":{{"index":{ended},"name":"runTurn","args":[],"errors":0}},"returned":true}},"game":{{"currentPlayer":{{"id":"{}"}},"currentTurn":{},"gameObjects":{{"{player}":{{"gold":{}.{gold:05}}}}}}}}}"#,
            self.turn % 2,
            self.turn,
            gold / 7,
        )
    }

    /// A new unit, on some tile.
    fn spawn(&mut self) -> (u64, String) {
        let (id, tile) = (self.next_unit, 2 + self.pick(TILES));
        let index = self.units.len();
        self.next_unit += 1;
        self.units.push(id);
        self.paths.push(0);
        let game = format!(
            r#""gameObjects":{{"{tile}":{{"unit":{{"id":"{id}"}}}},"{id}":{{"health":1e2,"owner":{{"id":"{}"}},"path":{{"&LEN":0}},"target":null,"tile":{{"id":"{tile}"}},"gameObjectName":"Unit","id":"{id}","logs":{{"&LEN":0}}}}}},"units":{{"{index}":{{"id":"{id}"}},"&LEN":{}}}"#,
            self.turn % 2,
            index + 1
        );
        (tile, game)
    }

    /// The oldest unit dies: the list moves up by one, and ends with a removal.
    fn attack(&mut self) -> (u64, String) {
        let dead = self.units.remove(0);
        self.paths.remove(0);
        let mut list = String::new();
        for (index, id) in self.units.iter().enumerate() {
            write(&mut list, format_args!(r#""{index}":{{"id":"{id}"}},"#));
        }
        let length = self.units.len();
        let game = format!(
            r#""gameObjects":{{"{dead}":{{"health":0,"owner":null,"tile":null,"logs":{{"0":"fell\n","&LEN":1}}}}}},"units":{{{list}"{length}":"&RM","&LEN":{length}}}"#
        );
        (dead, game)
    }

    /// A unit goes elsewhere: its path is made longer or cut.
    fn walk(&mut self) -> (u64, String) {
        let unit = self.pick(self.units.len() as u64) as usize;
        let (id, tile, length) = (self.units[unit], 2 + self.pick(TILES), self.pick(12));
        let mut path = String::new();
        for index in 0..length.max(self.paths[unit]) {
            let next = self.pick(TILES) + 2;
            if index < length {
                write(&mut path, format_args!(r#""{index}":{{"id":"{next}"}},"#));
            } else {
                write(&mut path, format_args!(r#""{index}":"&RM","#));
            }
        }
        self.paths[unit] = length;
        let game = format!(
            r#""gameObjects":{{"{tile}":{{"unit":{{"id":"{id}"}},"gold":{}}},"{id}":{{"path":{{{path}"&LEN":{length}}},"target":{{"id":"{tile}"}},"tile":{{"id":"{tile}"}}}}}}"#,
            self.turn
        );
        (id, game)
    }
}

/// Writing to a string cannot fail.
fn write(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}
