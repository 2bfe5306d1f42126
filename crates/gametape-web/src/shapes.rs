//! What the page gets: the shapes of answers.

use gametape_scene::stage::Story;
use gametape_scene::{Colour, HeatKind, Line, Player, Value};
use serde::Serialize;

/// What a recording is, as the present view sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct About {
    /// The name of its file.
    pub name: String,
    /// `tape`, `minewars` or `gamelog`.
    #[cfg_attr(test, ts(type = "\"tape\" | \"minewars\" | \"gamelog\""))]
    pub format: &'static str,
    /// The name of the game.
    pub game: String,
    /// Who plays, or the title of the match.
    pub heading: String,
    /// What else there is to say in a line.
    pub subtitle: String,
    /// Who plays.
    pub players: Vec<Player>,
    /// The views that there are; none in a gamelog.
    pub views: Vec<ViewInfo>,
    /// Those whose view it is now: one, or several together; none in a gamelog.
    pub seen: Vec<u8>,
    /// The first moment.
    #[cfg_attr(test, ts(type = "number"))]
    pub begin: u64,
    /// The last moment.
    #[cfg_attr(test, ts(type = "number"))]
    pub end: u64,
    /// The present moment.
    #[cfg_attr(test, ts(type = "number"))]
    pub position: u64,
    /// May more of it come?
    pub growing: bool,
    /// The length of a tick in microseconds; 0 where there is no clock.
    pub tick_micros: u32,
    /// Is it a gamelog, which has neither clock nor views?
    pub is_gamelog: bool,
    /// Is there a board to be drawn?
    pub has_board: bool,
    /// Is there a tree of the state?
    pub has_tree: bool,
    /// Are there messages to be disassembled?
    pub has_messages: bool,
    /// How large the board is, in tiles.
    pub board: Option<BoardSize>,
    /// What is missing.
    pub losses: Vec<Loss>,
    /// Players whose cameras can be followed.
    pub cameras: Vec<u8>,
    /// The heat maps that there can be.
    pub heats: Vec<HeatKind>,
    /// How long the recording is: `15:00`, `1,203 deltas`.
    pub length_text: String,
}

/// Somebody who sees a match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ViewInfo {
    /// Its number.
    pub view: u8,
    /// The name of the player, or `All`.
    pub name: String,
    /// The colour of the player.
    pub colour: Option<String>,
}

/// The size of a board in tiles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BoardSize {
    /// From left to right.
    pub width: f32,
    /// From top to bottom.
    pub height: f32,
}

/// Something that is missing in a recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Loss {
    /// What, in words.
    pub text: String,
    /// From this moment on, where that is known,
    #[cfg_attr(test, ts(type = "number | null"))]
    pub start: Option<u64>,
    /// up to this one.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub end: Option<u64>,
}

/// What there is to see at a moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Shown {
    /// The moment.
    #[cfg_attr(test, ts(type = "number"))]
    pub moment: u64,
    /// The same for people: `4:36.9`, `delta 57`.
    pub time: String,
    /// The same with the end: `4:36.9 of 15:00`.
    pub label: String,
    /// The heading of the scene.
    pub heading: String,
    /// Who plays, with values.
    pub players: Vec<Player>,
    /// Time, turn and the like.
    pub facts: Vec<Value>,
    /// What happened, in words.
    pub lines: Vec<Line>,
    /// Damage that was found on the way, besides what was known when the recording was opened.
    pub damage: Vec<Loss>,
    /// How many tiles changed.
    pub changed: usize,
    /// Is it the first moment?
    pub at_begin: bool,
    /// Is it the last one?
    pub at_end: bool,
    /// Where that is which is followed, in tiles from the upper left corner of the board.
    pub follow: Option<[f32; 2]>,
}

/// An answer. Which one follows from the request.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(untagged)]
pub enum Answer {
    /// To `open` and `view`.
    About(Box<About>),
    /// To `seek` and `step`.
    Shown(Box<Shown>),
    /// To `find`.
    Found {
        /// The moment.
        #[cfg_attr(test, ts(type = "number"))]
        moment: u64,
    },
    /// To `draw`.
    Drawn {
        /// Is there something to see?
        drawn: bool,
        /// What the colours of the heat map mean, where one was asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        heat: Option<HeatLegend>,
    },
    /// To `pick`.
    Picked {
        /// The tile.
        tile: Option<[i32; 2]>,
    },
    /// To `inspect`.
    Inspected(Option<TileCard>),
    /// To `history`.
    History {
        /// The last ones, ascending.
        changes: Vec<TileChange>,
        /// Was every change noticed? Else the tile was looked at now and then.
        exact: bool,
        /// How many earlier changes are not listed.
        earlier: usize,
    },
    /// To `story`.
    Story(Box<Story>),
    /// To `lines`.
    Lines {
        /// Ascending.
        lines: Vec<ToldLine>,
    },
    /// To `messages`.
    Messages {
        /// A message each.
        rows: Vec<String>,
    },
    /// To `tree`.
    Tree {
        /// The lines that were asked for.
        rows: Vec<TreeRow>,
        /// How many lines there are.
        total: usize,
    },
    /// To `search`.
    Searched {
        /// Where it occurs.
        found: Vec<Found>,
    },
    /// To `hash`.
    Hash {
        /// In hexadecimal digits.
        hash: Option<String>,
    },
    /// To `gif` and `stop`.
    Filmed {
        /// How many pictures are made.
        #[cfg_attr(test, ts(type = "number"))]
        done: u64,
        /// How many there are.
        #[cfg_attr(test, ts(type = "number"))]
        frames: u64,
        /// How many bytes the file has; 0 until it is done.
        bytes: usize,
    },
    /// To `clip`.
    Made {
        /// How many bytes the file has.
        bytes: usize,
    },
}

/// What is known of a tile.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TileCard {
    /// What it is.
    pub title: String,
    /// What is known of it.
    pub values: Vec<Value>,
    /// The pieces on it.
    pub pieces: Vec<PieceOn>,
}

/// A piece on a tile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PieceOn {
    /// The same at every moment.
    pub id: String,
    /// What it is called.
    pub name: String,
}

/// What the colours of a heat map mean.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct HeatLegend {
    /// `deaths, 3:00 to 5:00`
    pub title: String,
    /// The colours from cold to hot, evenly apart.
    pub colours: Vec<Colour>,
    /// What the coldest colour is: `1`; `none` where there is nothing.
    pub low: String,
    /// What the hottest colour is: `12 died or destroyed`.
    pub high: String,
}

/// A line of what happened, with its time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ToldLine {
    /// The moment after it.
    #[cfg_attr(test, ts(type = "number"))]
    pub moment: u64,
    /// The same for people.
    pub time: String,
    /// What happened.
    pub line: Line,
}

/// A change of a tile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TileChange {
    /// The moment after it.
    #[cfg_attr(test, ts(type = "number"))]
    pub moment: u64,
    /// The same for people.
    pub time: String,
    /// What is known of the tile since then that was not before.
    pub text: String,
}

/// A line of the tree of a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TreeRow {
    /// Where its value is in the state.
    pub path: String,
    /// Its key.
    pub key: String,
    /// Its value in a few words.
    pub text: String,
    /// What the last delta did to it: `added`, `replaced`, `removed`, `within` or nothing.
    pub tone: &'static str,
    /// How many branches it is in.
    pub depth: usize,
    /// Can it be opened and closed?
    pub is_branch: bool,
    /// Is it open?
    pub is_open: bool,
    /// The path that it leads to.
    pub reference: Option<String>,
}

/// Where a text occurs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Found {
    /// What it is.
    pub text: String,
    /// When it is.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub moment: Option<u64>,
    /// The same for people.
    pub time: Option<String>,
    /// Where it is in the state.
    pub path: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use ts_rs::{Config, TS};

    /// The file in which the page has these shapes.
    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../viewer/src/generated/shapes.ts");

    /// The declarations of a shape and of all that it is made of, each once.
    fn declarations(config: &Config) -> String {
        use gametape_scene::Datum;
        use gametape_scene::stage::{Curve, CurveOfPlayer, StoryHighlight, StoryMarker, WhyPart};
        let all = [
            About::decl(config),
            ViewInfo::decl(config),
            BoardSize::decl(config),
            Loss::decl(config),
            Shown::decl(config),
            Player::decl(config),
            Value::decl(config),
            Datum::decl(config),
            Line::decl(config),
            TileCard::decl(config),
            PieceOn::decl(config),
            Story::decl(config),
            StoryMarker::decl(config),
            StoryHighlight::decl(config),
            WhyPart::decl(config),
            Curve::decl(config),
            CurveOfPlayer::decl(config),
            HeatKind::decl(config),
            HeatLegend::decl(config),
            ToldLine::decl(config),
            TileChange::decl(config),
            TreeRow::decl(config),
            Found::decl(config),
        ];
        // These two are written as something simpler than they are in Rust.
        let plain = "\nexport type Colour = string;\nexport type TileAt = [number, number];\n";
        let heading = "// Made of the Rust shapes by a test of gametape-web: `BLESS=1 cargo test -p gametape-web shapes`.\n";
        let exported = all.iter().map(|declaration| format!("\nexport {declaration}\n"));
        heading.to_owned() + plain + &exported.collect::<String>()
    }

    #[test]
    fn the_page_has_the_shapes_of_today() {
        let made = declarations(&Config::default());
        if std::env::var("BLESS").is_ok_and(|value| value == "1") {
            std::fs::write(FILE, &made).unwrap();
        }
        let found = std::fs::read_to_string(FILE).unwrap_or_default();
        assert!(
            found == made,
            "viewer/src/generated/shapes.ts is not up to date: BLESS=1 writes it"
        );
    }
}
