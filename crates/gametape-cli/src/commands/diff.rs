//! `gametape diff`: how two states of gamelogs differ.

use gametape_cadre::show::{moment, print_differences};
use gametape_cadre::{State, Timeline, diff};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::failure::{Done, Failure, Outcome};
use crate::gamelog::{load_at, print_pieces, seek};
use crate::input::{GamelogArgs, Input, Source};
use crate::json::embed;
use crate::moment::When;
use crate::output::print_json;

/// Show how the states of two moments of a gamelog differ, or those of two gamelogs
///
/// Of one log, compares its state at --from with its state at --to. Of two logs, compares the first
/// at --from with the second at --to, or both --at one moment.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    gamelog: GamelogArgs,

    /// Another gamelog to compare with
    #[arg(value_name = "OTHER")]
    other: Option<Source>,

    /// The first moment: start, end, the number of a delta counted from 0, or turn:N [default: start
    /// of one log, end of two]
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    from: Option<When>,

    /// The second moment [default: end]
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    to: Option<When>,

    /// Both moments, one in each log
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true, requires = "other", conflicts_with_all = ["from", "to"])]
    at: Option<When>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"Lines begin with + for what was added, - for what was removed, ~ for what was changed.

With --json:
  {"from":{"file","delta"},"to":{"file","delta"},"same","deltas":[…]}
"deltas" are `game` bodies, three at most: merged in order into the first state, they make the
second one, with the markers of the first log.

Exit codes are those of diff(1): 0 the states are the same, 1 they differ, 2 something is wrong.

Examples:
  gametape diff game.json.gz --from turn:10 --to turn:11
  gametape diff game.json.gz replayed.json.gz --at 100
  gametape diff --json game.json.gz --from 5 --to 6 | jq '.deltas[]'"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        match self.compare() {
            Ok(true) => Ok(Done::Fine),
            Ok(false) => Err(Failure::told()),
            Err(failure) => Err(failure.into_trouble()),
        }
    }

    /// Are the states the same?
    fn compare(&self) -> Result<bool, Failure> {
        if self.gamelog.source == Source::Stdin && self.other == Some(Source::Stdin) {
            return Err(Failure::usage("standard input can be read only once"));
        }
        let (from, to) = self.moments();
        let input = self.gamelog.read()?;
        let mut timeline = load_at(&input.gamelog()?, from)?;
        let first = Side::of(&input.source, &timeline);
        match &self.other {
            Some(other) => {
                let other = Input::of(other)?;
                let second = load_at(&other.gamelog()?, to)?;
                let states = [timeline.state(), second.state()];
                self.show([first, Side::of(&other.source, &second)], states, &timeline)
            }
            None => {
                let before = timeline.snapshot();
                seek(&mut timeline, &input.source, to)?;
                let states = [timeline.view(&before), timeline.state()];
                self.show([first, Side::of(&input.source, &timeline)], states, &timeline)
            }
        }
    }

    fn moments(&self) -> (When, When) {
        let usual = if self.other.is_some() { When::End } else { When::Start };
        (self.at.or(self.from).unwrap_or(usual), self.at.or(self.to).unwrap_or(When::End))
    }

    /// Shows how two states differ, in the markers of a log. Are they the same?
    fn show(
        &self,
        [from, to]: [Side; 2],
        [a, b]: [State<'_>; 2],
        log: &Timeline,
    ) -> Result<bool, Failure> {
        if self.json {
            let deltas =
                diff(a, b, log.log().markers()).map_err(|error| Failure::of(&from.file, &error))?;
            let same = deltas.is_empty();
            let deltas = deltas.iter().filter_map(|delta| embed(delta)).collect();
            print_json(&Report { from, to, same, deltas })?;
            return Ok(same);
        }
        let title = format!("{} {} against {} {}", from.file, from.moment, to.file, to.moment);
        print_pieces(&from.file, |put| print_differences(&title, a, b, put))
    }
}

#[derive(Serialize)]
struct Report {
    from: Side,
    to: Side,
    same: bool,
    deltas: Vec<Box<RawValue>>,
}

/// A state that is compared.
#[derive(Serialize)]
struct Side {
    file: String,
    delta: Option<usize>,
    #[serde(skip)]
    moment: String,
}

impl Side {
    fn of(source: &Source, timeline: &Timeline) -> Self {
        let delta = timeline.position().checked_sub(1);
        Self { file: source.to_string(), delta, moment: moment(timeline) }
    }
}
