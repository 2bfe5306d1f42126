//! The games that this tool knows.

pub(crate) use gametape_skirmish::registry::GAMES;
