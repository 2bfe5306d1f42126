//! What plots are drawn on when they become a PNG: smooth lines, and letters from a font in memory.

use std::convert::Infallible;

use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, DrawingBackend, DrawingErrorKind,
};

use crate::draw::{Canvas, Point, Shapes};
use crate::palette::Colour;

/// A picture while it is drawn.
pub(super) struct Surface<'p> {
    canvas: &'p mut Canvas,
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl<'p> Surface<'p> {
    pub(super) fn new(canvas: &'p mut Canvas) -> Self {
        Self { canvas }
    }

    fn fill(&mut self, shapes: &Shapes, colour: BackendColor) {
        let (colour, alpha) = parts(colour);
        self.canvas.fill(shapes, colour, (alpha * 255.0).round() as u8);
    }

    fn stroke(&mut self, shapes: &Shapes, style: &impl BackendStyle) {
        let (colour, alpha) = parts(style.color());
        let width = style.stroke_width() as f32;
        self.canvas.stroke(shapes, colour, (alpha * 255.0).round() as u8, width);
    }
}

fn parts(colour: BackendColor) -> (Colour, f32) {
    let (r, g, b) = colour.rgb;
    (Colour(r, g, b), colour.alpha.clamp(0.0, 1.0) as f32)
}

/// The middle of a pixel: lines of one pixel are sharp there.
fn middle((x, y): BackendCoord) -> Point {
    (x as f32 + 0.5, y as f32 + 0.5)
}

fn open(points: impl IntoIterator<Item = BackendCoord>) -> Shapes {
    let mut shapes = Shapes::default();
    shapes.path(points.into_iter().map(middle));
    shapes
}

fn closed(corners: impl IntoIterator<Item = BackendCoord>) -> Shapes {
    let mut shapes = Shapes::default();
    shapes.polygon(corners.into_iter().map(middle));
    shapes
}

impl DrawingBackend for Surface<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.canvas.size()
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Drawn {
        let (colour, alpha) = parts(colour);
        self.canvas.blend(x, y, colour, alpha);
        Ok(())
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Drawn {
        self.stroke(&open([from, to]), style);
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
            true => self.fill(&closed(corners), style.color()),
            false => self.stroke(&closed(corners), style),
        }
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.stroke(&open(path), style);
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let mut circle = Shapes::default();
        circle.circle(middle(center), radius as f32);
        match fill {
            true => self.fill(&circle, style.color()),
            false => self.stroke(&circle, style),
        }
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        self.fill(&closed(corners), style.color());
        Ok(())
    }
}
