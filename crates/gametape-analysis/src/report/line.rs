//! An event as one line for people, with every field that it has.

use std::fmt::{self, Write};

use gametape_tape::UnitTag;

use super::text_table::printable;
use crate::event::table::AnalysisEvent;
use crate::event::types::{WorldPos, tag_text};
use crate::export::column::{Column, ColumnType, List, Names, RowSink, Value};
use crate::export::match_info::MatchInfo;
use crate::export::schema::Table;

/// Of longer lists only the beginning is shown, and how long they are.
const SHOWN: usize = 6;

/// Does one of these players take part in the event?
#[must_use]
pub fn involves(event: &AnalysisEvent, players: &[u8]) -> bool {
    struct Search<'p> {
        columns: std::slice::Iter<'static, Column>,
        players: &'p [u8],
        found: bool,
    }
    impl RowSink for Search<'_> {
        fn value(&mut self, value: Value<'_>) {
            let is_player = self.columns.next().is_some_and(Column::is_player);
            if let Value::Unsigned(number) = value
                && is_player
            {
                self.found |= self.players.iter().any(|player| u64::from(*player) == number);
            }
        }
    }
    let columns = Table::own_columns(event.kind()).iter();
    let mut search = Search { columns, players, found: false };
    event.values(&[""; 0], &mut search);
    search.found
}

/// `     240       0:12 UnitDestroyed         tag 7.1, owner 2 Ben, unit type wall, pos 3,-2`
#[derive(Debug, Clone, Copy)]
pub struct EventLine<'a, N> {
    /// The event.
    pub event: &'a AnalysisEvent,
    /// The match that it is from.
    pub info: &'a MatchInfo<N>,
}

impl<N: Names> EventLine<'_, N> {
    /// Its fields alone: `tag 7.1, owner 2 Ben, unit type wall, pos 3,-2`
    #[must_use]
    pub fn details(&self) -> String {
        let mut details = Details {
            columns: Table::own_columns(self.event.kind()).iter(),
            info: self.info,
            position: Vec::new(),
            units: Vec::new(),
            text: String::new(),
        };
        self.event.values(&self.info.names, &mut details);
        details.text
    }
}

impl<N: Names> fmt::Display for EventLine<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tick, kind) = (self.event.tick(), self.event.kind());
        let time = self.info.time(tick).to_string();
        let line = format!("{tick:>8} {time:>10} {:<21} {}", kind.name(), self.details());
        f.write_str(line.trim_end())
    }
}

/// Collects the fields of a row.
struct Details<'a, N> {
    columns: std::slice::Iter<'static, Column>,
    info: &'a MatchInfo<N>,
    /// Coordinates of a position so far.
    position: Vec<i64>,
    /// The lists of units and their coordinates so far.
    units: Vec<Vec<i64>>,
    text: String,
}

/// The position that a column is a coordinate of, and the axis.
fn coordinate(column: &Column) -> Option<(&str, &str)> {
    let is_number = matches!(column.column_type, ColumnType::I32 | ColumnType::ListI32);
    let (position, axis) = column.name.rsplit_once('_')?;
    (is_number && ["x", "y", "z"].contains(&axis)).then_some((position, axis))
}

impl<N: Names> Details<'_, N> {
    fn add(&mut self, column: &str, value: &str) {
        if !self.text.is_empty() {
            self.text.push_str(", ");
        }
        let label = column.trim_start_matches("stats_").trim_start_matches("traits_");
        let _ = write!(self.text, "{} {value}", label.replace('_', " "));
    }

    fn signed(&mut self, column: &Column, number: i64) {
        let Some((position, axis)) = coordinate(column) else {
            return self.add(&column.name, &number.to_string());
        };
        self.position.push(number);
        if axis == "z" {
            let text = position_text(&std::mem::take(&mut self.position));
            self.add(position, &text);
        }
    }

    fn unsigned(&mut self, column: &Column, number: u64) {
        let text = match column.name.as_str() {
            "tick" => return,
            _ if column.is_player() => self.player(number),
            name if name.ends_with("tag") => tag(number as i64),
            _ => number.to_string(),
        };
        self.add(&column.name, &text);
    }

    fn player(&self, number: u64) -> String {
        let name = u8::try_from(number).ok().and_then(|number| self.info.player(number));
        name.map_or(number.to_string(), |name| format!("{number} {}", printable(name)))
    }

    fn list(&mut self, column: &Column, list: List<'_>) {
        match coordinate(column) {
            Some((_, "x" | "y")) => self.units.push(list.iter().collect()),
            Some((position, _)) => {
                self.units.push(list.iter().collect());
                let units = std::mem::take(&mut self.units);
                let unit = |index: usize| {
                    let of = |list: &Vec<i64>| list.get(index).copied().unwrap_or(0);
                    let at: Vec<i64> = units[1..].iter().map(of).collect();
                    format!("{} at {}", tag(of(&units[0])), position_text(&at))
                };
                let count = units.first().map_or(0, Vec::len);
                let text = shortened((0..count).map(unit), count, ", ");
                self.add(position, &text);
            }
            // Lists of coordinates follow.
            None if column.name == "positions_tag" => self.units = vec![list.iter().collect()],
            None => {
                let text = shortened(list.iter().map(tag), list.iter().count(), " ");
                self.add(&column.name, &text);
            }
        }
    }
}

fn shortened(items: impl Iterator<Item = String>, count: usize, between: &str) -> String {
    let shown: Vec<String> = items.take(SHOWN).collect();
    let more = if count > SHOWN { format!(" … {count} in all") } else { String::new() };
    format!("[{}{more}]", shown.join(between))
}

impl<N: Names> RowSink for Details<'_, N> {
    fn value(&mut self, value: Value<'_>) {
        let Some(column) = self.columns.next() else { return };
        match value {
            Value::Null => {}
            Value::Bool(flag) => self.add(&column.name, if flag { "yes" } else { "no" }),
            Value::Unsigned(number) => self.unsigned(column, number),
            Value::Signed(number) => self.signed(column, number),
            Value::Float(number) => self.add(&column.name, &number.to_string()),
            Value::Text(text) => self.add(&column.name, &printable(text)),
            Value::List(list) => self.list(column, list),
        }
    }
}

fn tag(number: i64) -> String {
    tag_text(UnitTag { index: number as u16, generation: (number >> 16) as u16 })
}

/// x, y and, where it is not 0, z in cells: most matches are flat.
fn position_text(position: &[i64]) -> String {
    let shown =
        if position.last() == Some(&0) { &position[..position.len() - 1] } else { position };
    shown.iter().map(|value| cells(*value)).collect::<Vec<_>>().join(",")
}

/// A coordinate in cells.
fn cells(value: i64) -> String {
    let per_cell = i64::from(WorldPos::PER_CELL);
    match value % per_cell {
        0 => (value / per_cell).to_string(),
        _ => format!("{:.2}", value as f64 / per_cell as f64),
    }
}

#[cfg(test)]
mod tests {
    use gametape_wire::{Tick, TickLength};

    use super::*;
    use crate::event::types::{MatchOutcome, NameId, UnitTraits};

    fn unit(index: u16) -> UnitTag {
        UnitTag { index, generation: 1 }
    }

    fn destroyed() -> AnalysisEvent {
        AnalysisEvent::UnitDestroyed {
            tick: Tick(240),
            tag: unit(7),
            killer_tag: None,
            killer_owner: Some(1),
            owner: 2,
            unit_type: NameId(0),
            pos: WorldPos { x: 2048, y: -512, z: 0 },
            value: 300,
            traits: UnitTraits::STRUCTURE,
        }
    }

    fn line(event: &AnalysisEvent) -> String {
        let mut info = MatchInfo::new(TickLength::from_micros(50_000).unwrap(), ["wall"]);
        info.players.insert(2, "Ben".to_owned());
        EventLine { event, info: &info }.to_string()
    }

    #[test]
    fn a_line_says_who_and_where() {
        let expected = "     240       0:12 UnitDestroyed         tag 7.1, killer owner 1, owner 2 Ben, \
                        unit type wall, pos 2,-0.50, value 300, structure yes, technology no, \
                        superweapon no";
        assert_eq!(line(&destroyed()), expected);
    }

    #[test]
    fn values_of_sides_are_no_coordinates() {
        let started = AnalysisEvent::EngagementStarted {
            tick: Tick(20),
            center_pos: WorldPos { x: 1024, y: 0, z: 1024 },
            friendly_units: vec![unit(1)],
            enemy_units: (2..10).map(unit).collect(),
            value_friendly: 300,
            value_enemy: 64,
            engagement_id: 5,
        };
        let expected = "center pos 1,0,1, friendly units [1.1], \
                        enemy units [2.1 3.1 4.1 5.1 6.1 7.1 … 8 in all], \
                        value friendly 300, value enemy 64, engagement id 5";
        assert!(line(&started).ends_with(expected), "{}", line(&started));
    }

    #[test]
    fn samples_say_where_each_unit_is() {
        let at = |x| WorldPos { x, y: -1024, z: 0 };
        let positions = vec![(unit(3), at(1024)), (unit(4), at(2048))];
        let sample = AnalysisEvent::UnitPositionSample { tick: Tick(20), positions };
        assert!(
            line(&sample).ends_with("positions [3.1 at 1,-1, 4.1 at 2,-1]"),
            "{}",
            line(&sample)
        );
    }

    #[test]
    fn players_are_found_in_every_role() {
        assert!(involves(&destroyed(), &[1]) && involves(&destroyed(), &[3, 2]));
        assert!(!involves(&destroyed(), &[3]));
        let outcome = MatchOutcome::Completed { winner: 3, reason: NameId(1) };
        assert!(involves(&AnalysisEvent::MatchEnded { tick: Tick(1), outcome }, &[3]));
        let draw = AnalysisEvent::MatchEnded { tick: Tick(1), outcome: MatchOutcome::Draw };
        assert!(!involves(&draw, &[3]));
    }
}
