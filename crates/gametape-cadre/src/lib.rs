//! Cadre gamelogs.
#![allow(dead_code)]

mod apply;
mod canonical;
mod journal;
mod json;
mod keyframes;
mod keys;
pub mod limits;
mod log;
mod markers;
mod merge;
mod pass;
mod path;
mod plan;
mod scan;
mod seen;
mod source;
mod state;
mod text;
mod timeline;
mod tree;
mod turns;
mod watch;

pub use json::{Elements, Entries, Kind, Name, Raw};
pub use limits::Options;
pub use log::{Age, Delta, Log};
pub use markers::Markers;
pub use state::{Node, State};
pub use timeline::{Snapshot, Timeline};
pub use turns::Turns;
