//! Writing results, and printing them.

pub(crate) use crate::terminal::colours_show;
pub(crate) use gametape_files::{
    Destination, Kind, Lines, Output, Printer, Target, allow_replacing, exists, may_replace, print,
    print_json, print_pieces,
};
