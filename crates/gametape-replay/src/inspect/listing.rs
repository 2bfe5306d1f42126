//! Recordings in a list of matches: who played, who won, how long, when, and the best moment.
//!
//! ```
//! use gametape_cadre::sample;
//! use gametape_replay::inspect::MatchEntry;
//! use gametape_replay::open::{OpenOptions, open};
//!
//! let log = sample::log(20, 1);
//! let mut opened = open(&log[..], &OpenOptions::default())?;
//! let mut entry = MatchEntry::of("game.json", &mut opened, &[]);
//! assert_eq!((entry.format, entry.players.len()), ("gamelog", 2));
//! entry.add_details(&mut opened);
//! assert!(entry.turns.is_some() && entry.problem.is_none());
//! # Ok::<(), gametape_wire::Error>(())
//! ```

use std::borrow::Cow;

use gametape_analysis::report::{HighlightRow, highlight_rows};
use gametape_analysis::{EventStream, HighlightFinder, KindSet, MatchInfo, NameReader, TapeEvents};
use gametape_minewars::Ending;
use gametape_tape::Depth;
use gametape_wire::{Result, Source, Tick};
use serde::Serialize;

use super::{
    DeltaContents, GamelogSummary, Inspected, MinewarsSummary, PlayerOutcome, TapeSummary,
};
use crate::games::{self, KnownGame};
use crate::open::{Format, GamelogBytes, MinewarsBytes, Opened, open_tape};
use crate::text::{count, date};

/// A recording in a list of matches. What is not known is left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MatchEntry {
    /// The name of the recording, as the caller gave it.
    pub name: String,
    /// `tape`, `minewars` or `gamelog`.
    pub format: &'static str,
    /// The game, for people.
    pub game: String,
    /// What the match is called, where it has a name of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Who played.
    pub players: Vec<MatchPlayer>,
    /// What came out, as the game words it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// How long it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The last turn of a game that has turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<i64>,
    /// When it was recorded, as `2026-11-16T16:36:32Z`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The best moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<BestMoment>,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// The document `matches.json`: a list of matches for the viewer.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct MatchList<'e> {
    /// The matches, in the order in which they are shown.
    pub matches: Vec<MatchRow<'e>>,
    /// More is known later about this many.
    #[serde(skip_serializing_if = "is_zero")]
    pub pending: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A match in a list, with where it is.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct MatchRow<'e> {
    /// Where the recording is, from the page.
    pub src: String,
    /// What is known about it.
    #[serde(flatten)]
    pub entry: Cow<'e, MatchEntry>,
    /// Where its picture is, from the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
}

impl<'e> MatchList<'e> {
    /// These matches, about `pending` of which more is known later.
    #[must_use]
    pub fn new(matches: Vec<MatchRow<'e>>, pending: usize) -> Self {
        Self { matches, pending }
    }
}

impl<'e> MatchRow<'e> {
    /// A recording that was looked into.
    #[must_use]
    pub fn new(src: String, entry: &'e MatchEntry, picture: Option<String>) -> Self {
        Self { src, entry: Cow::Borrowed(entry), picture }
    }

    /// A recording elsewhere, of which nothing but a name is known.
    #[must_use]
    pub fn elsewhere(src: String, name: String) -> Self {
        let entry = MatchEntry { name, ..MatchEntry::default() };
        Self { src, entry: Cow::Owned(entry), picture: None }
    }
}

/// Who played, and how it ended for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MatchPlayer {
    /// The name.
    pub name: String,
    /// `won`, `lost` or `draw`, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<&'static str>,
}

/// The moment of a match that is most worth watching.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BestMoment {
    /// What happened.
    pub text: String,
    /// When, as people write times.
    pub time: String,
}

/// What is said of a tape whose recording was not ended.
const UNFINISHED: &str = "it was not finished";

impl MatchEntry {
    /// What is known quickly: of a tape at most 64 KiB are read, of a MineWars file the headers; a gamelog is
    /// passed over once. What cannot be read is a [`problem`](Self::problem).
    #[must_use]
    pub fn of<S: Source>(name: &str, opened: &mut Opened<S>, games: &[&dyn KnownGame]) -> Self {
        let entry = Self::read(name, opened, games);
        let Self { name, format, .. } = Self::unopened(name, Some(opened.format()));
        let entry = entry.unwrap_or_else(|error| Self::broken(&error));
        Self { name, format, ..entry }
    }

    /// The same; an error where nothing of it can be read.
    pub fn read<S: Source>(
        name: &str,
        opened: &mut Opened<S>,
        games: &[&dyn KnownGame],
    ) -> Result<Self> {
        let entry = match opened {
            Opened::Tape(source) => Self::of_tape(&TapeSummary::of(name, source, false)?, games),
            Opened::MineWars(bytes) => Self::of_minewars(name, bytes)?,
            Opened::Gamelog(bytes) => Self::of_gamelog(name, bytes)?,
        };
        let Self { name, format, .. } = Self::unopened(name, Some(opened.format()));
        Ok(Self { name, format, ..entry })
    }

    /// What of it is lost or wrong. A recording that was not finished has a [`problem`](Self::problem), but
    /// everything of it may be there.
    #[must_use]
    pub fn damage(&self) -> Option<&str> {
        self.problem.as_deref().filter(|problem| *problem != UNFINISHED)
    }

    /// A recording that nobody opened, of a format that its first bytes show.
    #[must_use]
    pub fn unopened(name: &str, format: Option<Format>) -> Self {
        let format = match format {
            Some(Format::Tape) => "tape",
            Some(Format::MineWars) => "minewars",
            Some(Format::Gamelog | Format::SpectatorStream) => "gamelog",
            None => "",
        };
        Self { name: name.to_owned(), format, ..Self::default() }
    }

    /// A recording that cannot even be opened.
    #[must_use]
    pub fn unreadable(name: &str, problem: &str) -> Self {
        let (name, problem) = (name.to_owned(), Some(problem.to_owned()));
        Self { name, problem, ..Self::default() }
    }

    fn broken(problem: &impl ToString) -> Self {
        Self { problem: Some(problem.to_string()), ..Self::default() }
    }

    fn of_tape(summary: &TapeSummary, games: &[&dyn KnownGame]) -> Self {
        let row = summary.row();
        let content = summary.content.as_deref();
        let game = games::find(games, content).map(KnownGame::title).map(ToOwned::to_owned);
        let game = game.or_else(|| content.map(ToOwned::to_owned)).unwrap_or_default();
        let names = summary.players.iter().map(|player| player.name.clone());
        let outcome = Some(row.result).filter(|text| !text.is_empty());
        let unfinished = || (!summary.finished).then(|| UNFINISHED.to_owned());
        Self {
            players: players(names, outcome.as_deref()),
            title: Some(row.about).filter(|title| !title.is_empty() && *title != game),
            game,
            outcome,
            seconds: seconds(summary.duration_ms),
            date: as_iso(&row.date),
            problem: summary.problems.first().cloned().or_else(unfinished),
            ..Self::default()
        }
    }

    fn of_minewars(name: &str, bytes: &MinewarsBytes) -> Result<Self> {
        let summary = MinewarsSummary::of(name, &bytes.headers()?, false);
        let names = summary.player_names.clone().unwrap_or_default();
        Ok(Self {
            game: "MineWars".to_owned(),
            players: players(names, None),
            problem: summary.problems.first().cloned(),
            ..Self::default()
        })
    }

    fn of_gamelog(name: &str, bytes: &GamelogBytes) -> Result<Self> {
        let summary = GamelogSummary::of_opened(name, bytes, false)?;
        let player = |player: &PlayerOutcome| MatchPlayer {
            name: player.name.clone().unwrap_or_else(|| player.id.clone()),
            result: match (player.won, player.lost) {
                _ if summary.draw => Some("draw"),
                (true, false) => Some("won"),
                (false, true) => Some("lost"),
                _ => None,
            },
        };
        Ok(Self {
            game: summary.game.clone().unwrap_or_default(),
            players: summary.players.iter().map(player).collect(),
            outcome: Some(summary.row().result).filter(|text| !text.is_empty()),
            date: summary.created.and_then(date).and_then(|date| as_iso(&date)),
            problem: bytes.losses().first().cloned(),
            ..Self::default()
        })
    }

    /// Adds what takes longer: the best moment of a tape, the end of a MineWars file, the turns of a gamelog.
    pub fn add_details<S: Source>(&mut self, opened: &mut Opened<S>) {
        let added = match opened {
            Opened::Tape(source) => best_moment(source).map(|best| self.best = best),
            Opened::MineWars(bytes) => self.add_ending(bytes),
            Opened::Gamelog(bytes) => DeltaContents::of(bytes.bytes(), bytes.options())
                .map(|contents| self.turns = contents.turns),
        };
        if let Err(error) = added {
            self.problem.get_or_insert(error.to_string());
        }
    }

    fn add_ending(&mut self, bytes: &MinewarsBytes) -> Result<()> {
        let ending = Ending::of(&bytes.file()?)?;
        let winner = ending.winner.map(|winner| ending.name(winner));
        self.outcome = winner.map(|name| format!("{name} won"));
        self.players = players(ending.names.values().cloned(), self.outcome.as_deref());
        self.seconds = seconds(ending.time);
        Ok(())
    }

    /// The match in a few words: its own title, or else who played what.
    #[must_use]
    pub fn heading(&self) -> String {
        let names: Vec<&str> = self.players.iter().map(|player| player.name.as_str()).collect();
        let who = self.title.clone().or_else(|| match &*names {
            [] => None,
            [a, b] => Some(format!("{a} against {b}")),
            names => Some(names.join(", ")),
        });
        match (who, self.game.as_str()) {
            (Some(who), "") => who,
            (Some(who), game) => format!("{who} · {game}"),
            (None, "") => self.name.clone(),
            (None, game) => format!("{} · {game}", self.name),
        }
    }
}

/// Players, and how it ended for them: what came out is worded `Ana won: …` or `draw` by all games that say it.
fn players(names: impl IntoIterator<Item = String>, outcome: Option<&str>) -> Vec<MatchPlayer> {
    let names: Vec<String> = names.into_iter().collect();
    let has_won = |name: &String| {
        let rest = outcome.and_then(|outcome| outcome.strip_prefix(name.as_str()));
        !name.is_empty() && rest.is_some_and(|rest| rest == " won" || rest.starts_with(" won:"))
    };
    let is_decided = names.iter().filter(|name| has_won(name)).count() == 1;
    let result = |name: &String| match outcome {
        Some("draw") => Some("draw"),
        _ if !is_decided => None,
        _ => Some(if has_won(name) { "won" } else { "lost" }),
    };
    names.iter().map(|name| MatchPlayer { name: name.clone(), result: result(name) }).collect()
}

/// How long something is that has a length.
fn seconds(millis: u64) -> Option<f64> {
    (millis > 0).then_some(millis as f64 / 1000.0)
}

/// `2026-11-16 16:36:32 UTC` as `2026-11-16T16:36:32Z`.
fn as_iso(date: &str) -> Option<String> {
    let (day, clock) = date.strip_suffix(" UTC")?.split_once(' ')?;
    Some(format!("{day}T{clock}Z"))
}

/// The best moment of a tape by its events, if it has some and one is worth a word.
fn best_moment<S: Source>(source: &mut S) -> Result<Option<BestMoment>> {
    let tape = open_tape(source, Depth::Index)?;
    let mut names = NameReader::new(&tape);
    names.read_from(source)?;
    let info = MatchInfo::of(&tape, "", names.finish());
    let mut finder = HighlightFinder::new(tape.header.tick_length);
    let kinds = KindSet::of_stream(EventStream::Simulation);
    for event in TapeEvents::new(&tape, kinds, Tick::ZERO..Tick::MAX, source) {
        finder.add(&event?);
    }
    let found = finder.finish(tape.summary.end_tick);
    let best = highlight_rows(&info, found.get(..1).unwrap_or_default()).pop();
    Ok(best.and_then(|row| Some(BestMoment { text: words(&row)?, time: row.times[0].clone() })))
}

fn words(row: &HighlightRow) -> Option<String> {
    let kills = || (row.kills > 0).then(|| count(row.kills, "kill"));
    row.what.clone().or_else(kills)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(outcome: &str) -> Vec<Option<&'static str>> {
        let names = ["Ana", "Ana won", "Ben"].map(ToOwned::to_owned);
        players(names, Some(outcome)).iter().map(|player| player.result).collect()
    }

    #[test]
    fn who_won_is_said_in_the_outcome() {
        assert_eq!(results("Ana won: conquest"), [Some("won"), Some("lost"), Some("lost")]);
        assert_eq!(results("Ben won"), [Some("lost"), Some("lost"), Some("won")]);
        assert_eq!(results("draw"), [Some("draw"); 3]);
        for undecided in ["", "not decided", "Dora won", "Anastasia won", "Ana wonders"] {
            assert_eq!(results(undecided), [None; 3], "{undecided}");
        }
    }

    #[test]
    fn dates_are_for_machines() {
        assert_eq!(as_iso("2026-11-16 16:36:32 UTC").as_deref(), Some("2026-11-16T16:36:32Z"));
        assert_eq!(as_iso("yesterday"), None);
    }

    #[test]
    fn a_heading_says_what_is_known() {
        let named = |names: &[&str], game: &str| MatchEntry {
            name: "a.tape".into(),
            game: game.into(),
            players: players(names.iter().map(ToString::to_string), None),
            ..MatchEntry::default()
        };
        assert_eq!(named(&["Ana", "Ben"], "Chess").heading(), "Ana against Ben · Chess");
        assert_eq!(named(&["Ana", "Ben", "Cleo"], "").heading(), "Ana, Ben, Cleo");
        assert_eq!(named(&[], "Chess").heading(), "a.tape · Chess");
        assert_eq!(named(&[], "").heading(), "a.tape");
    }
}
