//! `gametape events`: what happened in a match, as a table for people or for other tools.

mod export;

use std::ops::Range;

use gametape_analysis::report::{EventCounts, EventLine, involves};
use gametape_analysis::{AnalysisEvent, EventKind, KindSet, MatchInfo};
use gametape_library::TableFormat;
use gametape_replay::moments::ticks_between;
use gametape_replay::open::Format;
use gametape_replay::{ViewName, players_of_tape};
use gametape_wire::{Tick, View, When};

use crate::events::Observed;
use crate::failure::{Done, Failure, Outcome, note};
use crate::input::{Source, one_of};
use crate::many::{Files, FilesArgs};
use crate::output::{Printer, Target, print, print_json};
use crate::text::{Fields, thousands};
use export::{Export, Rows};

/// List or export the events of a match
///
/// Events are what a game reports about itself for analysis: what was built and destroyed, fights,
/// votes, figures of the players. Only the parts of a tape that hold events are read.
///
/// --json and --csv write one table with all columns (with one --kind, CSV has the columns of this
/// kind alone); into a folder they write one table for each kind, and so does --parquet. Several
/// tapes become one table. The first columns are the match, the tape, the tick and the time in
/// seconds; packing and signing a tape does not change the id of its match.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: FilesArgs,

    /// Only events of these kinds, such as UnitDestroyed,MatchEnded
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', hide_possible_values = true, value_parser = one_of(EventKind::ALL, EventKind::name))]
    kind: Vec<EventKind>,

    /// Only events that these players take part in: names or numbers
    #[arg(long, value_name = "PLAYER,…", value_delimiter = ',')]
    player: Vec<ViewName>,

    /// Only events at this time and later
    #[arg(long, value_name = "TIME", default_value = "start", allow_hyphen_values = true)]
    from: When,

    /// Only events before this time
    #[arg(long, value_name = "TIME", default_value = "end", allow_hyphen_values = true)]
    to: When,

    /// Print how many events there are of each kind, and nothing else
    #[arg(long, conflicts_with_all = ["csv", "parquet", "output"])]
    count: bool,

    /// Print one JSON object for each event
    #[arg(long, conflicts_with_all = ["csv", "parquet"])]
    json: bool,

    /// Print comma-separated values
    #[arg(long, conflicts_with = "parquet")]
    csv: bool,

    /// Write a Parquet file, or one for each kind if it is a folder (or ends in `/`)
    #[arg(long, value_name = "OUT", conflicts_with = "output")]
    parquet: Option<Target>,

    /// Where JSON or CSV goes: a file, or a folder (or a name that ends in `/`) for one file a kind
    #[arg(short, long, value_name = "OUT")]
    output: Option<Target>,
}

const EXAMPLES: &str = r#"Times are written as 3:37.6, 217.6s, 217600ms, tick:4352, 50%, start, end or -10s (before the end).

With --json each line is {"kind","match_id","tape","tick","seconds",…}: fields are named as in
spec/events.md, empty ones are left out; positions are in 1/1024 of a cell.
With --json --count: {"file","events","kinds":{name:number}}.

Examples:
  gametape events match.tape
  gametape events --kind UnitDestroyed --player Ben --from 1:00 match.tape
  gametape events --count match.tape
  gametape events --csv -o tables/ match.tape
  gametape events --parquet all.parquet matches/"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let files = self.files.only(&[Format::Tape]);
        match self.format()? {
            None if self.count => files.each("read", |source| self.count_events(source)),
            None => files.each("read", |source| self.list(source)),
            Some(format) => self.export(&files, format),
        }
    }

    /// What to write, unless it is the list for people.
    fn format(&self) -> Result<Option<TableFormat>, Failure> {
        match (self.json, self.csv, &self.parquet) {
            _ if self.count => Ok(None),
            (true, ..) => Ok(Some(TableFormat::Json)),
            (_, true, _) => Ok(Some(TableFormat::Csv)),
            (.., Some(_)) => Ok(Some(TableFormat::Parquet)),
            _ if self.output.is_some() => Err(Failure::usage("-o needs --json or --csv")),
            _ => Ok(None),
        }
    }

    fn kinds(&self) -> KindSet {
        match self.kind.is_empty() {
            true => KindSet::ALL,
            false => self.kind.iter().copied().collect(),
        }
    }

    /// The numbers of the players; `None` where one of many tapes does not have them, which is noted.
    fn players(&self, observed: &Observed) -> Result<Option<Vec<u8>>, Failure> {
        let found = ViewName::find_all(&self.player, || players_of_tape(&observed.tape));
        match found {
            Ok(views) => Ok(Some(views.iter().map(View::number).collect())),
            Err(error) if self.files.are_many() => {
                note(&observed.info.source, error.kind());
                Ok(None)
            }
            Err(error) => {
                let problem = error.kind();
                Err(Failure::usage(format_args!("{}: {problem}", observed.info.source)))
            }
        }
    }

    fn ticks(&self, observed: &Observed) -> Result<Range<Tick>, Failure> {
        let (length, end) = (observed.tape.header.tick_length, observed.tape.summary.end_tick);
        let ticks = ticks_between(self.from, self.to, length, end);
        ticks.map_err(|error| Failure::of(&observed.info.source, &error))
    }

    /// Shows the events that were asked for.
    fn visit(
        &self,
        observed: &mut Observed,
        mut visit: impl FnMut(&AnalysisEvent, &MatchInfo) -> Result<(), Failure>,
    ) -> Outcome {
        let ticks = self.ticks(observed)?;
        let Some(players) = self.players(observed)? else { return Ok(Done::Fine) };
        observed.visit(self.kinds(), ticks, |event, info| {
            match players.is_empty() || involves(event, &players) {
                true => visit(event, info),
                false => Ok(()),
            }
        })
    }

    fn list(&self, source: &Source) -> Outcome {
        let mut observed = Observed::open(source)?;
        self.files.title(source)?;
        let mut printer = Printer::new();
        let mut shown = 0u64;
        let done = self.visit(&mut observed, |event, info| {
            shown += 1;
            printer.put(format_args!("{}\n", EventLine { event, info }))
        })?;
        printer.finish()?;
        if shown == 0 {
            note(source, why_nothing(&observed));
        }
        Ok(done)
    }

    fn count_events(&self, source: &Source) -> Outcome {
        let mut observed = Observed::open(source)?;
        let mut counts = EventCounts::new(source.to_string());
        let done = self.visit(&mut observed, |event, _| {
            counts.add(event.kind());
            Ok(())
        })?;
        match self.json {
            true => print_json(&counts)?,
            false => print(&counts_text(&counts))?,
        }
        Ok(done)
    }

    fn export(&self, files: &Files, format: TableFormat) -> Outcome {
        let target = self.parquet.as_ref().or(self.output.as_ref()).unwrap_or(&Target::Stdout);
        files.sources().iter().try_for_each(|source| target.check_apart(source))?;
        let export = Export::new(format, target, &self.kind)?;
        let read = |source: &Source| {
            export.check_apart(source)?;
            let mut observed = Observed::open(source)?;
            if !observed.has_events() {
                note(source, why_nothing(&observed));
            }
            let mut rows = Rows::new(observed.info.clone());
            let done = self.visit(&mut observed, |event, _| export.hold(&mut rows, event))?;
            Ok((done, rows))
        };
        let gathered = files.gather("read", read, |_, mut rows| export.add(&mut rows))?;
        // What could be read of the others is there, whatever is wrong with one.
        export.finish()?;
        gathered.conclude()
    }
}

fn why_nothing(observed: &Observed) -> &'static str {
    match observed.has_events() {
        true => "no events match",
        false => "there are no events in this tape",
    }
}

/// The kinds in the order of their numbers.
fn counts_text(counts: &EventCounts) -> String {
    let mut fields = Fields::new(&counts.file);
    fields.add("events", thousands(counts.events));
    for (kind, count) in counts.rows() {
        fields.more(format!("{:<22}{:>9}", kind.name(), thousands(count)));
    }
    fields.into_text()
}
