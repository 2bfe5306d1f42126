//! A moment of a recording, as commands name it on the command line: when, and for whom.

use std::str::FromStr;

use gametape_minewars::{ReplayFile, Replayed, replay_view};
use gametape_wire::{Error, Frames, View};

use crate::failure::{Done, Failure, warn};
use crate::input::{Source, parse_view};
use crate::progress::Progress;
use crate::text::count;

/// More problems than this are counted, not shown.
const SHOWN_PROBLEMS: usize = 10;

/// A time in a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    /// Before the first frame.
    Start,
    /// After all frames up to and including this time.
    Time(u64),
    /// After the last frame.
    End,
}

impl FromStr for At {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "start" => Ok(Self::Start),
            "end" => Ok(Self::End),
            _ => text.parse().map(Self::Time).map_err(|_| "a time is start, end or milliseconds"),
        }
    }
}

/// Whose eyes to see with.
#[derive(Debug, clap::Args)]
pub(crate) struct ViewArg {
    /// The view to show: 0 is the spectator, 1 to 15 are the players
    #[arg(long = "view", value_name = "N", value_parser = parse_view, default_value = "0")]
    pub(crate) number: View,
}

/// Replays a view of a MineWars file up to a time.
pub(crate) fn replay(
    source: &Source,
    file: &ReplayFile<'_>,
    view: View,
    at: At,
) -> Result<Replayed, Failure> {
    let failed = |error: Error| Failure::of(source, &error);
    let layout = file.frame_layout().map_err(failed)?;
    if !layout.views().contains(view) {
        let most = layout.max_view();
        return Err(Failure::usage(format_args!("{source} has views 0 to {most}, not {view}")));
    }
    let map = file.setup().map().map_err(failed)?;
    let until = match at {
        At::Start => return Ok(replay_view(&map, [], file.dialect(), view, 0)),
        At::Time(time) => time,
        At::End => u64::MAX,
    };
    let frames = file.frames().map_err(failed)?;
    let progress = Progress::new("replaying", frames.bytes.len() as u64);
    let frames = progress.watch(Frames::new(layout, &frames.bytes));
    Ok(replay_view(&map, frames, file.dialect(), view, until))
}

/// Tells what went wrong on the way to a moment.
pub(crate) fn warn_of_problems(source: &Source, replayed: &Replayed) -> Done {
    let shown = replayed.problems.iter().take(SHOWN_PROBLEMS);
    let hidden = replayed.problem_count - shown.len() as u64;
    shown.for_each(|problem| warn(source, problem));
    if hidden > 0 {
        warn(source, format_args!("{} more like this", count(hidden, "message")));
    }
    Done::lost_if(replayed.problem_count > 0)
}
