//! What a recording is: summaries of tapes, MineWars files and gamelogs.
//!
//! Each summary serialises as the object that `gametape info --json` prints, says the same as ordered
//! [`Facts`] for people, and as a [`Row`] among others.
//!
//! ```
//! use gametape_cadre::{Options, sample};
//! use gametape_replay::inspect::{GamelogSummary, Inspected};
//!
//! let log = sample::log(20, 1);
//! let summary = GamelogSummary::of("game.json", &log, &Options::default(), false)?;
//! assert_eq!(summary.row().length, "20 deltas");
//! assert_eq!(summary.facts().iter().next().unwrap().label, "format");
//! # Ok::<(), gametape_wire::Error>(())
//! ```

mod chunk_kinds;
mod chunk_line;
mod facts;
mod gamelog;
mod listing;
mod minewars;
mod tape;
mod watch;

use serde::Serialize;

pub use chunk_kinds::ChunkKinds;
pub use chunk_line::{ChunkLine, PartLine};
pub use facts::{Fact, Facts};
pub use gamelog::{
    DeltaContents, GamelogSummary, Listed, PlayerFigures, PlayerOutcome, TypeFigures,
};
pub use gametape_cadre::show::embed;
pub use listing::{BestMoment, MatchEntry, MatchList, MatchPlayer, MatchRow};
pub use minewars::{
    Checksum, City, ClassFigures, FrameContents, MinewarsSummary, Sizes, ViewFigures,
};
pub use tape::{Hole, IndexContents, Keyframes, KindTotals, TapeSummary, gap_lines, losses};
pub use watch::{DeltaLine, TapeWatch, WatchLine};

/// What there is to say about a recording of some kind.
pub trait Inspected: Serialize {
    /// The name of the recording, as the caller gave it.
    fn name(&self) -> &str;

    /// The facts for people.
    fn facts(&self) -> Facts;

    /// A short form for people who look at several recordings.
    fn row(&self) -> Row;

    /// What could not be read.
    fn problems(&self) -> &[String];
}

/// A recording in a table of recordings, without its name; what is not known is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// The format, and the kind of it.
    pub format: String,
    /// The game, or the map.
    pub about: String,
    /// Who won.
    pub result: String,
    /// How long it is.
    pub length: String,
    /// When it was recorded.
    pub date: String,
    /// Who played.
    pub players: String,
}
