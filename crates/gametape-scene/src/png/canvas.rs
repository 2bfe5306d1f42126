//! A surface to draw on: shapes with soft edges.

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, PathBuilder, Pixmap, PremultipliedColorU8, Rect,
    Stroke, Transform,
};

use crate::palette::Colour;

/// A position in the picture, in pixels.
pub(super) type Point = (f32, f32);

/// The picture while it is drawn.
pub(super) struct Canvas {
    pixels: Pixmap,
}

/// Several shapes that are drawn together, so that no seams show between them.
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
}

/// A round shape alone.
pub(super) fn circle(centre: Point, radius: f32) -> Shapes {
    let mut shapes = Shapes::default();
    shapes.circle(centre, radius);
    shapes
}

impl Canvas {
    /// An empty surface; none where it would be too large.
    pub(super) fn new(width: u32, height: u32, background: Colour) -> Option<Self> {
        let mut pixels = Pixmap::new(width, height)?;
        pixels.fill(colour(background, 255));
        Some(Self { pixels })
    }

    /// The picture as PNG.
    pub(super) fn to_png(&self) -> Option<Vec<u8>> {
        self.pixels.encode_png().ok()
    }

    /// Fills shapes.
    pub(super) fn fill(&mut self, shapes: Shapes, colour: Colour, alpha: u8) {
        if let Some(path) = shapes.0.finish() {
            let (paint, rule) = (paint(colour, alpha), FillRule::Winding);
            self.pixels.fill_path(&path, &paint, rule, Transform::identity(), None);
        }
    }

    /// Draws the outlines of shapes.
    pub(super) fn stroke(&mut self, shapes: Shapes, colour: Colour, alpha: u8, width: f32) {
        if let Some(path) = shapes.0.finish() {
            let (line_cap, line_join) = (LineCap::Round, LineJoin::Round);
            let stroke = Stroke { width, line_cap, line_join, ..Stroke::default() };
            let (paint, still) = (paint(colour, alpha), Transform::identity());
            self.pixels.stroke_path(&path, &paint, &stroke, still, None);
        }
    }

    /// Mixes a share, 0 to 1, of a colour into a pixel; nothing where there is none.
    pub(super) fn blend(&mut self, x: i32, y: i32, colour: Colour, share: f32) {
        let (width, height) = (self.pixels.width() as i32, self.pixels.height() as i32);
        if !(0..width).contains(&x) || !(0..height).contains(&y) {
            return;
        }
        let pixel = &mut self.pixels.pixels_mut()[y as usize * width as usize + x as usize];
        let below = Colour(pixel.red(), pixel.green(), pixel.blue());
        let Colour(r, g, b) = below.mixed(colour, (share.clamp(0.0, 1.0) * 256.0) as u16);
        if let Some(mixed) = PremultipliedColorU8::from_rgba(r, g, b, 255) {
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
