//! MineWars streams and replay files.

mod coord;
mod dialect;
mod kinds;

pub use coord::Coord;
pub use dialect::Dialect;
pub use kinds::{ItemKind, StructureKind, TileKind};
