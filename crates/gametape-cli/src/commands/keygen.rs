//! `gametape keygen`: a new pair of keys.

use std::path::PathBuf;

use serde::Serialize;

use crate::failure::{Done, Failure, Outcome};
use crate::output::{path, print, print_json};
use crate::tape::write_pair;

/// Make a pair of keys to sign tapes with
///
/// Writes the secret key to FILE, readable by you alone, and the public one to FILE.pub, and prints
/// the public one. Files that are there are never overwritten.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Where the secret key goes
    #[arg(value_name = "FILE", value_parser = path())]
    file: PathBuf,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"Give FILE.pub, or the printed digits, to whoever is to verify your tapes. Keep FILE to yourself.

With --json:
  {"secret_file","public_file","public_key"}

Examples:
  gametape keygen league"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| {
            Failure::io(&"the system's random numbers", &std::io::Error::other(error))
        })?;
        let (key, public_file) = write_pair(&self.file, &seed)?;
        if self.json {
            print_json(&Made {
                secret_file: self.file.display().to_string(),
                public_file: public_file.display().to_string(),
                public_key: key.to_string(),
            })?;
        } else {
            print(&format!("{key}\n"))?;
        }
        Ok(Done::Fine)
    }
}

#[derive(Serialize)]
struct Made {
    secret_file: String,
    public_file: String,
    public_key: String,
}
