//! What must hold for every input, hostile or not.
//!
//! A *property* is an ordinary function over bytes that panics when something that must hold does
//! not. The fuzzer calls it with inputs that it invents; the test suite of this crate calls it with
//! the kept seeds in `fuzz/seeds/` and with [deterministic damage](mutations) to them.
//!
//! [`PROPERTIES`] is the one list:
//!
//! ```
//! use gametape_properties::PROPERTIES;
//!
//! for property in PROPERTIES {
//!     (property.holds)(b"any bytes at all");
//! }
//! ```
//!
//! To add one: write the function and its seeds in the module of its format, add a row here, and
//! run the tests: they say what else is missing (the fuzz target and its entry in
//! `fuzz/Cargo.toml`). `BLESS=1` writes the seeds.
//!
//! What it does not do: no example-based tests; those live beside the code that they test.

#![allow(clippy::panic, reason = "a property that does not hold panics")]

pub mod analysis;
pub mod cadre;
pub mod frames;
pub mod live;
pub mod minewars;
pub mod mutations;
pub mod replay;
pub mod tape;
pub mod wire;

use gametape_wire::Result;

/// One row of [`PROPERTIES`].
#[derive(Debug, Clone, Copy)]
pub struct Property {
    /// Name of the fuzz target and of the folder with the seeds.
    pub name: &'static str,
    /// Panics when the property does not hold for these bytes.
    pub holds: fn(&[u8]),
    /// Makes the seeds.
    pub seeds: fn() -> Result<Vec<Seed>>,
}

/// An input that gets far: where the fuzzer and the mutations start from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seed {
    /// File name in `fuzz/seeds/<property>/`.
    pub name: &'static str,
    /// The input.
    pub bytes: Vec<u8>,
}

impl Seed {
    /// A seed with a name that says what is special about it.
    pub fn new(name: &'static str, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name, bytes: bytes.into() }
    }
}

/// Every property.
pub const PROPERTIES: &[Property] = &[
    Property { name: "wire", holds: wire::cursor, seeds: wire::seeds },
    Property { name: "frame", holds: frames::frames, seeds: frames::seeds },
    Property { name: "message", holds: minewars::message, seeds: minewars::message_seeds },
    Property { name: "assembly", holds: minewars::assembly, seeds: minewars::assembly_seeds },
    Property { name: "setup", holds: minewars::setup, seeds: minewars::setup_seeds },
    Property { name: "file", holds: minewars::file, seeds: minewars::file_seeds },
    Property { name: "state", holds: minewars::state, seeds: minewars::state_seeds },
    Property { name: "gamelog", holds: cadre::gamelog, seeds: cadre::gamelog_seeds },
    Property { name: "merge", holds: cadre::merge, seeds: cadre::merge_seeds },
    Property { name: "live", holds: cadre::live, seeds: cadre::live_seeds },
    Property { name: "spectated", holds: cadre::spectated, seeds: cadre::spectated_seeds },
    Property { name: "tape", holds: tape::tape, seeds: tape::tape_seeds },
    Property { name: "chunk", holds: tape::chunk, seeds: tape::chunk_seeds },
    Property { name: "snapshot", holds: tape::snapshot, seeds: tape::snapshot_seeds },
    Property { name: "replay", holds: replay::replay, seeds: replay::replay_seeds },
    Property { name: "session", holds: live::message, seeds: live::message_seeds },
    Property { name: "spectator", holds: live::spectator, seeds: live::spectator_seeds },
    Property { name: "relay", holds: live::relay, seeds: live::relay_seeds },
    Property { name: "segments", holds: live::segments, seeds: live::segment_seeds },
    Property { name: "events", holds: analysis::events, seeds: analysis::event_seeds },
];
