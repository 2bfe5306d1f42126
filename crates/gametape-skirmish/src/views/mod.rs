//! What each view is reported; normative text: `spec/skirmish.md`, section 10.
//!
//! A view is reported the difference between what it knows, a [`ViewState`], and what the rules let it
//! know. So what its messages add up to is what it may know, and nothing is reported twice.

mod cities;
#[cfg(test)]
mod oracle;
mod people;
#[cfg(test)]
mod tests;
mod tiles;

use gametape_minewars::Generation;
use gametape_minewars::{
    Coord, Duration, Message, Packer, PlayerUpdate, Setup, Text, TileBuf, ViewState, Who,
};
use gametape_wire::{Result, View};

use crate::atlas::Cell;
use crate::order::Command;
use crate::world::{Moment, Skirmish};

/// Makes the messages of all views, tick by tick.
#[derive(Debug, Clone)]
pub struct Views {
    generation: Generation,
    viewers: Vec<Viewer>,
    begun: bool,
}

/// One view: what it knows, and what it is being told.
#[derive(Debug, Clone)]
struct Viewer {
    view: View,
    state: ViewState,
    /// Tiles to look at in this tick.
    cells: Vec<Cell>,
}

/// A view while it is being told what happened in a tick.
struct Telling<'v> {
    game: &'v Skirmish,
    generation: Generation,
    view: View,
    state: &'v mut ViewState,
    packer: Packer,
}

impl Views {
    /// The views of a game that has not begun, in the words of a generation.
    #[must_use]
    pub fn new(game: &Skirmish, generation: Generation) -> Self {
        let map = &game.land.map;
        let viewer =
            |view| Viewer { view, state: ViewState::new(map, view, generation), cells: Vec::new() };
        let views = (0..=game.config.players()).filter_map(View::new);
        Self { generation, viewers: views.map(viewer).collect(), begun: false }
    }

    /// Goes on with views that were kept, the spectator's first.
    ///
    /// Their states must be those of the game's tick.
    #[must_use]
    pub fn resume(generation: Generation, states: Vec<ViewState>) -> Self {
        let viewer = |state: ViewState| Viewer { view: state.view(), state, cells: Vec::new() };
        Self { generation, viewers: states.into_iter().map(viewer).collect(), begun: true }
    }

    /// What a view knows: the spectator, or a player.
    #[must_use]
    pub fn state(&self, view: View) -> Option<&ViewState> {
        self.viewers.get(usize::from(view.number())).map(|viewer| &viewer.state)
    }

    /// The generation in whose words views are reported.
    #[must_use]
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// Tells every view what the game's last tick lets it know, and what was said and reported in
    /// it; gives each view's payload, the spectator's first.
    pub fn update(&mut self, game: &Skirmish, said: &[(u8, Command)]) -> Result<Vec<Vec<u8>>> {
        let first = !std::mem::replace(&mut self.begun, true);
        let generation = self.generation;
        let tell = |viewer: &mut Viewer| viewer.update(game, generation, said, first);
        self.viewers.iter_mut().map(tell).collect()
    }
}

impl Viewer {
    fn update(
        &mut self,
        game: &Skirmish,
        generation: Generation,
        said: &[(u8, Command)],
        first: bool,
    ) -> Result<Vec<u8>> {
        self.find_cells(game, first);
        let (view, state) = (self.view, &mut self.state);
        let packer = Packer::new(generation);
        let mut telling = Telling { game, generation, view, state, packer };
        if first {
            telling.begin();
        }
        telling.tremor();
        game.log.moments.iter().for_each(|moment| telling.moment(moment));
        telling.tiles(&self.cells);
        telling.cities(first);
        telling.clock(first);
        said.iter().for_each(|(player, command)| telling.said(*player, command));
        telling.packer.finish()
    }

    /// Which tiles to look at: those that changed, and those that came into sight.
    fn find_cells(&mut self, game: &Skirmish, first: bool) {
        self.cells.clear();
        if first {
            self.cells.extend(&game.atlas.ring_order);
        } else {
            self.cells.extend(&game.log.touched);
            let own = game.log.sighted.iter().filter(|(p, _)| *p == self.view.number());
            self.cells.extend(own.map(|(_, cell)| cell));
        }
        self.cells.sort_unstable();
        self.cells.dedup();
    }
}

impl Telling<'_> {
    /// Tells a message. What the generation has no words for is not told.
    fn tell(&mut self, message: &Message<'_>) {
        if self.packer.push(message).is_ok() {
            let known = self.state.apply(message);
            debug_assert!(known.is_ok(), "{known:?}");
        }
    }

    fn tell_of(&mut self, player: u8, update: PlayerUpdate<'_>) {
        let who = Who::whole(player, self.generation);
        self.tell(&Message::Player { who, update });
    }

    /// Tells of the one client that a player has.
    fn tell_of_client(&mut self, player: u8, update: PlayerUpdate<'_>) {
        self.tell(&Message::Player { who: Who { player, sub: 0 }, update });
    }

    fn tell_owner(&mut self, tile: Coord, player: u8) {
        let mut tiles = TileBuf::new();
        tiles.push(tile);
        self.tell(&Message::Owner { player, tiles: tiles.as_tiles() });
    }

    fn is_spectator(&self) -> bool {
        self.view == View::SPECTATOR
    }

    fn is_me(&self, player: u8) -> bool {
        self.view.number() == player && !self.is_spectator()
    }

    fn sees(&self, cell: Cell) -> bool {
        self.is_spectator() || self.game.sees(self.view.number(), cell)
    }

    /// A time as the generation's byte can say it.
    fn duration(&self, ms: u32) -> Duration {
        let (byte, _) = Duration(ms).to_byte(self.generation);
        Duration::from_byte(byte, self.generation)
    }

    fn begin(&mut self) {
        for (number, name) in self.game.config.names.iter().enumerate() {
            let name = Text::from(&name[..]);
            self.tell_of_client(number as u8 + 1, PlayerUpdate::Joined { name });
        }
        for player in self.game.players_in().filter(|player| self.game.is_protected(*player)) {
            self.tell_of(player, PlayerUpdate::Protected {});
        }
    }

    /// The screen shakes where an explosion is heard but none is seen.
    fn tremor(&mut self) {
        let mut heard = false;
        for moment in &self.game.log.moments {
            if let Moment::Exploded { cell } = *moment {
                heard = true;
                if self.sees(cell) {
                    return;
                }
            }
        }
        if heard {
            self.tell(&Message::Tremor {});
        }
    }
}

/// What views start from, in the words of a generation.
#[must_use]
pub fn setup(game: &Skirmish, generation: Generation) -> Setup {
    let mut setup = Setup::new(generation, game.land.map.clone());
    setup.max_player = game.config.players();
    setup.cities = game.land.cities.clone();
    match generation {
        Generation::V01 => {
            setup.cities.iter_mut().for_each(|city| city.name = Default::default());
            setup.player_names = Some(game.config.names.clone());
        }
        Generation::Current => setup.rules = b"skirmish 1".to_vec(),
    }
    setup
}
