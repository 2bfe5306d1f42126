//! `gametape state`: what is so at a moment.

mod gamelog;
mod minewars;
mod tape;

use std::collections::BTreeMap;
use std::str::FromStr;

use gametape_minewars::{ReplayFile, Replayed, ViewState};
use gametape_wire::{Error, When};

use crate::cities::{Place, places};
use crate::failure::{Failure, Outcome};
use crate::input::{Input, Opened, Recording, RecordingArgs, Source};
use crate::moment::{At, ViewArg, replay, warn_of_problems};
use crate::output::{print, print_json};
use crate::text::hex;
use gamelog::{Form, Wanted};
use minewars::State;
use tape::Shown;

/// Show what is so at a moment: what a MineWars view knows, or the state of a gamelog's game
///
/// Plays the frames that the view receives, from the start up to and including the given time, or
/// merges the deltas up to and including the given one. A tape is entered at the last keyframe before
/// that.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    recording: RecordingArgs,

    /// When: start, end, or milliseconds since the start; in a gamelog start, end, the number of a
    /// delta counted from 0, or turn:N for the moment that turn begins
    #[arg(long, value_name = "WHEN", default_value = "end")]
    at: Asked,

    /// Run the match again from its orders, and show the state of the simulation: of tapes of games
    /// that are known here; WHEN may be any time, such as tick:4352 or 3:37.6
    #[arg(long, conflicts_with = "given")]
    simulation: bool,

    #[command(flatten)]
    view: ViewArg,

    /// Only what stands at this path, such as gameObjects.7.hp (gamelogs)
    #[arg(long, value_name = "PATH", conflicts_with = "hash")]
    path: Option<String>,

    /// Put game objects in the place of references to them, up to DEPTH inside each other and none
    /// inside of itself; 1 if no depth is given (gamelogs)
    #[arg(long, value_name = "DEPTH", num_args = 0..=1, require_equals = true, default_missing_value = "1", conflicts_with = "hash")]
    resolve: Option<u8>,

    /// Print one JSON value
    #[arg(long)]
    json: bool,

    /// Print the hash of the state and nothing else
    #[arg(long, conflicts_with = "json")]
    hash: bool,
}

const EXAMPLES: &str = r##"With --json a gamelog's state is printed as canonical JSON: no white space, keys sorted by UTF-16
code unit, numbers as the log has them, holes of lists as null; then one end of line. "#7 Unit" in
the text is a reference to game object 7, a Unit. The hash is SHA-256 of the canonical JSON.

With --json of MineWars, fields that are not known or not so are left out of tiles, players and cities:
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
  gametape state --hash match.minewars
  gametape state --at 3600000 --view 2 match.tape
  gametape state --at turn:12 --path gameObjects.7 --resolve game.json.gz
  gametape state --at 100 --json game.json.gz | jq .currentPlayer
  gametape state --at tick:4352 --simulation match.tape"##;

/// When, as every recording has it, and as a simulation has it.
#[derive(Debug, Clone, Copy)]
struct Asked {
    at: Option<At>,
    when: When,
}

impl FromStr for Asked {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Ok(Self { at: text.parse().ok(), when: text.parse()? })
    }
}

impl Args {
    /// The moment of a recording that is not simulated again.
    fn at(&self) -> Result<At, Failure> {
        let problem = "a moment is start, end, a number or turn:N";
        self.at.at.ok_or_else(|| Failure::usage(problem))
    }

    pub(crate) fn run(self) -> Outcome {
        let opened = self.recording.open()?;
        if self.simulation {
            return self.show_simulation(opened);
        }
        let input = match opened {
            Opened::Tape(file) => match self.show_tape(file)? {
                Shown::Done(done) => return Ok(done),
                Shown::NotYet(input) => input,
            },
            Opened::Whole(input) => input,
        };
        match input.recording()? {
            Recording::MineWars(file) => self.show_view(&input, &file),
            Recording::Gamelog(log) => {
                log.refuse(&[("--view", self.view.given.is_some())])?;
                gamelog::show(&log, &self.wanted()?)
            }
        }
    }

    fn wanted(&self) -> Result<Wanted<'_>, Failure> {
        Ok(self.wanted_at(self.at()?))
    }

    /// How to show a state that was found otherwise.
    fn wanted_of_simulation(&self) -> Wanted<'_> {
        self.wanted_at(At::End)
    }

    fn wanted_at(&self, at: At) -> Wanted<'_> {
        let form = match (self.json, self.hash) {
            (true, _) => Form::Json,
            (_, true) => Form::Hash,
            _ => Form::Tree,
        };
        let follow = self.resolve.map_or(0, usize::from);
        Wanted { at, path: self.path.as_deref(), follow, form }
    }

    fn show_view(&self, input: &Input, file: &ReplayFile<'_>) -> Outcome {
        let options = [("--path", self.path.is_some()), ("--resolve", self.resolve.is_some())];
        input.refuse_for_minewars(&options)?;
        let view = self.view.number();
        let replayed = replay(&input.source, file, view, self.at()?)?;
        let start = replay(&input.source, file, view, At::Start)?;
        self.print_view(&input.source, places(file), &start.state, &replayed)
    }

    fn print_view(
        &self,
        source: &Source,
        places: BTreeMap<u8, Place>,
        start: &ViewState,
        replayed: &Replayed,
    ) -> Outcome {
        if self.hash {
            print(&(hex(&replayed.state.hash()) + "\n"))?;
        } else {
            let state = State::of(source, places, start, replayed);
            if self.json { print_json(&state)? } else { print(&state.to_text())? }
        }
        Ok(warn_of_problems(source, &replayed.problems, replayed.problem_count))
    }
}
