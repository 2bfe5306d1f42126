//! The kinds of events: one table, from which enum, bytes, columns and the tables of `spec/events.md` are made.

pub(crate) mod choice;
pub(crate) mod field;
pub(crate) mod kinds;
pub(crate) mod spec_table;
pub(crate) mod table;
pub(crate) mod types;
