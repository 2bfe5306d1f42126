//! Checking a MineWars recording.

use std::collections::BTreeMap;

use gametape_minewars::{Located, ReplayFile, Rule, Verification, verify};
use serde::Serialize;

use super::{Checked, Digest, conclusion};
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
}

impl Checked for MinewarsCheck {
    fn is_sound(&self) -> bool {
        self.found.is_ok()
    }

    fn report(&self) -> impl Serialize {
        Report::of(&self.file, &self.found)
    }

    fn to_text(&self, shown_per_rule: u64) -> String {
        let Self { file, found } = self;
        let mut digest = Digest::new(shown_per_rule);
        for located in found.findings() {
            digest.add(located.finding.severity.name(), located.finding.rule, &located);
        }
        for rule in Rule::ALL {
            digest.add_hidden(rule.severity().name(), rule.name(), found.omitted(*rule));
        }
        let (errors, warnings) = (found.report().errors(), found.report().warnings());
        let (frames, messages) = (count(found.frames, "frame"), count(found.messages, "message"));
        let sound = conclusion(errors, warnings);
        digest.finish(format_args!("{file}: {sound} in {frames}, {messages}"))
    }
}

/// The rules of which there are more findings than are kept.
fn omitted(found: &Verification) -> BTreeMap<&'static str, u64> {
    let rules = Rule::ALL.iter().map(|rule| (rule.name(), found.omitted(*rule)));
    rules.filter(|(_, more)| *more > 0).collect()
}

#[derive(Serialize)]
struct Report<'f> {
    file: &'f str,
    ok: bool,
    errors: u64,
    warnings: u64,
    frames: u64,
    messages: u64,
    findings: Vec<Row<'f>>,
    omitted: BTreeMap<&'static str, u64>,
}

#[derive(Serialize)]
struct Row<'f> {
    severity: &'static str,
    rule: &'static str,
    class: &'static str,
    item: &'f str,
    problem: String,
    offset: Option<u64>,
    counted_from: &'static str,
    frame: Option<u64>,
    time: Option<u64>,
    views: Option<Vec<u8>>,
}

impl<'f> Report<'f> {
    fn of(file: &'f str, found: &'f Verification) -> Self {
        Self {
            file,
            ok: found.is_ok(),
            errors: found.report().errors(),
            warnings: found.report().warnings(),
            frames: found.frames,
            messages: found.messages,
            findings: found.findings().map(Row::of).collect(),
            omitted: omitted(found),
        }
    }
}

impl<'f> Row<'f> {
    fn of(located: Located<'f>) -> Self {
        let Located { finding, space, frame, .. } = located;
        let error = &finding.error;
        let views = |frame: &gametape_minewars::FrameRef| {
            frame.views.iter().map(gametape_wire::View::number).collect()
        };
        Self {
            severity: finding.severity.name(),
            rule: finding.rule,
            class: error.class().name(),
            item: error.item(),
            problem: error.kind().to_string(),
            offset: error.offset(),
            counted_from: space.name(),
            frame: frame.map(|frame| frame.number),
            time: frame.map(|frame| frame.time),
            views: frame.as_ref().map(views),
        }
    }
}
