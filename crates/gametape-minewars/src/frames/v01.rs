//! The bytes of a frame in v0.1: read and written side by side.

use super::frame::Lengths;
use super::{Begun, FrameKind, Head, LengthOffsets};
use gametape_wire::Reader;
use gametape_wire::Result;
use gametape_wire::{View, ViewSet};

const HOMOGENOUS: u8 = 0x80;
const PLAYERS: u8 = 0x7E;
const SPECTATOR: u8 = 0x01;
pub(super) const KEEPALIVE: [u8; 4] = [0xFF, 0xFF, 0, HOMOGENOUS];

/// Where a heterogenous frame keeps its spectator length and the first player's length.
const SPECTATOR_LENGTH: usize = 2;
const MASK: usize = 3;
const PLAYER_LENGTHS: usize = 4;

/// Reads one frame and leaves the reader after its payloads.
#[inline]
pub(super) fn read(r: &mut Reader<'_>) -> Result<Head> {
    let header: [u8; 4] = r.array("frame header")?;
    let [high, low, length, mask] = header;
    let delta = u16::from_be_bytes([high, low]);
    if mask & HOMOGENOUS != 0 {
        r.take(usize::from(length), "frame payload")?;
        let keepalive = header == KEEPALIVE;
        let kind = if keepalive { FrameKind::Keepalive } else { FrameKind::Homogenous };
        let views = ViewSet::from_bits(u16::from(mask & !HOMOGENOUS));
        return Ok(Head { kind, delta, views, payload_at: header.len() });
    }
    let players = ViewSet::from_bits(u16::from(mask & PLAYERS));
    let lengths = r.take(players.len(), "frame lengths")?;
    let total = lengths.iter().fold(usize::from(length), |sum, &n| sum + usize::from(n));
    r.take(total, "frame payload")?;
    // The length decides about the spectator, not the mask: only it says where bytes are.
    let views = if length > 0 { players.with(View::SPECTATOR) } else { players };
    let payload_at = header.len() + lengths.len();
    Ok(Head { kind: FrameKind::Heterogenous, delta, views, payload_at })
}

/// The payload lengths in a heterogenous frame's head: what is before its payloads.
#[inline]
pub(super) fn lengths(head: &[u8]) -> Lengths<'_> {
    let spectator = usize::from(head[SPECTATOR_LENGTH]);
    let first = (spectator > 0).then_some(spectator);
    Lengths { first, list: &head[PLAYER_LENGTHS..], bias: 0 }
}

/// Bit 0 and the spectator length of a heterogenous frame, where they disagree.
pub(super) fn spectator_disagreement(frame: &[u8]) -> Option<(bool, u8)> {
    let (bit, length) = (frame[MASK] & SPECTATOR != 0, frame[SPECTATOR_LENGTH]);
    (bit != (length > 0)).then_some((bit, length))
}

/// Writes what is before the payload, but its length.
#[inline]
pub(super) fn begin_homogenous(frame: &mut [u8], delta: u16, views: ViewSet) -> Begun {
    write_header(frame, delta, HOMOGENOUS | views.bits() as u8);
    Begun { lengths: LengthOffsets::in_a_row(SPECTATOR_LENGTH), payload_at: PLAYER_LENGTHS }
}

/// Writes what is before the payloads, but their lengths.
#[inline]
pub(super) fn begin_heterogenous(frame: &mut [u8], delta: u16, views: ViewSet) -> Begun {
    write_header(frame, delta, views.bits() as u8);
    let players = views.without(ViewSet::EMPTY.with(View::SPECTATOR));
    let lengths = if views.contains(View::SPECTATOR) {
        LengthOffsets { next: SPECTATOR_LENGTH, gap: PLAYER_LENGTHS - SPECTATOR_LENGTH - 1 }
    } else {
        LengthOffsets::in_a_row(PLAYER_LENGTHS)
    };
    Begun { lengths, payload_at: PLAYER_LENGTHS + players.len() }
}

/// Is the length of the spectator's payload 0 in a heterogenous frame with these views, of which it is one? That says that
/// the spectator takes no part.
pub(super) fn lacks_spectator(frame: &[u8], views: ViewSet) -> bool {
    views.contains(View::SPECTATOR) && frame[SPECTATOR_LENGTH] == 0
}

/// The byte for the length of a payload, which the caller has made sure is at most 255.
#[inline]
pub(super) fn length_byte(length: usize) -> u8 {
    length as u8
}

/// Writes the header with a length of 0 in it.
#[inline]
fn write_header(frame: &mut [u8], delta: u16, mask: u8) {
    let [high, low] = delta.to_be_bytes();
    frame[..4].copy_from_slice(&[high, low, 0, mask]);
}
