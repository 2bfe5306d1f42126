//! Skirmish, the reference game: small, deterministic, with bots.

mod atlas;
mod bots;
mod config;
mod dice;
mod events;
mod gamelog;
mod generate;
mod order;
mod play;
mod recording;
mod rules;
mod units;
mod views;
mod world;

pub use bots::{Bot, Pilot, Style};
pub use config::Config;
pub use events::{Analyst, NAMES};
pub use gamelog::{Gamelog, GamelogWriter, gamelog};
pub use order::{Channel, Command, GroupAction, VoteKind};
pub use play::{Match, Said, Turn};
pub use recording::{MatchRecorder, full_speed, game_time, record_match};
pub use rules::{SECOND, TICK_MS};
pub use units::UnitKind;
pub use views::{Views, setup};
pub use world::{Counters, Outcome, Reason, Skirmish};
