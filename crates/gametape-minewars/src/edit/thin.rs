//! A recording without the messages that are fine to miss; normative text: `spec/live.md`, section 12.

use gametape_wire::{Result, View};

use crate::dialect::Dialect;
use crate::message::{Class, Messages};
use crate::{Frame, FrameLayout, FrameWriter, Frames};

/// The messages of a payload but those of class Unreliable, as they were written, and how many were left
/// out; `None` where there are none. The end of a payload that cannot be read stays.
///
/// ```
/// use gametape_minewars::{Dialect, without_unreliable};
///
/// // A tremor, and the money of city 1.
/// let payload = [0x01, 0x04, 1, 0, 0, 0, 9];
/// assert_eq!(without_unreliable(&payload, Dialect::Current), Some((vec![0x01], 1)));
/// assert_eq!(without_unreliable(&payload[..1], Dialect::Current), None);
/// ```
#[must_use]
pub fn without_unreliable(payload: &[u8], dialect: Dialect) -> Option<(Vec<u8>, u64)> {
    let mut kept = Vec::with_capacity(payload.len());
    let mut left_out = 0;
    let mut messages = Messages::new(payload, 0, dialect);
    let read = messages.visit_dyn(&mut |message, bytes| match message.class() {
        Class::Unreliable => left_out += 1,
        _ => kept.extend_from_slice(bytes),
    });
    if read.is_err() {
        kept.extend_from_slice(messages.rest());
    }
    (left_out > 0).then_some((kept, left_out))
}

/// Frames without messages of class Unreliable, and how many were left out. A frame that has none stays byte
/// for byte, and one that is left with nothing keeps its time.
pub fn thin_frames(layout: FrameLayout, bytes: &[u8], dialect: Dialect) -> Result<(Vec<u8>, u64)> {
    let mut out = FrameWriter::new(layout);
    let mut left_out = 0;
    let mut frames = Frames::new(layout, bytes);
    for frame in frames.by_ref().map_while(Result::ok) {
        left_out += thin_frame(&frame, dialect, &mut out)?;
    }
    out.raw(frames.rest());
    Ok((out.into_bytes(), left_out))
}

fn thin_frame(frame: &Frame<'_>, dialect: Dialect, out: &mut FrameWriter) -> Result<u64> {
    let thinned: Vec<_> =
        frame.parts().map(|part| (part, without_unreliable(part.payload, dialect))).collect();
    let left_out: u64 = thinned.iter().filter_map(|(_, thin)| Some(thin.as_ref()?.1)).sum();
    if left_out == 0 {
        out.raw(frame.bytes());
        return Ok(0);
    }
    let there = out.layout().views();
    let views: Vec<(View, &[u8])> = thinned
        .iter()
        .flat_map(|(part, thin)| {
            let payload = thin.as_ref().map_or(part.payload, |(kept, _)| kept);
            part.views.and(there).iter().map(move |view| (view, payload))
        })
        .collect();
    // What is left of a payload is never too long for a frame.
    out.moment(frame.time(), &views, |_, _| 0)?;
    out.idle_until(frame.time())?;
    Ok(left_out)
}
