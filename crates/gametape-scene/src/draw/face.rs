//! A TrueType font: which glyph a letter has, how wide it is, and its outline. Nothing else of a font is needed for
//! pictures, and what is not there is not loaded by a browser.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use ab_glyph_rasterizer::{Rasterizer, point};

use super::canvas::Point;

/// More glyphs in glyphs in glyphs than these are not drawn.
const DEEPEST: u8 = 6;
/// More points of an outline are not drawn.
const MOST_POINTS: usize = 4096;
/// A letter that would be larger than this is not drawn.
const LARGEST: f32 = 4096.0;

/// A font file that can be read.
#[derive(Debug, Clone)]
pub(super) struct Face(Arc<Tables>);

#[derive(Debug)]
struct Tables {
    bytes: Bytes,
    glyf: Range<usize>,
    loca: Range<usize>,
    hmtx: Range<usize>,
    has_long_offsets: bool,
    /// How many glyphs have a width of their own; further ones have that of the last.
    widths: u16,
    ascent: f32,
    /// From the lowest to the highest, in units of the font.
    height: f32,
    glyphs: HashMap<u32, u16>,
}

#[derive(Debug)]
enum Bytes {
    Owned(Vec<u8>),
    #[cfg(feature = "png")]
    Static(&'static [u8]),
}

impl Bytes {
    fn get(&self) -> &[u8] {
        match self {
            Self::Owned(bytes) => bytes,
            #[cfg(feature = "png")]
            Self::Static(bytes) => bytes,
        }
    }
}

impl Face {
    /// The font in a file; none where it is not one.
    pub(super) fn of(file: Vec<u8>) -> Option<Self> {
        Tables::read(Bytes::Owned(file)).map(|tables| Self(Arc::new(tables)))
    }

    /// The font in a file that is part of the program.
    #[cfg(feature = "png")]
    pub(super) fn of_static(file: &'static [u8]) -> Option<Self> {
        Tables::read(Bytes::Static(file)).map(|tables| Self(Arc::new(tables)))
    }

    /// The number of a letter's glyph; none where the font does not have it.
    pub(super) fn glyph(&self, letter: char) -> Option<u16> {
        self.0.glyphs.get(&u32::from(letter)).copied()
    }

    /// How far the letter after a glyph is, for lines of this height.
    pub(super) fn advance(&self, glyph: u16, size: f32) -> f32 {
        let row = usize::from(glyph.min(self.0.widths.saturating_sub(1))) * 4;
        let units = u16_at(self.0.table(&self.0.hmtx), row).unwrap_or(0);
        f32::from(units) * self.scale(size)
    }

    /// How far the base line is below the top of a line.
    pub(super) fn ascent(&self, size: f32) -> f32 {
        self.0.ascent * self.scale(size)
    }

    fn scale(&self, size: f32) -> f32 {
        size / self.0.height
    }

    /// Gives the pixels of a glyph whose base line begins at a point, each with the share that is covered.
    pub(super) fn draw(
        &self,
        glyph: u16,
        size: f32,
        at: Point,
        cover: &mut dyn FnMut(i32, i32, f32),
    ) {
        let mut outline = Outline::default();
        let scale = self.scale(size);
        let place = Place { x: [scale, 0.0], y: [0.0, -scale], at };
        if self.0.outline(glyph, place, &mut outline, DEEPEST).is_some() {
            outline.fill(cover);
        }
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn i16_at(bytes: &[u8], at: usize) -> Option<i16> {
    u16_at(bytes, at).map(u16::cast_signed)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

impl Tables {
    fn read(bytes: Bytes) -> Option<Self> {
        let file = bytes.get();
        let count = usize::from(u16_at(file, 4)?);
        let table = |name: &[u8; 4]| {
            let is_it = |row: &usize| file.get(*row..row + 4) == Some(name);
            let row = (0..count).map(|index| 12 + 16 * index).find(is_it)?;
            let (start, length) = (u32_at(file, row + 8)? as usize, u32_at(file, row + 12)?);
            let end = start.checked_add(length as usize)?;
            file.get(start..end).map(|_| start..end)
        };
        let (head, hhea, cmap) = (table(b"head")?, table(b"hhea")?, table(b"cmap")?);
        let (head, hhea) = (&file[head], &file[hhea]);
        let [ascent, descent] = [4, 6].map(|at| i16_at(hhea, at).map(f32::from));
        let (ascent, descent) = (ascent?, descent?);
        let height = Some(ascent - descent).filter(|height| *height > 0.0)?;
        let glyphs = letters(&file[cmap])?;
        let (glyf, loca, hmtx) = (table(b"glyf")?, table(b"loca")?, table(b"hmtx")?);
        let has_long_offsets = u16_at(head, 50)? != 0;
        let widths = u16_at(hhea, 34)?;
        Some(Self { glyf, loca, hmtx, has_long_offsets, widths, ascent, height, glyphs, bytes })
    }

    fn table(&self, range: &Range<usize>) -> &[u8] {
        self.bytes.get().get(range.clone()).unwrap_or_default()
    }

    /// What a glyph is written as; empty for those that show nothing.
    fn written(&self, glyph: u16) -> Option<&[u8]> {
        let (loca, index) = (self.table(&self.loca), usize::from(glyph));
        let offset = |index: usize| match self.has_long_offsets {
            true => u32_at(loca, 4 * index).map(|offset| offset as usize),
            false => u16_at(loca, 2 * index).map(|offset| 2 * usize::from(offset)),
        };
        self.table(&self.glyf).get(offset(index)?..offset(index + 1)?)
    }

    /// Adds the outline of a glyph; none where it makes no sense.
    fn outline(&self, glyph: u16, place: Place, out: &mut Outline, deeper: u8) -> Option<()> {
        let bytes = self.written(glyph)?;
        if bytes.is_empty() {
            return Some(());
        }
        match usize::try_from(i16_at(bytes, 0)?) {
            Ok(contours) => simple(bytes, contours, place, out),
            Err(_) => self.composite(bytes, place, out, deeper.checked_sub(1)?),
        }
    }

    /// A glyph that is put together of others.
    fn composite(&self, bytes: &[u8], place: Place, out: &mut Outline, deeper: u8) -> Option<()> {
        let mut at = 10;
        loop {
            let (flags, glyph) = (u16_at(bytes, at)?, u16_at(bytes, at + 2)?);
            let has = |bit: u16| flags & bit != 0;
            let (dx, dy) = match has(0x01) {
                true => (i16_at(bytes, at + 4)?, i16_at(bytes, at + 6)?),
                false => {
                    let byte = |at: usize| bytes.get(at).map(|byte| i16::from(byte.cast_signed()));
                    (byte(at + 4)?, byte(at + 5)?)
                }
            };
            at += if has(0x01) { 8 } else { 6 };
            let part = |at: usize| i16_at(bytes, at).map(|part| f32::from(part) / 16384.0);
            let turn = match () {
                () if has(0x08) => [part(at)?, 0.0, 0.0, part(at)?],
                () if has(0x40) => [part(at)?, 0.0, 0.0, part(at + 2)?],
                () if has(0x80) => [part(at)?, part(at + 2)?, part(at + 4)?, part(at + 6)?],
                () => [1.0, 0.0, 0.0, 1.0],
            };
            at += 8 * usize::from(has(0x80))
                + 4 * usize::from(has(0x40))
                + 2 * usize::from(has(0x08));
            // Parts that are placed by points instead of distances are placed where they are.
            let by = if has(0x02) { (f32::from(dx), f32::from(dy)) } else { (0.0, 0.0) };
            self.outline(glyph, place.turned(turn, by), out, deeper)?;
            if !has(0x20) {
                return Some(());
            }
        }
    }
}

/// The glyphs of letters, of the tables with groups of 32 bits or segments of 16 bits.
fn letters(cmap: &[u8]) -> Option<HashMap<u32, u16>> {
    let starts = (0..usize::from(u16_at(cmap, 2)?)).filter_map(|row| u32_at(cmap, 8 + 8 * row));
    let tables: Vec<&[u8]> = starts.filter_map(|start| cmap.get(start as usize..)).collect();
    let with = |format| tables.iter().find(|table| u16_at(table, 0) == Some(format));
    match (with(12), with(4)) {
        (Some(table), _) => groups(table),
        (None, Some(table)) => segments(table),
        (None, None) => None,
    }
}

fn groups(table: &[u8]) -> Option<HashMap<u32, u16>> {
    let mut letters = HashMap::new();
    for group in table.get(16..)?.chunks_exact(12).take(u32_at(table, 12)? as usize) {
        let (first, last, glyph) = (u32_at(group, 0)?, u32_at(group, 4)?, u32_at(group, 8)?);
        let last = last.min(first.saturating_add(0xffff)).min(0x10_ffff);
        letters.extend((first..=last).zip(glyph..).filter_map(|(letter, glyph)| {
            Some((letter, u16::try_from(glyph).ok().filter(|glyph| *glyph != 0)?))
        }));
    }
    Some(letters)
}

fn segments(table: &[u8]) -> Option<HashMap<u32, u16>> {
    let double = usize::from(u16_at(table, 6)?);
    let mut letters = HashMap::new();
    for segment in (0..double).step_by(2) {
        let (end, start) = (u16_at(table, 14 + segment)?, u16_at(table, 16 + double + segment)?);
        let delta = u16_at(table, 16 + 2 * double + segment)?;
        let offset_at = 16 + 3 * double + segment;
        let offset = usize::from(u16_at(table, offset_at)?);
        for letter in start..=end {
            let listed = || u16_at(table, offset_at + offset + 2 * usize::from(letter - start));
            let glyph = match offset {
                0 => letter.wrapping_add(delta),
                _ => listed().filter(|glyph| *glyph != 0).map_or(0, |own| own.wrapping_add(delta)),
            };
            if glyph != 0 {
                letters.insert(u32::from(letter), glyph);
            }
        }
    }
    Some(letters)
}

/// How units of the font become pixels.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// What one unit to the right adds to x and y.
    x: [f32; 2],
    /// What one unit up adds to x and y.
    y: [f32; 2],
    at: Point,
}

impl Place {
    fn point(&self, x: f32, y: f32) -> Point {
        (self.at.0 + self.x[0] * x + self.y[0] * y, self.at.1 + self.x[1] * x + self.y[1] * y)
    }

    /// The place of a part that is turned and moved.
    fn turned(self, [a, b, c, d]: [f32; 4], by: Point) -> Self {
        let along = |right: f32, up: f32| {
            [self.x[0] * right + self.y[0] * up, self.x[1] * right + self.y[1] * up]
        };
        Self { x: along(a, b), y: along(c, d), at: self.point(by.0, by.1) }
    }
}

/// A glyph that has outlines of its own.
fn simple(bytes: &[u8], contours: usize, place: Place, out: &mut Outline) -> Option<()> {
    let Some(last) = contours.checked_sub(1) else { return Some(()) };
    let ends = |contour: usize| u16_at(bytes, 10 + 2 * contour).map(usize::from);
    let count = ends(last)? + 1;
    if count > MOST_POINTS {
        return None;
    }
    let mut at = 10 + 2 * contours;
    at += 2 + usize::from(u16_at(bytes, at)?);
    let mut flags = Vec::with_capacity(count);
    while flags.len() < count {
        let flag = *bytes.get(at)?;
        let again = if flag & 0x08 != 0 { usize::from(*bytes.get(at + 1)?) } else { 0 };
        at += if flag & 0x08 != 0 { 2 } else { 1 };
        flags.extend(std::iter::repeat_n(flag, (again + 1).min(count - flags.len())));
    }
    let mut axis = |short: u8, same: u8| -> Option<Vec<f32>> {
        let (mut value, mut values) = (0i32, Vec::with_capacity(count));
        for flag in &flags {
            if flag & short != 0 {
                let step = i32::from(*bytes.get(at)?);
                at += 1;
                value += if flag & same != 0 { step } else { -step };
            } else if flag & same == 0 {
                value += i32::from(i16_at(bytes, at)?);
                at += 2;
            }
            values.push(value as f32);
        }
        Some(values)
    };
    let (xs, ys) = (axis(0x02, 0x10)?, axis(0x04, 0x20)?);
    let mut start = 0;
    for contour in 0..contours {
        let end = ends(contour)? + 1;
        let points = (start..end.min(count))
            .map(|index| (place.point(xs[index], ys[index]), flags[index] & 0x01 != 0));
        out.contour(&points.collect::<Vec<_>>());
        start = end;
    }
    Some(())
}

/// Outlines in pixels: curves with one point aside, of which lines are those whose point is between the ends.
#[derive(Debug, Default)]
struct Outline(Vec<[Point; 3]>);

impl Outline {
    /// A closed outline of points that are on it, or aside of it.
    fn contour(&mut self, points: &[(Point, bool)]) {
        let middle = |a: Point, b: Point| ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0);
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
        let begin = match (first.1, last.1) {
            (true, _) => first.0,
            (false, true) => last.0,
            (false, false) => middle(first.0, last.0),
        };
        let (mut from, mut aside) = (begin, None);
        for &(at, is_on) in points {
            match (aside, is_on) {
                (None, true) => self.0.push([from, middle(from, at), at]),
                (Some(aside), true) => self.0.push([from, aside, at]),
                (Some(aside), false) => self.0.push([from, aside, middle(aside, at)]),
                (None, false) => {}
            }
            from =
                self.0.last().filter(|_| is_on || aside.is_some()).map_or(from, |curve| curve[2]);
            aside = (!is_on).then_some(at);
        }
        let aside = aside.unwrap_or_else(|| middle(from, begin));
        self.0.push([from, aside, begin]);
    }

    fn fill(&self, cover: &mut dyn FnMut(i32, i32, f32)) {
        let points = || self.0.iter().flatten();
        let least = |axis: fn(&Point) -> f32| points().map(axis).fold(f32::MAX, f32::min).floor();
        let most = |axis: fn(&Point) -> f32| points().map(axis).fold(f32::MIN, f32::max).ceil();
        let (left, top) = (least(|at| at.0), least(|at| at.1));
        let (width, height) = (most(|at| at.0) - left, most(|at| at.1) - top);
        if !(0.0..LARGEST).contains(&width) || !(0.0..LARGEST).contains(&height) {
            return;
        }
        let mut raster = Rasterizer::new(width as usize + 1, height as usize + 1);
        for curve in &self.0 {
            let [from, aside, to] = curve.map(|(x, y)| point(x - left, y - top));
            raster.draw_quad(from, aside, to);
        }
        raster.for_each_pixel_2d(|x, y, share| {
            // Sums of rounded numbers leave a trace beside the outline.
            if share > 0.002 {
                cover(left as i32 + x as i32, top as i32 + y as i32, share.min(1.0));
            }
        });
    }
}

#[cfg(test)]
#[cfg(feature = "png")]
mod tests {
    use super::*;

    fn own() -> Face {
        Face::of_static(dejavu::sans::bold()).unwrap()
    }

    /// The covered pixels of a letter as text.
    fn drawn(letter: char, size: f32) -> Vec<String> {
        let face = own();
        let mut rows = vec![vec![' '; 14]; 16];
        face.draw(
            face.glyph(letter).unwrap(),
            size,
            (1.0, face.ascent(size)),
            &mut |x, y, share| {
                let sign = if share > 0.5 { '#' } else { '.' };
                rows[y as usize][x as usize] = sign;
            },
        );
        rows.into_iter()
            .map(|row| row.into_iter().collect::<String>().trim_end().to_owned())
            .collect()
    }

    #[test]
    fn letters_look_like_letters() {
        let rows = drawn('L', 14.0);
        let rows: Vec<&str> =
            rows.iter().map(String::as_str).filter(|row| row.contains('#')).collect();
        let (foot, stem) = rows.split_last().unwrap();
        assert!(stem.len() >= 7 && foot.matches('#').count() >= 5, "{rows:#?}");
        assert!(
            stem[..stem.len() - 2].iter().all(|row| row.matches('#').count() <= 3),
            "{rows:#?}"
        );
    }

    #[test]
    fn a_letter_with_an_accent_is_the_letter_and_more() {
        let count = |letter| drawn(letter, 14.0).concat().matches('#').count();
        assert!(count('é') > count('e') && count('e') > 10);
        let is_within = |a: Vec<String>, b: Vec<String>| {
            a.concat().matches('#').count() < b.concat().matches('#').count()
        };
        assert!(is_within(drawn('a', 14.0), drawn('ä', 14.0)));
    }

    #[test]
    fn widths_and_absent_letters() {
        let face = own();
        let width = |letter| face.advance(face.glyph(letter).unwrap(), 20.0);
        assert!(width('W') > width('i') * 2.0 && width('1') == width('8'));
        assert_eq!(face.glyph('陈'), None);
        assert!(face.ascent(20.0) > 14.0 && face.ascent(20.0) < 18.0);
    }

    #[test]
    fn damaged_fonts_are_refused_or_draw_something_bounded() {
        let whole = dejavu::sans::bold();
        for length in [0, 3, 11, 40, 300, 5000] {
            assert!(Face::of(whole[..length].to_vec()).is_none(), "{length}");
        }
        let mut random = 1u32;
        for _ in 0..60 {
            let mut bytes = whole.to_vec();
            for _ in 0..400 {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let at = random as usize % bytes.len();
                bytes[at] = (random >> 24) as u8;
            }
            let Some(face) = Face::of(bytes) else { continue };
            for glyph in ['A', 'é', 'ж', '♞'].into_iter().filter_map(|letter| face.glyph(letter))
            {
                face.draw(glyph, 20.0, (0.0, 20.0), &mut |_, _, share| {
                    assert!((0.0..=1.0).contains(&share));
                });
            }
        }
    }
}
