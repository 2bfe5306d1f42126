//! `gametape verify`: is a recording as it should be?

use std::collections::BTreeMap;
use std::fmt::Write;

use gametape_minewars::{Finding, Rule, Severity, Verification, verify};
use serde::Serialize;

use crate::failure::{Done, Failure, Outcome};
use crate::input::{RecordingArgs, Source};
use crate::output::{print, print_json};
use crate::text::{count, printable, thousands};

/// Check a recording against every rule of its format
///
/// Checks the checksums, the setup, every frame and every message, and says what is wrong where.
/// Warnings are about what can be read without harm; only errors make the exit code 1.
///
/// With --json:
///   {"file","ok","errors","warnings","frames","messages",
///    "findings":[{"severity","rule","class","item","problem","offset","counted_from",
///                 "frame","time","views"}],"omitted":{rule: count}}
/// "offset" is a byte of the file or, where "counted_from" says so, of the unpacked frames; "frame"
/// counts from 0. Of each rule the first 1,000 findings are listed, the others are "omitted".
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    recording: RecordingArgs,

    /// Show every finding, not only the first 20 of each rule
    #[arg(long, conflicts_with = "json")]
    all: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// More findings of one rule than this are counted, not shown, unless all are asked for.
const SHOWN_PER_RULE: u64 = 20;

const EXAMPLES: &str = "\
Examples:
  gametape verify match.minewars
  gametape verify --json match.minewars | jq '.findings[] | select(.rule == \"checksum\")'";

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let input = self.recording.read()?;
        let found = verify(&input.minewars()?);
        if self.json {
            print_json(&Report::of(&input.source, &found))?;
        } else {
            let shown = if self.all { u64::MAX } else { SHOWN_PER_RULE };
            print(&to_text(&input.source, &found, shown))?;
        }
        if found.is_ok() { Ok(Done::Fine) } else { Err(Failure::told()) }
    }
}

/// A line for each of the first findings of a rule, then the sum.
fn to_text(source: &Source, found: &Verification, shown_per_rule: u64) -> String {
    let mut text = String::new();
    let mut shown = BTreeMap::<Rule, u64>::new();
    for finding in &found.findings {
        let shown = shown.entry(finding.rule).or_default();
        if *shown < shown_per_rule {
            *shown += 1;
            let line = printable(&finding.to_string());
            let _ = writeln!(text, "{}: {line}", finding.severity());
        }
    }
    for (rule, shown) in shown {
        if let more @ 1.. = found.count(rule) - shown {
            let _ = writeln!(text, "{}: {rule}: {} more", rule.severity(), thousands(more));
        }
    }
    let sound = if found.is_ok() { "sound" } else { "not sound" };
    let errors = count(found.count_of(Severity::Error), "error");
    let warnings = count(found.count_of(Severity::Warning), "warning");
    let (frames, messages) = (count(found.frames, "frame"), count(found.messages, "message"));
    let _ = writeln!(text, "{source}: {sound}: {errors}, {warnings} in {frames}, {messages}");
    text
}

/// The rules of which there are more findings than are kept.
fn omitted(found: &Verification) -> BTreeMap<&'static str, u64> {
    let rules = Rule::ALL.iter().map(|rule| (rule.name(), found.omitted(*rule)));
    rules.filter(|(_, more)| *more > 0).collect()
}

#[derive(Serialize)]
struct Report<'f> {
    file: String,
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
    fn of(source: &Source, found: &'f Verification) -> Self {
        Self {
            file: source.to_string(),
            ok: found.is_ok(),
            errors: found.count_of(Severity::Error),
            warnings: found.count_of(Severity::Warning),
            frames: found.frames,
            messages: found.messages,
            findings: found.findings.iter().map(Row::of).collect(),
            omitted: omitted(found),
        }
    }
}

impl<'f> Row<'f> {
    fn of(finding: &'f Finding) -> Self {
        let Finding { rule, error, space, frame } = finding;
        let views = |frame: &gametape_minewars::FrameRef| {
            frame.views.iter().map(gametape_wire::View::number).collect()
        };
        Self {
            severity: rule.severity().name(),
            rule: rule.name(),
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
