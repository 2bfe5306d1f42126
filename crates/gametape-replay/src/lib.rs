//! Record a game, crash, resume, seek and prove: recorder and player around the tape.

mod game;
mod recorder;
pub mod streams;

pub use game::{GameState, Order, Simulation};
pub use recorder::{
    Closing, Count, Counters, Durability, Next, Pump, Recorder, RecorderOptions, Report,
    ResumableSink, Shed, Sink,
};
