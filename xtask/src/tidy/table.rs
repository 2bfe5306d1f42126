//! Tables of ARCHITECTURE.md, read for what they allow.

use anyhow::{Context, Result};
use xshell::Shell;

/// The rows of the first table after a heading, without its head, each as its cells.
pub(super) fn under(sh: &Shell, heading: &str) -> Result<Vec<Vec<String>>> {
    let text = sh.read_file("ARCHITECTURE.md")?;
    rows_under(&text, heading)
        .with_context(|| format!("ARCHITECTURE.md has no table under `{heading}`"))
}

fn rows_under(text: &str, heading: &str) -> Option<Vec<Vec<String>>> {
    let section = text.lines().skip_while(|line| *line != heading).skip(1);
    let section = section.take_while(|line| !line.starts_with("## "));
    let table = section.skip_while(|line| !line.starts_with('|'));
    let rows: Vec<_> = table.take_while(|line| line.starts_with('|')).skip(2).map(cells).collect();
    (!rows.is_empty()).then_some(rows)
}

fn cells(line: &str) -> Vec<String> {
    line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// The names in backticks of a cell.
pub(super) fn names(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(ToOwned::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_of_the_section() {
        let text = "## A\n\n| x |\n|---|\n| no |\n\n## B\ntext\n| x | y |\n|---|---|\n| `a` | `b`, `c` |\n";
        let rows = rows_under(text, "## B").unwrap();
        assert_eq!(rows, [["`a`", "`b`, `c`"]]);
        assert_eq!(names(&rows[0][1]), ["b", "c"]);
        assert_eq!(rows_under(text, "## C"), None);
    }
}
