//! The events of tapes as tables for people.

use gametape_analysis::report::TextTable;

use crate::text::shortened;
pub(crate) use gametape_files::{Observed, is_new};

/// A table, its heading dimmed.
pub(crate) fn table_text(table: &TextTable) -> String {
    table_within(table, usize::MAX)
}

/// The same, with lines of at most `width` characters: longer ones end in an ellipsis.
pub(crate) fn table_within(table: &TextTable, width: usize) -> String {
    let style = anstyle::Style::new().dimmed();
    let line = |(index, line): (usize, String)| match shortened(&line, width.saturating_sub(3)) {
        line if index < table.heading_lines() => format!("  {style}{line}{style:#}\n"),
        line => format!("  {line}\n"),
    };
    table.lines().into_iter().enumerate().map(line).collect()
}
