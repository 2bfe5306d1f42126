//! `gametape anonymize`: recordings without what says who played.

use gametape_replay::anonymize::anonymize;

use crate::failure::{Done, Outcome, note, warn};
use crate::games::GAMES;
use crate::input::{Opened, Source};
use crate::output::{Destination, Kind, print_json};
use crate::progress::waiting;
use crate::rewrite::{RewriteArgs, Written};
use crate::text::thousands;

/// Remove from recordings what says who played
///
/// Players are called Player 1 and so on wherever their names are known, in any letter case: in the
/// metadata of a tape, its setup, frames, keyframes and the texts of events; in the fields, deltas and
/// keys of a gamelog. In a MineWars recording their names become empty. Chat, what players' own machines
/// reported, attachments, chunks of unknown kinds, sessions, times, and all metadata but content, game,
/// generation and outcome are removed. The result verifies and plays as before; keyframes are made
/// again. Signatures are dropped.
///
/// The result is then searched for all names, and a warning says where one is still found: the bytes
/// of an unknown game stay as they are. Then the exit code is 3. So it is of a tape that was never
/// finished and has lost frames that were not written: a gap declares them.
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "gametape anonymize [OPTIONS] FILE OUT\n       gametape anonymize [OPTIONS] FILE… --out-dir DIR"
)]
pub(crate) struct Args {
    #[command(flatten)]
    files: RewriteArgs,
}

const EXAMPLES: &str = r#"Texts that contain the name of a player are changed too, whatever they mean.

With --json:
  {"file","output","removed":[{"what","count"}],"remaining":[text],"lost":[text]}

Examples:
  gametape anonymize match.tape for-the-paper.tape
  gametape anonymize logs/*.json.gz --out-dir for-the-paper
  gametape anonymize --json match.tape for-the-paper.tape | jq .removed"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        self.files
            .for_each("anonymized", &[], |source, destination| self.anonymize(source, destination))
    }

    fn anonymize(&self, source: &Source, destination: &Destination) -> Outcome {
        let opened = source.open()?;
        let kind = match &opened {
            Opened::Tape(_) => Kind::Tape,
            Opened::MineWars(_) => Kind::MineWars,
            Opened::Gamelog(log) => Kind::Gamelog { is_gzip: log.is_gzip() },
            _ => return Err(source.unknown()),
        };
        let mut out = destination.open(kind, source)?;
        let made =
            waiting("anonymizing", || out.fill(source, |put| anonymize(opened, &GAMES, put)))?;
        out.finish()?;
        let done = Done::lost_if(!made.remaining.is_empty() || !made.lost.is_empty());
        if self.files.json() {
            let (file, output) = (source.to_string(), destination.target.to_string());
            print_json(&Written { file, output, result: &made })?;
            return Ok(done);
        }
        for (what, count) in &made.removed {
            note(source, format_args!("removed: {what}: {}", thousands(*count)));
        }
        if made.removed.is_empty() {
            note(source, "nothing was found that says who played");
        }
        for what in &made.remaining {
            warn(source, format_args!("still there: {what}"));
        }
        made.lost.iter().for_each(|lost| warn(source, format_args!("lost: {lost}")));
        Ok(done)
    }
}
