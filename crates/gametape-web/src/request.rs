//! What the page asks.

use gametape_scene::HeatKind;
use serde_json::{Map, Value};

/// What the page asks. Moments are numbers: how many ticks are applied.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Request {
    /// What the recording is.
    Open,
    /// What is at a moment, and what happened after another before it.
    Seek {
        /// The moment; the nearest that there is.
        to: u64,
        /// What happened after this moment is reported; by default what happened in the last tick.
        since: Option<u64>,
        /// Whose place on the board is reported.
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
        select: Option<[i32; 2]>,
        /// Are tiles marked that differ from the scene that was compared last?
        differences: bool,
        /// Are names left out? For pictures that are too small for them.
        plain: bool,
        /// A heat map over it.
        heat: Option<HeatOf>,
        /// The ways of pieces during the last ticks.
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
        speed: f64,
        /// Pictures a second.
        fps: u32,
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
        /// A heat map of the range over it.
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
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Follow {
    /// The piece with an id.
    Piece(String),
    /// Where a player looks.
    Camera(u8),
}

impl Request {
    /// The request in a JSON text: an object whose field `do` says what is asked.
    ///
    /// *Why by hand: what is derived is many times as much code, which every page loads.*
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = |problem: &dyn std::fmt::Display| format!("not a request: {problem}");
        let fields: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| wrong(&error))?;
        Self::of(&Fields(fields)).map_err(|problem| wrong(&problem))
    }

    fn of(fields: &Fields) -> Result<Self, String> {
        Ok(match &*fields.text("do")? {
            "open" => Self::Open,
            "seek" => Self::Seek {
                to: fields.number("to")?,
                since: fields.maybe("since", Value::as_u64)?,
                follow: fields.maybe("follow", follow)?,
            },
            "step" => Self::Step {
                from: fields.number("from")?,
                forward: fields.get("forward", Value::as_bool)?,
                by: fields.get("by", step_by)?,
                follow: fields.maybe("follow", follow)?,
            },
            "find" => Self::Find { text: fields.text("text")? },
            "view" => Self::View { view: fields.get("view", seats)? },
            "draw" => Self::Draw {
                width: fields.get("width", small)?,
                height: fields.get("height", small)?,
                scale: fields.get("scale", real)?,
                x: fields.get("x", real)?,
                y: fields.get("y", real)?,
                select: fields.maybe("select", tile)?,
                differences: fields.maybe("differences", Value::as_bool)?.unwrap_or(false),
                plain: fields.maybe("plain", Value::as_bool)?.unwrap_or(false),
                heat: fields.maybe("heat", heat_of)?,
                trails: fields.maybe("trails", Value::as_u64)?,
            },
            "pick" => Self::Pick {
                px: fields.get("px", real)?,
                py: fields.get("py", real)?,
                scale: fields.get("scale", real)?,
                x: fields.get("x", real)?,
                y: fields.get("y", real)?,
            },
            "inspect" => Self::Inspect { tile: fields.get("tile", tile)? },
            "history" => Self::History { tile: fields.get("tile", tile)? },
            "story" => Self::Story,
            "lines" => {
                Self::Lines { until: fields.number("until")?, count: fields.get("count", size)? }
            }
            "messages" => Self::Messages,
            "tree" => Self::Tree {
                open: fields.get("open", texts)?,
                first: fields.get("first", size)?,
                count: fields.get("count", size)?,
            },
            "search" => Self::Search { text: fields.text("text")? },
            "gif" => Self::Gif {
                from: fields.number("from")?,
                to: fields.number("to")?,
                speed: fields.maybe("speed", Value::as_f64)?.unwrap_or(1.0),
                fps: fields.maybe("fps", small)?.unwrap_or(10),
                width: fields.get("width", small)?,
                height: fields.get("height", small)?,
                heat: fields.maybe("heat", heat_kind)?,
            },
            "stop" => Self::Stop,
            "hash" => Self::Hash,
            "clip" => Self::Clip { from: fields.number("from")?, to: fields.number("to")? },
            other => return Err(format!("`{other}` is not known")),
        })
    }
}

/// The fields of a request.
struct Fields(Map<String, Value>);

impl Fields {
    /// A field that may be missing or null.
    fn maybe<T>(
        &self,
        name: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, String> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match read(value) {
                Some(value) => Ok(Some(value)),
                None => Err(format!("the field `{name}` cannot be {value}")),
            },
        }
    }

    fn get<T>(&self, name: &str, read: impl Fn(&Value) -> Option<T>) -> Result<T, String> {
        self.maybe(name, read)?.ok_or_else(|| format!("the field `{name}` is missing"))
    }

    fn number(&self, name: &str) -> Result<u64, String> {
        self.get(name, Value::as_u64)
    }

    fn text(&self, name: &str) -> Result<String, String> {
        self.get(name, |value| value.as_str().map(str::to_owned))
    }
}

fn small(value: &Value) -> Option<u32> {
    u32::try_from(value.as_u64()?).ok()
}

fn size(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

fn real(value: &Value) -> Option<f32> {
    value.as_f64().map(|number| number as f32)
}

fn tile(value: &Value) -> Option<[i32; 2]> {
    let [x, y] = &value.as_array()?[..] else { return None };
    let whole = |value: &Value| i32::try_from(value.as_i64()?).ok();
    Some([whole(x)?, whole(y)?])
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}

fn follow(value: &Value) -> Option<Follow> {
    match (value.get("piece"), value.get("camera")) {
        (Some(piece), None) => Some(Follow::Piece(piece.as_str()?.to_owned())),
        (None, Some(player)) => Some(Follow::Camera(u8::try_from(player.as_u64()?).ok()?)),
        _ => None,
    }
}

fn step_by(value: &Value) -> Option<StepBy> {
    match value.as_str()? {
        "change" => Some(StepBy::Change),
        "tick" => Some(StepBy::Tick),
        "turn" => Some(StepBy::Turn),
        _ => None,
    }
}

fn heat_kind(value: &Value) -> Option<HeatKind> {
    let name = value.as_str()?;
    HeatKind::ALL.into_iter().find(|kind| kind.name() == name)
}

fn heat_of(value: &Value) -> Option<HeatOf> {
    let kind = heat_kind(value.get("kind")?)?;
    Some(HeatOf { kind, from: value.get("from")?.as_u64()?, to: value.get("to")?.as_u64()? })
}

fn seats(value: &Value) -> Option<Seats> {
    let all = match value {
        Value::Array(all) => all.as_slice(),
        one => std::slice::from_ref(one),
    };
    let number = |one: &Value| u8::try_from(one.as_u64()?).ok();
    all.iter().map(number).collect::<Option<Vec<u8>>>().map(Seats)
}

/// Which heat map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Seats(Vec<u8>);

impl Seats {
    /// The numbers of the views.
    #[must_use]
    pub fn numbers(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_what_the_page_writes() {
        let of = |text: &str| Request::parse(text).unwrap();
        assert_eq!(of(r#"{"do":"open"}"#), Request::Open);
        let seek = r#"{"do":"seek","to":5,"since":null,"follow":{"piece":"city 1"}}"#;
        let follow = Some(Follow::Piece("city 1".to_owned()));
        assert_eq!(of(seek), Request::Seek { to: 5, since: None, follow });
        let Request::Draw { scale, select, heat, plain, .. } = of(
            r#"{"do":"draw","width":10,"height":9,"scale":2.5,"x":-1,"y":0,"select":[-3,4],"heat":{"kind":"fights","from":1,"to":2}}"#,
        ) else {
            panic!("it draws")
        };
        assert_eq!((scale, select, plain), (2.5, Some([-3, 4]), false));
        assert_eq!(heat, Some(HeatOf { kind: HeatKind::Fights, from: 1, to: 2 }));
        assert_eq!(of(r#"{"do":"view","view":[1,3]}"#), Request::View { view: Seats(vec![1, 3]) });
        assert_eq!(of(r#"{"do":"view","view":2}"#), Request::View { view: Seats(vec![2]) });
    }

    #[test]
    fn what_is_no_request_is_named() {
        let of = |text: &str| Request::parse(text).unwrap_err();
        for (text, problem) in [
            ("", "not a request"),
            ("[]", "not a request"),
            ("{}", "the field `do` is missing"),
            (r#"{"do":"dance"}"#, "`dance` is not known"),
            (r#"{"do":"seek"}"#, "the field `to` is missing"),
            (r#"{"do":"seek","to":-1}"#, "the field `to` cannot be -1"),
            (r#"{"do":"seek","to":"x"}"#, "the field `to` cannot be"),
            (r#"{"do":"view","view":[1,999]}"#, "the field `view` cannot be"),
            (r#"{"do":"step","from":1,"forward":true,"by":"year"}"#, "the field `by` cannot be"),
            (r#"{"do":"draw","width":99999999999}"#, "the field `width` cannot be"),
        ] {
            assert!(of(text).contains(problem), "{text}: {}", of(text));
        }
    }
}
