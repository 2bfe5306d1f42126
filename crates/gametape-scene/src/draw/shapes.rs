//! Shapes with soft edges: how much of each pixel they cover.
//!
//! What is round and every line is a distance: a pixel whose middle is half a pixel inside is covered, half a pixel outside
//! it is not. What has corners and is filled is covered by exact areas.

use ab_glyph_rasterizer::{Rasterizer, point};

use super::canvas::{Area, Point};

/// Corners farther away than this are not drawn.
const FARTHEST: f32 = 20_000.0;

/// Several shapes that are drawn together, so that no seams show between them.
#[derive(Debug, Default)]
pub(crate) struct Shapes(Vec<Form>);

#[derive(Debug)]
enum Form {
    Circle { centre: Point, radius: f32 },
    Path { corners: Vec<Point>, is_closed: bool },
}

/// Takes a pixel, and which share of it is covered.
pub(super) type Cover<'c> = &'c mut dyn FnMut(i32, i32, f32);

/// A round shape alone.
pub(crate) fn circle(centre: Point, radius: f32) -> Shapes {
    let mut shapes = Shapes::default();
    shapes.circle(centre, radius);
    shapes
}

impl Shapes {
    /// A closed shape with these corners.
    pub(crate) fn polygon(&mut self, corners: impl IntoIterator<Item = Point>) {
        self.0.push(Form::Path { corners: corners.into_iter().collect(), is_closed: true });
    }

    /// A line through these points, to be stroked.
    pub(crate) fn path(&mut self, points: impl IntoIterator<Item = Point>) {
        self.0.push(Form::Path { corners: points.into_iter().collect(), is_closed: false });
    }

    /// A straight line, to be stroked.
    pub(crate) fn line(&mut self, from: Point, to: Point) {
        self.path([from, to]);
    }

    /// A round shape.
    pub(crate) fn circle(&mut self, centre: Point, radius: f32) {
        self.0.push(Form::Circle { centre, radius });
    }

    /// A rectangle around a centre.
    pub(crate) fn block(&mut self, (x, y): Point, width: f32, height: f32) {
        let (dx, dy) = (width / 2.0, height / 2.0);
        self.polygon([(x - dx, y - dy), (x + dx, y - dy), (x + dx, y + dy), (x - dx, y + dy)]);
    }

    /// The pixels in an area that the shapes cover, each once.
    pub(super) fn fill(&self, within: Area, cover: Cover<'_>) {
        let mut mask = Mask::around(self, 1.0, within);
        for form in &self.0 {
            match form {
                Form::Circle { centre, radius } => {
                    mask.add(bounds_of(&[*centre], radius + 1.0), &|at| {
                        radius + 0.5 - distance(at, *centre)
                    });
                }
                Form::Path { corners, .. } => mask.add_polygon(corners),
            }
        }
        mask.give(cover);
    }

    /// The pixels in an area that outlines of this width cover, each once. Ends and corners are round.
    pub(super) fn stroke(&self, within: Area, width: f32, cover: Cover<'_>) {
        let half = width / 2.0;
        let mut mask = Mask::around(self, half + 1.0, within);
        for form in &self.0 {
            match form {
                Form::Circle { centre, radius } => {
                    mask.add(bounds_of(&[*centre], radius + half + 1.0), &|at| {
                        half + 0.5 - (distance(at, *centre) - radius).abs()
                    });
                }
                Form::Path { corners, is_closed } => {
                    let around = corners.iter().cycle().skip(1).take(match is_closed {
                        true => corners.len(),
                        false => corners.len().saturating_sub(1),
                    });
                    for (from, to) in corners.iter().zip(around) {
                        mask.add(bounds_of(&[*from, *to], half + 1.0), &|at| {
                            half + 0.5 - distance_to_line(at, *from, *to)
                        });
                    }
                }
            }
        }
        mask.give(cover);
    }
}

fn distance((x, y): Point, other: Point) -> f32 {
    let (dx, dy) = (x - other.0, y - other.1);
    (dx * dx + dy * dy).sqrt()
}

/// How far a point is from the nearest point of a line.
fn distance_to_line(at: Point, from: Point, to: Point) -> f32 {
    let along = (to.0 - from.0, to.1 - from.1);
    let length = along.0 * along.0 + along.1 * along.1;
    let inner = (at.0 - from.0) * along.0 + (at.1 - from.1) * along.1;
    let share = if length > 0.0 { (inner / length).clamp(0.0, 1.0) } else { 0.0 };
    distance(at, (from.0 + along.0 * share, from.1 + along.1 * share))
}

/// The whole pixels around points, and this far further.
fn bounds_of(points: &[Point], further: f32) -> Area {
    let mut bounds = [f32::MAX, f32::MAX, f32::MIN, f32::MIN];
    for (x, y) in points {
        bounds = [bounds[0].min(*x), bounds[1].min(*y), bounds[2].max(*x), bounds[3].max(*y)];
    }
    let pixel = |value: f32| value.clamp(-FARTHEST, FARTHEST) as i32;
    Area {
        left: pixel((bounds[0] - further).floor()),
        top: pixel((bounds[1] - further).floor()),
        right: pixel((bounds[2] + further).ceil()),
        bottom: pixel((bounds[3] + further).ceil()),
    }
}

/// How much of the pixels of an area is covered.
struct Mask {
    area: Area,
    shares: Vec<f32>,
}

impl Mask {
    /// For shapes, and what is this far around them, within an area.
    fn around(shapes: &Shapes, further: f32, within: Area) -> Self {
        let bounds = shapes.0.iter().map(|form| match form {
            Form::Circle { centre, radius } => bounds_of(&[*centre], radius + further),
            Form::Path { corners, .. } => bounds_of(corners, further),
        });
        let all = bounds.reduce(|all, area| Area {
            left: all.left.min(area.left),
            top: all.top.min(area.top),
            right: all.right.max(area.right),
            bottom: all.bottom.max(area.bottom),
        });
        let area = all.map_or(Area { right: within.left, ..within }, |all| all.and(within));
        Self { area, shares: vec![0.0; area.pixels()] }
    }

    /// Covers pixels, of which `inside` says how far inside the middle is.
    fn add(&mut self, bounds: Area, inside: &dyn Fn(Point) -> f32) {
        let bounds = bounds.and(self.area);
        for y in bounds.top..bounds.bottom {
            for x in bounds.left..bounds.right {
                let share = inside((x as f32 + 0.5, y as f32 + 0.5)).clamp(0.0, 1.0);
                let index = self.area.index(x, y);
                self.shares[index] = self.shares[index].max(share);
            }
        }
    }

    /// Covers what is inside of a polygon.
    fn add_polygon(&mut self, corners: &[Point]) {
        let bounds = bounds_of(corners, 1.0);
        let is_near = corners.iter().all(|(x, y)| x.abs() < FARTHEST && y.abs() < FARTHEST);
        // A shape that is much larger than the picture would be mostly outside.
        if !is_near || bounds.pixels() > 16 * self.area.pixels() + 4096 {
            return;
        }
        let mut raster = Rasterizer::new(bounds.width(), bounds.height());
        let local = |(x, y): &Point| point(x - bounds.left as f32, y - bounds.top as f32);
        for (from, to) in corners.iter().zip(corners.iter().cycle().skip(1)) {
            raster.draw_line(local(from), local(to));
        }
        raster.for_each_pixel_2d(|x, y, share| {
            let (x, y) = (bounds.left + x as i32, bounds.top + y as i32);
            if self.area.has(x, y) {
                let index = self.area.index(x, y);
                self.shares[index] = self.shares[index].max(share.min(1.0));
            }
        });
    }

    fn give(&self, cover: Cover<'_>) {
        for y in self.area.top..self.area.bottom {
            let shares = self.area.row(&self.shares, y).unwrap_or_default();
            for (share, x) in shares.iter().zip(self.area.left..) {
                if *share > 0.0 {
                    cover(x, y, *share);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PICTURE: Area = Area { left: 0, top: 0, right: 20, bottom: 20 };

    fn covered(draw: impl FnOnce(Cover<'_>)) -> f32 {
        let (mut sum, mut seen) = (0.0, std::collections::HashSet::new());
        draw(&mut |x, y, share| {
            assert!(PICTURE.has(x, y) && seen.insert((x, y)), "{x} {y}");
            sum += share;
        });
        sum
    }

    #[test]
    fn as_many_pixels_are_covered_as_a_shape_is_large() {
        let near = |found: f32, wanted: f32| {
            assert!((found - wanted).abs() < wanted * 0.03, "{found} {wanted}");
        };
        let disc = circle((10.3, 9.8), 6.0);
        near(covered(|cover| disc.fill(PICTURE, cover)), 36.0 * std::f32::consts::PI);
        near(covered(|cover| disc.stroke(PICTURE, 2.0, cover)), 24.0 * std::f32::consts::PI);
        let mut block = Shapes::default();
        block.block((10.25, 10.5), 7.5, 3.0);
        near(covered(|cover| block.fill(PICTURE, cover)), 22.5);
        let mut triangle = Shapes::default();
        triangle.polygon([(2.0, 2.0), (18.0, 2.0), (2.0, 18.0)]);
        near(covered(|cover| triangle.fill(PICTURE, cover)), 128.0);
        let mut line = Shapes::default();
        line.line((4.0, 4.0), (16.0, 13.0));
        near(covered(|cover| line.stroke(PICTURE, 2.0, cover)), 30.0 + std::f32::consts::PI);
    }

    #[test]
    fn two_shapes_that_overlap_cover_a_pixel_once() {
        let mut shapes = circle((8.0, 8.0), 5.0);
        shapes.circle((8.0, 8.0), 5.0);
        shapes.block((8.0, 8.0), 2.0, 2.0);
        let once = covered(|cover| circle((8.0, 8.0), 5.0).fill(PICTURE, cover));
        assert_eq!(covered(|cover| shapes.fill(PICTURE, cover)), once);
    }

    #[test]
    fn what_is_outside_or_is_no_number_covers_nothing() {
        let far = [f32::NAN, f32::INFINITY, -1e30, 1e9];
        for x in far {
            let mut shapes = circle((x, 5.0), 3.0);
            shapes.polygon([(x, 0.0), (5.0, x), (0.0, 0.0)]);
            assert_eq!(covered(|cover| shapes.fill(PICTURE, cover)), 0.0, "{x}");
        }
        assert_eq!(covered(|cover| Shapes::default().fill(PICTURE, cover)), 0.0);
    }
}
