//! Looking into the recordings that are shown.

use gametape_replay::inspect::{MatchEntry, MatchList, MatchRow};
use gametape_server::{Lookup, link};
use gametape_wire::When;

use super::Shown;
use crate::games::GAMES;
use crate::input::Source;
use crate::viewer::open_stage;

/// Pixels of a picture.
const PICTURE: (u32, u32) = (480, 300);

/// Everything that a list of matches shows.
pub(crate) struct ShownMatches {
    pub(super) shown: Vec<Shown>,
    /// Recordings that the page fetches from elsewhere.
    pub(super) urls: Vec<String>,
}

impl Lookup for ShownMatches {
    type Entry = MatchEntry;

    fn count(&self) -> usize {
        self.shown.len()
    }

    fn first(&self, number: usize) -> MatchEntry {
        let shown = &self.shown[number];
        MatchEntry::unopened(&shown.label, shown.format)
    }

    fn quick(&self, number: usize) -> MatchEntry {
        quick(&self.shown[number])
    }

    fn add_details(&self, number: usize, entry: &mut MatchEntry) -> bool {
        add_details(&self.shown[number].source, entry);
        entry.problem.is_none()
    }

    fn failed(&self, number: usize) -> MatchEntry {
        MatchEntry::unreadable(&self.shown[number].label, "it could not be looked into")
    }

    fn picture(&self, number: usize) -> Option<Vec<u8>> {
        picture(&self.shown.get(number)?.source)
    }

    fn document(&self, entries: &[(&MatchEntry, bool)], pending: usize) -> Vec<u8> {
        let names = self.shown.iter().map(|shown| &*shown.name);
        let rows =
            names.zip(entries).map(|(name, (entry, has_picture))| (name, *entry, *has_picture));
        document(rows, &self.urls, pending)
    }
}

/// The list of recordings, each with the name of its file and whether there is a picture, and of those elsewhere.
pub(super) fn document<'e>(
    rows: impl Iterator<Item = (&'e str, &'e MatchEntry, bool)>,
    urls: &[String],
    pending: usize,
) -> Vec<u8> {
    let own = rows.enumerate().map(|(number, (name, entry, has_picture))| {
        let picture = has_picture.then(|| link::picture(number));
        MatchRow::new(link::recording(number, name), entry, picture)
    });
    let remote = urls.iter().map(|url| MatchRow::elsewhere(url.clone(), link::name_of_url(url)));
    let list = MatchList::new(own.chain(remote).collect(), pending);
    serde_json::to_vec(&list).unwrap_or_default()
}

/// What is known quickly.
fn quick(shown: &Shown) -> MatchEntry {
    match shown.source.open() {
        Ok(mut opened) => MatchEntry::of(&shown.label, &mut opened, &GAMES),
        Err(failure) => MatchEntry::unreadable(&shown.label, &failure.to_text()),
    }
}

/// Everything that a list shows.
pub(super) fn entry_of(shown: &Shown) -> MatchEntry {
    let mut entry = quick(shown);
    add_details(&shown.source, &mut entry);
    entry
}

fn add_details(source: &Source, entry: &mut MatchEntry) {
    if let Ok(mut opened) = source.open() {
        entry.add_details(&mut opened);
    }
}

/// The board at the end; none where there is none, or where it cannot be played.
pub(super) fn picture(source: &Source) -> Option<Vec<u8>> {
    let mut stage = open_stage(source, source.open().ok()?).ok()?;
    let end = stage.find(When::End).ok()?;
    stage.seek(end).ok()?;
    gametape_scene::png::thumbnail(&stage.scene(), PICTURE)
}
