//! `gametape log`: one line for each delta of a gamelog.

pub(super) mod row;

use std::str::FromStr;

use gametape_cadre::{Played, play};
use gametape_wire::Error;

use crate::failure::{Done, Failure, Outcome};
use crate::gamelog::Players;
use crate::input::{Input, Source};
use crate::many::FilesArgs;
use crate::output::Lines;
use crate::progress::Progress;
use row::Row;

/// List the deltas of a gamelog: who did what in which turn, and what came of it
///
/// One line for each delta: its number from 0, the turn after it, its type, the player, what was
/// run with which arguments, what it returned or why it was refused, and how many values it added
/// (+), replaced (~) and removed (-) in how many game objects.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: FilesArgs,

    /// Only deltas of this player, by id or name
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,

    /// Only deltas of these types, such as ran,finished
    #[arg(long = "type", value_name = "TYPE,…", value_delimiter = ',')]
    types: Vec<String>,

    /// Only deltas after which it is one of these turns: N, or N-M, N- and -M with both ends
    #[arg(long, value_name = "TURNS", allow_hyphen_values = true)]
    turn: Option<Turns>,

    /// Only calls that were refused
    #[arg(long)]
    refused: bool,

    /// Print one JSON object for each delta
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r##"With --json there is one object a line, without what a delta does not have:
  {"delta","type","turn","player","run":{"function","caller","args"},
   "order":{"name","index","args","errors"},"returned","invalid","data",
   "changes":{"added","replaced","removed","objects"}}
Arguments and what was returned are there as the client sent them; "data" is all of the data of a
delta whose type is not known.

Examples:
  gametape log game.json.gz | less -R
  gametape log --player 0 --type ran --turn 10-12 game.json.gz
  gametape log --refused --player Ann game.json.gz
  gametape log --json --refused game.json.gz | jq -c '[.player, .run.function]'"##;

/// A span of turns, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Turns {
    first: i64,
    last: i64,
}

impl FromStr for Turns {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let end = |text: &str, open: i64| if text.is_empty() { Ok(open) } else { text.parse() };
        let ends = match text.split_once('-') {
            Some(("", "")) => return Err("turns are N, N-M, N- or -M"),
            Some((first, last)) => (end(first, i64::MIN), end(last, i64::MAX)),
            None => (text.parse(), text.parse()),
        };
        match ends {
            (Ok(first), Ok(last)) => Ok(Self { first, last }),
            _ => Err("turns are N, N-M, N- or -M"),
        }
    }
}

impl Args {
    pub(crate) fn run(self) -> Outcome {
        self.files.each("read", |source| self.list(source))
    }

    fn list(&self, source: &Source) -> Outcome {
        let input = Input::of(source)?;
        let failed = |error: Error| Failure::of(&input.source, &error);
        let log = input.gamelog()?.log()?;
        let players = Players::of(&log);
        let mut progress = Progress::new("merging", log.json_bytes() as u64);
        let mut done = 0;
        if !self.json {
            self.files.title(source)?;
        }
        let mut lines = Lines::new(self.json);
        let mut problem = None;
        for (delta, played) in log.deltas().zip(play(&log).map_err(failed)?) {
            match played {
                Ok(played) if self.wants(&played, &players) => {
                    lines.add(&self.files.row(source, Row::of(&played, &players)))?;
                }
                Ok(_) => {}
                Err(error) => problem = Some(failed(error)),
            }
            done += delta.raw().as_bytes().len() as u64;
            progress.at(done);
        }
        lines.finish()?;
        problem.map_or(Ok(Done::Fine), Err)
    }

    fn wants(&self, Played { record, turn, .. }: &Played<'_>, players: &Players) -> bool {
        let is_of =
            |wanted: &String| record.player.as_ref().is_some_and(|id| players.is(id, wanted));
        let is_in =
            |turns: Turns| turn.is_some_and(|turn| (turns.first..=turns.last).contains(&turn));
        self.player.as_ref().is_none_or(is_of)
            && (!self.refused || record.invalid.is_some())
            && self.turn.is_none_or(is_in)
            && (self.types.is_empty() || self.types.iter().any(|kind| *kind == record.kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_spans_with_both_ends() {
        let span = |first, last| Ok(Turns { first, last });
        assert_eq!("3".parse::<Turns>(), span(3, 3));
        assert_eq!("3-5".parse::<Turns>(), span(3, 5));
        assert_eq!("3-".parse::<Turns>(), span(3, i64::MAX));
        assert_eq!("-5".parse::<Turns>(), span(i64::MIN, 5));
        for wrong in ["", "-", "a", "3-b", "1-2-3"] {
            assert!(wrong.parse::<Turns>().is_err(), "{wrong}");
        }
    }
}
