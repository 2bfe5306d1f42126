//! The map as text: two columns a tile, north (+y) up, hex rows shifted by half a tile.

use std::fmt::Display;

use anstyle::{RgbColor, Style};
use gametape_minewars::{Coord, Grid, TileState};

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

struct Sketch<'a> {
    scene: &'a Scene<'a>,
    colours: bool,
}

impl Sketch<'_> {
    fn row(&self, y: i8) -> String {
        let state = self.scene.state;
        let mut tiles = (i8::MIN..=i8::MAX)
            .map(|x| Coord::new(y, x))
            .filter_map(|at| Some((at, state.tile(at)?)))
            .peekable();
        let mut line = String::new();
        if let (Grid::Hex, Some((first, _))) = (state.grid(), tiles.peek()) {
            let shift = 2 * i16::from(first.x) + i16::from(y) + 2 * i16::from(state.radius());
            line.extend(std::iter::repeat_n(' ', shift as usize));
        }
        line.extend(tiles.map(|(at, tile)| self.cell(at, &tile)));
        line.truncate(line.trim_end().len());
        line + "\n"
    }

    /// A sign for what is most important on the tile, and one for its owner.
    fn cell(&self, at: Coord, tile: &TileState) -> String {
        let top = || Thing::all_on(tile).next().map_or(' ', |thing| thing.sign());
        let city = self.scene.city_at(at);
        let sign = city.map_or_else(top, city_sign);
        let style = if city.is_some() { on(PAPER).bold() } else { on(tile_colour(tile)) };
        self.painted(style, format_args!("{sign}{}", player_sign(tile.owner)))
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
            *text += &format!("{} {line}\n", self.painted(on(PAPER).bold(), city_sign(id)));
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
    let text = if colour.brightness() > 110 { INK } else { PAPER };
    Style::new().bg_color(Some(terminal(colour).into())).fg_color(Some(terminal(text).into()))
}

fn terminal(Rgb(r, g, b): Rgb) -> RgbColor {
    RgbColor(r, g, b)
}
