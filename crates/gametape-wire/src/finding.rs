//! What is wrong with a recording: one shape for whoever checks and whoever shows it.

use std::fmt;

use crate::error::Error;
use crate::time::Tick;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Severity {
    /// Unusual, and allowed.
    Note,
    /// Allowed, but probably not meant; or a loss that the recording itself declares.
    Warning,
    /// Against the rules of the format: the recording is not sound.
    Error,
}

impl Severity {
    /// The severity as one word, as text and JSON print it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One thing that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The rule that is broken, by a short name that does not change: `checksum`, `duplicate key`.
    pub rule: &'static str,
    /// What is wrong, and where.
    pub error: Error,
    /// When it happens, where that is known.
    pub tick: Option<Tick>,
    /// The first tick that it is over at, where it lasts and that is known.
    pub until: Option<Tick>,
}

impl Finding {
    /// A finding of any severity.
    #[must_use]
    pub fn new(severity: Severity, rule: &'static str, error: Error) -> Self {
        Self { severity, rule, error, tick: None, until: None }
    }

    /// A finding that is an error.
    #[must_use]
    pub fn error(rule: &'static str, error: Error) -> Self {
        Self::new(Severity::Error, rule, error)
    }

    /// A finding that is a warning.
    #[must_use]
    pub fn warning(rule: &'static str, error: Error) -> Self {
        Self::new(Severity::Warning, rule, error)
    }

    /// A finding that is a note.
    #[must_use]
    pub fn note(rule: &'static str, error: Error) -> Self {
        Self::new(Severity::Note, rule, error)
    }

    /// The same finding, at a tick.
    #[must_use]
    pub fn at_tick(self, tick: Tick) -> Self {
        Self { tick: Some(tick), ..self }
    }

    /// The same finding, over at a tick.
    #[must_use]
    pub fn until_tick(self, tick: Tick) -> Self {
        Self { until: Some(tick), ..self }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

/// What a check found: the first findings, and how many there are of each severity.
///
/// ```
/// use gametape_wire::{Error, Finding, Report};
///
/// let mut report = Report::default();
/// report.add(Finding::warning("duplicate key", Error::misuse("delta 3", "`x` is there twice")));
/// assert!(report.is_sound());
/// assert_eq!((report.errors(), report.warnings()), (0, 1));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    findings: Vec<Finding>,
    most: usize,
    counts: [u64; 3],
}

impl Default for Report {
    fn default() -> Self {
        Self::keeping(Self::MOST)
    }
}

impl Report {
    /// More findings than these are only counted, unless the caller says otherwise.
    pub const MOST: usize = 1000;

    /// An empty report that keeps at most `most` findings.
    #[must_use]
    pub fn keeping(most: usize) -> Self {
        Self { findings: Vec::new(), most, counts: [0; 3] }
    }

    /// Adds a finding.
    pub fn add(&mut self, finding: Finding) {
        self.counts[finding.severity as usize] += 1;
        if self.findings.len() < self.most {
            self.findings.push(finding);
        }
    }

    /// Counts findings that are not kept, for a check that keeps only some of each rule.
    pub fn add_omitted(&mut self, severity: Severity, count: u64) {
        self.counts[severity as usize] += count;
    }

    /// Adds all findings of another report.
    pub fn merge(&mut self, other: Self) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
        let room = self.most.saturating_sub(self.findings.len());
        self.findings.extend(other.findings.into_iter().take(room));
    }

    /// The findings that were kept, in the order in which they were made.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// How many findings were made, kept or not.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// How many findings were made and not kept.
    #[must_use]
    pub fn omitted(&self) -> u64 {
        self.count() - self.findings.len() as u64
    }

    /// How many errors there are.
    #[must_use]
    pub fn errors(&self) -> u64 {
        self.counts[Severity::Error as usize]
    }

    /// How many warnings there are.
    #[must_use]
    pub fn warnings(&self) -> u64 {
        self.counts[Severity::Warning as usize]
    }

    /// The worst severity; `None` where nothing was found.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        let all = [Severity::Error, Severity::Warning, Severity::Note];
        all.into_iter().find(|severity| self.counts[*severity as usize] > 0)
    }

    /// Are there no errors?
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.errors() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(severity: Severity) -> Finding {
        Finding { severity, ..Finding::error("rule", Error::misuse("item", "problem")) }
    }

    #[test]
    fn findings_over_the_most_are_counted_and_decide() {
        let mut report = Report::keeping(1);
        report.add(finding(Severity::Note));
        report.add(finding(Severity::Warning));
        assert!(report.is_sound());
        report.add(finding(Severity::Error));
        assert!(!report.is_sound());
        assert_eq!((report.count(), report.omitted(), report.findings().len()), (3, 2, 1));
        assert_eq!(report.worst(), Some(Severity::Error));
    }

    #[test]
    fn merged_reports_count_what_both_found() {
        let (mut first, mut second) = (Report::keeping(2), Report::keeping(5));
        first.add(finding(Severity::Warning));
        (0..3).for_each(|_| second.add(finding(Severity::Warning)));
        first.merge(second);
        assert_eq!((first.warnings(), first.findings().len(), first.omitted()), (4, 2, 2));
    }
}
