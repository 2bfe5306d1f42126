//! What there is to say about a gamelog.

mod contents;

use std::borrow::Cow;

use gametape_cadre::{Age, Client, Header, Options, PlayerResult, Summary};
use gametape_wire::Result;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{Facts, Inspected, Row, embed};
use crate::open::{GamelogBytes, is_gzip};
use crate::text::{count, date, printable, thousands};
pub use contents::{DeltaContents, PlayerFigures, TypeFigures};

/// What a gamelog is about, how it ended, and what is in its deltas.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct GamelogSummary {
    /// The name of the recording, as the caller gave it.
    pub file: String,
    /// `gamelog`, or `spectator stream`.
    pub format: &'static str,
    /// The layout of the log.
    pub layout: String,
    /// Is it stored as gzip?
    pub gzip: bool,
    /// Its size as stored.
    pub file_bytes: usize,
    /// The size of its JSON.
    pub json_bytes: usize,
    /// The game.
    pub game: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// The version of the game.
    pub game_version: Option<String>,
    /// When it was created, in milliseconds since 1970.
    pub created: Option<i64>,
    /// The seed of the game.
    pub random_seed: Option<String>,
    /// The settings of the game.
    pub settings: Option<Box<RawValue>>,
    /// How many deltas it has.
    pub deltas: usize,
    /// The players and how they fared.
    pub players: Vec<PlayerOutcome>,
    /// Is it a draw?
    pub draw: bool,
    /// The log's own list of winners.
    pub winners: Vec<Listed>,
    /// The log's own list of losers.
    pub losers: Vec<Listed>,
    /// Where these lists and the last state disagree.
    pub disagreements: Vec<String>,
    /// What is in the deltas, where they were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contents: Option<DeltaContents>,
}

/// A player and how it fared.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct PlayerOutcome {
    /// The id.
    pub id: String,
    /// The name.
    pub name: Option<String>,
    /// What played it.
    pub client: Option<String>,
    /// Did it win?
    pub won: bool,
    /// Did it lose?
    pub lost: bool,
    /// Why.
    pub reason: String,
}

/// A client in the log's own lists of winners and losers.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Listed {
    /// The id.
    pub id: Option<String>,
    /// The index.
    pub index: Option<i64>,
    /// The name.
    pub name: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// Did it disconnect?
    pub disconnected: bool,
    /// Did it time out?
    pub timed_out: bool,
}

impl Listed {
    fn of(client: &Client<'_>) -> Self {
        let text = |value: Option<Cow<'_, str>>| value.map(Cow::into_owned);
        Self {
            id: text(client.id()),
            index: client.index(),
            name: text(client.name()),
            reason: text(client.reason()),
            disconnected: client.disconnected(),
            timed_out: client.timed_out(),
        }
    }

    /// `1 Otto, disconnected: Went away.`
    fn to_text(&self) -> String {
        let id = self.id.as_deref().unwrap_or("?");
        let name = self.name.as_deref().map_or_else(String::new, |name| format!(" {name}"));
        let departure = self.departure();
        let reason = self.reason.as_deref().filter(|reason| !reason.is_empty());
        let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        printable(&format!("{id:>2}{name}{departure}{reason}"))
    }

    /// `, disconnected`
    fn departure(&self) -> String {
        let ways = [(self.disconnected, ", disconnected"), (self.timed_out, ", timed out")];
        ways.iter().filter(|(is, _)| *is).map(|(_, text)| *text).collect()
    }
}

impl GamelogSummary {
    /// Reads the header and the outcome, and the deltas where they are asked for.
    ///
    /// Of a large log in gzip only a part is in memory at a time, unless the deltas are asked for.
    pub fn of(name: &str, stored: &[u8], options: &Options, with_deltas: bool) -> Result<Self> {
        let summary = Summary::read(stored, options)?;
        let (header, outcome) = (summary.header(), summary.outcome());
        let contents = if with_deltas { Some(DeltaContents::of(stored, options)?) } else { None };
        let text = |value: Option<Cow<'_, str>>| value.map(Into::into);
        Ok(Self {
            file: name.to_owned(),
            format: "gamelog",
            layout: layout(&header),
            gzip: is_gzip(stored),
            file_bytes: stored.len(),
            json_bytes: summary.json_bytes(),
            game: text(header.game_name()),
            session: text(header.game_session()),
            game_version: text(header.game_version()),
            created: header.epoch(),
            random_seed: text(header.random_seed()),
            settings: header.field("settings").and_then(|raw| embed(raw.as_bytes())),
            deltas: summary.delta_count(),
            players: outcome.players.iter().map(PlayerOutcome::of).collect(),
            draw: outcome.is_draw(),
            winners: header.winners().iter().map(Listed::of).collect(),
            losers: header.losers().iter().map(Listed::of).collect(),
            disagreements: outcome.disagreements.iter().map(ToString::to_string).collect(),
            contents,
        })
    }

    /// The same of a gamelog that was opened, which may be a spectator stream.
    pub fn of_opened(name: &str, opened: &GamelogBytes, with_deltas: bool) -> Result<Self> {
        let summary = Self::of(name, opened.bytes(), opened.options(), with_deltas)?;
        let Some(stream) = opened.stream() else { return Ok(summary) };
        let (gzip, file_bytes) = (stream.is_gzip, stream.stored_bytes);
        Ok(Self { format: STREAM, gzip, file_bytes, ..summary })
    }
}

/// The format of a gamelog that was made of a stream.
const STREAM: &str = "spectator stream";

fn layout(header: &Header<'_>) -> String {
    match (header.age(), header.gamelog_version()) {
        (Age::Seed, _) => "first".to_owned(),
        (Age::Y2018, _) => "2018".to_owned(),
        (_, version) => version.unwrap_or_default().into_owned(),
    }
}

impl PlayerOutcome {
    fn of(result: &PlayerResult) -> Self {
        let reason = if result.won { &result.reason_won } else { &result.reason_lost };
        Self {
            id: result.id.clone(),
            name: result.name.clone(),
            client: result.client_type.clone(),
            won: result.won,
            lost: result.lost,
            reason: reason.clone(),
        }
    }

    fn to_text(&self, departure: &str) -> String {
        let Self { id, name, client, won, lost, reason } = self;
        let name = name.as_deref().unwrap_or("without a name");
        let client = client.as_deref().map_or_else(String::new, |client| format!(" ({client})"));
        let result = match (won, lost) {
            (true, true) => "won and lost",
            (true, false) => "won",
            (false, true) => "lost",
            (false, false) => "neither won nor lost",
        };
        let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        printable(&format!("{id:>2} {name}{client} {result}{departure}{reason}"))
    }
}

impl Inspected for GamelogSummary {
    fn name(&self) -> &str {
        &self.file
    }

    fn facts(&self) -> Facts {
        let mut fields = Facts::default();
        let layout = printable(&self.layout);
        let format = match self.format {
            STREAM => {
                format!("spectator stream of a Cadre game, read as a gamelog, layout {layout}")
            }
            _ => format!("Cadre gamelog, layout {layout}"),
        };
        fields.add("format", format);
        let known = [
            ("game", &self.game),
            ("version", &self.game_version),
            ("session", &self.session),
            ("created", &self.created.and_then(date)),
            ("seed", &self.random_seed),
        ];
        for (label, value) in known {
            fields.add(label, value.as_deref().map_or("not known".into(), printable));
        }
        fields.add("size", self.size_text());
        fields.add("deltas", thousands(self.deltas as u64));
        fields.add("players", self.players.len().to_string());
        for player in &self.players {
            fields.more(player.to_text(&self.departure_of(player)));
        }
        fields.add("outcome", self.outcome_text());
        // Where they agree, the lists say nothing new.
        let is_news = self.players.is_empty() || !self.disagreements.is_empty();
        let lists = [("winners", &self.winners), ("losers", &self.losers)];
        for (label, listed) in lists.into_iter().filter(|_| is_news) {
            if !listed.is_empty() {
                fields.add(label, format!("{} by the log's own list", listed.len()));
            }
            listed.iter().for_each(|client| fields.more(client.to_text()));
        }
        if !self.disagreements.is_empty() {
            fields.add("lists", "disagree with the last state");
        }
        self.disagreements.iter().for_each(|text| fields.more(printable(text)));
        if let Some(contents) = &self.contents {
            contents.add_to(&mut fields);
        }
        fields
    }

    fn row(&self) -> Row {
        let name =
            |player: &PlayerOutcome| player.name.clone().unwrap_or_else(|| player.id.clone());
        Row {
            format: match self.format {
                STREAM => STREAM.to_owned(),
                _ => format!("gamelog {}", self.layout),
            },
            about: self.game.clone().unwrap_or_default(),
            result: self.outcome_text(),
            length: count(self.deltas as u64, "delta"),
            date: self.created.and_then(date).unwrap_or_default(),
            players: self.players.iter().map(name).collect::<Vec<_>>().join(", "),
        }
    }

    fn problems(&self) -> &[String] {
        &[]
    }
}

impl GamelogSummary {
    /// How a player left the match, as the log's own lists say it.
    fn departure_of(&self, player: &PlayerOutcome) -> String {
        let mut listed = self.winners.iter().chain(&self.losers);
        let listed = listed.find(|listed| listed.id.as_ref() == Some(&player.id));
        listed.map(Listed::departure).unwrap_or_default()
    }

    fn size_text(&self) -> String {
        let json = count(self.json_bytes as u64, "byte");
        if !self.gzip {
            return format!("{json}, not compressed");
        }
        let percent = 100.0 * self.file_bytes as f64 / self.json_bytes.max(1) as f64;
        format!("{json}, in {} of gzip ({percent:.1} %)", thousands(self.file_bytes as u64))
    }

    fn outcome_text(&self) -> String {
        let winners: Vec<_> = self.players.iter().filter(|player| player.won).collect();
        match (&*winners, self.draw) {
            (_, true) => "draw".to_owned(),
            ([], false) => "not decided".to_owned(),
            (winners, _) => {
                let name = |player: &&PlayerOutcome| {
                    printable(player.name.as_deref().unwrap_or(player.id.as_str()))
                };
                format!("{} won", winners.iter().map(name).collect::<Vec<_>>().join(", "))
            }
        }
    }
}
