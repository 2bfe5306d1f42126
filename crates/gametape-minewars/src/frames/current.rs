//! The bytes of a frame in the current generation: read and written side by side.

use super::frame::Lengths;
use super::layout::FrameLayout;
use super::{Begun, FrameKind, Head, LengthOffsets};
use gametape_wire::Reader;
use gametape_wire::Result;
use gametape_wire::ViewSet;

const HOMOGENOUS: u16 = 0x8000;
const DELTA: u16 = 0x7FFF;
pub(super) const KEEPALIVE: u16 = 0x7FFF;

/// Reads one frame and leaves the reader after its payloads.
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

/// The payload lengths in a heterogenous frame's head: what is before its payloads.
#[inline]
pub(super) fn lengths(head: &[u8], layout: FrameLayout) -> Lengths<'_> {
    Lengths { first: None, list: &head[2 + layout.mask_len()..], bias: 1 }
}

/// Was this keepalive written with the top bit set?
pub(super) fn has_top_bit(keepalive: &[u8]) -> bool {
    keepalive[0] & 0x80 != 0
}

/// Writes what is before the payload, but its length.
#[inline]
pub(super) fn begin_homogenous(
    frame: &mut [u8],
    layout: FrameLayout,
    delta: u16,
    views: ViewSet,
) -> Begun {
    let first = write_header(frame, layout, HOMOGENOUS | delta, views);
    Begun { lengths: LengthOffsets::in_a_row(first), payload_at: first + 1 }
}

/// Writes what is before the payloads, but their lengths.
#[inline]
pub(super) fn begin_heterogenous(
    frame: &mut [u8],
    layout: FrameLayout,
    delta: u16,
    views: ViewSet,
) -> Begun {
    let first = write_header(frame, layout, delta, views);
    Begun { lengths: LengthOffsets::in_a_row(first), payload_at: first + views.len() }
}

/// The byte for the length of a payload, which the caller has made sure is 1 to 256.
#[inline]
pub(super) fn length_byte(length: usize) -> u8 {
    length.wrapping_sub(1) as u8
}

#[inline]
fn read_mask(r: &mut Reader<'_>, layout: FrameLayout) -> Result<ViewSet> {
    let bits = match layout.mask_len() {
        1 => u16::from(r.u8("frame mask")?),
        _ => r.u16_be("frame mask")?,
    };
    Ok(ViewSet::from_bits(bits))
}

/// Writes header and mask, and says where they end.
///
/// Four bytes in one step: a mask of one byte is followed by a length, which is written later.
#[inline]
fn write_header(frame: &mut [u8], layout: FrameLayout, header: u16, views: ViewSet) -> usize {
    let mask_len = layout.mask_len();
    let mask = if mask_len == 1 { views.bits() } else { views.bits().swap_bytes() };
    let word = u32::from(header.swap_bytes()) | u32::from(mask) << 16;
    frame[..4].copy_from_slice(&word.to_le_bytes());
    2 + mask_len
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
