//! `gametape info`: what a recording is, from its headers.

mod table;

use gametape_replay::inspect::{GamelogSummary, Inspected, MinewarsSummary, Row, TapeSummary};
use gametape_replay::open::Format;
use gametape_wire::Error;

use crate::failure::{Done, Failure, Outcome, warn};
use crate::input::{Opened, RecordingsArgs, Source};
use crate::output::{print, print_json};
use crate::progress::waiting;
use crate::text::Fields;
use table::Table;

/// Show what recordings are: format, game or map, players, result, sizes
///
/// Reads only what it shows. Of a tape that is at most 64 KiB, however large it is: header, metadata
/// and summary; --chunks reads the whole index. Of a MineWars recording the headers are read and,
/// unless --json asks for them alone, the messages, which say how it ended; --frames counts them. Of a
/// gamelog only the players are followed to the end; --deltas merges everything and counts.
///
/// Many recordings are shown as a table with result, length and date.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    recordings: RecordingsArgs,

    /// Read the frames too: count them by kind, and their messages by class and view (MineWars)
    #[arg(long)]
    frames: bool,

    /// Read the deltas too: count them by type, the turns, and the calls and time of each player
    /// (gamelogs)
    #[arg(long)]
    deltas: bool,

    /// Read the whole index too: keyframes by view, gaps, and the keys of signatures (tapes)
    #[arg(long)]
    chunks: bool,

    /// Print one JSON object a line for each recording
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"A signature that names a key proves nothing by itself: check it with `gametape verify --key`.

With --json of a tape:
  {"file","format","version","id","form","finished","file_bytes","content","tick_us","first_tick",
   "end_tick","duration_ms","views","players":[{"view"|"player","name"}],"metadata","closing",
   "chunks","kinds":[{"kind","name","chunks","items","raw_bytes","stored_bytes"}],"gaps","signatures",
   "chain_head","index":{"keyframes":[{"stream","views","full","delta","first_tick","last_tick"}],
   "gaps":[{"cause","kind","count","bytes","views","first_tick","ticks"}],"claimed_keys"},"problems"}
"index" is present with --chunks, and where it is small. "metadata" and "closing" are copied from
the tape. The chain head is null where the tape's own index was not used.

The time of a player in a gamelog is the time that its clock lost from delta to delta.

With --json of a gamelog:
  {"file","format","layout","gzip","file_bytes","json_bytes","game","session","game_version",
   "created","random_seed","settings","deltas",
   "players":[{"id","name","client","won","lost","reason"}],"draw","disagreements",
   "contents":{"turns","by_type":[{"type","deltas","bytes"}],"game_bytes","data_bytes",
               "players":[{"id","deltas","invalid","ran":{function: count},
                           "orders":{name: count},"finished":{name: count},"clock_ns"}]}}
"created" is in milliseconds since 1970; "contents" is present with --deltas only.

Examples:
  gametape info match.minewars
  gametape info --frames match.minewars
  gametape info --json - < match.minewars | jq .cities
  gametape info --deltas game.json.gz
  gametape info finals/
  gametape info --json matches/ | jq -r 'select(.finished == false) | .file'"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let show = match self.recordings.files.are_many() {
            _ if self.json => Show::Json,
            true => Show::Row,
            false => Show::Text,
        };
        let mut table = Table::default();
        let work = |source: &Source| self.look_at(source, show);
        let gathered = self.recordings.files.gather("read", work, |source, row| {
            table.extend(row.map(|row| (source, row)));
            Ok(())
        })?;
        print(&table.into_text())?;
        gathered.conclude()
    }

    /// Shows what a recording is, or returns its row of the table.
    fn look_at(&self, source: &Source, show: Show) -> Result<(Done, Option<Row>), Failure> {
        let failed = |error: Error| Failure::of(source, &error);
        let (name, opened) = (source.to_string(), source.open_with(&self.recordings.format)?);
        source.check_options(
            opened.format(),
            &[
                ("--frames", self.frames, Format::MineWars),
                ("--deltas", self.deltas, Format::Gamelog),
                ("--chunks", self.chunks, Format::Tape),
            ],
        )?;
        match opened {
            Opened::Tape(mut tape) => {
                show.one(source, &TapeSummary::of(&name, &mut tape, self.chunks).map_err(failed)?)
            }
            Opened::MineWars(bytes) => {
                // The frames are read for --frames and for the result.
                let is_read = !matches!(show, Show::Json);
                let file = if self.frames || is_read { bytes.file() } else { bytes.headers() };
                let file = file.map_err(failed)?;
                let summary = waiting("reading", || {
                    let summary = MinewarsSummary::of(&name, &file, self.frames);
                    if is_read { summary.with_ending(&file) } else { summary }
                });
                show.one(source, &summary)
            }
            Opened::Gamelog(log) => {
                let summary =
                    waiting("reading", || GamelogSummary::of_opened(&name, &log, self.deltas));
                show.one(source, &summary.map_err(failed)?)
            }
            _ => Err(source.unknown()),
        }
    }
}

/// How reports are shown.
#[derive(Clone, Copy)]
enum Show {
    Text,
    Json,
    /// As rows of a table, which is printed once all of them are known.
    Row,
}

impl Show {
    fn one(self, source: &Source, report: &impl Inspected) -> Result<(Done, Option<Row>), Failure> {
        match self {
            Self::Text => print(&Fields::of(report.name(), &report.facts()).into_text())?,
            Self::Json => print_json(report)?,
            Self::Row => {}
        }
        for problem in report.problems() {
            warn(source, problem);
        }
        let row = matches!(self, Self::Row).then(|| report.row());
        Ok((Done::lost_if(!report.problems().is_empty()), row))
    }
}
