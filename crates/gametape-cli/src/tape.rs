//! Tapes as files, and files with keys.

pub(crate) use gametape_files::{PublicKeyArg, TapeFile, read_secret, warn_of_losses, write_pair};
