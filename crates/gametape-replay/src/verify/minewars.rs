//! Checking a MineWars recording.

use std::collections::BTreeMap;

use gametape_minewars::{FrameRef, Located, ReplayFile, Rule, Verification, verify};
use gametape_wire::{Report, View};
use serde::Serialize;

use super::{Checked, Digest, FindingRow, Omitted, Totals, omitted_by_rule};
use crate::text::count;

/// What the check of a MineWars file came to.
#[derive(Debug)]
pub struct MinewarsCheck {
    file: String,
    found: Verification,
}

impl MinewarsCheck {
    /// Checks the checksums, the setup, every frame and every message of a file.
    #[must_use]
    pub fn of(name: &str, file: &ReplayFile<'_>) -> Self {
        Self { file: name.to_owned(), found: verify(file) }
    }

    fn omitted(&self) -> Vec<Omitted> {
        let row = |rule: &Rule| {
            let (severity, count) = (rule.severity(), self.found.omitted(*rule));
            Omitted { severity, rule: rule.name(), count }
        };
        Rule::ALL.iter().map(row).filter(|row| row.count > 0).collect()
    }
}

impl Checked for MinewarsCheck {
    fn found(&self) -> &Report {
        self.found.report()
    }

    fn report(&self) -> impl Serialize {
        MinewarsReport {
            totals: Totals::of(&self.file, self.found.report()),
            frames: self.found.frames,
            messages: self.found.messages,
            findings: self.found.findings().map(Row::of).collect(),
            omitted: omitted_by_rule(&self.omitted()),
        }
    }

    fn to_text(&self, shown_per_rule: u64) -> String {
        let Self { file, found } = self;
        let mut digest = Digest::new(shown_per_rule, &self.omitted());
        found.findings().for_each(|located| digest.add(located.finding, located));
        let (frames, messages) = (count(found.frames, "frame"), count(found.messages, "message"));
        digest.finish(file, found.report(), format_args!("{frames}, {messages}"))
    }
}

#[derive(Serialize)]
struct MinewarsReport<'f> {
    #[serde(flatten)]
    totals: Totals<'f>,
    frames: u64,
    messages: u64,
    findings: Vec<Row<'f>>,
    omitted: BTreeMap<&'static str, u64>,
}

#[derive(Serialize)]
struct Row<'f> {
    #[serde(flatten)]
    finding: FindingRow<'f>,
    counted_from: &'static str,
    frame: Option<u64>,
    time: Option<u64>,
    views: Option<Vec<u8>>,
}

impl<'f> Row<'f> {
    fn of(located: Located<'f>) -> Self {
        let Located { finding, space, frame, .. } = located;
        let views = |frame: &FrameRef| frame.views.iter().map(View::number).collect();
        Self {
            finding: FindingRow::of(finding),
            counted_from: space.name(),
            frame: frame.map(|frame| frame.number),
            time: frame.map(|frame| frame.time),
            views: frame.as_ref().map(views),
        }
    }
}
