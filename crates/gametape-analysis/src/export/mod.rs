//! Exports: the same columns as JSON lines and as CSV.

mod csv;
mod json;

pub use csv::CsvTable;
pub use json::json_line;
