//! The legend beside the picture: lines of a swatch and words.

use gametape_minewars::{FlagState, TileKind};

use super::canvas::{Canvas, Point, Shapes, can_write, line_height, text_width};
use super::picture::{MARGIN, draw_city, draw_flag, draw_item, draw_structure};
use super::scene::Scene;
use super::signs::{PAPER, Rgb, SMOKE, Thing, ground_colour, player_colour};

/// The legend on the right: lines of a swatch and words.
pub(super) struct Legend {
    left: i32,
    pub(super) width: i32,
    pub(super) height: i32,
    lines: Vec<LegendLine>,
}

/// A line and what is drawn in front of it.
struct LegendLine {
    swatch: Swatch,
    text: String,
}

enum Swatch {
    None,
    Colour(Rgb),
    Thing(Thing),
    City(u8),
}

/// Letters of the legend are 16 pixels high.
const LEGEND_LETTER: i32 = 2;
const LEGEND_LINE: i32 = line_height(LEGEND_LETTER) + 4;
const SWATCH: i32 = 20;

impl Legend {
    pub(super) fn of(scene: &Scene<'_>, left: i32) -> Self {
        let plain = |text: String| LegendLine { swatch: Swatch::None, text };
        let things = scene.things().into_iter().map(|thing| {
            let text = thing.name();
            match thing {
                Thing::Ground(kind) => {
                    LegendLine { swatch: Swatch::Colour(ground_colour(kind)), text }
                }
                _ => LegendLine { swatch: Swatch::Thing(thing), text },
            }
        });
        let owners = scene.owners().into_iter().map(|mut owner| {
            if !can_write(&owner.names) {
                owner.names.clear();
            }
            let colour = player_colour(owner.player).unwrap_or(PAPER);
            LegendLine { swatch: Swatch::Colour(colour), text: owner.text() }
        });
        let cities = scene.city_lines().into_iter();
        let cities = cities.map(|(id, text)| LegendLine { swatch: Swatch::City(id), text });
        let title = scene.title();
        let lines: Vec<LegendLine> = title
            .split(", ")
            .map(|part| plain(part.to_owned()))
            .chain([plain(String::new())])
            .chain(things)
            .chain([plain(String::new())])
            .chain(owners)
            .chain(cities)
            .collect();
        let widest = lines.iter().map(LegendLine::width).max().unwrap_or(0);
        let margin = MARGIN as i32;
        let height = lines.len() as i32 * LEGEND_LINE + 2 * margin;
        Self { left, width: widest + margin, height, lines }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas) {
        for (line, place) in self.lines.iter().zip(0i32..) {
            line.draw(canvas, self.left, MARGIN as i32 + place * LEGEND_LINE);
        }
    }
}

impl LegendLine {
    fn indent(&self) -> i32 {
        if matches!(self.swatch, Swatch::None) { 0 } else { SWATCH + 12 }
    }

    fn width(&self) -> i32 {
        self.indent() + text_width(&self.text, LEGEND_LETTER)
    }

    fn draw(&self, canvas: &mut Canvas, left: i32, top: i32) {
        let half = SWATCH as f32 / 2.0;
        let centre = (left as f32 + half, top as f32 + 8.0);
        match &self.swatch {
            Swatch::None => {}
            Swatch::Colour(colour) => {
                let mut block = Shapes::default();
                block.block(centre, SWATCH as f32, SWATCH as f32);
                canvas.fill(block, *colour, 255);
            }
            Swatch::Thing(thing) => draw_thing(canvas, thing, centre),
            Swatch::City(id) => draw_city(canvas, *id, centre, half),
        }
        canvas.write(&self.text, (left + self.indent(), top), LEGEND_LETTER, PAPER);
    }
}

/// A thing as it looks on the map, on a piece of land.
fn draw_thing(canvas: &mut Canvas, thing: &Thing, centre: Point) {
    let scale = SWATCH as f32;
    let mut land = Shapes::default();
    land.block(centre, scale, scale);
    let bare = ground_colour(TileKind::Regular);
    let ground = if *thing == Thing::Smoke { SMOKE } else { bare };
    canvas.fill(land, ground, 255);
    match thing {
        Thing::Structure(kind) => draw_structure(canvas, *kind, centre, scale),
        Thing::Item(kind) => draw_item(canvas, *kind, centre, scale),
        Thing::Flag => draw_flag(canvas, FlagState::Unnamed, centre, scale),
        Thing::Ground(_) | Thing::Smoke => {}
    }
}
