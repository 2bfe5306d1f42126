//! MineWars messages in a tape, without names and chat.

use std::collections::BTreeMap;

use gametape_cadre::Names;
use gametape_minewars::{
    Dialect, EncodedSetup, Generation, Message, Messages, PlayerUpdate, Setup, SetupView, Text, Who,
};
use gametape_tape::SimSnapshot;
use gametape_wire::{Result, Tick, View};

use super::Anonymized;
use crate::game::GameState;
use crate::minewars::MinewarsView;

pub(super) struct MineWars {
    dialect: Dialect,
    /// The first setup without names: what keyframes build on.
    setup: Option<Setup>,
    views: BTreeMap<View, MinewarsView>,
}

/// The text of every vote.
const VOTE: Text<'_> = Text(b"vote");

impl MineWars {
    /// Messages of the generation with this name, or else the current one.
    pub(super) fn new(generation: Option<&str>) -> Self {
        let named = Generation::ALL.into_iter().find(|g| generation == Some(g.name()));
        let dialect = named.unwrap_or(Generation::Current).into();
        Self { dialect, setup: None, views: BTreeMap::new() }
    }

    fn read_setup(&self, raw: &[u8]) -> Result<(Setup, bool)> {
        let view = SetupView::parse(raw, self.dialect, 0)?;
        Ok((view.to_setup()?, view.is_map_compressed()))
    }

    pub(super) fn collect_setup(&self, raw: &[u8], names: &mut Names) -> Result<()> {
        let (setup, _) = self.read_setup(raw)?;
        for (player, name) in (1..).zip(setup.player_names.iter().flatten()) {
            names.add(name, &pseudonym(Who { player, sub: 0 }));
        }
        Ok(())
    }

    pub(super) fn collect(&self, payload: &[u8], names: &mut Names) {
        for message in Messages::new(payload, 0, self.dialect).map_while(Result::ok) {
            if let Message::Player { who, update: PlayerUpdate::Joined { name } } = message {
                names.add(&String::from_utf8_lossy(name.0), &pseudonym(who));
            }
        }
    }

    pub(super) fn setup(&mut self, raw: &[u8], result: &mut Anonymized) -> Result<Vec<u8>> {
        let (mut setup, compressed) = self.read_setup(raw)?;
        let named = setup.player_names.as_ref().map_or(0, Vec::len);
        if named > 0 {
            let players = (1..).take(named);
            let names = players.map(|player| pseudonym(Who { player, sub: 0 })).collect();
            setup.player_names = Some(names);
            result.add("names of players in the setup", named as u64);
        }
        let encoded = if named > 0 { Some(setup.encode(compressed)?) } else { None };
        self.setup.get_or_insert(setup);
        Ok(encoded.map_or_else(|| raw.to_vec(), EncodedSetup::into_bytes))
    }

    /// The messages that may stay, as they were written.
    pub(super) fn payload(&self, payload: &[u8], result: &mut Anonymized) -> Vec<u8> {
        let mut out = Vec::with_capacity(payload.len());
        let mut messages = Messages::new(payload, 0, self.dialect);
        let read = messages.visit_dyn(&mut |message, bytes| {
            let replaced = match message {
                Message::Player { who, update } => self.update(who, &update, &mut out, result),
                _ => false,
            };
            if !replaced {
                out.extend_from_slice(bytes);
            }
        });
        if read.is_err() {
            result.add("ends of payloads that cannot be read", 1);
        }
        out
    }

    /// Writes an update in another way, or not at all; was it one that must not stay?
    fn update(
        &self,
        who: Who,
        update: &PlayerUpdate<'_>,
        out: &mut Vec<u8>,
        result: &mut Anonymized,
    ) -> bool {
        let name = pseudonym(who);
        let other = match update {
            PlayerUpdate::Joined { .. } => {
                result.add("names of players in frames", 1);
                Some(PlayerUpdate::Joined { name: Text::from(&*name) })
            }
            PlayerUpdate::VoteNew { id, .. } => {
                result.add("texts of votes in frames", 1);
                Some(PlayerUpdate::VoteNew { id: *id, text: VOTE })
            }
            PlayerUpdate::ChatAll { .. } | PlayerUpdate::ChatFriendly { .. } => {
                result.add("chat messages in frames", 1);
                None
            }
            _ => return false,
        };
        if let Some(update) = other {
            // It was there in this generation, so it can be written in it.
            let _ = Message::Player { who, update }.encode(self.dialect.generation(), out);
        }
        true
    }

    fn view(&mut self, view: View) -> Option<&mut MinewarsView> {
        let setup = self.setup.as_ref()?;
        Some(self.views.entry(view).or_insert_with(|| MinewarsView::new(setup, view)))
    }

    pub(super) fn apply(&mut self, tick: u64, view: View, payload: &[u8]) {
        if let Some(known) = self.view(view) {
            // What is wrong with a message is wrong in the tape, and stays so.
            let _ = known.apply(Tick(tick), payload);
        }
    }

    /// Goes on from a recorded state, without its names.
    pub(super) fn enter(&mut self, view: View, recorded: &SimSnapshot) -> Result<()> {
        let Some(known) = self.view(view) else { return Ok(()) };
        known.restore(recorded)?;
        known.rename(&pseudonym, VOTE.0);
        Ok(())
    }

    pub(super) fn snapshot(&mut self, view: View, tick: u64) -> Option<SimSnapshot> {
        Some(self.view(view)?.snapshot(Tick(tick)))
    }
}

/// What a client is called.
pub(super) fn pseudonym(who: Who) -> String {
    match who {
        Who { player, sub: 0 | Who::EVERYONE } => format!("Player {player}"),
        Who { player, sub } => format!("Player {player}/{sub}"),
    }
}
