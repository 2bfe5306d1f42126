//! MineWars streams and replay files.

mod asm;
mod compress;
mod coord;
mod decimal;
mod dialect;
mod dictionary;
mod file;
mod grid;
mod kinds;
mod map;
mod message;
mod names;
mod replay;
mod setup;
mod state;
mod survey;

pub use asm::{
    Assembled, Inexact, Line, Lines, assemble_file, assemble_payload, print_frame, print_raw,
    print_setup,
};
pub use coord::Coord;
pub use dialect::Dialect;
pub use dictionary::frame_dictionary;
pub use file::{
    Check, Detection, FileHeader, FilePart, FrameBytes, FrameStorage, MAX_FRAME_BYTES, ReplayFile,
    WriteOptions, write_file,
};
pub use grid::{Grid, MAX_RADIUS};
pub use kinds::{ItemKind, StructureKind, TileKind};
pub use map::{Map, NO_REGION, Tile};
pub use message::{
    Ballot, Class, Digit, DigitBuf, DigitTile, Digits, Duration, Fit, Message, Messages, Money,
    Packer, PlayerUpdate, Text, TileBuf, Tiles, Who, opcode_tables,
};
pub use names::CityName;
pub use replay::{Replayed, replay_view};
pub use setup::{City, EncodedSetup, MAX_PLAYERS_V01, Setup, SetupHeader, SetupPart, SetupView};
pub use state::{
    CityState, ClientState, FlagState, Gone, Pending, PlayerState, TileState, ViewState, VoteState,
};
pub use survey::Survey;
