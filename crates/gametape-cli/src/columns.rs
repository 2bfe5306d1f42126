//! Tables for people: columns as wide as what is in them, numbers to the right.

use anstyle::Style;

/// How a column is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Rows below a heading, aligned once all of them are known.
pub(crate) struct Columns<const N: usize> {
    align: [Align; N],
    rows: Vec<[String; N]>,
}

impl<const N: usize> Columns<N> {
    /// No rows yet below this heading.
    pub(crate) fn new(heading: [(&str, Align); N]) -> Self {
        Self { align: heading.map(|(_, align)| align), rows: vec![heading.map(|(h, _)| h.into())] }
    }

    pub(crate) fn add(&mut self, row: [String; N]) {
        self.rows.push(row);
    }

    pub(crate) fn into_text(self) -> String {
        let chars = |row: &[String; N], column: usize| row[column].chars().count();
        let widths: [usize; N] = std::array::from_fn(|column| {
            self.rows.iter().map(|row| chars(row, column)).max().unwrap_or(0)
        });
        let line = |row: &[String; N]| {
            let cells =
                row.iter().zip(widths).zip(self.align).map(|((cell, width), align)| match align {
                    Align::Left => format!("{cell:<width$}"),
                    Align::Right => format!("{cell:>width$}"),
                });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        let style = Style::new().dimmed();
        let mut lines = self.rows.iter().map(line);
        let heading = lines.next().unwrap_or_default();
        let heading = format!("  {style}{heading}{style:#}\n");
        heading + &lines.map(|line| format!("  {line}\n")).collect::<String>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_below_each_other() {
        let mut columns = Columns::new([("who", Align::Left), ("n", Align::Right)]);
        columns.add(["Ana".into(), "7".into()]);
        columns.add(["Éva-Li".into(), "1,000".into()]);
        let text = anstream::adapter::strip_str(&columns.into_text()).to_string();
        assert_eq!(text, "  who         n\n  Ana         7\n  Éva-Li  1,000\n");
    }
}
