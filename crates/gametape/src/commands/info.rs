//! `gametape info`: what a recording is, from its headers.

mod minewars;

use serde::Serialize;

use crate::failure::{Done, Outcome, warn};
use crate::input::{Input, Recording, RecordingArgs};
use crate::output::{print, print_json};

/// Show what a recording is: format, map, players, cities, sizes
///
/// Reads the headers only, so it is as quick on a large recording as on a small one; --frames reads
/// everything and counts.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    recording: RecordingArgs,

    /// Read the frames too: count them by kind, and messages by class and by view
    #[arg(long)]
    frames: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gametape info match.minewars
  gametape info --frames match.minewars
  gametape info --json - < match.minewars | jq .cities";

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
            Recording::MineWars(file) => show(
                &minewars::MineWars::report(&input.source, &file, self.frames),
                &input,
                self.json,
            ),
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
