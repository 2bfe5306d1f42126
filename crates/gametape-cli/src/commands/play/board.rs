//! The board on the screen: as much of it as there is room for.

use std::collections::HashSet;

use gametape_scene::{Colour, Ink, Palette, TextMap, TileAt};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

/// Which row and column of the board are in the middle of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct BoardView {
    row: usize,
    column: usize,
    /// Is the middle pointed at?
    pub(super) is_inspecting: bool,
}

impl BoardView {
    /// The middle of a board.
    pub(super) fn middle(map: &TextMap) -> Self {
        Self { row: map.height() / 2, column: map.width() / 2, is_inspecting: false }
    }

    /// Scrolls if that is what a key asks for.
    pub(super) fn press(&mut self, key: KeyCode, map: &TextMap) -> bool {
        let step = if self.is_inspecting { 1 } else { 2 };
        let (rows, columns) = match key {
            KeyCode::Up | KeyCode::Char('k') => (-step, 0),
            KeyCode::Down | KeyCode::Char('j') => (step, 0),
            KeyCode::Char('h') => (0, -2 * step),
            KeyCode::Char('l') => (0, 2 * step),
            _ => return false,
        };
        self.row = self.row.saturating_add_signed(rows).min(map.height().saturating_sub(1));
        self.column = self.column.saturating_add_signed(columns).min(map.width().saturating_sub(1));
        true
    }

    /// Scrolls to the middle of some tiles.
    pub(super) fn scroll_to(&mut self, map: &TextMap, tiles: &HashSet<TileAt>) {
        let places: Vec<(usize, usize)> = (0..map.height())
            .flat_map(|row| map.row(row).iter().map(move |cell| (row, cell)))
            .filter(|(_, cell)| cell.at.is_some_and(|at| tiles.contains(&at)))
            .map(|(row, cell)| (row, cell.column))
            .collect();
        if let Some(count) = std::num::NonZero::new(places.len()) {
            self.row = places.iter().map(|place| place.0).sum::<usize>() / count;
            self.column = places.iter().map(|place| place.1).sum::<usize>() / count;
        }
    }

    /// The tile that is pointed at.
    pub(super) fn pointed(&self, map: &TextMap) -> Option<TileAt> {
        let near = |column: usize| column.abs_diff(self.column);
        let cell = map.row(self.row).iter().min_by_key(|cell| near(cell.column))?;
        cell.at.filter(|_| self.is_inspecting)
    }

    /// Draws what there is room for, with tiles that changed in reversed colours.
    pub(super) fn draw(
        &mut self,
        map: &TextMap,
        changed: &HashSet<TileAt>,
        area: Rect,
        screen: &mut Buffer,
    ) {
        let pointed = self.pointed(map);
        let (top, above) = fit(self.row, map.height(), area.height.into());
        let (left, before) = fit(self.column, map.width(), area.width.into());
        let rows = map.height().saturating_sub(top).min(area.height.into());
        for line in 0..rows {
            let screen_y = area.y + (above + line) as u16;
            for cell in map.row(top + line) {
                let is_changed = cell.at.is_some_and(|at| changed.contains(&at));
                let mut style = style(cell.ink, is_changed);
                if cell.at.is_some() && cell.at == pointed {
                    style = style.bg(colour(Palette::ACCENT)).fg(colour(Palette::INK));
                }
                for (sign, column) in [cell.sign, cell.owner].into_iter().zip(cell.column..) {
                    let Some(x) = column.checked_sub(left).map(|x| x + before) else { continue };
                    if x < area.width.into() {
                        screen[(area.x + x as u16, screen_y)].set_char(sign).set_style(style);
                    }
                }
            }
        }
    }
}

/// What of `length` is seen in `room` around `middle`: the first, and how much is left free before.
fn fit(middle: usize, length: usize, room: usize) -> (usize, usize) {
    if length <= room {
        return (0, (room - length) / 2);
    }
    // Scrolling stops where there is nothing more to see.
    let shown = middle.clamp(room / 2, length - (room - room / 2));
    (shown - room / 2, 0)
}

pub(super) fn style(ink: Ink, changed: bool) -> Style {
    let style = Style::new().bg(colour(ink.background)).fg(colour(ink.text));
    let style = if ink.bold { style.add_modifier(Modifier::BOLD) } else { style };
    if changed { style.add_modifier(Modifier::BOLD | Modifier::REVERSED) } else { style }
}

fn colour(Colour(r, g, b): Colour) -> Color {
    Color::Rgb(r, g, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_that_fits_is_centred_and_a_larger_one_is_seen_in_part() {
        assert_eq!(fit(50, 10, 20), (0, 5));
        assert_eq!(fit(50, 20, 20), (0, 0));
        assert_eq!(fit(50, 100, 20), (40, 0));
        assert_eq!(fit(3, 100, 21), (0, 0));
        assert_eq!(fit(99, 100, 21), (79, 0));
        assert_eq!(fit(89, 100, 0).1, 0);
    }
}
