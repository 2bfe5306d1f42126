//! `gametape find`: the deltas of a gamelog that touch or change something.

use gametape_cadre::show::{Found, Players};
use gametape_cadre::{Query, Timeline, find};
use gametape_replay::open::Content;
use gametape_wire::Error;

use crate::failure::{Done, Failure, Outcome, note};
use crate::input::{FormatArgs, Source};
use crate::many::FilesArgs;
use crate::output::Lines;
use crate::progress::waiting;

/// Find the deltas of a gamelog that touch or change what is at a path
///
/// A path is keys joined by dots, such as gameObjects.523.health; `*` matches any one key. It
/// finds what deltas write at the path and anywhere below it, also where that was there already,
/// unless only changes are asked for. A dot or backslash in a key is written with a backslash
/// before it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: FilesArgs,

    /// Where to look
    #[arg(value_name = "PATH")]
    path: String,

    /// Only where the value is another one afterwards
    #[arg(long)]
    changed: bool,

    /// Only changes to this value: JSON, or else text
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    to: Option<String>,

    /// Print one JSON object for each change
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"With --json there is one object a line:
  {"delta","turn","type","player","path","object":{"id","type","owner"},"before","after"}
"delta" counts from 0; "turn" is that after the delta; "object" is the game object of the path, and
"owner" the id of its last owner; what is not there is left out, "before" and "after" too. Of many
files each object begins with "file".

Examples:
  gametape find game.json.gz gameObjects.523.health --to 0
  gametape find game.json.gz 'gameObjects.*.won' --to true
  gametape find game.json.gz currentTurn --changed --json | jq .delta"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        self.files.each("read", |source| self.search(source))
    }

    fn search(&self, source: &Source) -> Outcome {
        let failed = |error: Error| Failure::of(source, &error);
        let query = Query::new(&self.path).map_err(failed)?;
        let query = match &self.to {
            Some(value) => query.to(value),
            None if self.changed => query,
            None => query.touched(),
        };
        let inner = source.inner(&FormatArgs::default(), ("find", Content::Gamelog))?;
        let gamelog = inner.into_gamelog().map_err(failed)?;
        // Nothing is gone back to.
        let options = gamelog.options().with_keyframe_bytes(0);
        let timeline = waiting("merging", || Timeline::load(gamelog.log()?, &options));
        let timeline = timeline.map_err(failed)?;
        let players = Players::of(timeline.log());
        if !self.json {
            self.files.title(source)?;
        }
        let (mut lines, mut found) = (Lines::new(self.json), 0u64);
        waiting("searching", || {
            let mut changes = find(timeline.log(), query).map_err(failed)?;
            changes.try_for_each(|change| {
                let change = change.map_err(failed)?;
                found += 1;
                lines.add(&self.files.row(source, Found::new(&timeline, &players, &change)))
            })
        })?;
        lines.finish()?;
        if found == 0 {
            note(source, "no delta matches");
        }
        Ok(Done::Fine)
    }
}
