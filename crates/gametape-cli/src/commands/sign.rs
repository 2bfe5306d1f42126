//! `gametape sign`: vouch for a tape.

use std::path::PathBuf;

use gametape_replay::open::Format;
use gametape_replay::put_segments;
use gametape_tape::SigningKey;

use crate::failure::{Failure, Outcome};
use crate::input::Source;
use crate::output::{Destination, Kind};
use crate::rewrite::{Report, RewriteArgs};
use crate::tape::read_secret;

/// Sign tapes, so that every later change can be detected
///
/// The signature covers every byte of the tape: `gametape verify --key` refuses whatever else is in it.
/// A tape can be signed with several keys, one after the other, before or after packing. Packing keeps
/// signatures; cutting, merging and anonymizing drop them.
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "gametape sign [OPTIONS] --key FILE TAPE OUT\n       gametape sign [OPTIONS] --key FILE TAPE… --out-dir DIR"
)]
pub(crate) struct Args {
    #[command(flatten)]
    files: RewriteArgs,

    /// The file with the secret key, as written by `gametape keygen`
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
}

const EXAMPLES: &str = r#"With --json:
  {"file","output","changes":[text],"lost":[]}

Examples:
  gametape keygen league
  gametape sign match.tape signed.tape --key league
  gametape sign *.tape --in-place --key league
  gametape verify signed.tape --key league.pub"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let key = read_secret(&self.key)?;
        let sign =
            |source: &Source, destination: &Destination| self.sign(&key, source, destination);
        self.files.for_each("signed", &[Format::Tape], sign)
    }

    fn sign(&self, key: &SigningKey, source: &Source, destination: &Destination) -> Outcome {
        destination.target.check_apart(&Source::File(self.key.clone()))?;
        let mut file = source.tape()?;
        let found = file.recover()?;
        if !found.is_complete() {
            let problem = "it is damaged: `gametape recover` it first";
            return Err(Failure::refused(source, problem));
        }
        let segments = found.sign(key).map_err(|error| Failure::of(source, &error))?;
        let mut out = destination.open(Kind::Tape, source)?;
        file.watched("signing", |file| out.fill(source, |put| put_segments(file, &segments, put)))?;
        out.finish()?;
        let mut report = Report::new(source, Some(&destination.target));
        report.changes.push(format!("signed with key {}", key.public_key()));
        report.print(self.files.json())
    }
}
