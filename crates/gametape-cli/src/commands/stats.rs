//! `gametape stats`: what each player did in a match.

mod plot;
mod surface;

use gametape_analysis::report::{MatchStatistics, Standings, statistics_table};
use gametape_analysis::{KindSet, Statistics, StatisticsCollector};
use serde::Serialize;

use crate::events::{Observed, for_each_tape, table_text, tapes_in};
use crate::failure::{Done, Failure, Outcome};
use crate::input::Source;
use crate::output::{Target, print, print_json};
use crate::rewrite::check_apart;
use plot::Plot;

/// Show what each player did in a match, as a table and as curves over time
///
/// Of several matches it is a table of wins and losses by player. Everything comes from the events of
/// the simulation: see `gametape events`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Tapes to read, folders of them, or `-` for standard input
    #[arg(value_name = "TAPE", required = true)]
    tapes: Vec<Source>,

    /// Print one JSON object, with all figures over time
    #[arg(long)]
    json: bool,

    /// Draw the figures over time into this file: a picture if it ends in .png, SVG if in .svg
    #[arg(long, value_name = "OUT.png|OUT.svg")]
    plot: Option<Target>,
}

const EXAMPLES: &str = r#"With --json:
  {"file","match_id","tick_us","end_tick","winner","players":[{"player","name","income","collected","territory",
   "most_territory","structures","most_structures","units_created","kills","value_killed","losses",
   "value_lost","abilities","actions","actions_per_minute","timeouts","timeout_ticks",
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
        match &tapes_in(&self.tapes)?[..] {
            [source] => self.show(source),
            sources if self.plot.is_some() => {
                let problem = format!("--plot is for one tape, and there are {}", sources.len());
                Err(Failure::usage(problem))
            }
            sources => self.show_standings(sources),
        }
    }

    fn show(&self, source: &Source) -> Outcome {
        if let Some(target) = &self.plot {
            check_apart(target, self.json)?;
        }
        let mut observed = Observed::open_with_events(source)?;
        let (statistics, done) = collect(&mut observed)?;
        if let Some(target) = &self.plot {
            let picture = Plot::new(&observed, &statistics).draw(target)?;
            target.write(source, &picture)?;
        }
        let (info, end) = (&observed.info, observed.tape.summary.end_tick);
        match self.json {
            true => print_json(&MatchStatistics::of(info, &statistics, end))?,
            false if self.plot == Some(Target::Stdout) => {}
            false => print(&table_text(&statistics_table(info, &statistics)))?,
        }
        Ok(done)
    }

    fn show_standings(&self, sources: &[Source]) -> Outcome {
        let mut standings = Standings::default();
        let mut matches = 0;
        let outcome = for_each_tape(sources, |source| {
            let mut observed = Observed::open_with_events(source)?;
            let (statistics, done) = collect(&mut observed)?;
            standings.add(&observed.info, &statistics, observed.tape.summary.end_tick);
            matches += 1;
            Ok(done)
        });
        match self.json {
            true => print_json(&Many { matches, players: standings.rows() })?,
            false => print(&table_text(&standings.table()))?,
        }
        outcome
    }
}

/// What `--json` prints of several matches.
#[derive(Debug, Serialize)]
struct Many<T> {
    matches: u64,
    players: T,
}

fn collect(observed: &mut Observed) -> Result<(Statistics, Done), Failure> {
    let mut collector = StatisticsCollector::new(observed.tape.header.tick_length);
    let done = observed.visit(KindSet::ALL, 0..u64::MAX, |event, info| {
        collector.add(event, &info.names);
        Ok(())
    })?;
    Ok((collector.finish(), done))
}
