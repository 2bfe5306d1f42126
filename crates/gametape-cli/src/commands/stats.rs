//! `gametape stats`: what each player did in a match.

use std::ffi::OsStr;

use gametape_analysis::report::{
    Copies, MatchStatistics, Standings, result_line, statistics_table,
};
use gametape_analysis::{KindSet, Statistics, StatisticsCollector};
use gametape_replay::metadata::Metadata;
use gametape_replay::open::Format;
use gametape_scene::plot::Plot;
use gametape_wire::Tick;
use serde::Serialize;

use crate::events::{Observed, is_new, table_text};
use crate::failure::{Done, Failure, Outcome};
use crate::input::Source;
use crate::many::FilesArgs;
use crate::output::{Kind, Target, print, print_json};
use crate::rewrite::check_apart;

/// Show what each player did in a match, as a table and as curves over time
///
/// Of several matches it is a table of wins and losses by player, in which copies of one match (packed,
/// signed) count once. Everything comes from the events of the simulation: see `gametape events`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: FilesArgs,

    /// Print one JSON object, with all figures over time
    #[arg(long)]
    json: bool,

    /// Draw the figures over time into this file: a picture if it ends in .png, SVG if in .svg
    #[arg(long, value_name = "OUT.png|OUT.svg")]
    plot: Option<Target>,
}

const EXAMPLES: &str = r#"With --json:
  {"file","match_id","tick_us","end_tick","winner",
   "players":[{"player","name","income","collected","territory","most_territory","structures",
   "most_structures","units_created","kills","value_killed","losses","value_lost","abilities",
   "actions","actions_per_minute","timeouts","timeout_ticks",
   "series":{name:[[tick,value],…]}}]}
of several matches:
  {"matches","players":[{"name","matches","won","lost","drawn","undecided","kills","losses","time_ms"}]}

Examples:
  gametape stats match.tape
  gametape stats --plot match.png match.tape
  gametape stats matches/
  gametape stats --json match.tape | jq '.players[] | {name, kills}'"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        match self.files.are_many() {
            false => self.files.each("read", |source| self.show(source)),
            true if self.plot.is_some() => Err(Failure::usage("--plot is for one tape")),
            true => self.show_standings(),
        }
    }

    fn show(&self, source: &Source) -> Outcome {
        if let Some(target) = &self.plot {
            check_apart(target, self.json)?;
        }
        let mut observed = Observed::open_with_events(source)?;
        let (statistics, done) = collect(&mut observed)?;
        if let Some(target) = &self.plot {
            target.write(Kind::Plot, source, &draw(target, &observed, &statistics)?)?;
        }
        let (info, end) = (&observed.info, observed.tape.summary.end_tick);
        match self.json {
            true => print_json(&MatchStatistics::of(info, &statistics, end))?,
            false if self.plot == Some(Target::Stdout) => {}
            false => {
                let result = result_line(info, &statistics).unwrap_or("not decided".to_owned());
                let table = table_text(&statistics_table(info, &statistics));
                print(&format!("{result}\n{table}"))?;
            }
        }
        Ok(done)
    }

    fn show_standings(&self) -> Outcome {
        let mut standings = Standings::default();
        let (mut matches, mut copies) = (0, Copies::default());
        let read = |source: &Source| {
            let mut observed = Observed::open_with_events(source)?;
            let (statistics, done) = collect(&mut observed)?;
            Ok((done, (observed.info, statistics, observed.tape.summary.end_tick)))
        };
        let files = self.files.only(&[Format::Tape]);
        let gathered = files.gather("read", read, |_, (info, statistics, end)| {
            if is_new(&mut copies, &info) {
                standings.add(&info, &statistics, end);
                matches += 1;
            }
            Ok(())
        })?;
        match self.json {
            true => print_json(&Many { matches, players: standings.rows() })?,
            false if matches == 0 => {}
            false => print(&table_text(&standings.table()))?,
        }
        gathered.conclude()
    }
}

/// The curves as a file of the kind that its name asks for.
fn draw(target: &Target, observed: &Observed, statistics: &Statistics) -> Result<Vec<u8>, Failure> {
    target.check_extension(Kind::Plot)?;
    let end = match target {
        Target::Stdout => Some("png".into()),
        Target::File(path) => path.extension().map(OsStr::to_ascii_lowercase),
    };
    let metadata = Metadata::of(&observed.tape);
    let title = metadata.text("title").or_else(|| metadata.text("game")).unwrap_or_default();
    let plot = Plot::new(title, &observed.info, statistics, observed.tape.summary.end_tick);
    let drawn = match end.as_ref().map(|end| end.as_encoded_bytes()) {
        Some(b"png") => plot.png(),
        _ => plot.svg().map(String::into_bytes),
    };
    drawn.map_err(|error| Failure::refused(target, &error.to_string()))
}

/// What `--json` prints of several matches.
#[derive(Debug, Serialize)]
struct Many<T> {
    matches: u64,
    players: T,
}

fn collect(observed: &mut Observed) -> Result<(Statistics, Done), Failure> {
    let mut collector = StatisticsCollector::new(observed.tape.header.tick_length);
    let done = observed.visit(KindSet::ALL, Tick::ZERO..Tick::MAX, |event, info| {
        collector.add(event, &info.names);
        Ok(())
    })?;
    Ok((collector.finish(), done))
}
