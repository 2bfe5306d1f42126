//! `gametape verify`: is a recording sound?

mod gamelog;
mod minewars;
mod tape;

pub(super) use tape::check_keyframes;

use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use serde::Serialize;

use crate::failure::{Done, Failure, Outcome, is_quiet};
use crate::input::{Opened, Recording, RecordingsArgs, Source};
use crate::output::{print, print_json};
use crate::text::{count, printable, thousands};

/// Check that recordings are sound: every rule of their formats
///
/// Of a MineWars recording, checks the checksums, the setup, every frame and every message; of a
/// gamelog, merges every delta. Reports what is wrong and where. A warning is about something that
/// can be read without harm; only errors make the exit code 1.
///
/// A tape is checked up to a level, which includes those before it:
///   structure   order, numbers, contents and index follow the rules
///   checksums   every byte is as it was written
///   chain       the SHA-256 chain over all chunks is unbroken
///   signature   the whole tape is signed by the key that --key names
///   keyframes   every keyframe is the state that playing leads to (of an unknown game: the state
///               that its baseline leads to)
///   resim       the match, simulated again from its orders, has the same states
/// The default is keyframes; the signature is checked where --key is given. A tape that was not
/// finished fails: `gametape recover` finishes it.
///
/// Of many recordings, a summary says how many are sound and how many are damaged. With --quiet only
/// those that are not sound are shown.
///
/// With --json, of MineWars:
///   {"file","ok","errors","warnings","frames","messages",
///    "findings":[{"severity","rule","class","item","problem","offset","counted_from",
///                 "frame","time","views"}],"omitted":{rule: count}}
/// "offset" is a byte of the file or, where "counted_from" says so, of the unpacked frames; "frame"
/// counts from 0. Of a gamelog:
///   {"file","ok","errors","warnings","deltas","hash",
///    "findings":[{"severity","rule","problem","delta","path"}],"omitted":{rule: count}}
/// "hash" is that of the last state, "path" is inside the delta's `game`. Of a tape:
///   {"file","ok","errors","warnings","level","reached","chunks","keyframes","chain_head",
///    "signed_by","claimed_keys","findings":[{"severity","rule","class","item","problem","offset"}],
///    "omitted":{rule: count}}
/// "reached" is the highest level that was passed, "signed_by" the key of --key if it signed the whole
/// tape. The first 1,000 findings of each rule are listed, the others are counted in "omitted".
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    recordings: RecordingsArgs,

    #[command(flatten)]
    tape: tape::Options,

    /// Show every finding, not only the first 20 of each rule
    #[arg(long, conflicts_with = "json")]
    all: bool,

    /// Print one JSON object a line for each recording
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gametape verify match.minewars
  gametape verify --quiet matches/
  gametape verify --key league.pub finals/*.tape
  gametape verify --all game.json.gz
  gametape verify --json match.minewars | jq '.findings[] | select(.rule == \"checksum\")'";

/// More findings of one rule than this are counted, not shown, unless all are asked for.
const SHOWN_PER_RULE: u64 = 20;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let wanted = self.tape.read()?;
        self.recordings.files.each("sound", |source| self.check(source, &wanted))
    }

    fn check(&self, source: &Source, wanted: &tape::Wanted) -> Outcome {
        let input = match self.recordings.open(source)? {
            Opened::Tape(mut tape) => return self.show(&tape::Checked::of(&mut tape, wanted)?),
            Opened::Whole(input) => input,
        };
        self.tape.refuse_for(source)?;
        match input.recording()? {
            Recording::MineWars(file) => self.show(&minewars::Checked::of(source, &file)),
            Recording::Gamelog(log) => self.show(&gamelog::Checked::of(&log, self.listed())?),
        }
    }

    /// How many findings of one rule are shown.
    fn listed(&self) -> u64 {
        match (self.json, self.all) {
            (true, _) => 1000,
            (_, true) => u64::MAX,
            _ => SHOWN_PER_RULE,
        }
    }

    fn show(&self, checked: &impl Checked) -> Outcome {
        if self.json {
            print_json(&checked.report())?;
        } else if !(checked.is_ok() && is_quiet()) {
            print(&checked.to_text(self.listed()))?;
        }
        if checked.is_ok() { Ok(Done::Fine) } else { Err(Failure::told()) }
    }
}

/// The result of checking a recording of some kind.
trait Checked {
    /// No errors?
    fn is_ok(&self) -> bool;

    /// For machines.
    fn report(&self) -> impl Serialize;

    /// For people, with at most this many findings of each rule.
    fn to_text(&self, shown_per_rule: u64) -> String;
}

/// A line for each of the first findings of a rule, then how many more there are.
struct Digest {
    text: String,
    shown_per_rule: u64,
    rules: BTreeMap<&'static str, Tally>,
}

/// Findings of one rule.
struct Tally {
    severity: &'static str,
    shown: u64,
    hidden: u64,
}

impl Digest {
    fn new(shown_per_rule: u64) -> Self {
        Self { text: String::new(), shown_per_rule, rules: BTreeMap::new() }
    }

    fn tally(&mut self, severity: &'static str, rule: &'static str) -> &mut Tally {
        self.rules.entry(rule).or_insert(Tally { severity, shown: 0, hidden: 0 })
    }

    fn add(&mut self, severity: &'static str, rule: &'static str, finding: &impl Display) {
        let most = self.shown_per_rule;
        let tally = self.tally(severity, rule);
        if tally.shown < most {
            tally.shown += 1;
            let _ = writeln!(self.text, "{severity}: {}", printable(&finding.to_string()));
        } else {
            tally.hidden += 1;
        }
    }

    /// Counts findings that were not kept.
    fn add_hidden(&mut self, severity: &'static str, rule: &'static str, more: u64) {
        if more > 0 {
            self.tally(severity, rule).hidden += more;
        }
    }

    /// All of it, with a last line.
    fn finish(mut self, conclusion: impl Display) -> String {
        for (rule, Tally { severity, hidden, .. }) in self.rules.iter().filter(|r| r.1.hidden > 0) {
            let _ = writeln!(self.text, "{severity}: {rule}: {} more", thousands(*hidden));
        }
        self.text + &format!("{conclusion}\n")
    }
}

/// `sound: 0 errors, 1 warning`
fn conclusion(errors: u64, warnings: u64) -> String {
    let sound = if errors == 0 { "sound" } else { "not sound" };
    format!("{sound}: {}, {}", count(errors, "error"), count(warnings, "warning"))
}
