//! `gametape merge`: several tapes of one match as one.

use gametape_replay::merge::{MergeInput, merge};

use crate::failure::{Failure, Outcome};
use crate::input::Source;
use crate::output::{Kind, Output, Target};
use crate::progress::waiting;
use crate::rewrite::{Report, check_apart};
use crate::tape::TapeFile;
use crate::text::count;

/// Join tapes of one match: consecutive parts, or the views of different players
///
/// Every view receives what it received in any of the tapes, in the same order. What several tapes
/// have in common is written once. Tapes that contradict each other are refused: a different tick
/// length, game or setup, different keyframes of a view at the same tick, or different frames. The
/// result has an id of its own. Signatures are dropped.
///
/// If several tapes have orders at the same tick, it is unknown which came first: they are written in
/// the order of the tapes, this is reported as a loss, and the exit code is 3.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Tapes to join
    #[arg(value_name = "TAPE", required = true, num_args = 2..)]
    sources: Vec<Source>,

    /// Where the joined tape goes, `-` for standard output
    #[arg(short, long, value_name = "OUT")]
    output: Target,

    /// Print one JSON object that says what was done
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"With --json:
  {"file","output","changes":[text],"lost":[text]}

Examples:
  gametape merge first-half.tape second-half.tape -o match.tape
  gametape merge seat-1.tape seat-2.tape seat-3.tape -o all-seats.tape"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        check_apart(&self.output, self.json)?;
        self.output.check_extension(Kind::Tape)?;
        Source::check_stdin(&self.sources)?;
        let mut inputs: Vec<MergeInput<TapeFile>> =
            self.sources.iter().map(open).collect::<Result<_, Failure>>()?;
        let mut out = self.open_output()?;
        let merged = waiting("merging", || out.fill(&"merge", |put| merge(&mut inputs, put)))?;
        out.finish()?;
        let mut report = Report::new(&self.sources[0], Some(&self.output));
        for input in &inputs {
            let (name, signatures) = (input.name(), input.signatures());
            if signatures > 0 {
                report
                    .changes
                    .push(format!("{} of {name} dropped", count(signatures, "signature")));
            }
            report.lost.extend(input.lost().iter().map(|lost| format!("{name}: {lost}")));
        }
        if merged.unordered_ticks > 0 {
            let ticks = count(merged.unordered_ticks, "tick");
            report.lost.push(format!("which orders came first, in {ticks} of several tapes"));
        }
        report.print(self.json)
    }

    /// The target, which must be none of the sources.
    fn open_output(&self) -> Result<Output, Failure> {
        let (last, others) = self.sources.split_last().ok_or_else(Failure::printed)?;
        others.iter().try_for_each(|source| self.output.check_apart(source))?;
        self.output.open(Kind::Tape, last)
    }
}

fn open(source: &Source) -> Result<MergeInput<TapeFile>, Failure> {
    let opened = MergeInput::open(source.to_string(), source.tape()?);
    opened.map_err(|error| Failure::of(source, &error))
}
