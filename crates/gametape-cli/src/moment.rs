//! A moment of a recording, as people write it: [`When`].
//!
//! A moment is always after everything that happened at that time.

use std::fmt::Display;
use std::ops::Range;

use gametape_minewars::{Frames, ReplayFile, Replayed, replay_view};
use gametape_wire::{Error, Moment, Tick, TickLength, View};

use crate::failure::{Done, Failure, warn};
use crate::input::Source;
use crate::progress::Progress;
use crate::text::count;

pub(crate) use gametape_wire::When;

/// More problems than this are counted, not shown.
const SHOWN_PROBLEMS: usize = 10;

/// The moment in a recording of ticks of some length that has these moments. A usage error for a turn,
/// which only gamelogs have.
pub(crate) fn moment_by_clock(
    source: &impl Display,
    when: When,
    length: TickLength,
    span: Range<Moment>,
) -> Result<Moment, Failure> {
    when.moment_within(length, span).ok_or_else(|| {
        Failure::usage(format_args!("turns are for gamelogs, and {source} holds none"))
    })
}

/// How many deltas of a gamelog are merged at a moment; `None` for a turn, of which only the log
/// itself knows where it begins. A usage error for a time, and for a delta that is not there.
pub(crate) fn deltas_at(
    source: &impl Display,
    when: When,
    deltas: u64,
) -> Result<Option<u64>, Failure> {
    match when {
        When::Time(_) | When::BeforeEnd(_) => Err(Failure::usage(format_args!(
            "{source} has no clock: name a delta (tick:12), a turn (turn:3) or a share (50%)"
        ))),
        When::Number(delta) | When::Tick(Tick(delta)) if delta >= deltas => {
            let there = count(deltas, "delta");
            Err(Failure::usage(format_args!(
                "{source} has {there}, counted from 0, and so no delta {delta}"
            )))
        }
        // A number without a unit is a delta.
        When::Number(delta) => Ok(Some(delta + 1)),
        when => {
            let end = Moment::before(Tick(deltas));
            Ok(when.moment(TickLength::MILLISECOND, end).map(|moment| moment.next_tick().0))
        }
    }
}

/// Replays a view of a MineWars file up to a moment.
pub(crate) fn replay(
    source: &Source,
    file: &ReplayFile<'_>,
    view: View,
    at: When,
) -> Result<Replayed, Failure> {
    let failed = |error: Error| Failure::of(source, &error);
    let layout = file.frame_layout().map_err(failed)?;
    let mut replayed = before_all(source, file, view)?;
    let frames = file.frames().map_err(failed)?;
    let frames = || Frames::new(layout, &frames.bytes);
    // Only some moments depend on how long the recording is.
    let end = match at {
        When::End | When::Share(_) | When::BeforeEnd(_) => end_of(frames()),
        _ => Moment::before(Tick(u64::MAX)),
    };
    let moment = moment_by_clock(source, at, TickLength::MILLISECOND, Moment::START..end)?;
    if let Some(Tick(last)) = moment.last_tick() {
        let map = file.setup().map().map_err(failed)?;
        let progress = Progress::new("replaying", file.header().frames_raw.into());
        replayed = replay_view(&map, progress.watch(frames()), file.dialect(), view, last);
    }
    Ok(replayed)
}

/// What a view of a MineWars file knows before anything happens.
pub(crate) fn before_all(
    source: &Source,
    file: &ReplayFile<'_>,
    view: View,
) -> Result<Replayed, Failure> {
    let failed = |error: Error| Failure::of(source, &error);
    let layout = file.frame_layout().map_err(failed)?;
    if !layout.views().contains(view) {
        let most = layout.max_view();
        return Err(Failure::usage(format_args!("{source} has views 0 to {most}, not {view}")));
    }
    let map = file.setup().map().map_err(failed)?;
    Ok(replay_view(&map, [], file.dialect(), view, 0))
}

/// After the last frame that can be read.
fn end_of(frames: Frames<'_>) -> Moment {
    let last = frames.map_while(Result::ok).last();
    last.map_or(Moment::START, |frame| Moment::after(Tick(frame.time())))
}

/// Prints what went wrong on the way to a moment: the first problems, and how many there are in all.
pub(crate) fn warn_of_problems(source: &Source, first: &[Error], all: u64) -> Done {
    let shown = first.iter().take(SHOWN_PROBLEMS);
    let hidden = all - shown.len() as u64;
    shown.for_each(|problem| warn(source, problem));
    if hidden > 0 {
        warn(source, format_args!("{} more like this", count(hidden, "message")));
    }
    Done::lost_if(all > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deltas(text: &str) -> Result<Option<u64>, ()> {
        deltas_at(&"game.json", text.parse().unwrap(), 10).map_err(|_| ())
    }

    #[test]
    fn a_gamelog_is_counted_in_deltas() {
        for (text, merged) in [("start", 1), ("0", 1), ("9", 10), ("tick:3", 4), ("end", 10)] {
            assert_eq!(deltas(text), Ok(Some(merged)), "{text}");
        }
        assert_eq!(
            [deltas("50%"), deltas("100%"), deltas("0%")],
            [Ok(Some(5)), Ok(Some(10)), Ok(Some(1))]
        );
        assert_eq!(deltas("turn:2"), Ok(None));
    }

    #[test]
    fn a_gamelog_has_no_clock() {
        for text in ["3:37", "5s", "5ms", "-10s", "10", "tick:10"] {
            assert_eq!(deltas(text), Err(()), "{text}");
        }
    }
}
