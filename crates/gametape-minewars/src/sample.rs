//! Made-up sessions: for tests, benchmarks, demonstrations and first steps.
//!
//! The same [`Sample`] gives the same bytes everywhere. Every message that the generation knows
//! occurs in a session of some hundred moments.

use crate::{FrameLayout, FrameWriter, Generation};
use gametape_wire::{Error, Result, View};

use crate::dialect::Dialect;
use crate::map::{Coord, Grid, ItemKind, Map, StructureKind, Tile, TileKind};
use crate::message::{
    Ballot, Digit, DigitTile, Duration, Message, Money, OwnedTiles, PlayerUpdate, Text, TileBuf,
    Who, whole_messages,
};
use crate::setup::CityName;
use crate::setup::{City, Setup};

/// What a made-up session is like.
///
/// ```
/// use gametape_minewars::sample::Sample;
/// use gametape_minewars::{ReplayFile, WriteOptions, write_file};
/// use gametape_minewars::Generation;
///
/// let (setup, frames) = Sample::default().build(Generation::Current)?;
/// let bytes = write_file(&setup, &frames, &WriteOptions::default())?;
/// assert_eq!(ReplayFile::open(&bytes)?.faults(), []);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// How tiles touch.
    pub grid: Grid,
    /// The outermost ring of the map.
    pub radius: u8,
    /// How many players: at most 6 in v0.1, 15 in current.
    pub players: u8,
    /// How many cities, as far as there is room for them.
    pub cities: u8,
    /// How many moments the session has.
    pub moments: u32,
    /// Another number gives another session.
    pub seed: u64,
}

impl Default for Sample {
    fn default() -> Self {
        Self { grid: Grid::Hex, radius: 10, players: 3, cities: 3, moments: 400, seed: 1 }
    }
}

impl Sample {
    /// The setup and the frames of the session.
    pub fn build(&self, generation: Generation) -> Result<(Setup, Vec<u8>)> {
        if self.radius == 0 {
            return Err(Error::misuse("sample", "nothing can be played on one tile"));
        }
        let mut dice = Dice(self.seed);
        let setup = self.setup(generation, &mut dice)?;
        let layout = FrameLayout::new(generation, setup.max_view())?;
        let mut game = Match::new(&setup, FrameWriter::new(layout), dice);
        game.begin()?;
        for moment in 0..self.moments {
            game.play(moment)?;
        }
        let frames = game.writer.into_bytes();
        Ok((setup, frames))
    }

    fn setup(&self, generation: Generation, dice: &mut Dice) -> Result<Setup> {
        let mut map = self.map(dice)?;
        let cities = self.cities(&map, dice);
        for (coord, _) in self.grid.coords(self.radius).zip(0..map.tile_count()) {
            let nearest = cities.iter().enumerate().min_by_key(|(_, city)| {
                let step = Coord::new(
                    coord.y.saturating_sub(city.at.y),
                    coord.x.saturating_sub(city.at.x),
                );
                self.grid.ring_of(step)
            });
            if let Some((id, _)) = nearest {
                map.set_region(coord, Some(id as u8))?;
            }
        }
        let mut setup = Setup::new(generation, map);
        setup.max_player = self.players;
        setup.cities = cities;
        match generation {
            Generation::V01 => {
                setup.cities.iter_mut().for_each(|city| city.name = CityName::default());
                setup.player_names =
                    Some((1..=self.players).map(|player| player_name(player).to_owned()).collect());
                setup.player_names = setup.player_names.filter(|names| !names.is_empty());
            }
            Generation::Current => {
                setup.max_sub_player = 1;
                setup.rules = b"sample rules".to_vec();
            }
        }
        Ok(setup)
    }

    /// An island with mountains, forests and hidden items.
    fn map(&self, dice: &mut Dice) -> Result<Map> {
        let water = Tile { kind: TileKind::Water, item: ItemKind::None };
        let mut map = Map::new(self.grid, self.radius, water)?;
        let shore = u16::from(self.radius - self.radius / 6);
        for coord in self.grid.coords(self.radius) {
            if self.grid.ring_of(coord) <= shore {
                map.set(coord, random_land(dice))?;
            }
        }
        for hill in 0..map.tile_count() as u64 / 60 {
            let kind = if hill % 2 == 0 { TileKind::Mountain } else { TileKind::Forest };
            self.grow_hill(&mut map, kind, dice)?;
        }
        Ok(map)
    }

    /// A cluster of up to six tiles.
    fn grow_hill(&self, map: &mut Map, kind: TileKind, dice: &mut Dice) -> Result<()> {
        let mut at = dice.tile(map);
        for _ in 0..6 {
            map.set(at, Tile { kind, item: ItemKind::None })?;
            let steps: Vec<Coord> = map.neighbours(at).collect();
            at = steps[dice.below(steps.len() as u64) as usize];
        }
        Ok(())
    }

    fn cities(&self, map: &Map, dice: &mut Dice) -> Vec<City> {
        let mut cities: Vec<City> = Vec::new();
        for _ in 0..20 * u32::from(self.cities) {
            let at = dice.tile(map);
            let on_land = map.get(at).is_some_and(|tile| tile.kind.is_land());
            let free = on_land && cities.iter().all(|city| city.at != at);
            if cities.len() < usize::from(self.cities) && free {
                cities.push(City { at, name: city_name(dice) });
            }
        }
        cities
    }
}

fn random_land(dice: &mut Dice) -> Tile {
    let kind = if dice.below(5) == 0 { TileKind::Fertile } else { TileKind::Regular };
    let item = match dice.below(12) {
        0 => ItemKind::Mine,
        1 => ItemKind::Decoy,
        _ => ItemKind::None,
    };
    Tile { kind, item }
}

/// Consonant and vowel in turn, as phoneme codes.
fn city_name(dice: &mut Dice) -> CityName<'static> {
    let mut codes = Vec::new();
    for _ in 0..2 + dice.below(2) {
        codes.push(11 + dice.below(37) as u8);
        codes.push(1 + dice.below(10) as u8);
    }
    codes.into()
}

fn player_name(player: u8) -> &'static str {
    const NAMES: [&str; 6] = ["Ada", "Børge", "Chiara", "Дмитрий", "Eun-ji", "Fatou"];
    NAMES[usize::from(player.wrapping_sub(1)) % NAMES.len()]
}

/// The match as it is played and written.
struct Match<'s> {
    setup: &'s Setup,
    writer: FrameWriter,
    dice: Dice,
    time: u64,
    /// What each view receives in this moment.
    payloads: Vec<Vec<u8>>,
    /// The tile that each player captured last.
    fronts: Vec<Coord>,
}

impl<'s> Match<'s> {
    fn new(setup: &'s Setup, writer: FrameWriter, mut dice: Dice) -> Self {
        let views = usize::from(setup.max_player) + 1;
        let fronts = (0..views).map(|_| dice.tile(&setup.map)).collect();
        Self { setup, writer, dice, time: 0, payloads: vec![Vec::new(); views], fronts }
    }

    /// Everybody joins.
    fn begin(&mut self) -> Result<()> {
        for player in 1..=self.setup.max_player {
            let name = Text::from(player_name(player));
            self.write_all(&player_message(player, 0, PlayerUpdate::Joined { name }))?;
        }
        if self.setup.generation == Generation::Current {
            self.write_all(&player_message(0, 15, PlayerUpdate::TimeLimit { seconds: 900 }))?;
        }
        self.end_moment()
    }

    /// One moment: a capture, and now and then something rarer.
    fn play(&mut self, moment: u32) -> Result<()> {
        let gap = match self.dice.below(200) {
            0 => 70_000,
            1..=20 => 0,
            _ => 10 + self.dice.below(400),
        };
        self.time += gap;
        let player = 1 + self.dice.below(u64::from(self.setup.max_player.max(1))) as u8;
        if usize::from(player) < self.payloads.len() {
            self.capture(player)?;
            if moment.is_multiple_of(3) {
                self.rarity(moment / 3, player)?;
            }
        }
        self.end_moment()
    }

    /// A player takes some tiles around the last one; only the player sees digits.
    fn capture(&mut self, player: u8) -> Result<()> {
        let front = self.fronts[usize::from(player)];
        let near: Vec<Coord> = self.setup.map.neighbours(front).collect();
        let mut tiles = OwnedTiles::new();
        for _ in 0..1 + self.dice.below(4) {
            tiles.push(near[self.dice.below(near.len() as u64) as usize]);
        }
        self.write_all(&Message::Owner { player, tiles })?;
        for tile in tiles.iter() {
            let digit =
                Digit { value: self.dice.below(4) as u8, asterisk: self.dice.below(6) == 0 };
            self.write(player, &Message::DigitSingle { digit: DigitTile { digit, tile } })?;
            self.fronts[usize::from(player)] = tile;
        }
        Ok(())
    }

    /// Goes through everything else that can happen, one kind after the other.
    fn rarity(&mut self, turn: u32, player: u8) -> Result<()> {
        let tile = self.fronts[usize::from(player)];
        let public = self.public_rarities(turn, player, tile);
        if let Some(message) = public {
            return self.write_all(&message);
        }
        for message in self.private_rarities(turn, tile) {
            self.write(player, &message)?;
            self.write(0, &message)?;
        }
        if turn % 40 == 7 {
            self.explosion(player, tile)?;
        }
        Ok(())
    }

    /// What everybody sees, for every other turn.
    fn public_rarities(&mut self, turn: u32, player: u8, tile: Coord) -> Option<Message<'static>> {
        use PlayerUpdate as P;
        let v01 = self.setup.generation == Generation::V01;
        let time = Duration(100 * (1 + self.dice.below(60) as u32));
        let text = Text::from("gg; \"well\" played");
        let id = (turn % 200) as u8;
        let kind = StructureKind::NAMED[turn as usize / 40 % StructureKind::NAMED.len()];
        let update = match turn % 40 {
            0 => P::Rtt { time },
            2 => P::Timeout { time },
            4 => P::Resume {},
            6 => P::Protected {},
            8 => P::Unprotected {},
            10 => P::ChatAll { text },
            12 => P::VoteNew { id, text: Text::from("draw") },
            14 => P::Vote { id, ballot: Ballot(id & 1) },
            16 if id & 1 == 0 => P::VoteFailed { id },
            16 => P::VotePassed { id },
            18 if !v01 => P::Lives { lives: 3 },
            20 if !v01 => P::CityCapturing { city: 0, time },
            22 if !v01 => P::CityCaptured { city: 0 },
            24 if !v01 => P::CityContested { city: 0 },
            26 if !v01 => P::Explode { tile, killer: 0 },
            28 => return Some(Message::Structure { tile, kind }),
            30 => return Some(Message::StructureHp { tile, hp: 5 }),
            32 => return Some(Message::StructureGone { tile }),
            34 => return Some(Message::SmokeStart { tile }),
            36 => return Some(Message::SmokeEnd { tile }),
            38 => match turn / 40 % 4 {
                0 => P::Surrendered {},
                1 => P::Disconnected {},
                2 => P::Kicked {},
                _ => P::Eliminated {},
            },
            _ => return None,
        };
        Some(player_message(player, if turn.is_multiple_of(3) { 0 } else { Who::EVERYONE }, update))
    }

    /// What only a player and the spectator see.
    fn private_rarities(&mut self, turn: u32, tile: Coord) -> Vec<Message<'static>> {
        let v01 = self.setup.generation == Generation::V01;
        let player = 1 + (turn % u32::from(self.setup.max_player.max(1))) as u8;
        let money = 1000 + self.dice.below(5000) as u32;
        let item = ItemKind::NAMED[turn as usize / 40 % ItemKind::NAMED.len()];
        let kind = StructureKind::NAMED[turn as usize / 40 % StructureKind::NAMED.len()];
        match turn % 40 {
            1 => {
                vec![Message::CityMoney { city: 0, money: Money { balance: money, income: None } }]
            }
            3 => {
                let money = Money { balance: money, income: Some(12) };
                vec![Message::CityMoney { city: 0, money }]
            }
            5 if v01 => vec![Message::CitySpending { city: 0, spent: 50 }],
            5 => vec![Message::CityTransaction { city: 0, amount: -50 }],
            9 => vec![Message::CityResources { city: 0, resources: 400 }],
            11 => vec![Message::CityTrade { city: 0, export: 50, import: 25 }],
            13 if v01 => vec![Message::FlagPlaced { tile }],
            13 => vec![Message::Flag { player, tile }],
            15 if v01 => vec![Message::FlagRemoved { tile }],
            15 => vec![Message::Flag { player: 0, tile }, Message::Debug { value: 7, tile }],
            17 => vec![Message::Item { tile, kind: item }],
            19 => vec![Message::ConstructionQueued { tile, kind, points: 300 }],
            21 => vec![Message::ConstructionProgress { tile, current: 100, rate: 50 }],
            23 => {
                let text = Text::from("to the left");
                vec![player_message(player, 0, PlayerUpdate::ChatFriendly { text })]
            }
            25 => vec![Message::Tile { tile, kind: TileKind::Foundation }],
            27 => vec![Message::Tremor {}],
            _ => vec![],
        }
    }

    /// A mine goes off under a player, who then sees several digits at once.
    fn explosion(&mut self, player: u8, tile: Coord) -> Result<()> {
        let mut tiles = TileBuf::new();
        tiles.push(tile);
        self.write_all(&Message::Item { tile, kind: ItemKind::Mine })?;
        self.write_all(&Message::Explosions { tiles: tiles.as_tiles() })?;
        if self.setup.generation == Generation::Current {
            self.write_all(&Message::Tile { tile, kind: TileKind::Destroyed })?;
        }
        let mut digits = crate::message::DigitBuf::new();
        for tile in self.setup.map.neighbours(tile) {
            let digit = Digit { value: self.dice.below(8) as u8, asterisk: false };
            digits.push(DigitTile { digit, tile });
        }
        self.write(player, &Message::DigitRun { digits: digits.as_digits() })
    }

    fn write_all(&mut self, message: &Message<'_>) -> Result<()> {
        (0..self.payloads.len() as u8).try_for_each(|view| self.write(view, message))
    }

    fn write(&mut self, view: u8, message: &Message<'_>) -> Result<()> {
        message.encode(self.setup.generation, &mut self.payloads[usize::from(view)]).map(drop)
    }

    fn end_moment(&mut self) -> Result<()> {
        let views: Vec<(View, &[u8])> = self
            .payloads
            .iter()
            .enumerate()
            .filter_map(|(view, payload)| Some((View::new(view as u8)?, &payload[..])))
            .collect();
        let dialect = Dialect::from(self.setup.generation);
        self.writer
            .moment(self.time, &views, |payload, limit| whole_messages(payload, limit, dialect))?;
        self.payloads.iter_mut().for_each(Vec::clear);
        Ok(())
    }
}

fn player_message(player: u8, sub: u8, update: PlayerUpdate<'_>) -> Message<'_> {
    Message::Player { who: Who { player, sub }, update }
}

/// Numbers that look random and are the same everywhere (SplitMix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is not 0.
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Some tile of the map.
    fn tile(&mut self, map: &Map) -> Coord {
        let index = self.below(map.tile_count() as u64) as usize;
        map.grid().coord_at(index).unwrap_or(Coord::CENTRE)
    }
}
