//! What plots are drawn on when they become a PNG: smooth lines, and letters from a font in memory.

use std::convert::Infallible;

use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, DrawingBackend, DrawingErrorKind,
};
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, PremultipliedColorU8,
    Stroke, Transform,
};

/// A picture while it is drawn.
pub(super) struct Surface<'p> {
    pixels: &'p mut Pixmap,
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl<'p> Surface<'p> {
    pub(super) fn new(pixels: &'p mut Pixmap) -> Self {
        Self { pixels }
    }

    fn fill(&mut self, path: Option<Path>, colour: BackendColor) {
        if let Some(path) = path {
            let (paint, still) = (paint(colour), Transform::identity());
            self.pixels.fill_path(&path, &paint, FillRule::EvenOdd, still, None);
        }
    }

    fn stroke(&mut self, path: Option<Path>, style: &impl BackendStyle) {
        let stroke = Stroke {
            width: style.stroke_width() as f32,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        if let Some(path) = path {
            let (paint, still) = (paint(style.color()), Transform::identity());
            self.pixels.stroke_path(&path, &paint, &stroke, still, None);
        }
    }
}

fn paint(colour: BackendColor) -> Paint<'static> {
    let (r, g, b) = colour.rgb;
    let alpha = (colour.alpha.clamp(0.0, 1.0) * 255.0).round() as u8;
    let mut paint = Paint::default();
    paint.set_color(Color::from_rgba8(r, g, b, alpha));
    paint
}

/// A colour laid over a pixel that nothing shines through.
fn blended(pixel: PremultipliedColorU8, colour: BackendColor) -> PremultipliedColorU8 {
    let alpha = colour.alpha.clamp(0.0, 1.0);
    let mix = |under: u8, over: u8| {
        (f64::from(under) * (1.0 - alpha) + f64::from(over) * alpha).round() as u8
    };
    let (r, g, b) = colour.rgb;
    let [r, g, b] = [mix(pixel.red(), r), mix(pixel.green(), g), mix(pixel.blue(), b)];
    PremultipliedColorU8::from_rgba(r, g, b, 255).unwrap_or(pixel)
}

/// The middle of a pixel: lines of one pixel are sharp there.
fn middle((x, y): BackendCoord) -> (f32, f32) {
    (x as f32 + 0.5, y as f32 + 0.5)
}

fn outline(points: impl IntoIterator<Item = BackendCoord>, is_closed: bool) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for point in points {
        let (x, y) = middle(point);
        match builder.is_empty() {
            true => builder.move_to(x, y),
            false => builder.line_to(x, y),
        }
    }
    if is_closed {
        builder.close();
    }
    builder.finish()
}

impl DrawingBackend for Surface<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.pixels.width(), self.pixels.height())
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Drawn {
        let (width, height) = (self.pixels.width() as i32, self.pixels.height() as i32);
        if (0..width).contains(&x) && (0..height).contains(&y) {
            let pixel = &mut self.pixels.pixels_mut()[(y * width + x) as usize];
            *pixel = blended(*pixel, colour);
        }
        Ok(())
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Drawn {
        self.stroke(outline([from, to], false), style);
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        match fill {
            true => self.fill(outline(corners, true), style.color()),
            false => self.stroke(outline(corners, true), style),
        }
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.stroke(outline(path, false), style);
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let (x, y) = middle(center);
        let circle = PathBuilder::from_circle(x, y, radius as f32);
        match fill {
            true => self.fill(circle, style.color()),
            false => self.stroke(circle, style),
        }
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        self.fill(outline(corners, true), style.color());
        Ok(())
    }
}
