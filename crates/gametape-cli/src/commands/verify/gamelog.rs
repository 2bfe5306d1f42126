//! Checking a gamelog.

use std::collections::BTreeMap;

use gametape_cadre::{Finding, Problem, Severity, Verdict, verify};
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
    /// Of each rule the first ones.
    findings: Vec<Finding>,
    /// How many more there were, and how bad these are.
    omitted: BTreeMap<&'static str, (&'static str, u64)>,
}

impl Checked {
    /// Checks a log and keeps so many findings of each rule.
    pub(super) fn of(gamelog: &Gamelog<'_>, kept_per_rule: u64) -> Result<Self, Failure> {
        let log = gamelog.log()?;
        let mut findings = Vec::new();
        let mut kept = BTreeMap::<&'static str, u64>::new();
        let mut omitted = BTreeMap::new();
        let keep = |finding: Finding| {
            let rule = finding.problem.name();
            let kept = kept.entry(rule).or_default();
            if *kept < kept_per_rule {
                *kept += 1;
                findings.push(finding);
            } else {
                omitted.entry(rule).or_insert((severity(&finding.problem), 0)).1 += 1;
            }
        };
        let verdict = waiting("merging", || verify(&log, keep));
        let verdict = verdict.map_err(|error| gamelog.failure(&error))?;
        let hash = hex(&verdict.last_hash);
        let (file, deltas) = (gamelog.source.to_string(), log.len());
        Ok(Self { file, deltas, verdict, hash, findings, omitted })
    }
}

impl super::Checked for Checked {
    fn is_ok(&self) -> bool {
        self.verdict.errors == 0
    }

    fn report(&self) -> impl Serialize {
        Report {
            file: &self.file,
            ok: self.verdict.errors == 0,
            errors: self.verdict.errors,
            warnings: self.verdict.warnings,
            deltas: self.deltas,
            hash: &self.hash,
            findings: self.findings.iter().map(Row::of).collect(),
            omitted: self.omitted.iter().map(|(rule, (_, more))| (*rule, *more)).collect(),
        }
    }

    fn to_text(&self, shown_per_rule: u64) -> String {
        let mut digest = Digest::new(shown_per_rule);
        for finding in &self.findings {
            digest.add(severity(&finding.problem), finding.problem.name(), finding);
        }
        for (rule, (severity, more)) in &self.omitted {
            digest.add_hidden(severity, rule, *more);
        }
        let Verdict { errors, warnings, .. } = self.verdict;
        let sound = conclusion(errors as u64, warnings as u64);
        let deltas = count(self.deltas as u64, "delta");
        digest.finish(format_args!("{}: {sound} in {deltas}", self.file))
    }
}

fn severity(problem: &Problem) -> &'static str {
    match problem.severity() {
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

#[derive(Serialize)]
struct Report<'c> {
    file: &'c str,
    ok: bool,
    errors: usize,
    warnings: usize,
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
    delta: Option<usize>,
    path: &'c str,
}

impl<'c> Row<'c> {
    fn of(finding: &'c Finding) -> Self {
        let (severity, rule) = (severity(&finding.problem), finding.problem.name());
        let problem = finding.to_string();
        Self { severity, rule, problem, delta: finding.delta, path: &finding.path }
    }
}
