//! The list of what was removed.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::failure::{Done, Outcome, note, warn};
use crate::input::Source;
use crate::output::{Target, print_json};
use crate::text::thousands;

/// What was removed or changed, in the order in which it was found first.
#[derive(Debug, Default)]
pub(super) struct Removed {
    rows: Vec<Row>,
    remaining: BTreeSet<String>,
}

#[derive(Debug, Serialize)]
struct Row {
    what: String,
    count: u64,
}

#[derive(Serialize)]
struct Report<'a> {
    file: String,
    output: String,
    removed: &'a [Row],
    remaining: &'a BTreeSet<String>,
}

impl Removed {
    pub(super) fn add(&mut self, what: &str, count: u64) {
        match self.rows.iter_mut().find(|row| row.what == what) {
            Some(row) => row.count += count,
            None if count == 0 => {}
            None => self.rows.push(Row { what: what.to_owned(), count }),
        }
    }

    /// Something that should not be there cannot be removed.
    pub(super) fn remains(&mut self, what: String) {
        self.remaining.insert(what);
    }

    pub(super) fn tell(&self, (source, target): (&Source, &Target), json: bool) -> Outcome {
        if json {
            print_json(&Report {
                file: source.to_string(),
                output: target.to_string(),
                removed: &self.rows,
                remaining: &self.remaining,
            })?;
            return Ok(Done::Fine);
        }
        for Row { what, count } in &self.rows {
            note(source, format_args!("removed: {what}: {}", thousands(*count)));
        }
        if self.rows.is_empty() {
            note(source, "nothing was found that tells who played");
        }
        for what in &self.remaining {
            warn(source, format_args!("still there: {what}"));
        }
        Ok(Done::Fine)
    }
}
