//! MineWars streams and replay files.

mod coord;
mod decimal;
mod dialect;
mod kinds;
mod message;

pub use coord::Coord;
pub use dialect::Dialect;
pub use kinds::{ItemKind, StructureKind, TileKind};
pub use message::{
    Ballot, Class, Digit, DigitBuf, DigitTile, Digits, Duration, Fit, Message, Messages, Money,
    PlayerUpdate, Text, TileBuf, Tiles, Who,
};
