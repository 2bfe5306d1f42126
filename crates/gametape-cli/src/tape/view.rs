//! What a tape leads to at a moment, entered at a keyframe.

use std::collections::BTreeMap;

use gametape_minewars::{Replayed, ViewState};
use gametape_replay::minewars::{MinewarsView, setup_of};
use gametape_replay::{PlayFinding, Playback, Player, PlayerOptions, Recording, Track, ViewTrack};
use gametape_scene::minewars::{Place, places_of};
use gametape_tape::{ChunkKind, TapeFrames};
use gametape_wire::{Error, Result as WireResult, ViewSet};

use super::{Metadata, TapeFile, milliseconds};
use crate::failure::{Failure, warn_of_loss};
use crate::input::Source;
use crate::moment::{When, moment_by_clock};
use crate::progress::waiting;
use crate::view_arg::{Names, ViewArg};

/// Nothing is played twice.
pub(crate) const PLAY_ONCE: PlayerOptions =
    PlayerOptions::new().with_cache_bytes(0).with_check(false);

/// What a MineWars view knows at a moment.
pub(crate) struct ViewAt {
    pub(crate) replayed: Replayed,
    /// What it knew before the first message.
    pub(crate) start: ViewState,
    pub(crate) cities: BTreeMap<u8, Place>,
}

/// Goes to a moment of a tape whose frames are MineWars messages.
pub(crate) fn view_at(
    source: &Source,
    mut recording: Recording<TapeFile>,
    view: &ViewArg,
    at: When,
) -> Result<ViewAt, Failure> {
    let failed = |error: Error| Failure::of(source, &error);
    let setup = setup_of(&mut recording).map_err(failed)?;
    let (tape, most) = (recording.tape(), setup.max_view());
    let view = match &view.given {
        Some(name) => name.find(source, || Names::of_tape(&Metadata::of(tape)))?,
        None => tape.first_view(),
    };
    if view > most {
        return Err(Failure::usage(format_args!("{source} has views 0 to {most}, not {view}")));
    }
    tape.check_views(ViewSet::EMPTY.with(view)).map_err(failed)?;
    let start = MinewarsView::new(&setup, view);
    let mut player = Playback::view(recording, view, start.clone(), PLAY_ONCE).map_err(failed)?;
    let moment = moment_by_clock(source, at, player.tick_length(), player.begin()..player.end())?;
    waiting("seeking", || player.seek(moment)).map_err(failed)?;
    warn_of_doubt(source, &player);
    let mut replayed = replayed(&player);
    replayed.time =
        last_time(&mut player.into_recording(), moment.next_tick().0).map_err(failed)?;
    Ok(ViewAt { replayed, start: start.state().clone(), cities: places_of(&setup) })
}

/// Says what is missing on the way to the state, and what could not be used.
pub(crate) fn warn_of_doubt<T: Track>(source: &Source, player: &Playback<TapeFile, Player<T>>) {
    let is_told = |finding: &&PlayFinding| !matches!(finding, PlayFinding::Input { .. });
    let told = player.findings().iter().filter(is_told);
    told.for_each(|finding| warn_of_loss(source, finding));
}

/// What the view knows; messages that could not be applied are problems.
fn replayed(player: &Playback<TapeFile, Player<ViewTrack<MinewarsView>>>) -> Replayed {
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
    Ok(milliseconds(&recording.tape().header, last.unwrap_or(0)))
}
