//! Dropping what cannot be read from payloads.

use crate::{Frame, FrameLayout, FrameWriter, Frames};
use gametape_wire::{Part, Result, View};

use super::report::Lost;
use crate::dialect::Dialect;
use crate::message::whole_messages;

/// How many losses are listed one by one; the rest is summed up.
const LISTED: usize = 1000;

/// The frames without the unreadable ends of their payloads, and what those were. Frames without
/// such an end stay as they are, byte for byte.
pub(super) fn without_unreadable(
    layout: FrameLayout,
    raw: &[u8],
    dialect: Dialect,
) -> Result<(Vec<u8>, Vec<Lost>)> {
    let mut out = FrameWriter::new(layout);
    let mut lost = Vec::new();
    for (number, frame) in Frames::new(layout, raw).flatten().enumerate() {
        let cuts: Vec<Lost> =
            frame.parts().filter_map(|part| cut(number, &frame, &part, dialect)).collect();
        if cuts.is_empty() {
            out.raw(frame.bytes());
        } else {
            cuts.into_iter().for_each(|cut| note(&mut lost, cut));
            write_readable(&frame, dialect, &mut out)?;
        }
    }
    Ok((out.into_bytes(), lost))
}

/// What is lost of one payload, if anything is.
fn cut(number: usize, frame: &Frame<'_>, part: &Part<'_>, dialect: Dialect) -> Option<Lost> {
    let bytes = (part.payload.len() - readable(part, dialect)) as u64;
    let (number, time, views) = (number as u64, frame.time(), part.views);
    (bytes > 0).then_some(Lost::Payload { number, time, views, bytes })
}

fn readable(part: &Part<'_>, dialect: Dialect) -> usize {
    whole_messages(part.payload, part.payload.len(), dialect)
}

fn note(lost: &mut Vec<Lost>, cut: Lost) {
    if lost.len() < LISTED {
        return lost.push(cut);
    }
    match lost.last_mut() {
        Some(Lost::MorePayloads { count }) => *count += 1,
        _ => lost.push(Lost::MorePayloads { count: 1 }),
    }
}

fn write_readable(frame: &Frame<'_>, dialect: Dialect, out: &mut FrameWriter) -> Result<()> {
    let present = out.layout().views();
    let views: Vec<(View, &[u8])> = frame
        .parts()
        .flat_map(|part| {
            let payload = &part.payload[..readable(&part, dialect)];
            part.views.and(present).iter().map(move |view| (view, payload))
        })
        .collect();
    out.moment(frame.time(), &views, |_, _| 0)?;
    // A frame that is left with nobody keeps its time: the next one counts from there.
    out.idle_until(frame.time())
}
