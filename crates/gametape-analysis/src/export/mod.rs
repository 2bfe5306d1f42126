//! Exports: the same columns as JSON lines, as CSV and as Parquet.

mod csv;
mod json;
#[cfg(feature = "parquet")]
mod parquet;

pub use csv::CsvTable;
pub use json::json_line;
#[cfg(feature = "parquet")]
pub use parquet::ParquetTable;

/// The column that says which tape a row is from, where several are exported together.
pub const SOURCE_COLUMN: &str = "tape";
