//! `gametape view`: matches in the browser, from a server on this machine or as a folder for any web host.

mod browser;

use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gametape_files::Spooled;
use gametape_server::link::{self, is_url};
use gametape_server::{
    Assets, Catalogue, Listen, Matches, Server, Shown, ShownMatches, Site, WrittenSite, write_site,
};
use serde::Serialize;

use crate::failure::{Failure, Outcome, note};
use crate::games::GAMES;
use crate::global::share_memory;
use crate::input::Source;
use crate::many::JobsArg;
use crate::output::{path, print, print_json};
use crate::text::count;
use crate::viewer::{Begin, BeginArgs, ViewerArg};

/// Watch matches in the browser
///
/// Serves the viewer and the recordings to this machine alone, at an address that nobody can guess,
/// and opens the default browser. Press Ctrl-C to end it. One recording opens at once; a folder or
/// several become a page of matches. Recordings are read piece by piece as the viewer asks for them,
/// and nothing is changed. A link in a folder that leads out of it is left out: name it, or what it leads
/// to, and it is served.
///
/// An address of the web (http, https) is fetched by the page itself, in pieces where its server
/// allows it: that server must permit pages of others to read it (CORS: Access-Control-Allow-Origin, and
/// for pieces Range among Access-Control-Allow-Headers).
///
/// With --site nothing is served: everything is written into a folder that any web host or bucket can
/// serve. Everybody who can open it can then read all of its recordings, every view included: `gametape cut`
/// makes recordings of some views.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Recordings, folders with recordings in them, or addresses of the web; `-` for standard input
    #[arg(value_name = "FILE|URL|FOLDER", required = true)]
    what: Vec<OsString>,

    #[command(flatten)]
    begin: BeginArgs,

    /// Print the address and open no browser
    #[arg(long)]
    no_open: bool,

    /// Listen here instead of at a free port of this machine: ADDRESS:PORT, an address, or a port.
    /// 0.0.0.0 is for everybody who can reach this machine
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    listen: Option<SocketAddr>,

    /// Leave out the secret from the address: whoever can reach it can watch
    #[arg(long)]
    no_secret: bool,

    /// Also answer to this name of the machine; may be given several times. Addresses and localhost
    /// are always answered, other names never: pages of strangers could use them
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,

    /// Write everything into this folder instead, for any web host; it must be empty or new, unless
    /// --force is given
    #[arg(long, value_name = "DIR", value_parser = path(), conflicts_with_all = ["listen", "no_secret", "host", "no_open", "at", "given"])]
    site: Option<PathBuf>,

    #[command(flatten)]
    jobs: JobsArg,

    /// Print one JSON object: the address, or what was written
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    viewer: ViewerArg,
}

const EXAMPLES: &str = r#"With --json:
  {"address","matches"}
and with --site:
  {"site","matches","files","bytes"}

Examples:
  gametape view match.tape
  gametape view --at 3:37.6 --view Ana match.tape
  gametape view finals/
  gametape view https://example.org/final.tape
  gametape view --no-open --listen 0.0.0.0:8080 finals/
  gametape view --site public finals/"#;

pub(super) fn address(text: &str) -> Result<SocketAddr, &'static str> {
    Listen::address_of(text)
        .ok_or("an address is written as 127.0.0.1:8080, [::1]:8080, 0.0.0.0 or 8080")
}

/// A server that listens, and that Ctrl-C ends.
pub(super) fn bound(listen: &Listen) -> Result<Server, Failure> {
    let failed = |error: io::Error| Failure::io(&listen.address, &error);
    let server = Server::bind(listen).map_err(failed)?;
    let stopper = server.stopper();
    let handler = ctrlc::set_handler(move || stopper.stop());
    handler.map_err(|error| Failure::refused(&"Ctrl-C", &error.to_string()))?;
    Ok(server)
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Served {
    address: String,
    matches: usize,
}

/// What `--json` prints with `--site`.
#[derive(Debug, Serialize)]
struct Written {
    site: String,
    matches: usize,
    files: u64,
    bytes: u64,
}

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let (urls, sources): (Vec<OsString>, Vec<OsString>) =
            self.what.iter().cloned().partition(|text| text.to_str().is_some_and(is_url));
        let urls: Vec<String> = urls.iter().map(|url| url.to_string_lossy().into_owned()).collect();
        let sources: Vec<Source> = sources.into_iter().map(Source::from).collect();
        if let Some(folder) = &self.site {
            return self.write_site(folder, &urls, sources);
        }
        let is_one = self.what.len() == 1 && !sources.iter().any(Source::is_folder);
        if self.begin.are_given() && !is_one {
            return Err(Failure::usage(
                "--at and --view are for one recording, and there are several",
            ));
        }
        let spooled = Spooled::new(sources)?;
        let (shown, outcome) = Shown::gather(spooled.sources(), self.jobs.number());
        if shown.is_empty() && urls.is_empty() {
            return outcome;
        }
        let begin = match (&*shown, &*urls) {
            ([one], []) if is_one => self.begin.find(one.source(), one.source().open()?)?,
            _ if is_one => self.begin.unseen()?,
            _ => Begin::default(),
        };
        self.serve(shown, urls, is_one.then_some(begin))?;
        drop(spooled);
        outcome
    }

    /// Writes the folder that any web host can serve.
    fn write_site(&self, path: &Path, urls: &[String], sources: Vec<Source>) -> Outcome {
        let assets = self.viewer.needed()?;
        let (spooled, jobs) = (Spooled::new(sources)?, self.jobs.number());
        let (written, outcome) = write_site(path, &assets, spooled.sources(), urls, jobs, &GAMES)?;
        let Some(WrittenSite { matches, files, bytes, .. }) = written else { return outcome };
        let site = path.display().to_string();
        if self.json {
            print_json(&Written { site, matches, files, bytes })?;
            return outcome;
        }
        let (files, bytes) = (count(files, "file"), count(bytes, "byte"));
        note(&site, format_args!("wrote {files}, {bytes}; any web host can serve it, and so can"));
        note(&site, format_args!("`python3 -m http.server --bind 127.0.0.1 --directory {site}`"));
        outcome
    }

    /// Serves until Ctrl-C.
    fn serve(
        &self,
        shown: Vec<Shown>,
        urls: Vec<String>,
        begin: Option<Begin>,
    ) -> Result<(), Failure> {
        let assets = self.viewer.assets_or_warning()?;
        let mut listen =
            Listen { with_secret: !self.no_secret, names: self.host.clone(), ..Listen::default() };
        if let Some(address) = self.listen {
            listen.address = address;
        }
        let failed = |error: io::Error| Failure::io(&listen.address, &error);
        let server = bound(&listen)?;
        let address = server.link() + &first_query(&shown, &urls, begin);
        let matches = shown.len() + urls.len();
        if self.json {
            print_json(&Served { address: address.clone(), matches })?;
        } else {
            print(&format!("{address}\n"))?;
        }
        self.say_who_may_watch(&server);
        if !self.no_open {
            browser::open(&address);
        }
        let (site, matches) = site_of(assets, shown, urls, self.jobs);
        let served = server.run(site).map_err(failed);
        matches.stop();
        served
    }

    fn say_who_may_watch(&self, server: &Server) {
        let address = server.address();
        if !address.ip().is_loopback() {
            let who = if self.no_secret { "whoever can reach it" } else { "whoever has the link" };
            let here = if address.ip().is_unspecified() {
                "; others put this machine's address into it"
            } else {
                ""
            };
            note(&address, format_args!("{who} can watch{here}"));
        }
        note(&address, "serving; Ctrl-C ends it");
    }
}

/// Everything that is served, and what looks into it meanwhile.
pub(super) fn site_of(
    assets: Assets,
    shown: Vec<Shown>,
    urls: Vec<String>,
    jobs: JobsArg,
) -> (Site, Arc<Catalogue<ShownMatches>>) {
    let recordings = shown.iter().map(Shown::recording).collect();
    let jobs = jobs.number().clamp(1, shown.len().max(1));
    // The others draw pictures.
    share_memory(jobs + 2);
    let matches = Catalogue::look_into(ShownMatches { shown, urls, games: &GAMES }, jobs);
    let site = Site { assets, recordings, matches: Arc::clone(&matches) as Arc<dyn Matches> };
    (site, matches)
}

/// What the page opens: one recording, or the list.
fn first_query(shown: &[Shown], urls: &[String], begin: Option<Begin>) -> String {
    let Some(Begin { at, view, .. }) = begin else { return String::new() };
    let own = shown.first().map(|one| link::recording(0, one.name()));
    let Some(src) = own.or_else(|| urls.first().cloned()) else { return String::new() };
    link::opening(&src, at.as_deref(), view.as_deref())
}
