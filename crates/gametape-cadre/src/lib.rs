//! Cadre gamelogs.
#![allow(dead_code)]

mod apply;
mod canonical;
mod header;
mod journal;
mod json;
mod keyframes;
mod keys;
pub mod limits;
mod log;
mod markers;
mod merge;
mod outcome;
mod pass;
mod path;
mod plan;
pub mod sample;
mod scan;
mod seen;
mod source;
mod state;
mod summary;
mod text;
mod timeline;
mod tree;
mod turns;
mod watch;

pub use header::{Age, Client, Header};
pub use json::{Elements, Entries, Kind, Name, Raw};
pub use limits::Options;
pub use log::{Delta, Log};
pub use markers::Markers;
pub use outcome::{Disagreement, Outcome, PlayerResult, ResultList};
pub use state::{Node, State};
pub use summary::Summary;
pub use timeline::{Snapshot, Timeline};
pub use turns::Turns;
