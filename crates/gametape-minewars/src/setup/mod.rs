//! The setup of a session ("initialization sequence"): players, cities, map and rules.

mod encode;
mod header;
mod names;
mod view;

use crate::Generation;
use gametape_wire::View;

pub use encode::EncodedSetup;
pub(crate) use encode::fit_u16;
pub use header::{MAX_PLAYERS_V01, SetupHeader, SetupPart};
pub use names::CityName;
pub use view::SetupView;

use crate::dialect::Dialect;
use crate::map::{Coord, Grid, Map};

/// Everything that is before the frames, owned: one model for both generations.
///
/// What one generation cannot hold is refused when it is encoded, see [`Setup::encode`], or dropped
/// on request by [`Setup::converted`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// The generation it was read from or is written in.
    pub generation: Generation,
    /// Version bytes; the last one is free in the current generation.
    pub version: [u8; 4],
    /// Reserved flags, bit 3 excepted, which is the grid of the map.
    pub reserved_flags: u8,
    /// The highest player id: up to 6 in v0.1, up to 15 in current; 0 = no players.
    pub max_player: u8,
    /// The highest player sub id (current).
    pub max_sub_player: u8,
    /// A name for every player (v0.1); none = anonymous.
    pub player_names: Option<Vec<String>>,
    /// The cities, in order of their ids.
    pub cities: Vec<City>,
    /// The map.
    pub map: Map,
    /// Rules, opaque (current).
    pub rules: Vec<u8>,
}

/// A city: the centre of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct City {
    /// Where it is.
    pub at: Coord,
    /// Its name (current); empty in v0.1.
    pub name: CityName<'static>,
}

impl Setup {
    /// A setup with nothing but a map.
    #[must_use]
    pub fn new(generation: Generation, map: Map) -> Self {
        Self {
            generation,
            version: default_version(generation),
            reserved_flags: 0,
            max_player: 0,
            max_sub_player: 0,
            player_names: None,
            cities: Vec::new(),
            map,
            rules: Vec::new(),
        }
    }

    /// The dialect in which frames and messages after this setup are written.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.generation.into()
    }

    /// How tiles touch.
    #[must_use]
    pub fn grid(&self) -> Grid {
        self.map.grid()
    }

    /// The flags byte.
    #[must_use]
    pub fn flags(&self) -> u8 {
        let grid = if self.grid() == Grid::Square { header::SQUARE_FLAG } else { 0 };
        self.reserved_flags | grid
    }

    /// The highest view that frames can speak of; a player id over 15 counts as 15.
    #[must_use]
    pub fn max_view(&self) -> View {
        View::new(self.max_player.min(View::MAX)).unwrap_or(View::SPECTATOR)
    }

    /// The same setup for another generation, and the names of what it cannot hold and was dropped.
    ///
    /// Players, maps and kinds are never dropped: encoding refuses those that do not fit.
    #[must_use]
    pub fn converted(&self, generation: Generation) -> (Self, Vec<&'static str>) {
        let mut setup = self.clone();
        if generation == self.generation {
            return (setup, Vec::new());
        }
        setup.generation = generation;
        setup.version = default_version(generation);
        let dropped = match generation {
            Generation::V01 => setup.drop_for_v01(),
            Generation::Current => vec![("player names", setup.player_names.take().is_some())],
        };
        (setup, dropped.into_iter().filter(|(_, was_there)| *was_there).map(|(n, _)| n).collect())
    }

    fn drop_for_v01(&mut self) -> Vec<(&'static str, bool)> {
        let names = self.cities.iter_mut().map(|city| std::mem::take(&mut city.name));
        let named = names.filter(|name| !name.is_empty()).count() > 0;
        let sub_players = std::mem::take(&mut self.max_sub_player) > 0;
        let rules = !std::mem::take(&mut self.rules).is_empty();
        vec![("city names", named), ("player sub ids", sub_players), ("rules", rules)]
    }
}

const fn default_version(generation: Generation) -> [u8; 4] {
    match generation {
        Generation::V01 => [0, 1, 0, 0],
        Generation::Current => [0, 0, 1, 0],
    }
}
