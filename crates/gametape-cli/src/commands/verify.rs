//! `gametape verify`: is a recording sound?

use gametape_replay::verify::{Checked, GamelogCheck, Level, MinewarsCheck, TapeCheck, TapeChecks};

use crate::failure::{Done, Failure, Outcome, is_quiet};
use crate::games::GAMES;
use crate::input::{Opened, Recording, RecordingsArgs, Source, gamelog_options, one_of, refuse};
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
        let name = source.to_string();
        // Where something is asked of tapes only, it does not matter what else it is.
        let opened = match self.tape.is_given() {
            true => source.open_raw()?,
            false => self.recordings.open(source)?,
        };
        let input = match opened {
            Opened::Tape(tape) => return self.check_tape(&name, tape, wanted),
            Opened::Whole(input) => input,
        };
        self.tape.refuse_for(source)?;
        match input.recording()? {
            Recording::MineWars(file) => {
                self.show(&waiting("verifying", || MinewarsCheck::of(&name, &file)))
            }
            Recording::Gamelog(log) => {
                let (options, kept) = (gamelog_options(), self.listed());
                let checked =
                    waiting("merging", || GamelogCheck::of(&name, log.bytes, &options, kept));
                self.show(&checked.map_err(|error| log.failure(&error))?)
            }
        }
    }

    fn check_tape(&self, name: &str, mut tape: TapeFile, wanted: &TapeChecks<'_>) -> Outcome {
        let RecordingsArgs { dialect, headerless, .. } = &self.recordings;
        tape.refuse(&[("--dialect", dialect.is_some()), ("--headerless", *headerless)])?;
        let checked = waiting("verifying", || TapeCheck::of(name, &mut tape, wanted));
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
            print(&checked.to_text(self.listed()))?;
        }
        if checked.is_sound() { Ok(Done::Fine) } else { Err(Failure::told()) }
    }
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
        match (level, key) {
            (Level::Signature, None) => {
                Err(Failure::usage("--level signature needs --key: whose signature?"))
            }
            (Level::Structure | Level::Checksums | Level::Chain, Some(_)) => {
                let level = level.name();
                Err(Failure::usage(format_args!("--key needs more than --level {level}")))
            }
            _ => Ok(TapeChecks::new(level, key, &GAMES)),
        }
    }

    fn is_given(&self) -> bool {
        self.level.is_some() || self.key.is_some()
    }

    /// An error if something was asked that is for tapes only. Perhaps it is a damaged one.
    fn refuse_for(&self, source: &Source) -> Result<(), Failure> {
        let options = [("--level", self.level.is_some()), ("--key", self.key.is_some())];
        refuse(&options, |option| {
            Failure::refused(source, &format!("it is no tape, and {option} is for tapes"))
        })
    }
}
