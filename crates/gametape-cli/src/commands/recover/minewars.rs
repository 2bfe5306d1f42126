//! Making a damaged MineWars recording whole again.

use gametape_minewars::{RepairOptions, Repaired, repair, verify};

use super::Args;
use crate::failure::{Failure, Outcome, note, warn};
use crate::input::Input;
use crate::output::Target;
use crate::rewrite::Report;
use crate::text::count;

impl Args {
    pub(super) fn recover_minewars(&self, input: Input) -> Outcome {
        if self.tick_us.is_some() {
            let source = &input.source;
            return Err(Failure::usage(format_args!(
                "--tick-us is for tapes, and {source} is none"
            )));
        }
        let options = RepairOptions::new().with_drop_unreadable(self.drop_unreadable);
        let Repaired { bytes, changes, lost, .. } = repair(&input.bytes, input.dialect, options)
            .map_err(|error| Failure::of(&input.source, &error))?;
        match self.target() {
            Some(output) => output.write(&input.source, &bytes)?,
            None if bytes == input.bytes => {}
            None => Target::overwrite(&input.source, &bytes)?,
        }
        let mut told = Report::new(&input.source, self.target());
        told.changes = changes.iter().map(ToString::to_string).collect();
        told.lost = lost.iter().map(ToString::to_string).collect();
        let done = told.print(self.json)?;
        if changes.is_empty() && lost.is_empty() {
            note(&input.source, "nothing to recover");
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
