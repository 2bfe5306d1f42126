//! `gametape watch`: follow a tape that is being written.

use std::thread;
use std::time::Duration;

use gametape_replay::inspect::TapeWatch;
use gametape_wire::{Error, Source as _};

use crate::failure::{Done, Failure, Outcome};
use crate::input::{Source, TapeArgs};
use crate::output::Lines;
use crate::tape::TapeFile;

/// Follow a tape that is being written
///
/// Prints a line for each chunk that becomes readable, from the beginning: metadata, frames, orders,
/// keyframes, events, gaps, and damage if there is any. Recorders write a chunk about once a second.
/// Ends when the tape is finished; press Ctrl-C to end earlier.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    tape: TapeArgs,

    /// How often to look for more, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 250, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    interval: u64,

    /// Print what is there now, and end
    #[arg(long)]
    once: bool,

    /// Print one JSON object for each line
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"With --json there is one object a line, "what" says which:
  {"what":"header","version","id","tick_us"}
  {"what":"chunk","chunk","offset","kind","stream","views","first_tick","ticks","items","raw_bytes",
   "stored_bytes","codec","metadata"}
  {"what":"damage","start","end","problem"}
  {"what":"end","finished","offset"}
"metadata" is present in metadata chunks only.

Examples:
  gametape watch live.tape
  gametape watch --json live.tape | jq -r 'select(.kind == "frames") | .first_tick'"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let source = &self.tape.source;
        let failed = |error: Error| Failure::of(source, &error);
        let mut file = open(source)?;
        let mut lines = Lines::new(self.json);
        let mut watch = TapeWatch::default();
        loop {
            while let Some(line) = watch.next_line(&mut file).map_err(failed)? {
                lines.add(&line)?;
            }
            if self.once || watch.is_finished() || !file.may_grow() {
                break;
            }
            lines.flush()?;
            thread::sleep(Duration::from_millis(self.interval));
        }
        let is_damaged = watch.is_damaged();
        watch.close(&mut file).map_err(failed)?.iter().try_for_each(|line| lines.add(line))?;
        lines.finish()?;
        Ok(Done::lost_if(is_damaged))
    }
}

/// A tape, or a file that may still become one.
fn open(source: &Source) -> Result<TapeFile, Failure> {
    let mut file = source.open_as_tape()?;
    // Less than four bytes may still become the start of a tape.
    let is_other = file.length() >= 4 && file.is_tape()? == Some(false);
    if is_other { source.tape() } else { Ok(file) }
}
