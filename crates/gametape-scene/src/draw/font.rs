//! Letters of pictures.

use super::canvas::{Canvas, Point};
use super::face::Face;
use crate::palette::Colour;

/// How strong letters are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

/// What is drawn instead of a letter that the fonts do not have.
pub(crate) const MISSING: char = '□';

/// Does a character only change how others look?
fn is_invisible(letter: char) -> bool {
    matches!(u32::from(letter), 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F
        | 0xFE00..=0xFE0F | 0xFEFF | 0xE0000..=0xE0FFF)
}

/// The letters of pictures: two strengths of a font, or none at all.
#[derive(Debug, Clone, Default)]
pub struct Fonts {
    faces: Option<(Face, Face)>,
}

impl Fonts {
    /// No letters: texts are not drawn.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// The letters of a TrueType font file, for texts of both strengths; none where it cannot be read.
    #[must_use]
    pub fn of_file(bytes: Vec<u8>) -> Option<Self> {
        let face = Face::of(bytes)?;
        Some(Self { faces: Some((face.clone(), face)) })
    }

    /// The letters that come with Gametape.
    #[cfg(feature = "png")]
    #[must_use]
    pub fn own() -> Self {
        // Reading them takes longer than drawing a letter: they are read once.
        static OWN: std::sync::LazyLock<Fonts> = std::sync::LazyLock::new(|| Fonts {
            faces: Face::of_static(dejavu::sans::regular())
                .zip(Face::of_static(dejavu::sans::bold())),
        });
        OWN.clone()
    }

    fn of(&self, weight: Weight) -> Option<&Face> {
        let (regular, bold) = self.faces.as_ref()?;
        Some(match weight {
            Weight::Regular => regular,
            Weight::Bold => bold,
        })
    }

    /// Pixels that a text takes; `size` is about the height of a line.
    pub(crate) fn width(&self, text: &str, weight: Weight, size: f32) -> f32 {
        let Some(font) = self.of(weight) else { return 0.0 };
        self.letters(text).map(|letter| advance(font, letter, size)).sum()
    }

    /// The text, or as much of its start as there is room for.
    #[cfg(any(feature = "film", feature = "png"))]
    pub(crate) fn fitted(&self, text: &str, weight: Weight, size: f32, room: f32) -> String {
        let Some(font) = self.of(weight) else { return String::new() };
        let dots = advance(font, '…', size);
        let (mut used, mut fits) = (0.0, 0);
        for (count, letter) in self.letters(text).enumerate() {
            used += advance(font, letter, size);
            if used > room {
                return self.letters(text).take(fits).chain(['…']).collect();
            }
            if used + dots <= room {
                fits = count + 1;
            }
        }
        self.letters(text).collect()
    }

    /// The letters of a text: a box for those that the fonts do not have.
    fn letters<'t>(&'t self, text: &'t str) -> impl Iterator<Item = char> + 't {
        text.chars().filter_map(|letter| match letter {
            _ if letter.is_control() => Some(' '),
            _ if self.has(letter) => Some(letter),
            _ => (!is_invisible(letter)).then_some(MISSING),
        })
    }

    fn has(&self, letter: char) -> bool {
        self.of(Weight::Regular).is_some_and(|font| font.glyph(letter).is_some())
    }

    /// The letters of a text that are drawn as boxes.
    #[cfg(feature = "png")]
    pub(crate) fn missing<'t>(&'t self, text: &'t str) -> impl Iterator<Item = char> + 't {
        let is_shown = |letter: &char| !letter.is_control() && !is_invisible(*letter);
        text.chars().filter(is_shown).filter(|letter| !self.has(*letter))
    }

    /// Writes a line of text with its upper left corner at `at`.
    pub(crate) fn write(
        &self,
        canvas: &mut Canvas,
        text: &str,
        weight: Weight,
        size: f32,
        at: Point,
        colour: Colour,
    ) {
        let Some(font) = self.of(weight) else { return };
        let (mut x, baseline) = (at.0, at.1 + font.ascent(size));
        for letter in self.letters(text) {
            let Some(glyph) = font.glyph(letter) else { continue };
            font.draw(glyph, size, (x, baseline), &mut |x, y, share| {
                canvas.blend(x, y, colour, share);
            });
            x += font.advance(glyph, size);
        }
    }

    /// Writes a text around a centre.
    pub(crate) fn write_around(
        &self,
        canvas: &mut Canvas,
        text: &str,
        weight: Weight,
        size: f32,
        centre: Point,
        colour: Colour,
    ) {
        let Some(font) = self.of(weight) else { return };
        let (width, ascent) = (self.width(text, weight, size), font.ascent(size));
        // Capital letters and digits are about 0.73 of the ascent high.
        let top = centre.1 - ascent + ascent * 0.39;
        self.write(canvas, text, weight, size, (centre.0 - width / 2.0, top), colour);
    }

    /// Writes a text with a dark rim, readable on any ground.
    pub(crate) fn write_rimmed(
        &self,
        canvas: &mut Canvas,
        text: &str,
        size: f32,
        at: Point,
        colours: (Colour, Colour),
    ) {
        let steps = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];
        // A rim wider than the strokes of a letter would have holes in it.
        let reach = (size / 14.0).clamp(1.0, 2.5);
        for (dx, dy) in steps.map(|(dx, dy)| (dx as f32 * reach, dy as f32 * reach)) {
            self.write(canvas, text, Weight::Bold, size, (at.0 + dx, at.1 + dy), colours.1);
        }
        self.write(canvas, text, Weight::Bold, size, at, colours.0);
    }
}

fn advance(font: &Face, letter: char, size: f32) -> f32 {
    font.glyph(letter).map_or(0.0, |glyph| font.advance(glyph, size))
}

#[cfg(all(test, feature = "png"))]
mod tests {
    use super::*;

    #[test]
    fn letters_that_the_font_lacks_are_boxes() {
        let fonts = Fonts::own();
        let drawn = |text| fonts.letters(text).collect::<String>();
        assert_eq!(drawn("Chloé Борис"), "Chloé Борис");
        assert_eq!(drawn("Chen 陈\u{E0101}"), "Chen □");
        assert_eq!(fonts.missing("Chen 陈 Борис\u{E0101}\n").collect::<String>(), "陈");
        assert!(fonts.has(MISSING) && fonts.of(Weight::Bold).unwrap().glyph(MISSING).is_some());
    }
}
