//! Gamelogs without names, sessions, times and clients.

use std::collections::BTreeSet;

use gametape_cadre::{Log, Options, Raw, write_quoted};
use gametape_replay::GameState;
use gametape_replay::cadre::CadreGame;
use gametape_tape::SimSnapshot;
use gametape_wire::Result as WireResult;

use super::names::Names;
use super::removed::Removed;
use crate::gamelog::players_of;
use crate::json::{Part, Step, rewrite};

/// A log, delta by delta.
#[derive(Default)]
pub(super) struct Gamelog {
    /// Ids of the game objects that are players, in quotes.
    players: BTreeSet<Vec<u8>>,
    game: Option<CadreGame>,
}

/// What stands instead of anything that is not a name.
const NOBODY: &[u8] = b"anonymous";

impl Gamelog {
    /// Learns names from the fields around the deltas.
    pub(super) fn collect_root(&self, root: &[u8], names: &mut Names) {
        let Ok(root) = Raw::parse(root) else { return };
        let lists = ["winners", "losers"].into_iter().filter_map(|list| root.get(list));
        for player in
            lists.flat_map(|list| list.elements().map_while(Result::ok).collect::<Vec<_>>())
        {
            let text = |field| player.get(field).and_then(|value| value.as_str());
            if let (Some(id), Some(name)) = (text("id"), text("name")) {
                names.add(&name, &format!("Player {id}"));
            }
        }
    }

    /// Learns names from a delta.
    pub(super) fn collect(&mut self, delta: &[u8], names: &mut Names) {
        // Only a delta that brings a player has this word in it.
        const MARK: &[u8] = b"\"Player\"";
        if !delta.windows(MARK.len()).any(|window| window == MARK) {
            return;
        }
        let game = Raw::parse(delta).ok().and_then(|delta| delta.get("game"));
        for (id, name) in players_of(game) {
            names.add(&name, &format!("Player {id}"));
            let mut quoted = Vec::new();
            write_quoted(id.as_bytes(), &mut quoted);
            self.players.insert(quoted);
        }
    }

    /// The fields around the deltas as they may stay; the game begins with them.
    pub(super) fn root(
        &mut self,
        root: &[u8],
        names: &Names,
        removed: &mut Removed,
    ) -> WireResult<Vec<u8>> {
        let scrubbed = rewrite(root, |path, part, token| {
            if part == Part::Key {
                return None;
            }
            let found = match path {
                [Step::Key(b"\"gameSession\"")]
                | [Step::Key(b"\"settings\""), Step::Key(b"\"session\"")] => {
                    Some(("sessions in the fields", NOBODY.to_vec()))
                }
                [Step::Key(b"\"settings\""), Step::Key(b"\"password\"")] => {
                    Some(("passwords in the fields", NOBODY.to_vec()))
                }
                [Step::Key(b"\"epoch\"")] if token != b"0" => {
                    removed.add("times in the fields", 1);
                    return Some(b"0".to_vec());
                }
                _ => renamed(token, names).map(|name| ("names in the fields", name.into_bytes())),
            };
            quoted(found, token, removed)
        });
        let markers = Log::open(scrubbed.clone(), &Options::default())?.markers().clone();
        self.game = Some(CadreGame::new(markers)?);
        Ok(scrubbed)
    }

    /// A delta as it may stay.
    pub(super) fn delta(&self, delta: &[u8], names: &Names, removed: &mut Removed) -> Vec<u8> {
        rewrite(delta, |path, part, token| {
            if part == Part::Key {
                return None;
            }
            let found = match path {
                [
                    Step::Key(b"\"game\""),
                    Step::Key(b"\"gameObjects\""),
                    Step::Key(id),
                    rest @ ..,
                ] => self.in_object(id, rest, token, names),
                _ => None,
            };
            let in_text =
                || renamed(token, names).map(|name| ("names in deltas", name.into_bytes()));
            quoted(found.or_else(in_text), token, removed)
        })
    }

    /// What stands instead of a value of a game object.
    fn in_object(
        &self,
        id: &[u8],
        path: &[Step<'_>],
        token: &[u8],
        names: &Names,
    ) -> Option<(&'static str, Vec<u8>)> {
        match path {
            _ if token.first() != Some(&b'"') => None,
            [Step::Key(b"\"logs\""), _, ..] => {
                (token != b"\"\"").then(|| ("logs of players' programs in deltas", Vec::new()))
            }
            [Step::Key(b"\"name\"")] if self.players.contains(id) => {
                let name = renamed(token, names)?;
                Some(("names of players in deltas", name.into_bytes()))
            }
            [Step::Key(b"\"clientType\"")] if self.players.contains(id) => {
                Some(("types of clients in deltas", NOBODY.to_vec()))
            }
            _ => None,
        }
    }

    pub(super) fn apply(&mut self, tick: u64, delta: &[u8]) {
        if let Some(game) = &mut self.game {
            // A delta that cannot be merged changes nothing, here as when the tape is played.
            let _ = game.apply(tick, delta);
        }
    }

    pub(super) fn snapshot(&self, tick: u64) -> Option<SimSnapshot> {
        Some(self.game.as_ref()?.snapshot(tick))
    }
}

/// The text of a string without names, if there are any in it.
fn renamed(token: &[u8], names: &Names) -> Option<String> {
    let text: String = serde_json::from_slice(token).ok()?;
    names.replaced(&text)
}

/// Notes what was found, and writes what stands instead of it.
fn quoted(
    found: Option<(&'static str, Vec<u8>)>,
    token: &[u8],
    removed: &mut Removed,
) -> Option<Vec<u8>> {
    let (what, text) = found?;
    let mut out = Vec::new();
    write_quoted(&text, &mut out);
    (out != token).then(|| removed.add(what, 1))?;
    Some(out)
}
