//! `gametape state`: the state at a moment.

mod gamelog;
mod tape;

use std::collections::BTreeMap;

use gametape_minewars::{ReplayFile, Replayed, ViewShape, ViewState};
use gametape_scene::minewars::{Place, places};
use gametape_wire::When;
use serde::Serialize;

use crate::failure::{Failure, Outcome};
use crate::input::{Input, Opened, Recording, RecordingsArgs, Source};
use crate::moment::{before_all, replay, warn_of_problems};
use crate::output::{print, print_json};
use crate::text::{Fields, hex};
use crate::view_arg::{Names, ViewArg};
use gamelog::{Form, Wanted};
use tape::Shown;

/// Show the state at a moment: what a MineWars view knows, or the game of a gamelog
///
/// Plays everything that the view receives up to and including the given time, or merges all deltas
/// up to and including the given one. A tape is entered at the last keyframe before that.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    recordings: RecordingsArgs,

    /// When, such as 3:37.6, 217.6s, tick:4352, 50%, end, or -10s for ten seconds before the end; in
    /// a gamelog tick:12 is delta 12, counted from 0, and turn:3 is where that turn begins
    #[arg(long, value_name = "WHEN", default_value = "end", allow_hyphen_values = true)]
    at: When,

    /// Run the match again from its orders, and show the state of the simulation: of tapes of games
    /// that are known here
    #[arg(long, conflicts_with = "given")]
    simulation: bool,

    #[command(flatten)]
    view: ViewArg,

    /// Show only what is at this path, such as gameObjects.7.hp (gamelogs)
    #[arg(long, value_name = "PATH", conflicts_with = "hash")]
    path: Option<String>,

    /// Replace references by the game objects that they refer to, at most DEPTH inside each other and
    /// none inside itself; 1 if no depth is given (gamelogs)
    #[arg(long, value_name = "DEPTH", num_args = 0..=1, require_equals = true, default_missing_value = "1", conflicts_with = "hash")]
    resolve: Option<u8>,

    /// Print one JSON value a line for each recording
    #[arg(long)]
    json: bool,

    /// Print the hash of the state and nothing else
    #[arg(long, conflicts_with = "json")]
    hash: bool,
}

const EXAMPLES: &str = r##"With --json a gamelog's state is printed as canonical JSON: no white space, keys sorted by UTF-16
code unit, numbers as the log has them, holes of lists as null; then one end of line. "#7 Unit" in
the text is a reference to game object 7, a Unit. The hash is SHA-256 of the canonical JSON.

With --json of MineWars, fields without a value are left out of tiles, players and cities:
  {"file","time","view","grid","radius","hash",
   "tiles":[{"y","x","kind","item","owner","digit","asterisk","structure","hp",
             "pending":{"kind","points","current","rate"},"flag","smoke"}],
   "players":[{"id","clients":[{"sub","name","rtt","gone"}],"lives","timeout","protected",
               "eliminated","surrendered"}],
   "cities":[{"id","y","x","name","owner","money","income","resources","export","import",
              "capturing":{"player","ms"},"contested_by"}],
   "votes":[{"id","text","ballots":[{"player","sub","ballot"}]}],"time_limit","problems"}
"time" is that of the last frame that was played, in milliseconds; "tiles" are those that differ from
the start; "flag" is a player, or 16 where the format does not say whose; "hash" is SHA-256 of the
state's canonical bytes.

Examples:
  gametape state match.minewars
  gametape state --at 0:30 --view 1 --json match.minewars | jq .players
  gametape state --hash --at 50% matches/
  gametape state --at -10s --view Ana match.tape
  gametape state --at turn:12 --path gameObjects.7 --resolve game.json.gz
  gametape state --at tick:100 --json game.json.gz | jq .currentPlayer
  gametape state --at tick:4352 --simulation match.tape"##;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        self.recordings.files.each("read", |source| self.show(source))
    }

    fn show(&self, source: &Source) -> Outcome {
        let opened = self.recordings.open(source)?;
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
                gamelog::show(&log, &self.wanted())
            }
        }
    }

    fn wanted(&self) -> Wanted<'_> {
        self.wanted_at(self.at)
    }

    /// How to show a state that was found otherwise.
    fn wanted_of_simulation(&self) -> Wanted<'_> {
        self.wanted_at(When::End)
    }

    fn wanted_at(&self, at: When) -> Wanted<'_> {
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
        let view = self.view.find(&input.source, || Names::of_file(file))?;
        let replayed = replay(&input.source, file, view, self.at)?;
        let start = before_all(&input.source, file, view)?;
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
            let places = places.into_iter().map(|(id, place)| (id, (place.at, place.name)));
            print_shape(source, &ViewShape::new(start, replayed, places), self.json)?;
        }
        let Replayed { problems, problem_count, damage_count, .. } = replayed;
        Ok(warn_of_problems(source, problems, *problem_count, *damage_count))
    }
}

#[derive(Serialize)]
struct OfFile<'a> {
    file: String,
    #[serde(flatten)]
    shape: &'a ViewShape,
}

fn print_shape(source: &Source, shape: &ViewShape, json: bool) -> Result<(), Failure> {
    let file = source.to_string();
    if json {
        return print_json(&OfFile { file, shape });
    }
    let mut fields = Fields::new(&file);
    shape.rows().iter().for_each(|(label, value)| fields.add(label, value.trim_end()));
    print(&fields.into_text())
}
