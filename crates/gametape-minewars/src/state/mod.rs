//! What one view knows, carried forward by messages.

mod canonical;
mod geography;
mod owned;
mod people;
mod rebuild;
mod replay;
#[cfg(feature = "serde")]
pub(crate) mod shape;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Generation;
use gametape_wire::{Error, ErrorKind, Place, Result, View};

use crate::map::{Coord, Grid, ItemKind, Map, StructureKind, TileKind};
use crate::message::{Digit, DigitTile, Message, PlayerUpdate, Who};

use geography::Geography;
use owned::Owned;
use people::People;

pub use replay::{Replayed, replay_view};

pub use people::{CityState, ClientState, Gone, PlayerState, VoteState};

/// What one view knows at one moment: tiles, cities, players.
///
/// Starts as the map of the setup, is carried forward by [`apply`](Self::apply), and has one
/// [canonical byte form](Self::to_bytes) with a [hash](Self::hash): equal states have equal bytes.
///
/// ```
/// use gametape_minewars::{Coord, Grid, ItemKind, Map, Message, Tile, TileKind, ViewState};
/// use gametape_minewars::Generation;
/// use gametape_wire::View;
///
/// let land = Tile { kind: TileKind::Regular, item: ItemKind::None };
/// let map = Map::new(Grid::Hex, 3, land)?;
/// let mut state = ViewState::new(&map, View::SPECTATOR, Generation::Current);
/// state.apply(&Message::Owner { player: 2, tiles: Coord::new(1, -1).into() })?;
/// assert_eq!(state.tile(Coord::new(1, -1)).unwrap().owner, 2);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewState {
    geography: Arc<Geography>,
    view: View,
    generation: Generation,
    /// One byte a tile for each [`Layer`], layer after layer, tiles in ring order.
    layers: Vec<u8>,
    /// The owner of each cluster; the owner layer of its tiles does not count.
    cluster_owners: Vec<u8>,
    /// Structures being built, by index in ring order.
    pending: BTreeMap<u32, Pending>,
    people: People,
    owned: Owned,
}

/// What is known of a tile, one byte each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layer {
    /// Tile kind.
    Ground,
    /// Item kind.
    Item,
    /// Player, 0 for nobody.
    Owner,
    /// 0 for none, else 1 + the four bits of the wire.
    Digit,
    /// 0 for none, else 1 + structure kind.
    Structure,
    /// Hit points, 0 for unknown.
    Hp,
    /// 0 for none, a player, or [`UNNAMED_FLAG`].
    Flag,
    /// 1 while hidden in smoke.
    Smoke,
}

/// How many layers there are.
const LAYERS: usize = Layer::Smoke as usize + 1;

/// A flag of v0.1, which does not say whose it is.
const UNNAMED_FLAG: u8 = 16;

/// A structure that is being built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pending {
    /// What it will be; unknown when only its progress was received.
    pub kind: Option<StructureKind>,
    /// Points needed in all.
    pub points: u16,
    /// Points so far.
    pub current: u16,
    /// Points per update.
    pub rate: u16,
}

/// What a view knows of one tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileState {
    /// The ground.
    pub kind: TileKind,
    /// What lies on it.
    pub item: ItemKind,
    /// The player who owns it, 0 for nobody.
    pub owner: u8,
    /// The digit it shows.
    pub digit: Option<Digit>,
    /// The structure on it.
    pub structure: Option<StructureKind>,
    /// The structure's hit points, 0 while unknown.
    pub hp: u8,
    /// The structure being built on it.
    pub pending: Option<Pending>,
    /// The flag on it.
    pub flag: Option<FlagState>,
    /// Hidden in smoke.
    pub smoke: bool,
}

/// A flag on a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagState {
    /// Somebody's: v0.1 does not say whose.
    Unnamed,
    /// This player's.
    Of(u8),
}

impl ViewState {
    /// What `view` knows before the first message: the map, and if it is the spectator's view also
    /// the items on it.
    #[must_use]
    pub fn new(map: &Map, view: View, generation: Generation) -> Self {
        let geography = Arc::new(Geography::of(map));
        let count = geography.tile_count;
        let mut state = Self {
            layers: vec![0; count * LAYERS],
            cluster_owners: vec![0; geography.cluster_count()],
            geography,
            view,
            generation,
            pending: BTreeMap::new(),
            people: People::default(),
            owned: Owned::default(),
        };
        for (index, (_, tile)) in map.tiles().enumerate() {
            state.set(Layer::Ground, index, tile.kind.code());
            if view == View::SPECTATOR {
                state.set(Layer::Item, index, tile.item.code());
            }
        }
        state
    }

    /// Whose knowledge it is.
    #[must_use]
    pub fn view(&self) -> View {
        self.view
    }

    /// The generation whose messages carry it forward.
    #[must_use]
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// How tiles touch.
    #[must_use]
    pub fn grid(&self) -> Grid {
        self.geography.grid
    }

    /// The outermost ring of the map.
    #[must_use]
    pub fn radius(&self) -> u8 {
        self.geography.radius
    }

    /// What is known of `tile`, where it is on the map.
    #[must_use]
    pub fn tile(&self, tile: Coord) -> Option<TileState> {
        self.geography.index_of(tile).map(|index| self.tile_at(index))
    }

    /// Every tile in ring order.
    pub fn tiles(&self) -> impl Iterator<Item = (Coord, TileState)> {
        let coords = self.grid().coords(self.radius());
        coords.enumerate().map(|(index, coord)| (coord, self.tile_at(index)))
    }

    /// Every player who is known of.
    pub fn players(&self) -> impl Iterator<Item = (u8, &PlayerState)> {
        self.people.players.iter().map(|(id, player)| (*id, player))
    }

    /// Every city that is known of.
    pub fn cities(&self) -> impl Iterator<Item = (u8, &CityState)> {
        self.people.cities.iter().map(|(id, city)| (*id, city))
    }

    /// Every vote being held.
    pub fn votes(&self) -> impl Iterator<Item = (u8, &VoteState)> {
        self.people.votes.iter().map(|(id, vote)| (*id, vote))
    }

    /// Seconds that were left when a time limit was last received.
    #[must_use]
    pub fn time_limit(&self) -> Option<u16> {
        self.people.time_limit
    }

    /// About how many bytes of memory it takes, without the shape of the map, which copies share.
    #[must_use]
    pub fn memory(&self) -> usize {
        let tiles = self.layers.len() + self.cluster_owners.len();
        size_of::<Self>()
            + tiles
            + people::entries_memory::<u32, Pending>(self.pending.len())
            + self.people.memory()
            + self.owned.memory()
    }

    /// The tiles about which two states of the same map know different things.
    ///
    /// `None` when the maps have different shapes.
    #[must_use]
    pub fn changed_tiles<'s>(
        &'s self,
        other: &'s Self,
    ) -> Option<impl Iterator<Item = (Coord, TileState, TileState)> + 's> {
        let same_shape = self.grid() == other.grid() && self.radius() == other.radius();
        same_shape.then(|| {
            self.tiles()
                .zip(other.tiles())
                .filter(|((_, a), (_, b))| a != b)
                .map(|((coord, a), (_, b))| (coord, a, b))
        })
    }

    /// Calls every client that joined as `name` says, and every vote `vote`, as if they had been called
    /// so from the start.
    pub fn rename(&mut self, name: &dyn Fn(Who) -> String, vote: &[u8]) {
        self.people.rename(name, vote);
    }

    /// Carries the state forward by one message.
    ///
    /// A tile that is not on the map is reported and changes nothing; the rest of the message
    /// still counts.
    pub fn apply(&mut self, message: &Message<'_>) -> Result<()> {
        match *message {
            Message::Player { who, update } => {
                if update == (PlayerUpdate::Eliminated {}) && who.player != 0 {
                    self.neutralise(who.player);
                }
                self.people.apply(who, update);
                Ok(())
            }
            // Shown for a moment, then gone.
            Message::Tremor {} | Message::Debug { .. } => Ok(()),
            Message::CityMoney { city, money } => {
                self.people.city(city).set_money(money);
                Ok(())
            }
            Message::CitySpending { city, spent } => {
                self.people.city(city).move_money(-i32::from(spent));
                Ok(())
            }
            Message::CityTransaction { city, amount } => {
                self.people.city(city).move_money(i32::from(amount));
                Ok(())
            }
            Message::CityResources { city, resources } => {
                self.people.city(city).resources = Some(resources);
                Ok(())
            }
            Message::CityTrade { city, export, import } => {
                self.people.city(city).trade = Some((export, import));
                Ok(())
            }
            _ => self.apply_to_tiles(message),
        }
    }

    fn apply_to_tiles(&mut self, message: &Message<'_>) -> Result<()> {
        match *message {
            Message::SmokeStart { tile } => self.put(tile, Layer::Smoke, 1),
            Message::SmokeEnd { tile } => self.put(tile, Layer::Smoke, 0),
            Message::FlagPlaced { tile } => self.put(tile, Layer::Flag, UNNAMED_FLAG),
            Message::FlagRemoved { tile } => self.put(tile, Layer::Flag, 0),
            Message::Flag { player, tile } => self.put(tile, Layer::Flag, player & 15),
            Message::Item { tile, kind } => self.put(tile, Layer::Item, kind.code()),
            Message::Tile { tile, kind } => {
                self.index_of(tile).map(|i| self.change_ground(i, kind))
            }
            Message::Structure { tile, kind } => self.index_of(tile).map(|index| {
                self.set(Layer::Structure, index, 1 + kind.code());
                self.pending.remove(&(index as u32));
            }),
            Message::StructureHp { tile, hp } => self.put(tile, Layer::Hp, hp),
            Message::StructureGone { tile } => self.index_of(tile).map(|i| self.clear_structure(i)),
            Message::ConstructionQueued { tile, kind, points } => {
                let kind = Some(kind);
                self.queue(tile, |_| Pending { kind, points, current: 0, rate: 0 })
            }
            Message::ConstructionProgress { tile, current, rate } => {
                self.queue(tile, |known| Pending { current, rate, ..known })
            }
            Message::Explosions { tiles } => self.each(tiles.iter(), Self::explode),
            Message::Owner { player, tiles } => {
                self.each(tiles.iter(), |state, index| state.change_owner(index, player))
            }
            Message::DigitSingle { digit } => self.show_digits([digit]),
            Message::DigitRun { digits } => self.show_digits(digits.iter()),
            _ => Ok(()),
        }
    }

    /// Does `change` to every tile that is on the map, and reports the first that is not.
    fn each(
        &mut self,
        tiles: impl Iterator<Item = Coord>,
        change: impl Fn(&mut Self, usize),
    ) -> Result<()> {
        let mut result = Ok(());
        for tile in tiles {
            match self.index_of(tile) {
                Ok(index) => change(self, index),
                Err(error) => result = result.and(Err(error)),
            }
        }
        result
    }

    fn show_digits(&mut self, digits: impl IntoIterator<Item = DigitTile>) -> Result<()> {
        let mut result = Ok(());
        for DigitTile { digit, tile } in digits {
            match self.index_of(tile) {
                Ok(index) => self.show_digit(index, digit),
                Err(error) => result = result.and(Err(error)),
            }
        }
        result
    }

    /// A player's digit also means that the player owns the tile; the spectator owns nothing.
    fn show_digit(&mut self, index: usize, digit: Digit) {
        if self.view != View::SPECTATOR {
            self.change_owner(index, self.view.number());
        }
        self.set(Layer::Digit, index, 1 + digit.to_nibble());
    }

    /// A digit counts what its owner does not own, so it goes with the owner.
    fn change_owner(&mut self, index: usize, player: u8) {
        if self.owner_at(index) == player {
            return;
        }
        match self.cluster(index) {
            Some(cluster) => {
                self.cluster_owners[cluster] = player;
                self.note_owner(self.geography.tile_count + cluster, player);
            }
            None => {
                self.set(Layer::Owner, index, player);
                self.set(Layer::Digit, index, 0);
                self.note_owner(index, player);
            }
        }
    }

    /// A tile takes its owner along when it leaves a cluster, and the cluster's when it joins.
    fn change_ground(&mut self, index: usize, kind: TileKind) {
        let owner = self.owner_at(index);
        self.set(Layer::Ground, index, kind.code());
        let own = if self.cluster(index).is_some() { 0 } else { owner };
        self.set(Layer::Owner, index, own);
        self.note_owner(index, own);
    }

    /// A player owns a tile, or a cluster by its number after the tiles.
    fn note_owner(&mut self, index: usize, player: u8) {
        self.owned.note(index, player, self.geography.tile_count + self.cluster_owners.len());
    }

    fn explode(&mut self, index: usize) {
        self.set(Layer::Item, index, ItemKind::None.code());
        // In the current generation a TILE message says what became of the ground.
        if self.generation == Generation::V01 {
            self.change_ground(index, TileKind::Destroyed);
        }
    }

    fn clear_structure(&mut self, index: usize) {
        self.set(Layer::Structure, index, 0);
        self.set(Layer::Hp, index, 0);
        self.pending.remove(&(index as u32));
    }

    fn queue(&mut self, tile: Coord, update: impl FnOnce(Pending) -> Pending) -> Result<()> {
        let index = self.index_of(tile)? as u32;
        let nothing = Pending { kind: None, points: 0, current: 0, rate: 0 };
        let known = self.pending.get(&index).copied().unwrap_or(nothing);
        self.pending.insert(index, update(known));
        Ok(())
    }

    /// An eliminated player's land becomes nobody's, and shows no digits.
    fn neutralise(&mut self, player: u8) {
        let count = self.geography.tile_count;
        let owners = &self.layers[Layer::Owner as usize * count..][..count];
        let owners = owners.iter().chain(&self.cluster_owners).copied();
        for index in self.owned.take(player, owners) {
            let index = index as usize;
            match index.checked_sub(count) {
                Some(cluster) if self.cluster_owners[cluster] == player => {
                    self.cluster_owners[cluster] = 0;
                }
                None if self.get(Layer::Owner, index) == player => {
                    self.set(Layer::Owner, index, 0);
                    self.set(Layer::Digit, index, 0);
                }
                _ => {}
            }
        }
    }

    fn tile_at(&self, index: usize) -> TileState {
        let get = |layer| self.get(layer, index);
        TileState {
            kind: TileKind::from_code(get(Layer::Ground)),
            item: ItemKind::from_code(get(Layer::Item)),
            owner: self.owner_at(index),
            digit: get(Layer::Digit).checked_sub(1).map(Digit::from_nibble),
            structure: get(Layer::Structure).checked_sub(1).map(StructureKind::from_code),
            hp: get(Layer::Hp),
            pending: self.pending.get(&(index as u32)).copied(),
            flag: match get(Layer::Flag) {
                0 => None,
                UNNAMED_FLAG => Some(FlagState::Unnamed),
                player => Some(FlagState::Of(player)),
            },
            smoke: get(Layer::Smoke) != 0,
        }
    }

    fn owner_at(&self, index: usize) -> u8 {
        match self.cluster(index) {
            Some(cluster) => self.cluster_owners[cluster],
            None => self.get(Layer::Owner, index),
        }
    }

    fn cluster(&self, index: usize) -> Option<usize> {
        self.geography.cluster(index, self.get(Layer::Ground, index))
    }

    fn get(&self, layer: Layer, index: usize) -> u8 {
        self.layers[layer as usize * self.geography.tile_count + index]
    }

    fn set(&mut self, layer: Layer, index: usize, value: u8) {
        self.layers[layer as usize * self.geography.tile_count + index] = value;
    }

    fn put(&mut self, tile: Coord, layer: Layer, value: u8) -> Result<()> {
        self.index_of(tile).map(|index| self.set(layer, index, value))
    }

    fn index_of(&self, tile: Coord) -> Result<usize> {
        self.geography.index_of(tile).ok_or_else(|| off_map(tile))
    }
}

/// Is a message about a tile that is not on the map? That changes nothing for any reader, and recorded
/// sessions have some: a warning (`spec/minewars-tools.md`, section 1), while all else that is wrong with
/// a message is an error.
#[must_use]
pub fn is_off_map(error: &Error) -> bool {
    error.item() == "tile" && matches!(error.kind(), ErrorKind::BadSyntax { .. })
}

#[cold]
fn off_map(tile: Coord) -> Error {
    let problem = format!("{tile} is not on the map").into();
    Error::new(Place::Nowhere, "tile", ErrorKind::BadSyntax { problem })
}
