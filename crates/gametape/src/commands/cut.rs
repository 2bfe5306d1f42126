//! `gametape cut`: some views of a recording, some of its time, or both.

use gametape_minewars::{Converted, Dialect, Selection, convert, cut};
use gametape_wire::{Error, View};

use crate::failure::{Failure, Outcome, note};
use crate::input::{Source, parse_view};
use crate::rewrite::{Contents, RewriteArgs, write_recording};
use crate::text::count;

/// Cut views or a span of time out of a MineWars recording
///
/// The cut begins at time 0 with what each view knew by then, so that from there on it knows what
/// it knew in the original. Nothing of other views is left in it: the items of the map, which only
/// the spectator knows, go with the spectator. Names of players and the rules stay.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: RewriteArgs,

    /// The views to keep, such as 0,2; all of them if none are given
    #[arg(long, visible_alias = "views", value_name = "N,…", value_delimiter = ',', value_parser = parse_view)]
    view: Vec<View>,

    /// Keep what happens at this time and later, in milliseconds since the start
    #[arg(long, value_name = "MS", default_value_t = 0)]
    from: u64,

    /// Keep what happens before this time [default: up to the end]
    #[arg(long, value_name = "MS")]
    to: Option<u64>,
}

const EXAMPLES: &str = "\
Examples:
  gametape cut match.minewars --view 2 -o for-player-2.minewars
  gametape cut match.minewars --from 60000 --to 90000 -o highlight.minewars";

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let input = self.files.recording.read()?;
        let source = &input.source;
        let failed = |error: Error| Failure::of(source, &error);
        let contents = own_dialect(source, Contents::of(source, &input.minewars()?)?)?;
        let mut selection = Selection::everything(&contents.setup);
        if !self.view.is_empty() {
            selection.views = self.view.iter().copied().collect();
        }
        selection.from = self.from;
        selection.to = self.to.unwrap_or(u64::MAX);
        let part = cut(&contents.setup, &contents.frames, &selection).map_err(failed)?;
        let done = write_recording(
            (source, &self.files.output),
            (&part.setup, &part.frames),
            &contents.options,
            &part.losses,
        )?;
        if part.hidden_items > 0 {
            let items = count(part.hidden_items as u64, "item");
            note(source, format_args!("{items} of the map removed: only the spectator knows them"));
        }
        Ok(done)
    }
}

/// The public tool's dialect is never written, so its recordings are converted first, which loses
/// nothing: they only have other numbers for kinds.
fn own_dialect(source: &Source, contents: Contents) -> Result<Contents, Failure> {
    if contents.dialect != Dialect::MwDatatool {
        return Ok(contents);
    }
    let Contents { setup, frames, dialect, options } = contents;
    let Converted { setup, frames, .. } = convert(&setup, &frames, dialect, setup.generation)
        .map_err(|error| Failure::of(source, &error))?;
    note(source, format_args!("converted from {dialect} to {}", setup.generation));
    Ok(Contents { dialect: setup.dialect(), setup, frames, options })
}
