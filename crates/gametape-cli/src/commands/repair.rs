//! `gametape repair`: make a damaged recording whole again.

use gametape_minewars::{RepairOptions, Repaired, repair, verify};

use crate::failure::{Failure, Outcome, note, warn};
use crate::input::{Input, Opened, RecordingArgs, Source};
use crate::output::Target;
use crate::rewrite::{Told, check_apart};
use crate::text::count;

/// Make a damaged recording whole again, and tell what was lost
///
/// Writes checksums anew, keeps every whole frame before the damage, and drops what follows it or
/// belongs to nothing. Nothing is invented: what cannot be read is told, and then the exit code is
/// 3. If only checksums, version or lengths had to change, it is 0. A wrong checksum does not say
/// what is wrong: what it covers is kept, and nobody can vouch for it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[group(id = "place", required = true, multiple = false, args = ["output", "in_place"])]
pub(crate) struct Args {
    #[command(flatten)]
    recording: RecordingArgs,

    /// Where the repaired recording goes, `-` for standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<Target>,

    /// Overwrite the recording itself
    #[arg(long)]
    in_place: bool,

    /// Drop the ends of payloads that cannot be read; without this they stay as they are
    #[arg(long)]
    drop_unreadable: bool,

    /// Print one JSON object that tells what was done
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
With --json:
  {\"file\",\"output\",\"changes\":[text],\"lost\":[text]}

Damaged tapes are for `gametape recover`.

Examples:
  gametape repair broken.minewars -o whole.minewars
  gametape repair --in-place match.minewars
  gametape verify match.minewars || gametape repair match.minewars -o - > whole.minewars";

impl Args {
    pub(crate) fn run(self) -> Outcome {
        if self.in_place && self.recording.source == Source::Stdin {
            return Err(Failure::usage("standard input has no place to write to"));
        }
        if let Some(output) = &self.output {
            check_apart(output, self.json)?;
        }
        let Opened::Whole(input) = self.recording.open()? else {
            let source = &self.recording.source;
            return Err(Failure::usage(format_args!("{source} is a tape: use `gametape recover`")));
        };
        let options = RepairOptions { drop_unreadable: self.drop_unreadable };
        let Repaired { bytes, changes, lost, .. } = repair(&input.bytes, input.dialect, options)
            .map_err(|error| Failure::of(&input.source, &error))?;
        match &self.output {
            Some(output) => output.write(&input.source, &bytes)?,
            None if bytes == input.bytes => {}
            None => Target::overwrite(&input.source, &bytes)?,
        }
        let mut told = Told::new(&input.source, self.output.as_ref());
        told.changes = changes.iter().map(ToString::to_string).collect();
        told.lost = lost.iter().map(ToString::to_string).collect();
        let done = told.tell(self.json)?;
        if changes.is_empty() && lost.is_empty() {
            note(&input.source, "nothing to repair");
        }
        warn_if_unsound(&Input { bytes, ..input })?;
        Ok(done)
    }
}

/// What is wrong inside of setup, frames and messages is not for a repair to guess.
fn warn_if_unsound(repaired: &Input) -> Result<(), Failure> {
    let found = verify(&repaired.minewars()?);
    if !found.is_ok() {
        let errors = count(found.report().errors(), "error");
        let advice = "`gametape verify` on the result shows them";
        warn(&repaired.source, format_args!("{errors} cannot be repaired; {advice}"));
    }
    Ok(())
}
