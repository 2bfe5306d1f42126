//! Recordings that are shown: found in files and folders, looked into, served, or written for any web host.

use std::io;
use std::path::{Path, PathBuf};

use gametape_files::{
    Done, Failure, Files, Gathered, Outcome, Source, format_of, make_folder, may_replace, note,
    silent_stage, warn,
};
use gametape_replay::games::KnownGame;
use gametape_replay::inspect::{MatchEntry, MatchList, MatchRow};
use gametape_replay::open::Format;
use gametape_wire::When;

use crate::assets::Assets;
use crate::catalogue::Lookup;
use crate::folder::{SiteFolder, Unwritten};
use crate::link;
use crate::site::Recording;

/// Pixels of a picture.
const PICTURE: (u32, u32) = (480, 300);

/// A recording that is shown.
#[derive(Debug, Clone)]
pub struct Shown {
    source: Source,
    /// The name of the file, for links.
    name: String,
    /// What a list calls it: with the folders below the one that was named.
    label: String,
    /// As far as the first bytes show it.
    format: Option<Format>,
}

impl Shown {
    /// The recordings among the files and in the folders, and how looking for them ended.
    pub fn gather(sources: &[Source], jobs: usize) -> (Vec<Self>, Outcome) {
        let mut shown = Vec::new();
        if sources.is_empty() {
            return (shown, Ok(Done::Fine));
        }
        let folders = folders(sources);
        let look = |source: &Source| {
            leave_out(source, sources)?;
            Ok((Done::Fine, look_at(source)?))
        };
        let gathered =
            Files::new(sources.to_vec(), jobs).gather("found", look, |source, format| {
                shown.push(Self::new(source, &folders, format));
                Ok(())
            });
        (shown, gathered.and_then(Gathered::conclude))
    }

    fn new(source: &Source, folders: &[PathBuf], format: Option<Format>) -> Self {
        let (source, name) = (source.clone(), source.short_name());
        let inside = |path: &PathBuf| {
            let inside = folders.iter().find_map(|folder| path.strip_prefix(folder).ok());
            inside.map(|path| path.display().to_string())
        };
        let label = match &source {
            Source::File(path) => inside(path),
            _ => None,
        };
        Self { source, label: label.unwrap_or_else(|| name.clone()), name, format }
    }

    /// Where it is.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The same, read from elsewhere: a copy of it.
    #[must_use]
    pub fn with_source(self, source: Source) -> Self {
        Self { source, ..self }
    }

    /// The name of its file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What a server reads.
    #[must_use]
    pub fn recording(&self) -> Recording {
        let path = match &self.source {
            Source::File(path) => path.clone(),
            _ => PathBuf::new(),
        };
        Recording { name: self.name.clone(), path }
    }

    /// What is known quickly.
    fn quick(&self, games: &[&dyn KnownGame]) -> MatchEntry {
        match self.source.open() {
            Ok(mut opened) => MatchEntry::of(&self.label, &mut opened, games),
            Err(failure) => MatchEntry::unreadable(&self.label, &failure.to_text()),
        }
    }

    /// Everything that is known; an error where nothing of it can be read.
    fn whole(&self, games: &[&dyn KnownGame]) -> Result<MatchEntry, Failure> {
        let entry = MatchEntry::read(&self.label, &mut self.source.open()?, games);
        let mut entry = entry.map_err(|error| Failure::of(&self.source, &error))?;
        self.add_details(&mut entry);
        Ok(entry)
    }

    fn add_details(&self, entry: &mut MatchEntry) {
        if let Ok(mut opened) = self.source.open() {
            entry.add_details(&mut opened);
        }
    }

    /// The board at the end; none where there is none, or where it cannot be played.
    fn picture(&self) -> Option<Vec<u8>> {
        let mut stage = silent_stage(&self.source, self.source.open().ok()?).ok()?;
        let end = stage.find(When::End).ok()?;
        stage.seek(end).ok()?;
        gametape_scene::png::thumbnail(&stage.scene(), PICTURE)
    }
}

/// The folders among them.
fn folders(sources: &[Source]) -> Vec<PathBuf> {
    let folder = |source: &Source| match source {
        Source::File(path) if source.is_folder() => Some(path.clone()),
        _ => None,
    };
    sources.iter().filter_map(folder).collect()
}

/// Leaves out a link in one of the folders that leads out of it, unless it is named itself. *Why it matters: who may put
/// a file into a folder is not always who may read everything that the server may.*
fn leave_out(source: &Source, named: &[Source]) -> Result<(), Failure> {
    if named.contains(source) || !leads_out(source, &folders(named)) {
        return Ok(());
    }
    let problem = "left out: it is a link that leads out of the folder";
    note(source, problem);
    Err(Failure::other_kind(format_args!("{source}: {problem}")))
}

/// Is it a link in one of these folders that leads out of it?
fn leads_out(source: &Source, folders: &[PathBuf]) -> bool {
    let Source::File(path) = source else { return false };
    let folder = folders.iter().find(|folder| path.starts_with(folder));
    match (path.canonicalize(), folder.map(|folder| folder.canonicalize())) {
        (Ok(path), Some(Ok(folder))) => !path.starts_with(folder),
        _ => false,
    }
}

/// What a file looks like; refused where it is no recording.
fn look_at(source: &Source) -> Result<Option<Format>, Failure> {
    match format_of(source)? {
        Some((format, None)) => Ok(Some(format)),
        Some((_, Some(failure))) => Err(failure),
        // Opening says what is wrong with it.
        None => source.open().map(|opened| Some(opened.format())),
    }
}

/// Everything that a list of matches shows.
#[derive(Clone)]
pub struct ShownMatches {
    /// The recordings.
    pub shown: Vec<Shown>,
    /// Recordings that the page fetches from elsewhere.
    pub urls: Vec<String>,
    /// The games that are known.
    pub games: &'static [&'static dyn KnownGame],
}

impl std::fmt::Debug for ShownMatches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ShownMatches").field(&self.shown).field(&self.urls).finish()
    }
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
        self.shown[number].quick(self.games)
    }

    fn add_details(&self, number: usize, entry: &mut MatchEntry) -> bool {
        self.shown[number].add_details(entry);
        entry.problem.is_none()
    }

    fn failed(&self, number: usize) -> MatchEntry {
        MatchEntry::unreadable(&self.shown[number].label, "it could not be looked into")
    }

    fn picture(&self, number: usize) -> Option<Vec<u8>> {
        self.shown.get(number)?.picture()
    }

    fn document(&self, entries: &[(&MatchEntry, bool)], pending: usize) -> Vec<u8> {
        let names = self.shown.iter().map(|shown| &*shown.name);
        let rows =
            names.zip(entries).map(|(name, (entry, has_picture))| (name, *entry, *has_picture));
        document(rows, &self.urls, pending)
    }
}

/// The list of recordings, each with the name of its file and whether there is a picture, and of those elsewhere.
fn document<'e>(
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

/// What was written of a static folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrittenSite {
    /// How many matches are in it.
    pub matches: usize,
    /// How many files.
    pub files: u64,
    /// How many bytes.
    pub bytes: u64,
}

/// Writes the static folder: viewer, recordings, list and pictures. Returns what was written, nothing where there is no
/// recording, and how it ended.
pub fn write_site(
    path: &Path,
    assets: &Assets,
    sources: &[Source],
    urls: &[String],
    jobs: usize,
    games: &'static [&'static dyn KnownGame],
) -> Result<(Option<WrittenSite>, Outcome), Failure> {
    make_folder(path)?;
    let mut folder =
        SiteFolder::create(path, may_replace()).map_err(|error| refused(path, &error))?;
    let mut entries: Vec<(String, MatchEntry, bool)> = Vec::new();
    let mut outcome = Ok(Done::Fine);
    if !sources.is_empty() {
        let folders = folders(sources);
        let work = |source: &Source| {
            leave_out(source, sources)?;
            let shown = Shown::new(source, &folders, look_at(source)?);
            let entry = shown.whole(games)?;
            let damage = entry.damage();
            damage.iter().for_each(|damage| warn(source, damage));
            Ok((Done::lost_if(damage.is_some()), (shown.picture(), entry)))
        };
        let files = Files::new(sources.to_vec(), jobs);
        let gathered = files.gather("written", work, |source, (picture, entry)| {
            let (number, name) = (entries.len(), source.short_name());
            let Source::File(from) = source else { return Err(source.unknown()) };
            folder.copy(number, &name, from).map_err(failed)?;
            if let Some(picture) = &picture {
                folder.write_picture(number, picture).map_err(failed)?;
            }
            entries.push((name, entry, picture.is_some()));
            Ok(())
        })?;
        outcome = gathered.conclude();
    }
    if entries.is_empty() && urls.is_empty() {
        return Ok((None, outcome));
    }
    folder.write_assets(assets).map_err(failed)?;
    let rows = entries.iter().map(|(name, entry, has_picture)| (&**name, entry, *has_picture));
    folder.write_list(&document(rows, urls, 0)).map_err(failed)?;
    let (files, bytes) = folder.written();
    Ok((Some(WrittenSite { matches: entries.len() + urls.len(), files, bytes }), outcome))
}

fn failed((path, error): Unwritten) -> Failure {
    Failure::io(&path.display(), &error)
}

/// Why nothing is written into a folder.
fn refused(path: &Path, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::usage(format_args!(
            "{} is not empty; use --force to write into it and replace what is there",
            path.display()
        )),
        _ => Failure::io(&path.display(), error),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn links_out_of_a_folder_are_left_out_unless_they_are_named() {
        use std::os::unix::fs::symlink;
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("matches");
        fs::create_dir_all(folder.join("old")).unwrap();
        fs::write(outer.path().join("secret.tape"), "x").unwrap();
        fs::write(folder.join("old/a.tape"), "x").unwrap();
        symlink("../secret.tape", folder.join("out.tape")).unwrap();
        symlink("old/a.tape", folder.join("inside.tape")).unwrap();
        let folders = [folder.clone()];
        let is_out = |name: &str| leads_out(&Source::File(folder.join(name)), &folders);
        assert!(is_out("out.tape"));
        assert!(!is_out("inside.tape") && !is_out("old/a.tape") && !is_out("nothing"));
        assert!(!leads_out(&Source::File(folder.join("out.tape")), &[]), "it was named");
        // A folder may be a link itself.
        symlink(&folder, outer.path().join("link")).unwrap();
        let link = outer.path().join("link");
        assert!(!leads_out(&Source::File(link.join("inside.tape")), &[link]));
    }
}
