//! The terminal: takes it over, hands keys and time to the app, gives it back.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use gametape_scene::stage::Viewer;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};

use super::app::App;
use super::screen;
use crate::failure::Failure;
use crate::tape::TapeFile;

/// How often the screen is drawn while playing.
const FRAME: Duration = Duration::from_millis(33);

/// What makes a recording grow while it is shown.
pub(in crate::commands) type Feed<'a> = dyn FnMut(&mut Viewer<TapeFile>) + 'a;

/// Is there somebody to play for?
pub(in crate::commands) fn is_there() -> bool {
    io::stdout().is_terminal()
}

/// Fails when there is nobody to play for.
pub(super) fn require() -> Result<(), Failure> {
    if is_there() {
        return Ok(());
    }
    Err(Failure::usage("play needs a terminal; standard output is not one"))
}

/// Plays until somebody quits.
pub(super) fn run(app: &mut App, feed: &mut Feed<'_>) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::io(&"terminal", &error);
    // From here on a panic gives the terminal back before it is reported.
    let mut terminal = ratatui::try_init().map_err(failed)?;
    let _restore = Restore;
    play(app, feed, &mut terminal).map_err(failed)
}

/// Gives the terminal back, however playing ends.
struct Restore;

impl Drop for Restore {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

fn play(app: &mut App, feed: &mut Feed<'_>, terminal: &mut DefaultTerminal) -> io::Result<()> {
    let began = Instant::now();
    while !app.over {
        feed(&mut app.viewer);
        terminal.draw(|frame| screen::draw(app, frame.area(), frame.buffer_mut()))?;
        let goes_on = app.viewer.play.is_playing() || app.viewer.stage().is_growing();
        if !goes_on || event::poll(FRAME)? {
            take_all(app, began)?;
        }
        app.viewer.tick(began.elapsed());
    }
    Ok(())
}

/// Takes a key and those that came in the meantime: one picture for all of them, unless they take
/// long.
fn take_all(app: &mut App, began: Instant) -> io::Result<()> {
    take(app, &event::read()?, began);
    let first = Instant::now();
    while !app.over && first.elapsed() < FRAME && event::poll(Duration::ZERO)? {
        take(app, &event::read()?, began);
    }
    Ok(())
}

fn take(app: &mut App, event: &Event, began: Instant) {
    if let Event::Key(key) = event
        && key.kind != KeyEventKind::Release
    {
        app.press(*key, began.elapsed());
    }
}
