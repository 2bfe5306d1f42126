//! A match of bots while it is played and recorded, and what came of it.

use std::str::FromStr;
use std::time::Duration;

use gametape_minewars::Generation;
use gametape_replay::{
    LiveSink, Next, Pump, Recorder, RecorderOptions, Report, Simulation, Sink, tape_id_of,
};
use gametape_tape::TapeHeader;
use gametape_wire::{Result, Tick};
use serde::Serialize;

use crate::bots::Style;
use crate::config::Config;
use crate::gamelog::{object, quoted};
use crate::known::{CONTENT, TITLE};
use crate::play::Match;
use crate::recording::{MatchRecorder, full_speed, game_time};
use crate::rules::TICK_LENGTH;
use crate::world::Outcome;

/// How fast a match is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pace {
    /// As fast as possible.
    Max,
    /// This many times real time.
    Times(u32),
}

impl FromStr for Pace {
    type Err = &'static str;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        match (text, text.parse()) {
            ("max", _) => Ok(Self::Max),
            (_, Ok(times @ 1..=1000)) => Ok(Self::Times(times)),
            _ => Err("a speed is max, or a number from 1 to 1000"),
        }
    }
}

impl Pace {
    /// How the recorder works.
    #[must_use]
    pub fn options(self) -> RecorderOptions {
        match self {
            Self::Max => full_speed(),
            Self::Times(_) => RecorderOptions::default(),
        }
    }

    /// How long after the start a tick is due.
    #[must_use]
    pub fn due(self, tick: Tick) -> Duration {
        match self {
            Self::Max => Duration::ZERO,
            Self::Times(times) => game_time(tick) / times,
        }
    }
}

/// Who recorded a match, and when.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Provenance {
    /// The time of day as RFC 3339.
    pub recorded: Option<String>,
    /// The program.
    pub recorder: String,
}

impl Provenance {
    /// Recorded by this program, nobody knows when.
    #[must_use]
    pub fn by(recorder: impl Into<String>) -> Self {
        Self { recorded: None, recorder: recorder.into() }
    }

    /// The same with the time of day as RFC 3339.
    #[must_use]
    pub fn with_recorded(mut self, recorded: Option<String>) -> Self {
        self.recorded = recorded;
        self
    }
}

/// A match of bots that is being recorded. It has no clock: the caller passes the time.
///
/// ```
/// use gametape_minewars::Generation;
/// use gametape_skirmish::{Config, Match, Pace, Provenance, Session, Style};
/// use gametape_wire::Tick;
/// use std::io::Cursor;
/// use std::time::Duration;
///
/// let styles = [Style::Careful];
/// let game = Match::new(Config::new(2, 6, 1), &styles, Generation::Current)?;
/// let (about, sink) = (Provenance::default(), Cursor::new(Vec::new()));
/// let mut session = Session::begin(game, &styles, Generation::Current, &about, Pace::Max, sink)?;
/// while !session.is_over() && session.tick() < Tick(100) {
///     session.step(Duration::ZERO)?;
/// }
/// let summary = session.finish(Duration::from_secs(1))?.summary("match.tape");
/// assert!(summary.finished && summary.ticks == 100);
/// assert_eq!(summary.title, "Ana against Ben");
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct Session<S> {
    game: Match,
    pace: Pace,
    recorder: MatchRecorder,
    pump: Pump<S>,
}

impl<S: Sink> Session<S> {
    /// Writes what comes before the first tick.
    pub fn begin(
        game: Match,
        styles: &[Style],
        generation: Generation,
        provenance: &Provenance,
        pace: Pace,
        sink: S,
    ) -> Result<Self> {
        let config = game.game().config();
        let about = metadata(config, styles, generation, provenance);
        let id = tape_id_of(&[config.to_bytes(), about.clone()].concat());
        let header = TapeHeader::new(TICK_LENGTH, id);
        let (recorder, pump) = Recorder::with_pump(sink, header, &about, &pace.options())?;
        let recorder = MatchRecorder::new(recorder, &game)?;
        Ok(Self { game, pace, recorder, pump })
    }

    /// Gives the match to somebody while it is recorded. To be called before the first [`step`](Self::step).
    pub fn publish(&mut self, sink: Box<dyn LiveSink>) {
        self.pump.publish(sink);
    }

    /// The next tick.
    #[must_use]
    pub fn tick(&self) -> Tick {
        self.game.game().tick()
    }

    /// Is the match decided, or can nothing more be written?
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.game.is_over() || self.recorder.recorder().counters().has_stopped
    }

    /// Plays a tick and records it; `elapsed` is how long it was played.
    pub fn step(&mut self, elapsed: Duration) -> Result<()> {
        let tick = self.tick();
        self.recorder.step(&mut self.game)?;
        // At full speed the match's own time decides what is written when, so that the same match
        // becomes the same tape.
        self.pump.step(match self.pace {
            Pace::Max => game_time(tick),
            Pace::Times(_) => elapsed,
        });
        Ok(())
    }

    /// Ends the tape with a keyframe, and with what came of the match.
    pub fn finish(self, elapsed: Duration) -> Result<Played> {
        let tick = self.tick();
        let recorder = self.recorder.finish(&self.game)?;
        let config = self.game.game().config().clone();
        let outcome = self.game.game().outcome();
        let played = Played { config, tick, outcome, elapsed, report: None };
        recorder.closing_metadata(&played.closing())?;
        let report = close(recorder, self.pump, game_time(tick));
        Ok(Played { report, ..played })
    }
}

/// Lets the writer do the rest.
fn close<S: Sink>(recorder: Recorder, mut pump: Pump<S>, now: Duration) -> Option<Report> {
    let closing = recorder.close();
    while pump.step(now) != Next::Done {}
    closing.wait_for(Duration::ZERO)
}

/// What is known of a match before it begins.
fn metadata(
    config: &Config,
    styles: &[Style],
    generation: Generation,
    provenance: &Provenance,
) -> Vec<u8> {
    let players = (1u8..).zip(&config.names).zip(styles.iter().cycle());
    let players: Vec<String> = players
        .map(|((view, name), style)| {
            let style = quoted(style.name());
            object(&[("name", quoted(name)), ("style", style), ("view", view.to_string())])
        })
        .collect();
    let recorded = provenance.recorded.as_deref().map_or_else(|| "null".to_owned(), quoted);
    let fields = [
        ("content", quoted(CONTENT)),
        ("game", quoted(TITLE)),
        ("generation", quoted(generation.name())),
        ("players", format!("[{}]", players.join(","))),
        ("recorded", recorded),
        ("recorder", quoted(&provenance.recorder)),
        ("title", quoted(&title(&config.names))),
    ];
    object(&fields).into_bytes()
}

/// `Ana against Ben`, `Ana, Ben and Chloé`
fn title(names: &[String]) -> String {
    match names {
        [one, other] => format!("{one} against {other}"),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
        [] => String::new(),
    }
}

/// A match that was played.
#[derive(Debug, Clone)]
pub struct Played {
    config: Config,
    /// Ticks that were played.
    tick: Tick,
    outcome: Option<Outcome>,
    elapsed: Duration,
    report: Option<Report>,
}

/// What came of a match. Its JSON is what `gametape record --json` prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// Where the tape is.
    pub file: String,
    /// Who played.
    pub title: String,
    /// The seed of the map.
    pub seed: u64,
    /// How tiles touch.
    pub grid: &'static str,
    /// The outermost ring of the map.
    pub radius: u8,
    /// The names of the players.
    pub players: Vec<String>,
    /// How it ended, in words; `None` where it was stopped before the end.
    pub outcome: Option<String>,
    /// Who won.
    pub winner: Option<u8>,
    /// Does the tape end with its index?
    pub finished: bool,
    /// Ticks that were played.
    pub ticks: u64,
    /// How long the match is.
    pub duration_ms: u64,
    /// How long the tape is.
    pub bytes: u64,
    /// How long it took.
    pub seconds: f64,
    /// How many times real time that is.
    pub speed: f64,
}

impl Played {
    /// How the recording ended; `None` where the writer gave no answer.
    #[must_use]
    pub fn report(&self) -> Option<&Report> {
        self.report.as_ref()
    }

    /// Who won, in words.
    fn outcome_text(&self) -> Option<String> {
        self.outcome.map(|outcome| outcome.in_words(&self.config.names))
    }

    fn winner(&self) -> Option<u8> {
        match self.outcome? {
            Outcome::Won { winner, .. } => Some(winner),
            Outcome::Draw { .. } | Outcome::Abandoned { .. } => None,
        }
    }

    /// The closing metadata.
    fn closing(&self) -> Vec<u8> {
        let outcome = self.outcome_text().unwrap_or_else(|| "not decided".to_owned());
        let winner = self.winner().map_or_else(|| "null".to_owned(), |winner| winner.to_string());
        object(&[("outcome", quoted(&outcome)), ("winner", winner)]).into_bytes()
    }

    /// What came of the match whose tape is in `file`.
    #[must_use]
    pub fn summary(&self, file: impl Into<String>) -> Summary {
        let Config { grid, radius, seed, names, .. } = &self.config;
        let seconds = self.elapsed.as_secs_f64();
        let counters = self.report.as_ref().map(|report| &report.counters);
        let length = TICK_LENGTH.time_of(self.tick);
        Summary {
            file: file.into(),
            title: title(names),
            seed: *seed,
            grid: grid.name(),
            radius: *radius,
            players: names.clone(),
            outcome: self.outcome_text(),
            winner: self.winner(),
            finished: self.report.as_ref().is_some_and(|report| report.is_finished),
            ticks: self.tick.0,
            duration_ms: length.millis(),
            bytes: counters.map_or(0, |counters| counters.written_bytes),
            seconds: (seconds * 1000.0).round() / 1000.0,
            speed: (length.seconds() / seconds.max(1e-6)).round(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Reason;

    fn played(outcome: Option<Outcome>) -> Played {
        let config = Config::new(2, 6, 1);
        Played {
            config,
            tick: Tick(1200),
            outcome,
            elapsed: Duration::from_millis(500),
            report: None,
        }
    }

    #[test]
    fn titles_name_everybody() {
        let names = ["Ana", "Ben", "Chloé"].map(ToOwned::to_owned);
        assert_eq!(title(&names[..2]), "Ana against Ben");
        assert_eq!(title(&names), "Ana, Ben and Chloé");
    }

    #[test]
    fn an_outcome_is_in_the_closing_metadata() {
        let closing = |outcome| String::from_utf8(played(outcome).closing()).unwrap();
        let won = Outcome::Won { winner: 2, reason: Reason::TimeLimit };
        assert_eq!(closing(Some(won)), r#"{"outcome":"Ben won: time limit","winner":2}"#);
        let left = closing(Some(Outcome::Abandoned { leaver: 1 }));
        assert_eq!(left, r#"{"outcome":"abandoned: Ana left","winner":null}"#);
        assert_eq!(closing(None), r#"{"outcome":"not decided","winner":null}"#);
    }

    #[test]
    fn metadata_says_who_plays_how_and_who_recorded_it() {
        let provenance = Provenance { recorded: None, recorder: "a \"tool\"".to_owned() };
        let styles = [Style::Careful];
        let made = metadata(&Config::new(2, 6, 1), &styles, Generation::Current, &provenance);
        let value: serde_json::Value = serde_json::from_slice(&made).unwrap();
        assert_eq!(value["players"][1]["view"], 2);
        assert_eq!(value["players"][1]["style"], styles[0].name());
        assert_eq!(value["recorder"], "a \"tool\"");
        assert!(value["recorded"].is_null() && value["title"] == "Ana against Ben");
    }

    #[test]
    fn speed_is_played_time_against_passed_time() {
        let summary = played(None).summary("-");
        assert_eq!((summary.duration_ms, summary.speed), (60_000, 120.0));
        assert!(!summary.finished);
    }

    #[test]
    fn speeds_are_max_or_a_number() {
        assert_eq!("max".parse(), Ok(Pace::Max));
        assert_eq!("10".parse(), Ok(Pace::Times(10)));
        for wrong in ["0", "1001", "fast", ""] {
            assert!(wrong.parse::<Pace>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_tick_is_due_sooner_when_it_goes_faster() {
        assert_eq!(Pace::Times(1).due(Tick(20)), Duration::from_secs(1));
        assert_eq!(Pace::Times(10).due(Tick(20)), Duration::from_millis(100));
        assert_eq!(Pace::Max.due(Tick::MAX), Duration::ZERO);
    }
}
