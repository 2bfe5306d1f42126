//! What is known about the game that a tape holds.

use std::collections::BTreeMap;

use gametape_minewars::Who;
use gametape_replay::KnownGame;
use gametape_replay::streams::{FRAMES, SETUP_OF_SIMULATION, SETUP_OF_VIEWS, keyframes_of};
use gametape_tape::{
    Chunk, ChunkEntry, ChunkKind, Keyframe, KeyframeMaker, SimSnapshot, Tape, TapeFrames,
};
use gametape_wire::{Result as WireResult, View};

use super::gamelog::Gamelog;
use super::minewars::{MineWars, pseudonym};
use super::names::Names;
use super::removed::Removed;
use crate::games::known;
use crate::tape::{Content, Metadata};

/// A game that is played along, so that keyframes can be made anew.
pub(super) struct Game {
    rules: Option<Rules>,
    /// The game whose simulation it is.
    known: Option<&'static dyn KnownGame>,
    makers: BTreeMap<u16, KeyframeMaker>,
    /// The tick of the last frame.
    tick: Option<u64>,
}

enum Rules {
    MineWars(MineWars),
    Gamelog(Box<Gamelog>),
}

impl Game {
    pub(super) fn of(tape: &Tape) -> Self {
        let metadata = Metadata::of(tape);
        let content = metadata.text("content");
        let rules = match Content::of(content.as_deref()) {
            Some(Content::MineWars) => {
                let generation = metadata.text("generation");
                Some(Rules::MineWars(MineWars::new(generation.as_deref())))
            }
            Some(Content::Gamelog) => Some(Rules::Gamelog(Box::default())),
            None => None,
        };
        let known = known(content.as_deref());
        Self { rules, known, makers: BTreeMap::new(), tick: None }
    }

    pub(super) fn is_known(&self) -> bool {
        self.rules.is_some()
    }

    /// The chunks that names can be learnt from.
    pub(super) fn places_of_names<'t>(
        &self,
        tape: &'t Tape,
    ) -> impl Iterator<Item = &'t ChunkEntry> + use<'t> {
        let is_known = self.is_known();
        tape.chunks.iter().filter(move |entry| {
            let place = (entry.header.kind, entry.header.stream);
            let is_place =
                place == (ChunkKind::SETUP, SETUP_OF_VIEWS) || place == (ChunkKind::FRAMES, FRAMES);
            is_known && is_place
        })
    }

    /// Learns names from a chunk.
    pub(super) fn collect(&mut self, chunk: &Chunk<'_>, names: &mut Names) -> WireResult<()> {
        let raw = chunk.raw()?;
        match (&mut self.rules, chunk.header.kind) {
            (Some(Rules::MineWars(game)), ChunkKind::SETUP) => game.collect_setup(&raw, names),
            (Some(Rules::Gamelog(game)), ChunkKind::SETUP) => {
                game.collect_root(&raw, names);
                Ok(())
            }
            (Some(rules), _) => TapeFrames::new(&chunk.header, &raw).try_for_each(|frame| {
                for part in frame?.parts() {
                    match rules {
                        Rules::MineWars(game) => game.collect(part.payload, names),
                        Rules::Gamelog(game) => game.collect(part.payload, names),
                    }
                }
                Ok(())
            }),
            (None, _) => Ok(()),
        }
    }

    /// The setup as it may stay; `None` where nothing is known about it.
    pub(super) fn setup(
        &mut self,
        stream: u16,
        raw: &[u8],
        names: &Names,
        removed: &mut Removed,
    ) -> WireResult<Option<Vec<u8>>> {
        match (self.known, stream) {
            (Some(game), SETUP_OF_SIMULATION) => {
                return simulation_setup(game, raw, removed).map(Some);
            }
            _ => {}
        }
        match &mut self.rules {
            _ if stream != SETUP_OF_VIEWS => Ok(None),
            Some(Rules::MineWars(game)) => game.setup(raw, removed).map(Some),
            Some(Rules::Gamelog(game)) => game.root(raw, names, removed).map(Some),
            None => Ok(None),
        }
    }

    /// What a view is told as it may stay.
    pub(super) fn payload(&self, payload: &[u8], names: &Names, removed: &mut Removed) -> Vec<u8> {
        match &self.rules {
            Some(Rules::MineWars(game)) => game.payload(payload, removed),
            Some(Rules::Gamelog(game)) => game.delta(payload, names, removed),
            None => payload.to_vec(),
        }
    }

    /// Plays along.
    pub(super) fn apply(&mut self, tick: u64, view: View, payload: &[u8]) {
        self.tick = Some(tick);
        match &mut self.rules {
            Some(Rules::MineWars(game)) => game.apply(tick, view, payload),
            Some(Rules::Gamelog(game)) => game.apply(tick, payload),
            None => {}
        }
    }

    /// Are keyframes of this stream made anew?
    pub(super) fn makes_keyframes(&self, stream: u16) -> bool {
        self.is_known() && view_of(stream).is_some()
    }

    /// The keyframe of a stream at a tick; `None` where play has passed it or does not know it.
    pub(super) fn keyframe(&mut self, stream: u16, tick: u64) -> Option<Keyframe> {
        if self.tick.is_some_and(|last| last >= tick) {
            return None;
        }
        let snapshot = self.snapshot(view_of(stream)?, tick)?;
        Some(self.makers.entry(stream).or_default().make(snapshot))
    }

    fn snapshot(&mut self, view: View, tick: u64) -> Option<SimSnapshot> {
        match self.rules.as_mut()? {
            Rules::MineWars(game) => game.snapshot(view, tick),
            Rules::Gamelog(game) => game.snapshot(tick),
        }
    }
}

/// What a match starts from, without names.
fn simulation_setup(
    game: &dyn KnownGame,
    raw: &[u8],
    removed: &mut Removed,
) -> WireResult<Vec<u8>> {
    let setup = game.anonymous_setup(raw, &|player| pseudonym(Who { player, sub: 0 }))?;
    removed.add("names of players in the setup", setup.names.len() as u64);
    Ok(setup.bytes)
}

/// The view whose keyframes a stream holds.
fn view_of(stream: u16) -> Option<View> {
    (0..=View::MAX).filter_map(View::new).find(|view| keyframes_of(*view) == stream)
}
