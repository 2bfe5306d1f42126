//! Checking a gamelog.

use std::collections::BTreeMap;

use gametape_cadre::{Log, Options, Verdict, path_in_game, verify};
use gametape_wire::{Finding, Report, Result, Severity};
use serde::Serialize;

use super::{Checked, Digest, Omitted, Totals, omitted_by_rule};
use crate::text::{count, hex};

/// What the check of a gamelog came to: every delta is merged.
#[derive(Debug)]
pub struct GamelogCheck {
    file: String,
    deltas: usize,
    verdict: Verdict,
    hash: String,
}

/// More findings of one rule are never kept.
const MOST_PER_RULE: u64 = 100_000;

impl GamelogCheck {
    /// Checks a log, plain or gzip, and keeps this many findings of each rule.
    pub fn of(name: &str, stored: &[u8], options: &Options, kept_per_rule: u64) -> Result<Self> {
        let log = Log::open(stored, options)?;
        let verdict = verify(&log, kept_per_rule.min(MOST_PER_RULE) as usize)?;
        let hash = hex(&verdict.last_hash);
        Ok(Self { file: name.to_owned(), deltas: log.len(), verdict, hash })
    }

    /// The findings of each rule that are not kept; how bad these are is known from those that are.
    fn omitted(&self) -> Vec<Omitted> {
        let row = |(rule, count): (&&'static str, &u64)| Omitted {
            severity: Severity::Warning,
            rule,
            count: *count,
        };
        let mut omitted: Vec<Omitted> = self.verdict.counts.iter().map(row).collect();
        for finding in self.verdict.report.findings() {
            if let Some(row) = omitted.iter_mut().find(|row| row.rule == finding.rule) {
                row.severity = finding.severity;
                row.count -= 1;
            }
        }
        omitted.retain(|row| row.count > 0);
        omitted
    }
}

impl Checked for GamelogCheck {
    fn found(&self) -> &Report {
        &self.verdict.report
    }

    fn report(&self) -> impl Serialize {
        let found = &self.verdict.report;
        GamelogReport {
            totals: Totals::of(&self.file, found),
            deltas: self.deltas,
            hash: &self.hash,
            findings: found.findings().iter().map(Row::of).collect(),
            omitted: omitted_by_rule(&self.omitted()),
        }
    }

    fn to_text(&self, shown_per_rule: u64) -> String {
        let found = &self.verdict.report;
        let mut digest = Digest::new(shown_per_rule, &self.omitted());
        found.findings().iter().for_each(|finding| digest.add(finding, finding));
        digest.finish(&self.file, found, count(self.deltas as u64, "delta"))
    }
}

#[derive(Serialize)]
struct GamelogReport<'c> {
    #[serde(flatten)]
    totals: Totals<'c>,
    deltas: usize,
    hash: &'c str,
    findings: Vec<Row<'c>>,
    omitted: BTreeMap<&'static str, u64>,
}

#[derive(Serialize)]
struct Row<'c> {
    severity: &'static str,
    rule: &'static str,
    problem: String,
    delta: Option<u64>,
    path: &'c str,
}

impl<'c> Row<'c> {
    fn of(finding: &'c Finding) -> Self {
        Self {
            severity: finding.severity.name(),
            rule: finding.rule,
            problem: finding.to_string(),
            delta: finding.tick.map(|tick| tick.0),
            path: path_in_game(finding),
        }
    }
}
