//! `gametape resim`: run a recorded match again, and compare.

use gametape_replay::open::Format;
use gametape_replay::{Comparison, PlayerOptions, Recording, games};
use gametape_wire::Error;

use crate::failure::{Done, Failure, Outcome, is_quiet};
use crate::games::GAMES;
use crate::input::Source;
use crate::many::FilesArgs;
use crate::output::{print, print_json};
use crate::progress::waiting;
use crate::tape::warn_of_losses;
use crate::text::Fields;

/// Run matches again from their orders, and compare them with their keyframes
///
/// Only what a match started from and the orders of its tape are used. The state is compared hash by
/// hash with every keyframe of the simulation; the first that differs is shown, with the parts of the
/// state that differ. Exit code 0: it is the same match; 1: it is not, or there is nothing to compare
/// with; 3: it is the same as far as the tape goes, which is torn. With --quiet only matches that are not
/// the same are shown.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: FilesArgs,

    /// Print one JSON object a line for each match
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"With --json:
  {"file","same","keyframes","ticks","findings":[text],
   "divergence":{"agreed_tick","tick","places":[{"where","recorded","found"}]}}
"divergence" is null where there is none, "agreed_tick" where no keyframe agreed before it; values
are hexadecimal, null where nothing is there.

Examples:
  gametape resim match.tape && echo "nothing was made up"
  gametape resim --quiet matches/
  gametape resim --json match.tape | jq .divergence.tick"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let files = self.files.only(&[Format::Tape]).calling_bad("different");
        files.each("the same", |source| self.compare(source))
    }

    fn compare(&self, source: &Source) -> Outcome {
        let failed = |error: Error| Failure::of(source, &error);
        let recording = Recording::open(source.tape()?).map_err(failed)?;
        warn_of_losses(source, recording.tape());
        let game = games::of_tape(&recording, &GAMES).map_err(failed)?;
        let mut file = recording.into_source();
        let options = PlayerOptions::default().with_check(false);
        let verified = waiting("simulating", || game.resimulate(&mut file, options));
        let comparison = Comparison::of(source.to_string(), &verified.map_err(failed)?);
        if self.json {
            print_json(&comparison)?;
        } else if !(comparison.same && is_quiet()) {
            print(&Fields::of(&comparison.file, &comparison.facts()).into_text())?;
        }
        if comparison.same { Ok(Done::Fine) } else { Err(Failure::printed()) }
    }
}
