//! What there is to say about a MineWars file.

use gametape_minewars::{
    Check, Class, Coord, Detection, Ending, FilePart, FrameStorage, Frames, ReplayFile, Survey,
};
use gametape_wire::{Result, View, ViewSet};
use serde::Serialize;

use super::{Facts, Inspected, Row};
use crate::text::{clock, count, printable, thousands};

/// What a MineWars file is: map, players, sizes, and what is in its frames.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct MinewarsSummary {
    /// The name of the recording, as the caller gave it.
    pub file: String,
    /// Always `minewars`.
    pub format: &'static str,
    /// The dialect.
    pub dialect: &'static str,
    /// How the dialect was found.
    #[serde(serialize_with = "as_name")]
    pub detection: Detection,
    /// The version of the game.
    pub version: String,
    /// The kind of grid.
    pub grid: &'static str,
    /// The radius of the map.
    pub radius: u8,
    /// How many tiles the map has.
    pub tiles: usize,
    /// The highest player.
    pub max_player: u8,
    /// The highest sub id of a player.
    pub max_sub_player: u8,
    /// The names of the players, where the setup has them.
    pub player_names: Option<Vec<String>>,
    /// How many cities there are.
    pub city_count: u8,
    /// The cities, as far as they can be read.
    pub cities: Vec<City>,
    /// The size of the rules.
    pub rules_bytes: u16,
    /// The size of the map.
    pub map: Sizes,
    /// The size of the frames.
    pub frames: Sizes,
    /// The checksum of the headers, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header_checksum: Option<Checksum>,
    /// What is in the frames, where they were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contents: Option<FrameContents>,
    /// What could not be read.
    pub problems: Vec<String>,
    /// How it ended, for the row of a table.
    #[serde(skip)]
    ending: Option<Ending>,
}

/// A city of the map.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct City {
    /// Its number.
    pub id: u8,
    /// Its row.
    pub y: i8,
    /// Its column.
    pub x: i8,
    /// Its name.
    pub name: Option<String>,
}

/// Bytes as stored and as unpacked.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Sizes {
    /// Bytes as stored.
    pub stored: u32,
    /// Bytes as unpacked.
    pub raw: u32,
}

/// A checksum.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Checksum {
    /// Is it right?
    pub ok: bool,
    /// As stored.
    pub stored: String,
    /// As computed.
    pub computed: String,
}

/// What is in the frames.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct FrameContents {
    /// How the frames are stored.
    pub storage: &'static str,
    /// When the last frame happens, in milliseconds.
    pub duration_ms: u64,
    /// How many frames.
    pub frames: u64,
    /// Frames that are the same for all views.
    pub homogenous: u64,
    /// Frames that differ by view.
    pub heterogenous: u64,
    /// Frames without messages.
    pub keepalives: u64,
    /// How many messages.
    pub messages: u64,
    /// Messages by class.
    #[serde(rename = "messages_by_class")]
    pub by_class: Vec<ClassFigures>,
    /// Messages by view.
    pub views: Vec<ViewFigures>,
}

/// The messages of one class.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct ClassFigures {
    /// The class.
    pub class: &'static str,
    /// How many messages.
    pub messages: u64,
}

/// The messages of one view.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct ViewFigures {
    /// The view.
    pub view: u8,
    /// How many messages it received.
    pub messages: u64,
    /// Payloads that cannot be read to their end.
    pub unreadable_payloads: u64,
}

impl MinewarsSummary {
    /// Reads the headers, and the frames where they are asked for.
    #[must_use]
    pub fn of(name: &str, file: &ReplayFile<'_>, with_frames: bool) -> Self {
        let mut problems = Vec::new();
        let player_names = keep(file.setup().player_names(), &mut problems).flatten();
        let cities = cities(file, &mut problems);
        let contents = if with_frames { read_frames(file, &mut problems) } else { None };
        let header = file.setup().header();
        let [a, b, c, d] = header.version;
        Self {
            file: name.to_owned(),
            format: "minewars",
            dialect: file.dialect().name(),
            detection: file.detection(),
            version: format!("{a}.{b}.{c}.{d}"),
            grid: header.grid().name(),
            radius: header.radius,
            tiles: header.grid().tile_count(header.radius),
            max_player: header.max_player,
            max_sub_player: header.max_sub_player,
            player_names: player_names.map(|names| names.into_iter().map(String::from).collect()),
            city_count: header.city_count,
            cities,
            rules_bytes: header.rules_length,
            map: Sizes { stored: header.map_stored, raw: header.map_raw },
            frames: Sizes { stored: file.header().frames_stored, raw: file.header().frames_raw },
            header_checksum: file.check(FilePart::Headers).as_ref().map(Checksum::of),
            contents,
            problems,
            ending: None,
        }
    }

    /// The same with how the match ended, as far as the frames can be played.
    #[must_use]
    pub fn with_ending(mut self, file: &ReplayFile<'_>) -> Self {
        self.ending = Ending::of(file).map_err(|error| self.problems.push(error.to_string())).ok();
        self
    }
}

fn as_name<S: serde::Serializer>(how: &Detection, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(how.name())
}

/// The value, or none and a problem more.
fn keep<T>(result: Result<T>, problems: &mut Vec<String>) -> Option<T> {
    result.map_err(|error| problems.push(error.to_string())).ok()
}

fn cities(file: &ReplayFile<'_>, problems: &mut Vec<String>) -> Vec<City> {
    let names = keep(file.setup().city_names(), problems).unwrap_or_default();
    let positions = keep(file.setup().city_positions(), problems).into_iter().flatten();
    let mut names = names.iter().map(ToString::to_string);
    let city = |(id, at): (u8, Coord)| City { id, y: at.y, x: at.x, name: names.next() };
    (0..=u8::MAX).zip(positions).map(city).collect()
}

fn read_frames(file: &ReplayFile<'_>, problems: &mut Vec<String>) -> Option<FrameContents> {
    let layout = keep(file.frame_layout(), problems)?;
    let frames = keep(file.frames(), problems)?;
    let survey = Survey::of(Frames::new(layout, &frames.bytes), file.dialect());
    problems.extend(survey.cut.as_ref().map(ToString::to_string));
    let contents = FrameContents::of(&survey, frames.storage, layout.views());
    problems.extend(contents.views.iter().filter_map(ViewFigures::problem));
    Some(contents)
}

impl Checksum {
    fn of(check: &Check) -> Self {
        let [stored, computed] = [check.stored, check.computed].map(|sum| format!("{sum:016x}"));
        Self { ok: check.is_ok(), stored, computed }
    }
}

impl FrameContents {
    fn of(survey: &Survey, storage: FrameStorage, expected: ViewSet) -> Self {
        let views = ViewSet::from_bits(expected.bits() | survey.views.bits());
        Self {
            storage: storage.name(),
            duration_ms: survey.duration,
            frames: survey.frames(),
            homogenous: survey.homogenous,
            heterogenous: survey.heterogenous,
            keepalives: survey.keepalives,
            messages: survey.messages,
            by_class: Class::ALL.map(|class| ClassFigures::of(survey, class)).into(),
            views: views.iter().map(|view| ViewFigures::of(survey, view)).collect(),
        }
    }
}

impl ClassFigures {
    fn of(survey: &Survey, class: Class) -> Self {
        Self { class: class.name(), messages: survey.of_class(class) }
    }
}

impl ViewFigures {
    fn of(survey: &Survey, view: View) -> Self {
        Self {
            view: view.number(),
            messages: survey.received_by(view),
            unreadable_payloads: survey.unreadable_for(view),
        }
    }

    fn problem(&self) -> Option<String> {
        let Self { view, unreadable_payloads, .. } = self;
        let many = count(*unreadable_payloads, "payload");
        (*unreadable_payloads > 0).then(|| format!("view {view}: {many} cannot be read to the end"))
    }
}

impl Inspected for MinewarsSummary {
    fn name(&self) -> &str {
        &self.file
    }

    fn facts(&self) -> Facts {
        let mut fields = Facts::default();
        fields.add("format", format!("MineWars, {}", self.dialect));
        fields.add("version", format!("{}, {}", self.version, self.how_detected()));
        if let Some(checksum) = &self.header_checksum {
            fields.add("headers", checksum.to_text());
        }
        let (grid, radius, tiles) = (self.grid, self.radius, count(self.tiles as u64, "tile"));
        fields.add("map", format!("{grid}, radius {radius}, {tiles}; {}", self.map.to_text()));
        fields.add("players", self.players_text());
        for (id, name) in self.names() {
            fields.more(format!("{id:>2} {}", printable(name)));
        }
        if let Some(ending) = &self.ending {
            fields.add("length", clock(ending.time));
            fields
                .add("result", self.result().map_or("not decided".into(), |text| printable(&text)));
        }
        fields.add("cities", self.city_count.to_string());
        for City { id, y, x, name } in &self.cities {
            fields.more(format!("{id:>2} at {y},{x} {}", name.as_deref().unwrap_or_default()));
        }
        fields.add("rules", count(self.rules_bytes.into(), "byte"));
        fields.add("frames", self.frames.to_text());
        if let Some(contents) = &self.contents {
            contents.add_to(&mut fields);
        }
        fields
    }

    fn row(&self) -> Row {
        let row = Row {
            format: format!("MineWars {}", self.dialect),
            about: format!("{}, radius {}", self.grid, self.radius),
            players: count(self.max_player.into(), "player"),
            ..Row::default()
        };
        let Some(ending) = &self.ending else { return row };
        let names: Vec<&str> = self.names().into_iter().map(|(_, name)| name).collect();
        Row {
            result: self.result().unwrap_or_default(),
            length: clock(ending.time),
            players: if names.is_empty() { row.players } else { names.join(", ") },
            ..row
        }
    }

    fn problems(&self) -> &[String] {
        &self.problems
    }
}

impl MinewarsSummary {
    /// The players that have names: those of the setup, or else those that joined.
    fn names(&self) -> Vec<(u8, &str)> {
        match (&self.player_names, &self.ending) {
            (Some(names), _) => (1..).zip(names.iter().map(String::as_str)).collect(),
            (None, Some(ending)) => ending.names.iter().map(|(id, name)| (*id, &**name)).collect(),
            (None, None) => Vec::new(),
        }
    }

    /// Who won, where that is known.
    fn result(&self) -> Option<String> {
        let ending = self.ending.as_ref()?;
        Some(format!("{} won", ending.name(ending.winner?)))
    }

    fn how_detected(&self) -> &'static str {
        match self.detection {
            Detection::Checksum => "known by the checksum of the headers",
            Detection::Structure => {
                "recognized by version bytes and lengths, because no checksum matches"
            }
            Detection::Headerless => {
                "a stream without file header, recognized by version bytes and setup"
            }
            _ => "as was asked for",
        }
    }

    fn players_text(&self) -> String {
        match (self.max_player, self.max_sub_player) {
            (0, _) => "none".to_owned(),
            (players, 0) => players.to_string(),
            (players, sub) => format!("{players}, sub ids up to {sub}"),
        }
    }
}

impl Checksum {
    fn to_text(&self) -> String {
        match self {
            Self { ok: true, stored, .. } => format!("intact, checksum {stored}"),
            Self { stored, computed, .. } => {
                format!("damaged: checksum is {computed}, but {stored} is stored")
            }
        }
    }
}

impl Sizes {
    fn to_text(&self) -> String {
        let raw = count(self.raw.into(), "byte");
        match self.stored {
            stored if stored == self.raw => format!("{raw}, not compressed"),
            stored => {
                let percent = 100.0 * f64::from(stored) / f64::from(self.raw.max(1));
                format!("{raw}, stored in {} ({percent:.1} %)", thousands(stored.into()))
            }
        }
    }
}

impl FrameContents {
    fn add_to(&self, fields: &mut Facts) {
        fields.add("storage", self.storage);
        fields.add("duration", clock(self.duration_ms));
        let kinds = [
            ("homogenous", self.homogenous),
            ("heterogenous", self.heterogenous),
            ("keepalive", self.keepalives),
        ];
        fields.add("counted", count(self.frames, "frame"));
        for (kind, number) in kinds {
            fields.more(format!("{kind:<13}{:>11}", thousands(number)));
        }
        fields.add("messages", thousands(self.messages));
        for ClassFigures { class, messages } in &self.by_class {
            fields.more(format!("{class:<13}{:>11}", thousands(*messages)));
        }
        fields.add("received", "messages by view");
        for figures in &self.views {
            fields.more(figures.to_text());
        }
    }
}

impl ViewFigures {
    fn to_text(&self) -> String {
        let who = if self.view == 0 { "spectator" } else { "player" };
        let name = format!("{:>2} {who}", self.view);
        let problem = match self.unreadable_payloads {
            0 => String::new(),
            many => format!("  {} unreadable", count(many, "payload")),
        };
        format!("{name:<13}{:>11}{problem}", thousands(self.messages))
    }
}
