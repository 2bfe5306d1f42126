//! The opcode tables as Markdown: what `spec/minewars-messages.md` prints.

use super::instructions::Row;
use super::table::tables;

/// The tables of messages and player updates, one Markdown table each, made from the tables that
/// the decoder and encoder are made from.
#[must_use]
pub fn opcode_tables() -> String {
    tables().iter().map(|(title, rows)| table(title, rows)).collect::<Vec<_>>().join("\n")
}

fn table(title: &str, rows: &[Row]) -> String {
    let head = "| v0.1 | current | text | class | meaning |\n|---|---|---|---|---|\n";
    let body: String = rows.iter().map(line).collect();
    format!("### {title}\n\n{head}{body}")
}

fn line(row: &Row) -> String {
    let [v01, current] = &row.patterns;
    let pattern = |pattern: &Option<super::pattern::Pattern>| match pattern {
        Some(pattern) => format!("`{}`", pattern.text()),
        None => "–".to_owned(),
    };
    format!(
        "| {} | {} | {} | {} | {} |\n",
        pattern(v01),
        pattern(current),
        text(row),
        class(row),
        row.meaning.trim(),
    )
}

/// Every word, and the operands after the first: `` `TILE tile kind@k` ``.
fn text(row: &Row) -> String {
    let operands: String = row.operands.iter().map(operand).collect();
    let others: String = row.words[1..].iter().map(|word| format!(", `{word}`")).collect();
    format!("`{}{operands}`{others}", row.words[0])
}

fn operand((name, kind, letter): &(&str, &str, &str)) -> String {
    let kind = kind.trim_end_matches("<'a>");
    match *letter {
        "-" => format!(" {name}:{kind}"),
        letter => format!(" {name}:{kind}@{letter}"),
    }
}

fn class(row: &Row) -> String {
    match row.own {
        _ if row.class.contains('.') => "by update".to_owned(),
        Some(own) => format!("{}, own {own}", row.class),
        None => row.class.to_owned(),
    }
}
