//! A surface to draw on: shapes with soft edges, and plain letters.

use font8x8::{BASIC_FONTS, LATIN_FONTS, UnicodeFonts};
use tiny_skia::{
    Color, FillRule, LineCap, Paint, Path, PathBuilder, Pixmap, PremultipliedColorU8, Rect, Stroke,
    Transform,
};

use super::signs::Rgb;

/// Pixels of a letter before it is enlarged.
const LETTER: i32 = 8;

/// A place in the picture, in pixels.
pub(super) type Point = (f32, f32);

/// The picture while it is drawn.
pub(super) struct Canvas {
    pixels: Pixmap,
}

/// Several closed shapes that are filled together, so that no seams show between them.
#[derive(Default)]
pub(super) struct Shapes(PathBuilder);

impl Shapes {
    /// A closed shape with these corners.
    pub(super) fn polygon(&mut self, corners: impl IntoIterator<Item = Point>) {
        let mut corners = corners.into_iter();
        let Some((x, y)) = corners.next() else { return };
        self.0.move_to(x, y);
        for (x, y) in corners {
            self.0.line_to(x, y);
        }
        self.0.close();
    }

    /// A straight line, to be stroked.
    pub(super) fn line(&mut self, from: Point, to: Point) {
        self.0.move_to(from.0, from.1);
        self.0.line_to(to.0, to.1);
    }

    /// A round shape.
    pub(super) fn circle(&mut self, centre: Point, radius: f32) {
        self.0.push_circle(centre.0, centre.1, radius);
    }

    /// A rectangle around a centre.
    pub(super) fn block(&mut self, centre: Point, width: f32, height: f32) {
        let (x, y) = (centre.0 - width / 2.0, centre.1 - height / 2.0);
        if let Some(rect) = Rect::from_xywh(x, y, width, height) {
            self.0.push_rect(rect);
        }
    }

    fn finish(self) -> Option<Path> {
        self.0.finish()
    }
}

impl Canvas {
    /// An empty surface; `None` when it is too large.
    pub(super) fn new(width: u32, height: u32, background: Rgb) -> Option<Self> {
        let mut pixels = Pixmap::new(width, height)?;
        pixels.fill(colour(background, 255));
        Some(Self { pixels })
    }

    /// The picture as PNG.
    pub(super) fn to_png(&self) -> Option<Vec<u8>> {
        self.pixels.encode_png().ok()
    }

    /// Fills shapes.
    pub(super) fn fill(&mut self, shapes: Shapes, rgb: Rgb, alpha: u8) {
        if let Some(path) = shapes.finish() {
            let rule = FillRule::Winding;
            self.pixels.fill_path(&path, &paint(rgb, alpha), rule, Transform::identity(), None);
        }
    }

    /// Draws the outlines of shapes.
    pub(super) fn stroke(&mut self, shapes: Shapes, rgb: Rgb, alpha: u8, width: f32) {
        if let Some(path) = shapes.finish() {
            let stroke = Stroke { width, line_cap: LineCap::Round, ..Stroke::default() };
            let (paint, still) = (paint(rgb, alpha), Transform::identity());
            self.pixels.stroke_path(&path, &paint, &stroke, still, None);
        }
    }

    /// Writes a line of text, its upper left corner at `at`; a letter is 8 times `size` wide and high.
    pub(super) fn write(&mut self, text: &str, at: (i32, i32), size: i32, rgb: Rgb) {
        for (letter, place) in text.chars().zip(0i32..) {
            self.letter(letter, (at.0 + place * LETTER * size, at.1), size, rgb);
        }
    }

    /// The same with a dark rim, readable on any ground.
    pub(super) fn label(&mut self, text: &str, at: (i32, i32), size: i32, rgb: Rgb, rim: Rgb) {
        for (dx, dy) in [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)] {
            self.write(text, (at.0 + dx, at.1 + dy), size, rim);
        }
        self.write(text, at, size, rgb);
    }

    fn letter(&mut self, letter: char, at: (i32, i32), size: i32, rgb: Rgb) {
        let rows = shape(letter).or_else(|| shape('?')).unwrap_or_default();
        for (row, y) in rows.iter().zip(0i32..) {
            for x in (0..LETTER).filter(|x| row >> x & 1 == 1) {
                self.dot((at.0 + x * size, at.1 + y * size), size, rgb);
            }
        }
    }

    /// A square of full pixels.
    fn dot(&mut self, at: (i32, i32), size: i32, Rgb(r, g, b): Rgb) {
        let (width, height) = (self.pixels.width() as i32, self.pixels.height() as i32);
        let Some(ink) = PremultipliedColorU8::from_rgba(r, g, b, 255) else { return };
        for y in at.1.max(0)..(at.1 + size).min(height) {
            for x in at.0.max(0)..(at.0 + size).min(width) {
                self.pixels.pixels_mut()[(y * width + x) as usize] = ink;
            }
        }
    }
}

/// The rows of a letter, the leftmost pixel in the lowest bit.
fn shape(letter: char) -> Option<[u8; 8]> {
    BASIC_FONTS.get(letter).or_else(|| LATIN_FONTS.get(letter))
}

/// Is there a shape for every letter?
pub(super) fn can_write(text: &str) -> bool {
    text.chars().all(|letter| shape(letter).is_some())
}

/// Pixels that a text takes.
pub(super) fn text_width(text: &str, size: i32) -> i32 {
    text.chars().count() as i32 * LETTER * size
}

/// Height of a line of text with some air, in pixels.
pub(super) const fn line_height(size: i32) -> i32 {
    (LETTER + 4) * size
}

fn colour(Rgb(r, g, b): Rgb, alpha: u8) -> Color {
    Color::from_rgba8(r, g, b, alpha)
}

fn paint(rgb: Rgb, alpha: u8) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(colour(rgb, alpha));
    paint
}
