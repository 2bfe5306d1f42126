//! `gametape info`: what a recording is, from its headers.

mod gamelog;
mod minewars;

use serde::Serialize;

use crate::failure::{Done, Outcome, warn};
use crate::input::{Input, Recording, RecordingArgs};
use crate::output::{print, print_json};

/// Show what a recording is: format, game or map, players, outcome, sizes
///
/// Of a MineWars recording reads the headers only, so it is as quick on a large one as on a small
/// one; --frames reads everything and counts. Of a gamelog follows only the players, whose last
/// state tells the outcome; --deltas merges everything and counts.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    recording: RecordingArgs,

    /// Read the frames too: count them by kind, and messages by class and by view (MineWars)
    #[arg(long)]
    frames: bool,

    /// Read the deltas too: count them by type, the turns, and what each player did in which time
    /// (gamelogs)
    #[arg(long)]
    deltas: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"The time of players in a gamelog is what their clocks lost from delta to delta.

With --json of a gamelog:
  {"file","format","layout","gzip","file_bytes","json_bytes","game","session","game_version",
   "created","random_seed","settings","deltas",
   "players":[{"id","name","client","won","lost","reason"}],"draw","disagreements",
   "contents":{"turns","by_type":[{"type","deltas","bytes"}],"game_bytes","data_bytes",
               "players":[{"id","deltas","invalid","ran":{function: count},
                           "orders":{name: count},"finished":{name: count},"clock_ns"}]}}
"created" is in milliseconds since 1970; "contents" is there with --deltas only.

Examples:
  gametape info match.minewars
  gametape info --frames match.minewars
  gametape info --json - < match.minewars | jq .cities
  gametape info --deltas game.json.gz"#;

/// What there is to say about a recording of some kind.
trait Report: Serialize {
    /// For people.
    fn to_text(&self) -> String;

    /// What could not be read.
    fn problems(&self) -> &[String];
}

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let input = self.recording.read()?;
        match input.recording()? {
            Recording::MineWars(file) => {
                input.refuse_for_minewars(&[("--deltas", self.deltas)])?;
                let report = minewars::MineWars::report(&input.source, &file, self.frames);
                show(&report, &input, self.json)
            }
            Recording::Gamelog(log) => {
                log.refuse(&[("--frames", self.frames)])?;
                show(&gamelog::Report::of(&log, self.deltas)?, &input, self.json)
            }
        }
    }
}

fn show(report: &impl Report, input: &Input, json: bool) -> Outcome {
    if json {
        print_json(report)?;
    } else {
        print(&report.to_text())?;
    }
    for problem in report.problems() {
        warn(&input.source, problem);
    }
    Ok(Done::lost_if(!report.problems().is_empty()))
}
