//! What holds for every stream, and for any bytes at all.

use gametape_minewars::{Frame, FrameKind, FrameLayout, FrameWriter, Frames};
use gametape_wire::{Result, View};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{any_layout, received, session, view, whole_messages, written};

/// Writes a frame again from what it says about itself.
fn rewritten(layout: FrameLayout, frame: &Frame<'_>) -> Result<Vec<u8>> {
    let mut out = FrameWriter::new(layout);
    match frame.kind() {
        FrameKind::Homogenous => {
            let payload = frame.parts().next().unwrap().payload;
            out.homogenous(frame.delta(), frame.views(), payload)?;
        }
        FrameKind::Heterogenous => {
            let parts: Vec<(View, &[u8])> = frame
                .parts()
                .map(|part| (part.views.iter().next().unwrap(), part.payload))
                .collect();
            out.heterogenous(frame.delta(), &parts)?;
        }
        FrameKind::Keepalive => out.keepalive(),
    }
    Ok(out.into_bytes())
}

/// Bytes that often form whole frames: short payloads, masks of all kinds, keepalives.
fn likely_bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![4 => 0u8..4, 1 => 0x80u8..0x88, 1 => Just(0xFF), 2 => any::<u8>()];
    let piece = prop_oneof![
        6 => vec(byte, 1..20),
        1 => Just(vec![0xFF, 0xFF]),
        1 => Just(vec![0xFF, 0xFF, 0x00, 0x80]),
    ];
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_are_frames_and_a_rest(
        layout in any_layout(),
        bytes in prop_oneof![likely_bytes(), vec(any::<u8>(), 0..300)],
        base in 0u64..1000,
    ) {
        let mut frames = Frames::new(layout, &bytes).at_offset(base);
        let (mut at, mut time) = (0, 0);
        let mut cut = false;
        for frame in frames.by_ref() {
            prop_assert!(!cut, "nothing follows an error");
            match frame {
                Ok(frame) => {
                    time += u64::from(frame.delta());
                    prop_assert_eq!(frame.offset(), base + at as u64);
                    prop_assert_eq!(frame.time(), time);
                    prop_assert!(bytes[at..].starts_with(frame.bytes()));
                    at += frame.bytes().len();
                }
                Err(error) => {
                    let at_byte = (error.offset().unwrap() - base) as usize;
                    prop_assert!((at..=bytes.len()).contains(&at_byte));
                    cut = true;
                }
            }
        }
        prop_assert_eq!(frames.rest(), &bytes[at..]);
        prop_assert_eq!(cut, at < bytes.len());
    }

    #[test]
    fn the_parts_of_a_frame_are_its_payload(layout in any_layout(), bytes in likely_bytes()) {
        for frame in Frames::new(layout, &bytes).map_while(Result::ok) {
            let mut end = None;
            for part in frame.parts() {
                prop_assert!(end.is_none_or(|end| end == part.offset), "parts have no gaps");
                let at = part.offset as usize;
                prop_assert_eq!(&bytes[at..at + part.payload.len()], part.payload);
                prop_assert!(part.views.iter().all(|v| frame.view(v) == Some(part.payload)));
                end = Some(part.offset + part.payload.len() as u64);
            }
            let frame_end = frame.offset() + frame.bytes().len() as u64;
            prop_assert!(end.is_none_or(|end| end == frame_end), "parts end with the frame");
            let named = frame.parts().flat_map(|part| part.views.iter().collect::<Vec<_>>());
            prop_assert!(named.eq(frame.views().iter()));
        }
    }

    /// From bytes to a frame to bytes: the same bytes exactly when the frame is canonical.
    #[test]
    fn canonical_means_written_like_that(layout in any_layout(), bytes in likely_bytes()) {
        for frame in Frames::new(layout, &bytes).map_while(Result::ok) {
            let same = rewritten(layout, &frame).is_ok_and(|bytes| bytes == frame.bytes());
            prop_assert_eq!(frame.is_canonical(), same);
            prop_assert_eq!(frame.is_canonical(), frame.irregularities().next().is_none());
        }
    }

    /// From moments to bytes to moments.
    #[test]
    fn every_view_receives_what_was_written((layout, moments) in session(0)) {
        let bytes = written(layout, &moments, layout.views());
        for number in 0..=layout.max_view().number() {
            let mut time = 0;
            let mut expected: Vec<(u64, Vec<u8>)> = Vec::new();
            for (gap, payloads) in &moments {
                time += gap;
                let payload = payloads.get(&number).cloned().unwrap_or_default();
                match expected.last_mut() {
                    _ if payload.is_empty() => {}
                    Some((last, joined)) if *last == time => joined.extend(payload),
                    _ => expected.push((time, payload)),
                }
            }
            prop_assert_eq!(received(Frames::new(layout, &bytes), view(number)), expected);
        }
    }

    #[test]
    fn what_is_written_is_canonical_and_cut_only_between_messages(
        (layout, moments) in session(0),
    ) {
        let bytes = written(layout, &moments, layout.views());
        for frame in Frames::new(layout, &bytes) {
            let frame = frame.unwrap();
            prop_assert!(frame.is_canonical());
            let payloads: Vec<&[u8]> = frame.parts().map(|part| part.payload).collect();
            let limit = layout.payload_limit();
            prop_assert!(payloads.iter().all(|p| p.len() <= limit && !p.is_empty()));
            prop_assert!(payloads.iter().all(|p| whole_messages(p, limit) == p.len()));
            let equal = payloads.windows(2).all(|pair| pair[0] == pair[1]);
            let homogenous = frame.kind() == FrameKind::Homogenous;
            prop_assert!(frame.kind() == FrameKind::Keepalive || homogenous == equal);
        }
    }
}
