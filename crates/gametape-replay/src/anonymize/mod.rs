//! Recordings without what says who played: `spec/tape-contents.md`, section 7.
//!
//! MineWars files and gamelogs have rules of their own (`gametape_minewars::anonymize`,
//! `gametape_cadre::anonymize`); tapes are rewritten chunk by chunk with the same rules, and their
//! keyframes are made again. What was written is searched for every name that was found.

mod game;
mod metadata;
mod minewars;
mod search;
mod tape;

use std::collections::{BTreeMap, BTreeSet};

use gametape_minewars::{AnonymizeOptions, Dialect, ReplayFile};
use gametape_wire::{Error, Result, Source};
use serde::{Serialize, Serializer};

use crate::convert::{Layout, write_gamelog};
use crate::games::KnownGame;
use crate::open::Opened;
use crate::rewrite::Put;

/// What was removed from a recording, and what was still found in the result; serialises as what
/// `gametape anonymize --json` prints, without the names of files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
#[must_use]
pub struct Anonymized {
    /// What was removed or replaced, and how often.
    #[serde(serialize_with = "as_rows")]
    pub removed: BTreeMap<String, u64>,
    /// What was found in the result although it should be gone.
    pub remaining: BTreeSet<String>,
    /// What a tape that was never finished has lost: a gap in the result declares it.
    pub lost: Vec<String>,
}

impl Anonymized {
    fn add(&mut self, what: &str, count: u64) {
        if count > 0 {
            *self.removed.entry(what.to_owned()).or_default() += count;
        }
    }
}

/// `[{"what","count"}]`
fn as_rows<S: Serializer>(removed: &BTreeMap<String, u64>, to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Row<'a> {
        what: &'a str,
        count: u64,
    }
    to.collect_seq(removed.iter().map(|(what, count)| Row { what, count: *count }))
}

/// Writes a recording of any kind without what says who played.
///
/// `games` are those whose setups are known; of other games only what is in a known format is
/// changed, and names that are still found are reported.
pub fn anonymize<S: Source>(
    opened: Opened<S>,
    games: &[&dyn KnownGame],
    put: &mut Put<'_>,
) -> Result<Anonymized> {
    match opened {
        Opened::Tape(source) => tape::anonymize(source, games, put),
        Opened::MineWars(bytes) => anonymize_minewars(&bytes.file()?, put),
        Opened::Gamelog(bytes) => {
            let made = gametape_cadre::anonymize(&bytes.log()?, bytes.options())?;
            write_gamelog(&made.log, &Layout::default(), bytes.is_gzip(), put)?;
            let mut result = Anonymized::default();
            made.removed.iter().for_each(|(what, count)| result.add(what, *count));
            result.remaining = made.remaining.into_keys().collect();
            Ok(result)
        }
    }
}

fn anonymize_minewars(file: &ReplayFile<'_>, put: &mut Put<'_>) -> Result<Anonymized> {
    if file.dialect() == Dialect::MwDatatool {
        let problem = "the dialect mw-datatool is never written: convert the recording first";
        return Err(Error::misuse("anonymize", problem));
    }
    let made = gametape_minewars::anonymize(file, AnonymizeOptions::default())?;
    put(&made.bytes)?;
    let mut result = Anonymized::default();
    made.removed.iter().for_each(|(what, count)| result.add(what, count));
    Ok(result)
}
