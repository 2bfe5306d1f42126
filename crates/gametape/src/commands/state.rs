//! `gametape state`: what a view knows at a time.

mod minewars;

use crate::cities::places;
use crate::failure::Outcome;
use crate::input::{Recording, RecordingArgs};
use crate::moment::{At, ViewArg, replay, warn_of_problems};
use crate::output::{print, print_json};
use minewars::{State, hex};

/// Show what a view knows at a time
///
/// Plays the frames that the view receives, from the start up to and including the given time.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    recording: RecordingArgs,

    /// When: start, end, or milliseconds since the start
    #[arg(long, value_name = "TIME", default_value = "end")]
    at: At,

    #[command(flatten)]
    view: ViewArg,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Print the hash of the state and nothing else
    #[arg(long, conflicts_with = "json")]
    hash: bool,
}

const EXAMPLES: &str = r#"With --json, fields that are not known or not so are left out of tiles, players and cities:
  {"file","time","view","grid","radius","hash",
   "tiles":[{"y","x","kind","item","owner","digit","asterisk","structure","hp",
             "pending":{"kind","points","current","rate"},"flag","smoke"}],
   "players":[{"id","clients":[{"sub","name","rtt","gone"}],"lives","timeout","protected",
               "eliminated","surrendered"}],
   "cities":[{"id","y","x","name","owner","money","income","resources","export","import",
              "capturing":{"player","ms"},"contested_by"}],
   "votes":[{"id","text","ballots":[{"player","sub","ballot"}]}],"time_limit","problems"}
"time" is when the last frame that was played happens; "tiles" are those of which something else
is known than at the start; "flag" is a player, or 16 where the format does not say whose; "hash"
is SHA-256 of the state's canonical bytes.

Examples:
  gametape state match.minewars
  gametape state --at 30000 --view 1 --json match.minewars | jq .players
  gametape state --hash match.minewars"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let input = self.recording.read()?;
        let Recording::MineWars(file) = input.recording()?;
        let replayed = replay(&input.source, &file, self.view.number, self.at)?;
        if self.hash {
            print(&(hex(&replayed.state.hash()) + "\n"))?;
        } else {
            let start = replay(&input.source, &file, self.view.number, At::Start)?;
            let state = State::of(&input.source, places(&file), &start.state, &replayed);
            if self.json { print_json(&state)? } else { print(&state.to_text())? }
        }
        Ok(warn_of_problems(&input.source, &replayed))
    }
}
