//! MineWars streams and replay files, both generations, in every direction.
//!
//! | module | what |
//! |---|---|
//! | `file` | [`ReplayFile`] opens a file, or a stream without file header, in borrowed bytes and reads each part when it is asked for; [`write_file`] writes one |
//! | `setup`, `map` | [`Setup`] is everything before the frames: players, cities, rules and the [`Map`] |
//! | `frames` | [`Frames`] reads multi-view frames, [`FrameWriter`] writes them, [`select_views`] and [`merge_views`] rewrite them; a [`Generation`] decides their bytes |
//! | `message` | [`Message`] is one change to what a view knows. One table makes its decoder, encoder, assembler, disassembler and the opcode table in `spec/`. [`Messages`] reads a payload without allocating: [`Messages::visit`] is the fast way, for what is done often; everything else here uses [`Messages::visit_dyn`] |
//! | `asm` | [`disassemble_file`] and [`assemble_file`] go to text and back, byte for byte |
//! | `state` | [`ViewState`] is what one view knows, carried forward by messages, with canonical bytes and a hash; [`replay_view`] plays up to a moment; with the feature `serde`, `ViewShape` is the state as text and JSON |
//! | `verify` | [`verify`](verify()) checks a file against every rule, [`Survey`] counts what is in it |
//! | `edit` | [`repair`], [`convert`], [`cut`](cut()) and [`anonymize`] make another recording out of one |
//!
//! ```
//! use gametape_minewars::sample::Sample;
//! use gametape_minewars::{Messages, ReplayFile, WriteOptions, write_file};
//! use gametape_minewars::{Frames, Generation};
//!
//! let (setup, frames) = Sample::default().build(Generation::Current)?;
//! let bytes = write_file(&setup, &frames, &WriteOptions::default())?;
//!
//! let file = ReplayFile::open(&bytes)?;
//! let frames = file.frames()?.bytes;
//! let mut owners = 0;
//! for frame in Frames::new(file.frame_layout()?, &frames) {
//!     for part in frame?.parts() {
//!         for message in Messages::new(part.payload, part.offset, file.dialect()) {
//!             owners += usize::from(message?.word_in(Generation::Current) == "OWNER");
//!         }
//!     }
//! }
//! assert!(owners > 100);
//! # Ok::<(), gametape_wire::Error>(())
//! ```
//!
//! The formats are specified in `spec/minewars-*.md` and `spec/frames.md` of the repository.
//!
//! What it does not do: no file, socket, clock or thread (bytes in, bytes out); no rules of the
//! game beyond what its messages say; no writing of the public tool's dialect.

mod asm;
mod cities;
mod dialect;
mod edit;
mod ending;
mod file;
mod frames;
mod generation;
mod map;
mod message;
pub mod sample;
mod setup;
mod state;
mod verify;

pub use asm::{
    Assembled, Disassembled, Inexact, Line, Lines, Listing, assemble_file, assemble_payload,
    disassemble_file, disassemble_payload, print_frame, print_raw, print_setup,
};
pub use cities::{NamedCity, cities_of_file, cities_of_setup};
pub use dialect::Dialect;
pub use edit::{
    AnonymizeOptions, Anonymized, Change, Converted, Cut, Loss, LossCount, Losses, Lost, Removed,
    RepairOptions, Repaired, Selection, SetupItem, anonymize, convert, cut, repair, thin_frames,
    without_unreliable,
};
pub use ending::{Ending, player_names};
pub use file::{
    Check, Detection, FileHeader, FilePart, FrameBytes, FrameStorage, MAX_FRAME_BYTES, ReplayFile,
    WriteOptions, frame_dictionary, write_file, write_file_around,
};
pub use frames::{
    Frame, FrameKind, FrameLayout, FrameWriter, Frames, Irregularity, Parts, Tail, merge_views,
    select_views,
};
pub use generation::Generation;
pub use map::{Coord, Grid, ItemKind, MAX_RADIUS, Map, NO_REGION, StructureKind, Tile, TileKind};
pub use message::{
    Ballot, Class, Digit, DigitBuf, DigitTile, Digits, Duration, Fit, Message, Messages, Money,
    OwnedTiles, Packer, PlayerUpdate, Text, TileBuf, Tiles, Who, opcode_tables, whole_messages,
};
pub use setup::{
    City, CityName, EncodedSetup, MAX_PLAYERS_V01, Setup, SetupHeader, SetupPart, SetupView,
};
#[cfg(feature = "serde")]
pub use state::shape::ViewShape;
pub use state::{
    CityState, ClientState, FlagState, Gone, Pending, PlayerState, Replayed, TileState, ViewState,
    VoteState, is_off_map, replay_view,
};
pub use verify::{FrameRef, Located, Rule, Space, Survey, Verification, verify};
