//! The map as a picture with its legend beside it.

use std::collections::BTreeMap;

use gametape_minewars::{Coord, FlagState, ItemKind, StructureKind, TileState};

use super::canvas::{Canvas, Point, Shapes, text_width};
use super::geometry::Geometry;
use super::legend::Legend;
use super::scene::Scene;
use super::signs::{INK, PAPER, Rgb, city_sign, player_colour, tile_colour};

const BACKGROUND: Rgb = Rgb(30, 34, 42);
pub(super) const MARGIN: f32 = 24.0;
/// Tiles narrower than this show neither grid nor what is on them.
const DETAIL: f32 = 10.0;
/// Tiles narrower than this have no room for a digit.
const DIGITS: f32 = 20.0;

/// A map being drawn.
pub(super) struct Picture<'a> {
    scene: &'a Scene<'a>,
    geometry: Geometry,
    canvas: Canvas,
}

impl<'a> Picture<'a> {
    /// The picture as PNG, tiles `scale` pixels wide; `None` when it is too large.
    pub(super) fn draw(scene: &'a Scene<'a>, scale: u16) -> Option<Vec<u8>> {
        let geometry = Geometry::new(scene.state.grid(), scene.state.radius(), scale, MARGIN);
        let legend = Legend::of(scene, geometry.size.0 as i32);
        let width = geometry.size.0.ceil() as u32 + legend.width as u32;
        let height = (geometry.size.1.ceil() as u32).max(legend.height as u32);
        let canvas = Canvas::new(width, height, BACKGROUND)?;
        let mut picture = Self { scene, geometry, canvas };
        picture.ground();
        picture.borders();
        if picture.geometry.scale() >= DETAIL {
            picture.contents();
        }
        picture.cities();
        legend.draw(&mut picture.canvas);
        picture.canvas.to_png()
    }

    /// Tiles of one colour together, then the grid.
    fn ground(&mut self) {
        let mut by_colour: BTreeMap<Rgb, Shapes> = BTreeMap::new();
        let mut grid = Shapes::default();
        for (at, tile) in self.scene.state.tiles() {
            let shapes = by_colour.entry(tile_colour(&tile)).or_default();
            shapes.polygon(self.geometry.corners(at));
            grid.polygon(self.geometry.corners(at));
        }
        for (colour, shapes) in by_colour {
            self.canvas.fill(shapes, colour, 255);
        }
        if self.geometry.scale() >= DETAIL {
            self.canvas.stroke(grid, INK, 60, 1.0);
        }
    }

    /// A line in a player's colour around everything that the player owns.
    fn borders(&mut self) {
        let mut by_owner: BTreeMap<u8, Shapes> = BTreeMap::new();
        let owner = |at: Coord| self.scene.state.tile(at).map_or(0, |tile| tile.owner);
        for (at, tile) in self.scene.state.tiles().filter(|(_, tile)| tile.owner != 0) {
            for (from, to, other) in self.geometry.edges(at) {
                if other.map_or(0, owner) != tile.owner {
                    by_owner.entry(tile.owner).or_default().line(from, to);
                }
            }
        }
        let width = (self.geometry.scale() / 9.0).clamp(1.0, 4.0);
        for (player, lines) in by_owner {
            let colour = player_colour(player).unwrap_or(PAPER).mixed(INK, 70);
            self.canvas.stroke(lines, colour, 255, width);
        }
    }

    fn contents(&mut self) {
        for (at, tile) in self.scene.state.tiles() {
            if self.scene.city_at(at).is_none() {
                let (centre, scale) = (self.geometry.centre(at), self.geometry.scale());
                draw_tile(&mut self.canvas, &tile, centre, scale);
            }
        }
    }

    fn cities(&mut self) {
        let radius = (self.geometry.scale() * 0.42).max(7.0);
        for (id, place) in self.scene.cities {
            let centre = self.geometry.centre(place.at);
            draw_city(&mut self.canvas, *id, centre, radius);
            let Some(name) = place.name.as_deref().filter(|name| !name.is_empty()) else {
                continue;
            };
            let size = letter_size(radius);
            let left = centre.0 as i32 - text_width(name, size) / 2;
            let top = (centre.1 + radius) as i32 + 3;
            self.canvas.label(name, (left, top), size, PAPER, INK);
        }
    }
}

/// Letters grow with the tiles.
fn letter_size(radius: f32) -> i32 {
    ((radius / 8.0).round() as i32).clamp(1, 3)
}

pub(super) fn draw_city(canvas: &mut Canvas, id: u8, centre: Point, radius: f32) {
    canvas.fill(circle(centre, radius), PAPER, 255);
    canvas.stroke(circle(centre, radius), INK, 255, (radius / 6.0).max(1.5));
    let size = letter_size(radius);
    let corner = (centre.0 as i32 - 4 * size + size / 2, centre.1 as i32 - 4 * size + size / 2);
    canvas.write(&city_sign(id).to_string(), corner, size, INK);
}

fn circle(centre: Point, radius: f32) -> Shapes {
    let mut shapes = Shapes::default();
    shapes.circle(centre, radius);
    shapes
}

/// What is on a tile, drawn around its centre.
fn draw_tile(canvas: &mut Canvas, tile: &TileState, centre: Point, scale: f32) {
    if let Some(kind) = tile.structure {
        draw_structure(canvas, kind, centre, scale);
    }
    match (tile.digit, tile.item) {
        (Some(digit), _) if scale >= DIGITS => {
            let size = ((scale / 24.0).round() as i32).max(1);
            let text = format!("{}{}", digit.value, if digit.asterisk { "*" } else { "" });
            let left = centre.0 as i32 - text_width(&text, size) / 2;
            canvas.label(&text, (left, centre.1 as i32 - 4 * size), size, PAPER, INK);
        }
        (_, item) => draw_item(canvas, item, centre, scale),
    }
    if let Some(flag) = tile.flag {
        draw_flag(canvas, flag, centre, scale);
    }
}

pub(super) fn draw_item(canvas: &mut Canvas, item: ItemKind, centre: Point, scale: f32) {
    let radius = scale * 0.2;
    match item {
        ItemKind::None => {}
        ItemKind::Mine => canvas.fill(circle(centre, radius), INK, 230),
        ItemKind::Decoy => canvas.stroke(circle(centre, radius), INK, 230, scale / 12.0),
        ItemKind::Trap | ItemKind::Unknown(_) => {
            let mut cross = Shapes::default();
            let (x, y) = centre;
            cross.line((x - radius, y - radius), (x + radius, y + radius));
            cross.line((x - radius, y + radius), (x + radius, y - radius));
            canvas.stroke(cross, INK, 230, scale / 10.0);
        }
    }
}

pub(super) fn draw_structure(canvas: &mut Canvas, kind: StructureKind, centre: Point, scale: f32) {
    let (x, y) = centre;
    let mut shapes = Shapes::default();
    let colour = match kind {
        StructureKind::Road => {
            shapes.block(centre, scale * 0.78, scale * 0.22);
            Rgb(96, 84, 72)
        }
        StructureKind::Bridge => {
            shapes.block((x, y - scale * 0.14), scale * 0.78, scale * 0.12);
            shapes.block((x, y + scale * 0.14), scale * 0.78, scale * 0.12);
            Rgb(134, 92, 48)
        }
        StructureKind::Wall => {
            shapes.block(centre, scale * 0.56, scale * 0.56);
            Rgb(104, 104, 112)
        }
        StructureKind::Tower => {
            let reach = scale * 0.36;
            shapes.polygon([(x, y - reach), (x + reach, y + reach), (x - reach, y + reach)]);
            Rgb(245, 245, 250)
        }
        StructureKind::Unknown(_) => {
            shapes.circle(centre, scale * 0.3);
            Rgb(190, 80, 190)
        }
    };
    canvas.fill(shapes, colour, 255);
}

pub(super) fn draw_flag(canvas: &mut Canvas, flag: FlagState, (x, y): Point, scale: f32) {
    let owner = match flag {
        FlagState::Unnamed => None,
        FlagState::Of(player) => player_colour(player),
    };
    let (reach, left) = (scale * 0.34, x - scale * 0.12);
    let mut pole = Shapes::default();
    pole.line((left, y - reach), (left, y + reach));
    canvas.stroke(pole, INK, 255, (scale / 16.0).max(1.0));
    let mut cloth = Shapes::default();
    cloth.polygon([(left, y - reach), (left + reach * 1.2, y - reach / 2.0), (left, y)]);
    canvas.fill(cloth, owner.unwrap_or(PAPER), 255);
}

#[cfg(test)]
mod tests {
    use gametape_minewars::Generation;
    use gametape_minewars::{Grid, Map, Message, Tile, TileBuf, TileKind, ViewState};
    use gametape_wire::View;
    use tiny_skia::Pixmap;

    use super::*;
    use crate::cities::Place;
    use crate::commands::map::signs::ground_colour;

    fn state(grid: Grid, radius: u8) -> ViewState {
        let land = Tile { kind: TileKind::Forest, item: ItemKind::None };
        let mut map = Map::new(grid, radius, land).unwrap();
        map.set(Coord::new(1, 0), Tile { kind: TileKind::Water, ..land }).unwrap();
        ViewState::new(&map, View::SPECTATOR, Generation::Current)
    }

    /// The colour at the centre of a tile.
    fn colour_at(png: &[u8], geometry: &Geometry, at: Coord) -> Rgb {
        let pixels = Pixmap::decode_png(png).unwrap();
        let (x, y) = geometry.centre(at);
        let pixel = pixels.pixel(x as u32, y as u32).unwrap();
        Rgb(pixel.red(), pixel.green(), pixel.blue())
    }

    static NO_CITIES: BTreeMap<u8, Place> = BTreeMap::new();

    #[test]
    fn tiles_have_the_colour_of_their_ground_tinted_by_their_owner() {
        for grid in Grid::ALL {
            let mut state = state(grid, 2);
            let mut tiles = TileBuf::new();
            tiles.push(Coord::new(1, 0));
            state.apply(&Message::Owner { player: 3, tiles: tiles.as_tiles() }).unwrap();
            let scene = Scene::new(&state, &NO_CITIES, 0);
            let png = Picture::draw(&scene, 12).unwrap();
            let geometry = Geometry::new(grid, 2, 12, MARGIN);
            let forest = ground_colour(TileKind::Forest);
            assert_eq!(colour_at(&png, &geometry, Coord::new(-1, 0)), forest);
            let owned = colour_at(&png, &geometry, Coord::new(1, 0));
            assert_eq!(owned, tile_colour(&state.tile(Coord::new(1, 0)).unwrap()));
            assert_ne!(owned, ground_colour(TileKind::Water));
        }
    }

    #[test]
    fn every_radius_can_be_drawn() {
        for (grid, radius) in [(Grid::Hex, 1), (Grid::Square, 127)] {
            let state = state(grid, radius);
            let scene = Scene::new(&state, &NO_CITIES, 0);
            assert!(Picture::draw(&scene, 2).is_some(), "{grid} {radius}");
        }
    }
}
