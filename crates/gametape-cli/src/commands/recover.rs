//! `gametape recover`: what is left of a damaged or unfinished recording.

mod minewars;

use gametape_replay::recover::{FoundTape, TapeRecovery};
use serde::Serialize;

use crate::failure::{Done, Failure, Outcome, note, warn};
use crate::input::{Input, Opened, RecordingArgs, Source};
use crate::output::{Destination, Output, Target, print_json};
use crate::progress::waiting;
use crate::rewrite::check_apart;
use crate::tape::TapeFile;
use crate::text::thousands;

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
"unwritten":{"first_tick","end_tick"} is there where events go on after the last frames and orders.
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
        match self.open_damaged()? {
            Opened::Tape(mut file) => {
                file.refuse(&[("--drop-unreadable", self.drop_unreadable)])?;
                match search(&mut file)? {
                    Some(found) => self.recover_tape(&mut file, &found),
                    None => {
                        let problem = "tape: there is no whole chunk of a tape in it (at byte 0)";
                        Err(Failure::refused(&file.source, problem))
                    }
                }
            }
            Opened::Whole(input) => {
                // The beginning of a tape may be what is lost.
                let mut file = TapeFile::in_memory(&input.source, input.bytes);
                match search(&mut file)?.filter(FoundTape::has_chunks) {
                    Some(found) => self.recover_tape(&mut file, &found),
                    None => self.recover_minewars(Input { bytes: file.into_memory(), ..input }),
                }
            }
        }
    }

    /// Opens the recording, whatever it begins with: that may be what is damaged.
    fn open_damaged(&self) -> Result<Opened, Failure> {
        let RecordingArgs { source, dialect, headerless } = &self.recording;
        let (dialect, headerless) = (*dialect, *headerless);
        match source.open_raw()? {
            Opened::Tape(file) => {
                file.refuse(&[("--dialect", dialect.is_some()), ("--headerless", headerless)])?;
                Ok(Opened::Tape(file))
            }
            Opened::Whole(input) => Ok(Opened::Whole(Input { dialect, headerless, ..input })),
        }
    }

    fn recover_tape(&self, file: &mut TapeFile, found: &FoundTape) -> Outcome {
        let source = file.source.clone();
        let mut out = self.open(&source)?;
        let result = waiting("recovering", || {
            out.fill(&source, |put| found.write(file, self.tick_us, put))
        })?;
        out.finish()?;
        let output = self.target().map_or_else(|| source.to_string(), ToString::to_string);
        let report = Report { file: source.to_string(), output, result };
        if self.json {
            print_json(&report)?;
        } else {
            report.print();
        }
        Ok(Done::lost_if(report.result.is_lossy()))
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

fn search(file: &mut TapeFile) -> Result<Option<FoundTape>, Failure> {
    waiting("searching", || FoundTape::search(file)).map_err(|error| file.failure(&error))
}

/// More damages than these are counted, not shown.
const SHOWN_DAMAGES: usize = 20;

#[derive(Serialize)]
struct Report {
    file: String,
    output: String,
    #[serde(flatten)]
    result: TapeRecovery,
}

impl Report {
    fn print(&self) {
        let lost = |what: &str| warn(&self.file, format_args!("lost: {what}"));
        let (damages, missing) = self.result.losses();
        damages.iter().take(SHOWN_DAMAGES).for_each(|damage| lost(damage));
        if let Some(more @ 1..) = damages.len().checked_sub(SHOWN_DAMAGES) {
            lost(&format!("{} more places", thousands(more as u64)));
        }
        missing.iter().for_each(|chunks| lost(chunks));
        for row in self.result.left_out() {
            note(&self.file, format_args!("left out: {row}"));
        }
        note(&self.file, self.result.conclusion());
    }
}
