//! Is a recording sound? Every rule of its format, and of a tape what only playing shows.
//!
//! Each result serialises as the object that `gametape verify --json` prints.

mod gamelog;
mod minewars;
mod tape;

use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use gametape_wire::{Finding, Report, Severity};
use serde::Serialize;

use crate::text::{count, printable, thousands};
pub use gamelog::GamelogCheck;
pub use minewars::MinewarsCheck;
pub(crate) use tape::visit_keyframes;
pub use tape::{Level, TapeCheck, TapeChecks, check_keyframes};

/// The result of checking a recording of some kind.
pub trait Checked {
    /// What was found.
    fn found(&self) -> &Report;

    /// The result for machines.
    fn report(&self) -> impl Serialize;

    /// The result for people, with at most this many findings of each rule.
    fn to_text(&self, shown_per_rule: u64) -> String;

    /// Are there no errors?
    fn is_sound(&self) -> bool {
        self.found().is_sound()
    }
}

/// Findings of a rule that were made and not kept.
#[derive(Debug, Clone, Copy)]
struct Omitted {
    severity: Severity,
    rule: &'static str,
    count: u64,
}

/// How many findings of each rule were not kept, for machines.
fn omitted_by_rule(omitted: &[Omitted]) -> BTreeMap<&'static str, u64> {
    omitted.iter().map(|row| (row.rule, row.count)).collect()
}

/// What the result of every check says to machines first.
#[derive(Serialize)]
struct Totals<'c> {
    file: &'c str,
    ok: bool,
    errors: u64,
    warnings: u64,
}

impl<'c> Totals<'c> {
    fn of(file: &'c str, found: &Report) -> Self {
        let (errors, warnings) = (found.errors(), found.warnings());
        Self { file, ok: found.is_sound(), errors, warnings }
    }
}

/// A finding for machines, where it is about bytes.
#[derive(Serialize)]
struct FindingRow<'c> {
    severity: &'static str,
    rule: &'static str,
    class: &'static str,
    item: &'c str,
    problem: String,
    offset: Option<u64>,
}

impl<'c> FindingRow<'c> {
    fn of(finding: &'c Finding) -> Self {
        let error = &finding.error;
        Self {
            severity: finding.severity.name(),
            rule: finding.rule,
            class: error.class().name(),
            item: error.item(),
            problem: error.kind().to_string(),
            offset: error.offset(),
        }
    }
}

/// A result for people: how it ended, then a line for each of the first findings of a rule, then how
/// many more there are.
struct Digest {
    text: String,
    shown_per_rule: u64,
    rules: BTreeMap<&'static str, Tally>,
}

/// Findings of one rule.
struct Tally {
    severity: Severity,
    shown: u64,
    hidden: u64,
}

impl Digest {
    fn new(shown_per_rule: u64, omitted: &[Omitted]) -> Self {
        let mut digest = Self { text: String::new(), shown_per_rule, rules: BTreeMap::new() };
        for row in omitted {
            digest.tally(row.severity, row.rule).hidden += row.count;
        }
        digest
    }

    fn tally(&mut self, severity: Severity, rule: &'static str) -> &mut Tally {
        self.rules.entry(rule).or_insert(Tally { severity, shown: 0, hidden: 0 })
    }

    /// Adds a finding, which `text` describes.
    fn add(&mut self, finding: &Finding, text: impl Display) {
        let (most, severity) = (self.shown_per_rule, finding.severity);
        let tally = self.tally(severity, finding.rule);
        if tally.shown < most {
            tally.shown += 1;
            let _ = writeln!(self.text, "  {severity}: {}", printable(&text.to_string()));
        } else {
            tally.hidden += 1;
        }
    }

    /// All of it, below a line such as `match.tape: sound: 0 errors, 1 warning in 12 chunks`.
    fn finish(mut self, file: &str, found: &Report, checked: impl Display) -> String {
        for (rule, Tally { severity, hidden, .. }) in self.rules.iter().filter(|r| r.1.hidden > 0) {
            let _ = writeln!(self.text, "  {severity}: {rule}: {} more", thousands(*hidden));
        }
        let sound = if found.is_sound() { "sound" } else { "not sound" };
        let [errors, warnings] = [(found.errors(), "error"), (found.warnings(), "warning")]
            .map(|(n, what)| count(n, what));
        let file = printable(file);
        format!("{file}: {sound}: {errors}, {warnings} in {checked}\n{}", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_is_harmless_to_a_terminal() {
        let text = Digest::new(1, &[]).finish("a\x1b[2J\nb", &Report::default(), "0 chunks");
        assert_eq!(text, "a\\u{1b}[2J\\nb: sound: 0 errors, 0 warnings in 0 chunks\n");
    }
}
