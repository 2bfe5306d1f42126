//! What a game implements to be seen.

use std::any::Any;

use gametape_wire::{SortedMap, Tick, TickLength, Time};

use crate::inspect::{self, Inspection, Target};
use crate::model::{Line, Scene, TileAt};

/// What is public about a match, and when it is: what whoever asks for a scene knows and the state does
/// not say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Context {
    /// The name of the game.
    pub game: Option<String>,
    /// The title of the match or the name of its file.
    pub match_name: Option<String>,
    /// When it is.
    pub time: Option<Time>,
    /// The tick, or the delta of a gamelog, that happened last.
    pub tick: Option<Tick>,
    /// How many seats there are.
    pub seats: u8,
    /// The names of players by seat.
    pub names: SortedMap<u8, String>,
    /// Named places by number, such as cities.
    pub places: SortedMap<u8, NamedPlace>,
    /// The dialect of changes, where the format has several.
    pub dialect: Option<String>,
}

/// A tile with a name that everybody knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPlace {
    /// Its tile.
    pub at: TileAt,
    /// Its name.
    pub name: Option<String>,
}

impl Context {
    /// Nothing is known.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With the name of the game.
    #[must_use]
    pub fn of_game(mut self, game: impl Into<String>) -> Self {
        self.game = Some(game.into());
        self
    }

    /// With the title of the match or the name of its file.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.match_name = Some(name.into());
        self
    }

    /// With names of players by seat; those without letters are left out.
    #[must_use]
    pub fn with_names(mut self, names: impl IntoIterator<Item = (u8, String)>) -> Self {
        self.names.extend(names.into_iter().filter(|(_, name)| !name.trim().is_empty()));
        self
    }

    /// After a tick, which is also a time.
    #[must_use]
    pub fn at_tick(mut self, tick: Tick, length: TickLength) -> Self {
        (self.tick, self.time) = (Some(tick), Some(length.time_of(tick)));
        self
    }

    /// At a time.
    #[must_use]
    pub fn at_time(mut self, time: Time) -> Self {
        self.time = Some(time);
        self
    }

    /// After the delta of a gamelog, which has no time.
    #[must_use]
    pub fn at_delta(mut self, delta: Tick) -> Self {
        (self.tick, self.time) = (Some(delta), None);
        self
    }
}

/// A state of a game that can be seen: what one view knows.
///
/// Nothing may come into a scene that the view does not know (`spec/scene.md`, section 1).
pub trait Visible {
    /// What can be seen.
    fn scene(&self, context: &Context) -> Scene;

    /// Everything that is known of a tile or a piece in the scene of this state; none where there is
    /// neither.
    ///
    /// By default what the scene says of it.
    fn inspect(&self, scene: &Scene, target: &Target) -> Option<Inspection> {
        inspect::inspect(scene, target)
    }

    /// The state itself, for who knows its type and shows more of it than scenes do.
    ///
    /// By default it is not given.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }

    /// What a change means, in words. `self` is the state before it; the change is what leads on from
    /// it: the payload of a frame, the JSON of a delta.
    ///
    /// By default there are no words.
    fn lines(&self, change: &[u8], context: &Context) -> Vec<Line> {
        let _ = (change, context);
        Vec::new()
    }

    /// A change as its format writes it in text, a line each: the disassembly of messages.
    ///
    /// By default there is no such text.
    fn disassemble(&self, change: &[u8], context: &Context) -> Vec<String> {
        let _ = (change, context);
        Vec::new()
    }
}
