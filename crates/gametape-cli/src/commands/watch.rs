//! `gametape watch`: a match while it is played.

mod live;
mod server;
mod tape;

use std::ffi::OsString;

use gametape_live::MatchName;
use gametape_net::Address;
use gametape_wire::When;

use crate::failure::{Failure, Outcome};
use crate::input::Source;
use crate::output::Target;
use crate::server_arg::ServerArgs;
use crate::view_arg::ViewArg;

/// Watch a match while it is played or recorded
///
/// In a terminal it is the player of `play`, live: pause, go back to any moment since the start, and catch up with L
/// or End. LIVE, or how far it is from live, is shown. A match of a live server (`gametape serve`) is joined at any
/// time, and reconnects; http:// tries QUIC, then WebSocket, then segments. A game of a Cadre server is joined as a
/// spectator, before it begins; a tape may be one that is being recorded.
///
/// With --chunks, and where standard output is no terminal, a line is printed for each chunk of a tape that becomes
/// readable, from the beginning: metadata, frames, orders, keyframes, events, gaps, and damage if there
/// is any; of a game, for each delta; of a match, for what happens. Recorders write a chunk about once a second. Then it ends when the match is
/// over; press Ctrl-C to end earlier.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Tape to follow, `-` for standard input; a server: http://, https://, ws://, wss:// or quic://, HOST:PORT; or
    /// a game: tcp://HOST:PORT/GAME[/SESSION]
    #[arg(value_name = "TAPE|ADDRESS")]
    watched: Watched,

    /// How often to look for more of a tape, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 250, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    interval: u64,

    /// Print lines, not pictures
    #[arg(long, visible_alias = "no-play")]
    chunks: bool,

    /// Print what is there now, and end
    #[arg(long)]
    once: bool,

    /// Print one JSON object for each line
    #[arg(long)]
    json: bool,

    /// Keep what was seen: of a tape a tape; of a game a gamelog (.json, .gz) or a tape
    #[arg(long, value_name = "FILE")]
    save: Option<Target>,

    /// Which match of a server, where it has several
    #[arg(long = "match", value_name = "MATCH")]
    name: Option<MatchName>,

    /// Rewind a match of a server: 0:30, start, -20s (before live), tick:600
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    at: Option<When>,

    #[command(flatten)]
    view: ViewArg,

    #[command(flatten)]
    server: ServerArgs,
}

const EXAMPLES: &str = r#"With --json there is one object a line, "what" says which:
  {"what":"header","version","id","tick_us"}
  {"what":"chunk","chunk","offset","kind","stream","views","first_tick","ticks","items","raw_bytes",
   "stored_bytes","codec","metadata"}
  {"what":"damage","start","end","problem"}
  {"what":"end","finished","offset"}
  {"what":"delta","delta","type","turn"}
Of a server:
  {"what":"connected","transport"}
  {"what":"disconnected","reason","again_ms"}
  {"what":"welcome","match","views":[number],"delay_ticks","tick_us"}
  {"what":"began","tick"}
  {"what":"shown","tick"}
  {"what":"lost","view","first","last","parts"}
  {"what":"over"}
"metadata" is present in metadata chunks only, "turn" where there are turns.

Examples:
  gametape record --speed 1 live.tape & gametape watch live.tape
  gametape watch --save mine.tape live.tape
  gametape watch http://localhost:8440/
  gametape watch --match finals --view 2 --pass gtp1_… wss://live.example/
  gametape watch --at start --no-play --save finals.tape https://live.example/?match=finals
  gametape watch --save game.json.gz tcp://localhost:3000/Chess/finals
  gametape watch --json live.tape | jq -r 'select(.kind == "frames") | .first_tick'"#;

/// What is watched.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Watched {
    Tape(Source),
    Game(String),
    Match(String),
}

/// The address of a game begins with this.
const GAME: &str = "tcp://";

impl From<OsString> for Watched {
    fn from(text: OsString) -> Self {
        match text.to_str() {
            Some(address) if Address::is_one(address) => Self::Match(address.to_owned()),
            Some(address) if address.starts_with(GAME) => {
                Self::Game(address[GAME.len()..].to_owned())
            }
            _ => Self::Tape(text.into()),
        }
    }
}

impl Args {
    pub(crate) fn run(self) -> Outcome {
        match &self.watched {
            Watched::Tape(source) => tape::watch(&self, source),
            Watched::Game(address) => server::watch(&self, address),
            Watched::Match(address) => {
                let parsed = address.parse();
                let parsed =
                    parsed.map_err(|error| Failure::usage(format_args!("{address}: {error}")))?;
                live::watch(&self, &parsed)
            }
        }
    }

    /// Are lines printed?
    fn prints_lines(&self) -> bool {
        self.chunks || self.once || self.json || !super::play::terminal::is_there()
    }
}
