//! `gametape cut`: some views of a recording, some of its time, or both.

use std::ops::Range;

use gametape_replay::cut::{CutRequest, cut_minewars, cut_tape};
use gametape_replay::open::{Format, MinewarsBytes};
use gametape_replay::{NamedViews, ViewName, players_of_minewars, players_of_tape};
use gametape_tape::{Depth, Tape};
use gametape_wire::{self as wire, Tick, ViewSet, When};

use crate::failure::{Failure, Outcome, warn};
use crate::input::{FormatArgs, Opened, Source};
use crate::output::{Destination, Kind, Target};
use crate::progress::waiting;
use crate::rewrite::{Report, RewriteArgs};
use crate::tape::TapeFile;

/// Keep some views or a span of time of a MineWars recording or a tape
///
/// The cut of a MineWars recording begins at time 0 with what each view knew by then, so that from
/// there on it knows what it knew in the original. Nothing of other views is left in it: the items
/// of the map, which only the spectator knows, go with the spectator. Names of players and the rules
/// stay.
///
/// The cut of a tape keeps its ticks. To be playable from its start, it begins with the last keyframe
/// at or before that start and with what happened since then; without keyframes it keeps everything
/// before. A gap declares the time that is not there. Nothing of other views is left, nor what is
/// nobody's view, such as the state of the simulation. Signatures are dropped. The report names
/// everything that was dropped.
///
/// Without unreliable messages, which replace each other and may be missed, a recording of MineWars messages is smaller;
/// keyframes are made again from what is left.
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "gametape cut [OPTIONS] FILE OUT\n       gametape cut [OPTIONS] FILE… --out-dir DIR"
)]
pub(crate) struct Args {
    #[command(flatten)]
    files: RewriteArgs,

    #[command(flatten)]
    format: FormatArgs,

    /// The views to keep: numbers or names of players, such as 0,2 or Ana [default: all of them]
    #[arg(long, visible_alias = "views", value_name = "VIEW,…", value_delimiter = ',')]
    view: Vec<ViewName>,

    /// Keep what happens at this time or later
    #[arg(long, value_name = "TIME", default_value = "start", allow_hyphen_values = true)]
    from: When,

    /// Keep what happens before this time, and nothing at it
    #[arg(long, value_name = "TIME", default_value = "end", allow_hyphen_values = true)]
    to: When,

    /// Leave out messages of this class, which may be missed
    #[arg(long, value_name = "CLASS")]
    without: Option<Without>,
}

/// What can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Without {
    /// Money, progress of buildings, round-trip times
    Unreliable,
}

const EXAMPLES: &str = "\
Times are written as 3:37.6, 217.6s, 217600ms, tick:4352, 50%, start, end or -10s (before the end).

With --json:
  {\"file\",\"output\",\"changes\":[text],\"lost\":[text]}

Examples:
  gametape cut match.minewars for-player-2.minewars --view 2
  gametape cut match.minewars highlight.minewars --from 1:00 --to 1:30
  gametape cut match.tape highlight.tape --view 0,Ana --from tick:1200
  gametape cut match.tape small.tape --without unreliable
  gametape cut *.tape --out-dir last-minutes --from -1:00";

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let formats = &[Format::Tape, Format::MineWars];
        self.files.for_each("cut", formats, |source, destination| {
            match source.open_with(&self.format)? {
                Opened::Tape(file) => self.cut_tape(file, destination),
                Opened::MineWars(bytes) => self.cut_minewars(source, &bytes, destination),
                Opened::Gamelog(_) => Err(Failure::usage(format_args!(
                    "{source} is a gamelog, and only MineWars recordings and tapes are cut"
                ))),
                _ => Err(source.unknown()),
            }
        })
    }

    fn request(&self, players: impl FnOnce() -> NamedViews) -> wire::Result<CutRequest> {
        let views = ViewName::find_all(&self.view, players)?;
        let request = CutRequest::default().with_views(views).with_from(self.from).with_to(self.to);
        Ok(request.without_unreliable(self.without.is_some()))
    }

    fn cut_tape(&self, mut file: TapeFile, destination: &Destination) -> Outcome {
        let tape = file.open(Depth::Index)?;
        let request = self.request(|| players_of_tape(&tape));
        let request = request.map_err(|error| file.failure(&error))?;
        write_cut(&mut file, &tape, &request, destination)?.print(self.files.json())
    }

    fn cut_minewars(
        &self,
        source: &Source,
        bytes: &MinewarsBytes,
        destination: &Destination,
    ) -> Outcome {
        let failed = |error| Failure::of(source, &error);
        let file = bytes.file().map_err(failed)?;
        let request = self.request(|| players_of_minewars(&file).unwrap_or_default());
        let request = request.map_err(failed)?;
        let cut = waiting("cutting", || cut_minewars(&file, &request)).map_err(failed)?;
        cut.wrong_checksums.iter().for_each(|error| warn(source, error));
        let mut out = destination.open(Kind::MineWars, source)?;
        out.put(&cut.bytes)?;
        out.finish()?;
        let mut report = Report::new(source, Some(&destination.target));
        (report.changes, report.lost) = (cut.changes(), cut.lost());
        report.print(self.files.json())
    }
}

/// Writes some ticks of a tape as another tape; all views if `views` is empty.
pub(super) fn cut_span(
    file: &mut TapeFile,
    tape: &Tape,
    views: ViewSet,
    ticks: Range<Tick>,
    target: &Target,
) -> Result<Report, Failure> {
    let [from, to] = [ticks.start, ticks.end].map(When::Tick);
    let request = CutRequest::default().with_views(views).with_from(from).with_to(to);
    write_cut(file, tape, &request, &target.clone().into())
}

fn write_cut(
    file: &mut TapeFile,
    tape: &Tape,
    request: &CutRequest,
    destination: &Destination,
) -> Result<Report, Failure> {
    let source = file.source.clone();
    let mut out = destination.open(Kind::Tape, &source)?;
    let cut = waiting("cutting", || out.fill(&source, |put| cut_tape(file, tape, request, put)))?;
    out.finish()?;
    let mut report = Report::new(&source, Some(&destination.target));
    report.changes = cut.changes();
    report.lost = cut.lost;
    Ok(report)
}
