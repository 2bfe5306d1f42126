//! `gametape resim`: run a recorded match again, and compare.

use gametape_replay::open::Format;
use gametape_replay::{Comparison, KnownGame, PlayerOptions, Recording};
use gametape_wire::Error;

use crate::failure::{Done, Failure, Outcome, is_quiet};
use crate::games::{known, titles};
use crate::input::Source;
use crate::many::FilesArgs;
use crate::output::{print, print_json};
use crate::progress::waiting;
use crate::tape::{TapeFile, warn_of_losses};
use crate::text::{Fields, count};

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
        self.files.only(Format::Tape).each("the same", |source| self.compare(source))
    }

    fn compare(&self, source: &Source) -> Outcome {
        let failed = |error: Error| Failure::of(source, &error);
        let recording = Recording::open(source.tape()?).map_err(failed)?;
        warn_of_losses(source, recording.tape());
        let game = game_of(source, &recording)?;
        let mut file = recording.into_source();
        let options = PlayerOptions::default().with_check(false);
        let verified = waiting("simulating", || game.resimulate(&mut file, options));
        let comparison = Comparison::of(source.to_string(), &verified.map_err(failed)?);
        if self.json {
            print_json(&comparison)?;
        } else if !(comparison.same && is_quiet()) {
            print(&text(&comparison))?;
        }
        if comparison.same { Ok(Done::Fine) } else { Err(Failure::told()) }
    }
}

/// The game that can run the match again.
fn game_of(
    source: &Source,
    recording: &Recording<TapeFile>,
) -> Result<&'static dyn KnownGame, Failure> {
    let content = recording.field("content");
    if let Some(game) = known(content.as_deref()) {
        return Ok(game);
    }
    let content = content.map_or("not said".to_owned(), |name| format!("`{name}`"));
    let titles = titles();
    let problem = format!("only {titles} can be run again, and what it holds is {content}");
    Err(Failure::refused(source, &problem))
}

/// For people.
fn text(comparison: &Comparison) -> String {
    let mut fields = Fields::new(&comparison.file);
    fields.add("result", comparison.verdict());
    fields.add("played", count(comparison.ticks, "tick"));
    if let Some(divergence) = &comparison.divergence {
        fields.add("differs", divergence.to_string());
        divergence.places.iter().for_each(|place| fields.more(place.to_string()));
    }
    for (index, finding) in comparison.findings.iter().enumerate() {
        fields.add(if index == 0 { "findings" } else { "" }, finding);
    }
    fields.into_text()
}
