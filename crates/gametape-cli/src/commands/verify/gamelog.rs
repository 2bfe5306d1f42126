//! Checking a gamelog.

use std::collections::BTreeMap;

use gametape_cadre::{Verdict, path_in_game, verify};
use gametape_wire::Finding;
use serde::Serialize;

use super::{Digest, conclusion};
use crate::failure::Failure;
use crate::input::Gamelog;
use crate::progress::waiting;
use crate::text::{count, hex};

pub(super) struct Checked {
    file: String,
    deltas: usize,
    verdict: Verdict,
    hash: String,
}

/// More findings of one rule are never kept.
const MOST_PER_RULE: u64 = 100_000;

impl Checked {
    /// Checks a log and keeps this many findings of each rule.
    pub(super) fn of(gamelog: &Gamelog<'_>, kept_per_rule: u64) -> Result<Self, Failure> {
        let log = gamelog.log()?;
        let kept = kept_per_rule.min(MOST_PER_RULE) as usize;
        let verdict = waiting("merging", || verify(&log, kept));
        let verdict = verdict.map_err(|error| gamelog.failure(&error))?;
        let hash = hex(&verdict.last_hash);
        Ok(Self { file: gamelog.source.to_string(), deltas: log.len(), verdict, hash })
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

impl super::Checked for Checked {
    fn is_ok(&self) -> bool {
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
