//! `gametape diff`: how two states of gamelogs differ.

use gametape_cadre::show::{Differences, Side, print_differences};
use gametape_cadre::{State, Timeline};
use gametape_replay::open::Content;
use gametape_replay::state_at::{gamelog_at, seek_gamelog};
use gametape_wire::{Error, When};

use crate::failure::{Done, Failure, Outcome};
use crate::input::{FormatArgs, Source};
use crate::output::{print_json, print_pieces};
use crate::progress::waiting;

/// Show how the states of two moments of a gamelog differ, or those of two gamelogs
///
/// Of one log, compares its state at --from with its state at --to. Of two logs, compares the first
/// at --from with the second at --to, or both --at one moment.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Gamelog to read, plain or gzip, `-` for standard input
    #[arg(value_name = "FILE")]
    source: Source,

    /// Another gamelog to compare with
    #[arg(value_name = "OTHER")]
    other: Option<Source>,

    /// The first moment: start, end, the number of a delta counted from 0, or turn:N [default: start
    /// of one log, end of two]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    from: Option<When>,

    /// The second moment [default: end]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    to: Option<When>,

    /// Both moments, one in each log
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, requires = "other", conflicts_with_all = ["from", "to"])]
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
            Ok(false) => Err(Failure::printed()),
            Err(failure) => Err(failure.into_trouble()),
        }
    }

    /// Are the states the same?
    fn compare(&self) -> Result<bool, Failure> {
        let source = &self.source;
        let failed = |error: Error| Failure::of(source, &error);
        Source::check_stdin([source].into_iter().chain(&self.other))?;
        let (from, to) = self.moments();
        let mut timeline = load(source, from)?;
        let first = Side::of(source.to_string(), &timeline);
        match &self.other {
            Some(other) => {
                let second = load(other, to)?;
                let states = [timeline.state(), second.state()];
                self.show([first, Side::of(other.to_string(), &second)], states, &timeline)
            }
            None => {
                let before = timeline.snapshot();
                seek_gamelog(&mut timeline, to).map_err(failed)?;
                let states = [timeline.view(&before), timeline.state()];
                self.show([first, Side::of(source.to_string(), &timeline)], states, &timeline)
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
        sides: [Side; 2],
        states: [State<'_>; 2],
        log: &Timeline,
    ) -> Result<bool, Failure> {
        if self.json {
            let found = Differences::of(sides, states, log.log().markers());
            let found = found.map_err(|error| Failure::of(&self.source, &error))?;
            print_json(&found)?;
            return Ok(found.are_none());
        }
        let title = format!("{} against {}", sides[0], sides[1]);
        let [a, b] = states;
        print_pieces(&self.source, |put| print_differences(&title, a, b, put))
    }
}

/// Reads a gamelog and goes to a moment of it.
fn load(source: &Source, at: When) -> Result<Timeline, Failure> {
    let gamelog = source.inner(&FormatArgs::default(), ("diff", Content::Gamelog))?;
    let loaded = waiting("merging", || gamelog_at(&gamelog.into_gamelog()?, at));
    loaded.map_err(|error| Failure::of(source, &error))
}
