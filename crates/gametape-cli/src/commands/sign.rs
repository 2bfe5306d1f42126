//! `gametape sign`: vouch for a tape.

use std::path::PathBuf;

use crate::failure::{Failure, Outcome};
use crate::rewrite::{TapeResultArgs, Told};
use crate::tape::read_secret;

/// Sign a tape, so that every later change shows
///
/// The signature covers every byte of the tape: `gametape verify --key` refuses whatever else is in it.
/// A tape can be signed by several keys, one after the other, before or after packing. Packing keeps
/// signatures; cutting, merging and anonymizing drop them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: TapeResultArgs,

    /// The file with the secret key, as `gametape keygen` makes it
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
}

const EXAMPLES: &str = r#"With --json:
  {"file","output","changes":[text],"lost":[]}

Examples:
  gametape keygen league
  gametape sign match.tape signed.tape --key league
  gametape verify signed.tape --key league.pub"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let target = self.files.result.target()?;
        let key = read_secret(&self.key)?;
        let mut file = self.files.tape.source.tape()?;
        let found = file.recover()?;
        if !found.is_complete() {
            let problem = "it is damaged: `gametape recover` it first";
            return Err(Failure::refused(&file.source, problem));
        }
        let source = file.source.clone();
        let segments = found.sign(&key).map_err(|error| Failure::of(&source, &error))?;
        let mut out = target.open(&source)?;
        file.put_segments("signing", &segments, |bytes| out.put(bytes))?;
        out.finish()?;
        let mut told = Told::new(&source, Some(target));
        told.changes.push(format!("signed with key {}", key.public_key()));
        told.tell(self.files.result.json)
    }
}
