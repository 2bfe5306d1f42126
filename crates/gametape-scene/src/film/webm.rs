//! WebM files: AV1 pictures in a Matroska container.

use std::fmt;

use gametape_wire::{Error, Result};
use rav1e::prelude::*;

/// The encoder's trade of time for size, 0 to 10, the fastest.
const SPEED: u8 = 10;
/// How coarse pictures are, 0 to 255.
const QUANTIZER: usize = 70;
/// At least one picture in this many seconds needs no other, so that players can seek.
const KEY_SECONDS: u64 = 4;

/// A WebM file while it is made.
pub struct Webm {
    context: Context<u8>,
    size: (usize, usize),
    fps: u32,
    blocks: Vec<Block>,
}

/// An encoded picture.
struct Block {
    number: u64,
    is_key: bool,
    bytes: Vec<u8>,
}

impl fmt::Debug for Webm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webm").field("size", &self.size).finish_non_exhaustive()
    }
}

fn failed(problem: impl fmt::Display) -> Error {
    Error::misuse("WebM", problem.to_string())
}

impl Webm {
    /// A file of pictures of this size, of which odd last columns and rows are left out.
    pub fn new((width, height): (u32, u32), fps: u32) -> Result<Self> {
        let size = ((width & !1) as usize, (height & !1) as usize);
        let mut encoder = EncoderConfig::with_speed_preset(SPEED);
        (encoder.width, encoder.height) = size;
        encoder.time_base = Rational::new(1, fps.max(1).into());
        encoder.quantizer = QUANTIZER;
        encoder.low_latency = true;
        encoder.max_key_frame_interval = u64::from(fps.max(1)) * KEY_SECONDS;
        encoder.color_description = Some(ColorDescription {
            color_primaries: ColorPrimaries::BT709,
            transfer_characteristics: TransferCharacteristics::BT709,
            matrix_coefficients: MatrixCoefficients::BT709,
        });
        let config = Config::new().with_encoder_config(encoder);
        let context = config.new_context().map_err(failed)?;
        Ok(Self { context, size, fps: fps.max(1), blocks: Vec::new() })
    }

    /// The next picture: red, green, blue, alpha by row.
    pub fn add(&mut self, pixels: &[u8]) -> Result<()> {
        let (width, height) = self.size;
        let row = pixels.len() / 4 / height.max(1);
        let mut frame = self.context.new_frame();
        let planes = planes(pixels.as_chunks::<4>().0, row, (width, height));
        for ((plane, values), width) in
            frame.planes.iter_mut().zip(&planes).zip([width, width / 2, width / 2])
        {
            plane.copy_from_raw_u8(values, width, 1);
        }
        self.context.send_frame(frame).map_err(failed)?;
        self.receive()
    }

    fn receive(&mut self) -> Result<()> {
        loop {
            match self.context.receive_packet() {
                Ok(packet) => self.blocks.push(Block {
                    number: packet.input_frameno,
                    is_key: packet.frame_type == FrameType::KEY,
                    bytes: without_delimiter(packet.data),
                }),
                Err(EncoderStatus::Encoded) => {}
                Err(EncoderStatus::NeedMoreData | EncoderStatus::LimitReached) => return Ok(()),
                Err(problem) => return Err(failed(problem)),
            }
        }
    }

    /// The file.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        self.context.flush();
        self.receive()?;
        let about = self.context.container_sequence_header();
        let frames = self.blocks.len() as u64;
        let duration = frames as f64 * 1000.0 / f64::from(self.fps);
        let segment = [info(duration), tracks(self.size, self.fps, &about), self.clusters()];
        Ok([header(), element(0x1853_8067, &segment.concat())].concat())
    }

    /// Groups of pictures, each beginning with one that needs no other.
    fn clusters(&self) -> Vec<u8> {
        let time = |number: u64| number * 1000 / u64::from(self.fps);
        let mut out = Vec::new();
        for group in self.blocks.chunk_by(|_, next| !next.is_key) {
            let Some(first) = group.first() else { continue };
            let mut cluster = number(0xE7, time(first.number));
            for block in group {
                let since = (time(block.number) - time(first.number)) as u16;
                let [high, low] = since.to_be_bytes();
                let flags = if block.is_key { 0x80 } else { 0 };
                let simple = [&[0x81, high, low, flags][..], &block.bytes].concat();
                cluster.extend(element(0xA3, &simple));
            }
            out.extend(element(0x1F43_B675, &cluster));
        }
        out
    }
}

/// A picture as the container has it: without the mark of its begin.
fn without_delimiter(bytes: Vec<u8>) -> Vec<u8> {
    match bytes.strip_prefix(&[0x12, 0x00]) {
        Some(rest) => rest.to_vec(),
        None => bytes,
    }
}

/// Brightness of each pixel, and two colours of each square of four, by BT.709 in the range of video.
fn planes(pixels: &[[u8; 4]], row: usize, (width, height): (usize, usize)) -> [Vec<u8>; 3] {
    let at = |x: usize, y: usize| {
        let [r, g, b, _] = pixels.get(y * row + x).copied().unwrap_or_default();
        [r, g, b].map(f32::from)
    };
    let mut planes = [Vec::new(), Vec::new(), Vec::new()];
    for y in 0..height {
        for x in 0..width {
            let [r, g, b] = at(x, y);
            planes[0].push((16.5 + 0.1826 * r + 0.6142 * g + 0.0620 * b) as u8);
        }
    }
    for y in (0..height).step_by(2) {
        for x in (0..width).step_by(2) {
            let four = [at(x, y), at(x + 1, y), at(x, y + 1), at(x + 1, y + 1)];
            let mean = |part: usize| four.iter().map(|pixel| pixel[part]).sum::<f32>() / 4.0;
            let [r, g, b] = [mean(0), mean(1), mean(2)];
            planes[1].push((128.5 - 0.1006 * r - 0.3386 * g + 0.4392 * b) as u8);
            planes[2].push((128.5 + 0.4392 * r - 0.3989 * g - 0.0403 * b) as u8);
        }
    }
    planes
}

/// An element of the container: its id, its length, its bytes.
fn element(id: u32, bytes: &[u8]) -> Vec<u8> {
    let id = id.to_be_bytes();
    let id = &id[id.iter().take_while(|byte| **byte == 0).count()..];
    // Lengths are written with eight bytes, of which the first says so.
    let length = (bytes.len() as u64 | 1 << 56).to_be_bytes();
    [id, &length, bytes].concat()
}

fn number(id: u32, value: u64) -> Vec<u8> {
    element(id, &value.to_be_bytes())
}

fn header() -> Vec<u8> {
    let parts = [
        number(0x4286, 1),
        number(0x42F7, 1),
        number(0x42F2, 4),
        number(0x42F3, 8),
        element(0x4282, b"webm"),
        number(0x4287, 4),
        number(0x4285, 2),
    ];
    element(0x1A45_DFA3, &parts.concat())
}

fn info(duration: f64) -> Vec<u8> {
    let parts = [
        number(0x2A_D7B1, 1_000_000),
        element(0x4489, &duration.to_be_bytes()),
        element(0x4D80, b"gametape"),
        element(0x5741, b"gametape"),
    ];
    element(0x1549_A966, &parts.concat())
}

fn tracks((width, height): (usize, usize), fps: u32, about: &[u8]) -> Vec<u8> {
    let video = [number(0xB0, width as u64), number(0xBA, height as u64)].concat();
    let track = [
        number(0xD7, 1),
        number(0x73C5, 1),
        number(0x83, 1),
        number(0x9C, 0),
        number(0x23_E383, 1_000_000_000 / u64::from(fps)),
        element(0x86, b"V_AV1"),
        element(0x63A2, about),
        element(0xE0, &video),
    ];
    element(0x1654_AE6B, &element(0xAE, &track.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_their_ids_and_lengths() {
        assert_eq!(element(0xE7, &[5]), [0xE7, 1, 0, 0, 0, 0, 0, 0, 1, 5]);
        assert_eq!(element(0x1A45_DFA3, &[])[..4], [0x1A, 0x45, 0xDF, 0xA3]);
    }

    #[test]
    fn grey_has_no_colour_and_white_is_bright() {
        let [y, u, v] = planes(&[[255; 4]; 4], 2, (2, 2));
        assert_eq!((y, u, v), (vec![235; 4], vec![128], vec![128]));
        let [y, _, v] = planes(&[[255, 0, 0, 255]; 4], 2, (2, 2));
        assert_eq!((y[0], v[0]), (63, 240));
    }

    #[test]
    fn a_file_has_a_block_for_each_picture() {
        let mut webm = Webm::new((64, 64), 10).unwrap();
        for step in 0..5u8 {
            webm.add(&[[step * 40, 20, 60, 255]; 64 * 64].concat()).unwrap();
        }
        let file = webm.finish().unwrap();
        assert!(file.windows(5).any(|bytes| bytes == b"V_AV1"));
        assert!(file.starts_with(&[0x1A, 0x45, 0xDF, 0xA3]) && file.len() > 300);
    }
}
