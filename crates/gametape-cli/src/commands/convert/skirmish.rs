//! Converting a tape of a known game to a gamelog: the match is simulated again.

use gametape_replay::Recording;
use gametape_wire::Error;

use super::{Args, Form, Storage, gamelog};
use crate::failure::{Failure, Outcome};
use crate::games::known;
use crate::input::{Gamelog, Source};
use crate::progress::waiting;
use crate::rewrite::Told;
use crate::tape::{TapeFile, warn_of_losses};

impl Args {
    /// Is a gamelog to be made of this tape? Only of a game that is known here.
    pub(super) fn wants_gamelog_of(&self, recording: &Recording<TapeFile>) -> bool {
        let ends_so = |end: &std::ffi::OsStr| end == "json" || end == "gz";
        let by_name = || self.result.extension().is_some_and(ends_so);
        let is_wanted = self.to.map_or_else(by_name, |to| to == Form::Gamelog);
        is_wanted && known(recording.field("content").as_deref()).is_some()
    }

    /// Simulates a match again, and tells it as a gamelog.
    pub(super) fn make_gamelog(&self, source: &Source, recording: Recording<TapeFile>) -> Outcome {
        if self.compress == Some(Storage::Dictionary) {
            return Err(Failure::usage("a gamelog has no dictionary"));
        }
        warn_of_losses(source, recording.tape());
        let content = recording.field("content");
        let Some(game) = known(content.as_deref()) else {
            return Err(Failure::usage(format_args!("{source} holds no game that is known here")));
        };
        let mut file = recording.into_source();
        let target = self.result.target()?;
        let made = waiting("simulating", || game.gamelog(&mut file));
        let made = made.map_err(|error: Error| Failure::of(source, &error))?;
        let log = Gamelog { source, bytes: &made.json };
        let gzip = self.compress.map(|storage| storage == Storage::Yes);
        gamelog::convert(&log, &self.layout, gzip.or(self.is_plain_by_name()), target)?;
        let mut told = Told::new(source, Some(target));
        told.lost = made.findings.iter().map(ToString::to_string).collect();
        told.tell(self.result.json)
    }

    /// What is called .json is no gzip.
    fn is_plain_by_name(&self) -> Option<bool> {
        self.result.extension().filter(|end| *end == "json").map(|_| false)
    }
}
