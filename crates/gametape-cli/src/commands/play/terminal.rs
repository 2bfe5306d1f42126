//! The terminal: takes it over, hands keys and time to the player, gives it back.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};

use super::player::Player;
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
pub(super) fn run(player: &mut Player) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::io(&"terminal", &error);
    // From here on a panic gives the terminal back before it is reported.
    let mut terminal = ratatui::try_init().map_err(failed)?;
    let _restore = Restore;
    play(player, &mut terminal).map_err(failed)
}

/// Gives the terminal back, however playing ends.
struct Restore;

impl Drop for Restore {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

fn play(player: &mut Player, terminal: &mut DefaultTerminal) -> io::Result<()> {
    let began = Instant::now();
    while !player.over {
        terminal.draw(|frame| screen::draw(player, frame.area(), frame.buffer_mut()))?;
        if !player.play.is_playing() || event::poll(FRAME)? {
            take_all(player, began)?;
        }
        player.tick(began.elapsed());
    }
    Ok(())
}

/// Takes a key and those that came in the meantime: one picture for all of them, unless they take
/// long.
fn take_all(player: &mut Player, began: Instant) -> io::Result<()> {
    take(player, &event::read()?, began);
    let first = Instant::now();
    while !player.over && first.elapsed() < FRAME && event::poll(Duration::ZERO)? {
        take(player, &event::read()?, began);
    }
    Ok(())
}

fn take(player: &mut Player, event: &Event, began: Instant) {
    if let Event::Key(key) = event
        && key.kind != KeyEventKind::Release
    {
        player.press(*key, began.elapsed());
    }
}
