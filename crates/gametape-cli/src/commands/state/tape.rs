//! The state of what a tape holds, entered at a keyframe.

use gametape_cadre::show::moment_of;
use gametape_cadre::{Log, Options, Timeline};
use gametape_replay::{Recording, cadre};
use gametape_wire::{Error, Moment, Tick, When};

use super::Args;
use super::gamelog::show_state;
use crate::failure::{Done, Failure, Outcome, warn};
use crate::games::{known, titles};
use crate::input::{Input, Opened, Source, refuse};
use crate::moment::deltas_at;
use crate::progress::waiting;
use crate::tape::{Content, PLAY_ONCE, TapeFile, view_at, warn_of_doubt};

/// Was the state shown?
pub(super) enum Shown {
    Done(Done),
    /// Only who knows the whole recording can say when that is.
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

    /// Shows the state of the simulation, which has the shape of the game's gamelog.
    pub(super) fn show_simulation(&self, opened: Opened) -> Outcome {
        let file = match opened {
            Opened::Tape(file) => file,
            Opened::Whole(Input { source, .. }) => {
                let problem = format_args!("--simulation is for tapes, {source} is none");
                return Err(Failure::usage(problem));
            }
        };
        let source = &file.source.clone();
        let failed = |error: Error| Failure::of(source, &error);
        let recording = Recording::open(file).map_err(failed)?;
        let content = recording.field("content");
        let game = known(content.as_deref()).ok_or_else(|| {
            let problem = format!("only {} can be run again", titles());
            Failure::refused(source, &problem)
        })?;
        let mut file = recording.into_source();
        let when = self.at;
        let state = waiting("simulating", || game.simulated_state(&mut file, when));
        let state = state.map_err(failed)?;
        let done = state.findings.iter().fold(Done::Fine, |_, finding| {
            warn(source, finding);
            Done::DataLost
        });
        let options = Options::default();
        let timeline =
            Log::open(state.gamelog, &options).and_then(|log| Timeline::load(log, &options));
        let timeline = timeline.map_err(failed)?;
        let moment = match state.moment.last_tick() {
            Some(tick) => format!("after tick {}", tick.0),
            None => "before the first tick".to_owned(),
        };
        show_state(source, timeline.state(), &moment, &self.wanted_of_simulation())?;
        Ok(done)
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
        let deltas = player.end().next_tick().0;
        let position = deltas_at(source, self.at, deltas)?.unwrap_or(deltas);
        waiting("seeking", || player.seek(Moment::before(Tick(position)))).map_err(failed)?;
        warn_of_doubt(source, &player);
        let state = player.state().state();
        let turn = state.get("currentTurn").and_then(|turn| turn.as_i64());
        show_state(source, state, &moment_of(position.checked_sub(1), turn), &self.wanted())
    }
}
