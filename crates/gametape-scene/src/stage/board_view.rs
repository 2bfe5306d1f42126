//! The part of a board that a screen shows.

use std::collections::HashSet;

use crate::model::TileAt;
use crate::text::{Ink, TextMap};

/// Which row and column of a board are in the middle of a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BoardView {
    row: usize,
    column: usize,
    /// Is the middle pointed at?
    pub is_inspecting: bool,
}

/// One character of a board on a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoardCell {
    /// The column of the screen, from 0.
    pub x: usize,
    /// The row of the screen, from 0.
    pub y: usize,
    /// The character.
    pub sign: char,
    /// How it looks.
    pub ink: Ink,
    /// What is special about its tile.
    pub mark: CellMark,
}

/// What is special about a tile on a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellMark {
    /// Nothing.
    Plain,
    /// It changed.
    Changed,
    /// It is pointed at.
    Pointed,
}

impl BoardView {
    /// The middle of a board.
    #[must_use]
    pub fn middle(map: &TextMap) -> Self {
        Self { row: map.height() / 2, column: map.width() / 2, is_inspecting: false }
    }

    /// Scrolls, or moves the pointer, by steps: to the next tile while it points, else faster.
    pub fn move_by(&mut self, (rows, columns): (isize, isize), map: &TextMap) {
        let step = if self.is_inspecting { 1 } else { 2 };
        let (row, column) = (rows * step, columns * step * 2);
        self.row = self.row.saturating_add_signed(row).min(map.height().saturating_sub(1));
        self.column = self.column.saturating_add_signed(column).min(map.width().saturating_sub(1));
    }

    /// Scrolls to the middle of some tiles.
    pub fn scroll_to(&mut self, map: &TextMap, tiles: &HashSet<TileAt>) {
        let cells: Vec<(usize, usize)> = (0..map.height())
            .flat_map(|row| map.row(row).iter().map(move |cell| (row, cell)))
            .filter(|(_, cell)| cell.at.is_some_and(|at| tiles.contains(&at)))
            .map(|(row, cell)| (row, cell.column))
            .collect();
        if let Some(count) = std::num::NonZero::new(cells.len()) {
            self.row = cells.iter().map(|cell| cell.0).sum::<usize>() / count;
            self.column = cells.iter().map(|cell| cell.1).sum::<usize>() / count;
        }
    }

    /// The tile that is pointed at.
    #[must_use]
    pub fn pointed(&self, map: &TextMap) -> Option<TileAt> {
        let near = |column: usize| column.abs_diff(self.column);
        let cell = map.row(self.row).iter().min_by_key(|cell| near(cell.column))?;
        cell.at.filter(|_| self.is_inspecting)
    }

    /// What a screen of some size shows of a board, on which these tiles changed.
    #[must_use]
    pub fn cells(
        &self,
        map: &TextMap,
        changed: &HashSet<TileAt>,
        (width, height): (usize, usize),
    ) -> Vec<BoardCell> {
        let pointed = self.pointed(map);
        let mark = |at: Option<TileAt>| match at {
            Some(_) if at == pointed => CellMark::Pointed,
            Some(at) if changed.contains(&at) => CellMark::Changed,
            _ => CellMark::Plain,
        };
        let (top, above) = fit(self.row, map.height(), height);
        let (left, before) = fit(self.column, map.width(), width);
        let mut cells = Vec::new();
        for line in 0..map.height().saturating_sub(top).min(height) {
            for cell in map.row(top + line) {
                let signs = [cell.sign, cell.owner].into_iter().zip(cell.column..);
                let seen = signs.filter_map(|(sign, column)| {
                    let x = column.checked_sub(left)? + before;
                    let (y, ink, mark) = (above + line, cell.ink, mark(cell.at));
                    (x < width).then_some(BoardCell { x, y, sign, ink, mark })
                });
                cells.extend(seen);
            }
        }
        cells
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
