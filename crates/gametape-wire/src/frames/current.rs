//! The bytes of a frame in the current generation: read and written side by side.

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
    let (kind, lengths) = if header & HOMOGENOUS != 0 {
        (FrameKind::Homogenous, r.take(1, "frame length")?)
    } else {
        (FrameKind::Heterogenous, r.take(views.len(), "frame lengths")?)
    };
    let total: usize = lengths.iter().map(|&length| usize::from(length) + 1).sum();
    r.take(total, "frame payload")?;
    Ok(Head { kind, delta, views, payload_at: 2 + layout.mask_len() + lengths.len() })
}

/// Length of the `rank`-th payload of a heterogenous frame.
#[inline]
pub(super) fn length(frame: &[u8], layout: FrameLayout, rank: usize) -> usize {
    usize::from(frame[2 + layout.mask_len() + rank]) + 1
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
