//! What there is to say about a MineWars file.

use gametape_minewars::{
    Check, Class, Detection, Ending, FilePart, FrameStorage, Frames, ReplayFile, Survey,
};
use gametape_scene::minewars::{Place, places};
use gametape_wire::{Result, View, ViewSet};
use serde::Serialize;

use super::Report;
use crate::input::Source;
use crate::progress::Progress;
use crate::text::{Fields, clock, count, printable, thousands};

#[derive(Debug, Serialize)]
pub(super) struct MineWars {
    file: String,
    format: &'static str,
    dialect: &'static str,
    #[serde(serialize_with = "as_name")]
    detection: Detection,
    version: String,
    grid: &'static str,
    radius: u8,
    tiles: usize,
    max_player: u8,
    max_sub_player: u8,
    player_names: Option<Vec<String>>,
    city_count: u8,
    cities: Vec<City>,
    rules_bytes: u16,
    map: Sizes,
    frames: Sizes,
    #[serde(skip_serializing_if = "Option::is_none")]
    header_checksum: Option<Checksum>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contents: Option<Contents>,
    problems: Vec<String>,
    /// How it ended, for the row of a table.
    #[serde(skip)]
    ending: Option<Ending>,
}

#[derive(Debug, Serialize)]
struct City {
    id: u8,
    y: i8,
    x: i8,
    name: Option<String>,
}

/// Bytes as stored and as unpacked.
#[derive(Debug, Serialize)]
struct Sizes {
    stored: u32,
    raw: u32,
}

#[derive(Debug, Serialize)]
struct Checksum {
    ok: bool,
    stored: String,
    computed: String,
}

/// What is in the frames.
#[derive(Debug, Serialize)]
struct Contents {
    storage: &'static str,
    duration_ms: u64,
    frames: u64,
    homogenous: u64,
    heterogenous: u64,
    keepalives: u64,
    messages: u64,
    #[serde(rename = "messages_by_class")]
    by_class: Vec<ClassFigures>,
    views: Vec<ViewFigures>,
}

#[derive(Debug, Serialize)]
struct ClassFigures {
    class: &'static str,
    messages: u64,
}

#[derive(Debug, Serialize)]
struct ViewFigures {
    view: u8,
    messages: u64,
    unreadable_payloads: u64,
}

impl MineWars {
    /// Reads the headers, and the frames where they are asked for.
    pub(super) fn report(source: &Source, file: &ReplayFile<'_>, with_frames: bool) -> Self {
        let mut problems = Vec::new();
        let player_names = keep(file.setup().player_names(), &mut problems).flatten();
        let cities = cities(file, &mut problems);
        let contents = if with_frames { read_frames(file, &mut problems) } else { None };
        let header = file.setup().header();
        let [a, b, c, d] = header.version;
        Self {
            file: source.to_string(),
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
    pub(super) fn with_ending(mut self, file: &ReplayFile<'_>) -> Self {
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
    let names = file.setup().city_names().err();
    let positions = file.setup().city_positions().err();
    problems.extend([names, positions].into_iter().flatten().map(|error| error.to_string()));
    let city = |(id, Place { at, name })| City { id, y: at.y, x: at.x, name };
    places(file).into_iter().map(city).collect()
}

fn read_frames(file: &ReplayFile<'_>, problems: &mut Vec<String>) -> Option<Contents> {
    let layout = keep(file.frame_layout(), problems)?;
    let frames = keep(file.frames(), problems)?;
    let progress = Progress::new("counting", frames.bytes.len() as u64);
    let all = progress.watch(Frames::new(layout, &frames.bytes));
    let survey = Survey::of(all, file.dialect());
    problems.extend(survey.cut.as_ref().map(ToString::to_string));
    let contents = Contents::of(&survey, frames.storage, layout.views());
    problems.extend(contents.views.iter().filter_map(ViewFigures::problem));
    Some(contents)
}

impl Checksum {
    fn of(check: &Check) -> Self {
        let [stored, computed] = [check.stored, check.computed].map(|sum| format!("{sum:016x}"));
        Self { ok: check.is_ok(), stored, computed }
    }
}

impl Contents {
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

impl Report for MineWars {
    fn to_text(&self) -> String {
        let mut fields = Fields::new(&self.file);
        fields.add("format", format!("MineWars, {}", self.dialect));
        fields.add("version", format!("{}, {}", self.version, self.how_detected()));
        if let Some(checksum) = &self.header_checksum {
            fields.add("headers", checksum.to_text());
        }
        let (grid, radius, tiles) = (self.grid, self.radius, count(self.tiles as u64, "tile"));
        fields.add("map", format!("{grid}, radius {radius}, {tiles}; {}", self.map.to_text()));
        fields.add("players", self.players_text());
        for (id, name) in self.player_names.iter().flatten().enumerate() {
            fields.more(format!("{:>2} {}", id + 1, printable(name)));
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
        fields.into_text()
    }

    fn row(&self) -> super::Row {
        let row = super::Row {
            format: format!("MineWars {}", self.dialect),
            about: format!("{}, radius {}", self.grid, self.radius),
            players: count(self.max_player.into(), "player"),
            ..super::Row::default()
        };
        let Some(ending) = &self.ending else { return row };
        let names: Vec<&str> = ending.names.values().map(String::as_str).collect();
        super::Row {
            result: ending.winner.map(|id| format!("{} won", ending.name(id))).unwrap_or_default(),
            length: clock(ending.time),
            players: if names.is_empty() { row.players } else { names.join(", ") },
            ..row
        }
    }

    fn problems(&self) -> &[String] {
        &self.problems
    }
}

impl MineWars {
    fn how_detected(&self) -> &'static str {
        match self.detection {
            Detection::Checksum => "told by the headers' checksum",
            Detection::Structure => {
                "told by version bytes and lengths, because no checksum matches"
            }
            Detection::Headerless => {
                "a stream without file header, told by version bytes and setup"
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

impl Contents {
    fn add_to(&self, fields: &mut Fields) {
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
