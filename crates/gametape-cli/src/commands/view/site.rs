//! The static folder: viewer, recordings, list and pictures, for any web host.

use std::io;
use std::path::Path;

use gametape_replay::inspect::MatchEntry;
use gametape_server::{SiteFolder, Unwritten};
use serde::Serialize;

use super::known::{document, entry_of, picture};
use super::{Args, Shown, folders, look_at, spool};
use crate::failure::{Done, Failure, Outcome, note};
use crate::input::Source;
use crate::many::Files;
use crate::output::{may_replace, print_json};
use crate::text::count;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Written {
    site: String,
    matches: usize,
    files: u64,
    bytes: u64,
}

impl Args {
    /// Writes the folder.
    pub(super) fn write_site(&self, path: &Path, urls: &[String], sources: Vec<Source>) -> Outcome {
        let assets = self.viewer.needed()?;
        let mut folder =
            SiteFolder::create(path, may_replace()).map_err(|error| refused(path, &error))?;
        let (spooled, sources) = spool(sources)?;
        let mut entries: Vec<(String, MatchEntry, bool)> = Vec::new();
        let mut outcome = Ok(Done::Fine);
        if !sources.is_empty() {
            let folders = folders(&sources);
            let files = Files::new(sources, self.jobs.number());
            let work = |source: &Source| {
                let shown = Shown::new(source, &folders, look_at(source)?);
                Ok((Done::Fine, (entry_of(&shown), picture(source))))
            };
            let gathered = files.gather("written", work, |source, (entry, picture)| {
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
            return outcome;
        }
        folder.write_assets(&assets).map_err(failed)?;
        let rows = entries.iter().map(|(name, entry, has_picture)| (&**name, entry, *has_picture));
        folder.write_list(&document(rows, urls, 0)).map_err(failed)?;
        drop(spooled);
        self.report_site(path, &folder, entries.len() + urls.len())?;
        outcome
    }

    fn report_site(&self, path: &Path, folder: &SiteFolder, matches: usize) -> Result<(), Failure> {
        let site = path.display().to_string();
        let (files, bytes) = folder.written();
        if self.json {
            return print_json(&Written { site, matches, files, bytes });
        }
        let (files, bytes) = (count(files, "file"), count(bytes, "byte"));
        note(&site, format_args!("wrote {files}, {bytes}; any web host can serve it, and so can"));
        note(&site, format_args!("`python3 -m http.server --bind 127.0.0.1 --directory {site}`"));
        Ok(())
    }
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
