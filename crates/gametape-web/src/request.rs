//! What the page asks.

use gametape_scene::HeatKind;
use serde::Deserialize;
use serde_json::{Map, Value};

/// What the page asks. Moments are numbers: how many ticks are applied.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Request {
    /// What the recording is.
    Open,
    /// What is at a moment, and what happened after another before it.
    Seek {
        /// The moment; the nearest that there is.
        to: u64,
        /// What happened after this moment is reported; by default what happened in the last tick.
        #[serde(default)]
        since: Option<u64>,
        /// Whose place on the board is reported.
        #[serde(default)]
        follow: Option<Follow>,
    },
    /// What is at the next or the last moment at which something is different.
    Step {
        /// From this moment.
        from: u64,
        /// Forward, or back.
        forward: bool,
        /// To what.
        by: StepBy,
        /// Whose place on the board is reported.
        #[serde(default)]
        follow: Option<Follow>,
    },
    /// The moment that somebody wrote.
    Find {
        /// In the one grammar of times: `3:37.6`, `turn:12`, `-10s`.
        text: String,
    },
    /// Sees the recording as another view, or as several together, from now on.
    View {
        /// Its number, or theirs.
        view: Seats,
    },
    /// Draws the board.
    Draw {
        /// In pixels of the screen.
        width: u32,
        /// In pixels of the screen.
        height: u32,
        /// The width of a tile in pixels.
        scale: f32,
        /// The pixel at which the board begins.
        x: f32,
        /// The pixel at which the board begins.
        y: f32,
        /// A tile that is selected.
        #[serde(default)]
        select: Option<[i32; 2]>,
        /// Are tiles marked that differ from the scene that was compared last?
        #[serde(default)]
        differences: bool,
        /// Are names left out? For pictures that are too small for them.
        #[serde(default)]
        plain: bool,
        /// A heat map over it.
        #[serde(default)]
        heat: Option<HeatOf>,
        /// The ways of pieces during the last ticks.
        #[serde(default)]
        trails: Option<u64>,
    },
    /// The tile at a pixel.
    Pick {
        /// The pixel.
        px: f32,
        /// The pixel.
        py: f32,
        /// As for drawing.
        scale: f32,
        /// As for drawing.
        x: f32,
        /// As for drawing.
        y: f32,
    },
    /// Everything that is known of a tile.
    Inspect {
        /// Its position.
        tile: [i32; 2],
    },
    /// When a tile changed.
    History {
        /// Its position.
        tile: [i32; 2],
    },
    /// What happened in the recording as a whole. It is reported a part at a time: who asks again gets more.
    Story,
    /// What happened last before a moment, in words, as far as it was reported.
    Lines {
        /// The moment.
        until: u64,
        /// How many lines at most.
        count: usize,
    },
    /// What happened in the last tick as its format writes it.
    Messages,
    /// Lines of the tree of a gamelog's state.
    Tree {
        /// The paths of branches that are open.
        open: Vec<String>,
        /// The first line.
        first: usize,
        /// How many lines.
        count: usize,
    },
    /// Where a text occurs.
    Search {
        /// The text.
        text: String,
    },
    /// A range as a GIF file, a few pictures at a time: the same is asked again until it is done.
    Gif {
        /// The first moment.
        from: u64,
        /// The last moment.
        to: u64,
        /// How much faster than it was played.
        #[serde(default = "one")]
        speed: f64,
        /// Pictures a second.
        #[serde(default = "ten")]
        fps: u32,
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
        /// A heat map of the range over it.
        #[serde(default)]
        heat: Option<HeatKind>,
    },
    /// Gives up the GIF file that is being made.
    Stop,
    /// The hash of the state.
    Hash,
    /// A part of the recording, as the present view may have it, as a tape; then its bytes are there.
    Clip {
        /// From this moment
        from: u64,
        /// up to this one.
        to: u64,
    },
}

/// What the picture follows.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Follow {
    /// The piece with an id.
    Piece(String),
    /// Where a player looks.
    Camera(u8),
}

fn one() -> f64 {
    1.0
}

fn ten() -> u32 {
    10
}

impl Request {
    /// The request in a JSON text: an object whose field `do` says what is asked.
    ///
    /// *Why not by a tag of the enum: that way needs several times as much code, which every page loads.*
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = |problem: &dyn std::fmt::Display| format!("not a request: {problem}");
        let mut fields: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| wrong(&error))?;
        let Some(Value::String(what)) = fields.remove("do") else {
            return Err(wrong(&"the field `do` is missing"));
        };
        let fields = if fields.is_empty() { Value::Null } else { Value::Object(fields) };
        let tagged = Value::Object(Map::from_iter([(what, fields)]));
        Self::deserialize(tagged).map_err(|error| wrong(&error))
    }
}

/// Which heat map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct HeatOf {
    /// What it is about.
    pub kind: HeatKind,
    /// After this moment
    pub from: u64,
    /// until this one.
    pub to: u64,
}

/// To what a step goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum StepBy {
    /// A moment at which something changes.
    Change,
    /// The next tick, or the last.
    Tick,
    /// The begin of a turn.
    Turn,
}

/// Whose view it is: a number, or a list of numbers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
#[non_exhaustive]
pub struct Seats(Vec<u8>);

impl TryFrom<Value> for Seats {
    type Error = &'static str;

    fn try_from(value: Value) -> Result<Self, Self::Error> {
        let all = match &value {
            Value::Array(all) => all.as_slice(),
            one => std::slice::from_ref(one),
        };
        let number = |one: &Value| u8::try_from(one.as_u64()?).ok();
        let all: Option<Vec<u8>> = all.iter().map(number).collect();
        all.map(Self).ok_or("a view is a number, or a list of numbers")
    }
}

impl Seats {
    /// The numbers of the views.
    #[must_use]
    pub fn numbers(&self) -> &[u8] {
        &self.0
    }
}
