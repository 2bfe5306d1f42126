//! Record a game, crash, resume, seek and prove: recorder and player around the tape.
//!
//! - A game says what it is by [`Simulation`], advanced by orders, or by [`GameState`], carried forward
//!   by what a view receives.
//! - [`Recorder`] writes it down while it runs.
//! - [`Recording`] opens a tape, finished or not, whole or damaged, from any [`Source`] of bytes.
//! - [`Timeline`] is every recording as states over time: any moment, steps both ways, growth.
//!   [`MinewarsTimeline`] and [`GamelogTimeline`] play files as they are; [`Player`] plays what a view
//!   of a tape knows, or runs its simulation again, and [verifies](Player::begin_verify) that what was
//!   recorded is what the game does. [`Clock`] plays at any rate.
//! - None of them does I/O: they say which bytes they need. [`Playback`] supplies them from a [`Source`].
//! - [`open`](mod@open) opens a recording of any format by what is in it; [`inspect`] says what it is,
//!   [`state_at`] what its state was at one of the [`moments`] that people write, [`verify`] whether it is
//!   sound, and [`recover`] saves what is left of a damaged tape.
//! - [`minewars`] and [`cadre`] turn replay files and gamelogs into tapes and back, nothing lost, so
//!   that they are played in the same way.
//!
//! ```
//! use gametape_cadre::{Log, Options, sample};
//! use gametape_replay::{ConvertOptions, DeepLevel, Direction, PlayerOptions, Recording, cadre};
//! use gametape_wire::{Moment, Tick};
//!
//! let log = Log::open(sample::log(300, 1), &Options::default())?;
//! let tape = cadre::to_tape(&log, &ConvertOptions::new(0xB0A7))?;
//!
//! let mut player = cadre::player(Recording::open(&tape[..])?, PlayerOptions::default())?;
//! player.seek(Tick(249))?; // After everything that happened at this tick.
//! let turn = player.state().state().get("currentTurn").and_then(|turn| turn.as_i64());
//! player.step(Direction::Backward)?;
//! assert_eq!((turn, player.position()), (Some(15), Moment::after(Tick(248))));
//! assert!(player.verify(DeepLevel::Keyframes)?.passed());
//! # Ok::<(), gametape_wire::Error>(())
//! ```
//!
//! Which streams of a tape hold what is specified in `spec/tape-contents.md`, how a recorder behaves in
//! `spec/recorder.md`.
//!
//! What it does not do: no file and no clock: bytes and times come from the caller; no rules of any
//! game; playing never reads events, only a list of matches does.

pub mod anonymize;
pub mod cadre;
mod comparison;
pub mod convert;
pub mod cut;
mod game;
pub mod games;
pub mod inspect;
pub mod merge;
pub mod metadata;
pub mod minewars;
pub mod moments;
pub mod open;
mod pace;
mod player;
mod players;
mod recorder;
pub mod recover;
mod rewrite;
pub mod sample;
mod source;
pub mod state_at;
pub mod streams;
pub mod text;
mod timeline;
pub mod unknown;
pub mod verify;
pub mod watched;

pub use comparison::{Comparison, Differs, DiffersAt};
pub use convert::ConvertOptions;
pub use game::{GameState, Order, Simulation};
pub use games::KnownGame;
pub use gametape_wire::Source;
pub use pace::{Pace, Pacer};
pub use player::{
    DeepLevel, DeepVerification, Difference, Divergence, MOST_DIFFERENCES, PlayRule, Player,
    PlayerOptions, SimulationTrack, Site, Track, ViewTrack, differences,
};
pub use players::{NamedViews, ViewName, players_of_minewars, players_of_tape, view_in_tape};
pub use recorder::{
    Closing, Count, Counters, Durability, EventBlock, LiveSink, Next, Pump, Recorder,
    RecorderOptions, Report, ResumableSink, Shed, Sink, lock_recording,
};
pub use rewrite::{Put, derived_header, put_segments, tape_id_of};
pub use source::{OpenTape, OpeningTape, Recording};
pub use timeline::{
    Change, Clock, Direction, GamelogTimeline, MapState, Marker, MarkerKind, MinewarsTimeline,
    Playback, Rate, Timeline, TimelineOptions,
};
