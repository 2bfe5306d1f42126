//! The tables as Markdown: what `spec/events.md` prints.

use crate::event::choice::ChoiceRow;
use crate::event::kinds::{FieldRow, KindRow};
use crate::event::table::KINDS;
use crate::event::types::{GROUP_CHOICES, OUTCOME_CHOICES, STATS_FIELDS, VOTE_CHOICES};

/// The table of kinds, made from the table that the decoder and encoder are made from.
#[must_use]
pub fn kinds_table() -> String {
    let head = "| kind | name | stream | fields | meaning |\n|---|---|---|---|---|\n";
    let body: String = KINDS.iter().map(kind_line).collect();
    format!("{head}{body}")
}

fn kind_line(row: &KindRow) -> String {
    let fields: Vec<String> = row.fields.iter().map(field_text).collect();
    let (number, name, stream) = (row.number, row.name, row.stream.number());
    format!("| {number} | `{name}` | {stream} | {} | {} |\n", fields.join(", "), row.meaning.trim())
}

fn field_text(field: &FieldRow) -> String {
    let mut columns = Vec::new();
    (field.columns)(field.name, false, &mut columns);
    let missing = if columns.iter().all(|column| column.nullable) { " ?" } else { "" };
    format!("`{}` {}{missing}", field.name, field.field_type)
}

/// The tables of the types that have parts: choices and statistics.
#[must_use]
pub fn types_tables() -> String {
    let choices = [
        ("outcome", OUTCOME_CHOICES),
        ("vote step", VOTE_CHOICES),
        ("group action", GROUP_CHOICES),
    ];
    let mut text = String::from("| type | code | choice | carries |\n|---|---|---|---|\n");
    for (name, rows) in choices {
        text.extend(rows.iter().map(|row| choice_line(name, row)));
    }
    text.push_str("\n| stats | type | meaning |\n|---|---|---|\n");
    for (name, field_type, meaning) in STATS_FIELDS {
        text.push_str(&format!("| `{name}` | {field_type} | {} |\n", meaning.trim()));
    }
    text
}

fn choice_line(name: &str, (code, choice, carried): &ChoiceRow) -> String {
    let fields: Vec<String> =
        carried.iter().map(|(field, field_type)| format!("`{field}` {field_type}")).collect();
    format!("| {name} | {code} | `{choice}` | {} |\n", fields.join(", "))
}
