//! `gametape pack`: the form of a tape for archives and range requests.

use gametape_tape::{Depth, pack};

use crate::failure::{Failure, Outcome};
use crate::rewrite::{TapeResultArgs, Told};
use crate::text::thousands;

/// Pack a finished tape for archives and for reading over a network
///
/// Puts what is read together next to each other: keyframes with their index first, then orders,
/// frames and events. Every chunk keeps its bytes, so nothing is lost, and signatures stay valid.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: TapeResultArgs,
}

const EXAMPLES: &str = r#"With --json:
  {"file","output","changes":[text],"lost":[]}

Examples:
  gametape pack match.tape archive/match.tape"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let target = self.files.result.target()?;
        let mut file = self.files.tape.source.tape()?;
        let tape = file.open(Depth::Index)?;
        if !tape.is_finished() {
            let problem = "it is not finished or its index is damaged: `gametape recover` it first";
            return Err(Failure::refused(&file.source, problem));
        }
        // Chunks are copied in long runs: a damaged one must not go along unseen.
        file.visit("checking", &tape.chunks, |_| Ok(()))?;
        let segments = pack(&tape).map_err(|error| file.failure(&error))?;
        let mut out = target.open(&file.source)?;
        let written = file.put_segments("packing", &segments, |bytes| out.put(bytes))?;
        out.finish()?;
        let mut told = Told::new(&file.source, Some(target));
        let [before, after] = [file.length()?, written].map(thousands);
        told.changes.push(format!("packed: {before} bytes are now {after}"));
        told.tell(self.files.result.json)
    }
}
