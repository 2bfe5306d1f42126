//! The board of a picture.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::canvas::{Canvas, Point, Shapes, circle};
use super::font::{Font, Weight};
use super::labels::{Area, Labels};
use crate::layout::Layout;
use crate::model::{Board, Kind, Look, Piece, Scene, Sight};
use crate::palette::{Colour, Palette};
use crate::text::tile_colour;

/// Tiles narrower than this show neither grid nor what is on them.
const DETAIL: f32 = 9.0;
/// Tiles narrower than this have no room for letters.
const LETTERS: f32 = 18.0;
/// More pieces on one tile are not drawn.
const MOST_ON_TILE: usize = 4;
/// More labels are not written.
const MOST_LABELS: usize = 300;

/// A board being drawn.
pub(super) struct BoardPicture<'a> {
    pub(super) scene: &'a Scene,
    pub(super) board: &'a Board,
    pub(super) layout: &'a Layout,
    /// The width of a tile in pixels.
    pub(super) scale: f32,
    /// The upper left corner.
    pub(super) origin: Point,
    pub(super) fonts: &'a Font,
}

impl BoardPicture<'_> {
    pub(super) fn draw(&self, canvas: &mut Canvas) {
        self.ground(canvas);
        self.borders(canvas);
        let placed = self.placed();
        let labels = self.labels(&placed);
        if self.scale >= DETAIL {
            self.marks(canvas, &labels);
        }
        for (piece, centre, radius) in &placed {
            self.piece(canvas, piece, *centre, *radius);
        }
        for (label, area) in &labels {
            let (corner, colours) = ((area.left, area.top), (Palette::TEXT, Palette::INK));
            self.fonts.write_rimmed(canvas, label, self.label_size(), corner, colours);
        }
    }

    fn pixel(&self, (x, y): Point) -> Point {
        (self.origin.0 + x * self.scale, self.origin.1 + y * self.scale)
    }

    fn corners(&self, centre: Point) -> impl Iterator<Item = Point> + Clone + use<'_> {
        let corners = self.layout.corners().iter();
        corners.map(move |(x, y)| (centre.0 + x * self.scale, centre.1 + y * self.scale))
    }

    /// Every tile with its index and centre.
    fn tiles(&self) -> impl Iterator<Item = (usize, Point)> {
        let tiles = self.board.tiles.iter().enumerate();
        tiles.filter_map(|(index, at)| Some((index, self.pixel(self.layout.point(*at)?))))
    }

    /// Tiles of one colour together, then the grid.
    fn ground(&self, canvas: &mut Canvas) {
        let mut by_colour: BTreeMap<Colour, Shapes> = BTreeMap::new();
        let (mut grid, mut unknown) = (Shapes::default(), Shapes::default());
        for (index, centre) in self.tiles() {
            let corners = self.corners(centre);
            if self.board.sight(index) == Sight::Unknown {
                unknown.polygon(corners);
                continue;
            }
            let colour = tile_colour(self.scene, self.board, index);
            by_colour.entry(colour).or_default().polygon(corners.clone());
            grid.polygon(corners);
        }
        for (colour, shapes) in by_colour {
            canvas.fill(shapes, colour, 255);
        }
        canvas.stroke(unknown, Palette::LINE, 160, 1.0);
        if self.scale >= DETAIL && self.layout.has_tiles() {
            canvas.stroke(grid, Palette::BACKGROUND, 120, 1.0);
        }
    }

    /// A line in a player's colour around everything that the player owns.
    fn borders(&self, canvas: &mut Canvas) {
        if self.board.owners.is_empty() || !self.layout.has_tiles() {
            return;
        }
        let index = self.board.index();
        let owner = |tile: usize| match self.board.sight(tile) {
            Sight::Unknown => 0,
            _ => self.board.owner(tile),
        };
        let mut by_owner: BTreeMap<u8, Shapes> = BTreeMap::new();
        // A little inside of the tile, so that two borders lie side by side.
        let inside = 1.0 - (2.4 / self.scale).min(0.12);
        for (tile, centre) in self.tiles().filter(|(tile, _)| owner(*tile) != 0) {
            let corners: Vec<Point> = self.layout.corners().to_vec();
            for (i, other) in self.layout.across(self.board.tiles[tile]).enumerate() {
                if index.get(&other).map_or(0, |other| owner(*other)) == owner(tile) {
                    continue;
                }
                let end = |corner: Point| {
                    let reach = self.scale * inside;
                    (centre.0 + corner.0 * reach, centre.1 + corner.1 * reach)
                };
                let (from, to) = (end(corners[i]), end(corners[(i + 1) % corners.len()]));
                by_owner.entry(owner(tile)).or_default().line(from, to);
            }
        }
        let width = (self.scale / 10.0).clamp(1.0, 3.0);
        for (player, lines) in by_owner {
            let colour =
                self.scene.player(player).map_or(Palette::TEXT, crate::Player::shown_colour);
            canvas.stroke(lines, colour, 255, width);
        }
    }

    /// Tiles whose marks are seen: known, and without a piece that hides them.
    fn marked(&self) -> impl Iterator<Item = (usize, Point)> {
        let hidden: HashSet<_> =
            self.board.pieces.iter().filter_map(|piece| piece.at.tile()).collect();
        self.tiles().filter(move |(index, _)| {
            !hidden.contains(&self.board.tiles[*index])
                && self.board.sight(*index) != Sight::Unknown
        })
    }

    /// What is on tiles. Letters that a label covers are left out: half of a digit misleads.
    fn marks(&self, canvas: &mut Canvas, labels: &[(&str, Area)]) {
        for (index, centre) in self.marked() {
            let alpha = if self.board.sight(index) == Sight::Seen { 255 } else { 130 };
            let ground = tile_colour(self.scene, self.board, index);
            let kinds = || self.board.layers.iter().filter_map(|layer| layer.kind(index));
            // Beside letters there is room for something small below.
            let lettered = self.scale >= LETTERS && kinds().any(|kind| kind.look == Look::Text);
            let is_covered = || {
                let sign = self.sign_area(centre);
                labels.iter().any(|(_, label)| label.meets(&sign))
            };
            for kind in kinds().filter(|kind| kind.look != Look::Text || !is_covered()) {
                let beside =
                    |x: f32, y: f32| (centre.0 + x * self.scale, centre.1 + y * self.scale);
                let (at, scale) = match kind.look {
                    Look::Dot | Look::Ring | Look::Cross if lettered => {
                        (beside(0.0, 0.32), self.scale * 0.55)
                    }
                    Look::Flag if kinds().any(is_small) => (beside(0.26, -0.22), self.scale * 0.7),
                    _ => (centre, self.scale),
                };
                draw_mark(canvas, self.fonts, kind, at, scale, (ground, alpha));
            }
        }
    }

    /// Where letters on a tile are.
    fn sign_area(&self, centre: Point) -> Area {
        Area::around(centre, self.scale * 0.2)
    }

    /// What is on tiles large enough for letters.
    fn signs(&self) -> Vec<Area> {
        if self.scale < LETTERS {
            return Vec::new();
        }
        let has_sign = |index: usize| {
            let mut kinds = self.board.layers.iter().filter_map(|layer| layer.kind(index));
            kinds.any(|kind| kind.look != Look::Fill)
        };
        let signed = self.marked().filter(|(index, _)| has_sign(*index));
        signed.map(|(_, centre)| self.sign_area(centre)).collect()
    }

    fn label_size(&self) -> f32 {
        (self.scale * 0.55).clamp(11.0, 18.0)
    }

    /// The labels of pieces, and where they go.
    fn labels<'b>(&self, placed: &[(&'b Piece, Point, f32)]) -> Vec<(&'b str, Area)> {
        let is_taken =
            |piece: &Piece| self.board.kind(piece).is_none_or(|kind| kind.look != Look::Token);
        let taken = placed.iter().filter(|(piece, ..)| is_taken(piece));
        let taken = taken.map(|(_, centre, radius)| Area::around(*centre, *radius)).collect();
        let (width, height) = self.layout.size();
        let frame = Area {
            left: self.origin.0 - super::MARGIN / 2.0,
            top: self.origin.1 - super::MARGIN / 2.0,
            right: self.origin.0 + width * self.scale + super::MARGIN / 2.0,
            bottom: self.origin.1 + height * self.scale + super::MARGIN / 2.0,
        };
        let (mut labels, signs, size) =
            (Labels::new(frame, taken), self.signs(), self.label_size());
        let named = placed.iter().filter_map(|(piece, centre, radius)| {
            let label = piece.label.as_deref().filter(|label| !label.is_empty())?;
            Some((label, *centre, *radius))
        });
        let placed = named.take(MOST_LABELS).filter_map(|(label, centre, radius)| {
            let room = (self.fonts.width(label, Weight::Bold, size), size * 1.15);
            Some((label, labels.place(centre, radius, room, &signs)?))
        });
        placed.collect()
    }

    /// Every piece that is drawn, with its centre and radius; several on a tile share it.
    fn placed(&self) -> Vec<(&Piece, Point, f32)> {
        let mut on_tile: HashMap<Option<crate::TileAt>, Vec<&Piece>> = HashMap::new();
        let has_tiles = self.layout.has_tiles();
        for piece in &self.board.pieces {
            on_tile.entry(piece.at.tile().filter(|_| has_tiles)).or_default().push(piece);
        }
        let mut placed = Vec::new();
        for piece in &self.board.pieces {
            let tile = piece.at.tile().filter(|_| has_tiles);
            let at = tile.map_or(piece.at, Into::into);
            let Some(centre) = self.layout.point(at).map(|point| self.pixel(point)) else {
                continue;
            };
            let together = if tile.is_some() {
                on_tile.get(&tile).map_or(&[][..], Vec::as_slice)
            } else {
                &[]
            };
            let count = together.len();
            // Those on top are the last.
            let index =
                together.iter().rev().position(|other| std::ptr::eq(*other, piece)).unwrap_or(0);
            if index >= MOST_ON_TILE {
                continue;
            }
            let radius = self.radius(piece);
            match count {
                0 | 1 => placed.push((piece, centre, radius)),
                _ => {
                    let (dx, dy) =
                        [(-0.22, -0.22), (0.22, 0.22), (0.22, -0.22), (-0.22, 0.22)][index];
                    let moved = (centre.0 + dx * self.scale, centre.1 + dy * self.scale);
                    placed.push((piece, moved, (radius * 0.6).max(2.0)));
                }
            }
        }
        placed
    }

    fn radius(&self, piece: &Piece) -> f32 {
        match self.board.kind(piece).map(|kind| kind.look) {
            Some(Look::Disc) => (self.scale * 0.36).max(4.0),
            _ => (self.scale * 0.36).max(2.0),
        }
    }

    fn piece(&self, canvas: &mut Canvas, piece: &Piece, centre: Point, radius: f32) {
        let owner = self.scene.player(piece.owner).map(crate::Player::shown_colour);
        let kind = self.board.kind(piece);
        let look = kind.map_or(Look::Token, |kind| kind.look);
        let glyph = self.board.glyph(piece);
        let colour = kind.map_or(Palette::TEXT, |kind| kind.colour);
        draw_piece(canvas, self.fonts, &PieceLook { look, glyph, owner, colour }, centre, radius);
        if let Some(facing) = piece.facing.filter(|facing| facing.is_finite() && radius >= 4.0) {
            let (sin, cos) = facing.to_radians().sin_cos();
            let at = |reach: f32| (centre.0 + sin * reach, centre.1 - cos * reach);
            let mut pointer = Shapes::default();
            pointer.line(at(radius), at(radius * 1.35));
            canvas.stroke(pointer, Palette::TEXT, 255, (radius / 5.0).max(1.5));
        }
    }
}

/// Is it drawn in the middle of a tile, where a flag would hide it?
fn is_small(kind: &Kind) -> bool {
    matches!(kind.look, Look::Text | Look::Dot | Look::Ring | Look::Cross)
}

/// How a piece is drawn.
pub(super) struct PieceLook {
    pub(super) look: Look,
    pub(super) glyph: Option<char>,
    pub(super) owner: Option<Colour>,
    pub(super) colour: Colour,
}

/// A piece around its centre.
pub(super) fn draw_piece(
    canvas: &mut Canvas,
    fonts: &Font,
    piece: &PieceLook,
    centre: Point,
    radius: f32,
) {
    let PieceLook { look, glyph, owner, colour } = *piece;
    if let Look::Symbol(symbol) = look {
        let mut text = [0; 4];
        let text = symbol.encode_utf8(&mut text);
        let rim = colour.readable();
        let size = radius * 2.5;
        let width = fonts.width(text, Weight::Bold, size);
        let at = (centre.0 - width / 2.0, centre.1 - size * 0.56);
        return fonts.write_rimmed(canvas, text, size, at, (colour, rim));
    }
    let (fill, rim) = match look {
        Look::Disc => (Palette::TEXT, owner.unwrap_or(Palette::INK)),
        // What is nobody's recedes.
        _ => owner.map_or((Palette::LINE, Palette::SECONDARY), |owner| (owner, Palette::INK)),
    };
    canvas.fill(circle(centre, radius), fill, 255);
    let width = if look != Look::Disc && owner.is_none() { 1.0 } else { (radius / 5.0).max(1.0) };
    canvas.stroke(circle(centre, radius), rim, 255, width);
    if let Some(glyph) = glyph.filter(|_| radius >= 6.0) {
        let mut text = [0; 4];
        let text = glyph.encode_utf8(&mut text);
        let size = radius * 1.35;
        fonts.write_around(canvas, text, Weight::Bold, size, centre, fill.readable());
    }
}

/// A thing on a tile around its centre, on ground of a colour.
pub(super) fn draw_mark(
    canvas: &mut Canvas,
    fonts: &Font,
    kind: &Kind,
    centre: Point,
    scale: f32,
    (ground, alpha): (Colour, u8),
) {
    let (x, y) = centre;
    let mut shapes = Shapes::default();
    let thick = (scale / 11.0).max(1.0);
    // Dark things on dark ground would not be seen.
    let dark = kind.colour.brightness().abs_diff(ground.brightness()) < 40;
    let colour = if dark { kind.colour.mixed(ground.readable(), 150) } else { kind.colour };
    match kind.look {
        Look::Dot => canvas.fill(circle(centre, scale * 0.16), colour, alpha),
        Look::Ring => canvas.stroke(circle(centre, scale * 0.17), colour, alpha, thick),
        Look::Cross => {
            let reach = scale * 0.17;
            shapes.line((x - reach, y - reach), (x + reach, y + reach));
            shapes.line((x - reach, y + reach), (x + reach, y - reach));
            canvas.stroke(shapes, colour, alpha, thick);
        }
        Look::Bar => {
            shapes.block(centre, scale * 0.7, scale * 0.2);
            canvas.fill(shapes, colour, alpha);
        }
        Look::Bars => {
            shapes.block((x, y - scale * 0.14), scale * 0.7, scale * 0.12);
            shapes.block((x, y + scale * 0.14), scale * 0.7, scale * 0.12);
            canvas.fill(shapes, colour, alpha);
        }
        Look::Block => {
            shapes.block(centre, scale * 0.46, scale * 0.46);
            canvas.fill(shapes, colour, alpha);
        }
        Look::Frame => {
            shapes.block(centre, scale * 0.5, scale * 0.5);
            canvas.stroke(shapes, colour, alpha, thick);
        }
        Look::Triangle => {
            let reach = scale * 0.28;
            shapes.polygon([
                (x, y - reach),
                (x + reach, y + reach * 0.8),
                (x - reach, y + reach * 0.8),
            ]);
            canvas.fill(shapes, colour, alpha);
        }
        Look::Flag => draw_flag(canvas, colour, centre, scale, alpha),
        Look::Text if scale >= LETTERS => {
            let size = scale * 0.52;
            fonts.write_around(canvas, &kind.name, Weight::Bold, size, centre, ground.readable());
        }
        Look::Symbol(symbol) if scale >= LETTERS => {
            let text = symbol.to_string();
            fonts.write_around(canvas, &text, Weight::Regular, scale * 0.7, centre, colour);
        }
        _ => {}
    }
}

fn draw_flag(canvas: &mut Canvas, colour: Colour, (x, y): Point, scale: f32, alpha: u8) {
    let (reach, left) = (scale * 0.32, x - scale * 0.12);
    let mut pole = Shapes::default();
    pole.line((left, y - reach), (left, y + reach));
    canvas.stroke(pole, Palette::TEXT, alpha, (scale / 16.0).max(1.0));
    let mut cloth = Shapes::default();
    cloth.polygon([(left, y - reach), (left + reach * 1.3, y - reach / 2.0), (left, y)]);
    canvas.fill(cloth, colour, alpha);
}
