//! Skirmish, the reference game: small, deterministic, with bots.

mod atlas;
mod config;
mod dice;
mod generate;
mod order;
mod rules;
mod units;
mod world;

pub use config::Config;
pub use order::{Channel, Command, GroupAction, VoteKind};
pub use rules::{SECOND, TICK_MS};
pub use units::UnitKind;
pub use world::{Counters, Outcome, Reason, Skirmish};
