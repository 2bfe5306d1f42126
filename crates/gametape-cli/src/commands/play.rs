//! `gametape play`: watch a recording in the terminal.
//!
//! A [`Viewer`] of the library knows what is shown; the [`app`] knows what [`keys`] mean, the [`screen`]
//! draws, and the [`terminal`] is all that touches the outside.

mod app;
mod keys;
mod screen;
pub(super) mod terminal;

use std::time::Duration;

use gametape_scene::stage::{Action, Viewer};
use gametape_wire::{Time, When};

use super::stage;
use crate::failure::{Failure, Outcome};
use crate::input::{FormatArgs, RecordingArgs, Source};
use crate::progress::waiting_first;
use crate::tape::TapeFile;
use crate::view_arg::ViewArg;
use app::App;

/// Watch a recording in the terminal, moment by moment
///
/// The board is shown as a view knows it, with what happened in words; what changed is marked. The state
/// of a gamelog is also shown as a tree. Press ? for all keys.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    recording: RecordingArgs,

    /// Where to begin: a time such as 3:37.6, 217.6s or -10s (before the end), tick:4352, turn:12,
    /// 50%, start, end; a number alone is in milliseconds, in a gamelog a delta
    #[arg(long, value_name = "TIME", default_value = "start", allow_hyphen_values = true)]
    at: When,

    #[command(flatten)]
    view: ViewArg,

    /// Play pauses here.
    #[arg(skip)]
    pause_at: Option<Time>,
}

const EXAMPLES: &str = "\
Keys: left and right step, space plays, + and - change the speed, g goes to a time, a tick
or a turn, v changes the view, d lists messages, m switches between board and tree,
i inspects tiles, ? explains the others, q quits.

Examples:
  gametape play match.minewars
  gametape play --at 0:30 --view Ana match.tape
  gametape play --at turn:12 game.json.gz";

impl Args {
    /// To watch a part of a recording: play pauses at its end.
    pub(super) fn of_window(source: &Source, start: Time, end: Time) -> Self {
        let recording = RecordingArgs { source: source.clone(), format: FormatArgs::default() };
        let (at, pause_at) = (When::Time(start), Some(end));
        Self { recording, at, view: ViewArg::default(), pause_at }
    }

    pub(crate) fn run(self) -> Outcome {
        terminal::require()?;
        let RecordingArgs { source, format } = &self.recording;
        let stage = waiting_first("reading", || stage::open(source, format, &self.view))?;
        let moment = stage.find(self.at).map_err(|error| Failure::of(source, &error))?;
        let mut viewer = Viewer::new(stage);
        viewer.go(moment);
        viewer.play.pause_at(self.pause_at);
        if self.pause_at.is_some() {
            viewer.act(Action::PlayOrPause, Duration::ZERO);
        }
        let mut app = App::new(viewer);
        terminal::run(&mut app, &mut |_| {})?;
        Ok(stage::warn_of_problems(app.viewer.stage(), source))
    }
}

/// Shows a recording that grows, live, until somebody quits.
pub(super) fn live(
    mut viewer: Viewer<TapeFile>,
    feed: &mut terminal::Feed<'_>,
) -> Result<Viewer<TapeFile>, Failure> {
    viewer.act(Action::Last, Duration::ZERO);
    let mut app = App::new(viewer);
    terminal::run(&mut app, feed)?;
    Ok(app.viewer)
}
