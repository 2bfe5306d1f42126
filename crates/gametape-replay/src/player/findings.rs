//! What is wrong with a tape, as playing it shows.

use std::collections::BTreeSet;
use std::ops::Range;

use gametape_wire::{Error, ErrorKind, Finding, Place, Report, Tick, TickRange};

use super::difference::Divergence;

/// More findings are not even counted: which of them are known takes memory.
const MOST_COUNTED: usize = 1 << 20;

/// The rules of what playing finds: the [`rule`](Finding::rule) of each finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayRule;

impl PlayRule {
    /// Recorded input that cannot be applied, or only a part of it. A warning: it was so when it was
    /// recorded.
    pub const INPUT: &str = "input";
    /// Recorded input that is lost. A warning: the recording declares it, or damage is reported as such.
    pub const LOST_INPUT: &str = "lost input";
    /// A keyframe that cannot be used.
    pub const KEYFRAME: &str = "keyframe";
    /// A state that is not the recorded one.
    pub const DIVERGENCE: &str = "divergence";
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
    pub tick: Tick,
    /// What is wrong, by [`PlayRule`].
    pub report: Report,
    /// The states that are not the recorded ones, at most [`Report::MOST`].
    pub divergences: Vec<Divergence>,
}

impl DeepVerification {
    /// Is nothing wrong? Input that cannot be applied was so when it was recorded, and is not.
    #[must_use]
    pub fn passed(&self) -> bool {
        let harmless = |finding: &Finding| finding.rule == PlayRule::INPUT;
        self.report.findings().iter().all(harmless) && self.report.omitted() == 0
    }
}

/// Collects findings, of each rule and tick one, however often it is played.
#[derive(Debug, Default)]
pub(super) struct Findings {
    report: Report,
    divergences: Vec<Divergence>,
    known: BTreeSet<(&'static str, u64)>,
    /// Keyframes that were compared.
    pub(super) checked: usize,
}

impl Findings {
    pub(super) fn report(&self) -> &Report {
        &self.report
    }

    pub(super) fn divergences(&self) -> &[Divergence] {
        &self.divergences
    }

    /// Notes input that cannot be applied.
    #[cold]
    pub(super) fn note_input(&mut self, tick: u64, error: Error) {
        let error = error.within(format_args!("tick {tick}"));
        self.note(tick, Finding::warning(PlayRule::INPUT, error));
    }

    /// Notes lost input, and why it cannot be read where it is there.
    #[cold]
    pub(super) fn note_lost(&mut self, ticks: &Range<u64>, why: Option<&Error>) {
        let why = why.map_or_else(String::new, |error| format!(": {error}"));
        let range = TickRange::from(ticks.clone());
        let problem = format!("what was received is lost, {range}{why}");
        let error = described("input", problem);
        let finding = Finding::warning(PlayRule::LOST_INPUT, error).until_tick(Tick(ticks.end));
        self.note(ticks.start, finding);
    }

    /// Notes a keyframe that cannot be used.
    #[cold]
    pub(super) fn note_keyframe(&mut self, tick: u64, error: Error) {
        let error = error.within(format_args!("keyframe at tick {tick}"));
        self.note(tick, Finding::error(PlayRule::KEYFRAME, error));
    }

    /// Notes a state that is not the recorded one.
    #[cold]
    pub(super) fn note_divergence(&mut self, divergence: Divergence) {
        let error = described("replayed state", divergence.to_string());
        let is_new = self.note(divergence.tick.0, Finding::error(PlayRule::DIVERGENCE, error));
        if is_new && self.divergences.len() < Report::MOST {
            self.divergences.push(divergence);
        }
    }

    /// Adds a finding; false where it is known already.
    fn note(&mut self, tick: u64, finding: Finding) -> bool {
        let is_new = self.known.len() < MOST_COUNTED && self.known.insert((finding.rule, tick));
        if is_new {
            self.report.add(finding.at_tick(Tick(tick)));
        }
        is_new
    }

    pub(super) fn verification(&self, level: DeepLevel, tick: u64) -> DeepVerification {
        DeepVerification {
            level,
            keyframes: self.checked,
            tick: Tick(tick),
            report: self.report.clone(),
            divergences: self.divergences.clone(),
        }
    }
}

fn described(item: &'static str, problem: String) -> Error {
    Error::new(Place::Nowhere, item, ErrorKind::BadSyntax { problem: problem.into() })
}
