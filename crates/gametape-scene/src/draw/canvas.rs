//! A surface to draw on: shapes with soft edges.

use std::ops::Range;

use super::shapes::Shapes;
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
    pub(super) fn width(self) -> usize {
        usize::try_from(self.right - self.left).unwrap_or(0)
    }

    pub(super) fn height(self) -> usize {
        usize::try_from(self.bottom - self.top).unwrap_or(0)
    }

    /// How many pixels it has.
    pub(crate) fn pixels(self) -> usize {
        self.width() * self.height()
    }

    /// Is a pixel in it?
    pub(super) fn has(self, x: i32, y: i32) -> bool {
        (self.left..self.right).contains(&x) && (self.top..self.bottom).contains(&y)
    }

    /// What it has in common with another.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
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

/// More pixels than this no picture has: 256 MiB.
const MOST_PIXELS: u64 = 1 << 26;

/// The picture while it is drawn: red, green, blue, alpha of each pixel, by row, colours multiplied by alpha.
#[derive(Debug)]
pub(crate) struct Canvas {
    width: u32,
    height: u32,
    bytes: Vec<u8>,
}

impl Canvas {
    /// An empty surface; none where it would be too large.
    pub(crate) fn new(width: u32, height: u32, Colour(r, g, b): Colour) -> Option<Self> {
        let mut canvas = Self::transparent(width, height)?;
        canvas.bytes.chunks_exact_mut(4).for_each(|pixel| pixel.copy_from_slice(&[r, g, b, 255]));
        Some(canvas)
    }

    /// Fills everything with a colour.
    #[cfg(feature = "film")]
    pub(crate) fn clear(&mut self, Colour(r, g, b): Colour) {
        self.bytes.as_chunks_mut::<4>().0.fill([r, g, b, 255]);
    }

    /// A surface on which nothing is drawn yet; none where it would be too large.
    pub(crate) fn transparent(width: u32, height: u32) -> Option<Self> {
        let pixels = u64::from(width) * u64::from(height);
        let fits = (1..=MOST_PIXELS).contains(&pixels);
        fits.then(|| Self { width, height, bytes: vec![0; pixels as usize * 4] })
    }

    /// Width and height in pixels.
    pub(crate) fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// All of it.
    pub(crate) fn area(&self) -> Area {
        Area { left: 0, top: 0, right: self.width as i32, bottom: self.height as i32 }
    }

    /// Red, green, blue, alpha of each pixel, by row.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Red, green, blue, alpha of pixels of a row; none where it is not in the picture.
    pub(crate) fn row_mut(&mut self, y: i32, columns: Range<i32>) -> Option<&mut [u8]> {
        let width = self.width as usize;
        let row = usize::try_from(y).ok()?.checked_mul(width)?;
        let [start, end] = [columns.start, columns.end].map(|x| usize::try_from(x).ok());
        let (start, end) = (start?, end.filter(|end| *end <= width)?);
        self.bytes.get_mut((row + start) * 4..(row + end) * 4)
    }

    /// Draws another picture over this one, with its upper left corner at a pixel.
    pub(crate) fn stamp(&mut self, other: &Self, (left, top): (i32, i32)) {
        let (width, height) = (other.width as i32, other.height as i32);
        let columns = left.max(0)..left.saturating_add(width).min(self.width as i32);
        if columns.is_empty() {
            return;
        }
        let skipped = (columns.start - left) as usize * 4;
        let rows = other.bytes.chunks_exact(width as usize * 4);
        for (row, y) in rows.zip(top..top.saturating_add(height)) {
            let Some(below) = self.row_mut(y, columns.clone()) else { continue };
            for (below, above) in below.chunks_exact_mut(4).zip(row[skipped..].chunks_exact(4)) {
                lay_over(below, above);
            }
        }
    }

    /// The picture as PNG; nothing shines through it.
    #[cfg(feature = "png")]
    pub(crate) fn to_png(&self) -> Option<Vec<u8>> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let colours: Vec<u8> =
            self.bytes.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        encoder.write_header().ok()?.write_image_data(&colours).ok()?;
        Some(file)
    }

    /// Fills shapes.
    pub(crate) fn fill(&mut self, shapes: &Shapes, colour: Colour, alpha: u8) {
        let area = self.area();
        shapes.fill(area, &mut |x, y, share| self.cover(x, y, colour, alpha, share));
    }

    /// Draws the outlines of shapes.
    pub(crate) fn stroke(&mut self, shapes: &Shapes, colour: Colour, alpha: u8, width: f32) {
        let area = self.area();
        shapes.stroke(area, width, &mut |x, y, share| self.cover(x, y, colour, alpha, share));
    }

    /// Lays a colour over a pixel of which a share, 0 to 1, is covered.
    fn cover(&mut self, x: i32, y: i32, Colour(r, g, b): Colour, alpha: u8, share: f32) {
        let Some(below) = self.row_mut(y, x..x + 1) else { return };
        let alpha = (f32::from(alpha) * share.min(1.0) + 0.5) as u32;
        let part = |colour: u8| ((u32::from(colour) * alpha + 127) / 255) as u8;
        lay_over(below, &[part(r), part(g), part(b), alpha as u8]);
    }

    /// Mixes a share, 0 to 1, of a colour into a pixel; nothing where there is none.
    pub(crate) fn blend(&mut self, x: i32, y: i32, colour: Colour, share: f32) {
        if share > 0.0 && (0..self.width as i32).contains(&x) {
            self.cover(x, y, colour, 255, share);
        }
    }
}

/// Lays a pixel over another.
fn lay_over(below: &mut [u8], above: &[u8]) {
    let rest = 255 - u32::from(above[3]);
    if rest == 255 {
        return;
    }
    for (below, above) in below.iter_mut().zip(above) {
        *below = above.saturating_add(((u32::from(*below) * rest + 127) / 255) as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::shapes::circle;
    use crate::palette::Palette;

    #[test]
    fn strokes_are_outlines_and_fills_are_not() {
        let marked = |draw: fn(&mut Canvas, &Shapes)| {
            let mut canvas = Canvas::new(20, 20, Colour(0, 0, 0)).unwrap();
            draw(&mut canvas, &circle((10.0, 10.0), 8.0));
            let at = |x: usize, y: usize| canvas.bytes[(y * 20 + x) * 4] > 100;
            [at(10, 10), at(10, 2), at(2, 10), at(0, 0)]
        };
        let fill = |canvas: &mut Canvas, shapes: &_| canvas.fill(shapes, Palette::TEXT, 255);
        assert_eq!(marked(fill), [true, true, true, false]);
        let stroke =
            |canvas: &mut Canvas, shapes: &_| canvas.stroke(shapes, Palette::TEXT, 255, 2.0);
        assert_eq!(marked(stroke), [false, true, true, false]);
    }

    #[test]
    fn half_a_colour_is_half_of_it_and_never_brighter_than_its_alpha() {
        let mut canvas = Canvas::transparent(2, 1).unwrap();
        canvas.blend(0, 0, Colour(200, 100, 0), 0.5);
        assert_eq!(canvas.bytes()[..4], [100, 50, 0, 128]);
        canvas.blend(0, 0, Colour(200, 100, 0), 1.0);
        canvas.blend(5, 0, Colour(200, 100, 0), 1.0);
        assert_eq!(*canvas.bytes(), [200, 100, 0, 255, 0, 0, 0, 0]);
    }

    #[test]
    fn no_surface_is_empty_or_larger_than_memory() {
        assert!(Canvas::transparent(0, 5).is_none());
        assert!(Canvas::transparent(1 << 20, 1 << 20).is_none());
    }
}
