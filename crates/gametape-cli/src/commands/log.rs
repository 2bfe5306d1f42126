//! `gametape log`: one line for each delta of a gamelog.

use gametape_cadre::play;
use gametape_cadre::show::{Filter, Players, Row, TurnSpan};
use gametape_replay::open::Content;
use gametape_wire::Error;

use crate::failure::{Done, Failure, Outcome, note};
use crate::input::{FormatArgs, Source};
use crate::many::FilesArgs;
use crate::output::Lines;
use crate::progress::Progress;

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
    turn: Option<TurnSpan>,

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
delta whose type is not known. Of many files each object begins with "file".

Examples:
  gametape log game.json.gz | less -R
  gametape log --player 0 --type ran --turn 10-12 game.json.gz
  gametape log --refused --player Ann game.json.gz
  gametape log --json --refused game.json.gz | jq -c '[.player, .run.function]'"##;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        self.files.each("read", |source| self.list(source))
    }

    fn list(&self, source: &Source) -> Outcome {
        let failed = |error: Error| Failure::of(source, &error);
        let gamelog =
            source.inner(&FormatArgs::default(), ("log", Content::Gamelog))?.into_gamelog();
        let log = gamelog.and_then(|gamelog| gamelog.log()).map_err(failed)?;
        let (players, filter) = (Players::of(&log), self.filter());
        if !self.files.are_many() {
            filter.check(&players).map_err(failed)?;
        }
        let mut progress = Progress::new("merging", log.json_bytes() as u64);
        let mut done = 0;
        if !self.json {
            self.files.title(source)?;
        }
        let mut lines = Lines::new(self.json);
        let (mut problem, mut listed) = (None, 0u64);
        for (delta, played) in log.deltas().zip(play(&log).map_err(failed)?) {
            match played {
                Ok(played) if filter.wants(&played, &players) => {
                    lines.add(&self.files.row(source, Row::new(&played, &players)))?;
                    listed += 1;
                }
                Ok(_) => {}
                Err(error) => problem = Some(failed(error)),
            }
            done += delta.raw().as_bytes().len() as u64;
            progress.at(done);
        }
        lines.finish()?;
        if listed == 0 && problem.is_none() {
            note(source, "no delta matches");
        }
        problem.map_or(Ok(Done::Fine), Err)
    }

    fn filter(&self) -> Filter {
        let mut filter = Filter::default();
        filter.player.clone_from(&self.player);
        filter.kinds.clone_from(&self.types);
        (filter.turns, filter.refused) = (self.turn, self.refused);
        filter
    }
}
