//! What commands share that write a MineWars recording anew.

use gametape_minewars::{Check, Dialect, Losses, ReplayFile, Setup, WriteOptions, write_file};
use gametape_wire::Error;

use crate::failure::{Done, Failure, warn};
use crate::input::{RecordingArgs, Source};
use crate::output::Target;

/// The arguments of every command that reads a recording and writes another.
#[derive(Debug, clap::Args)]
pub(crate) struct RewriteArgs {
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,

    /// Where the new recording goes, `-` for standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Target,
}

/// Everything in a recording, unpacked.
pub(crate) struct Contents {
    pub(crate) setup: Setup,
    pub(crate) frames: Vec<u8>,
    /// The dialect of the frames.
    pub(crate) dialect: Dialect,
    /// How the recording is stored.
    pub(crate) options: WriteOptions,
}

impl Contents {
    /// Unpacks a recording. Its new checksums will be right, so wrong ones are told now.
    pub(crate) fn of(source: &Source, file: &ReplayFile<'_>) -> Result<Self, Failure> {
        let failed = |error: Error| Failure::of(source, &error);
        let contents = Self {
            setup: file.setup().to_setup().map_err(failed)?,
            frames: file.frames().map_err(failed)?.bytes.into_owned(),
            dialect: file.dialect(),
            options: file.write_options(),
        };
        file.checks().iter().filter_map(Check::error).for_each(|error| warn(source, error));
        Ok(contents)
    }
}

/// Writes a recording, and tells what of its source is not in it.
pub(crate) fn write_recording(
    (source, output): (&Source, &Target),
    (setup, frames): (&Setup, &[u8]),
    options: &WriteOptions,
    losses: &Losses,
) -> Result<Done, Failure> {
    let bytes =
        write_file(setup, frames, options).map_err(|error| Failure::of_all(source, &[error]))?;
    output.write(source, &bytes)?;
    for line in losses.to_string().lines() {
        warn(source, format_args!("lost: {line}"));
    }
    Ok(Done::lost_if(!losses.is_empty()))
}
