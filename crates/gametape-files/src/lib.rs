//! Recordings as files: opened by their content, many at once, and written as a whole or not at all.
//!
//! What every program needs that works on files of recordings, so that each is only arguments and a terminal, or a
//! binding to another language:
//!
//! - [`Source`] opens a file or standard input, whatever it is; [`TapeFile`] reads a tape range by range.
//! - [`Files`] works on many files and the recordings in folders, on all cores, with output in the order of the input.
//! - [`Target`], [`Output`] write a result: nothing is replaced unless that is allowed, a file is there as a whole or
//!   not at all, and modes of replaced files stay. [`Rewriting`] makes one result of each file.
//! - [`Failure`], [`Done`] say how work ended; [`Host`] is the program that shows it, and how far it is.
//! - [`KeptMatches`] takes the tapes of finished matches.
//! - [`open_stage`] opens a recording to be looked at, and reports its problems.
//! - [`Observed`] reads the events of a tape; [`read_secret`], [`write_pair`] files with keys.
//!
//! ```
//! use gametape_files::{Kind, Source, Target};
//!
//! let folder = tempfile::tempdir()?;
//! let target = Target::File(folder.path().join("match.tape"));
//! assert!(target.write(Kind::Tape, &Source::Stdin, b"first").is_ok());
//! let again = target.write(Kind::Tape, &Source::Stdin, b"second");
//! assert!(again.is_err_and(|failure| failure.exit_code() == 2), "nothing is replaced");
//! let wrong = Target::File(folder.path().join("match.png")).write(Kind::Tape, &Source::Stdin, b"first");
//! assert!(wrong.is_err_and(|failure| failure.to_text().contains("ends in .tape")));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! What it does not do: it knows no format (`gametape-replay` does), draws nothing and reads no arguments. What is
//! refused is said in the words of the tool: its options are named.

mod events;
mod host;
mod kept;
mod key;
mod many;
mod memory;
mod outcome;
mod output;
mod print;
mod remote;
mod rewrite;
mod source;
mod spool;
mod stage;
pub mod streams;
mod tape;
mod target;

pub use events::{Observed, is_new};
pub use host::{
    BytesBar, FilesBar, Host, Saying, note, set_host, take_loss, waiting, warn, warn_of_each,
    warn_of_loss,
};
pub use kept::{Kept, KeptMatches};
pub use key::{PublicKeyArg, read_secret, write_pair};
pub use many::{Files, Gathered, OfFile};
pub use memory::{Size, max_memory, set_max_memory, share_memory};
pub use outcome::{Done, Failure, Outcome, Worst};
pub use output::{Output, Unwritten};
pub use print::{Lines, Printer, print, print_json, print_pieces};
pub use rewrite::{Report, Rewriting, Written, check_apart};
pub use source::{Opened, Reading, Source, format_of};
pub use spool::Spooled;
pub use stage::{Begin, open_followed, open_stage, silent_stage, warn_of_problems};
pub use tape::{TapeFile, warn_of_losses};
pub use target::{Destination, Kind, Target, allow_replacing, exists, make_folder, may_replace};
