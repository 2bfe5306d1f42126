//! The map on the screen: as much of it as there is room for.

use std::collections::HashSet;

use gametape_minewars::{Coord, ViewState};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use crate::commands::map::scene::Scene;
use crate::commands::map::signs::{
    Rgb, Thing, city_sign, ground_colour, player_colour, player_sign,
};
use crate::commands::map::sketch::{Paint, cells, column};

/// Which tile is in the middle of the screen, in rows and columns of the whole map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Board {
    row: usize,
    column: usize,
    rows: usize,
    columns: usize,
}

impl Board {
    /// The middle of a map.
    pub(super) fn new(state: &ViewState) -> Self {
        let radius = usize::from(state.radius());
        let (rows, columns) = (2 * radius + 1, 4 * radius + 2);
        Self { row: rows / 2, column: columns / 2, rows, columns }
    }

    /// Scrolls if that is what a key asks for.
    pub(super) fn press(&mut self, key: KeyCode) -> bool {
        let (rows, columns) = match key {
            KeyCode::Up | KeyCode::Char('k') => (-2, 0),
            KeyCode::Down | KeyCode::Char('j') => (2, 0),
            KeyCode::Char('h') => (0, -4),
            KeyCode::Char('l') => (0, 4),
            _ => return false,
        };
        self.row = self.row.saturating_add_signed(rows).min(self.rows - 1);
        self.column = self.column.saturating_add_signed(columns).min(self.columns - 1);
        true
    }

    /// Scrolls to the middle of some tiles.
    pub(super) fn scroll_to(&mut self, state: &ViewState, tiles: &HashSet<Coord>) {
        let Some(count) = std::num::NonZero::new(tiles.len()) else { return };
        let middle = |of: &dyn Fn(&Coord) -> usize| tiles.iter().map(of).sum::<usize>() / count;
        self.row = middle(&|at| row(state, *at));
        self.column = middle(&|at| column(state, *at));
    }

    /// Draws what there is room for, with tiles that changed in reversed colours.
    pub(super) fn draw(
        &mut self,
        scene: &Scene<'_>,
        changed: &HashSet<Coord>,
        area: Rect,
        screen: &mut Buffer,
    ) {
        let (top, above) = fit(&mut self.row, self.rows, area.height.into());
        let (left, before) = fit(&mut self.column, self.columns, area.width.into());
        let radius = i16::from(scene.state.radius());
        let rows = (self.rows - top).min(area.height.into());
        for line in 0..rows {
            let y = radius - (top + line) as i16;
            let screen_y = area.y + (above + line) as u16;
            for cell in cells(scene, y as i8) {
                let style = style(cell.paint, changed.contains(&cell.at));
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

/// The row of a tile, from north.
fn row(state: &ViewState, at: Coord) -> usize {
    usize::try_from(i16::from(state.radius()) - i16::from(at.y)).unwrap_or_default()
}

/// What of `length` is seen in `room` around `middle`: the first, and how much is left free before.
fn fit(middle: &mut usize, length: usize, room: usize) -> (usize, usize) {
    if length <= room {
        return (0, (room - length) / 2);
    }
    // Scrolling stops where there is nothing more to see.
    *middle = (*middle).clamp(room / 2, length - (room - room / 2));
    (*middle - room / 2, 0)
}

fn style(paint: Paint, changed: bool) -> Style {
    let style = Style::new().bg(colour(paint.background)).fg(colour(paint.text));
    let style = if paint.bold { style.add_modifier(Modifier::BOLD) } else { style };
    if changed { style.add_modifier(Modifier::BOLD | Modifier::REVERSED) } else { style }
}

fn colour(Rgb(r, g, b): Rgb) -> Color {
    Color::Rgb(r, g, b)
}

/// What the signs mean: players, cities, things.
pub(super) fn legend(scene: &Scene<'_>) -> Vec<Line<'static>> {
    let line = |sign: String, style: Style, text: String| {
        Line::from(vec![Span::styled(sign, style), Span::raw(format!(" {text}"))])
    };
    let owners = scene.owners().into_iter().map(|owner| {
        let colour = player_colour(owner.player).map(|rgb| style(Paint::on(rgb), false));
        let sign = player_sign(owner.player).to_string();
        line(format!(" {sign} "), colour.unwrap_or_default(), owner.text())
    });
    let cities = scene.city_lines().into_iter();
    let city = |(id, text)| line(format!(" {} ", city_sign(id)), style(Paint::city(), false), text);
    let things: Vec<Thing> = scene.things().into_iter().collect();
    owners.chain(things.chunks(3).map(explained)).chain(cities.map(city)).collect()
}

/// Several signs in one line.
fn explained(things: &[Thing]) -> Line<'static> {
    let spans = things.iter().flat_map(|thing| {
        let paint = match thing {
            Thing::Ground(kind) => style(Paint::on(ground_colour(*kind)), false),
            _ => Style::new(),
        };
        let sign = Span::styled(format!(" {} ", thing.sign()), paint);
        [sign, Span::raw(format!(" {:<10}", thing.name()))]
    });
    Line::from(spans.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_that_fits_is_centred_and_a_larger_one_is_seen_in_part() {
        let mut middle = 50;
        assert_eq!(fit(&mut middle, 10, 20), (0, 5));
        assert_eq!(fit(&mut middle, 20, 20), (0, 0));
        assert_eq!((fit(&mut middle, 100, 20), middle), ((40, 0), 50));
        middle = 3;
        assert_eq!((fit(&mut middle, 100, 21), middle), ((0, 0), 10));
        middle = 99;
        assert_eq!((fit(&mut middle, 100, 21), middle), ((79, 0), 89));
        assert_eq!(fit(&mut middle, 100, 0).1, 0);
    }
}
