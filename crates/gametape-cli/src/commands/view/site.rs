//! The static folder: viewer, recordings, list and pictures, for any web host.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gametape_replay::inspect::MatchEntry;
use gametape_server::negotiate::Encoding;
use gametape_server::{Assets, link};
use serde::Serialize;

use super::known::{List, entry_of, picture, row, row_of_url};
use super::{Args, Shown, folders, look_at, spool};
use crate::failure::{Done, Failure, Outcome, note};
use crate::input::Source;
use crate::many::FilesArgs;
use crate::output::{may_replace, print_json};
use crate::text::count;

/// A folder that is being written.
struct Folder {
    path: PathBuf,
    files: u64,
    bytes: u64,
}

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
    pub(super) fn write_site(
        &self,
        folder: &Path,
        urls: &[String],
        sources: Vec<Source>,
    ) -> Outcome {
        let assets = self.viewer.needed()?;
        let mut folder = Folder::create(folder)?;
        let (spooled, sources) = spool(sources)?;
        let mut entries: Vec<(String, MatchEntry, bool)> = Vec::new();
        let mut outcome = Ok(Done::Fine);
        if !sources.is_empty() {
            let folders = folders(&sources);
            let files = FilesArgs::of(sources, self.jobs);
            let work = |source: &Source| {
                let shown = Shown::new(source, &folders, look_at(source)?);
                Ok((Done::Fine, (entry_of(&shown), picture(source))))
            };
            let gathered = files.gather("written", work, |source, (entry, picture)| {
                let (number, name) = (entries.len(), source.short_name());
                folder.copy(&format!("recordings/{number}"), &name, source)?;
                if let Some(picture) = &picture {
                    folder.write(&link::picture(number), picture)?;
                }
                entries.push((name, entry, picture.is_some()));
                Ok(())
            })?;
            outcome = gathered.conclude();
        }
        if entries.is_empty() && urls.is_empty() {
            return outcome;
        }
        folder.write_assets(&assets)?;
        let rows = entries.iter().enumerate();
        let rows =
            rows.map(|(number, (name, entry, has_picture))| row(number, name, entry, *has_picture));
        let matches: Vec<_> = rows.chain(urls.iter().map(|url| row_of_url(url))).collect();
        let matches_count = matches.len();
        folder.write("matches.json", &List { matches, pending: 0 }.to_bytes())?;
        drop(spooled);
        folder.report(matches_count, self.json)?;
        outcome
    }
}

impl Folder {
    /// A folder that is new or empty, unless it may be replaced.
    fn create(path: &Path) -> Result<Self, Failure> {
        let failed = |error: io::Error| Failure::io(&path.display(), &error);
        fs::create_dir_all(path).map_err(failed)?;
        let is_empty = fs::read_dir(path).map_err(failed)?.next().is_none();
        if !is_empty && !may_replace() {
            let problem = format_args!(
                "{} is not empty; use --force to write into it and replace what is there",
                path.display()
            );
            return Err(Failure::usage(problem));
        }
        Ok(Self { path: path.to_owned(), files: 0, bytes: 0 })
    }

    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let path = self.path.join(name);
        let written = fs::create_dir_all(path.parent().unwrap_or(&self.path))
            .and_then(|()| fs::write(&path, bytes));
        written.map_err(|error| Failure::io(&path.display(), &error))?;
        (self.files, self.bytes) = (self.files + 1, self.bytes + bytes.len() as u64);
        Ok(())
    }

    /// A recording under its name.
    fn copy(&mut self, folder: &str, name: &str, source: &Source) -> Result<(), Failure> {
        let Source::File(from) = source else {
            return Err(Failure::usage("where is the recording?"));
        };
        let path = self.path.join(folder).join(name);
        let copied =
            fs::create_dir_all(self.path.join(folder)).and_then(|()| fs::copy(from, &path));
        let bytes = copied.map_err(|error| Failure::io(&path.display(), &error))?;
        (self.files, self.bytes) = (self.files + 1, self.bytes + bytes);
        Ok(())
    }

    /// The viewer, also compressed for hosts that serve such files.
    fn write_assets(&mut self, assets: &Assets) -> Result<(), Failure> {
        let endings =
            [(Encoding::Identity, ""), (Encoding::Brotli, ".br"), (Encoding::Gzip, ".gz")];
        for (name, asset) in assets.iter() {
            for (encoding, ending) in endings {
                if let Some(bytes) = asset.encoded(encoding) {
                    self.write(&format!("{name}{ending}"), bytes)?;
                }
            }
        }
        Ok(())
    }

    fn report(&self, matches: usize, json: bool) -> Result<(), Failure> {
        let site = self.path.display().to_string();
        if json {
            return print_json(&Written { site, matches, files: self.files, bytes: self.bytes });
        }
        let (files, bytes) = (count(self.files, "file"), count(self.bytes, "byte"));
        note(&site, format_args!("wrote {files}, {bytes}; any web host can serve it, and so can"));
        note(&site, format_args!("`python3 -m http.server --bind 127.0.0.1 --directory {site}`"));
        Ok(())
    }
}
