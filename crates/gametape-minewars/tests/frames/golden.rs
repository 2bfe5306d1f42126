//! The worked examples of `spec/frames.md`, byte by byte.

use crate::support::{layout, received, view};
use gametape_minewars::{
    Frame, FrameKind, FrameLayout, FrameWriter, Frames, Generation, Irregularity,
};
use gametape_wire::{ErrorClass, ViewSet};

use FrameKind::{Heterogenous, Homogenous, Keepalive};
use Generation::{Current, V01};

fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

fn views(numbers: &[u8]) -> ViewSet {
    numbers.iter().map(|&number| view(number)).collect()
}

/// The only frame in `bytes`.
fn single(layout: FrameLayout, bytes: &[u8]) -> Frame<'_> {
    let mut frames = Frames::new(layout, bytes);
    let frame = frames.next().unwrap().unwrap();
    assert_eq!(frames.next(), None);
    assert_eq!(frame.bytes(), bytes);
    frame
}

/// A frame as the specification describes it: (views, payload) for each part.
type Described<'a> = (FrameKind, u32, &'a [(&'a [u8], &'a [u8])]);

/// Writes a frame from its description.
fn write(layout: FrameLayout, (kind, delta, parts): Described<'_>) -> Vec<u8> {
    let mut out = FrameWriter::new(layout);
    match kind {
        Homogenous => out.homogenous(delta, views(parts[0].0), parts[0].1).unwrap(),
        Heterogenous => {
            let parts: Vec<_> = parts.iter().map(|(v, bytes)| (view(v[0]), *bytes)).collect();
            out.heterogenous(delta, &parts).unwrap();
        }
        Keepalive => out.keepalive(),
    }
    assert_eq!(out.time(), u64::from(delta));
    out.into_bytes()
}

/// Checks that a frame reads as described.
fn assert_reads(layout: FrameLayout, bytes: &[u8], (kind, delta, parts): Described<'_>) {
    let frame = single(layout, bytes);
    assert_eq!((frame.kind(), frame.delta(), frame.time()), (kind, delta, delta.into()));
    let read: Vec<_> = frame.parts().map(|part| (part.views, part.payload)).collect();
    let described: Vec<_> = parts.iter().map(|&(v, payload)| (views(v), payload)).collect();
    assert_eq!(read, described);
    for part in frame.parts() {
        let at = part.offset as usize;
        assert_eq!(&bytes[at..at + part.payload.len()], part.payload);
    }
    for &(numbers, payload) in parts {
        assert!(numbers.iter().all(|&number| frame.view(view(number)) == Some(payload)));
    }
    assert_eq!(frame.view(view(15)), None);
}

#[test]
fn canonical_frames_read_and_write_as_specified() {
    let cases: &[(Generation, u8, &str, Described<'_>)] = &[
        (
            Current,
            3,
            "80 C3  03  02  AA BB CC",
            (Homogenous, 195, &[(&[0, 1], &[0xAA, 0xBB, 0xCC])]),
        ),
        (Current, 3, "FF FE  01  00  AA", (Homogenous, 32766, &[(&[0], &[0xAA])])),
        (
            Current,
            3,
            "00 65  05  01 00  0A 0B  2A",
            (Heterogenous, 101, &[(&[0], &[0x0A, 0x0B]), (&[2], &[0x2A])]),
        ),
        (Current, 7, "80 01  81  00  AA", (Homogenous, 1, &[(&[0, 7], &[0xAA])])),
        (Current, 8, "80 01  01 01  00  AA", (Homogenous, 1, &[(&[0, 8], &[0xAA])])),
        (Current, 9, "80 01  02 01  00  AA", (Homogenous, 1, &[(&[0, 9], &[0xAA])])),
        (
            Current,
            9,
            "00 02  01 02  00 01  11  88 89",
            (Heterogenous, 2, &[(&[1], &[0x11]), (&[8], &[0x88, 0x89])]),
        ),
        (Current, 3, "7F FF", (Keepalive, 32767, &[])),
        (Current, 9, "7F FF", (Keepalive, 32767, &[])),
        (Current, 3, "00 64  00", (Heterogenous, 100, &[])),
        (Current, 9, "00 64  00 00", (Heterogenous, 100, &[])),
        (V01, 3, "00 C3  03  83  AA BB CC", (Homogenous, 195, &[(&[0, 1], &[0xAA, 0xBB, 0xCC])])),
        (V01, 6, "FF FF  01  C0  AA", (Homogenous, 65535, &[(&[6], &[0xAA])])),
        (
            V01,
            3,
            "00 65  02  05  01  0A 0B  2A",
            (Heterogenous, 101, &[(&[0], &[0x0A, 0x0B]), (&[2], &[0x2A])]),
        ),
        (
            V01,
            3,
            "00 00  00  0A  01 02  11  33 34",
            (Heterogenous, 0, &[(&[1], &[0x11]), (&[3], &[0x33, 0x34])]),
        ),
        (V01, 3, "00 05  00  06  00 01  22", (Heterogenous, 5, &[(&[1], &[]), (&[2], &[0x22])])),
        (V01, 3, "FF FF  00  80", (Keepalive, 65535, &[])),
        (V01, 3, "00 64  00  80", (Homogenous, 100, &[(&[], &[])])),
        (V01, 3, "00 64  00  83", (Homogenous, 100, &[(&[0, 1], &[])])),
        (V01, 3, "00 64  00  00", (Heterogenous, 100, &[])),
    ];
    for &(generation, max_view, text, described) in cases {
        let (layout, bytes) = (layout(generation, max_view), hex(text));
        assert_reads(layout, &bytes, described);
        assert_eq!(write(layout, described), bytes, "{generation} {text}");
        assert!(single(layout, &bytes).is_canonical(), "{generation} {text}");
    }
}

#[test]
fn the_erratum_has_one_reading() {
    let bytes = hex("00 0A 03 81 AA BB CC");
    assert_reads(layout(V01, 3), &bytes, (Homogenous, 10, &[(&[0], &[0xAA, 0xBB, 0xCC])]));
}

/// Irregular frames, followed by a homogenous frame that shows whether the reader is in step.
#[test]
fn irregular_frames_are_reported_and_the_reader_stays_in_step() {
    let spectator_bit = |bit, length| Irregularity::SpectatorBit { bit, length };
    let cases: &[(Generation, &str, Described<'_>, Irregularity)] = &[
        (
            V01,
            "00 01  00  05  01  22",
            (Heterogenous, 1, &[(&[2], &[0x22])]),
            spectator_bit(true, 0),
        ),
        (
            V01,
            "00 01  01  04  01  0A 22",
            (Heterogenous, 1, &[(&[0], &[0x0A]), (&[2], &[0x22])]),
            spectator_bit(false, 1),
        ),
        (
            V01,
            "00 01  00  12  01 02  11  44 45",
            (Heterogenous, 1, &[(&[1], &[0x11]), (&[4], &[0x44, 0x45])]),
            Irregularity::AbsentViews(views(&[4])),
        ),
        (
            V01,
            "00 01  01  F0  AA",
            (Homogenous, 1, &[(&[4, 5, 6], &[0xAA])]),
            Irregularity::AbsentViews(views(&[4, 5, 6])),
        ),
        (V01, "00 01  01  80  AA", (Homogenous, 1, &[(&[], &[0xAA])]), Irregularity::NoReceiver),
        (
            Current,
            "00 01  12  00 01  11  44 45",
            (Heterogenous, 1, &[(&[1], &[0x11]), (&[4], &[0x44, 0x45])]),
            Irregularity::AbsentViews(views(&[4])),
        ),
        (
            Current,
            "80 01  81  00  AA",
            (Homogenous, 1, &[(&[0, 7], &[0xAA])]),
            Irregularity::AbsentViews(views(&[7])),
        ),
        (Current, "FF FF", (Keepalive, 32767, &[]), Irregularity::KeepaliveTopBit),
        (
            Current,
            "80 01  00  00  AA",
            (Homogenous, 1, &[(&[], &[0xAA])]),
            Irregularity::NoReceiver,
        ),
    ];
    for &(generation, text, described, irregularity) in cases {
        let (layout, mut bytes) = (layout(generation, 3), hex(text));
        assert_reads(layout, &bytes, described);
        let frame = single(layout, &bytes);
        assert_eq!(frame.irregularities().collect::<Vec<_>>(), [irregularity], "{text}");
        assert!(!frame.is_canonical(), "{text}");

        let length = bytes.len() as u64;
        bytes.extend(write(layout, (Homogenous, 7, &[(&[3], b"next")])));
        let next = Frames::new(layout, &bytes).nth(1).unwrap().unwrap();
        assert_eq!((next.offset(), next.view(view(3))), (length, Some(&b"next"[..])), "{text}");
    }
}

#[test]
fn irregularities_explain_themselves() {
    let text = |bytes: &str| {
        let bytes = hex(bytes);
        let frame = single(layout(V01, 3), &bytes);
        frame.irregularities().map(|i| i.to_string()).collect::<Vec<_>>()
    };
    let expected =
        ["the mask names absent views 4,5", "the mask names the spectator, whose length is 0"];
    assert_eq!(text("00 01  00  31  00 00"), expected);
    assert_eq!(
        text("00 01  02  04  00  0A 0B"),
        ["the mask does not name the spectator, who has 2 bytes"]
    );
}

/// One frame of each kind, cut at every byte: whole frames, then one error inside the cut one.
#[test]
fn every_truncation_is_one_error_inside_the_cut_frame() {
    let streams = [
        (layout(V01, 3), "00 C3 03 83 AA BB CC  FF FF 00 80  00 65 02 05 01 0A 0B 2A"),
        (layout(Current, 3), "80 C3 03 02 AA BB CC  7F FF  00 65 05 01 00 0A 0B 2A"),
        (layout(Current, 9), "80 01 02 01 00 AA  7F FF  00 02 01 02 00 01 11 88 89"),
    ];
    for (layout, text) in streams {
        let bytes = hex(text);
        let mut starts: Vec<u64> =
            Frames::new(layout, &bytes).map(|frame| frame.unwrap().offset()).collect();
        starts.push(bytes.len() as u64);
        for cut in 0..bytes.len() {
            let mut frames = Frames::new(layout, &bytes[..cut]).at_offset(100);
            let whole = starts.iter().filter(|&&start| start <= cut as u64).count() - 1;
            assert_eq!(frames.by_ref().take(whole).filter(Result::is_ok).count(), whole);
            let rest = &bytes[starts[whole] as usize..cut];
            assert_eq!(frames.rest(), rest);
            if !rest.is_empty() {
                let error = frames.next().unwrap().unwrap_err();
                assert_eq!(error.class(), ErrorClass::Truncated);
                let offset = error.offset().unwrap();
                assert!((100 + starts[whole]..=100 + cut as u64).contains(&offset), "{error}");
            }
            assert_eq!((frames.next(), frames.rest()), (None, rest));
        }
    }
}

#[test]
fn a_cut_frame_names_what_is_missing() {
    let problem = |layout, text: &str| {
        let bytes = hex(text);
        let error = Frames::new(layout, &bytes).next().unwrap().unwrap_err();
        (error.item().to_owned(), error.offset().unwrap())
    };
    let (v01, narrow, wide) = (layout(V01, 3), layout(Current, 3), layout(Current, 9));
    assert_eq!(problem(v01, "00 C3 03"), ("frame header".into(), 0));
    assert_eq!(problem(v01, "00 65 02 06 01"), ("frame lengths".into(), 4));
    assert_eq!(problem(v01, "00 65 02 06 01 00 AA BB"), ("frame payload".into(), 6));
    assert_eq!(problem(narrow, "80"), ("frame header".into(), 0));
    assert_eq!(problem(narrow, "80 C3"), ("frame mask".into(), 2));
    assert_eq!(problem(wide, "80 C3 03"), ("frame mask".into(), 2));
    assert_eq!(problem(narrow, "80 C3 03"), ("frame length".into(), 3));
    assert_eq!(problem(narrow, "00 C3 03 00"), ("frame lengths".into(), 3));
    assert_eq!(problem(narrow, "80 C3 03 00"), ("frame payload".into(), 4));
}

#[test]
fn what_a_layout_cannot_hold_is_refused_and_nothing_is_written() {
    let long = [0; 300];
    for (layout, most, longest) in [(layout(V01, 3), 65535, 255), (layout(Current, 3), 32766, 256)]
    {
        let mut out = FrameWriter::new(layout);
        out.homogenous(most, views(&[3]), &long[..longest]).unwrap();
        let (bytes, time) = (out.as_bytes().to_vec(), out.time());
        let refusals = [
            out.homogenous(most + 1, views(&[3]), b"x"),
            out.homogenous(u32::MAX, views(&[3]), b"x"),
            out.homogenous(0, views(&[4]), b"x"),
            out.homogenous(0, ViewSet::EMPTY, b"x"),
            out.homogenous(0, views(&[3]), &long[..=longest]),
            out.heterogenous(most + 1, &[(view(3), b"x")]),
            out.heterogenous(0, &[(view(1), b"x"), (view(4), b"x")]),
            out.heterogenous(0, &[(view(1), b"x"), (view(1), b"y")]),
            out.heterogenous(0, &[(view(0), b"")]),
            out.heterogenous(0, &[(view(1), b"x"), (view(2), &long[..=longest])]),
            out.moment(time - 1, &[(view(1), b"x")], |_, _| 0),
            out.moment(time, &[(view(4), b"x")], |_, _| 0),
            out.moment(time, &[(view(1), b"x"), (view(1), b"x")], |_, _| 0),
            out.moment(time + 100_000, &[(view(0), b"x"), (view(1), &long)], |_, _| 0),
            out.moment(time + 100_000, &[(view(1), &long)], |_, limit| limit + 1),
            out.idle_until(time - 1),
        ];
        for (number, refusal) in refusals.into_iter().enumerate() {
            assert_eq!(refusal.unwrap_err().class(), ErrorClass::Misuse, "refusal {number}");
        }
        assert_eq!((out.as_bytes(), out.time()), (&bytes[..], time));
    }
}

#[test]
fn empty_payloads_exist_only_in_v01() {
    let mut out = FrameWriter::new(layout(Current, 3));
    assert!(out.homogenous(0, views(&[1]), b"").is_err());
    assert!(out.heterogenous(0, &[(view(1), b"")]).is_err());
    assert!(out.as_bytes().is_empty());
}

#[test]
fn v01_has_room_for_six_players() {
    assert!(FrameLayout::new(V01, view(6)).is_ok());
    let error = FrameLayout::new(V01, view(7)).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Malformed);
    assert_eq!(error.to_string(), "highest player: found 7, expected at most 6 players in v0.1");
}

#[test]
fn a_moment_far_ahead_with_long_payloads_is_written_as_specified() {
    let messages = [0x55; 300];
    let whole_messages = |_: &[u8], limit: usize| limit / 3 * 3;
    let mut out = FrameWriter::new(layout(Current, 3));
    let parts =
        [(view(2), &messages[..]), (view(1), &[0x11]), (view(0), &messages), (view(3), b"")];
    out.moment(40_000, &parts, whole_messages).unwrap();

    let mut expected = hex("7F FF  1C 41  07  FE 00 FE");
    expected.extend_from_slice(&messages[..255]);
    expected.push(0x11);
    expected.extend_from_slice(&messages[..255]);
    expected.extend(hex("80 00  05  2C"));
    expected.extend_from_slice(&messages[..45]);
    assert_eq!(out.as_bytes(), expected);
    assert_eq!(out.time(), 40_000);
}

#[test]
fn keepalives_bridge_exactly_the_gap() {
    let cases = [
        (Current, 32_766, "FF FE 01 00 AA"),
        (Current, 32_767, "7F FF  80 00 01 00 AA"),
        (Current, 65_533, "7F FF  FF FE 01 00 AA"),
        (Current, 65_534, "7F FF  7F FF  80 00 01 00 AA"),
        (V01, 65_535, "FF FF 01 81 AA"),
        (V01, 65_536, "FF FF 00 80  00 01 01 81 AA"),
        (V01, 131_070, "FF FF 00 80  FF FF 01 81 AA"),
    ];
    for (generation, time, text) in cases {
        let mut out = FrameWriter::new(layout(generation, 3));
        out.moment(time, &[(view(0), &[0xAA])], |_, _| 0).unwrap();
        assert_eq!((out.as_bytes(), out.time()), (&hex(text)[..], time));
    }
}

#[test]
fn idle_time_ends_where_it_should() {
    let cases = [
        (layout(Current, 3), 0, ""),
        (layout(Current, 3), 100, "00 64 00"),
        (layout(Current, 9), 100, "00 64 00 00"),
        (layout(Current, 3), 32_767, "7F FF"),
        (layout(Current, 3), 32_768, "7F FF  00 01 00"),
        (layout(V01, 3), 100, "00 64 00 80"),
        (layout(V01, 3), 65_535, "FF FF 00 80"),
        (layout(V01, 3), 65_536, "FF FF 00 80  00 01 00 80"),
    ];
    for (layout, time, text) in cases {
        let mut out = FrameWriter::new(layout).at_time(5);
        out.idle_until(5 + time).unwrap();
        assert_eq!((out.as_bytes(), out.time()), (&hex(text)[..], 5 + time));
        assert!(Frames::new(layout, out.as_bytes()).all(|frame| frame.unwrap().is_canonical()));
    }
}

#[test]
fn a_gap_of_years_is_refused_not_filled() {
    for (layout, advance) in [(layout(V01, 3), 65_535), (layout(Current, 3), 32_767)] {
        let longest = 1_000_000 * advance + u64::from(layout.max_delta());
        let mut out = FrameWriter::new(layout);
        for time in [longest + 1, u64::MAX] {
            let error = out.moment(time, &[(view(0), b"x")], |_, _| 0).unwrap_err();
            assert_eq!(error.class(), ErrorClass::Limit);
            assert_eq!(out.idle_until(time).unwrap_err().class(), ErrorClass::Limit);
            assert!(out.as_bytes().is_empty());
        }
        out.moment(longest, &[(view(0), b"x")], |_, _| 0).unwrap();
        let frames = Frames::new(layout, out.as_bytes());
        assert_eq!(received(frames, view(0)), [(longest, b"x".to_vec())]);
    }
}

#[test]
fn raw_bytes_move_the_time_by_their_whole_frames() {
    let mut out = FrameWriter::new(layout(Current, 3)).at_time(10);
    out.raw(&hex("80 C3 03 02 AA BB CC  FF FF  00"));
    assert_eq!(out.time(), 10 + 195 + 32_767);
    assert_eq!(out.as_bytes(), hex("80 C3 03 02 AA BB CC  FF FF  00"));
}

#[test]
fn time_does_not_overflow() {
    let bytes = hex("7F FF  80 01 01 00 AA");
    let frames = Frames::new(layout(Current, 3), &bytes).at_time(u64::MAX - 5);
    assert!(frames.map(Result::unwrap).all(|frame| frame.time() == u64::MAX));
}
