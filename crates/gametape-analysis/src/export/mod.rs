//! Exports: the same columns as JSON lines and as CSV.

pub(crate) mod column;
mod csv;
mod json;
pub(crate) mod match_info;
pub(crate) mod schema;

pub use csv::CsvTable;
pub use json::json_line;
