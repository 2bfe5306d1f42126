//! What commands share that write a recording anew.

use std::ffi::OsStr;

use gametape_minewars::{Check, Dialect, Losses, ReplayFile, Setup, WriteOptions, write_file};
use gametape_wire::Error;
use serde::Serialize;

use crate::failure::{Done, Failure, Outcome, note, warn};
use crate::input::{Source, TapeArgs};
use crate::output::{Target, print_json};

/// Where the result of a command goes, and how the command tells what it did.
#[derive(Debug, clap::Args)]
pub(crate) struct ResultArgs {
    /// Where the result goes, `-` for standard output
    #[arg(value_name = "OUT", required_unless_present = "output")]
    place: Option<Target>,

    /// The same as OUT
    #[arg(short, long, value_name = "OUT", conflicts_with = "place")]
    output: Option<Target>,

    /// Print one JSON object that tells what was done
    #[arg(long)]
    pub(crate) json: bool,
}

/// The arguments of every command that makes a tape of a tape.
#[derive(Debug, clap::Args)]
pub(crate) struct TapeResultArgs {
    #[command(flatten)]
    pub(crate) tape: TapeArgs,

    #[command(flatten)]
    pub(crate) result: ResultArgs,
}

impl ResultArgs {
    /// Where the result goes. It cannot share standard output with what is told about it.
    pub(crate) fn target(&self) -> Result<&Target, Failure> {
        let given = self.output.as_ref().or(self.place.as_ref());
        let target = given.ok_or_else(|| Failure::usage("where does the result go?"))?;
        check_apart(target, self.json)?;
        Ok(target)
    }

    /// How the name of the result ends.
    pub(crate) fn extension(&self) -> Option<&OsStr> {
        match self.output.as_ref().or(self.place.as_ref())? {
            Target::File(path) => path.extension(),
            Target::Stdout => None,
        }
    }
}

/// A usage error if both the result and the JSON about it are for standard output.
pub(crate) fn check_apart(target: &Target, json: bool) -> Result<(), Failure> {
    if json && *target == Target::Stdout {
        return Err(Failure::usage("--json needs standard output for itself: name a file"));
    }
    Ok(())
}

/// What a command tells that wrote a file.
#[derive(Debug, Serialize)]
pub(crate) struct Told {
    file: String,
    output: Option<String>,
    /// What is other than it was.
    pub(crate) changes: Vec<String>,
    /// What is not in the result.
    pub(crate) lost: Vec<String>,
}

impl Told {
    /// Nothing yet about a file that was made of `source`.
    pub(crate) fn new(source: &Source, output: Option<&Target>) -> Self {
        let output = output.map(ToString::to_string);
        Self { file: source.to_string(), output, changes: Vec::new(), lost: Vec::new() }
    }

    /// Tells it, and how the command ended.
    pub(crate) fn tell(&self, json: bool) -> Outcome {
        if json {
            print_json(self)?;
        } else {
            self.changes.iter().for_each(|change| note(&self.file, change));
            self.lost.iter().for_each(|loss| warn(&self.file, format_args!("lost: {loss}")));
        }
        Ok(Done::lost_if(!self.lost.is_empty()))
    }
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

/// Writes a recording; what of its source is not in it becomes part of what is told.
pub(crate) fn write_recording(
    (source, output): (&Source, &Target),
    (setup, frames): (&Setup, &[u8]),
    options: &WriteOptions,
    losses: &Losses,
) -> Result<Told, Failure> {
    let bytes =
        write_file(setup, frames, options).map_err(|error| Failure::of_all(source, &[error]))?;
    output.write(source, &bytes)?;
    let lost = losses.to_string().lines().map(ToOwned::to_owned).collect();
    Ok(Told { lost, ..Told::new(source, Some(output)) })
}
