//! Gamelogs of the Cadre game server: read, play, compare, check and write them.
//!
//! A gamelog is JSON, plain or gzip: some fields, and a list of *deltas*. Merging the deltas in order
//! gives the state of the game after each. `spec/gamelog.md` says exactly what that means; this crate
//! implements it for all three ages of the format.
//!
//! ```
//! use gametape_cadre::{Log, Options, Outcome, Timeline, sample};
//!
//! let options = Options::default();
//! let log = Log::open(sample::log(200, 1), &options)?;
//! let mut timeline = Timeline::load(log, &options)?;
//!
//! let outcome = Outcome::of(timeline.state(), timeline.log().header());
//! assert_eq!(outcome.winners().next().unwrap().name.as_deref(), Some("Bob"));
//!
//! timeline.seek(120)?;
//! let turn = timeline.state().get("currentTurn").unwrap().as_i64();
//! timeline.step_back()?;
//! assert_eq!(turn, Some(7));
//! # Ok::<(), gametape_wire::Error>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | know what a log is about and who won, quickly | [`Summary`] |
//! | read and write a log, look at its raw deltas | [`Log`], [`Delta`], [`Raw`] |
//! | have the state after any delta, step both ways | [`Timeline`], [`State`], [`Node`] |
//! | follow a game that is still played | [`Live`] |
//! | read what a spectator received | [`Spectated`] |
//! | join a game as a spectator | [`Spectator`] |
//! | merge deltas that are kept elsewhere | [`Game`] |
//! | get the deltas between two states | [`diff()`] |
//! | count turns, types, calls, players | [`Index`], [`Turns`] |
//! | list what happened, delta by delta | [`play`], [`Record`] |
//! | find what touched a path | [`find()`], [`Query`] |
//! | check a log | [`verify()`] |
//! | remove who played | [`anonymize()`], [`Anonymizer`] |
//! | lay out JSON | [`json`] |
//! | show rows, states and differences to people (features `show`, `serde`) | `show` |
//! | have a log to try things with | [`sample`] |
//!
//! How it is fast: bodies are never parsed into a tree of their own. Opening a log only finds where
//! deltas begin and end; merging reads the text of a delta once and writes straight into the state,
//! whose scalars stay in the text. See `state/tree.rs` and `merge/merge_pass.rs`;
//! `text/scan.rs`, `text/swar.rs`, `merge/references.rs` and `log/fast_path.rs` look at many bytes in one
//! step.
//!
//! What it does not do: no file, socket, clock or thread; no knowledge of any game's rules; no
//! conversion of numbers (they stay the text that was written). Logs must fit into memory, but for
//! [`Summary`], which leaves out `data`; see [`limits`] for what else is refused.

mod anonymize;
mod check;
pub mod limits;
mod live;
mod log;
mod merge;
pub mod sample;
#[cfg(feature = "show")]
pub mod show;
mod state;
mod text;
mod timeline;

pub use anonymize::{Anonymized, Anonymizer, Names, anonymize};
pub use check::find::{Change, FoundObject, Pattern, Query, find};
pub use check::outcome::{Disagreement, Outcome, PlayerResult, ResultList};
pub use check::records::{Action, ChangeCount, Played, Record, play};
pub use check::{Verdict, path_in_game, rules, verify};
pub use limits::Options;
pub use live::{
    END_OF_MESSAGE, Ending, GameAddress, Joining, Live, LiveEvent, Message, Messages, Request,
    Seen, Spectated, Spectator,
};
pub use log::header::{Age, Client, Header};
pub use log::index::{Index, KindCount, PlayerCount};
pub use log::markers::Markers;
pub use log::source::Start;
pub use log::summary::Summary;
pub use log::{Delta, Log};
pub use state::diff::diff;
pub use state::{GameObjects, Node, State};
pub use text::json::Kind;
pub use text::layout as json;
pub use text::raw::{Elements, Entries, Name, Raw};
pub use timeline::game::Game;
pub use timeline::turns::Turns;
pub use timeline::{Snapshot, Timeline};
