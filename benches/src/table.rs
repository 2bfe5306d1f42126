//! Numbers and rows as text.

/// Rows of cells as lines with aligned columns: the first to the left, the others to the right.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(|column| width(rows, column)).collect();
    rows.iter().map(|row| line(row, &widths) + "\n").collect()
}

fn width(rows: &[Vec<String>], column: usize) -> usize {
    rows.iter()
        .filter_map(|row| row.get(column))
        .map(|cell| cell.chars().count())
        .max()
        .unwrap_or(0)
}

fn line(row: &[String], widths: &[usize]) -> String {
    let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, &width))| match column {
        0 => format!("{cell:<width$}"),
        _ => format!("{cell:>width$}"),
    });
    cells.collect::<Vec<String>>().join("  ").trim_end().to_owned()
}

/// A duration with three digits and the unit that suits it.
pub(crate) fn seconds(seconds: f64) -> String {
    let (scaled, unit) = match seconds {
        tiny if tiny < 1e-6 => (tiny * 1e9, "ns"),
        small if small < 1e-3 => (small * 1e6, "us"),
        medium if medium < 1.0 => (medium * 1e3, "ms"),
        large => (large, "s"),
    };
    format!("{} {unit}", three_digits(scaled))
}

/// A number with three digits, or all those before the point.
pub(crate) fn three_digits(number: f64) -> String {
    let decimals = match number {
        below_ten if below_ten < 9.995 => 2,
        below_hundred if below_hundred < 99.95 => 1,
        _ => 0,
    };
    format!("{number:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["name", "n"], ["a", "1000"], ["longer name", "7"]];
        let rows: Vec<Vec<String>> =
            rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
        let expected = "\
name            n
a            1000
longer name     7
";
        assert_eq!(aligned(&rows), expected);
    }

    #[test]
    fn a_short_row_ends_early() {
        let rows = [vec!["a".to_owned()], vec!["b".to_owned(), "2".to_owned()]];
        assert_eq!(aligned(&rows), "a\nb  2\n");
        assert_eq!(aligned(&[]), "");
    }

    #[test]
    fn durations_have_three_digits_and_a_unit() {
        assert_eq!(seconds(12.3456e-9), "12.3 ns");
        assert_eq!(seconds(1.5e-6), "1.50 us");
        assert_eq!(seconds(0.123_456), "123 ms");
        assert_eq!(seconds(2.0), "2.00 s");
        assert_eq!(three_digits(9.996), "10.0");
        assert_eq!(three_digits(12345.6), "12346");
    }
}
