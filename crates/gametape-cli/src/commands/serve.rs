//! `gametape serve`: live matches and finished ones, for everybody who may see them.

use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use gametape_cadre::GameAddress;
use gametape_files::{KeptMatches, Spooled};
use gametape_live::MatchName;
use gametape_replay::Recording;
use gametape_replay::cut::{CutRequest, clip};
use gametape_replay::open::Opened;
use gametape_server::live::{EventLog, Finished, Hold, Live, LiveLimits, LogForm, Policy};
use gametape_server::{Identity, Listen, Server, Shown};
use gametape_wire::{Error, Tick, View, ViewSet, When};
use serde::Serialize;
use tempfile::TempDir;

use super::view::{address, bound, site_of};
use crate::failure::{Failure, Outcome, note, warn};
use crate::input::Source;
use crate::many::JobsArg;
use crate::output::{print, print_json};
use crate::tape::PublicKeyArg;
use crate::viewer::ViewerArg;

/// Broadcast live matches, and serve finished ones
///
/// Publishers send matches here while they are played (`gametape publish`), and everybody who may see them
/// watches from here: over WebTransport, QUIC and WebSocket, or as segments that any cache can hold. A tape among
/// the recordings that is still being written is broadcast while it grows. The page of the viewer is served, too.
/// Press Ctrl-C to end it.
///
/// Without --cert and --self-signed there is no TLS, but for QUIC, which uses a certificate of its own: the page and
/// `gametape watch` find its hash in live/server.json.
///
/// Strangers see the views of --public, as much later as --delay says. Whoever has a pass (`gametape pass`) of a key
/// that is given with --trust sees what the pass says: a view that strangers may not see is asked of the publisher, or the
/// bus, when the first of them comes, and not before. Of finished recordings everybody gets the views of
/// --public and nothing else: they are cut before they are served.
///
/// Whoever publishes needs a pass to publish. Without a trusted key, and as long as the server
/// listens to this machine alone, anybody on this machine may publish.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Recordings, and folders with recordings in them; `-` for standard input
    #[arg(value_name = "FOLDER|TAPE")]
    what: Vec<OsString>,

    /// Listen here: ADDRESS:PORT, an address, or a port. 0.0.0.0:PORT is for everybody who can reach
    /// this machine
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8440", value_parser = address)]
    listen: SocketAddr,

    /// What strangers may see: spectator, none, all, or views by number
    #[arg(long, value_name = "VIEWS", default_value = "spectator")]
    public: Public,

    /// How much later strangers see it: 30s, 2:00, or tick:600
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = hold)]
    delay: Hold,

    /// Trust passes that are signed with this key: its digits, or a file that has them; may be given several
    /// times
    #[arg(long, value_name = "KEY")]
    trust: Vec<PublicKeyArg>,

    /// The file with the certificate of this server and those that vouch for it (PEM)
    #[arg(long, value_name = "FILE", requires = "key", conflicts_with = "self_signed")]
    cert: Option<PathBuf>,

    /// The file with the secret key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,

    /// Use TLS with a certificate of its own, and print its SHA-256, by which clients know it. It is valid for 13 days
    /// and made again every 6: the log says the SHA-256 of the new one
    #[arg(long)]
    self_signed: bool,

    /// Do not speak QUIC and WebTransport
    #[arg(long)]
    no_quic: bool,

    /// Also broadcast the matches of a bus: nats://HOST:PORT, several separated by commas; USER:PASSWORD@ or TOKEN@ may
    /// come before the host
    #[arg(long, value_name = "ADDRESS")]
    bus: Option<String>,

    /// The file with the credentials that the bus wants, as NATS makes them (.creds)
    #[arg(long, value_name = "FILE", requires = "bus")]
    bus_creds: Option<PathBuf>,

    /// Also watch a game of a Cadre server, HOST:PORT/GAME[/SESSION], and broadcast it; may be given several times
    #[arg(long, value_name = "ADDRESS")]
    cadre: Vec<GameAddress>,

    /// Keep matches that are over, with all their views: a folder, or s3://BUCKET/PREFIX
    #[arg(long, value_name = "FOLDER|ADDRESS")]
    store: Option<String>,

    /// Also answer to this name of the machine; may be given several times
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,

    /// Also answer pages of this origin, such as https://example.org; may be given several times
    #[arg(long, value_name = "ORIGIN")]
    origin: Vec<String>,

    /// Connections at the same time
    #[arg(long, value_name = "N", default_value_t = 8192)]
    max_connections: usize,

    /// Connections of one address
    #[arg(long, value_name = "N", default_value_t = 256)]
    max_per_address: usize,

    /// Sessions that one address may begin in a second, and twenty times as many requests; 0 is no limit
    #[arg(long, value_name = "N", default_value_t = 50)]
    rate: u32,

    /// How events are reported on standard error
    #[arg(long, value_name = "FORM", default_value = "text")]
    log: LogArg,

    #[command(flatten)]
    jobs: JobsArg,

    /// Print one JSON object with the address
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    viewer: ViewerArg,
}

const EXAMPLES: &str = r#"With --json:
  {"address","matches","live":[name],"certificate_sha256"}

Examples:
  gametape serve
  gametape serve finals/
  gametape serve --delay 0 live.tape
  gametape serve --trust league.pub --delay 2:00 --listen 0.0.0.0:8440
  gametape serve --cert chain.pem --key secret.pem --host matches.example --listen 0.0.0.0:443
  gametape serve --store s3://league/matches --bus nats://bus-1:4222
  gametape serve --cadre localhost:3000/Chess/finals --delay 0
  gametape serve --bus nats://bus-1:4222,nats://bus-2:4222
  gametape serve --public none --trust league.pub --log json"#;

/// How events are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum LogArg {
    /// Lines of key=value
    Text,
    /// One JSON object a line
    Json,
}

/// What strangers may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Public(ViewSet);

impl FromStr for Public {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let view = |text: &str| text.parse().ok().and_then(View::new);
        let numbers = || text.split(',').map(view).collect::<Option<ViewSet>>();
        match text {
            "spectator" => Some(ViewSet::EMPTY.with(View::SPECTATOR)),
            "none" => Some(ViewSet::EMPTY),
            "all" => Some(ViewSet::ALL),
            _ => numbers(),
        }
        .map(Self)
        .ok_or("views are written as spectator, none, all, or numbers from 0 to 15: 0,2")
    }
}

fn hold(text: &str) -> Result<Hold, String> {
    match text.parse::<When>().map_err(|error| error.to_string())? {
        When::Time(time) => Ok(Hold::Time(time)),
        When::Start | When::Number(0) => Ok(Hold::Ticks(0)),
        When::Tick(Tick(ticks)) => Ok(Hold::Ticks(ticks)),
        _ => Err("a delay is written as 30s, 2:00, 500ms, tick:600 or 0".to_owned()),
    }
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Served {
    address: String,
    matches: usize,
    live: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate_sha256: Option<String>,
}

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let sources = self.what.iter().cloned().map(Source::from).collect();
        let spooled = Spooled::new(sources)?;
        let (shown, outcome) = Shown::gather(spooled.sources(), self.jobs.number());
        if shown.is_empty() && !self.what.is_empty() {
            return outcome;
        }
        let Sorted { finished, growing, folder } = self.sort(shown)?;
        self.serve(finished, growing)?;
        drop((spooled, folder));
        outcome
    }

    /// Finished recordings as strangers may have them, and tapes that are being written.
    fn sort(&self, shown: Vec<Shown>) -> Result<Sorted, Failure> {
        let folder = tempfile::tempdir().map_err(|error| Failure::io(&"a folder", &error))?;
        let mut sorted = Sorted { finished: Vec::new(), growing: Vec::new(), folder };
        for shown in shown {
            let opened = shown.source().open()?;
            match for_strangers(opened, self.public.0) {
                Ok(Part::Growing) => sorted.add_growing(&shown),
                Ok(Part::Whole) => sorted.finished.push(shown),
                Ok(Part::Cut(bytes)) => {
                    let path = sorted.folder.path().join(sorted.finished.len().to_string());
                    let written = std::fs::write(&path, bytes);
                    written.map_err(|error| Failure::io(&path.display(), &error))?;
                    sorted.finished.push(shown.with_source(Source::File(path)));
                }
                Ok(Part::Nothing) => note(shown.source(), "nothing of it is for strangers"),
                Err(error) => warn(shown.source(), error),
            }
        }
        Ok(sorted)
    }

    fn policy(&self) -> Result<Policy, Failure> {
        let trusted = self.trust.iter().map(PublicKeyArg::read).collect::<Result<Vec<_>, _>>()?;
        let open = trusted.is_empty() && self.listen.ip().is_loopback();
        let policy = Policy::default();
        Ok(Policy { trusted, public: self.public.0, delay: self.delay, open, ..policy })
    }

    /// Serves until Ctrl-C.
    fn serve(
        &self,
        finished: Vec<Shown>,
        growing: Vec<(MatchName, PathBuf)>,
    ) -> Result<(), Failure> {
        let assets = self.viewer.assets_or_warning()?;
        let listen = Listen {
            address: self.listen,
            with_secret: false,
            names: self.host.clone(),
            origins: self.origin.clone(),
            connections: self.max_connections,
            connections_of_one: self.max_per_address,
            identity: self.identity()?,
            with_quic: !self.no_quic,
        };
        let failed = |error: io::Error| Failure::io(&listen.address, &error);
        let policy = self.policy()?;
        let server = bound(&listen)?;
        let hash = listen.identity.as_ref().and_then(Identity::hash);
        self.say(&server, finished.len(), &growing, hash)?;
        self.say_who_may_see(&policy);
        let limits = LiveLimits { joins: self.rate, ..LiveLimits::default() };
        let mut live = Live::new(policy, limits, self.log.to_log());
        live = live.with_bus(self.bus.clone(), self.bus_creds.clone());
        if let Some(place) = &self.store {
            let store = KeptMatches::open(place).map_err(|error| Failure::of(place, &error))?;
            live = live.with_keep(Arc::new(move |finished| keep(&store, &finished)));
        }
        live = self.cadre.iter().cloned().fold(live, Live::with_game);
        for (name, path) in growing {
            live = live.with_tape(name, path);
        }
        let (site, matches) = site_of(assets, finished, Vec::new(), self.jobs);
        let served = server.run_live(site, live).map_err(failed);
        matches.stop();
        served
    }

    fn say(
        &self,
        server: &Server,
        matches: usize,
        growing: &[(MatchName, PathBuf)],
        hash: Option<String>,
    ) -> Result<(), Failure> {
        let address = server.link();
        if self.json {
            let live = growing.iter().map(|(name, _)| name.to_string()).collect();
            return print_json(&Served { address, matches, live, certificate_sha256: hash });
        }
        if let Some(hash) = hash {
            note(&"certificate", format_args!("SHA-256 {hash}"));
        }
        print(&format!("{address}\n"))
    }

    fn identity(&self) -> Result<Option<Identity>, Failure> {
        let failed = |error: io::Error| Failure::io(&"certificate", &error);
        if let (Some(certificate), Some(key)) = (&self.cert, &self.key) {
            return Identity::in_files(certificate, key).map(Some).map_err(failed);
        }
        let address = self.listen.ip();
        let own = (!address.is_unspecified()).then(|| address.to_string());
        let names: Vec<String> = self.host.iter().cloned().chain(own).collect();
        let made = self.self_signed.then(|| Identity::self_signed(&names));
        made.transpose().map_err(failed)
    }

    fn say_who_may_see(&self, policy: &Policy) {
        let delay = match self.delay {
            Hold::Time(time) => format!("{time} later"),
            Hold::Ticks(0) => "at once".to_owned(),
            Hold::Ticks(ticks) => format!("{ticks} ticks later"),
        };
        let strangers = match self.public.0 {
            ViewSet::EMPTY => "see nothing".to_owned(),
            ViewSet::ALL => format!("see every view, {delay}"),
            views => format!("see views {views}, {delay}"),
        };
        note(&"strangers", strangers);
        if policy.open {
            note(&"publishers", "anybody on this machine may publish");
        } else if policy.trusted.is_empty() {
            note(&"publishers", "nobody may publish: --trust says whose passes count");
        }
    }
}

/// Keeps a match that is over, and says so.
fn keep(store: &KeptMatches, finished: &Finished) {
    let Finished { name, tape, is_whole, .. } = finished;
    match store.keep(name.as_str(), tape.path(), *is_whole) {
        Ok(kept) => note(name, kept),
        Err(error) => warn(name, error),
    }
}

impl LogArg {
    fn to_log(self) -> EventLog {
        let form = match self {
            Self::Text => LogForm::Text,
            Self::Json => LogForm::Json,
        };
        EventLog::new(form, Box::new(|line| anstream::eprintln!("{line}")))
    }
}

/// What is served.
struct Sorted {
    finished: Vec<Shown>,
    growing: Vec<(MatchName, PathBuf)>,
    /// Where the cuts are.
    folder: TempDir,
}

impl Sorted {
    fn add_growing(&mut self, shown: &Shown) {
        let Source::File(path) = shown.source() else { return };
        let taken = |name: &MatchName| self.growing.iter().any(|(other, _)| other == name);
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let names = (1..).map(|number| match_name(stem.as_deref().unwrap_or_default(), number));
        if let Some(name) = names.flatten().find(|name| !taken(name)) {
            self.growing.push((name, path.clone()));
        }
    }
}

/// A name for a match out of that of a file; the second one of a name has a number.
fn match_name(stem: &str, number: u32) -> Option<MatchName> {
    let letter = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let mut name: String = stem.chars().map(letter).take(56).collect();
    if name.is_empty() {
        name.push_str("match");
    }
    if number > 1 {
        name = format!("{name}-{number}");
    }
    name.parse().ok()
}

/// What strangers get of a recording.
enum Part {
    /// It is being written: a live match.
    Growing,
    Whole,
    Cut(Vec<u8>),
    Nothing,
}

fn for_strangers<S: gametape_wire::Source>(
    mut opened: Opened<S>,
    public: ViewSet,
) -> Result<Part, Error> {
    let views = match &mut opened {
        Opened::Tape(source) => {
            let recording = Recording::open(source)?;
            if !recording.tape().is_finished() {
                return Ok(Part::Growing);
            }
            recording.tape().views()
        }
        Opened::MineWars(bytes) => ViewSet::up_to(bytes.file()?.setup().to_setup()?.max_view()),
        _ => ViewSet::EMPTY.with(View::SPECTATOR),
    };
    let seen = views.and(public);
    match opened {
        _ if public == ViewSet::ALL => Ok(Part::Whole),
        _ if seen.is_empty() => Ok(Part::Nothing),
        // Who watches a game of Cadre sees all of it.
        Opened::Gamelog(_) => Ok(Part::Whole),
        opened => {
            let mut bytes = Vec::new();
            let request = CutRequest::default().with_views(seen);
            clip(opened, &request, &mut |part: &[u8]| {
                bytes.extend_from_slice(part);
                Ok(())
            })?;
            Ok(Part::Cut(bytes))
        }
    }
}
