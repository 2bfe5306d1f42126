//! Assembly text: everything a stream or file holds, as lines a person can read and edit.
//!
//! Normative text: `spec/minewars-text.md`. Disassembling and assembling again gives back every
//! payload and frame byte for byte, damaged ones included.

mod assemble;
mod disassemble;
mod frame;
mod objects;
mod payload;
mod setup;

pub use assemble::{Assembled, Inexact, assemble_file, assemble_payload};
pub use disassemble::{Disassembled, Listing, disassemble_file, disassemble_payload};
pub use frame::{print_frame, print_raw};
pub use payload::{Line, Lines};
pub use setup::print_setup;
