//! Skirmish, the reference game: small, deterministic, with bots.
//!
//! It gives recorder, player, formats and analysis something real to work on, and shows how a game
//! embeds Gametape: `examples/record_a_game.rs`.
//!
//! - [`Skirmish`] is the simulation: advanced by orders alone, with snapshots; the same on every
//!   machine.
//! - [`Views`] makes, tick by tick, the MineWars messages of what each player and the spectator may
//!   know, in the words of either generation.
//! - [`Analyst`] makes the events that highlights and statistics are made from.
//! - [`Bot`]s see only their own view and give orders as a person would.
//! - [`gamelog()`] writes the match of a tape as a Cadre gamelog, [`record_match`] makes such a tape.
//! - [`Session`] is a match of bots while it is recorded, and [`Summary`] what came of it.
//! - [`Match`] is all of these together:
//!
//! ```
//! use gametape_replay::Simulation;
//! use gametape_skirmish::{Config, Match, Style};
//! use gametape_minewars::Generation;
//!
//! let config = Config::new(2, 8, 1).with_time_limit(30);
//! let mut game = Match::new(config, &[Style::Careful, Style::Striker], Generation::Current)?;
//! let (mut orders, mut received) = (0, 0);
//! while !game.is_over() {
//!     let turn = game.step()?;
//!     orders += turn.orders.len();
//!     received += turn.parts().iter().map(|(_, payload)| payload.len()).sum::<usize>();
//! }
//! println!("{} ticks, {orders} orders, {received} bytes", game.game().tick().0);
//! assert!(orders > 50 && received > 1000);
//! # Ok::<(), gametape_wire::Error>(())
//! ```
//!
//! The rules, orders and snapshots are specified in `spec/skirmish.md` of the repository.
//!
//! What it does not do: no file, clock, thread or log line; no teams, no balance for people, no
//! graphics. It is an example, not a product.

mod atlas;
mod bots;
mod config;
mod dice;
mod events;
mod gamelog;
mod generate;
mod known;
mod order;
mod play;
mod recording;
pub mod registry;
mod rules;
pub mod scene;
mod session;
mod units;
mod views;
mod world;

pub use bots::{Bot, Pilot, Style};
pub use config::Config;
pub use events::{Analyst, NAMES};
pub use gamelog::{Gamelog, GamelogWriter, gamelog};
pub use known::{CONTENT, SkirmishGame, TITLE, metadata};
pub use order::{Argument, Channel, Command, GroupAction, VoteKind, orders_table};
pub use play::{Input, Match, Turn};
pub use recording::{
    MatchRecorder, full_speed, game_time, record_block, record_match, record_setups,
    recorded_config, recorded_game,
};
pub use rules::{SECOND, TICK_LENGTH, TICK_MS};
pub use session::{Pace, Played, Provenance, Session, Summary};
pub use units::UnitKind;
pub use views::{Views, setup};
pub use world::{Counters, Outcome, Reason, Skirmish};
