//! What a MineWars view knows at a moment.

use gametape_minewars::{
    Frames, NamedCity, ReplayFile, Replayed, ViewShape, ViewState, cities_of_file, cities_of_setup,
    replay_view,
};
use gametape_tape::{ChunkKind, TapeFrames};
use gametape_wire::{Error, Moment, Result, SortedMap, Source, Tick, TickLength, Time, View, When};

use super::{PLAY_ONCE, doubts};
use crate::inspect::losses;
use crate::minewars::{MinewarsView, setup_of};
use crate::moments::{end_before, moment_by_clock};
use crate::player::{PlayRule, Player, ViewTrack};
use crate::players::{ViewName, players_of_minewars, view_in_tape};
use crate::source::Recording;
use crate::streams::FRAMES;
use crate::timeline::Playback;

/// What a MineWars view knows at a moment.
#[derive(Debug)]
#[non_exhaustive]
pub struct ViewAt {
    /// What it knows, and what could not be applied on the way.
    pub replayed: Replayed,
    /// What it knew before the first message.
    pub start: ViewState,
    /// The cities by id.
    pub cities: SortedMap<u8, NamedCity>,
    /// What is missing on the way to the state, a line each.
    pub losses: Vec<String>,
    /// The moment; the last frame may be earlier.
    pub time: Time,
    /// When the recording ends, where a later time was asked for.
    pub end: Option<Time>,
}

impl ViewAt {
    /// The state as rows of text, at the moment that was asked for.
    #[must_use]
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = self.shape().rows();
        if let Some((_, time)) = rows.iter_mut().find(|(label, _)| *label == "time") {
            *time = self.time.to_string();
        }
        rows
    }

    /// The state as text and JSON.
    #[must_use]
    pub fn shape(&self) -> ViewShape {
        let cities = self.cities.iter().map(|(id, city)| (*id, (city.at, city.name.clone())));
        ViewShape::new(&self.start, &self.replayed, cities)
    }
}

/// Replays a view of a MineWars file up to a moment: the spectator where nobody is named.
pub fn view_of_file(file: &ReplayFile<'_>, who: Option<&ViewName>, at: When) -> Result<ViewAt> {
    let layout = file.frame_layout()?;
    let view = view_in_file(file, who, layout.max_view())?;
    let (map, dialect) = (file.setup().map()?, file.dialect());
    let start = replay_view(&map, [], dialect, view, 0);
    let frames = file.frames()?;
    let frames = || Frames::new(layout, &frames.bytes);
    // Only some moments depend on how long the recording is.
    let end = match at {
        When::End | When::Share(_) | When::BeforeEnd(_) => end_of(frames()),
        _ => Moment::before(Tick::MAX),
    };
    let moment = moment_by_clock(at, TickLength::MILLISECOND, Moment::START..end)?;
    let last = moment.last_tick().unwrap_or_default();
    let replayed = match moment.last_tick() {
        Some(Tick(last)) => replay_view(&map, frames(), dialect, view, last),
        None => start.clone(),
    };
    let is_over = !frames().map_while(Result::ok).any(|frame| frame.time() >= last.0);
    let end = if is_over { end_of(frames()) } else { moment };
    Ok(ViewAt {
        replayed,
        start: start.state,
        cities: cities_of_file(file),
        losses: Vec::new(),
        time: TickLength::MILLISECOND.time_of(last.min(end.last_tick().unwrap_or_default())),
        end: end_before(at, TickLength::MILLISECOND, end),
    })
}

/// After the last frame that can be read.
fn end_of(frames: Frames<'_>) -> Moment {
    let last = frames.map_while(Result::ok).last();
    last.map_or(Moment::START, |frame| Moment::after(Tick(frame.time())))
}

/// The view of a file that somebody names, or the spectator.
fn view_in_file(file: &ReplayFile<'_>, who: Option<&ViewName>, most: View) -> Result<View> {
    let players = || players_of_minewars(file).unwrap_or_default();
    let view = who.map_or(Ok(View::SPECTATOR), |name| name.find(players))?;
    if view > most {
        let problem = format!("there are views 0 to {most}, not {view}");
        return Err(Error::misuse("view", problem));
    }
    Ok(view)
}

/// Goes to a moment of a tape whose frames are MineWars messages.
pub fn view_of_tape<S: Source>(
    mut recording: Recording<S>,
    who: Option<&ViewName>,
    at: When,
) -> Result<ViewAt> {
    let setup = setup_of(&mut recording)?;
    let tape = recording.tape();
    let mut losses: Vec<String> = losses(tape).collect();
    let view = view_in_tape(tape, who)?;
    let start = MinewarsView::new(&setup, view);
    let mut player = Playback::view(recording, view, start.clone(), PLAY_ONCE)?;
    let (length, end) = (player.tick_length(), player.end());
    let moment = moment_by_clock(at, length, player.begin()..end)?;
    player.seek(moment)?;
    losses.extend(doubts(player.findings()));
    let mut replayed = replayed(&player);
    replayed.time = last_time(&mut player.into_recording(), moment.next_tick())?;
    let (start, cities) = (start.state().clone(), cities_of_setup(&setup));
    let time = length.time_of(moment.last_tick().unwrap_or_default());
    Ok(ViewAt { replayed, start, cities, losses, time, end: end_before(at, length, end) })
}

/// What the view knows; messages that could not be applied are problems.
fn replayed<S: Source>(player: &Playback<S, Player<ViewTrack<MinewarsView>>>) -> Replayed {
    let unapplied = player.findings().iter().filter(|finding| finding.rule == PlayRule::INPUT);
    let problems: Vec<Error> = unapplied.map(|finding| finding.error.clone()).collect();
    let problem_count = problems.len() as u64;
    let state = player.state().state().clone();
    // What cannot be applied was so when it was recorded: verification warns of it.
    Replayed { state, time: 0, problems, problem_count, damage_count: 0 }
}

/// When the last frame before a tick happens, in milliseconds.
fn last_time<S: Source>(recording: &mut Recording<S>, before: Tick) -> Result<u64> {
    let chunks = recording.entries(ChunkKind::FRAMES, FRAMES);
    let last = chunks.iter().rfind(|entry| entry.header.first_tick < before);
    let Some(entry) = last else { return Ok(0) };
    let raw = recording.raw(entry)?;
    let frames = TapeFrames::new(&entry.header, &raw).map_while(Result::ok);
    let last = frames.map(|frame| frame.tick).take_while(|tick| *tick < before).last();
    Ok(recording.tape().header.tick_length.millis_of(last.unwrap_or_default()))
}
