//! Scenes of MineWars views: `spec/scene.md`, section 5.

mod kinds;
mod words;

use std::any::Any;

use gametape_minewars::{
    CityState, Coord, Dialect, Grid, ItemKind, NamedCity, Pending, ReplayFile, Setup, TileState,
    ViewState, cities_of_file, cities_of_setup,
};
use gametape_wire::{SortedMap, View};

use crate::inspect::{self, Inspection, Target};
use crate::layers::LayerBuilder;
use crate::model::{Board, Datum, Line, Piece, Player, Scene, Shape, TileAt, Title, Value};
use crate::visible::{Context, NamedPlace, Visible};

/// What a setup says to everybody.
#[must_use]
pub fn context_of_setup(setup: &Setup) -> Context {
    let names = setup.player_names.iter().flatten().cloned();
    context(setup.dialect(), setup.max_player, cities_of_setup(setup))
        .with_names((1..=15).zip(names))
}

/// What the setup of a file says to everybody, as far as it can be read.
#[must_use]
pub fn context_of_file(file: &ReplayFile<'_>) -> Context {
    let names = file.setup().player_names().ok().flatten().unwrap_or_default();
    let names = (1..=15).zip(names.into_iter().map(str::to_owned));
    context(file.dialect(), file.setup().header().max_player, cities_of_file(file))
        .with_names(names)
}

fn context(dialect: Dialect, seats: u8, cities: SortedMap<u8, NamedCity>) -> Context {
    let named =
        |(id, city): (u8, NamedCity)| (id, NamedPlace { at: tile_at(city.at), name: city.name });
    let mut context = Context::new().of_game("MineWars");
    context.seats = seats.min(View::MAX);
    context.places = cities.into_iter().map(named).collect();
    context.dialect = Some(dialect.name().to_owned());
    context
}

/// The names of all who joined as one player.
fn joined_name(state: &ViewState, player: u8) -> Option<String> {
    let known = state.players().find(|(id, _)| *id == player);
    let clients = known.into_iter().flat_map(|(_, player)| player.clients.values());
    let names = clients.map(|client| String::from_utf8_lossy(&client.name).trim().to_owned());
    let names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// What a view knows, and what everybody knows.
#[derive(Debug, Clone, Copy)]
struct Seen<'a> {
    state: &'a ViewState,
    context: &'a Context,
}

impl Visible for ViewState {
    fn scene(&self, context: &Context) -> Scene {
        Seen { state: self, context }.scene()
    }

    fn inspect(&self, scene: &Scene, target: &Target) -> Option<Inspection> {
        let mut found = inspect::inspect(scene, target)?;
        if let Target::Tile(at) = target
            && let Some(known) = coord_of(*at).and_then(|coord| self.tile(coord))
        {
            found.values.extend(tile_values(&known));
        }
        Some(found)
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn lines(&self, change: &[u8], context: &Context) -> Vec<Line> {
        words::lines(&Seen { state: self, context }, change)
    }

    fn disassemble(&self, change: &[u8], context: &Context) -> Vec<String> {
        words::disassemble(change, words::dialect(context))
    }
}

impl Seen<'_> {
    fn scene(&self) -> Scene {
        let mut scene = Scene::new(self.context.game.as_deref().unwrap_or("MineWars"));
        let board = self.board();
        let land = land(&board);
        let player = |number: u8| self.player(number, land[usize::from(number)]);
        scene.players = (1..=self.player_count(&board.owners)).map(player).collect();
        scene.title = Title {
            match_name: self.context.match_name.clone(),
            players: scene.players.iter().map(|player| player.name.clone()).collect(),
            view: self.viewer(),
            ..scene.title
        };
        scene.facts = self.facts();
        scene.board = Some(board);
        scene
    }

    /// The name of a player: as they joined, else as the recording gives it, else the number.
    fn name(&self, player: u8) -> String {
        joined_name(self.state, player)
            .or_else(|| self.context.names.get(&player).cloned())
            .unwrap_or_else(|| format!("player {player}"))
    }

    fn city_name(&self, city: u8) -> String {
        let name = self.context.places.get(&city).and_then(|place| place.name.clone());
        name.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| format!("city {city}"))
    }

    /// How many players there are: every seat, so that the number of a player is that of the seat.
    fn player_count(&self, owners: &[u8]) -> u8 {
        let named = self.context.names.keys().copied();
        let heard = self.state.players().map(|(player, _)| player);
        let owners = owners.iter().copied();
        let own = [self.context.seats, self.state.view().number()];
        named.chain(heard).chain(owners).chain(own).max().unwrap_or(0).min(View::MAX)
    }

    fn viewer(&self) -> Option<String> {
        let view = self.state.view();
        (view != View::SPECTATOR).then(|| self.name(view.number()))
    }

    fn board(&self) -> Board {
        let shape = match self.state.grid() {
            Grid::Hex => Shape::Hex,
            Grid::Square => Shape::Square,
        };
        let coords = self.state.grid().coords(self.state.radius());
        let tiles: Vec<TileAt> = coords.map(tile_at).collect();
        let mut layers = Layers::new(tiles.len());
        let mut owners = vec![0; tiles.len()];
        for (index, (_, tile)) in self.state.tiles().enumerate() {
            layers.put(index, &tile);
            owners[index] = tile.owner;
        }
        let mut board = Board::new(shape, tiles);
        (board.up, board.rows_first) = (true, true);
        if owners.iter().any(|owner| *owner != 0) {
            board.owners = owners;
        }
        board.layers = layers.finish();
        if !self.context.places.is_empty() {
            board.kinds.push(kinds::city());
        }
        board.pieces = self.context.places.iter().map(|(id, at)| self.city(*id, at)).collect();
        board
    }

    fn city_state(&self, id: u8) -> Option<&CityState> {
        self.state.cities().find(|(city, _)| *city == id).map(|(_, city)| city)
    }

    /// Whose a city is: as the messages say unless they are out, else whoever owns its tile.
    fn city_owner(&self, id: u8, at: TileAt) -> u8 {
        let said = self.city_state(id).map_or(0, |city| city.owner);
        let tile = coord_of(at).and_then(|coord| self.state.tile(coord));
        let on_tile = tile.map_or(0, |tile| tile.owner);
        let is_out = || self.state.players().any(|(id, player)| id == said && player.eliminated);
        if said == 0 || is_out() { on_tile } else { said }
    }

    fn city(&self, id: u8, place: &NamedPlace) -> Piece {
        let mut piece = Piece::new(format!("city {id}"), 1, place.at);
        piece.glyph = Some(kinds::city_glyph(id));
        piece.owner = self.city_owner(id, place.at);
        piece.label = place.name.clone().filter(|name| !name.trim().is_empty());
        piece.values = self.city_state(id).map(city_values).unwrap_or_default();
        piece
    }

    fn player(&self, number: u8, land: i64) -> Player {
        let mut player = Player::new(number, number.to_string(), self.name(number));
        player.values.push(Value::new("land", land));
        self.add_city_values(number, &mut player.values);
        if let Some((_, known)) = self.state.players().find(|(id, _)| *id == number) {
            player.eliminated = known.eliminated;
            player.values.extend(known.lives.map(|lives| Value::new("lives", i64::from(lives))));
            let flags = [("gave up", known.surrendered), ("protected", known.protected)];
            let flags = flags.into_iter().filter(|(_, is)| *is);
            player.values.extend(flags.map(|(name, is)| Value::new(name, is)));
            player.values.extend(known.timeout.map(|_| Value::new("stunned", true)));
        }
        player
    }

    /// What is known of all cities of a player together.
    fn add_city_values(&self, player: u8, values: &mut Vec<Value>) {
        let cities = self.context.places.iter();
        let own: Vec<u8> = cities
            .filter(|(id, place)| self.city_owner(**id, place.at) == player)
            .map(|(id, _)| *id)
            .collect();
        if !self.context.places.is_empty() {
            values.push(Value::new("cities", own.len() as i64));
        }
        let known = || own.iter().filter_map(|id| self.city_state(*id));
        let money: Vec<i64> = known().filter_map(|city| city.money.map(i64::from)).collect();
        let income: Vec<i64> = known().filter_map(|city| city.income.map(i64::from)).collect();
        for (name, sums) in [("money", money), ("income", income)] {
            if !sums.is_empty() {
                values.push(Value::new(name, sums.iter().sum::<i64>()));
            }
        }
    }

    fn facts(&self) -> Vec<Value> {
        let time = self.context.time.map(|time| Value::new("time", time.to_string()));
        let view = self.viewer().is_none().then(|| Value::new("view", "spectator"));
        let limit = self.state.time_limit().map(|seconds| {
            let left = gametape_wire::Time::from_millis(u64::from(seconds) * 1000);
            Value::new("time limit", left.to_string())
        });
        let votes = self
            .state
            .votes()
            .map(|(_, vote)| Value::new("vote", String::from_utf8_lossy(&vote.text).into_owned()));
        let facts = [time, view, limit].into_iter().flatten();
        facts.chain(votes).collect()
    }
}

/// The layers of a board being built.
struct Layers {
    ground: LayerBuilder<u8>,
    item: LayerBuilder<u8>,
    construction: LayerBuilder<u8>,
    structure: LayerBuilder<u8>,
    digit: LayerBuilder<u8>,
    flag: LayerBuilder<u8>,
    smoke: LayerBuilder<u8>,
}

impl Layers {
    fn new(tiles: usize) -> Self {
        let layer = |name| LayerBuilder::new(name, tiles);
        Self {
            ground: layer("ground"),
            item: layer("item"),
            construction: layer("construction"),
            structure: layer("structure"),
            digit: layer("digit"),
            flag: layer("flag"),
            smoke: layer("smoke"),
        }
    }

    fn put(&mut self, index: usize, tile: &TileState) {
        self.ground.put(index, tile.kind.code(), |_| kinds::ground(tile.kind));
        if tile.item != ItemKind::None {
            self.item.put(index, tile.item.code(), |_| kinds::item(tile.item));
        }
        if let Some(Pending { kind, .. }) = tile.pending {
            let code = kind.map_or(u8::MAX, gametape_minewars::StructureKind::code);
            self.construction.put(index, code, |_| kinds::construction(kind));
        }
        if let Some(kind) = tile.structure {
            self.structure.put(index, kind.code(), |_| kinds::structure(kind));
        }
        if let Some(digit) = tile.digit {
            self.digit
                .put(index, digit.value << 1 | u8::from(digit.asterisk), |_| kinds::digit(digit));
        }
        if let Some(flag) = tile.flag {
            self.flag.put(index, kinds::flag_code(flag), |_| kinds::flag(flag));
        }
        if tile.smoke {
            self.smoke.put(index, 0, |_| kinds::smoke());
        }
    }

    fn finish(self) -> Vec<crate::model::Layer> {
        let Self { ground, item, construction, structure, digit, flag, smoke } = self;
        [ground, item, construction, structure, digit, flag, smoke]
            .into_iter()
            .filter_map(LayerBuilder::finish)
            .collect()
    }
}

/// Counts the land of players again: on a board that several views made together.
#[cfg(feature = "stage")]
pub(crate) fn recount_land(scene: &mut Scene) {
    let Some(board) = &scene.board else { return };
    let land = land(board);
    for (player, number) in scene.players.iter_mut().zip(1..) {
        for value in player.values.iter_mut().filter(|value| value.name == "land") {
            value.value = Datum::Integer(land[number]);
        }
    }
}

/// How many tiles each player owns.
fn land(board: &Board) -> [i64; 256] {
    let mut land = [0; 256];
    board.owners.iter().for_each(|owner| land[usize::from(*owner)] += 1);
    land
}

/// A tile in a scene.
fn tile_at(at: Coord) -> TileAt {
    TileAt::new(at.x.into(), at.y.into())
}

/// A tile of a scene in the game.
pub(crate) fn coord_of(at: TileAt) -> Option<Coord> {
    Some(Coord::new(i8::try_from(at.y).ok()?, i8::try_from(at.x).ok()?))
}

fn tile_values(tile: &TileState) -> Vec<Value> {
    let hp = (tile.hp != 0).then(|| Value::new("hit points", i64::from(tile.hp)));
    let building = tile.pending.map(|Pending { points, current, rate, .. }| {
        [("built", current), ("needed", points), ("rate", rate)]
            .map(|(name, number)| Value::new(name, i64::from(number)))
    });
    hp.into_iter().chain(building.into_iter().flatten()).collect()
}

fn city_values(city: &CityState) -> Vec<Value> {
    let player = |player: u8| Datum::Player { player };
    let number = |name, number: Option<i64>| number.map(|number| Value::new(name, number));
    [
        number("money", city.money.map(i64::from)),
        number("income", city.income.map(i64::from)),
        number("resources", city.resources.map(i64::from)),
        number("export", city.trade.map(|(export, _)| export.into())),
        number("import", city.trade.map(|(_, import)| import.into())),
        city.capturing.map(|(by, _)| Value::new("captured by", player(by))),
        number("captured in ms", city.capturing.map(|(_, time)| time.into())),
        city.contested_by.map(|by| Value::new("contested by", player(by))),
    ]
    .into_iter()
    .flatten()
    .collect()
}
