//! The map as text: two columns a tile, north (+y) up, hex rows shifted by half a tile.

use std::fmt::Display;

use anstyle::{RgbColor, Style};
use gametape_minewars::{Coord, Grid, TileState, ViewState};

use super::scene::Scene;
use super::signs::{
    INK, PAPER, Rgb, Thing, city_sign, ground_colour, player_colour, player_sign, tile_colour,
};

/// The map and its legend, with colours if they will be seen.
pub(super) fn draw(scene: &Scene<'_>, colours: bool) -> String {
    let sketch = Sketch { scene, colours };
    let radius = scene.state.radius() as i8;
    let mut text: String = (-radius..=radius).rev().map(|y| sketch.row(y)).collect();
    sketch.legend(&mut text);
    text
}

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) struct Paint {
    pub(in crate::commands) background: Rgb,
    pub(in crate::commands) text: Rgb,
    pub(in crate::commands) bold: bool,
}

impl Paint {
    /// Readable text on a colour.
    pub(in crate::commands) fn on(background: Rgb) -> Self {
        let text = if background.brightness() > 110 { INK } else { PAPER };
        Self { background, text, bold: false }
    }

    /// The paint of a city's letter.
    pub(in crate::commands) fn city() -> Self {
        Self { bold: true, ..Self::on(PAPER) }
    }

    fn style(self) -> Style {
        let style = if self.bold { Style::new().bold() } else { Style::new() };
        style
            .bg_color(Some(terminal(self.background).into()))
            .fg_color(Some(terminal(self.text).into()))
    }
}

/// A tile as text, two columns wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) struct Cell {
    pub(in crate::commands) at: Coord,
    /// Where it begins in its row.
    pub(in crate::commands) column: usize,
    /// What is most important on the tile.
    pub(in crate::commands) sign: char,
    /// Whose it is.
    pub(in crate::commands) owner: char,
    pub(in crate::commands) paint: Paint,
}

/// The tiles of a row from west to east.
pub(in crate::commands) fn cells<'a>(
    scene: &'a Scene<'_>,
    y: i8,
) -> impl Iterator<Item = Cell> + 'a {
    let tiles = (i8::MIN..=i8::MAX).map(move |x| Coord::new(y, x));
    tiles.filter_map(|at| Some(Cell::of(scene, at, &scene.state.tile(at)?)))
}

impl Cell {
    fn of(scene: &Scene<'_>, at: Coord, tile: &TileState) -> Self {
        let top = || Thing::all_on(tile).next().map_or(' ', |thing| thing.sign());
        let city = scene.city_at(at);
        let sign = city.map_or_else(top, city_sign);
        let paint = if city.is_some() { Paint::city() } else { Paint::on(tile_colour(tile)) };
        Self { at, column: column(scene.state, at), sign, owner: player_sign(tile.owner), paint }
    }

    /// The sign, and whose it is.
    fn text(&self) -> String {
        [self.sign, self.owner].iter().collect()
    }
}

/// Where a tile begins in its row: hex rows are shifted by half a tile each.
pub(in crate::commands) fn column(state: &ViewState, at: Coord) -> usize {
    let shift = match state.grid() {
        Grid::Hex => i16::from(at.y),
        Grid::Square => 0,
    };
    let column = 2 * i16::from(at.x) + shift + 2 * i16::from(state.radius());
    usize::try_from(column).unwrap_or_default()
}

struct Sketch<'a> {
    scene: &'a Scene<'a>,
    colours: bool,
}

impl Sketch<'_> {
    fn row(&self, y: i8) -> String {
        let mut line = String::new();
        for cell in cells(self.scene, y) {
            // Nothing but the shift of the row is left out of it.
            if line.is_empty() {
                line.extend(std::iter::repeat_n(' ', cell.column));
            }
            line += &self.painted(cell.paint.style(), cell.text());
        }
        line.truncate(line.trim_end().len());
        line + "\n"
    }

    fn legend(&self, text: &mut String) {
        let title = self.painted(Style::new().bold(), self.scene.title());
        let things = self.scene.things();
        let things: Vec<String> = things.iter().map(|thing| self.explained(thing)).collect();
        *text += &format!("\n{title}\n{}\n", things.join("  "));
        for owner in self.scene.owners() {
            let style = player_colour(owner.player).map(on).unwrap_or_default();
            let sign = self.painted(style, player_sign(owner.player));
            *text += &format!("{sign} {}\n", owner.text());
        }
        for (id, line) in self.scene.city_lines() {
            *text += &format!("{} {line}\n", self.painted(Paint::city().style(), city_sign(id)));
        }
    }

    fn explained(&self, thing: &Thing) -> String {
        let style = match thing {
            Thing::Ground(kind) => on(ground_colour(*kind)),
            _ => Style::new(),
        };
        format!("{} {}", self.painted(style, thing.sign()), thing.name())
    }

    fn painted(&self, style: Style, text: impl Display) -> String {
        if self.colours { format!("{style}{text}{style:#}") } else { text.to_string() }
    }
}

/// Readable text on a colour.
fn on(colour: Rgb) -> Style {
    Paint::on(colour).style()
}

/// The colour as terminals take it.
fn terminal(Rgb(r, g, b): Rgb) -> RgbColor {
    RgbColor(r, g, b)
}
