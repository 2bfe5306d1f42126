//! What is wrong with a tape, as playing it shows.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use gametape_tape::SimTick;
use gametape_wire::{Error, ErrorKind, Finding, Place, Report, Tick};

use super::difference::Divergence;

/// More findings are only counted.
const MOST_FINDINGS: usize = 1000;
/// More findings are not even counted: which of them are known takes memory.
const MOST_COUNTED: usize = 1 << 20;

/// Something that playing showed to be wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlayFinding {
    /// Recorded input that cannot be applied, or only a part of it.
    Input {
        /// When.
        tick: SimTick,
        /// Why not.
        error: Error,
    },
    /// Recorded input that is lost.
    Lost {
        /// Which ticks it is about.
        ticks: Range<SimTick>,
        /// Why it cannot be read, where it is there.
        error: Option<Error>,
    },
    /// A keyframe that cannot be used.
    Keyframe {
        /// When it was taken.
        tick: SimTick,
        /// Why not.
        error: Error,
    },
    /// A state that is not the recorded one.
    Divergence(Divergence),
}

impl fmt::Display for PlayFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input { tick, error } => write!(f, "tick {tick}: {error}"),
            Self::Lost { ticks, error } => {
                write!(f, "input of ticks {} to {} is lost", ticks.start, ticks.end)?;
                error.as_ref().map_or(Ok(()), |error| write!(f, ": {error}"))
            }
            Self::Keyframe { tick, error } => write!(f, "keyframe at tick {tick}: {error}"),
            Self::Divergence(divergence) => write!(f, "replayed state {divergence}"),
        }
    }
}

impl PlayFinding {
    /// The same as a finding of any check. Input that cannot be applied was so when it was recorded;
    /// that input is lost is what the recording declares, or what damage to it is reported as.
    #[must_use]
    pub fn to_finding(&self) -> Finding {
        let described = || {
            let kind = ErrorKind::BadSyntax { problem: self.to_string().into() };
            Error::new(Place::Nowhere, "tape", kind)
        };
        let (finding, tick) = match self {
            Self::Input { tick, error } => (Finding::warning("input", error.clone()), *tick),
            Self::Lost { ticks, .. } => (Finding::warning("lost input", described()), ticks.start),
            Self::Keyframe { tick, error } => (Finding::error("keyframe", error.clone()), *tick),
            Self::Divergence(divergence) => {
                (Finding::error("divergence", described()), divergence.tick)
            }
        };
        finding.at_tick(Tick(tick))
    }
}

/// How deep a tape is verified by playing it; the levels after those of `gametape_tape::Level`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DeepLevel {
    /// Every keyframe agrees with what the one before it and the recorded input lead to.
    Keyframes,
    /// Every keyframe agrees with what the start and the recorded input lead to.
    Simulation,
}

impl DeepLevel {
    /// The level as one word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Keyframes => "keyframes",
            Self::Simulation => "simulation",
        }
    }
}

/// What verifying by playing found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeepVerification {
    /// The level that was asked for.
    pub level: DeepLevel,
    /// Keyframes that were compared.
    pub keyframes: usize,
    /// The tick that was reached.
    pub tick: SimTick,
    /// What is wrong, at most a thousand.
    pub findings: Vec<PlayFinding>,
    /// Findings that are not listed.
    pub unlisted: u64,
}

impl DeepVerification {
    /// Is nothing wrong? Input that cannot be applied was so when it was recorded, and is not.
    #[must_use]
    pub fn passed(&self) -> bool {
        let harmless = |finding: &PlayFinding| matches!(finding, PlayFinding::Input { .. });
        self.findings.iter().all(harmless) && self.unlisted == 0
    }
}

impl PlayFinding {
    /// Of findings with the same key one is enough.
    fn key(&self) -> (u8, SimTick) {
        match self {
            Self::Input { tick, .. } => (0, *tick),
            Self::Lost { ticks, .. } => (1, ticks.start),
            Self::Keyframe { tick, .. } => (2, *tick),
            Self::Divergence(divergence) => (3, divergence.tick),
        }
    }
}

/// Collects findings, of each kind and tick one, however often it is played.
#[derive(Debug, Default)]
pub(super) struct Findings {
    list: Vec<PlayFinding>,
    report: Report,
    known: BTreeSet<(u8, SimTick)>,
    unlisted: u64,
    /// Keyframes that were compared.
    pub(super) checked: usize,
}

impl Findings {
    pub(super) fn list(&self) -> &[PlayFinding] {
        &self.list
    }

    pub(super) fn report(&self) -> &Report {
        &self.report
    }

    #[cold]
    pub(super) fn note(&mut self, finding: PlayFinding) {
        if self.known.len() >= MOST_COUNTED || !self.known.insert(finding.key()) {
            return;
        }
        self.report.add(finding.to_finding());
        if self.list.len() < MOST_FINDINGS {
            self.list.push(finding);
        } else {
            self.unlisted += 1;
        }
    }

    pub(super) fn divergences(&self) -> usize {
        let is_one = |finding: &&PlayFinding| matches!(finding, PlayFinding::Divergence(_));
        self.list.iter().filter(is_one).count()
    }

    pub(super) fn verification(&self, level: DeepLevel, tick: SimTick) -> DeepVerification {
        DeepVerification {
            level,
            keyframes: self.checked,
            tick,
            findings: self.list.clone(),
            unlisted: self.unlisted,
        }
    }
}
