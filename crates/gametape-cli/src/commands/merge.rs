//! `gametape merge`: several tapes of one match as one.

mod lanes;
mod metadata;
mod units;

use gametape_tape::{ChunkKind, Depth, Tape, TapeHeader, TapeWriter};
use gametape_wire::Error;

use crate::failure::{Failure, Outcome};
use crate::input::Source;
use crate::output::{Output, Target};
use crate::progress::Progress;
use crate::rewrite::{Told, check_apart};
use crate::tape::{TapeFile, new_front};
use crate::text::count;
use lanes::Lanes;
use units::Units;

/// Join tapes of one match: its parts one after the other, or what each view was given
///
/// Every view receives what it received in any of the tapes, in the same order. What several tapes
/// have is taken once. Tapes that contradict each other are refused: other ticks, another game,
/// another setup, another keyframe at the same tick, other frames of a view at the same tick. The
/// result has an id of its own; signatures are dropped.
///
/// Where several tapes have orders at the same tick, nobody knows which came first: they stand in the
/// order of the tapes, which is told as a loss, and the exit code is 3.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Tapes to join
    #[arg(value_name = "TAPE", required = true, num_args = 2..)]
    sources: Vec<Source>,

    /// Where the joined tape goes, `-` for standard output
    #[arg(short, long, value_name = "OUT")]
    output: Target,

    /// Print one JSON object that tells what was done
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"With --json:
  {"file","output","changes":[text],"lost":[text]}

Examples:
  gametape merge first-half.tape second-half.tape -o match.tape
  gametape merge seat-1.tape seat-2.tape seat-3.tape -o all-seats.tape"#;

/// One of the tapes that are joined.
struct Part {
    file: TapeFile,
    tape: Tape,
}

impl Part {
    fn open(source: &Source) -> Result<Self, Failure> {
        let mut file = source.tape()?;
        let tape = file.open(Depth::Index)?;
        Ok(Self { file, tape })
    }
}

/// The tapes do not fit together.
fn contradiction(problem: &str) -> Failure {
    Failure::refused(&"merge", problem)
}

/// The joined tape cannot be written.
fn unwritable(error: &Error) -> Failure {
    Failure::of(&"merge", error)
}

impl Args {
    pub(crate) fn run(self) -> Outcome {
        check_apart(&self.output, self.json)?;
        if self.sources.iter().filter(|source| **source == Source::Stdin).count() > 1 {
            return Err(Failure::usage("standard input can be read only once"));
        }
        let mut parts: Vec<Part> =
            self.sources.iter().map(Part::open).collect::<Result<_, Failure>>()?;
        let fronts = fronts(&parts)?;
        let front = new_front(&fronts, "merge").map_err(|error| unwritable(&error))?;
        let metadata = metadata::joined(&parts)?;
        let writer = TapeWriter::new(front, metadata.as_bytes());
        let mut out = self.open_output()?;
        let writer = writer.map_err(|error| unwritable(&error))?;
        let unordered = join(&mut parts, writer, &mut out)?;
        out.finish()?;
        self.told(&parts, unordered).tell(self.json)
    }

    /// The target, which must be none of the sources.
    fn open_output(&self) -> Result<Output, Failure> {
        let (last, others) = self.sources.split_last().ok_or_else(Failure::told)?;
        others.iter().try_for_each(|source| self.output.check_apart(source))?;
        self.output.open(last)
    }

    fn told(&self, parts: &[Part], unordered: u64) -> Told {
        let mut told = Told::new(&self.sources[0], Some(&self.output));
        for Part { file, tape } in parts {
            let signatures = tape.summary.kind(ChunkKind::SIGNATURE).map_or(0, |row| row.chunks);
            if signatures > 0 {
                let many = count(signatures.into(), "signature");
                told.changes.push(format!("{many} of {} dropped", file.source));
            }
            let damages = tape.damages.iter().map(|damage| format!("{}: {damage}", file.source));
            told.lost.extend(damages);
        }
        if unordered > 0 {
            let ticks = count(unordered, "tick");
            told.lost.push(format!("which orders came first, in {ticks} of several tapes"));
        }
        told
    }
}

fn fronts(parts: &[Part]) -> Result<Vec<TapeHeader>, Failure> {
    let fronts: Vec<TapeHeader> = parts.iter().map(|part| part.tape.header).collect();
    let lengths =
        |pair: &&[Part]| pair[0].tape.header.tick_length != pair[1].tape.header.tick_length;
    match parts.windows(2).find(lengths) {
        None => Ok(fronts),
        Some([a, b]) => {
            let [ours, theirs] = [a, b].map(|part| part.tape.header.tick_length.micros());
            let (a, b) = (&a.file.source, &b.file.source);
            let problem = format!("{a} has ticks of {ours} µs, {b} of {theirs} µs");
            Err(contradiction(&problem))
        }
        Some(_) => Err(Failure::told()),
    }
}

/// Goes through all tapes at once, tick by tick; returns how many ticks have orders that nobody
/// knows the order of.
fn join(parts: &mut [Part], mut writer: TapeWriter, out: &mut Output) -> Result<u64, Failure> {
    let mut units = Units::of(parts);
    let mut lanes = Lanes::of(parts);
    let total = parts.iter().map(|part| part.tape.summary.end_tick).max().unwrap_or(0);
    let mut progress = Progress::new("joining", total);
    loop {
        let tick = lanes.next_tick(parts)?;
        match (units.next_tick(), tick) {
            // A keyframe stands before the frames of its tick.
            (Some(unit), tick) if tick.is_none_or(|tick| unit <= tick) => {
                units.write_next(parts, &mut writer)?;
            }
            (_, Some(tick)) => {
                lanes.write_tick(tick, parts, &mut writer)?;
                progress.at(tick);
            }
            (_, None) => break,
        }
        out.put(&writer.take())?;
    }
    if let Some(closing) = metadata::joined_closing(parts)? {
        writer.closing_metadata(closing.as_bytes()).map_err(|error| unwritable(&error))?;
    }
    out.put(&writer.take())?;
    out.put(&writer.finish().map_err(|error| unwritable(&error))?)?;
    Ok(lanes.unordered)
}
