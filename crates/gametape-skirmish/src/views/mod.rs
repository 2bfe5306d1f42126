//! The messages of each view; normative text: `spec/skirmish.md`, section 10.
//!
//! A view is sent the difference between what it knows, a [`ViewState`], and what the rules let it
//! know. So what its messages add up to is what it may know, and nothing is sent twice.

mod cities;
#[cfg(test)]
mod oracle;
mod people;
#[cfg(test)]
mod tests;
mod tiles;

use gametape_minewars::Generation;
use gametape_minewars::{
    Coord, Duration, Message, Packer, PlayerUpdate, Setup, Text, ViewState, Who,
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

/// One view: what it knows, and what there is to look at.
#[derive(Debug, Clone)]
struct Viewer {
    view: View,
    state: ViewState,
    /// Tiles to look at in this tick.
    cells: Vec<Cell>,
}

/// The messages of a view about one tick, in the making.
struct ViewUpdate<'v> {
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

    /// The generation of the messages.
    #[must_use]
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// The payload of each view, the spectator's first: what the game's last tick lets the view know, and what
    /// was said and reported in it.
    pub fn update(&mut self, game: &Skirmish, inputs: &[(u8, Command)]) -> Result<Vec<Vec<u8>>> {
        let first = !std::mem::replace(&mut self.begun, true);
        let generation = self.generation;
        let update = |viewer: &mut Viewer| viewer.update(game, generation, inputs, first);
        self.viewers.iter_mut().map(update).collect()
    }
}

impl Viewer {
    fn update(
        &mut self,
        game: &Skirmish,
        generation: Generation,
        inputs: &[(u8, Command)],
        first: bool,
    ) -> Result<Vec<u8>> {
        self.find_cells(game, first);
        let (view, state) = (self.view, &mut self.state);
        let packer = Packer::new(generation);
        let mut update = ViewUpdate { game, generation, view, state, packer };
        if first {
            update.begin();
        }
        update.tremor();
        game.log.moments.iter().for_each(|moment| update.moment(moment));
        update.tiles(&self.cells);
        update.cities(first);
        update.clock(first);
        inputs.iter().for_each(|(player, command)| update.input(*player, command));
        update.packer.finish()
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

impl ViewUpdate<'_> {
    /// Sends a message, unless the generation has none of its kind.
    fn send(&mut self, message: &Message<'_>) {
        if self.packer.push(message).is_ok() {
            let known = self.state.apply(message);
            debug_assert!(known.is_ok(), "{known:?}");
        }
    }

    fn send_player(&mut self, player: u8, update: PlayerUpdate<'_>) {
        let who = Who::whole(player, self.generation);
        self.send(&Message::Player { who, update });
    }

    /// Sends an update of the one client that a player has.
    fn send_client(&mut self, player: u8, update: PlayerUpdate<'_>) {
        self.send(&Message::Player { who: Who { player, sub: 0 }, update });
    }

    fn send_owner(&mut self, tile: Coord, player: u8) {
        self.send(&Message::Owner { player, tiles: tile.into() });
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
            self.send_client(number as u8 + 1, PlayerUpdate::Joined { name });
        }
        for player in self.game.players_in().filter(|player| self.game.is_protected(*player)) {
            self.send_player(player, PlayerUpdate::Protected {});
        }
    }

    /// The screen shakes where there are explosions and none is in sight.
    fn tremor(&mut self) {
        let mut any = false;
        for moment in &self.game.log.moments {
            if let Moment::Exploded { cell } = *moment {
                any = true;
                if self.sees(cell) {
                    return;
                }
            }
        }
        if any {
            self.send(&Message::Tremor {});
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
