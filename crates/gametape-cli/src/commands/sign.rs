//! `gametape sign`: vouch for a tape.

use std::path::PathBuf;

use gametape_tape::SigningKey;

use crate::failure::{Failure, Outcome};
use crate::input::Source;
use crate::output::Destination;
use crate::rewrite::{Report, RewriteArgs};
use crate::tape::read_secret;

/// Sign tapes, so that every later change can be detected
///
/// The signature covers everything in the tape: metadata, orders, frames, keyframes and events. A
/// tape can be signed with several keys, one after the other. Packing keeps signatures; cutting,
/// merging, anonymizing and recovering drop them.
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
        self.files.for_each(|source, destination| self.sign(&key, source, destination))
    }

    fn sign(&self, key: &SigningKey, source: &Source, destination: &Destination) -> Outcome {
        let mut file = source.tape()?;
        let found = file.recover()?;
        if found.is_reordered {
            let problem = "a packed tape is complete: sign it before packing";
            return Err(Failure::refused(source, problem));
        }
        if !found.is_undamaged() {
            let problem = "it is damaged: `gametape recover` it first";
            return Err(Failure::refused(source, problem));
        }
        let end = found.end;
        let failed = |error: gametape_wire::Error| Failure::of(source, &error);
        let mut writer = found.resume().map_err(failed)?;
        writer.sign(key).map_err(failed)?;
        let mut out = destination.open(source)?;
        file.copy(&(0..end), |bytes| out.put(bytes))?;
        out.put(&writer.take())?;
        out.put(&writer.finish().map_err(failed)?)?;
        out.finish()?;
        let mut report = Report::new(source, Some(&destination.target));
        report.changes.push(format!("signed with key {}", key.public_key()));
        report.print(self.files.json)
    }
}
