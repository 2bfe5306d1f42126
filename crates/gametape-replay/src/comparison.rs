//! A match that was run again beside what was recorded of it, as tools show it.

use std::fmt;

use gametape_wire::Tick;
use serde::Serialize;

use crate::inspect::Facts;
use crate::player::{DeepVerification, Difference, Divergence, PlayRule};
use crate::text::{count, hex};

/// How a match that was run again compares with its keyframes. Its JSON is what `gametape resim --json`
/// prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// Where the match is from.
    pub file: String,
    /// Is it the same match? It is not where there was nothing to compare with.
    pub same: bool,
    /// Keyframes that were compared.
    pub keyframes: usize,
    /// Ticks that were played.
    pub ticks: u64,
    /// What else is wrong.
    pub findings: Vec<String>,
    /// The first difference.
    pub divergence: Option<Differs>,
}

/// When two matches begin to differ, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Differs {
    /// The last tick at which both are known to agree.
    pub agreed_tick: Option<Tick>,
    /// The first tick at which they are known to differ.
    pub tick: Tick,
    /// Where they differ.
    pub places: Vec<DiffersAt>,
}

/// What differs; values are hexadecimal, `None` where nothing is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DiffersAt {
    /// Which part of the state.
    pub r#where: String,
    /// What was recorded.
    pub recorded: Option<String>,
    /// What it is now.
    pub found: Option<String>,
}

impl Comparison {
    /// The comparison of the match in `file`.
    #[must_use]
    pub fn of(file: impl Into<String>, verified: &DeepVerification) -> Self {
        let findings = verified.report.findings().iter();
        let others = findings.filter(|finding| finding.rule != PlayRule::DIVERGENCE);
        Self {
            file: file.into(),
            same: verified.passed() && verified.keyframes > 0,
            keyframes: verified.keyframes,
            ticks: verified.tick.0,
            findings: others.map(ToString::to_string).collect(),
            divergence: verified.divergences.first().map(Differs::of),
        }
    }

    /// The result in words.
    #[must_use]
    pub fn verdict(&self) -> String {
        let keyframes = count(self.keyframes as u64, "keyframe");
        match (self.same, self.keyframes) {
            (true, _) => format!("the same match, compared with {keyframes}"),
            (false, 0) => "it has no keyframes to compare with".to_owned(),
            (false, _) => format!("not the same: compared with {keyframes}"),
        }
    }

    /// The facts for people.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let mut facts = Facts::default();
        facts.add("result", self.verdict());
        facts.add("played", count(self.ticks, "tick"));
        if let Some(differs) = &self.divergence {
            facts.add("differs", differs.to_string());
            differs.places.iter().for_each(|place| facts.more(place.to_string()));
        }
        facts.list("findings", &self.findings);
        facts
    }
}

impl Differs {
    fn of(divergence: &Divergence) -> Self {
        let places = divergence.differences.iter().map(DiffersAt::of).collect();
        Self { agreed_tick: divergence.agreed, tick: divergence.tick, places }
    }
}

impl fmt::Display for Differs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at tick {}", self.tick)?;
        match self.agreed_tick {
            Some(agreed) => write!(f, "; the last keyframe that agrees is at tick {agreed}"),
            None => f.write_str("; no keyframe before it agrees"),
        }
    }
}

impl DiffersAt {
    fn of(difference: &Difference) -> Self {
        let Difference { site, expected, found } = difference;
        let [recorded, found] = [expected, found].map(|value| value.as_deref().map(hex));
        Self { r#where: site.to_string(), recorded, found }
    }
}

/// More of a value is too much for a line.
const SHOWN_DIGITS: usize = 32;

impl fmt::Display for DiffersAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |value: &Option<String>| match value.as_deref() {
            Some("") => "empty".to_owned(),
            Some(digits) => digits
                .get(..SHOWN_DIGITS)
                .filter(|_| digits.len() > SHOWN_DIGITS)
                .map_or_else(|| digits.to_owned(), |start| format!("{start}…")),
            None => "nothing".to_owned(),
        };
        let (recorded, found) = (shown(&self.recorded), shown(&self.found));
        write!(f, "{}: recorded {recorded}, now {found}", self.r#where)
    }
}

#[cfg(test)]
mod tests {
    use gametape_wire::{Error, Finding, Report, Tick};

    use super::*;
    use crate::player::{DeepLevel, Site};

    fn comparison(divergences: Vec<Divergence>, keyframes: usize) -> Comparison {
        let (level, mut report) = (DeepLevel::Simulation, Report::default());
        for divergence in &divergences {
            let error = Error::misuse("replayed state", divergence.to_string());
            report.add(Finding::error(PlayRule::DIVERGENCE, error));
        }
        let verified = DeepVerification { level, keyframes, tick: Tick(600), report, divergences };
        Comparison::of("a.tape", &verified)
    }

    #[test]
    fn a_difference_is_shown_with_its_tick_and_places() {
        let difference = |site, expected: &[u8], found| Difference {
            site,
            expected: Some(expected.to_vec()),
            found,
        };
        let differences = vec![
            difference(Site::Section("clock".to_owned()), &[0, 9], None),
            difference(Site::Script, &[7; 17], Some(Vec::new())),
        ];
        let divergence = Divergence { agreed: Some(Tick(300)), tick: Tick(600), differences };
        let comparison = comparison(vec![divergence], 2);
        assert!(!comparison.same && comparison.findings.is_empty());
        assert_eq!(comparison.verdict(), "not the same: compared with 2 keyframes");
        let differs = comparison.divergence.unwrap();
        let text = "at tick 600; the last keyframe that agrees is at tick 300";
        assert_eq!(differs.to_string(), text);
        let places: Vec<String> = differs.places.iter().map(ToString::to_string).collect();
        assert_eq!(places[0], "section clock: recorded 0009, now nothing");
        let long = format!("script state: recorded {}…, now empty", "07".repeat(16));
        assert_eq!(places[1], long);
    }

    #[test]
    fn nothing_to_compare_with_is_no_agreement() {
        assert!(comparison(Vec::new(), 3).same && !comparison(Vec::new(), 0).same);
    }
}
