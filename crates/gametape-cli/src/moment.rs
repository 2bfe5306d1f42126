//! A moment of a recording, as commands name it on the command line: when, and for whom.

use std::str::FromStr;

use gametape_minewars::Frames;
use gametape_minewars::{ReplayFile, Replayed, replay_view};
use gametape_tape::TapeHeader;
use gametape_wire::{Error, View};

use crate::failure::{Done, Failure, warn};
use crate::input::{Source, parse_view};
use crate::progress::Progress;
use crate::tape::tick_at;
use crate::text::count;

/// More problems than this are counted, not shown.
const SHOWN_PROBLEMS: usize = 10;

/// A moment in a recording; what it means depends on the kind of recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    /// Before the first frame; after the first delta.
    Start,
    /// After all frames up to and including this time; after the delta with this number.
    Number(u64),
    /// After the delta that begins this turn.
    Turn(i64),
    /// After the last frame or delta.
    End,
}

impl FromStr for At {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = match (text, text.strip_prefix("turn:")) {
            ("start", _) => return Ok(Self::Start),
            ("end", _) => return Ok(Self::End),
            (_, Some(turn)) => turn.parse().map(Self::Turn),
            (number, None) => number.parse().map(Self::Number),
        };
        number.map_err(|_| "a moment is start, end, a number or turn:N")
    }
}

/// A time in a recording, where there is a choice of how to count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Time {
    /// Since the start.
    Milliseconds(u64),
    /// The number of a tick, in a tape.
    Tick(u64),
}

impl FromStr for Time {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let time = match text.strip_prefix("tick:") {
            Some(tick) => tick.parse().map(Self::Tick),
            None => text.parse().map(Self::Milliseconds),
        };
        time.map_err(|_| "a time is a number of milliseconds or tick:N")
    }
}

impl Time {
    /// In milliseconds, for a recording that has no ticks.
    pub(crate) fn milliseconds(self, source: &Source) -> Result<u64, Failure> {
        match self {
            Self::Milliseconds(time) => Ok(time),
            Self::Tick(_) => {
                Err(Failure::usage(format_args!("ticks are for tapes, and {source} is none")))
            }
        }
    }

    /// The first tick of a tape at this time or later.
    pub(crate) fn tick(self, front: &TapeHeader) -> u64 {
        match self {
            Self::Milliseconds(time) => tick_at(front, time),
            Self::Tick(tick) => tick,
        }
    }
}

/// Whose eyes to see with.
#[derive(Debug, clap::Args)]
pub(crate) struct ViewArg {
    /// The view to show: 0 is the spectator, 1 to 15 are the players [default: 0]
    #[arg(long = "view", value_name = "N", value_parser = parse_view)]
    pub(crate) given: Option<View>,
}

impl ViewArg {
    /// The view that was given, or the spectator.
    pub(crate) fn number(&self) -> View {
        self.given.unwrap_or(View::SPECTATOR)
    }
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
        At::Number(time) => time,
        At::Turn(_) => {
            let problem = "turns are for gamelogs, and";
            return Err(Failure::usage(format_args!("{problem} {source} is a MineWars recording")));
        }
        At::End => u64::MAX,
    };
    let frames = file.frames().map_err(failed)?;
    let progress = Progress::new("replaying", frames.bytes.len() as u64);
    let frames = progress.watch(Frames::new(layout, &frames.bytes));
    Ok(replay_view(&map, frames, file.dialect(), view, until))
}

/// Tells what went wrong on the way to a moment: the first problems, and how many there are in all.
pub(crate) fn warn_of_problems(source: &Source, first: &[Error], all: u64) -> Done {
    let shown = first.iter().take(SHOWN_PROBLEMS);
    let hidden = all - shown.len() as u64;
    shown.for_each(|problem| warn(source, problem));
    if hidden > 0 {
        warn(source, format_args!("{} more like this", count(hidden, "message")));
    }
    Done::lost_if(all > 0)
}
