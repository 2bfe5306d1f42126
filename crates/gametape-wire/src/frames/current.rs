//! The bytes of a frame in the current generation: read and written side by side.

use super::frame::Lengths;
use super::layout::FrameLayout;
use super::pieces::Pieces;
use super::{FrameKind, Head};
use crate::cursor::{Reader, Writer};
use crate::error::Result;
use crate::views::ViewSet;

const HOMOGENOUS: u16 = 0x8000;
const DELTA: u16 = 0x7FFF;
const KEEPALIVE: u16 = 0x7FFF;

/// Reads one frame and leaves the reader behind its payloads.
#[inline]
pub(super) fn read(r: &mut Reader<'_>, layout: FrameLayout) -> Result<Head> {
    let header = r.u16_be("frame header")?;
    let delta = header & DELTA;
    if delta == KEEPALIVE {
        let views = ViewSet::EMPTY;
        return Ok(Head { kind: FrameKind::Keepalive, delta, views, payload_at: 2 });
    }
    let views = read_mask(r, layout)?;
    let lengths_at = 2 + layout.mask_len();
    if header & HOMOGENOUS != 0 {
        let length = r.u8("frame length")?;
        r.take(usize::from(length) + 1, "frame payload")?;
        return Ok(Head { kind: FrameKind::Homogenous, delta, views, payload_at: lengths_at + 1 });
    }
    let count = views.len();
    let total = sum_of_first(count, r.rest()) + count;
    r.take(count, "frame lengths")?;
    r.take(total, "frame payload")?;
    Ok(Head { kind: FrameKind::Heterogenous, delta, views, payload_at: lengths_at + count })
}

/// The payload lengths in a heterogenous frame's head: what stands before its payloads.
#[inline]
pub(super) fn lengths(head: &[u8], layout: FrameLayout) -> Lengths<'_> {
    Lengths { first: None, list: &head[2 + layout.mask_len()..], bias: 1 }
}

/// Was this keepalive written with the top bit set?
pub(super) fn has_top_bit(keepalive: &[u8]) -> bool {
    keepalive[0] & 0x80 != 0
}

pub(super) fn write_keepalive(out: &mut Writer) {
    out.u16_be(KEEPALIVE);
}

pub(super) fn write_homogenous(
    out: &mut Writer,
    layout: FrameLayout,
    delta: u16,
    views: ViewSet,
    payload: &[u8],
) {
    out.u16_be(HOMOGENOUS | delta);
    write_mask(out, layout, views);
    write_length(out, payload);
    out.bytes(payload);
}

pub(super) fn write_heterogenous(
    out: &mut Writer,
    layout: FrameLayout,
    delta: u16,
    pieces: &Pieces<'_>,
) {
    out.u16_be(delta);
    write_mask(out, layout, pieces.views());
    pieces.iter().for_each(|(_, payload)| write_length(out, payload));
    pieces.write_payloads(out);
}

#[inline]
fn read_mask(r: &mut Reader<'_>, layout: FrameLayout) -> Result<ViewSet> {
    let bits = match layout.mask_len() {
        1 => u16::from(r.u8("frame mask")?),
        _ => r.u16_be("frame mask")?,
    };
    Ok(ViewSet::from_bits(bits))
}

fn write_mask(out: &mut Writer, layout: FrameLayout, views: ViewSet) {
    match layout.mask_len() {
        1 => out.u8(views.bits() as u8),
        _ => out.u16_be(views.bits()),
    };
}

/// The caller has made sure that the payload has 1 to 256 bytes.
fn write_length(out: &mut Writer, payload: &[u8]) {
    out.u8((payload.len() - 1) as u8);
}

/// The sum of the first `count` bytes, or of all if there are fewer.
///
/// Eight at once: a loop over a handful of lengths costs much of the time of reading a stream.
#[inline]
fn sum_of_first(count: usize, bytes: &[u8]) -> usize {
    const EVEN: u64 = 0x00FF_00FF_00FF_00FF;
    match bytes.first_chunk::<8>() {
        Some(chunk) if (1..=8).contains(&count) => {
            let kept = u64::from_le_bytes(*chunk) << (64 - 8 * count);
            let pairs = (kept & EVEN) + (kept >> 8 & EVEN);
            // The highest 16 bits of the product are the sum of all four pairs.
            (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as usize
        }
        _ => bytes.iter().take(count).map(|&byte| usize::from(byte)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::sum_of_first;

    #[test]
    fn the_sum_is_the_same_with_and_without_the_shortcut() {
        let bytes: Vec<u8> = (0..16).map(|i| 255 - i * 13).collect();
        for count in 0..=16 {
            let slow: usize = bytes[..count].iter().map(|&b| usize::from(b)).sum();
            assert_eq!(sum_of_first(count, &bytes), slow, "{count} of 16");
            assert_eq!(sum_of_first(count, &bytes[..count]), slow, "{count} of {count}");
        }
        assert_eq!(sum_of_first(8, &[255; 9]), 8 * 255);
        assert_eq!(sum_of_first(8, &[1, 2]), 3);
    }
}
