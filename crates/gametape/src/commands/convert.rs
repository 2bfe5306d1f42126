//! `gametape convert`: the same recording in another generation, or stored in another way.

use gametape_minewars::{WriteOptions, convert};
use gametape_wire::Generation;

use crate::failure::{Failure, Outcome};
use crate::input::one_of;
use crate::rewrite::{Contents, RewriteArgs, write_recording};

/// Convert a MineWars recording to another generation or another storage
///
/// Every view receives the same messages at the same times. What the target cannot express is
/// counted and told, and then the exit code is 3. Within one generation frames stay byte for byte,
/// so that only the storage changes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: RewriteArgs,

    /// The generation to convert to [default: that of the recording]
    #[arg(long, value_name = "GENERATION", value_parser = one_of(&Generation::ALL, Generation::name))]
    to: Option<Generation>,

    /// Compress map and frames where that makes them smaller; `dictionary` is for v0.1 only
    #[arg(long, value_name = "HOW", default_value = "yes", value_parser = one_of(&Storage::ALL, Storage::name))]
    compress: Storage,
}

const EXAMPLES: &str = "\
Examples:
  gametape convert match.minewars --to v0.1 -o old.minewars
  gametape convert match.minewars --compress no -o raw.minewars
  gametape convert tool.minewars --dialect mw-datatool --to current -o match.minewars";

/// How parts of a file are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Storage {
    Yes,
    No,
    Dictionary,
}

impl Storage {
    const ALL: [Self; 3] = [Self::Yes, Self::No, Self::Dictionary];

    fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Dictionary => "dictionary",
        }
    }

    fn options(self) -> WriteOptions {
        WriteOptions { compress: self != Self::No, dictionary: self == Self::Dictionary }
    }
}

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let input = self.files.recording.read()?;
        let Contents { setup, frames, dialect, .. } =
            Contents::of(&input.source, &input.minewars()?)?;
        let target = self.to.unwrap_or(setup.generation);
        if self.compress == Storage::Dictionary && target != Generation::V01 {
            return Err(Failure::usage("only v0.1 has a dictionary"));
        }
        let converted = convert(&setup, &frames, dialect, target)
            .map_err(|error| Failure::of_all(&input.source, &[error]))?;
        write_recording(
            (&input.source, &self.files.output),
            (&converted.setup, &converted.frames),
            &self.compress.options(),
            &converted.losses,
        )
    }
}
