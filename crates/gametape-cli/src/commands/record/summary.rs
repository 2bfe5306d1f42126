//! What a recorded match came to.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gametape_minewars::Generation;
use gametape_replay::Report;
use gametape_skirmish::{Config, Outcome as End, Style};
use serde::Serialize;
use serde_json::json;

use super::TICK_MICROS;
use crate::failure::{Done, Failure, Outcome, warn};
use crate::output::Target;
use crate::text::{Fields, clock, count, date, printable, thousands};

/// A match that was played.
pub(super) struct Played {
    pub(super) config: Config,
    /// Ticks that were played.
    pub(super) tick: u64,
    pub(super) outcome: Option<End>,
    pub(super) elapsed: Duration,
    pub(super) report: Option<Report>,
}

/// `Ana against Ben`, `Ana, Ben and Chloé`
fn title(names: &[String]) -> String {
    match names {
        [one, other] => format!("{one} against {other}"),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
        [] => String::new(),
    }
}

/// What is known of a match before it begins.
pub(super) fn metadata(config: &Config, styles: &[Style], generation: Generation) -> Vec<u8> {
    let players = config.names.iter().zip(1..).zip(styles.iter().cycle());
    let players: Vec<_> = players
        .map(|((name, view), style)| json!({"view": view, "name": name, "style": style.name()}))
        .collect();
    let about = json!({
        "content": gametape_skirmish::CONTENT,
        "game": gametape_skirmish::TITLE,
        "generation": generation.name(),
        "title": title(&config.names),
        "players": players,
        "recorded": now(),
        "recorder": concat!("gametape ", env!("CARGO_PKG_VERSION")),
    });
    about.to_string().into_bytes()
}

/// The time of day as RFC 3339. A build that must be reproducible sets it from outside, as is usual.
fn now() -> Option<String> {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    let seconds = fixed.or_else(|| {
        let passed = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        i64::try_from(passed.as_secs()).ok()
    })?;
    Some(date(seconds.checked_mul(1000)?)?.replacen(' ', "T", 1).replace(" UTC", "Z"))
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    file: String,
    title: String,
    seed: u64,
    grid: &'static str,
    radius: u8,
    players: Vec<String>,
    outcome: Option<String>,
    winner: Option<u8>,
    finished: bool,
    ticks: u64,
    duration_ms: u64,
    bytes: u64,
    seconds: f64,
    speed: f64,
}

impl Played {
    fn duration_ms(&self) -> u64 {
        self.tick.saturating_mul(TICK_MICROS.into()) / 1000
    }

    /// Who won, in words.
    fn outcome_text(&self) -> Option<String> {
        self.outcome.map(|outcome| outcome.in_words(&self.config.names))
    }

    fn winner(&self) -> Option<u8> {
        match self.outcome? {
            End::Won { winner, .. } => Some(winner),
            End::Draw { .. } | End::Abandoned { .. } => None,
        }
    }

    /// The closing metadata.
    pub(super) fn closing(&self) -> Vec<u8> {
        let outcome = self.outcome_text().unwrap_or_else(|| "not decided".to_owned());
        json!({"outcome": outcome, "winner": self.winner()}).to_string().into_bytes()
    }

    pub(super) fn summary(&self, target: &Target) -> Summary {
        let Config { grid, radius, seed, names, .. } = &self.config;
        let seconds = self.elapsed.as_secs_f64();
        let counters = self.report.as_ref().map(|report| &report.counters);
        let played = self.duration_ms() as f64 / 1000.0;
        Summary {
            file: target.to_string(),
            title: title(names),
            seed: *seed,
            grid: grid.name(),
            radius: *radius,
            players: names.clone(),
            outcome: self.outcome_text(),
            winner: self.winner(),
            finished: self.report.as_ref().is_some_and(|report| report.is_finished),
            ticks: self.tick,
            duration_ms: self.duration_ms(),
            bytes: counters.map_or(0, |counters| counters.written_bytes),
            seconds: (seconds * 1000.0).round() / 1000.0,
            speed: (played / seconds.max(1e-6)).round(),
        }
    }

    /// Was everything written?
    pub(super) fn outcome(&self, target: &Target) -> Outcome {
        match &self.report {
            Some(report) if report.is_finished => Ok(Done::Fine),
            Some(Report { counters, .. }) => match &counters.failure {
                Some(failure) => Err(Failure::of(target, failure)),
                None => Ok(unfinished(target)),
            },
            None => Ok(unfinished(target)),
        }
    }
}

fn unfinished(target: &Target) -> Done {
    warn(target, "it has no index: `gametape recover` makes one");
    Done::DataLost
}

impl Summary {
    pub(super) fn to_text(&self) -> String {
        let mut fields = Fields::new(&self.file);
        fields.add("match", printable(&self.title));
        fields.add("map", format!("{}, radius {}, seed {}", self.grid, self.radius, self.seed));
        fields.add("outcome", printable(self.outcome.as_deref().unwrap_or("not decided")));
        let length = (count(self.ticks, "tick"), clock(self.duration_ms));
        fields.add("length", format!("{}, {}", length.0, length.1));
        fields.add("size", self.size_text());
        fields.add("speed", format!("{} × real time", thousands(self.speed as u64)));
        fields.into_text()
    }

    /// What a match of less than a second would have in a minute says nothing.
    fn size_text(&self) -> String {
        let bytes = count(self.bytes, "byte");
        if self.duration_ms < 1000 {
            return bytes;
        }
        let per_minute = self.bytes as f64 * 60_000.0 / self.duration_ms as f64;
        format!("{bytes}, {} a minute", thousands(per_minute as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gametape_skirmish::Reason;

    fn played(outcome: Option<End>) -> Played {
        let config = Config::new(2, 6, 1);
        Played { config, tick: 1200, outcome, elapsed: Duration::from_millis(500), report: None }
    }

    #[test]
    fn titles_name_everybody() {
        let names = ["Ana", "Ben", "Chloé"].map(ToOwned::to_owned);
        assert_eq!(title(&names[..2]), "Ana against Ben");
        assert_eq!(title(&names), "Ana, Ben and Chloé");
    }

    #[test]
    fn an_outcome_is_told_in_words() {
        let told = |outcome| String::from_utf8(played(outcome).closing()).unwrap();
        let won = End::Won { winner: 2, reason: Reason::TimeLimit };
        assert_eq!(told(Some(won)), r#"{"outcome":"Ben won: time limit","winner":2}"#);
        let left = told(Some(End::Abandoned { leaver: 1 }));
        assert_eq!(left, r#"{"outcome":"abandoned: Ana left","winner":null}"#);
        assert_eq!(told(None), r#"{"outcome":"not decided","winner":null}"#);
    }

    #[test]
    fn speed_is_played_time_against_passed_time() {
        let summary = played(None).summary(&Target::Stdout);
        assert_eq!((summary.duration_ms, summary.speed), (60_000, 120.0));
        assert!(!summary.finished);
    }
}
