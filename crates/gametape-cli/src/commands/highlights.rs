//! `gametape highlights`: the moments of a match that are worth watching.

mod cut;

use std::path::PathBuf;

use gametape_analysis::report::{
    Copies, HighlightRow, best_of, highlight_rows, highlights_table, printable,
};
use gametape_analysis::{EventStream, HighlightFinder, KindSet, MatchInfo};
use gametape_replay::open::Format;
use gametape_wire::Tick;
use serde::Serialize;

use super::play;
use crate::events::{Observed, is_new, table_text};
use crate::failure::{Done, Failure, Outcome};
use crate::input::Source;
use crate::many::FilesArgs;
use crate::output::{path, print, print_json};

/// List the best moments of a match, play them, or cut them out
///
/// A moment is scored by how much was destroyed, how much the balance between the players changed,
/// how much more happened than usual, and how rare the rarest thing in it is. The same tape gives
/// the same list everywhere. Only events of the simulation count: see `gametape events`. Of several
/// tapes the list has the best moments of all, those of copies of one match (packed, signed) once.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: FilesArgs,

    /// How many moments to list
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=MOST))]
    count: u64,

    /// Show the four parts of each score, in percent
    #[arg(long)]
    why: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Play moment number N of the list in the terminal: play pauses at its end
    #[arg(long, value_name = "N", conflicts_with_all = ["json", "cut", "why"])]
    play: Option<usize>,

    /// Write each listed moment as a tape of its own into this folder
    #[arg(long, value_name = "DIR", value_parser = path())]
    cut: Option<PathBuf>,
}

const EXAMPLES: &str = r#"With --json:
  {"files":[file],"highlights":[{"rank","file","match_id","tick","time_ms","start_tick","end_tick",
   "score","kills","rarest","player","what","why":{"engagement","momentum","anomaly","rarity"},"cut"}]}
Scores and parts are 0 to 1000000; "rarest", "player" and "what" may be null, "cut" is there with
--cut only.

Examples:
  gametape highlights match.tape
  gametape highlights --why --count 3 match.tape
  gametape highlights --play 1 match.tape
  gametape highlights --cut moments match.tape
  gametape highlights --count 20 matches/"#;

/// The most moments that are listed: more than anybody watches.
const MOST: u64 = 10_000;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let (mut sources, mut lists, mut copies) = (Vec::new(), Vec::new(), Copies::default());
        let read = |source: &Source| find(Observed::open_with_events(source)?);
        let files = self.files.only(&[Format::Tape]);
        let gathered = files.gather("read", read, |source, (info, rows)| {
            if is_new(&mut copies, &info) {
                sources.push(source.clone());
                lists.push(rows);
            }
            Ok(())
        })?;
        if lists.is_empty() {
            return gathered.conclude();
        }
        let mut rows = best_of(lists);
        if let Some(number) = self.play {
            return play_row(&sources, &rows, number).and(gathered.conclude());
        }
        rows.truncate(self.count as usize);
        let cut = match &self.cut {
            Some(folder) => cut::cut_all(&sources, folder, &mut rows)?,
            None => Done::Fine,
        };
        match self.json {
            true => print_json(&Listed {
                files: sources.iter().map(ToString::to_string).collect(),
                highlights: &rows,
            })?,
            false => print(&list(&rows, files.are_many(), self.why))?,
        }
        gathered.conclude().map(|done| if cut == Done::DataLost { cut } else { done })
    }
}

/// Plays a moment of the list.
fn play_row(sources: &[Source], rows: &[HighlightRow], number: usize) -> Outcome {
    let Some(row) = number.checked_sub(1).and_then(|index| rows.get(index)) else {
        let problem = format!("there is no moment {number}: the list has {}", rows.len());
        return Err(Failure::usage(problem));
    };
    let source = source_of(sources, row)?;
    let info = Observed::open(source)?.info;
    let [start, end] = [row.start_tick, row.end_tick].map(|tick| info.time(tick));
    play::Args::of_window(source, start, end).run()
}

/// The tape that a moment is from.
fn source_of<'s>(sources: &'s [Source], row: &HighlightRow) -> Result<&'s Source, Failure> {
    let found = sources.iter().find(|source| source.to_string() == row.file);
    found.ok_or_else(|| Failure::refused(&row.file, "it is none of the tapes"))
}

/// The highlights of a match, best first.
fn find(mut observed: Observed) -> Result<(Done, (MatchInfo, Vec<HighlightRow>)), Failure> {
    let mut finder = HighlightFinder::new(observed.tape.header.tick_length);
    // What players' machines report has no influence, so it is not even read.
    let kinds = KindSet::of_stream(EventStream::Simulation);
    let done = observed.visit(kinds, Tick::ZERO..Tick::MAX, |event, _| {
        finder.add(event);
        Ok(())
    })?;
    let found = finder.finish(observed.tape.summary.end_tick);
    let rows = highlight_rows(&observed.info, &found);
    Ok((done, (observed.info, rows)))
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Listed<'r> {
    files: Vec<String>,
    highlights: &'r [HighlightRow],
}

/// The list for people.
fn list(rows: &[HighlightRow], with_file: bool, why: bool) -> String {
    if rows.is_empty() {
        return "  no moment stands out\n".to_owned();
    }
    let text = table_text(&highlights_table(rows, with_file, why));
    let cuts = rows.iter().filter_map(|row| row.cut.as_deref());
    text + &cuts.map(|cut| format!("  wrote {}\n", printable(cut))).collect::<String>()
}
