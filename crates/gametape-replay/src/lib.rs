//! Record a game, crash, resume, seek and prove: recorder and player around the tape.

mod game;
pub mod streams;

pub use game::{GameState, Order, Simulation};
