//! Checking a tape.

mod keyframes;
mod playing;

pub use keyframes::check_keyframes;
pub(crate) use keyframes::visit_keyframes;

use std::collections::BTreeMap;

use gametape_tape::{Depth, Level as ContainerLevel, PublicKey, Verifier};
use gametape_wire::{Error, Finding, Report, Result, Severity, Source, WatchedSource, drive};
use serde::Serialize;

use super::{Checked, Digest, FindingRow, Omitted, Totals, omitted_by_rule};
use crate::open::open_tape;
use crate::text::{count, hex};
use crate::{DeepLevel, KnownGame};

/// How much is checked; each level includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Level {
    /// What the container itself can check, up to a level of its own.
    Container(ContainerLevel),
    /// Every keyframe is the state that playing leads to.
    Keyframes,
    /// The match, simulated again from its orders, has the same states.
    Resim,
}

impl Level {
    /// Every level, the lowest first.
    pub const ALL: [Self; 6] = [
        Self::Container(ContainerLevel::Structure),
        Self::Container(ContainerLevel::Checksums),
        Self::Container(ContainerLevel::Chain),
        Self::Container(ContainerLevel::Signature),
        Self::Keyframes,
        Self::Resim,
    ];

    /// The level as one word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Container(level) => level.name(),
            Self::Keyframes => "keyframes",
            Self::Resim => "resim",
        }
    }

    /// The level that an error of this rule breaks.
    fn of(rule: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == rule)
    }
}

/// How much of a tape is checked, whose it must be, and which games can be simulated.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct TapeChecks<'g> {
    /// The highest level.
    pub level: Level,
    /// The key that must have signed the whole tape.
    pub key: Option<PublicKey>,
    /// Games whose rules are known.
    pub games: &'g [&'g dyn KnownGame],
}

impl<'g> TapeChecks<'g> {
    /// Checks up to a level; the signature is checked where a key is given.
    #[must_use]
    pub fn new(level: Level, key: Option<PublicKey>, games: &'g [&'g dyn KnownGame]) -> Self {
        Self { level, key, games }
    }

    /// What the container itself is asked to check.
    fn container_level(&self) -> ContainerLevel {
        let signature = self.key.map_or(ContainerLevel::Chain, |_| ContainerLevel::Signature);
        match self.level {
            Level::Container(level) => level.min(signature),
            _ => signature,
        }
    }
}

/// What the check of a tape came to.
#[derive(Debug)]
pub struct TapeCheck {
    file: String,
    level: Level,
    chunks: usize,
    keyframes: Option<u64>,
    chain_head: Option<String>,
    signed_by: Option<String>,
    claimed_keys: Vec<String>,
    found: Report,
    /// The lowest level that an error breaks.
    broken: Option<Level>,
    lacks_simulation: bool,
}

impl TapeCheck {
    /// Checks a tape. The error is about bytes that cannot be fetched; all else is in the result.
    pub fn of<S: Source>(name: &str, source: &mut S, checks: &TapeChecks<'_>) -> Result<Self> {
        let mut source = WatchedSource::new(source);
        let level = checks.container_level();
        let mut verifier = Verifier::new(source.length(), level, checks.key)?;
        drive(&mut verifier, &mut source)?;
        let found = verifier.finish();
        let is_signed = checks.key.filter(|_| found.passed());
        let mut checked = Self {
            file: name.to_owned(),
            level: checks.level,
            chunks: found.chunks,
            keyframes: None,
            chain_head: found.chain_head.map(|head| hex(&head)),
            signed_by: is_signed.map(|key| key.to_string()),
            claimed_keys: found.signers.iter().map(ToString::to_string).collect(),
            broken: lowest_broken(&found.report),
            found: found.report,
            lacks_simulation: false,
        };
        if checks.level >= Level::Keyframes {
            checked.play(&mut source, checks.games)?;
        }
        Ok(checked)
    }

    /// Was a simulation asked for of a tape that holds none that is known here?
    #[must_use]
    pub fn lacks_simulation(&self) -> bool {
        self.lacks_simulation
    }

    /// Checks what only playing shows, as far as the tape can be opened.
    fn play<S: Source>(
        &mut self,
        source: &mut WatchedSource<S>,
        games: &[&dyn KnownGame],
    ) -> Result<()> {
        // What cannot be opened was found before, unless a read failed.
        let Ok(tape) = open_tape(source, Depth::Index) else { return source.check() };
        let restored = check_keyframes(source, &tape.keyframes, |error| {
            self.find(Severity::Error, Level::Keyframes, error);
        })?;
        self.keyframes = Some(restored);
        let level = self.level;
        let depth =
            if level == Level::Resim { DeepLevel::Simulation } else { DeepLevel::Keyframes };
        playing::check_views(source, &tape, games, depth, |severity, error| {
            self.find(severity, level, error);
        });
        if level == Level::Resim {
            let is_known = playing::check_simulation(source, &tape, games, |severity, error| {
                self.find(severity, level, error);
            });
            self.lacks_simulation = !is_known;
        }
        // What playing found because a read failed is none of the tape's.
        source.check()
    }

    fn find(&mut self, severity: Severity, level: Level, error: Error) {
        let mut finding = Finding::error(level.name(), error);
        finding.severity = severity;
        self.found.add(finding);
        if severity == Severity::Error {
            self.broken = Some(self.broken.map_or(level, |broken| broken.min(level)));
        }
    }

    /// The highest level that was passed.
    #[must_use]
    pub fn reached(&self) -> Option<Level> {
        let signature = Level::Container(ContainerLevel::Signature);
        let is_asked = |level: &Level| *level != signature || self.signed_by.is_some();
        let passed = |level: &&Level| {
            **level <= self.level && self.broken.is_none_or(|broken| **level < broken)
        };
        Level::ALL.iter().filter(|level| is_asked(level)).rfind(passed).copied()
    }
}

/// The lowest level that an error breaks.
fn lowest_broken(found: &Report) -> Option<Level> {
    let errors = found.findings().iter().filter(|finding| finding.severity == Severity::Error);
    errors.filter_map(|finding| Level::of(finding.rule)).min()
}

impl TapeCheck {
    /// Which findings were not kept is not known by rule.
    fn omitted(&self, rule: &'static str) -> Option<Omitted> {
        let count = self.found.omitted();
        (count > 0).then_some(Omitted { severity: Severity::Error, rule, count })
    }
}

impl Checked for TapeCheck {
    fn found(&self) -> &Report {
        &self.found
    }

    fn report(&self) -> impl Serialize {
        TapeReport {
            totals: Totals::of(&self.file, &self.found),
            level: self.level.name(),
            reached: self.reached().map(Level::name),
            chunks: self.chunks,
            keyframes: self.keyframes,
            chain_head: self.chain_head.as_deref(),
            signed_by: self.signed_by.as_deref(),
            claimed_keys: &self.claimed_keys,
            findings: self.found.findings().iter().map(FindingRow::of).collect(),
            omitted: omitted_by_rule(self.omitted("all").as_slice()),
        }
    }

    fn to_text(&self, shown_per_rule: u64) -> String {
        let mut digest = Digest::new(shown_per_rule, self.omitted("all levels").as_slice());
        for finding in self.found.findings() {
            let (rule, error) = (finding.rule, &finding.error);
            if rule == error.item() {
                digest.add(finding, error);
            } else {
                digest.add(finding, format_args!("{rule}: {error}"));
            }
        }
        let chunks = count(self.chunks as u64, "chunk");
        let keyframes = self.keyframes.map(|many| format!(", {}", count(many, "keyframe")));
        let reached = match self.reached() {
            Some(level) => format!("passed {}", level.name()),
            None => "passed no level".to_owned(),
        };
        let signed = self.signed_by.as_ref().map(|key| format!("; signed by {key}"));
        let (keyframes, signed) = (keyframes.unwrap_or_default(), signed.unwrap_or_default());
        let checked = format!("{chunks}{keyframes}; {reached}{signed}");
        digest.finish(&self.file, &self.found, checked)
    }
}

#[derive(Serialize)]
struct TapeReport<'c> {
    #[serde(flatten)]
    totals: Totals<'c>,
    level: &'static str,
    reached: Option<&'static str>,
    chunks: usize,
    keyframes: Option<u64>,
    chain_head: Option<&'c str>,
    signed_by: Option<&'c str>,
    claimed_keys: &'c [String],
    findings: Vec<FindingRow<'c>>,
    omitted: BTreeMap<&'static str, u64>,
}
