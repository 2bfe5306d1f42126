//! `gametape verify`: is a recording sound?

use anstyle::AnsiColor;
use gametape_replay::open::Format;
use gametape_replay::verify::{Checked, GamelogCheck, Level, MinewarsCheck, TapeCheck, TapeChecks};
use gametape_tape::Level as ContainerLevel;
use gametape_wire::Error;

use crate::failure::{Done, Failure, Outcome, is_quiet, label};
use crate::games::GAMES;
use crate::input::{Opened, RecordingsArgs, Source, one_of};
use crate::output::{print, print_json};
use crate::progress::waiting;
use crate::tape::{PublicKeyArg, TapeFile};

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
    tape: TapeOptions,

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

    fn check(&self, source: &Source, wanted: &TapeChecks<'_>) -> Outcome {
        let failed = |error: Error| Failure::of(source, &error);
        let (name, opened) = (source.to_string(), source.open_with(&self.recordings.format)?);
        let TapeOptions { level, key } = &self.tape;
        let options =
            [("--level", level.is_some(), Format::Tape), ("--key", key.is_some(), Format::Tape)];
        source.check_options(opened.format(), &options)?;
        match opened {
            Opened::Tape(tape) => self.check_tape(&name, tape, wanted),
            Opened::MineWars(bytes) => {
                let file = bytes.file().map_err(failed)?;
                self.show(&waiting("verifying", || MinewarsCheck::of(&name, &file)))
            }
            Opened::Gamelog(log) => {
                let (bytes, options, kept) = (log.bytes(), log.options(), self.listed());
                let checked = waiting("merging", || GamelogCheck::of(&name, bytes, options, kept));
                self.show(&checked.map_err(failed)?)
            }
            _ => Err(source.unknown()),
        }
    }

    fn check_tape(&self, name: &str, mut tape: TapeFile, wanted: &TapeChecks<'_>) -> Outcome {
        let checked = tape.watched("verifying", |tape| TapeCheck::of(name, tape, wanted));
        let checked = checked.map_err(|error| tape.failure(&error))?;
        if checked.lacks_simulation() {
            let problem = "there is no simulation of what it holds: use --level keyframes";
            return Err(Failure::refused(&tape.source, problem));
        }
        self.show(&checked)
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
        } else if !(checked.is_sound() && is_quiet()) {
            print(&coloured(&checked.to_text(self.listed())))?;
        }
        if checked.is_sound() { Ok(Done::Fine) } else { Err(Failure::printed()) }
    }
}

/// The text of a check, the severities of its findings coloured as messages are.
fn coloured(text: &str) -> String {
    let line = |line: &str| match line.trim_start().split_once(": ") {
        Some(("error", problem)) => format!("  {}{problem}\n", label("error", AnsiColor::Red)),
        Some(("warning", problem)) => {
            format!("  {}{problem}\n", label("warning", AnsiColor::Yellow))
        }
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// What is asked of tapes only.
#[derive(Debug, clap::Args)]
struct TapeOptions {
    /// How much to check (tapes) [default: keyframes]
    #[arg(long, value_name = "LEVEL", value_parser = one_of(&Level::ALL, Level::name))]
    level: Option<Level>,

    /// The public key that must have signed the whole tape: a file, or 64 hexadecimal digits (tapes)
    #[arg(long, value_name = "KEY")]
    key: Option<PublicKeyArg>,
}

impl TapeOptions {
    /// Reads the key, once for all tapes.
    fn read(&self) -> Result<TapeChecks<'static>, Failure> {
        let key = self.key.as_ref().map(PublicKeyArg::read).transpose()?;
        let level = self.level.unwrap_or(Level::Keyframes);
        let signature = Level::Container(ContainerLevel::Signature);
        if level == signature && key.is_none() {
            return Err(Failure::usage("--level signature needs --key: whose signature?"));
        }
        if level < signature && key.is_some() {
            let level = level.name();
            return Err(Failure::usage(format_args!("--key needs more than --level {level}")));
        }
        Ok(TapeChecks::new(level, key, &GAMES))
    }
}
