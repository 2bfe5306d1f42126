//! Is a recording sound? Every rule of its format, and of a tape what only playing shows.
//!
//! Each result serialises as the object that `gametape verify --json` prints.

mod gamelog;
mod minewars;
mod tape;

use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use serde::Serialize;

use crate::text::{count, printable, thousands};
pub use gamelog::GamelogCheck;
pub use minewars::MinewarsCheck;
pub(crate) use tape::visit_keyframes;
pub use tape::{Level, TapeCheck, TapeChecks, check_keyframes};

/// The result of checking a recording of some kind.
pub trait Checked {
    /// Are there no errors?
    fn is_sound(&self) -> bool;

    /// The result for machines.
    fn report(&self) -> impl Serialize;

    /// The result for people, with at most this many findings of each rule.
    fn to_text(&self, shown_per_rule: u64) -> String;
}

/// A line for each of the first findings of a rule, then how many more there are.
struct Digest {
    text: String,
    shown_per_rule: u64,
    rules: BTreeMap<&'static str, Tally>,
}

/// Findings of one rule.
struct Tally {
    severity: &'static str,
    shown: u64,
    hidden: u64,
}

impl Digest {
    fn new(shown_per_rule: u64) -> Self {
        Self { text: String::new(), shown_per_rule, rules: BTreeMap::new() }
    }

    fn tally(&mut self, severity: &'static str, rule: &'static str) -> &mut Tally {
        self.rules.entry(rule).or_insert(Tally { severity, shown: 0, hidden: 0 })
    }

    fn add(&mut self, severity: &'static str, rule: &'static str, finding: &impl Display) {
        let most = self.shown_per_rule;
        let tally = self.tally(severity, rule);
        if tally.shown < most {
            tally.shown += 1;
            let _ = writeln!(self.text, "{severity}: {}", printable(&finding.to_string()));
        } else {
            tally.hidden += 1;
        }
    }

    /// Counts findings that were not kept.
    fn add_hidden(&mut self, severity: &'static str, rule: &'static str, more: u64) {
        if more > 0 {
            self.tally(severity, rule).hidden += more;
        }
    }

    /// All of it, with a last line.
    fn finish(mut self, conclusion: impl Display) -> String {
        for (rule, Tally { severity, hidden, .. }) in self.rules.iter().filter(|r| r.1.hidden > 0) {
            let _ = writeln!(self.text, "{severity}: {rule}: {} more", thousands(*hidden));
        }
        self.text + &format!("{conclusion}\n")
    }
}

/// `sound: 0 errors, 1 warning`
fn conclusion(errors: u64, warnings: u64) -> String {
    let sound = if errors == 0 { "sound" } else { "not sound" };
    format!("{sound}: {}, {}", count(errors, "error"), count(warnings, "warning"))
}
