//! The terminal: takes it over, hands keys and time to the app, gives it back.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};

use super::app::App;
use super::screen;
use crate::failure::Failure;

/// How often the screen is drawn while playing.
const FRAME: Duration = Duration::from_millis(33);

/// Fails when there is nobody to play for.
pub(super) fn require() -> Result<(), Failure> {
    if io::stdout().is_terminal() {
        return Ok(());
    }
    Err(Failure::usage("play needs a terminal; standard output is not one"))
}

/// Plays until somebody quits.
pub(super) fn run(app: &mut App) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::io(&"terminal", &error);
    // From here on a panic gives the terminal back before it is reported.
    let mut terminal = ratatui::try_init().map_err(failed)?;
    let _restore = Restore;
    play(app, &mut terminal).map_err(failed)
}

/// Gives the terminal back, however playing ends.
struct Restore;

impl Drop for Restore {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

fn play(app: &mut App, terminal: &mut DefaultTerminal) -> io::Result<()> {
    let began = Instant::now();
    while !app.over {
        terminal.draw(|frame| screen::draw(app, frame.area(), frame.buffer_mut()))?;
        if !app.viewer.play.is_playing() || event::poll(FRAME)? {
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
