//! Dropping what cannot be read from payloads, and what breaks a rule.

use std::borrow::Cow;

use crate::{Frame, FrameLayout, FrameWriter, Frames};
use gametape_wire::{Part, Result, View};

use super::report::Lost;
use crate::verify::Soundness;

/// How many losses are listed one by one; the rest is summed up.
const LISTED: usize = 1000;

/// The frames without messages that break a rule, without the unreadable ends of their payloads and
/// without views that are not there; and what those were. Other frames stay as they are, byte for byte.
pub(super) fn without_unsound(
    layout: FrameLayout,
    raw: &[u8],
    soundness: &Soundness,
) -> Result<(Vec<u8>, Vec<Lost>)> {
    let mut out = FrameWriter::new(layout);
    let mut lost = Vec::new();
    for (number, frame) in Frames::new(layout, raw).flatten().enumerate() {
        let cuts: Vec<Lost> = frame
            .parts()
            .filter_map(|part| cut(number, &frame, &part, soundness, layout))
            .collect();
        if cuts.is_empty() && Soundness::is_frame_sound(&frame) {
            out.raw(frame.bytes());
        } else {
            cuts.into_iter().for_each(|cut| note(&mut lost, cut));
            write_sound(&frame, soundness, &mut out)?;
        }
    }
    Ok((out.into_bytes(), lost))
}

/// What is lost of one payload, if anything is.
fn cut(
    number: usize,
    frame: &Frame<'_>,
    part: &Part<'_>,
    soundness: &Soundness,
    layout: FrameLayout,
) -> Option<Lost> {
    let dropped = part.payload.len() - soundness.messages(part.payload).len();
    let absent = part.views.without(layout.views());
    let (views, bytes) = match dropped {
        0 if !absent.is_empty() => (absent, part.payload.len()),
        _ => (part.views, dropped),
    };
    let (number, time, bytes) = (number as u64, frame.time(), bytes as u64);
    (bytes > 0).then_some(Lost::Payload { number, time, views, bytes })
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

fn write_sound(frame: &Frame<'_>, soundness: &Soundness, out: &mut FrameWriter) -> Result<()> {
    let present = out.layout().views();
    let parts: Vec<(Part<'_>, Cow<'_, [u8]>)> =
        frame.parts().map(|part| (part, soundness.messages(part.payload))).collect();
    let views: Vec<(View, &[u8])> = parts
        .iter()
        .flat_map(|(part, payload)| {
            part.views.and(present).iter().map(move |view| (view, &payload[..]))
        })
        .collect();
    out.moment(frame.time(), &views, |_, _| 0)?;
    // A frame that is left with nobody keeps its time: the next one counts from there.
    out.idle_until(frame.time())
}
