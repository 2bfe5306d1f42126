//! The recordings that commands read, as arguments.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use gametape_files::Reading;
use gametape_minewars::Dialect;
use gametape_replay::open::Format;

use crate::failure::Failure;
use crate::many::FilesArgs;
pub(crate) use gametape_files::{Opened, Source};

/// How MineWars data is read.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct FormatArgs {
    /// Read MineWars data in this dialect, whatever it looks like; mw-datatool is never guessed
    #[arg(long, value_parser = one_of(&Dialect::ALL, Dialect::name))]
    pub(crate) dialect: Option<Dialect>,

    /// Read MineWars data as a stream without file header, as sent over a network
    #[arg(long)]
    pub(crate) headerless: bool,
}

impl From<&FormatArgs> for Reading {
    fn from(args: &FormatArgs) -> Self {
        Self::default().in_dialect(args.dialect).headerless(args.headerless)
    }
}

impl FormatArgs {
    /// A usage error if they were given for something else than MineWars data.
    pub(crate) fn check(&self, source: &Source, found: Format) -> Result<(), Failure> {
        Reading::from(self).check(source, found)
    }
}

/// The arguments of every command that reads a recording.
#[derive(Debug, clap::Args)]
pub(crate) struct RecordingArgs {
    /// Recording to read, `-` for standard input, or its address: s3://…, https://…
    #[arg(value_name = "FILE")]
    pub(crate) source: Source,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// The arguments of every command that reads many recordings.
#[derive(Debug, clap::Args)]
pub(crate) struct RecordingsArgs {
    #[command(flatten)]
    pub(crate) files: FilesArgs,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// The argument of every command that reads a tape and nothing else.
#[derive(Debug, clap::Args)]
pub(crate) struct TapeArgs {
    /// Tape to read, `-` for standard input, or its address: s3://…, https://…
    #[arg(value_name = "TAPE")]
    pub(crate) source: Source,
}

/// An argument that is the name of one of several things.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(all.iter().map(move |one| name(*one)));
    let find = move |given: String| all.iter().copied().find(|one| name(*one) == given);
    names.try_map(move |given| find(given).ok_or("no such name"))
}
