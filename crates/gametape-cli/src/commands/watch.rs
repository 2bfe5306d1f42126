//! `gametape watch`: a match while it is played.

mod server;
mod tape;

use std::ffi::OsString;

use crate::failure::Outcome;
use crate::input::Source;
use crate::output::Target;
use crate::view_arg::ViewArg;

/// Watch a match while it is played or recorded
///
/// In a terminal it is the player of `play`, live: pause, go back to any moment since the start, and catch up with L
/// or End. LIVE, or how far it is from live, is shown. A game of a Cadre server is joined as a
/// spectator, before it begins; a tape may be one that is being recorded.
///
/// With --chunks, and where standard output is no terminal, a line is printed for each chunk of a tape that becomes
/// readable, from the beginning: metadata, frames, orders, keyframes, events, gaps, and damage if there
/// is any; of a game, for each delta. Recorders write a chunk about once a second. Then it ends when the match is
/// over; press Ctrl-C to end earlier.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Tape to follow, `-` for standard input, or a game: tcp://HOST:PORT/GAME[/SESSION]
    #[arg(value_name = "TAPE|ADDRESS")]
    watched: Watched,

    /// How often to look for more of a tape, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 250, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    interval: u64,

    /// Print lines, not pictures
    #[arg(long)]
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

    #[command(flatten)]
    view: ViewArg,
}

const EXAMPLES: &str = r#"With --json there is one object a line, "what" says which:
  {"what":"header","version","id","tick_us"}
  {"what":"chunk","chunk","offset","kind","stream","views","first_tick","ticks","items","raw_bytes",
   "stored_bytes","codec","metadata"}
  {"what":"damage","start","end","problem"}
  {"what":"end","finished","offset"}
  {"what":"delta","delta","type","turn"}
"metadata" is present in metadata chunks only, "turn" where there are turns.

Examples:
  gametape record --speed 1 live.tape & gametape watch live.tape
  gametape watch --save mine.tape live.tape
  gametape watch --save game.json.gz tcp://localhost:3000/Chess/finals
  gametape watch --json live.tape | jq -r 'select(.kind == "frames") | .first_tick'"#;

/// What is watched.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Watched {
    Tape(Source),
    Game(String),
}

impl From<OsString> for Watched {
    fn from(text: OsString) -> Self {
        match text.to_str().and_then(|text| text.strip_prefix("tcp://")) {
            Some(address) => Self::Game(address.to_owned()),
            None => Self::Tape(text.into()),
        }
    }
}

impl Args {
    pub(crate) fn run(self) -> Outcome {
        match &self.watched {
            Watched::Tape(source) => tape::watch(&self, source),
            Watched::Game(address) => server::watch(&self, address),
        }
    }

    /// Are lines printed?
    fn prints_lines(&self) -> bool {
        self.chunks || self.once || self.json || !super::play::terminal::is_there()
    }
}
