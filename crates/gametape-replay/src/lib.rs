//! Record a game, crash, resume, seek and prove: recorder and player around the tape.

pub mod cadre;
mod convert;
mod game;
pub mod minewars;
mod player;
mod recorder;
mod source;
pub mod streams;

pub use convert::ConvertOptions;
pub use game::{GameState, Order, Simulation};
pub use player::{
    DeepLevel, DeepVerification, Difference, Divergence, MOST_DIFFERENCES, PlayFinding, Player,
    PlayerOptions, Rerun, Site, Track, Watched, differences,
};
pub use recorder::{
    Closing, Count, Counters, Durability, Next, Pump, Recorder, RecorderOptions, Report,
    ResumableSink, Shed, Sink,
};
pub use source::{Recording, Source};
