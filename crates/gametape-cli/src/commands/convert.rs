//! `gametape convert`: a recording in another format, generation or storage.

mod form;
mod gamelog;
mod skirmish;
mod tape;

use gametape_minewars::Generation;
use gametape_minewars::{ReplayFile, WriteOptions, convert};

use crate::failure::{Failure, Outcome};
use crate::input::{Input, Opened, Recording, RecordingArgs, one_of};
use crate::rewrite::{Contents, ResultArgs, Told, write_recording};
use form::Form;

/// Convert a recording: to a tape and back, to another generation, to another storage
///
/// MineWars recordings and gamelogs become tapes, with keyframes to enter them at, and tapes become
/// what they were made of: back gives the same frames and the same deltas. The target is a tape if
/// OUT ends in .tape or --to says so. A tape of Skirmish also becomes a gamelog: the match is
/// simulated again. OUT ends in .json or .gz then, or --to says so.
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

    /// What to convert to [default: a tape if OUT ends in .tape; what the tape holds, of a tape; else
    /// the format and generation of the recording]
    #[arg(long, value_name = "FORMAT", value_parser = one_of(&Form::ALL, Form::name))]
    to: Option<Form>,

    /// Compress map and frames where that makes them smaller, or gzip the gamelog; `dictionary` is
    /// for v0.1 only [default: yes, but no with --pretty and --lines]
    #[arg(long, value_name = "HOW", value_parser = one_of(&Storage::ALL, Storage::name))]
    compress: Option<Storage>,

    #[command(flatten)]
    layout: gamelog::Layout,
}

const EXAMPLES: &str = r#"With --json:
  {"file","output","changes":[text],"lost":[text]}

Examples:
  gametape convert match.minewars match.tape
  gametape convert match.tape back.minewars
  gametape convert match.tape old.minewars --to v0.1
  gametape convert skirmish.tape match.json.gz --to gamelog
  gametape convert game.json.gz game.tape
  gametape convert match.minewars old.minewars --to v0.1
  gametape convert match.minewars raw.minewars --compress no
  gametape convert tool.minewars match.minewars --dialect mw-datatool --to current
  gametape convert game.json.gz - --pretty | less
  gametape convert game.json.gz - --lines | jq -r .type | sort | uniq -c
  gametape convert game.json small.json.gz --drop-data"#;

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
        match self.recording.open()? {
            Opened::Tape(file) => self.convert_tape(file),
            Opened::Whole(input) if self.wants_tape() => self.make_tape(&input),
            Opened::Whole(input) => self.convert_whole(&input),
        }
    }

    /// Converts within a format.
    fn convert_whole(&self, input: &Input) -> Outcome {
        match input.recording()? {
            Recording::MineWars(file) => self.convert_minewars(input, &file),
            Recording::Gamelog(log) => {
                let to = self.to.filter(|to| *to != Form::Gamelog);
                let dictionary = self.compress == Some(Storage::Dictionary);
                log.refuse(&[("this --to", to.is_some()), ("a dictionary", dictionary)])?;
                let gzip = self.compress.map(|storage| storage == Storage::Yes);
                let target = self.result.target()?;
                gamelog::convert(&log, &self.layout, gzip, target)?;
                Told::new(&input.source, Some(target)).tell(self.result.json)
            }
        }
    }

    fn convert_minewars(&self, input: &Input, file: &ReplayFile<'_>) -> Outcome {
        input.refuse_for_minewars(&self.layout.options())?;
        input.refuse_for_minewars(&[("--to gamelog", self.to == Some(Form::Gamelog))])?;
        let Contents { setup, frames, dialect, .. } = Contents::of(&input.source, file)?;
        let target = self.to.and_then(Form::generation).unwrap_or(setup.generation);
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
