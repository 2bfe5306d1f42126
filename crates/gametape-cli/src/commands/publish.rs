//! `gametape publish`: a tape that grows goes to a live server.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use gametape_files::KeptMatches;
use gametape_live::MatchName;
use gametape_net::{Address, PublishEvent, PublishOptions, publish_file};
use gametape_wire::{Error, ErrorClass, Place, View, ViewSet};
use tempfile::NamedTempFile;

use crate::commands::record::stop_signal;
use crate::failure::{Done, Failure, Outcome, note, warn};
use crate::input::Source;
use crate::server_arg::ServerArgs;

/// Send a match to a live server while it is recorded
///
/// Follows a tape that is being written, or standard input, and ends when the match is over and the server has
/// everything. When the connection ends it connects again and sends what the server lacks, nothing twice; it may
/// be stopped and started again at any time. Where the server wants a pass, `gametape pass --publish`
/// makes one.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Tape to follow, `-` for standard input
    #[arg(value_name = "TAPE")]
    source: Source,

    /// The server: http://, https://, ws://, wss:// or quic://, HOST:PORT; or a bus: nats://HOST:PORT, several
    /// separated by commas; USER:PASSWORD@ or TOKEN@ may come before the host of a bus
    #[arg(long, visible_alias = "bus", value_name = "URL")]
    to: Address,

    /// The file with the credentials that a bus wants, as NATS makes them (.creds)
    #[arg(long, value_name = "FILE")]
    bus_creds: Option<PathBuf>,

    /// What the match is called there: 1 to 64 of the letters A-Z a-z 0-9 _ - [default: the name of the file]
    #[arg(long = "match", value_name = "MATCH")]
    name: Option<MatchName>,

    /// Publish these views alone, by number
    #[arg(long, visible_alias = "views", value_name = "VIEW,…", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(0..=15))]
    view: Vec<u8>,

    /// Give up when the server cannot be reached for this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    patience: u64,

    /// Keep the tape when it is published whole: a folder, or s3://BUCKET/PREFIX
    #[arg(long, value_name = "FOLDER|ADDRESS")]
    store: Option<String>,

    #[command(flatten)]
    server: ServerArgs,
}

const EXAMPLES: &str = "\
Examples:
  gametape publish live.tape --to http://localhost:8440/
  gametape publish live.tape --to wss://live.example/ --match finals --pass gtp1_…
  gametape publish live.tape --bus nats://bus-1:4222,nats://bus-2:4222 --store s3://league/matches
  gametape record --live - | gametape publish - --to http://localhost:8440/ --match finals";

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let stop = stop_signal()?;
        let ended = Arc::new(AtomicBool::new(false));
        match &self.source {
            Source::File(_) if self.source.is_folder() => Err(self.source.no_file()),
            Source::File(path) => self.publish(path, &stop, &ended),
            Source::Stdin => {
                let spool = spool_stdin(&ended)?;
                self.publish(spool.path(), &stop, &ended)
            }
            _ => Err(Failure::usage("what is published is a file, or standard input")),
        }
    }

    fn publish(&self, journal: &Path, stop: &AtomicBool, ended: &AtomicBool) -> Outcome {
        let mut on_event = |event: &PublishEvent| report(&self.to, event);
        let options = self.options();
        let done = publish_file(journal, &options, stop, ended, &mut on_event);
        let failed = |error: Error| self.failure(&error);
        match done.map_err(failed)? {
            true => {
                if let Some(place) = &self.store {
                    let store = KeptMatches::open(place).map_err(failed)?;
                    let kept = store.keep(options.name.as_str(), journal, true).map_err(failed)?;
                    note(&self.source, kept);
                }
                Ok(Done::Fine)
            }
            false => {
                warn(&self.to, "ended before the match was over");
                Ok(Done::DataLost)
            }
        }
    }

    /// What is wrong with the server, or with the tape.
    fn failure(&self, error: &Error) -> Failure {
        let is_connection = error.class() == ErrorClass::Io && *error.place() == Place::Nowhere;
        if is_connection { Failure::of(&self.to, error) } else { Failure::of(&self.source, error) }
    }

    fn options(&self) -> PublishOptions {
        let name = self.name.clone().or_else(|| self.to.name().cloned());
        let name = name.unwrap_or_else(|| name_of(&self.source));
        let views: ViewSet = self.view.iter().filter_map(|number| View::new(*number)).collect();
        let mut options =
            PublishOptions::new(self.to.clone().with_credentials(self.bus_creds.clone()), name);
        options.trust = self.server.trust();
        options.pass = self.server.pass.clone();
        options.views = (!views.is_empty()).then_some(views);
        options.patience = Duration::from_secs(self.patience);
        options
    }
}

/// The name of a file as that of a match.
pub(super) fn name_of(source: &Source) -> MatchName {
    match source {
        Source::File(path) => {
            MatchName::of_text(&path.file_stem().unwrap_or_default().to_string_lossy())
        }
        _ => MatchName::of_text("match"),
    }
}

/// Says what happens.
pub(super) fn report(to: &Address, event: &PublishEvent) {
    match event {
        PublishEvent::Lost { .. } => warn(to, event),
        _ => note(to, event),
    }
}

/// Standard input as a file that grows: what a server lacks is read again from it.
fn spool_stdin(ended: &Arc<AtomicBool>) -> Result<NamedTempFile, Failure> {
    let failed = |error: io::Error| Failure::io(&"temporary file", &error);
    let spool = NamedTempFile::new().map_err(failed)?;
    let mut file = spool.reopen().map_err(failed)?;
    let ended = Arc::clone(ended);
    thread::spawn(move || {
        // What cannot be read, or written, is not published: the match ends there.
        let _ = io::copy(&mut io::stdin().lock(), &mut file);
        ended.store(true, Ordering::Release);
    });
    Ok(spool)
}
