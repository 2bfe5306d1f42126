//! `gametape stats`: what each player did in a match.

mod plot;
mod surface;

use std::collections::BTreeMap;

use gametape_analysis::{KindSet, PlayerSummary, Statistics, StatisticsCollector};
use serde::Serialize;

use crate::columns::{Align, Columns};
use crate::events::Observed;
use crate::failure::Outcome;
use crate::input::TapeArgs;
use crate::output::{Target, print, print_json};
use crate::rewrite::check_apart;
use crate::text::{printable, thousands};
use plot::Plot;

/// Show what each player did in a match, as a table and as curves over time
///
/// Everything comes from the events of the simulation: see `gametape events`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    tape: TapeArgs,

    /// Print one JSON object, with all figures over time
    #[arg(long)]
    json: bool,

    /// Draw the figures over time into this file: a picture if it ends in .png, SVG if in .svg
    #[arg(long, value_name = "OUT.png|OUT.svg")]
    plot: Option<Target>,
}

const EXAMPLES: &str = r#"With --json:
  {"file","tick_us","end_tick","players":[{"player","name","income","collected","territory",
   "most_territory","structures","most_structures","units_created","kills","value_killed","losses",
   "value_lost","abilities","actions","actions_per_minute","timeouts","timeout_ticks",
   "series":{name:[[tick,value],…]}}]}

Examples:
  gametape stats match.tape
  gametape stats --plot match.png match.tape
  gametape stats --json match.tape | jq '.players[] | {name, kills}'"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let source = &self.tape.source;
        if let Some(target) = &self.plot {
            check_apart(target, self.json)?;
        }
        let mut observed = Observed::open_with_events(source)?;
        let mut collector = StatisticsCollector::new(observed.tape.header.tick_length.micros());
        let done = observed.visit(KindSet::ALL, 0..u64::MAX, |event, names| {
            collector.add(event, names);
            Ok(())
        })?;
        let statistics = collector.finish();
        if let Some(target) = &self.plot {
            let picture = Plot::new(&observed, &statistics).draw(target)?;
            target.write(source, &picture)?;
        }
        match self.json {
            true => print_json(&Told::of(source.to_string(), &observed, &statistics))?,
            false if self.plot == Some(Target::Stdout) => {}
            false => print(&table(&observed, &statistics))?,
        }
        Ok(done)
    }
}

/// How a player is called, as people read it.
fn name_of(observed: &Observed, player: u8) -> String {
    match observed.player_name(player) {
        Some(name) => format!("{player} {}", printable(name)),
        None => format!("player {player}"),
    }
}

/// The table for people.
fn table(observed: &Observed, statistics: &Statistics) -> String {
    let right = |name| (name, Align::Right);
    let [income, land, structures] = ["income/min", "land (most)", "structures (most)"].map(right);
    let [kills, losses, actions] = ["kills (value)", "losses (value)", "actions (/min)"].map(right);
    let heading = [
        ("player", Align::Left),
        income,
        land,
        structures,
        kills,
        losses,
        actions,
        right("time-outs (s)"),
    ];
    let mut columns = Columns::new(heading);
    for player in &statistics.players {
        columns.add(cells(observed, player));
    }
    columns.into_text()
}

fn cells(observed: &Observed, player: &PlayerSummary) -> [String; 8] {
    let both = |a: u64, b: String| format!("{} ({b})", thousands(a));
    let seconds = observed.milliseconds(player.timeout_ticks) / 1000;
    [
        name_of(observed, player.player),
        signed(player.income),
        both(player.territory.into(), thousands(player.most_territory.into())),
        both(player.structures.into(), thousands(player.most_structures.into())),
        both(player.kills, signed(player.value_killed)),
        both(player.losses, signed(player.value_lost)),
        both(player.actions, thousands(player.actions_per_minute)),
        both(player.timeouts, thousands(seconds)),
    ]
}

fn signed(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{}", thousands(number.unsigned_abs()))
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Told {
    file: String,
    tick_us: u32,
    end_tick: u64,
    players: Vec<PlayerTold>,
}

#[derive(Debug, Serialize)]
struct PlayerTold {
    player: u8,
    name: Option<String>,
    income: i64,
    collected: i64,
    territory: u32,
    most_territory: u32,
    structures: u32,
    most_structures: u32,
    units_created: u64,
    kills: u64,
    value_killed: i64,
    losses: u64,
    value_lost: i64,
    abilities: u64,
    actions: u64,
    actions_per_minute: u64,
    timeouts: u64,
    timeout_ticks: u64,
    series: BTreeMap<&'static str, Vec<(u64, i64)>>,
}

impl Told {
    fn of(file: String, observed: &Observed, statistics: &Statistics) -> Self {
        let mut players: Vec<PlayerTold> =
            statistics.players.iter().map(|summary| PlayerTold::of(observed, summary)).collect();
        for series in statistics.all_series() {
            let player = players.iter_mut().find(|told| told.player == series.player);
            if let Some(player) = player {
                player.series.insert(series.stat, series.points);
            }
        }
        let tape = &observed.tape;
        Self {
            file,
            tick_us: tape.header.tick_length.micros(),
            end_tick: tape.summary.end_tick,
            players,
        }
    }
}

impl PlayerTold {
    fn of(observed: &Observed, summary: &PlayerSummary) -> Self {
        let name = observed.player_name(summary.player).map(ToOwned::to_owned);
        Self {
            player: summary.player,
            name,
            income: summary.income,
            collected: summary.collected,
            territory: summary.territory,
            most_territory: summary.most_territory,
            structures: summary.structures,
            most_structures: summary.most_structures,
            units_created: summary.units_created,
            kills: summary.kills,
            value_killed: summary.value_killed,
            losses: summary.losses,
            value_lost: summary.value_lost,
            abilities: summary.abilities,
            actions: summary.actions,
            actions_per_minute: summary.actions_per_minute,
            timeouts: summary.timeouts,
            timeout_ticks: summary.timeout_ticks,
            series: BTreeMap::new(),
        }
    }
}
