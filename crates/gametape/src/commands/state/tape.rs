//! The state of what a tape holds, entered at a keyframe.

use gametape_minewars::Replayed;
use gametape_replay::minewars::MinewarsView;
use gametape_replay::{PlayFinding, Player, PlayerOptions, Recording, Track, cadre, minewars};
use gametape_tape::{ChunkKind, TapeFrames};
use gametape_wire::{Error, Result as WireResult};

use super::Args;
use super::gamelog::show_state;
use crate::cities::places_of;
use crate::failure::{Done, Failure, Outcome, warn};
use crate::gamelog::moment_of;
use crate::input::{Input, Source, refuse};
use crate::moment::At;
use crate::progress::waiting;
use crate::tape::{Content, TapeFile, milliseconds};
use crate::text::count;

/// Nothing is played twice.
const OPTIONS: PlayerOptions = PlayerOptions { cache_bytes: 0, check: false };

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
            (Content::Gamelog, At::Turn(_)) => {
                recording.into_source().into_recording().map(Shown::NotYet)
            }
            (Content::Gamelog, _) => self.show_tape_game(&source, recording).map(Shown::Done),
        }
    }

    fn show_tape_view(&self, source: &Source, mut recording: Recording<TapeFile>) -> Outcome {
        let failed = |error: Error| Failure::of(source, &error);
        let misfit = |option: &str| {
            Failure::usage(format_args!("{option} is for gamelogs, and {source} holds none"))
        };
        let turn = matches!(self.at, At::Turn(_));
        let options = [("--path", self.path.is_some()), ("--resolve", self.resolve.is_some())];
        refuse(&[options[0], options[1], ("a turn", turn)], misfit)?;
        let setup = minewars::setup_of(&mut recording).map_err(failed)?;
        let view = self.view.number();
        if view > setup.max_view() {
            let most = setup.max_view();
            return Err(Failure::usage(format_args!("{source} has views 0 to {most}, not {view}")));
        }
        let start = MinewarsView::new(&setup, view);
        let mut player = Player::view(recording, view, start.clone(), OPTIONS).map_err(failed)?;
        let tick = self.tick(&player);
        waiting("seeking", || player.seek(tick)).map_err(failed)?;
        let done = warn_of_doubt(source, &player);
        let mut replayed = replayed(&player);
        replayed.time = last_time(&mut player.into_recording(), tick).map_err(failed)?;
        match self.print_view(source, places_of(&setup), start.state(), &replayed)? {
            Done::Fine => Ok(done),
            lost => Ok(lost),
        }
    }

    /// Behind everything up to and including the time that was asked for.
    fn tick<T: Track>(&self, player: &Player<TapeFile, T>) -> u64 {
        let tick_length = u128::from(player.recording().tape().front.tick_length);
        match self.at {
            At::Start => 0,
            At::Number(time) => {
                let tick = u128::from(time) * 1000 / tick_length + 1;
                u64::try_from(tick).unwrap_or(u64::MAX).min(player.end())
            }
            At::Turn(_) | At::End => player.end(),
        }
    }

    fn show_tape_game(&self, source: &Source, recording: Recording<TapeFile>) -> Outcome {
        let failed = |error: Error| Failure::of(source, &error);
        refuse(&[("--view", self.view.given.is_some())], |option| {
            Failure::usage(format_args!("{option} is for MineWars, and {source} holds a gamelog"))
        })?;
        let mut player = cadre::player(recording, OPTIONS).map_err(failed)?;
        let deltas = player.end();
        let position = match self.at {
            At::Start => deltas.min(1),
            At::Number(delta) if delta < deltas => delta + 1,
            At::Number(delta) => {
                let there = count(deltas, "delta");
                let problem =
                    format_args!("{source} has {there}, counted from 0, and so no delta {delta}");
                return Err(Failure::usage(problem));
            }
            At::Turn(_) | At::End => deltas,
        };
        waiting("seeking", || player.seek(position)).map_err(failed)?;
        let done = warn_of_doubt(source, &player);
        let state = player.state().state();
        let turn = state.get("currentTurn").and_then(|turn| turn.as_i64());
        show_state(source, state, &moment_of(position.checked_sub(1), turn), &self.wanted())?;
        Ok(done)
    }
}

/// Tells what is missing on the way to the state, and what could not be used.
fn warn_of_doubt<T: Track>(source: &Source, player: &Player<TapeFile, T>) -> Done {
    let is_told = |finding: &&PlayFinding| !matches!(finding, PlayFinding::Input { .. });
    let told: Vec<&PlayFinding> = player.findings().iter().filter(is_told).collect();
    told.iter().for_each(|finding| warn(source, finding));
    Done::lost_if(!told.is_empty() || player.doubt().is_some())
}

/// What the view knows; messages that could not be applied are problems.
fn replayed(player: &Player<TapeFile, gametape_replay::Watched<MinewarsView>>) -> Replayed {
    let problem = |finding: &PlayFinding| match finding {
        PlayFinding::Input { tick, error } => {
            Some(error.clone().within(format_args!("tick {tick}")))
        }
        _ => None,
    };
    let problems: Vec<Error> = player.findings().iter().filter_map(problem).collect();
    let problem_count = problems.len() as u64;
    Replayed { state: player.state().state().clone(), time: 0, problems, problem_count }
}

/// When the last frame before a tick happens, in milliseconds.
fn last_time(recording: &mut Recording<TapeFile>, tick: u64) -> WireResult<u64> {
    let chunks = recording.entries(ChunkKind::FRAMES, 0);
    let last = chunks.iter().rfind(|entry| entry.header.first_tick < tick);
    let Some(entry) = last else { return Ok(0) };
    let raw = recording.raw(entry)?;
    let frames = TapeFrames::new(&entry.header, &raw).map_while(Result::ok);
    let last = frames.map(|frame| frame.tick).take_while(|at| *at < tick).last();
    Ok(milliseconds(&recording.tape().front, last.unwrap_or(0)))
}
