//! Writing results, and printing them.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};

pub(crate) use crate::terminal::colours_show;
pub(crate) use gametape_files::{
    Destination, Kind, Lines, Output, Printer, Target, allow_replacing, exists, make_folder,
    may_replace, print, print_json, print_pieces,
};

/// An argument that names a folder, or a file that several others are beside. `-` means a standard stream everywhere, and
/// an empty name is a variable that was not set: nothing is made under these by mistake.
pub(crate) fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|name: OsString| match name.to_str() {
        Some("-") => Err("that is standard output, and a name is needed here; ./- is one"),
        Some("") => Err("the name is empty"),
        _ => Ok(PathBuf::from(name)),
    })
}
