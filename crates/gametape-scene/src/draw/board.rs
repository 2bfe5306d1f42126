//! The board of a picture.

use std::collections::{HashMap, HashSet};

use super::canvas::{Area, Canvas, Point};
use super::font::{Fonts, Weight};
use super::ground::{Cell, PixelTable};
use super::labels::{Labels, Room};
use super::shapes::{Shapes, circle};
use super::sprites::{SpriteKey, Sprites};
use super::{Camera, Kept, Overlay};
use crate::heat::Heat;
use crate::layout::Layout;
use crate::model::{Board, Kind, Layer, Look, Piece, Position, Scene, Sight, TileAt};
use crate::palette::{Colour, Palette};
use crate::text::tile_colour;
use crate::trail::Trail;

/// Tiles narrower than this show neither grid nor what is on them.
const DETAIL: f32 = 9.0;
/// Tiles narrower than this have no room for letters.
const LETTERS: f32 = 18.0;
/// More pieces on one tile are not drawn.
const MOST_ON_TILE: usize = 4;
/// More labels are not written.
const MOST_LABELS: usize = 300;

/// A board being drawn.
pub(crate) struct BoardPicture<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) board: &'a Board,
    pub(crate) layout: &'a Layout,
    pub(crate) camera: Camera,
    pub(crate) fonts: &'a Fonts,
}

impl BoardPicture<'_> {
    /// Draws what is in an area of the picture, which must be within it.
    pub(crate) fn draw(
        &self,
        canvas: &mut Canvas,
        kept: &mut Kept,
        area: Area,
        overlay: Overlay<'_>,
    ) {
        self.ground(canvas, kept.tables.of(self.camera, area), area, overlay.heat);
        if let Some(heat) = overlay.heat.filter(|_| !self.layout.has_tiles()) {
            self.heat_squares(canvas, heat, area);
        }
        let placed = self.placed(area);
        let labels = match overlay.is_plain {
            true => Vec::new(),
            false => self.labels(&placed, area),
        };
        if self.scale() >= DETAIL {
            self.marks(canvas, &mut kept.sprites, &labels, area);
        }
        self.outline_all(canvas, overlay.outlined);
        for trail in overlay.trails {
            self.trail(canvas, trail, area);
        }
        for (piece, centre, radius) in &placed {
            self.piece(canvas, piece, *centre, *radius);
        }
        for (label, room) in &labels {
            self.label(canvas, &mut kept.sprites, label, room);
        }
    }

    /// A line around a tile that is selected.
    pub(crate) fn outline(&self, canvas: &mut Canvas, tile: TileAt) {
        let Some(centre) = self.layout.point(tile).map(|point| self.pixel(point)) else { return };
        for (colour, width) in [(Palette::INK, 5.0), (Palette::TEXT, 2.0)] {
            let mut shapes = Shapes::default();
            shapes.polygon(self.corners(centre));
            canvas.stroke(&shapes, colour, 255, width);
        }
    }

    /// A line around areas of these tiles.
    pub(crate) fn outline_all(&self, canvas: &mut Canvas, tiles: &[TileAt]) {
        let marked: HashSet<TileAt> = tiles.iter().copied().collect();
        let width = (self.scale() / 9.0).clamp(1.0, 2.5);
        let area = canvas.area();
        for (colour, width) in [(Palette::INK, width + 2.0), (Palette::TEXT, width)] {
            for tile in tiles {
                let centre = self.layout.point(*tile).map(|point| self.pixel(point));
                let Some(centre) = centre.filter(|at| area.sees(*at, self.scale())) else {
                    continue;
                };
                canvas.stroke(&self.edges(*tile, centre, &marked), colour, 255, width);
            }
        }
    }

    /// The edges of a tile towards tiles that are not among these.
    fn edges(&self, tile: TileAt, centre: Point, among: &HashSet<TileAt>) -> Shapes {
        let corners: Vec<Point> = self.corners(centre).collect();
        let mut shapes = Shapes::default();
        for (index, across) in self.layout.across(tile).enumerate() {
            let ends = (corners.get(index), corners.get((index + 1) % corners.len().max(1)));
            if let (Some(from), Some(to)) = ends
                && !among.contains(&across)
            {
                shapes.line(*from, *to);
            }
        }
        shapes
    }

    fn scale(&self) -> f32 {
        self.camera.scale
    }

    fn pixel(&self, (x, y): Point) -> Point {
        let Camera { scale, origin } = self.camera;
        (origin.0 + x * scale, origin.1 + y * scale)
    }

    fn corners(&self, centre: Point) -> impl Iterator<Item = Point> + Clone + use<'_> {
        let corners = self.layout.corners().iter();
        corners.map(move |(x, y)| (centre.0 + x * self.scale(), centre.1 + y * self.scale()))
    }

    /// Every tile in an area, with its index and centre.
    fn tiles(&self, area: Area) -> impl Iterator<Item = (usize, Point)> {
        let tiles = self.board.tiles.iter().enumerate();
        let placed =
            tiles.filter_map(|(index, at)| Some((index, self.pixel(self.layout.point(*at)?))));
        placed.filter(move |(_, centre)| area.sees(*centre, self.scale()))
    }

    /// Tiles in their colours, the grid, and lines around what players own.
    fn ground(&self, canvas: &mut Canvas, table: &mut PixelTable, area: Area, heat: Option<&Heat>) {
        let mut paints = self.paints();
        if let Some(heat) = heat {
            self.warm(&mut paints, heat);
        }
        let style = LineStyle::of(self.scale(), self.layout.has_tiles());
        let cells = table.cells(self.board, self.layout, self.camera, area);
        // The last is what is shown where there is no tile. *Why a list of its own: this is done for every pixel.*
        let grounds: Vec<[u8; 4]> = paints
            .iter()
            .map(|paint| paint.ground)
            .chain([Palette::BACKGROUND])
            .map(|Colour(r, g, b)| [r, g, b, 255])
            .collect();
        let nothing = paints.len();
        for y in area.top..area.bottom {
            let pixels = canvas.row_mut(y, area.left..area.right);
            let (Some(pixels), Some(cells)) = (pixels, area.row(cells, y)) else { continue };
            for (pixel, cell) in pixels.as_chunks_mut::<4>().0.iter_mut().zip(cells) {
                let tile = cell.tile().min(nothing);
                *pixel = grounds[tile];
                if cell.near() < style.reach && tile < nothing {
                    let Colour(r, g, b) = style.near_edge(&paints[tile], *cell);
                    *pixel = [r, g, b, 255];
                }
            }
        }
    }

    /// Everything recedes but what is hot.
    fn warm(&self, paints: &mut [TilePaint], heat: &Heat) {
        for paint in paints.iter_mut() {
            paint.ground = paint.ground.mixed(Palette::BACKGROUND, 120);
            paint.border = paint.border.mixed(Palette::BACKGROUND, 90);
        }
        if !self.layout.has_tiles() {
            return;
        }
        let index = self.board.index();
        for cell in &heat.cells {
            let paint = index.get(&cell.at).and_then(|tile| paints.get_mut(*tile));
            if let Some(paint) = paint.filter(|paint| !paint.is_unknown) {
                paint.ground = warmed(paint.ground, heat.share(cell.value));
            }
        }
    }

    /// A heat map of free positions: squares of the frame.
    fn heat_squares(&self, canvas: &mut Canvas, heat: &Heat, area: Area) {
        for cell in &heat.cells {
            let centre = self.pixel((cell.at.x as f32 + 0.5, cell.at.y as f32 + 0.5));
            if area.sees(centre, self.scale()) {
                let share = heat.share(cell.value);
                let mut square = Shapes::default();
                square.block(centre, self.scale(), self.scale());
                canvas.fill(&square, Palette::heat(share), (255.0 * strength(share)) as u8);
            }
        }
    }

    /// The way of a piece, fading into the past.
    fn trail(&self, canvas: &mut Canvas, trail: &Trail, area: Area) {
        let width = (self.scale() / 9.0).clamp(1.5, 5.0);
        let has_tiles = self.layout.has_tiles();
        let pixel = |at: Position| {
            let at = at.tile().filter(|_| has_tiles).map_or(at, Into::into);
            self.layout.point(at).map(|point| self.pixel(point))
        };
        for pair in trail.points.windows(2) {
            let (Some(from), Some(to)) = (pixel(pair[0].0), pixel(pair[1].0)) else { continue };
            let reach = (from.0 - to.0).abs().max((from.1 - to.1).abs()) + width;
            if !area.sees(from, reach) {
                continue;
            }
            let mut shapes = Shapes::default();
            shapes.line(from, to);
            let age = pair[1].1.clamp(0.0, 1.0);
            canvas.stroke(&shapes, Palette::INK, (age * 110.0) as u8, width + 2.0);
            canvas.stroke(&shapes, trail.colour, (40.0 + age * 215.0) as u8, width);
        }
    }

    /// How each tile is painted.
    fn paints(&self) -> Vec<TilePaint> {
        let ground = |tile: usize| TilePaint {
            ground: tile_colour(self.scene, self.board, tile),
            is_unknown: self.board.sight(tile) == Sight::Unknown,
            ..TilePaint::default()
        };
        let mut paints: Vec<TilePaint> = (0..self.board.tiles.len()).map(ground).collect();
        if self.board.owners.is_empty() || !self.layout.has_tiles() {
            return paints;
        }
        let index = self.board.index();
        let owner = |tile: usize| match self.board.sight(tile) {
            Sight::Unknown => 0,
            _ => self.board.owner(tile),
        };
        for (tile, paint) in paints.iter_mut().enumerate().filter(|(tile, _)| owner(*tile) != 0) {
            let others = self.layout.across(self.board.tiles[tile]).enumerate();
            let differs =
                |other: &TileAt| index.get(other).map_or(0, |other| owner(*other)) != owner(tile);
            let bits = others.filter(|(_, other)| differs(other)).map(|(edge, _)| 1 << edge);
            let player = self.scene.player(owner(tile));
            paint.borders = bits.fold(0, |bits, bit: u8| bits | bit);
            paint.border = player.map_or(Palette::TEXT, crate::Player::shown_colour);
        }
        paints
    }

    /// Tiles whose marks are seen: known, and without a piece that hides them.
    fn marked(&self, area: Area) -> impl Iterator<Item = (usize, Point)> {
        let hidden: HashSet<_> =
            self.board.pieces.iter().filter_map(|piece| piece.at.tile()).collect();
        self.tiles(area).filter(move |(index, _)| {
            !hidden.contains(&self.board.tiles[*index])
                && self.board.sight(*index) != Sight::Unknown
        })
    }

    /// What is on tiles. Letters that a label covers are left out: half of a digit misleads.
    fn marks(
        &self,
        canvas: &mut Canvas,
        sprites: &mut Sprites,
        labels: &[(&str, Room)],
        area: Area,
    ) {
        let layers: Vec<&Layer> =
            self.board.layers.iter().filter(|layer| has_marks(layer)).collect();
        for (index, centre) in self.marked(area) {
            let kinds = || layers.iter().filter_map(|layer| layer.kind(index));
            let mut marks = kinds().filter(|kind| is_mark(kind)).peekable();
            if marks.peek().is_none() {
                continue;
            }
            let alpha = if self.board.sight(index) == Sight::Seen { 255 } else { 130 };
            let ground = tile_colour(self.scene, self.board, index);
            // Beside letters there is room for something small below.
            let lettered = self.scale() >= LETTERS && kinds().any(|kind| kind.look == Look::Text);
            let is_covered = || {
                let sign = self.sign_area(centre);
                labels.iter().any(|(_, label)| label.meets(&sign))
            };
            for kind in marks.filter(|kind| kind.look != Look::Text || !is_covered()) {
                let beside =
                    |x: f32, y: f32| (centre.0 + x * self.scale(), centre.1 + y * self.scale());
                let (at, scale) = match kind.look {
                    Look::Dot | Look::Ring | Look::Cross if lettered => {
                        (beside(0.0, 0.32), self.scale() * 0.55)
                    }
                    Look::Flag if kinds().any(is_small) => {
                        (beside(0.26, -0.22), self.scale() * 0.7)
                    }
                    _ => (centre, self.scale()),
                };
                self.mark(canvas, sprites, kind, at, scale, (ground, alpha));
            }
        }
    }

    /// A thing on a tile: drawn once, then stamped.
    fn mark(
        &self,
        canvas: &mut Canvas,
        sprites: &mut Sprites,
        kind: &Kind,
        centre: Point,
        scale: f32,
        (ground, alpha): (Colour, u8),
    ) {
        let name = (kind.look == Look::Text).then(|| kind.name.as_str().into());
        let (look, colour) = (kind.look, kind.colour);
        let key = SpriteKey::Mark { look, name, colour, ground, alpha, scale: scale.to_bits() };
        // Letters may be wider than the tile.
        let half = scale.ceil() * if kind.look == Look::Text { 1.5 } else { 0.75 };
        let corner = (centre.0 - half, centre.1 - half);
        sprites.stamp(canvas, corner, key, || {
            let side = (half * 2.0) as u32 + 1;
            let mut sprite = Canvas::transparent(side, side)?;
            draw_mark(&mut sprite, self.fonts, kind, (half, half), scale, (ground, alpha));
            Some(sprite)
        });
    }

    /// The name of a piece: drawn once, then stamped.
    fn label(&self, canvas: &mut Canvas, sprites: &mut Sprites, text: &str, room: &Room) {
        // Its dark rim goes beyond the room of the letters.
        const RIM: f32 = 3.0;
        let size = self.label_size();
        let key = SpriteKey::Label { text: text.into(), size: size.to_bits() };
        sprites.stamp(canvas, (room.left - RIM, room.top - RIM), key, || {
            let side = |length: f32| (length + 2.0 * RIM).ceil() as u32 + 1;
            let (width, height) = (room.right - room.left, room.bottom - room.top);
            let mut sprite = Canvas::transparent(side(width), side(height + size * 0.25))?;
            let colours = (Palette::TEXT, Palette::INK);
            self.fonts.write_rimmed(&mut sprite, text, size, (RIM, RIM), colours);
            Some(sprite)
        });
    }

    /// Where letters on a tile are.
    fn sign_area(&self, centre: Point) -> Room {
        Room::around(centre, self.scale() * 0.2)
    }

    /// What is on tiles large enough for letters.
    fn signs(&self, area: Area) -> Vec<Room> {
        if self.scale() < LETTERS {
            return Vec::new();
        }
        let has_sign = |index: usize| {
            let mut kinds = self.board.layers.iter().filter_map(|layer| layer.kind(index));
            kinds.any(|kind| kind.look != Look::Fill)
        };
        let signed = self.marked(area).filter(|(index, _)| has_sign(*index));
        signed.map(|(_, centre)| self.sign_area(centre)).collect()
    }

    fn label_size(&self) -> f32 {
        (self.scale() * 0.55).clamp(11.0, 18.0)
    }

    /// The labels of pieces, and where they go.
    fn labels<'b>(&self, placed: &[(&'b Piece, Point, f32)], area: Area) -> Vec<(&'b str, Room)> {
        let is_taken =
            |piece: &Piece| self.board.kind(piece).is_none_or(|kind| kind.look != Look::Token);
        let taken = placed.iter().filter(|(piece, ..)| is_taken(piece));
        let taken = taken.map(|(_, centre, radius)| Room::around(*centre, *radius)).collect();
        let frame = Room {
            left: area.left as f32,
            top: area.top as f32,
            right: area.right as f32,
            bottom: area.bottom as f32,
        };
        let (mut labels, signs, size) =
            (Labels::new(frame, taken), self.signs(area), self.label_size());
        let named = placed.iter().filter_map(|(piece, centre, radius)| {
            let label = piece.label.as_deref().filter(|label| !label.is_empty())?;
            Some((label, *centre, *radius))
        });
        let placed = named.take(MOST_LABELS).filter_map(|(label, centre, radius)| {
            let width = self.fonts.width(label, Weight::Bold, size);
            let room = (width > 0.0).then_some((width, size * 1.15))?;
            Some((label, labels.place(centre, radius, room, &signs)?))
        });
        placed.collect()
    }

    /// Every piece that is drawn, with its centre and radius; several on a tile share it.
    fn placed(&self, area: Area) -> Vec<(&Piece, Point, f32)> {
        let mut on_tile: HashMap<Option<crate::TileAt>, Vec<&Piece>> = HashMap::new();
        let has_tiles = self.layout.has_tiles();
        for piece in &self.board.pieces {
            on_tile.entry(piece.at.tile().filter(|_| has_tiles)).or_default().push(piece);
        }
        let mut placed = Vec::new();
        for piece in &self.board.pieces {
            let tile = piece.at.tile().filter(|_| has_tiles);
            let at = tile.map_or(piece.at, Into::into);
            let centre = self.layout.point(at).map(|point| self.pixel(point));
            let Some(centre) = centre.filter(|centre| area.sees(*centre, self.scale() + 200.0))
            else {
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
                        [(-0.24, -0.24), (0.24, 0.24), (0.24, -0.24), (-0.24, 0.24)][index];
                    let moved = (centre.0 + dx * self.scale(), centre.1 + dy * self.scale());
                    placed.push((piece, moved, (radius * 0.66).max(2.0)));
                }
            }
        }
        placed
    }

    fn radius(&self, piece: &Piece) -> f32 {
        match self.board.kind(piece).map(|kind| kind.look) {
            Some(Look::Disc) => (self.scale() * 0.36).max(4.0),
            Some(Look::Counter | Look::Crowned) => (self.scale() * 0.41).max(2.0),
            _ => (self.scale() * 0.36).max(2.0),
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
            let (right, up) = direction(facing);
            let at = |reach: f32| (centre.0 + right * reach, centre.1 - up * reach);
            let mut pointer = Shapes::default();
            pointer.line(at(radius), at(radius * 1.35));
            canvas.stroke(&pointer, Palette::TEXT, 255, (radius / 5.0).max(1.5));
        }
    }
}

/// How far to the right and up a point is that is 1 away, at this many degrees from up to the right. *Why not the functions of
/// the standard library: they are exact for any angle, and with their tables a hundredth of what a browser loads.*
fn direction(degrees: f32) -> (f32, f32) {
    let quarters = (degrees / 90.0).rem_euclid(4.0);
    let within = (quarters - quarters.floor()) * std::f32::consts::FRAC_PI_2;
    let (sine, cosine) = (sine(within), sine(std::f32::consts::FRAC_PI_2 - within));
    match quarters as u32 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// The sine of an angle from 0 to a quarter of a circle, to five digits.
fn sine(angle: f32) -> f32 {
    let square = angle * angle;
    let inner = 1.0 - square / 20.0 * (1.0 - square / 42.0 * (1.0 - square / 72.0));
    angle * (1.0 - square / 6.0 * inner)
}

/// A colour under something this hot, 0 to 1.
fn warmed(ground: Colour, share: f32) -> Colour {
    ground.mixed(Palette::heat(share), (256.0 * strength(share)) as u16)
}

/// How much of the colour of heat is seen: the least heat still differs from none.
fn strength(share: f32) -> f32 {
    0.55 + 0.4 * share
}

/// How a tile is painted.
#[derive(Debug, Clone, Copy)]
struct TilePaint {
    ground: Colour,
    /// The colour of its owner.
    border: Colour,
    /// A bit for each edge, by the corner at which it begins, across which somebody else's land or nobody's is.
    borders: u8,
    is_unknown: bool,
}

impl Default for TilePaint {
    fn default() -> Self {
        Self { ground: Palette::PANEL, border: Palette::TEXT, borders: 0, is_unknown: false }
    }
}

/// Where lines along the edges of tiles are.
struct LineStyle {
    /// Pixels farther from the edge than this, as cells have it, show the ground alone.
    reach: u32,
    /// Half the width of the line around what a player owns, and how far from the edge its middle is: a little
    /// inside, so that two borders lie side by side.
    border: (f32, f32),
    has_grid: bool,
}

impl LineStyle {
    fn of(scale: f32, has_tiles: bool) -> Self {
        let half = (scale / 10.0).clamp(1.0, 3.0) / 2.0;
        let inside = (0.06 * scale).min(1.2);
        let reach = Cell::near_of(half + inside + 0.5).max(Cell::near_of(1.0));
        Self { reach, border: (half, inside), has_grid: has_tiles && scale >= DETAIL }
    }

    /// The colour of a pixel near the edge of its tile.
    fn near_edge(&self, paint: &TilePaint, cell: Cell) -> Colour {
        let distance = cell.distance();
        let share = |coverage: f32, strength: f32| (coverage.clamp(0.0, 1.0) * strength) as u16;
        if paint.is_unknown {
            // Half of a line of one pixel: the other half is on the other side of the edge.
            return paint.ground.mixed(Palette::LINE, share(1.0 - distance, 160.0));
        }
        let mut colour = paint.ground;
        if self.has_grid {
            colour = colour.mixed(Palette::BACKGROUND, share(1.0 - distance, 120.0));
        }
        if paint.borders >> cell.edge() & 1 == 1 {
            let (half, inside) = self.border;
            let coverage = half + 0.5 - (distance - inside).abs();
            colour = colour.mixed(paint.border, share(coverage, 256.0));
        }
        colour
    }
}

/// Is something of the layer drawn over its tiles?
fn has_marks(layer: &Layer) -> bool {
    layer.kinds.iter().any(is_mark)
}

/// Is it drawn over its tile, which `Fill` and `Tint` colour?
fn is_mark(kind: &Kind) -> bool {
    !matches!(kind.look, Look::Fill | Look::Tint)
}

/// Is it drawn in the middle of a tile, where a flag would hide it?
fn is_small(kind: &Kind) -> bool {
    matches!(kind.look, Look::Text | Look::Dot | Look::Ring | Look::Cross)
}

/// How a piece is drawn.
pub(crate) struct PieceLook {
    pub(crate) look: Look,
    pub(crate) glyph: Option<char>,
    pub(crate) owner: Option<Colour>,
    pub(crate) colour: Colour,
}

/// A piece around its centre.
pub(crate) fn draw_piece(
    canvas: &mut Canvas,
    fonts: &Fonts,
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
    canvas.fill(&circle(centre, radius), fill, 255);
    let width = match look {
        Look::Counter | Look::Crowned => (radius / 9.0).max(1.0),
        Look::Disc => (radius / 5.0).max(1.0),
        _ if owner.is_none() => 1.0,
        _ => (radius / 5.0).max(1.0),
    };
    canvas.stroke(&circle(centre, radius), rim, 255, width);
    match look {
        Look::Counter => return draw_groove(canvas, fill, centre, radius),
        Look::Crowned => return draw_crown(canvas, fill, centre, radius),
        _ => {}
    }
    if let Some(glyph) = glyph.filter(|_| radius >= 6.0) {
        let mut text = [0; 4];
        let text = glyph.encode_utf8(&mut text);
        let size = radius * 1.35;
        fonts.write_around(canvas, text, Weight::Bold, size, centre, fill.readable());
    }
}

/// The groove of a man of draughts, a little darker than its disc.
fn draw_groove(canvas: &mut Canvas, fill: Colour, centre: Point, radius: f32) {
    let colour = fill.mixed(Palette::INK, 110);
    canvas.stroke(&circle(centre, radius * 0.6), colour, 255, (radius / 7.0).max(1.0));
}

/// The corners of a crown with three points, in radii of its disc.
const CROWN: [Point; 7] = [
    (-0.5, 0.22),
    (-0.58, -0.4),
    (-0.25, -0.08),
    (0.0, -0.55),
    (0.25, -0.08),
    (0.58, -0.4),
    (0.5, 0.22),
];

/// The crown of a king of draughts, on its disc.
fn draw_crown(canvas: &mut Canvas, fill: Colour, (x, y): Point, radius: f32) {
    let mut crown = Shapes::default();
    crown.polygon(CROWN.map(|(dx, dy)| (x + dx * radius, y + dy * radius)));
    crown.block((x, y + radius * 0.4), radius, radius * 0.17);
    canvas.fill(&crown, fill.readable(), 255);
}

/// A thing on a tile around its centre, on ground of a colour.
pub(crate) fn draw_mark(
    canvas: &mut Canvas,
    fonts: &Fonts,
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
        Look::Dot => canvas.fill(&circle(centre, scale * 0.16), colour, alpha),
        Look::Ring => canvas.stroke(&circle(centre, scale * 0.17), colour, alpha, thick),
        Look::Cross => {
            let reach = scale * 0.17;
            shapes.line((x - reach, y - reach), (x + reach, y + reach));
            shapes.line((x - reach, y + reach), (x + reach, y - reach));
            canvas.stroke(&shapes, colour, alpha, thick);
        }
        Look::Bar => {
            shapes.block(centre, scale * 0.7, scale * 0.2);
            canvas.fill(&shapes, colour, alpha);
        }
        Look::Bars => {
            shapes.block((x, y - scale * 0.14), scale * 0.7, scale * 0.12);
            shapes.block((x, y + scale * 0.14), scale * 0.7, scale * 0.12);
            canvas.fill(&shapes, colour, alpha);
        }
        Look::Block => {
            shapes.block(centre, scale * 0.46, scale * 0.46);
            canvas.fill(&shapes, colour, alpha);
        }
        Look::Frame => {
            shapes.block(centre, scale * 0.5, scale * 0.5);
            canvas.stroke(&shapes, colour, alpha, thick);
        }
        Look::Triangle => {
            let reach = scale * 0.28;
            shapes.polygon([
                (x, y - reach),
                (x + reach, y + reach * 0.8),
                (x - reach, y + reach * 0.8),
            ]);
            canvas.fill(&shapes, colour, alpha);
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
    canvas.stroke(&pole, Palette::TEXT, alpha, (scale / 16.0).max(1.0));
    let mut cloth = Shapes::default();
    cloth.polygon([(left, y - reach), (left + reach * 1.3, y - reach / 2.0), (left, y)]);
    canvas.fill(&cloth, colour, alpha);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_those_of_the_circle() {
        for degrees in [0.0f32, 45.0, 90.0, 135.0, 180.0, 225.0, 270.0, 315.0, 359.9, -30.0, 1000.0]
        {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let (right, up) = direction(degrees);
            assert!(
                (right - sin).abs() < 1e-4 && (up - cos).abs() < 1e-4,
                "{degrees}: {right} {up}"
            );
        }
        for far in [f32::MAX, f32::MIN, 1e20] {
            let (right, up) = direction(far);
            assert!((right * right + up * up - 1.0).abs() < 1e-3, "{far}");
        }
    }
}
