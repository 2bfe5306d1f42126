//! The state of what a tape holds, entered at a keyframe.

use gametape_replay::{Recording, cadre};
use gametape_wire::Error;

use super::Args;
use super::gamelog::show_state;
use crate::failure::{Done, Failure, Outcome};
use crate::gamelog::moment_of;
use crate::input::{Input, Source, refuse};
use crate::moment::{When, deltas_at};
use crate::progress::waiting;
use crate::tape::{Content, PLAY_ONCE, TapeFile, view_at, warn_of_doubt};

/// Was the state shown?
pub(super) enum Shown {
    Done(Done),
    /// Only who knows the whole recording can tell when that is.
    NotYet(Input),
}

impl Args {
    pub(super) fn show_tape(&self, file: TapeFile) -> Result<Shown, Failure> {
        let source = file.source.clone();
        let (recording, content) = file.play()?;
        match (content, self.at) {
            (Content::MineWars, _) => self.show_tape_view(&source, recording).map(Shown::Done),
            (Content::Gamelog, When::Turn(_)) => {
                recording.into_source().into_recording().map(Shown::NotYet)
            }
            (Content::Gamelog, _) => self.show_tape_game(&source, recording).map(Shown::Done),
        }
    }

    fn show_tape_view(&self, source: &Source, recording: Recording<TapeFile>) -> Outcome {
        let options = [("--path", self.path.is_some()), ("--resolve", self.resolve.is_some())];
        refuse(&options, |option| {
            Failure::usage(format_args!("{option} is for gamelogs, and {source} holds none"))
        })?;
        let then = view_at(source, recording, &self.view, self.at)?;
        self.print_view(source, then.cities, &then.start, &then.replayed)
    }

    fn show_tape_game(&self, source: &Source, recording: Recording<TapeFile>) -> Outcome {
        let failed = |error: Error| Failure::of(source, &error);
        refuse(&[("--view", self.view.given.is_some())], |option| {
            Failure::usage(format_args!("{option} is for MineWars, and {source} holds a gamelog"))
        })?;
        let mut player = cadre::player(recording, PLAY_ONCE).map_err(failed)?;
        let deltas = player.end();
        let position = deltas_at(source, self.at, deltas)?.unwrap_or(deltas);
        waiting("seeking", || player.seek(position)).map_err(failed)?;
        warn_of_doubt(source, &player);
        let state = player.state().state();
        let turn = state.get("currentTurn").and_then(|turn| turn.as_i64());
        show_state(source, state, &moment_of(position.checked_sub(1), turn), &self.wanted())
    }
}
