//! Record a game, crash, resume, seek and prove: recorder and player around the tape.

mod game;

pub use game::{GameState, Order, Simulation};
