//! `gametape cut`: some views of a recording, some of its time, or both.

mod tape;

use gametape_minewars::{Converted, Dialect, Selection, convert, cut};
use gametape_wire::{Error, View};

use crate::failure::{Failure, Outcome, note};
use crate::input::{Input, Opened, RecordingArgs, Source, parse_view};
use crate::moment::Time;
use crate::rewrite::{Contents, ResultArgs, write_recording};
use crate::text::count;
pub(super) use tape::cut_span;

/// Cut views or a span of time out of a MineWars recording or a tape
///
/// The cut of a MineWars recording begins at time 0 with what each view knew by then, so that from
/// there on it knows what it knew in the original. Nothing of other views is left in it: the items
/// of the map, which only the spectator knows, go with the spectator. Names of players and the rules
/// stay.
///
/// The cut of a tape keeps its ticks. So that it can be played from its start, it begins with the
/// last keyframe at or before that start and with what happened since then; without keyframes it
/// keeps everything before. A gap tells of the time that is not there. Events are kept in whole chunks. Of other views nothing is left, nor of
/// what is nobody's view, such as the state of the simulation. Signatures are dropped.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    recording: RecordingArgs,

    #[command(flatten)]
    result: ResultArgs,

    /// The views to keep, such as 0,2; all of them if none are given
    #[arg(long, visible_alias = "views", value_name = "N,…", value_delimiter = ',', value_parser = parse_view)]
    view: Vec<View>,

    /// Keep what happens at this time and later: milliseconds since the start, or tick:N of a tape
    #[arg(long, value_name = "TIME", default_value = "0")]
    from: Time,

    /// Keep what happens before this time [default: up to the end]
    #[arg(long, value_name = "TIME")]
    to: Option<Time>,
}

const EXAMPLES: &str = "\
With --json:
  {\"file\",\"output\",\"changes\":[text],\"lost\":[text]}

Examples:
  gametape cut match.minewars for-player-2.minewars --view 2
  gametape cut match.minewars highlight.minewars --from 60000 --to 90000
  gametape cut match.tape highlight.tape --view 0,1 --from tick:1200";

impl Args {
    pub(crate) fn run(self) -> Outcome {
        match self.recording.open()? {
            Opened::Tape(mut file) => tape::cut(&mut file, &self),
            Opened::Whole(input) => self.cut_minewars(&input),
        }
    }

    fn cut_minewars(&self, input: &Input) -> Outcome {
        let target = self.result.target()?;
        let source = &input.source;
        let contents = own_dialect(source, Contents::of(source, &input.minewars()?)?)?;
        let mut selection = Selection::everything(&contents.setup);
        if !self.view.is_empty() {
            selection.views = self.view.iter().copied().collect();
        }
        selection.from = self.from.milliseconds(source)?;
        selection.to = self.to.map_or(Ok(u64::MAX), |time| time.milliseconds(source))?;
        let part = cut(&contents.setup, &contents.frames, &selection)
            .map_err(|error: Error| Failure::of(source, &error))?;
        let mut told = write_recording(
            (source, target),
            (&part.setup, &part.frames),
            &contents.options,
            &part.losses,
        )?;
        if part.hidden_items > 0 {
            let items = count(part.hidden_items as u64, "item");
            told.changes.push(format!("{items} of the map removed: only the spectator knows them"));
        }
        told.tell(self.result.json)
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
