//! A surface to draw on: shapes with soft edges.

use std::ops::Range;

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, PathBuilder, Pixmap, PremultipliedColorU8, Rect,
    Stroke, Transform,
};

use crate::palette::Colour;

/// A position in the picture, in pixels.
pub(crate) type Point = (f32, f32);

/// A rectangle of whole pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) left: i32,
    pub(crate) top: i32,
    pub(crate) right: i32,
    pub(crate) bottom: i32,
}

impl Area {
    fn width(self) -> usize {
        usize::try_from(self.right - self.left).unwrap_or(0)
    }

    /// How many pixels it has.
    pub(crate) fn pixels(self) -> usize {
        self.width() * usize::try_from(self.bottom - self.top).unwrap_or(0)
    }

    /// The index of a pixel that is in it, by row.
    pub(crate) fn index(self, x: i32, y: i32) -> usize {
        (y - self.top) as usize * self.width() + (x - self.left) as usize
    }

    /// The values of a row of pixels, of values by row; none where there is no such row.
    pub(crate) fn row<T>(self, values: &[T], y: i32) -> Option<&[T]> {
        let row = usize::try_from(y - self.top).ok()?;
        values.get(row * self.width()..(row + 1) * self.width())
    }

    /// Is something this far around a point at least partly in it?
    pub(crate) fn sees(self, (x, y): Point, reach: f32) -> bool {
        x + reach >= self.left as f32
            && x - reach <= self.right as f32
            && y + reach >= self.top as f32
            && y - reach <= self.bottom as f32
    }
}

/// The picture while it is drawn.
#[derive(Debug)]
pub(crate) struct Canvas {
    pixels: Pixmap,
}

/// Several shapes that are drawn together, so that no seams show between them.
#[derive(Default)]
pub(crate) struct Shapes(PathBuilder);

impl Shapes {
    /// A closed shape with these corners.
    pub(crate) fn polygon(&mut self, corners: impl IntoIterator<Item = Point>) {
        let mut corners = corners.into_iter();
        let Some((x, y)) = corners.next() else { return };
        self.0.move_to(x, y);
        for (x, y) in corners {
            self.0.line_to(x, y);
        }
        self.0.close();
    }

    /// A straight line, to be stroked.
    pub(crate) fn line(&mut self, from: Point, to: Point) {
        self.0.move_to(from.0, from.1);
        self.0.line_to(to.0, to.1);
    }

    /// A round shape.
    pub(crate) fn circle(&mut self, centre: Point, radius: f32) {
        self.0.push_circle(centre.0, centre.1, radius);
    }

    /// A rectangle around a centre.
    pub(crate) fn block(&mut self, centre: Point, width: f32, height: f32) {
        let (x, y) = (centre.0 - width / 2.0, centre.1 - height / 2.0);
        if let Some(rect) = Rect::from_xywh(x, y, width, height) {
            self.0.push_rect(rect);
        }
    }
}

/// A round shape alone.
pub(crate) fn circle(centre: Point, radius: f32) -> Shapes {
    let mut shapes = Shapes::default();
    shapes.circle(centre, radius);
    shapes
}

impl Canvas {
    /// An empty surface; none where it would be too large.
    pub(crate) fn new(width: u32, height: u32, background: Colour) -> Option<Self> {
        let mut pixels = Pixmap::new(width, height)?;
        pixels.fill(colour(background, 255));
        Some(Self { pixels })
    }

    /// A surface on which nothing is drawn yet; none where it would be too large.
    pub(crate) fn transparent(width: u32, height: u32) -> Option<Self> {
        Some(Self { pixels: Pixmap::new(width, height)? })
    }

    /// Width and height in pixels.
    pub(crate) fn size(&self) -> (u32, u32) {
        (self.pixels.width(), self.pixels.height())
    }

    /// All of it.
    pub(crate) fn area(&self) -> Area {
        let (right, bottom) = (self.pixels.width() as i32, self.pixels.height() as i32);
        Area { left: 0, top: 0, right, bottom }
    }

    /// Red, green, blue, alpha of each pixel, by row.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.pixels.data()
    }

    /// Red, green, blue, alpha of pixels of a row; none where it is not in the picture.
    pub(crate) fn row_mut(&mut self, y: i32, columns: Range<i32>) -> Option<&mut [u8]> {
        let width = self.pixels.width() as usize;
        let row = usize::try_from(y).ok()?.checked_mul(width)?;
        let [start, end] = [columns.start, columns.end].map(|x| usize::try_from(x).ok());
        let (start, end) = (start?, end.filter(|end| *end <= width)?);
        self.pixels.data_mut().get_mut((row + start) * 4..(row + end) * 4)
    }

    /// Draws another picture over this one, with its upper left corner at a pixel.
    pub(crate) fn stamp(&mut self, other: &Self, (left, top): (i32, i32)) {
        let (width, height) = (other.pixels.width() as i32, other.pixels.height() as i32);
        let own = self.pixels.width() as i32;
        let columns = left.max(0)..left.saturating_add(width).min(own);
        if columns.is_empty() {
            return;
        }
        let skipped = (columns.start - left) as usize * 4;
        for (row, y) in other
            .pixels
            .data()
            .chunks_exact(width as usize * 4)
            .zip(top..top.saturating_add(height))
        {
            let Some(below) = self.row_mut(y, columns.clone()) else { continue };
            for (below, above) in below.chunks_exact_mut(4).zip(row[skipped..].chunks_exact(4)) {
                let rest = 255 - u32::from(above[3]);
                if rest == 255 {
                    continue;
                }
                for (below, above) in below.iter_mut().zip(above) {
                    *below = above.saturating_add((u32::from(*below) * rest / 255) as u8);
                }
            }
        }
    }

    /// The picture as PNG.
    #[cfg(feature = "png")]
    pub(crate) fn to_png(&self) -> Option<Vec<u8>> {
        self.pixels.encode_png().ok()
    }

    /// Fills shapes.
    pub(crate) fn fill(&mut self, shapes: Shapes, colour: Colour, alpha: u8) {
        if let Some(path) = shapes.0.finish() {
            let (paint, rule) = (paint(colour, alpha), FillRule::Winding);
            self.pixels.fill_path(&path, &paint, rule, Transform::identity(), None);
        }
    }

    /// Draws the outlines of shapes.
    pub(crate) fn stroke(&mut self, shapes: Shapes, colour: Colour, alpha: u8, width: f32) {
        if let Some(path) = shapes.0.finish() {
            let (line_cap, line_join) = (LineCap::Round, LineJoin::Round);
            let stroke = Stroke { width, line_cap, line_join, ..Stroke::default() };
            let (paint, still) = (paint(colour, alpha), Transform::identity());
            self.pixels.stroke_path(&path, &paint, &stroke, still, None);
        }
    }

    /// Mixes a share, 0 to 1, of a colour into a pixel; nothing where there is none.
    pub(crate) fn blend(&mut self, x: i32, y: i32, colour: Colour, share: f32) {
        let (width, height) = (self.pixels.width() as i32, self.pixels.height() as i32);
        if !(0..width).contains(&x) || !(0..height).contains(&y) {
            return;
        }
        let pixel = &mut self.pixels.pixels_mut()[y as usize * width as usize + x as usize];
        let share = (share.clamp(0.0, 1.0) * 256.0) as u16;
        let below = Colour(pixel.red(), pixel.green(), pixel.blue());
        let Colour(r, g, b) = below.mixed(colour, share);
        let alpha = Colour(pixel.alpha(), 0, 0).mixed(Colour(255, 0, 0), share).0;
        // Rounding may leave a colour a little brighter than its alpha allows.
        let [r, g, b] = [r, g, b].map(|part| part.min(alpha));
        if let Some(mixed) = PremultipliedColorU8::from_rgba(r, g, b, alpha) {
            *pixel = mixed;
        }
    }
}

fn colour(Colour(r, g, b): Colour, alpha: u8) -> Color {
    Color::from_rgba8(r, g, b, alpha)
}

fn paint(rgb: Colour, alpha: u8) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(colour(rgb, alpha));
    paint
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::Palette;

    #[test]
    fn strokes_are_outlines_and_fills_are_not() {
        let marked = |draw: fn(&mut Canvas, Shapes)| {
            let mut canvas = Canvas::new(20, 20, Colour(0, 0, 0)).unwrap();
            draw(&mut canvas, circle((10.0, 10.0), 8.0));
            let at = |x, y| canvas.pixels.pixel(x, y).unwrap().red() > 100;
            [at(10, 10), at(10, 2), at(2, 10), at(0, 0)]
        };
        let fill = |canvas: &mut Canvas, shapes| canvas.fill(shapes, Palette::TEXT, 255);
        assert_eq!(marked(fill), [true, true, true, false]);
        let stroke = |canvas: &mut Canvas, shapes| canvas.stroke(shapes, Palette::TEXT, 255, 2.0);
        assert_eq!(marked(stroke), [false, true, true, false]);
    }
}
