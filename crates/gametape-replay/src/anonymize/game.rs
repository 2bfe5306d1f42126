//! What is known about the game that a tape holds.

use std::collections::BTreeMap;

use gametape_cadre::{Anonymizer, Log, Names, Options};
use gametape_minewars::Who;
use gametape_tape::{Keyframe, KeyframeMaker, SimSnapshot};
use gametape_wire::{Result, Tick, View};

use super::Anonymized;
use super::minewars::{MineWars, pseudonym};
use crate::cadre::CadreGame;
use crate::game::GameState;
use crate::games::KnownGame;
use crate::open::Content;
use crate::streams::view_of_keyframes;

/// A game that is played along, so that keyframes can be made again.
pub(super) struct Game<'g> {
    rules: Rules,
    /// The game whose simulation it is.
    known: Option<&'g dyn KnownGame>,
    makers: BTreeMap<u16, KeyframeMaker>,
    /// The tick of the last frame.
    tick: Option<u64>,
}

/// How frames and setup are read.
enum Rules {
    MineWars(MineWars),
    Gamelog(Box<Gamelog>),
    Unknown,
}

/// A log, delta by delta.
#[derive(Default)]
pub(super) struct Gamelog {
    anonymizer: Anonymizer,
    game: Option<CadreGame>,
}

impl<'g> Game<'g> {
    pub(super) fn new(
        content: Option<Content>,
        generation: Option<&str>,
        known: Option<&'g dyn KnownGame>,
    ) -> Self {
        let rules = match content {
            Some(Content::MineWars) => Rules::MineWars(MineWars::new(generation)),
            Some(Content::Gamelog) => Rules::Gamelog(Box::default()),
            None => Rules::Unknown,
        };
        Self { rules, known, makers: BTreeMap::new(), tick: None }
    }

    pub(super) fn is_known(&self) -> bool {
        !matches!(self.rules, Rules::Unknown)
    }

    /// Learns a name from the metadata.
    pub(super) fn learn_name(&mut self, name: &str, replacement: &str) {
        if let Rules::Gamelog(log) = &mut self.rules {
            log.anonymizer.learn_name(name, replacement);
        }
    }

    /// Learns names from the setup of the views.
    pub(super) fn learn_setup(&mut self, raw: &[u8], names: &mut Names) -> Result<()> {
        match &mut self.rules {
            Rules::MineWars(game) => game.collect_setup(raw, names),
            Rules::Gamelog(log) => {
                log.anonymizer.learn_root(raw);
                Ok(())
            }
            Rules::Unknown => Ok(()),
        }
    }

    /// Learns names from the setup of the simulation.
    pub(super) fn learn_simulation(&self, raw: &[u8], names: &mut Names) -> Result<()> {
        let Some(game) = self.known else { return Ok(()) };
        let setup = game.anonymous_setup(raw, &player_name)?;
        for (player, name) in (1..).zip(&setup.names) {
            names.add(name, &player_name(player));
        }
        Ok(())
    }

    /// Learns names from what a view received.
    pub(super) fn learn(&mut self, payload: &[u8], names: &mut Names) {
        match &mut self.rules {
            Rules::MineWars(game) => game.collect(payload, names),
            Rules::Gamelog(log) => log.anonymizer.learn_delta(payload),
            Rules::Unknown => {}
        }
    }

    /// The setup of the views as it may stay; `None` where nothing is known about it.
    pub(super) fn setup(&mut self, raw: &[u8], result: &mut Anonymized) -> Result<Option<Vec<u8>>> {
        match &mut self.rules {
            Rules::MineWars(game) => game.setup(raw, result).map(Some),
            Rules::Gamelog(log) => log.root(raw).map(Some),
            Rules::Unknown => Ok(None),
        }
    }

    /// The setup of the simulation as it may stay; `None` where the game is not known.
    pub(super) fn simulation_setup(
        &self,
        raw: &[u8],
        result: &mut Anonymized,
    ) -> Result<Option<Vec<u8>>> {
        let Some(game) = self.known else { return Ok(None) };
        let setup = game.anonymous_setup(raw, &player_name)?;
        result.add("names of players in the setup", setup.names.len() as u64);
        Ok(Some(setup.bytes))
    }

    /// What a view receives as it may stay.
    pub(super) fn payload(&mut self, payload: &[u8], result: &mut Anonymized) -> Vec<u8> {
        match &mut self.rules {
            Rules::MineWars(game) => game.payload(payload, result),
            Rules::Gamelog(log) => log.anonymizer.delta(payload),
            Rules::Unknown => payload.to_vec(),
        }
    }

    /// Plays along.
    pub(super) fn apply(&mut self, tick: u64, view: View, payload: &[u8]) {
        self.tick = Some(tick);
        match &mut self.rules {
            Rules::MineWars(game) => game.apply(tick, view, payload),
            Rules::Gamelog(log) => log.apply(tick, payload),
            Rules::Unknown => {}
        }
    }

    /// Goes on from a recorded state after lost input. What a gamelog knows then does not follow from the
    /// deltas that are left.
    pub(super) fn enter(&mut self, stream: u16, recorded: &SimSnapshot) -> Result<()> {
        match (&mut self.rules, view_of_keyframes(stream)) {
            (Rules::MineWars(game), Some(view)) => game.enter(view, recorded),
            (Rules::Gamelog(log), _) => {
                log.game = None;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Are keyframes of this stream made again?
    pub(super) fn makes_keyframes(&self, stream: u16) -> bool {
        self.is_known() && view_of_keyframes(stream).is_some()
    }

    /// The keyframe of a stream at a tick; `None` where play has passed it or does not know it.
    pub(super) fn keyframe(&mut self, stream: u16, tick: u64) -> Option<Keyframe> {
        if self.tick.is_some_and(|last| last >= tick) {
            return None;
        }
        let snapshot = self.snapshot(view_of_keyframes(stream)?, tick)?;
        Some(self.makers.entry(stream).or_default().make(snapshot))
    }

    fn snapshot(&mut self, view: View, tick: u64) -> Option<SimSnapshot> {
        match &mut self.rules {
            Rules::MineWars(game) => game.snapshot(view, tick),
            Rules::Gamelog(log) => Some(log.game.as_ref()?.snapshot(Tick(tick))),
            Rules::Unknown => None,
        }
    }

    /// Searches JSON of a gamelog; is it one?
    pub(super) fn search_json(&mut self, json: &[u8]) -> bool {
        match &mut self.rules {
            Rules::Gamelog(log) => {
                log.anonymizer.search(json);
                true
            }
            _ => false,
        }
    }

    /// Adds what the rules of a gamelog removed and found.
    pub(super) fn finish(&self, result: &mut Anonymized) {
        if let Rules::Gamelog(log) = &self.rules {
            log.anonymizer.removed().for_each(|(what, count)| result.add(what, count));
            result.remaining.extend(log.anonymizer.remaining().map(|(what, _)| what));
        }
    }
}

impl Gamelog {
    /// The fields around the deltas as they may stay; the game begins with them.
    fn root(&mut self, raw: &[u8]) -> Result<Vec<u8>> {
        let root = self.anonymizer.root(raw);
        let markers = Log::open(&root[..], &Options::default())?.markers().clone();
        self.game = Some(CadreGame::new(markers)?);
        Ok(root)
    }

    fn apply(&mut self, tick: u64, delta: &[u8]) {
        if let Some(game) = &mut self.game {
            // A delta that cannot be merged changes nothing, here as when the tape is played.
            let _ = game.apply(Tick(tick), delta);
        }
    }
}

fn player_name(player: u8) -> String {
    pseudonym(Who { player, sub: 0 })
}
