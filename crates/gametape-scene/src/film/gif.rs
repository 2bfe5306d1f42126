//! GIF files: colours that are chosen once, and of each picture only what is different from the one before.

use std::collections::HashMap;
use std::fmt;

use gametape_wire::{Error, Result};
use gif::{DisposalMethod, Encoder, Frame, Repeat};

/// The number that says that a pixel is as before.
const SAME: u8 = 255;
/// This number of the most frequent colours are shown as they are.
const FREQUENT: usize = 96;
/// A colour that is nearer than this to a chosen one is shown as that one, while there are others: the second number is
/// used where there is still room, then the third.
const NEAR: [u32; 3] = [40 * 40, 14 * 14, 0];

/// The colours of some pictures, and how often they occur.
#[derive(Debug, Default)]
pub struct Swatches(HashMap<[u8; 3], u32>);

impl Swatches {
    /// Counts the colours of a picture: red, green, blue, alpha of each pixel.
    pub fn add(&mut self, pixels: &[u8]) {
        for pixel in pixels.as_chunks::<4>().0 {
            *self.0.entry([pixel[0], pixel[1], pixel[2]]).or_default() += 1;
        }
    }

    /// The colours to draw with, at most 255: the most frequent ones, then those that are far from them.
    fn chosen(&self) -> Vec<[u8; 3]> {
        let mut all: Vec<(u32, [u8; 3])> =
            self.0.iter().map(|(colour, count)| (*count, *colour)).collect();
        all.sort_unstable_by(|a, b| b.cmp(a));
        let frequent = all.iter().take(FREQUENT);
        let mut chosen: Vec<[u8; 3]> = frequent.map(|(_, colour)| *colour).collect();
        for nearest in NEAR {
            for (_, colour) in &all {
                if chosen.len() >= usize::from(SAME) {
                    return chosen;
                }
                if chosen.iter().all(|other| apart(*other, *colour) > nearest) {
                    chosen.push(*colour);
                }
            }
        }
        chosen
    }
}

/// How different two colours look: green counts most.
fn apart(a: [u8; 3], b: [u8; 3]) -> u32 {
    let [r, g, bl] = [0, 1, 2].map(|part| u32::from(a[part].abs_diff(b[part])));
    (r * r * 3 + g * g * 5 + bl * bl * 2) / 3
}

/// A GIF file while it is made.
pub struct Gif {
    encoder: Encoder<Vec<u8>>,
    size: (u16, u16),
    fps: u32,
    colours: Vec<[u8; 3]>,
    /// The numbers of colours that were looked up.
    known: HashMap<[u8; 3], u8>,
    /// The last picture.
    last: Vec<u8>,
    /// What is written once it is known how long it is shown.
    waiting: Option<Frame<'static>>,
    frames: u32,
}

impl fmt::Debug for Gif {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gif").field("size", &self.size).field("frames", &self.frames).finish()
    }
}

fn failed(problem: &gif::EncodingError) -> Error {
    Error::misuse("GIF", problem.to_string())
}

impl Gif {
    /// A file of pictures of this size, with some of these colours, which repeats.
    pub fn new((width, height): (u32, u32), fps: u32, swatches: &Swatches) -> Result<Self> {
        let (Ok(width), Ok(height)) = (u16::try_from(width), u16::try_from(height)) else {
            return Err(Error::misuse("GIF", "a side has 65,535 pixels at most"));
        };
        let colours = swatches.chosen();
        let palette: Vec<u8> =
            colours.iter().copied().flatten().chain([0; 3]).take(3 * 256).collect();
        let made = Encoder::new(Vec::new(), width, height, &palette);
        let mut encoder = made.map_err(|problem| failed(&problem))?;
        encoder.set_repeat(Repeat::Infinite).map_err(|problem| failed(&problem))?;
        let (size, last) = ((width, height), Vec::new());
        let known = HashMap::new();
        Ok(Self { encoder, size, fps: fps.max(1), colours, known, last, waiting: None, frames: 0 })
    }

    /// The next picture: red, green, blue, alpha by row.
    pub fn add(&mut self, pixels: &[u8]) -> Result<()> {
        // Times are in hundredths of a second: rounded so that they add up.
        let time = |frame: u32| (u64::from(frame) * 100 / u64::from(self.fps)) as u16;
        let delay = time(self.frames + 1).wrapping_sub(time(self.frames));
        self.frames += 1;
        match self.difference(pixels) {
            None => {
                if let Some(waiting) = &mut self.waiting {
                    waiting.delay = waiting.delay.saturating_add(delay);
                }
            }
            Some(mut frame) => {
                frame.delay = delay;
                self.write()?;
                self.waiting = Some(frame);
            }
        }
        self.last.clear();
        self.last.extend_from_slice(pixels);
        Ok(())
    }

    /// The file.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        self.write()?;
        self.encoder.into_inner().map_err(|problem| Error::misuse("GIF", problem.to_string()))
    }

    fn write(&mut self) -> Result<()> {
        match self.waiting.take() {
            Some(frame) => self.encoder.write_frame(&frame).map_err(|problem| failed(&problem)),
            None => Ok(()),
        }
    }

    /// What is different from the last picture: the smallest rectangle, in which pixels that are the same are marked.
    fn difference(&mut self, pixels: &[u8]) -> Option<Frame<'static>> {
        let width = usize::from(self.size.0);
        let (now, _) = pixels.as_chunks::<4>();
        let last = std::mem::take(&mut self.last);
        let (before, _) = last.as_chunks::<4>();
        let differs = |index: usize| before.get(index) != now.get(index);
        let rows = |row: usize| (row * width..(row + 1) * width).any(differs);
        let height = now.len() / width.max(1);
        let top = (0..height).find(|row| rows(*row));
        let bottom = (0..height).rev().find(|row| rows(*row));
        let found = top.zip(bottom).map(|(top, bottom)| {
            let in_column = |column: usize| (top..=bottom).any(|row| differs(row * width + column));
            let left = (0..width).find(|column| in_column(*column)).unwrap_or(0);
            let right = (0..width).rev().find(|column| in_column(*column)).unwrap_or(0);
            let mut buffer = Vec::with_capacity((bottom - top + 1) * (right - left + 1));
            for row in top..=bottom {
                for index in row * width + left..=row * width + right {
                    let Some([r, g, b, _]) = now.get(index) else { continue };
                    buffer.push(if differs(index) { self.number([*r, *g, *b]) } else { SAME });
                }
            }
            Frame {
                left: left as u16,
                top: top as u16,
                width: (right - left + 1) as u16,
                height: (bottom - top + 1) as u16,
                dispose: DisposalMethod::Keep,
                transparent: Some(SAME),
                buffer: buffer.into(),
                ..Frame::default()
            }
        });
        self.last = last;
        found
    }

    /// The number of the chosen colour that is nearest.
    fn number(&mut self, colour: [u8; 3]) -> u8 {
        if let Some(number) = self.known.get(&colour) {
            return *number;
        }
        let near = |(_, other): &(u8, &[u8; 3])| apart(**other, colour);
        let nearest = (0..=254).zip(&self.colours).min_by_key(near).map_or(0, |(number, _)| number);
        self.known.insert(colour, nearest);
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pictures of a file as they are shown, with the hundredths of a second for which each is.
    fn shown(file: &[u8]) -> Vec<(u16, Vec<[u8; 3]>)> {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(file).unwrap();
        let width = usize::from(decoder.width());
        let mut screen = vec![[0; 3]; width * usize::from(decoder.height())];
        let mut all = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            for (index, pixel) in frame.buffer.as_chunks::<4>().0.iter().enumerate() {
                let (row, column) =
                    (index / usize::from(frame.width), index % usize::from(frame.width));
                let at = (row + usize::from(frame.top)) * width + column + usize::from(frame.left);
                if pixel[3] != 0 {
                    screen[at] = [pixel[0], pixel[1], pixel[2]];
                }
            }
            all.push((frame.delay, screen.clone()));
        }
        all
    }

    fn picture(dot: usize) -> Vec<u8> {
        let pixel =
            |at: usize| if at == dot { [255, 0, 0, 255] } else { [at as u8 * 4, 9, 20, 255] };
        (0..60).flat_map(pixel).collect()
    }

    #[test]
    fn what_is_shown_is_what_was_drawn_and_pictures_that_are_the_same_last_longer() {
        let mut swatches = Swatches::default();
        [3, 50].iter().for_each(|dot| swatches.add(&picture(*dot)));
        let mut gif = Gif::new((10, 6), 30, &swatches).unwrap();
        for dot in [3, 3, 3, 17, 50] {
            gif.add(&picture(dot)).unwrap();
        }
        let shown = shown(&gif.finish().unwrap());
        assert_eq!(shown.iter().map(|(delay, _)| *delay).collect::<Vec<_>>(), [10, 3, 3]);
        for ((_, screen), dot) in shown.iter().zip([3, 17, 50]) {
            let wanted: Vec<[u8; 3]> =
                picture(dot).as_chunks::<4>().0.iter().map(|p| [p[0], p[1], p[2]]).collect();
            assert_eq!(*screen, wanted, "{dot}");
        }
    }

    #[test]
    fn of_many_colours_the_nearest_is_shown() {
        let pixels: Vec<u8> = (0..64 * 64u32)
            .flat_map(|at| [(at % 64 * 4) as u8, (at / 64 * 4) as u8, 0, 255])
            .collect();
        let mut swatches = Swatches::default();
        swatches.add(&pixels);
        assert_eq!(swatches.chosen().len(), 255);
        let mut gif = Gif::new((64, 64), 10, &swatches).unwrap();
        gif.add(&pixels).unwrap();
        let shown = shown(&gif.finish().unwrap());
        for (found, wanted) in shown[0].1.iter().zip(pixels.as_chunks::<4>().0) {
            assert!(apart(*found, [wanted[0], wanted[1], wanted[2]]) <= NEAR[0]);
        }
    }
}
