//! `gametape pack`: the form of a tape for archives and range requests.

use gametape_replay::open::Format;
use gametape_replay::put_segments;
use gametape_tape::{Depth, pack};
use gametape_wire::Source as _;

use crate::failure::{Failure, Outcome};
use crate::input::Source;
use crate::output::{Destination, Kind};
use crate::rewrite::{Report, RewriteArgs};
use crate::text::thousands;

/// Pack finished tapes for archives and for reading over a network
///
/// Moves what is read together next to each other: keyframes with their index first, then orders,
/// frames and events. Every chunk keeps its bytes, so nothing is lost, and signatures stay valid.
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "gametape pack [OPTIONS] TAPE OUT\n       gametape pack [OPTIONS] TAPE… --out-dir DIR"
)]
pub(crate) struct Args {
    #[command(flatten)]
    files: RewriteArgs,
}

const EXAMPLES: &str = r#"With --json:
  {"file","output","changes":[text],"lost":[]}

Examples:
  gametape pack match.tape archive/match.tape
  gametape pack *.tape --out-dir archive"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let pack = |source: &Source, destination: &Destination| self.pack(source, destination);
        self.files.for_each("packed", &[Format::Tape], pack)
    }

    fn pack(&self, source: &Source, destination: &Destination) -> Outcome {
        let mut file = source.tape()?;
        let tape = file.open(Depth::Index)?;
        if !tape.is_finished() {
            let problem = "it is not finished or its index is damaged: `gametape recover` it first";
            return Err(Failure::refused(source, problem));
        }
        // Chunks are copied in long runs: a damaged one must not go along unnoticed.
        file.watched("checking", |file| file.visit(&tape.chunks, |_| Ok(())))?;
        let segments = pack(&tape).map_err(|error| file.failure(&error))?;
        let mut out = destination.open(Kind::Tape, source)?;
        let written = file.watched("packing", |file| {
            out.fill(source, |put| put_segments(file, &segments, put))
        })?;
        let before = file.length();
        out.finish()?;
        let mut report = Report::new(source, Some(&destination.target));
        let [before, after] = [before, written].map(thousands);
        report.changes.push(format!("packed: {before} bytes are now {after}"));
        report.print(self.files.json())
    }
}
