//! An event as one line for people.

use std::fmt::{self, Write};

use gametape_analysis::{
    AnalysisEvent, Column, List, NameTable, RowSink, Table, UnitTag, Value, WorldPos, tag_text,
};

use crate::events::Observed;
use crate::tape::milliseconds;
use crate::text::{clock, printable};

/// Columns whose name ends so are the numbers of players.
const ROLES: [&str; 6] = ["player", "owner", "winner", "leaver", "proposer", "voter"];
/// Of longer lists only the beginning is shown.
const SHOWN_TAGS: usize = 6;

fn is_role(column: &Column) -> bool {
    ROLES.contains(&column.name.rsplit('_').next().unwrap_or_default())
}

/// Does one of these players take part in the event?
pub(super) fn involves(event: &AnalysisEvent, players: &[u8]) -> bool {
    struct Search<'p> {
        columns: std::slice::Iter<'static, Column>,
        players: &'p [u8],
        found: bool,
    }
    impl RowSink for Search<'_> {
        fn value(&mut self, value: Value<'_>) {
            let is_player = self.columns.next().is_some_and(is_role);
            if let Value::Unsigned(number) = value
                && is_player
            {
                self.found |= self.players.iter().any(|player| u64::from(*player) == number);
            }
        }
    }
    let columns = Table::Kind(event.kind()).columns().iter();
    let mut search = Search { columns, players, found: false };
    event.values(&[""; 0], &mut search);
    search.found
}

/// What lines need to know about the match.
pub(super) struct Style {
    front: gametape_tape::TapeHeader,
    /// By number: ` Ana`, with a space before it.
    names: [String; 16],
}

impl Style {
    pub(super) fn of(observed: &Observed) -> Self {
        let name =
            |player| observed.player_name(player).map(|name| format!(" {}", printable(name)));
        let names = std::array::from_fn(|player| name(player as u8).unwrap_or_default());
        Self { front: observed.tape.header, names }
    }

    fn player(&self, number: u64) -> String {
        let name = usize::try_from(number).ok().and_then(|number| self.names.get(number));
        format!("{number}{}", name.map_or("", String::as_str))
    }
}

/// `    240 0:00:12.000 UnitDestroyed          owner 2 Ben, unit type wall, pos 3,-2`
pub(super) struct EventLine<'a> {
    pub(super) event: &'a AnalysisEvent,
    pub(super) names: &'a NameTable,
    pub(super) style: &'a Style,
}

impl fmt::Display for EventLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tick, kind) = (self.event.tick(), self.event.kind());
        let mut details = Details {
            columns: Table::Kind(kind).columns().iter(),
            style: self.style,
            place: String::new(),
            text: String::new(),
        };
        self.event.values(self.names, &mut details);
        let time = clock(milliseconds(&self.style.front, tick));
        let line = format!("{tick:>8} {time:>11} {:<21} {}", kind.name(), details.text);
        f.write_str(line.trim_end())
    }
}

/// Collects what is worth saying of a row.
struct Details<'a> {
    columns: std::slice::Iter<'static, Column>,
    style: &'a Style,
    /// Coordinates of a position so far.
    place: String,
    text: String,
}

impl Details<'_> {
    fn add(&mut self, column: &str, value: &str) {
        if !self.text.is_empty() {
            self.text.push_str(", ");
        }
        let label = column.trim_start_matches("stats_").replace('_', " ");
        let _ = write!(self.text, "{label} {value}");
    }

    /// A coordinate; the last one of a position completes it. Most matches are flat.
    fn coordinate(&mut self, column: &str, value: i64) {
        let Some((position, axis)) = column.rsplit_once('_') else { return };
        match axis {
            "x" => self.place = cells(value),
            "y" => self.place = format!("{},{}", self.place, cells(value)),
            _ if value != 0 => self.place = format!("{},{}", self.place, cells(value)),
            _ => {}
        }
        if axis == "z" {
            let place = std::mem::take(&mut self.place);
            self.add(position, &place);
        }
    }

    fn unsigned(&mut self, column: &Column, number: u64) {
        let text = match column.name.as_str() {
            "tick" => return,
            _ if is_role(column) => self.style.player(number),
            name if name.ends_with("tag") => tag(number as u32),
            _ => number.to_string(),
        };
        self.add(&column.name, &text);
    }

    /// A list of tags. Lists of coordinates belong to one, and would be too long.
    fn list(&mut self, column: &str, list: List<'_>) {
        if column.ends_with("_x") || column.ends_with("_y") || column.ends_with("_z") {
            return;
        }
        let length = list.iter().count();
        let tags: Vec<String> = list.iter().take(SHOWN_TAGS).map(|one| tag(one as u32)).collect();
        let more =
            if length > SHOWN_TAGS { format!(" … {length} in all") } else { String::new() };
        self.add(column, &format!("[{}{more}]", tags.join(" ")));
    }
}

impl RowSink for Details<'_> {
    fn value(&mut self, value: Value<'_>) {
        let Some(column) = self.columns.next() else { return };
        let name = column.name.as_str();
        match value {
            Value::Null => {}
            // Traits are told where they are there.
            Value::Bool(flag) if name.starts_with("traits_") => {
                if flag {
                    self.add(name.trim_start_matches("traits_"), "yes");
                }
            }
            Value::Bool(flag) => self.add(name, if flag { "yes" } else { "no" }),
            Value::Unsigned(number) => self.unsigned(column, number),
            Value::Signed(number) if name.ends_with(['x', 'y', 'z']) && name.contains('_') => {
                self.coordinate(name, number);
            }
            Value::Signed(number) => self.add(name, &number.to_string()),
            Value::Text(text) => self.add(name, &printable(text)),
            Value::List(list) => self.list(name, list),
        }
    }
}

fn tag(number: u32) -> String {
    tag_text(UnitTag { index: number as u16, generation: (number >> 16) as u16 })
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
    use super::*;
    use gametape_analysis::{MatchOutcome, NameId, UnitTraits};

    fn destroyed() -> AnalysisEvent {
        AnalysisEvent::UnitDestroyed {
            tick: 240,
            tag: UnitTag { index: 7, generation: 1 },
            killer_tag: None,
            killer_owner: Some(1),
            owner: 2,
            unit_type: NameId(0),
            pos: WorldPos { x: 2048, y: -512, z: 0 },
            value: 300,
            traits: UnitTraits::STRUCTURE,
        }
    }

    fn style() -> Style {
        let mut names: [String; 16] = Default::default();
        names[2] = " Ben".to_owned();
        Style { front: gametape_tape::TapeHeader::new(50_000, 1).unwrap(), names }
    }

    #[test]
    fn a_line_says_who_and_where() {
        let (event, names) = (destroyed(), NameTable::default());
        let line = EventLine { event: &event, names: &names, style: &style() }.to_string();
        let expected = "     240        0:12 UnitDestroyed         tag 7.1, killer owner 1, owner 2 Ben, \
                        unit type #0, pos 2,-0.50, value 300, structure yes";
        assert_eq!(line, expected);
    }

    #[test]
    fn players_are_found_in_every_role() {
        assert!(involves(&destroyed(), &[1]) && involves(&destroyed(), &[3, 2]));
        assert!(!involves(&destroyed(), &[3]));
        let outcome = MatchOutcome::Completed { winner: 3, reason: NameId(1) };
        assert!(involves(&AnalysisEvent::MatchEnded { tick: 1, outcome }, &[3]));
        let draw = AnalysisEvent::MatchEnded { tick: 1, outcome: MatchOutcome::Draw };
        assert!(!involves(&draw, &[3]));
    }
}
