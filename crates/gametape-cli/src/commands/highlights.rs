//! `gametape highlights`: the moments of a match that are worth watching.

mod cut;

use std::path::PathBuf;

use gametape_analysis::{EventStream, Highlight, HighlightFinder, KindSet, Rarity, WHOLE};
use serde::Serialize;

use super::play;
use crate::columns::{Align, Columns};
use crate::events::Observed;
use crate::failure::{Done, Failure, Outcome};
use crate::input::TapeArgs;
use crate::output::{print, print_json};
use crate::text::printable;

/// List the best moments of a match, play them, or cut them out
///
/// A moment is scored by how much was destroyed, how much the balance between the players changed,
/// how much more happened than usual, and how rare the rarest thing in it is. The same tape gives
/// the same list everywhere. Only events of the simulation count: see `gametape events`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    tape: TapeArgs,

    /// How many moments to list
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=MOST))]
    count: u64,

    /// Show the four parts of each score, in percent
    #[arg(long)]
    why: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Play the match in the terminal from moment number N of the list on
    #[arg(long, value_name = "N", conflicts_with_all = ["json", "cut", "why"])]
    play: Option<usize>,

    /// Write each listed moment as a tape of its own into this folder
    #[arg(long, value_name = "DIR")]
    cut: Option<PathBuf>,
}

const EXAMPLES: &str = r#"With --json:
  {"file","highlights":[{"rank","tick","time_ms","start_tick","end_tick","score","kills","rarest",
   "why":{"engagement","momentum","anomaly","rarity"},"cut"}]}
Scores and parts are 0 to 1000000; "rarest" may be null, "cut" is there with --cut only.

Examples:
  gametape highlights match.tape
  gametape highlights --why --count 3 match.tape
  gametape highlights --play 1 match.tape
  gametape highlights --cut moments match.tape"#;

/// The most moments that are listed: more than anybody watches.
const MOST: u64 = 10_000;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let mut observed = Observed::open_with_events(&self.tape.source)?;
        let (mut found, mut done) = find(&mut observed)?;
        if let Some(number) = self.play {
            return self.play(&observed, &found, number);
        }
        found.truncate(self.count as usize);
        let mut rows: Vec<Row> = (1..).zip(&found).map(|(n, h)| Row::of(&observed, n, h)).collect();
        if let Some(folder) = &self.cut
            && cut::cut_all(&mut observed, folder, &mut rows)? == Done::DataLost
        {
            done = Done::DataLost;
        }
        let file = self.tape.source.to_string();
        match self.json {
            true => print_json(&Listed { file, highlights: rows })?,
            false => print(&list(&observed, &rows, self.why))?,
        }
        Ok(done)
    }

    fn play(&self, observed: &Observed, found: &[Highlight], number: usize) -> Outcome {
        let Some(highlight) = number.checked_sub(1).and_then(|place| found.get(place)) else {
            let problem = format!("there is no moment {number}: the list has {}", found.len());
            return Err(Failure::usage(problem));
        };
        let start = observed.milliseconds(highlight.window.start);
        play::Args::from_time(&self.tape.source, start).run()
    }
}

/// The highlights of a match, best first.
fn find(observed: &mut Observed) -> Result<(Vec<Highlight>, Done), Failure> {
    let mut finder = HighlightFinder::new(observed.tape.header.tick_length.micros());
    let kinds = simulation_kinds();
    let done = observed.visit(kinds, 0..u64::MAX, |event, _| {
        finder.add(event);
        Ok(())
    })?;
    Ok((finder.finish(observed.tape.summary.end_tick), done))
}

/// What players' machines report has no influence, so it is not even read.
fn simulation_kinds() -> KindSet {
    let all = gametape_analysis::EventKind::ALL.iter().copied();
    all.filter(|kind| kind.stream() == EventStream::Simulation).fold(KindSet::EMPTY, KindSet::with)
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Listed {
    file: String,
    highlights: Vec<Row>,
}

/// One moment of the list.
#[derive(Debug, Serialize)]
struct Row {
    rank: usize,
    tick: u64,
    time_ms: u64,
    start_tick: u64,
    end_tick: u64,
    score: u32,
    kills: u64,
    rarest: Option<&'static str>,
    why: Parts,
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<String>,
}

/// The four parts of a score.
#[derive(Debug, Serialize)]
struct Parts {
    engagement: u32,
    momentum: u32,
    anomaly: u32,
    rarity: u32,
}

impl Row {
    fn of(observed: &Observed, rank: usize, highlight: &Highlight) -> Self {
        let Highlight { tick, ref window, score, why, kills } = *highlight;
        Self {
            rank,
            tick,
            time_ms: observed.milliseconds(tick),
            start_tick: window.start,
            end_tick: window.end,
            score,
            kills,
            rarest: why.rarest.map(Rarity::name),
            why: Parts {
                engagement: why.engagement,
                momentum: why.momentum,
                anomaly: why.anomaly,
                rarity: why.rarity,
            },
            cut: None,
        }
    }

    fn cells(&self, observed: &Observed) -> [String; 6] {
        [
            self.rank.to_string(),
            observed.clock(self.tick),
            format!("{} to {}", observed.clock(self.start_tick), observed.clock(self.end_tick)),
            percent(self.score),
            self.kills.to_string(),
            self.rarest.unwrap_or_default().to_owned(),
        ]
    }
}

/// A part of the whole in percent, with one decimal.
fn percent(part: u32) -> String {
    let tenths = u64::from(part) * 1000 / u64::from(WHOLE);
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// The list for people.
fn list(observed: &Observed, rows: &[Row], why: bool) -> String {
    if rows.is_empty() {
        return "  no moment stands out\n".to_owned();
    }
    let text = if why { explained(observed, rows) } else { plain(observed, rows) };
    let cuts = rows.iter().filter_map(|row| row.cut.as_deref());
    text + &cuts.map(|cut| format!("  wrote {}\n", printable(cut))).collect::<String>()
}

const HEADING: [(&str, Align); 6] = [
    ("#", Align::Right),
    ("moment", Align::Left),
    ("watch", Align::Left),
    ("score", Align::Right),
    ("kills", Align::Right),
    ("rarest", Align::Left),
];

fn plain(observed: &Observed, rows: &[Row]) -> String {
    let mut columns = Columns::new(HEADING);
    rows.iter().for_each(|row| columns.add(row.cells(observed)));
    columns.into_text()
}

fn explained(observed: &Observed, rows: &[Row]) -> String {
    let [number, moment, watch, score, kills, rarest] = HEADING;
    let part = |name| (name, Align::Right);
    let [engagement, momentum] = ["engagement ×35%", "momentum ×25%"].map(part);
    let [anomaly, rarity] = ["anomaly ×20%", "rarity ×20%"].map(part);
    let heading =
        [number, moment, watch, score, engagement, momentum, anomaly, rarity, kills, rarest];
    let mut columns = Columns::new(heading);
    for row in rows {
        let [number, moment, watch, score, kills, rarest] = row.cells(observed);
        let Parts { engagement, momentum, anomaly, rarity } = row.why;
        let [a, b, c, d] = [engagement, momentum, anomaly, rarity].map(percent);
        columns.add([number, moment, watch, score, a, b, c, d, kills, rarest]);
    }
    columns.into_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_percent_with_one_decimal() {
        let shown = [0, 999, 1000, 315_000, WHOLE].map(percent);
        assert_eq!(shown, ["0.0", "0.0", "0.1", "31.5", "100.0"]);
    }

    #[test]
    fn reported_events_are_not_read() {
        let streams: Vec<EventStream> = simulation_kinds().streams().collect();
        assert_eq!(streams, [EventStream::Simulation]);
    }
}
