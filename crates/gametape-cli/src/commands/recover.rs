//! `gametape recover`: what is left of a damaged or unfinished recording.

mod minewars;
mod tape;

use crate::failure::{Failure, Outcome};
use crate::input::{Opened, RecordingArgs, Source};
use crate::output::{Destination, Output, Target};
use crate::rewrite::check_apart;
use crate::tape::TapeFile;

/// Save what is whole of a damaged or unfinished recording, and say what was lost
///
/// Takes tapes and MineWars recordings, by their content. Nothing is invented. If anything was lost,
/// the exit code is 3.
///
/// Of a tape, every sound chunk is kept, chunks that were mixed up are put in order, the index is
/// rebuilt, and a gap declares whatever is missing; `gametape verify` passes the result. Where no
/// chunk is lost, tape id, chain and signatures stay as they are. Otherwise the result is a new tape
/// with an id of its own and without signatures. A tape that was never finished cannot say what its
/// recorder had not written yet.
///
/// Of a MineWars recording, checksums are computed again, every whole frame before the damage is kept,
/// and what follows it or belongs to nothing is dropped. A wrong checksum does not say what is wrong:
/// what it covers is kept, and nobody can vouch for it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[group(id = "place", required = true, multiple = false, args = ["out", "output", "in_place"])]
pub(crate) struct Args {
    #[command(flatten)]
    recording: RecordingArgs,

    /// Where the result goes, `-` for standard output
    #[arg(value_name = "OUT")]
    out: Option<Target>,

    /// The same as OUT
    #[arg(short, long, value_name = "OUT")]
    output: Option<Target>,

    /// Overwrite the recording itself
    #[arg(long)]
    in_place: bool,

    /// Drop the ends of payloads that cannot be read; without this they stay as they are (MineWars)
    #[arg(long)]
    drop_unreadable: bool,

    /// How long a tick lasts, in microseconds: needed only where the header and the summary of a tape
    /// are both lost
    #[arg(long, value_name = "US", value_parser = clap::value_parser!(u32).range(1..))]
    tick_us: Option<u32>,

    /// Print one JSON object about what was done
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"With --json, of a tape:
  {"file","output","finished","kept_chunks","lost_chunks","lost_bytes","lost_ticks",
   "dropped":{kind: chunks},"damages":[{"start","end","what","kind","chunk","first_tick",
   "end_tick"}],"missing":[{"first","last"}]}
"finished" says whether the tape had a trailer; "dropped" is what was whole and could not be copied,
signatures most of all; "missing" are numbers of chunks of which nothing is left. Of MineWars:
  {"file","output","changes":[text],"lost":[text]}

Examples:
  gametape recover crashed.tape whole.tape
  gametape recover --json crashed.tape whole.tape | jq .lost_ticks
  gametape recover --in-place match.minewars"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        if self.in_place && self.recording.source == Source::Stdin {
            return Err(Failure::usage("standard input has no place to write to"));
        }
        if let Some(target) = self.target() {
            check_apart(target, self.json)?;
        }
        match self.recording.open()? {
            Opened::Tape(mut file) => {
                file.refuse(&[("--drop-unreadable", self.drop_unreadable)])?;
                self.recover_tape(&mut file)
            }
            Opened::Whole(input) => {
                // The beginning of a tape may be what is lost.
                let mut file = TapeFile::in_memory(&input.source, input.bytes);
                if file.recover()?.chunks.is_empty() {
                    let bytes = file.into_memory();
                    return self.recover_minewars(crate::input::Input { bytes, ..input });
                }
                self.recover_tape(&mut file)
            }
        }
    }

    /// Where the result goes; `None` in the place of the recording.
    fn target(&self) -> Option<&Target> {
        self.output.as_ref().or(self.out.as_ref())
    }

    /// Opens the result. In place of its source it is there once it is complete.
    fn open(&self, source: &Source) -> Result<Output, Failure> {
        match (self.target(), source) {
            (Some(target), _) => target.open(source),
            (None, Source::File(path)) => Destination::in_place(path.clone()).open(source),
            (None, _) => Err(Failure::usage("standard input cannot be written in place")),
        }
    }
}
