//! What was recorded, as a tree.

use gametape_cadre::{Game, Markers};
use gametape_tape::{Row, SimSnapshot};
use gametape_wire::Result;
use gametape_wire::json::push_str;

use super::UnknownState;
use super::bytes::push_value;

/// More rows of one member are only counted.
const SHOWN_ROWS: usize = 10_000;
/// A tree has no more JSON than this, roughly.
const MOST_JSON: usize = 8 << 20;
/// Strings that no recording has: deltas are not merged here.
const MARKERS: [&str; 2] = ["\u{fdd0}removed", "\u{fdd0}length"];

impl UnknownState {
    /// The state and the updates of the last tick as a tree: `spec/scene.md`, section 12, rule 4.
    pub fn tree<'a>(&self, updates: impl IntoIterator<Item = &'a [u8]>) -> Result<Game> {
        let json = self.json(updates);
        Game::from_json(json.as_bytes(), Markers::new(MARKERS[0], MARKERS[1]))
    }

    /// The JSON of the tree.
    #[must_use]
    pub fn json<'a>(&self, updates: impl IntoIterator<Item = &'a [u8]>) -> String {
        let mut pen = Pen { json: "{".to_owned() };
        if let Some(tick) = self.keyframe() {
            pen.member("keyframe");
            let Self { updates, bytes, .. } = self;
            pen.json += &format!(r#"{{"tick":{tick},"updates":{updates},"bytes":{bytes}}}"#);
        }
        pen.list("updates", updates.into_iter(), push_value);
        if let Some(keyframe) = &self.keyframe {
            pen.snapshot(keyframe);
        }
        pen.json.push('}');
        pen.json
    }
}

/// Writes the members of an object.
struct Pen {
    json: String,
}

impl Pen {
    fn snapshot(&mut self, snapshot: &SimSnapshot) {
        let core = &snapshot.core;
        if let Ok(bytes) = snapshot.to_opaque() {
            return self.bytes("state", Some(&bytes));
        }
        self.rows("players", core.players.iter(), ToString::to_string);
        let tag = |tag: &gametape_tape::UnitTag| format!("{}.{}", tag.index, tag.generation);
        self.rows("entities", core.entities.iter(), tag);
        let cells = core.map.iter().map(|(cell, value)| {
            let z = if cell.z == 0 { String::new() } else { format!(",{}", cell.z) };
            (format!("{},{}{z}", cell.x, cell.y), value)
        });
        self.values("map", cells);
        let sections = core.sections.iter().map(|(name, value)| (name.clone(), value));
        self.values("sections", sections);
        let strings = core.intern_table.entries.iter().map(String::as_str);
        self.list("strings", strings, push_str);
        if core.seed != 0 {
            self.member("seed");
            self.json += &core.seed.to_string();
        }
        let random = Some(&*core.random_state).filter(|bytes| !bytes.is_empty());
        self.bytes("random", random);
        self.bytes("campaign", snapshot.campaign_state.as_deref());
        self.bytes("script", snapshot.script_state.as_deref());
    }

    /// Begins a member.
    fn member(&mut self, name: &str) {
        if !self.json.ends_with(['{', '[']) {
            self.json.push(',');
        }
        push_str(name, &mut self.json);
        self.json.push(':');
    }

    fn bytes(&mut self, name: &str, bytes: Option<&[u8]>) {
        if let Some(bytes) = bytes {
            self.member(name);
            push_value(bytes, &mut self.json);
        }
    }

    /// Rows of slots, by their keys.
    fn rows<'a, K: 'a>(
        &mut self,
        name: &str,
        rows: impl Iterator<Item = Row<'a, K>>,
        key: impl Fn(&K) -> String,
    ) {
        self.members(name, rows, |pen, row| {
            pen.member(&key(row.key));
            pen.json.push('{');
            for (slot, value) in row.slots() {
                pen.member(&slot.to_string());
                push_value(value, &mut pen.json);
            }
            pen.json.push('}');
        });
    }

    /// Values by their keys.
    fn values<'a>(&mut self, name: &str, values: impl Iterator<Item = (String, &'a [u8])>) {
        self.members(name, values, |pen, (key, value)| {
            pen.member(&key);
            push_value(value, &mut pen.json);
        });
    }

    /// An object, unless it is empty; of too many members the first, and how many there are.
    fn members<T>(
        &mut self,
        name: &str,
        mut all: impl Iterator<Item = T>,
        write: impl Fn(&mut Self, T),
    ) {
        let Some(first) = all.next() else { return };
        self.member(name);
        self.json.push('{');
        write(self, first);
        let mut written = 1;
        while written < SHOWN_ROWS && self.json.len() < MOST_JSON {
            let Some(next) = all.next() else { break };
            write(self, next);
            written += 1;
        }
        self.rest(all.count(), true);
        self.json.push('}');
    }

    /// A list, unless it is empty.
    fn list<T>(
        &mut self,
        name: &str,
        mut all: impl Iterator<Item = T>,
        write: impl Fn(T, &mut String),
    ) {
        let Some(first) = all.next() else { return };
        self.member(name);
        self.json.push('[');
        write(first, &mut self.json);
        let mut written = 1;
        while written < SHOWN_ROWS && self.json.len() < MOST_JSON {
            let Some(next) = all.next() else { break };
            self.json.push(',');
            write(next, &mut self.json);
            written += 1;
        }
        self.rest(all.count(), false);
        self.json.push(']');
    }

    /// How many are left out.
    fn rest(&mut self, left: usize, is_object: bool) {
        match (left, is_object) {
            (0, _) => {}
            (left, true) => {
                self.member("…");
                self.json += &format!(r#""{left} more""#);
            }
            (left, false) => self.json += &format!(r#","… {left} more""#),
        }
    }
}

#[cfg(test)]
mod tests {
    use gametape_tape::{CellPos, UnitTag};
    use gametape_wire::Tick;

    use super::*;

    fn state(snapshot: &SimSnapshot) -> UnknownState {
        let mut state = UnknownState::default();
        state.enter(snapshot);
        state
    }

    #[test]
    fn the_example_of_the_spec() {
        let mut state = state(&SimSnapshot::opaque(Tick(300), &42u64.to_le_bytes()).unwrap());
        state.take(&[7]);
        state.take(&[2]);
        let expected = r#"{"keyframe":{"tick":300,"updates":2,"bytes":2},"updates":["02 = 2"],"state":"2a00000000000000 = 42"}"#;
        assert_eq!(state.json([&[2][..]]), expected);
        assert_eq!(UnknownState::default().json([]), "{}");
    }

    #[test]
    fn everything_of_a_snapshot_is_in_its_tree() {
        let mut snapshot = SimSnapshot::default();
        let core = &mut snapshot.core;
        (core.tick, core.seed, core.random_state) = (Tick(9), 5, vec![1, 2, 3]);
        core.intern_table.entries.push("wall".to_owned());
        core.players.push(2, &[(0, b"Ana"), (3, &[7])]).unwrap();
        core.entities.push(UnitTag { index: 4, generation: 1 }, &[(0, br#"{"hp":3}"#)]).unwrap();
        core.map.push(CellPos { x: -1, y: 2, z: 0 }, &[1, 0]).unwrap();
        core.map.push(CellPos { x: 1, y: 2, z: 3 }, &[2, 0]).unwrap();
        core.sections.push("weather".to_owned(), b"rain").unwrap();
        snapshot.script_state = Some(b"x = 1".to_vec());
        let game = state(&snapshot).tree([]).unwrap();
        let at = |path: &str| {
            let node = game.state().get(path).unwrap_or_else(|| panic!("nothing at {path}"));
            String::from_utf8(node.canonical()).unwrap()
        };
        assert_eq!(at("keyframe.tick"), "9");
        assert_eq!(
            (at("players.2.0"), at("players.2.3")),
            (r#""Ana""#.into(), r#""07 = 7""#.into())
        );
        assert_eq!(at(r"entities.4\.1.0.hp"), "3");
        assert_eq!(at("map.-1,2"), r#""0100 = 1""#);
        assert_eq!(at("map.1,2,3"), r#""0200 = 2""#);
        assert_eq!(
            (at("sections.weather"), at("strings.0")),
            (r#""rain""#.into(), r#""wall""#.into())
        );
        assert_eq!((at("seed"), at("random")), ("5".into(), r#""010203""#.into()));
        assert_eq!(at("script"), r#""x = 1""#);
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let mut snapshot = SimSnapshot::default();
        for x in 0..SHOWN_ROWS as i32 + 5 {
            snapshot.core.map.push(CellPos { x, y: 0, z: 0 }, &[1]).unwrap();
        }
        let game = state(&snapshot).tree([]).unwrap();
        let rest = game.state().get("map.…").unwrap();
        assert_eq!(rest.as_str().as_deref(), Some("5 more"));
        let updates = vec![&[0xffu8; 64][..]; 12_000];
        let game = UnknownState::default().tree(updates).unwrap();
        assert_eq!(game.state().get("updates").unwrap().len(), SHOWN_ROWS + 1);
    }

    #[test]
    fn a_recording_that_speaks_of_deltas_is_shown_too() {
        let snapshot = SimSnapshot::opaque(Tick(1), br#"{"a":"&RM","b":{"&LEN":3}}"#).unwrap();
        let game = state(&snapshot).tree([]).unwrap();
        assert_eq!(game.state().get("state.a").unwrap().as_str().as_deref(), Some("&RM"));
    }
}
