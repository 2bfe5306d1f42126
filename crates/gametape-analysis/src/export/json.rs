//! JSON lines.

use gametape_wire::json;

use crate::event::table::AnalysisEvent;
use crate::export::column::{Column, List, Names, RowSink, Value};
use crate::export::match_info::MatchInfo;
use crate::export::schema::Table;

/// Appends an event as one line of JSON, its end of line included. Names are those of the columns;
/// columns that are empty are left out.
///
/// ```
/// use gametape_analysis::{AnalysisEvent, MatchInfo, NameId, json_line};
/// use gametape_wire::{Tick, TickLength};
///
/// let event = AnalysisEvent::UpgradeCompleted { tick: Tick(9), player: 2, upgrade_id: NameId(1) };
/// let mut info = MatchInfo::new(TickLength::from_micros(50_000).unwrap(), ["tank", "armour"]);
/// info.players.insert(2, "Ben".to_owned());
/// let mut line = String::new();
/// json_line(&event, &info, &mut line);
/// assert!(line.starts_with(r#"{"kind":"UpgradeCompleted","match_id":"","tape":"","tick":9,"#));
/// let end = r#""seconds":0.45,"player":2,"player_name":"Ben","upgrade_id":"armour"}"#;
/// assert!(line.ends_with(&format!("{end}\n")));
/// ```
pub fn json_line<N: Names>(event: &AnalysisEvent, info: &MatchInfo<N>, out: &mut String) {
    let kind = event.kind();
    out.push_str("{\"kind\":\"");
    out.push_str(kind.name());
    out.push('"');
    info.values(event, &mut JsonRow { columns: Table::Kind(kind).columns().iter(), out });
    out.push_str("}\n");
}

struct JsonRow<'o> {
    columns: std::slice::Iter<'static, Column>,
    out: &'o mut String,
}

impl RowSink for JsonRow<'_> {
    fn value(&mut self, value: Value<'_>) {
        let Some(column) = self.columns.next() else { return };
        if matches!(value, Value::Null) {
            return;
        }
        self.out.push_str(",\"");
        self.out.push_str(&column.name);
        self.out.push_str("\":");
        match value {
            Value::Null => {}
            Value::Bool(flag) => self.out.push_str(if flag { "true" } else { "false" }),
            Value::Unsigned(number) => push_number(self.out, number),
            Value::Signed(number) => push_number(self.out, number),
            Value::Float(number) => push_float(self.out, number),
            Value::Text(text) => json::push_str(text, self.out),
            Value::List(list) => {
                self.out.push('[');
                push_list(self.out, list, ',');
                self.out.push(']');
            }
        }
    }
}

pub(super) fn push_number(out: &mut String, number: impl itoa::Integer) {
    out.push_str(itoa::Buffer::new().format(number));
}

/// The shortest decimal that is this number, with a point so that it is no integer.
pub(super) fn push_float(out: &mut String, number: f64) {
    use std::fmt::Write;
    let _ = write!(out, "{number:?}");
}

pub(super) fn push_list(out: &mut String, list: List<'_>, between: char) {
    for (index, number) in list.iter().enumerate() {
        if index > 0 {
            out.push(between);
        }
        push_number(out, number);
    }
}
