//! `gametape convert`: the same recording in another generation, or stored in another way.

mod gamelog;

use gametape_minewars::{ReplayFile, WriteOptions, convert};
use gametape_wire::Generation;

use crate::failure::{Failure, Outcome};
use crate::input::RecordingArgs;
use crate::input::{Input, Recording, one_of};
use crate::rewrite::{Contents, ResultArgs, Told, write_recording};

/// Convert a recording: a MineWars one to another generation, any to another storage
///
/// Every MineWars view receives the same messages at the same times. What the target cannot express
/// is counted and told, and then the exit code is 3. Within one generation frames stay byte for
/// byte, so that only the storage changes.
///
/// The fields and deltas of a gamelog stay byte for byte, unless they are to be laid out anew.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    recording: RecordingArgs,

    #[command(flatten)]
    result: ResultArgs,

    /// The generation to convert to [default: that of the recording] (MineWars)
    #[arg(long, value_name = "GENERATION", value_parser = one_of(&Generation::ALL, Generation::name))]
    to: Option<Generation>,

    /// Compress map and frames where that makes them smaller, or gzip the gamelog; `dictionary` is
    /// for v0.1 only [default: yes, but no with --pretty and --lines]
    #[arg(long, value_name = "HOW", value_parser = one_of(&Storage::ALL, Storage::name))]
    compress: Option<Storage>,

    #[command(flatten)]
    layout: gamelog::Layout,
}

const EXAMPLES: &str = "\
Examples:
  gametape convert match.minewars --to v0.1 -o old.minewars
  gametape convert match.minewars --compress no -o raw.minewars
  gametape convert tool.minewars --dialect mw-datatool --to current -o match.minewars
  gametape convert game.json.gz --pretty -o - | less
  gametape convert game.json.gz --lines -o - | jq -r .type | sort | uniq -c
  gametape convert game.json --drop-data -o small.json.gz";

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
        let input = self.recording.read()?;
        match input.recording()? {
            Recording::MineWars(file) => self.convert_minewars(&input, &file),
            Recording::Gamelog(log) => {
                let dictionary = self.compress == Some(Storage::Dictionary);
                let options = [("--to", self.to.is_some()), ("a dictionary", dictionary)];
                log.refuse(&options)?;
                let gzip = self.compress.map(|storage| storage == Storage::Yes);
                let target = self.result.target()?;
                gamelog::convert(&log, &self.layout, gzip, target)?;
                Told::new(&input.source, Some(target)).tell(self.result.json)
            }
        }
    }

    fn convert_minewars(&self, input: &Input, file: &ReplayFile<'_>) -> Outcome {
        input.refuse_for_minewars(&self.layout.options())?;
        let Contents { setup, frames, dialect, .. } = Contents::of(&input.source, file)?;
        let target = self.to.unwrap_or(setup.generation);
        let compress = self.compress.unwrap_or(Storage::Yes);
        if compress == Storage::Dictionary && target != Generation::V01 {
            return Err(Failure::usage("only v0.1 has a dictionary"));
        }
        let converted = convert(&setup, &frames, dialect, target)
            .map_err(|error| Failure::of_all(&input.source, &[error]))?;
        let told = write_recording(
            (&input.source, self.result.target()?),
            (&converted.setup, &converted.frames),
            &compress.options(),
            &converted.losses,
        )?;
        told.tell(self.result.json)
    }
}
