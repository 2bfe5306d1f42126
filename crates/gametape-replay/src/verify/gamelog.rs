//! Checking a gamelog.

use std::collections::BTreeMap;

use gametape_cadre::{Log, Options, Verdict, path_in_game, verify};
use gametape_wire::{Finding, Result};
use serde::Serialize;

use super::{Checked, Digest, conclusion};
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

    /// How many findings of each rule are not kept, and how bad these are.
    fn omitted(&self) -> BTreeMap<&'static str, (&'static str, u64)> {
        let mut omitted: BTreeMap<_, _> =
            self.verdict.counts.iter().map(|(rule, count)| (*rule, ("warning", *count))).collect();
        for finding in self.verdict.report.findings() {
            if let Some((severity, count)) = omitted.get_mut(finding.rule) {
                *severity = finding.severity.name();
                *count -= 1;
            }
        }
        omitted.retain(|_, (_, count)| *count > 0);
        omitted
    }
}

impl Checked for GamelogCheck {
    fn is_sound(&self) -> bool {
        self.verdict.report.is_sound()
    }

    fn report(&self) -> impl Serialize {
        let report = &self.verdict.report;
        Report {
            file: &self.file,
            ok: report.is_sound(),
            errors: report.errors(),
            warnings: report.warnings(),
            deltas: self.deltas,
            hash: &self.hash,
            findings: report.findings().iter().map(Row::of).collect(),
            omitted: self.omitted().into_iter().map(|(rule, (_, more))| (rule, more)).collect(),
        }
    }

    fn to_text(&self, shown_per_rule: u64) -> String {
        let report = &self.verdict.report;
        let mut digest = Digest::new(shown_per_rule);
        for finding in report.findings() {
            digest.add(finding.severity.name(), finding.rule, finding);
        }
        for (rule, (severity, more)) in self.omitted() {
            digest.add_hidden(severity, rule, more);
        }
        let sound = conclusion(report.errors(), report.warnings());
        let deltas = count(self.deltas as u64, "delta");
        digest.finish(format_args!("{}: {sound} in {deltas}", self.file))
    }
}

#[derive(Serialize)]
struct Report<'c> {
    file: &'c str,
    ok: bool,
    errors: u64,
    warnings: u64,
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
