//! A recording without what says who played; normative text: `spec/minewars-tools.md`, section 5.

use std::collections::BTreeSet;

use gametape_wire::{Error, ErrorKind, Place, Result, View, fold};

use crate::dialect::Dialect;
use crate::file::{ReplayFile, write_file, write_file_around};
use crate::message::{Message, Messages, PlayerUpdate, Text, Who};
use crate::setup::Setup;
use crate::{Frame, FrameLayout, FrameWriter, Frames};

/// Shorter names than this many letters and digits are too likely to be found in numbers.
const SEARCHED_LENGTH: usize = 4;

/// What to remove beside names and what players wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct AnonymizeOptions {
    /// Remove the rules of the game, which are opaque bytes and could hold anything. Off by default.
    pub drop_rules: bool,
}

impl AnonymizeOptions {
    /// Removes the rules of the game too, or keeps them.
    #[must_use]
    pub fn drop_rules(self, drop_rules: bool) -> Self {
        Self { drop_rules }
    }
}

/// A file without names, and what was removed from it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Anonymized {
    /// The whole file.
    pub bytes: Vec<u8>,
    /// What was removed.
    pub removed: Removed,
}

/// How much of what was removed from a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Removed {
    /// Names of players in the setup.
    pub setup_names: u64,
    /// Names of clients in `JOIN` messages, as stored: one in a homogenous frame counts once.
    pub joined_names: u64,
    /// Chat messages.
    pub chat: u64,
    /// Texts of votes.
    pub votes: u64,
    /// Ends of payloads that cannot be read.
    pub unreadable: u64,
    /// Payloads for views that do not exist, or for nobody.
    pub unseen: u64,
    /// Bytes of a last frame that is cut, and after the frames.
    pub loose_bytes: u64,
    /// Bytes of rules.
    pub rules: u64,
}

impl Removed {
    /// What was removed, in words, with how often; only what occurred.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        [
            ("names of players in the setup", self.setup_names),
            ("names of players in frames", self.joined_names),
            ("chat messages in frames", self.chat),
            ("texts of votes in frames", self.votes),
            ("ends of payloads that cannot be read", self.unreadable),
            ("payloads that no view receives", self.unseen),
            ("bytes that belong to no frame", self.loose_bytes),
            ("bytes of rules", self.rules),
        ]
        .into_iter()
        .filter(|(_, count)| *count > 0)
    }
}

/// Removes names and what players wrote from a recording: from the setup, and from the frames of every
/// view. Names become names of length 0, chat is left out, votes lose their text.
///
/// The result is then searched for every removed name, in any letter case; one that is still there is
/// an error, and nothing is returned.
///
/// ```
/// use gametape_minewars::sample::Sample;
/// use gametape_minewars::{Generation, ReplayFile, WriteOptions, anonymize, write_file};
///
/// let (setup, frames) = Sample::default().build(Generation::V01)?;
/// let bytes = write_file(&setup, &frames, &WriteOptions::default())?;
/// let anonymized = anonymize(&ReplayFile::open(&bytes)?, Default::default())?;
/// assert_eq!(anonymized.removed.setup_names, 3);
/// let file = ReplayFile::open(&anonymized.bytes)?;
/// assert_eq!(file.setup().player_names()?, None);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
pub fn anonymize(file: &ReplayFile<'_>, options: AnonymizeOptions) -> Result<Anonymized> {
    if file.dialect() == Dialect::MwDatatool {
        return Err(Error::misuse("mw-datatool", "is never written; convert the recording first"));
    }
    let frames = file.frames()?;
    let mut work = Work::default();
    let setup = work.setup(file, options)?;
    let raw = work.frames(file.frame_layout()?, &frames.bytes, file.dialect())?;
    work.removed.loose_bytes += file.trailing().len() as u64;
    let bytes = match setup {
        Some(setup) => write_file(&setup, &raw, &file.write_options())?,
        None => {
            let setup = file.setup().to_setup()?;
            write_file_around(file.setup_bytes(), &setup, &raw, &file.write_options())?
        }
    };
    search(&bytes, &work.names)?;
    Ok(Anonymized { bytes, removed: work.removed })
}

#[derive(Default)]
struct Work {
    removed: Removed,
    /// The names that were removed, in lower case.
    names: BTreeSet<String>,
}

impl Work {
    /// The setup without names; `None` if it has none and stays as it is stored.
    fn setup(&mut self, file: &ReplayFile<'_>, options: AnonymizeOptions) -> Result<Option<Setup>> {
        let mut setup = file.setup().to_setup()?;
        let named = setup.player_names.take().unwrap_or_default();
        named.iter().for_each(|name| self.remember(name.as_bytes()));
        self.removed.setup_names = named.len() as u64;
        if options.drop_rules {
            self.removed.rules = setup.rules.len() as u64;
            setup.rules.clear();
        }
        let changed = !named.is_empty() || self.removed.rules > 0;
        Ok(changed.then_some(setup))
    }

    /// The frames without text. A frame that has none stays byte for byte, and one that is left with
    /// nothing keeps its time.
    fn frames(&mut self, layout: FrameLayout, bytes: &[u8], dialect: Dialect) -> Result<Vec<u8>> {
        let mut out = FrameWriter::new(layout);
        let mut frames = Frames::new(layout, bytes);
        for frame in frames.by_ref().map_while(Result::ok) {
            self.frame(&frame, dialect, &mut out)?;
        }
        self.removed.loose_bytes = frames.rest().len() as u64;
        Ok(out.into_bytes())
    }

    fn frame(&mut self, frame: &Frame<'_>, dialect: Dialect, out: &mut FrameWriter) -> Result<()> {
        let before = self.removed;
        let mut parts = Vec::new();
        for part in frame.parts().filter(|part| !part.payload.is_empty()) {
            let views = part.views.and(out.layout().views());
            self.removed.unseen += u64::from(views != part.views || views.is_empty());
            parts.push((views, self.payload(part.payload, dialect)));
        }
        if self.removed == before {
            out.raw(frame.bytes());
            return Ok(());
        }
        let views: Vec<(View, &[u8])> = parts
            .iter()
            .flat_map(|(views, payload)| views.iter().map(move |view| (view, &payload[..])))
            .collect();
        // What is left of a payload is never too long for a frame.
        out.moment(frame.time(), &views, |_, _| 0)?;
        out.idle_until(frame.time())
    }

    fn payload(&mut self, payload: &[u8], dialect: Dialect) -> Vec<u8> {
        let mut out = Vec::with_capacity(payload.len());
        let read =
            Messages::new(payload, 0, dialect).visit_dyn(&mut |message, wire| match message {
                Message::Player { who, update } if has_text(&update) => {
                    self.update(who, update, dialect, &mut out);
                }
                _ => out.extend_from_slice(wire),
            });
        self.removed.unreadable += u64::from(read.is_err());
        out
    }

    fn update(&mut self, who: Who, update: PlayerUpdate<'_>, dialect: Dialect, out: &mut Vec<u8>) {
        let textless = match update {
            PlayerUpdate::Joined { name } => {
                self.removed.joined_names += 1;
                self.remember(name.0);
                PlayerUpdate::Joined { name: Text(b"") }
            }
            PlayerUpdate::VoteNew { id, .. } => {
                self.removed.votes += 1;
                PlayerUpdate::VoteNew { id, text: Text(b"") }
            }
            _ => {
                self.removed.chat += 1;
                return;
            }
        };
        // The generation has the message, since it was read in it.
        let _ = Message::Player { who, update: textless }.encode(dialect.generation(), out);
    }

    fn remember(&mut self, name: &[u8]) {
        self.names.insert(fold(&String::from_utf8_lossy(name)));
    }
}

/// Is it a message with text of a player in it, or chat at all?
fn has_text(update: &PlayerUpdate<'_>) -> bool {
    match update {
        PlayerUpdate::Joined { name: text } | PlayerUpdate::VoteNew { text, .. } => {
            !text.0.is_empty()
        }
        PlayerUpdate::ChatAll { .. } | PlayerUpdate::ChatFriendly { .. } => true,
        _ => false,
    }
}

/// An error if a finished file has text of players in it, or one of these names anywhere.
fn search(bytes: &[u8], names: &BTreeSet<String>) -> Result<()> {
    let file = ReplayFile::open(bytes)?;
    if file.setup().player_names()?.is_some() {
        return Err(still_there("setup", "names of players are"));
    }
    let frames = file.frames()?.bytes;
    if has_any_text(file.frame_layout()?, &frames, file.dialect()) {
        return Err(still_there("frames", "text of players is"));
    }
    let names = Searched::new(names);
    let parts =
        [("rules", file.setup().rules()?), ("setup", file.setup().data()), ("frames", &frames)];
    for (part, bytes) in parts {
        if let Some(name) = names.find_in(&fold(&String::from_utf8_lossy(bytes))) {
            return Err(still_there(part, &format!("the name {name:?} is")));
        }
    }
    Ok(())
}

/// Names to look for, all at once: however many there are, a text is read once.
struct Searched<'n> {
    /// Sorted. No name is the beginning of another, so at most one begins anywhere in a text, and that is the
    /// greatest that is not after the rest of the text.
    names: Vec<&'n str>,
    /// The first bytes of the names.
    first: [bool; 256],
}

impl<'n> Searched<'n> {
    fn new(names: &'n BTreeSet<String>) -> Self {
        let mut searched = Self { names: Vec::new(), first: [false; 256] };
        let letters = |name: &str| name.chars().filter(|c| c.is_alphanumeric()).count();
        for name in names.iter().filter(|name| letters(name) >= SEARCHED_LENGTH) {
            if searched.names.last().is_none_or(|shorter| !name.starts_with(shorter)) {
                searched.names.push(name);
                searched.first[usize::from(name.as_bytes()[0])] = true;
            }
        }
        searched
    }

    fn find_in(&self, text: &str) -> Option<&'n str> {
        let begins = |at: &usize| self.first[usize::from(text.as_bytes()[*at])];
        let starts = text.char_indices().map(|(at, _)| at).filter(begins);
        starts.into_iter().find_map(|at| {
            let rest = &text[at..];
            let after = self.names.partition_point(|name| *name <= rest);
            let name = self.names[..after].last()?;
            rest.starts_with(name).then_some(*name)
        })
    }
}

fn has_any_text(layout: FrameLayout, frames: &[u8], dialect: Dialect) -> bool {
    let mut found = false;
    for part in Frames::new(layout, frames).flatten().flat_map(|frame| frame.parts()) {
        let read =
            Messages::new(part.payload, part.offset, dialect).visit_dyn(&mut |message, _| {
                found |= matches!(message, Message::Player { update, .. } if has_text(&update));
            });
        found |= read.is_err();
    }
    found
}

fn still_there(part: &'static str, what: &str) -> Error {
    let problem = format!("{what} still there, so nothing is written").into();
    Error::new(Place::Nowhere, part, ErrorKind::BadSyntax { problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_wherever_it_is_and_no_other() {
        let names = ["anna", "annabel", "bernd", "bernhard", "äöüß", "al"].map(String::from);
        let names = BTreeSet::from(names);
        let searched = Searched::new(&names);
        for name in names.iter().filter(|name| name.len() > 2) {
            let found = searched.find_in(&format!("berno anne {name}"));
            assert!(found.is_some_and(|found| name.starts_with(found)), "{name} {found:?}");
            assert_eq!(found, searched.find_in(name));
        }
        for text in ["", "al", "ann", "berno bernar anne", "äöü"] {
            assert_eq!(searched.find_in(text), None, "{text}");
        }
    }
}
