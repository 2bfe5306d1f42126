//! `gametape sign`: vouch for a tape.

use std::path::PathBuf;

use crate::failure::{Failure, Outcome};
use crate::rewrite::{TapeResultArgs, Told};
use crate::tape::read_secret;

/// Sign a tape, so that every later change shows
///
/// The signature covers everything in the tape: metadata, orders, frames, keyframes and events. A
/// tape can be signed by several keys, one after the other. Packing keeps signatures; cutting,
/// merging, anonymizing and recovering drop them.
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
        if found.is_reordered {
            let problem = "a packed tape is complete: sign it before packing";
            return Err(Failure::refused(&file.source, problem));
        }
        if !found.is_undamaged() {
            let problem = "it is damaged: `gametape recover` it first";
            return Err(Failure::refused(&file.source, problem));
        }
        let end = found.end;
        let source = file.source.clone();
        let failed = |error: gametape_wire::Error| Failure::of(&source, &error);
        let mut writer = found.resume().map_err(failed)?;
        writer.sign(&key).map_err(failed)?;
        let mut out = target.open(&source)?;
        file.copy(&(0..end), |bytes| out.put(bytes))?;
        out.put(&writer.take())?;
        out.put(&writer.finish().map_err(failed)?)?;
        out.finish()?;
        let mut told = Told::new(&source, Some(target));
        told.changes.push(format!("signed with key {}", key.public_key()));
        told.tell(self.files.result.json)
    }
}
