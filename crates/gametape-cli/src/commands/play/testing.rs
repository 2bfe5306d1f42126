//! Players on a screen in memory, for tests.

use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::crossterm::event::KeyCode;

use super::player::Player;
use super::screen;

/// What somebody would see.
pub(super) struct Screen(Buffer);

impl Screen {
    pub(super) fn of(player: &mut Player, width: u16, height: u16) -> Self {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| screen::draw(player, frame.area(), frame.buffer_mut())).unwrap();
        Self(terminal.backend().buffer().clone())
    }

    /// The screen as lines of text, without colours.
    pub(super) fn text(&self) -> String {
        let row = |cells: &[Cell]| cells.iter().map(Cell::symbol).collect::<String>();
        let rows = self.0.content().chunks(self.0.area.width.into()).map(row);
        rows.map(|row| row.trim_end().to_owned() + "\n").collect()
    }

    pub(super) fn assert_has(&self, parts: &[&str]) {
        let text = self.text();
        for part in parts {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
    }

    pub(super) fn count(&self, wanted: impl Fn(&Cell) -> bool) -> usize {
        self.0.content().iter().filter(|cell| wanted(cell)).count()
    }
}

/// Presses keys one after the other: letters, arrows, `^` and `$` for Home and End, `⏎`, `⇥`.
pub(super) fn press(player: &mut Player, keys: &str) {
    for key in keys.chars() {
        let code = match key {
            '←' => KeyCode::Left,
            '→' => KeyCode::Right,
            '↑' => KeyCode::Up,
            '↓' => KeyCode::Down,
            '^' => KeyCode::Home,
            '$' => KeyCode::End,
            '⏎' => KeyCode::Enter,
            '⇥' => KeyCode::Tab,
            letter => KeyCode::Char(letter),
        };
        player.press(code.into(), Duration::ZERO);
    }
}
