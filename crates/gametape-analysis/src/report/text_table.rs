//! Tables of text: columns as wide as what is in them.

pub use gametape_wire::text::{printable, thousands};

/// How a column is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Texts.
    Left,
    /// Numbers.
    Right,
}

/// Rows below a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextTable {
    heading: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// No rows yet below this heading. A name may have two lines: `kills\n(value)`.
    #[must_use]
    pub fn new(heading: &[(&str, Align)]) -> Self {
        let heading = heading.iter().map(|(name, align)| ((*name).to_owned(), *align)).collect();
        Self { heading, rows: Vec::new() }
    }

    /// Adds a row, with a cell for each column.
    pub fn add(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// Are there no rows?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many lines the heading has: two if a name has two.
    #[must_use]
    pub fn heading_lines(&self) -> usize {
        1 + usize::from(self.heading.iter().any(|(name, _)| name.contains('\n')))
    }

    /// The aligned lines, the heading first, without line ends.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let names =
            || self.heading.iter().map(|(name, _)| name.split_once('\n').unwrap_or((name, "")));
        let heading = [names().map(|name| name.0).collect(), names().map(|name| name.1).collect()];
        let owned = |line: Vec<&str>| line.into_iter().map(ToOwned::to_owned).collect();
        let heading: [Vec<String>; 2] = heading.map(owned);
        let heading: &[Vec<String>] = &heading[..self.heading_lines()];
        let rows: Vec<&Vec<String>> = heading.iter().chain(&self.rows).collect();
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.heading.len()).map(width).collect();
        rows.iter().map(|row| self.line(row, &widths)).collect()
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        let cells =
            row.iter().zip(widths).zip(&self.heading).map(
                |((cell, width), (_, align))| match align {
                    Align::Left => format!("{cell:<width$}"),
                    Align::Right => format!("{cell:>width$}"),
                },
            );
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_below_each_other() {
        let mut table = TextTable::new(&[("who", Align::Left), ("n", Align::Right)]);
        table.add(vec!["Ana".into(), "7".into()]);
        table.add(vec!["Éva-Li".into(), thousands(1000)]);
        assert_eq!(table.lines(), ["who         n", "Ana         7", "Éva-Li  1,000"]);
    }

    #[test]
    fn headings_may_have_two_lines() {
        let mut table = TextTable::new(&[("who", Align::Left), ("kills\n(value)", Align::Right)]);
        table.add(vec!["Ana".into(), "7 (9)".into()]);
        assert_eq!(table.lines(), ["who    kills", "     (value)", "Ana    7 (9)"]);
    }
}
