//! MineWars streams and replay files.

mod asm;
mod compress;
mod convert;
mod coord;
mod cut;
mod decimal;
mod dialect;
mod dictionary;
mod file;
mod grid;
mod kinds;
mod losses;
mod map;
mod message;
mod names;
mod repair;
mod replay;
pub mod sample;
mod setup;
mod state;
mod survey;
mod verify;

pub use asm::{
    Assembled, Inexact, Line, Lines, assemble_file, assemble_payload, print_frame, print_raw,
    print_setup,
};
pub use convert::{Converted, convert};
pub use coord::Coord;
pub use cut::{Cut, Selection, cut};
pub use dialect::Dialect;
pub use dictionary::frame_dictionary;
pub use file::{
    Check, Detection, FileHeader, FilePart, FrameBytes, FrameStorage, MAX_FRAME_BYTES, ReplayFile,
    WriteOptions, write_file,
};
pub use grid::{Grid, MAX_RADIUS};
pub use kinds::{ItemKind, StructureKind, TileKind};
pub use losses::{Loss, LossCount, Losses};
pub use map::{Map, NO_REGION, Tile};
pub use message::{
    Ballot, Class, Digit, DigitBuf, DigitTile, Digits, Duration, Fit, Message, Messages, Money,
    Packer, PlayerUpdate, Text, TileBuf, Tiles, Who, opcode_tables, whole_messages,
};
pub use names::CityName;
pub use repair::{Change, Lost, RepairOptions, Repaired, repair};
pub use replay::{Replayed, replay_view};
pub use setup::{City, EncodedSetup, MAX_PLAYERS_V01, Setup, SetupHeader, SetupPart, SetupView};
pub use state::{
    CityState, ClientState, FlagState, Gone, Pending, PlayerState, TileState, ViewState, VoteState,
};
pub use survey::Survey;
pub use verify::{Finding, FrameRef, Rule, Severity, Space, Verification, verify};
