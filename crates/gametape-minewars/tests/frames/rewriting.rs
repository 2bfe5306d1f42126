//! Selecting views from a stream and merging streams.

use gametape_minewars::{
    FrameLayout, FrameWriter, Frames, Generation, Tail, merge_views, select_views,
};
use gametape_wire::{ErrorClass, View, ViewSet};
use proptest::prelude::*;

use crate::support::{layout, received, session, view, written};

fn only(number: u8) -> ViewSet {
    ViewSet::EMPTY.with(view(number))
}

fn end_of(layout: FrameLayout, bytes: &[u8]) -> u64 {
    let mut frames = Frames::new(layout, bytes);
    assert!(frames.by_ref().all(|frame| frame.is_ok()));
    frames.time()
}

/// The streams of the single views.
fn singles(layout: FrameLayout, bytes: &[u8], tail: Tail) -> Vec<Vec<u8>> {
    let select = |v| select_views(Frames::new(layout, bytes), ViewSet::EMPTY.with(v), tail);
    layout.views().iter().map(|v| select(v).unwrap()).collect()
}

proptest! {
    /// So a selection cannot contain anything of the views left out, not even a trace.
    #[test]
    fn selected_is_as_if_the_others_had_never_been_written(
        (layout, moments) in session(0),
        wanted in any::<u16>(),
    ) {
        let wanted = ViewSet::from_bits(wanted).and(layout.views());
        let whole = written(layout, &moments, layout.views());
        let selected = select_views(Frames::new(layout, &whole), wanted, Tail::Drop).unwrap();
        prop_assert_eq!(selected, written(layout, &moments, wanted));
    }

    #[test]
    fn a_kept_tail_ends_with_its_source((layout, moments) in session(0), wanted in any::<u16>()) {
        let wanted = ViewSet::from_bits(wanted).and(layout.views());
        let whole = written(layout, &moments, layout.views());
        let short = select_views(Frames::new(layout, &whole), wanted, Tail::Drop).unwrap();
        let kept = select_views(Frames::new(layout, &whole), wanted, Tail::Keep).unwrap();
        prop_assert!(kept.starts_with(&short) && kept.len() <= whole.len());
        prop_assert_eq!(end_of(layout, &kept), end_of(layout, &whole));
        let added = Frames::new(layout, &kept[short.len()..]);
        prop_assert!(added.map(Result::unwrap).all(|frame| frame.views().is_empty()));
    }

    #[test]
    fn merged_singles_are_the_original((layout, moments) in session(1), tail in any::<bool>()) {
        let tail = if tail { Tail::Keep } else { Tail::Drop };
        let whole = written(layout, &moments, layout.views());
        let mut singles = singles(layout, &whole, tail);
        singles.reverse();
        let streams = singles.iter().map(|bytes| Frames::new(layout, bytes));
        prop_assert_eq!(merge_views(layout, streams, tail).unwrap(), whole);
    }

    #[test]
    fn merged_singles_give_every_view_the_same_at_the_same_times(
        (layout, moments) in session(0),
    ) {
        let whole = written(layout, &moments, layout.views());
        let singles = singles(layout, &whole, Tail::Keep);
        let streams = singles.iter().map(|bytes| Frames::new(layout, bytes));
        let merged = merge_views(layout, streams, Tail::Keep).unwrap();
        for v in layout.views().iter() {
            let [before, after] = [&whole, &merged].map(|b| received(Frames::new(layout, b), v));
            prop_assert_eq!(before, after);
        }
        prop_assert_eq!(end_of(layout, &merged), end_of(layout, &whole));
    }
}

#[test]
fn a_selection_does_not_tell_that_others_received_something_else() {
    let layout = layout(Generation::Current, 2);
    let mut out = FrameWriter::new(layout);
    out.heterogenous(5, &[(view(1), b"one"), (view(2), b"secret")]).unwrap();
    let selected = select_views(Frames::new(layout, out.as_bytes()), only(1), Tail::Drop).unwrap();
    assert_eq!(selected, b"\x80\x05\x02\x02one");
}

#[test]
fn vanished_frames_leave_their_time() {
    let layout = layout(Generation::V01, 2);
    let mut out = FrameWriter::new(layout).at_time(7);
    out.homogenous(60_000, only(2), b"b").unwrap();
    out.homogenous(10_000, only(1), b"a").unwrap();
    out.homogenous(300, only(2), b"b").unwrap();
    let frames = || Frames::new(layout, out.as_bytes()).at_time(7);
    let keepalive_then_a = [0xFF, 0xFF, 0, 0x80, 0x11, 0x71, 1, 0x82, b'a'];
    assert_eq!(select_views(frames(), only(1), Tail::Drop).unwrap(), keepalive_then_a);
    let kept = select_views(frames(), only(1), Tail::Keep).unwrap();
    assert_eq!(kept[..9], keepalive_then_a);
    assert_eq!(kept[9..], [0x01, 0x2C, 0, 0x80]);
}

#[test]
fn irregular_bytes_do_not_survive_a_selection() {
    let layout = layout(Generation::Current, 3);
    let absent_view_4 = [0x00, 0x01, 0x12, 0x00, 0x01, 0x11, 0x44, 0x45];
    let for_nobody = [0x80, 0x01, 0x00, 0x00, 0xEE];
    let bytes = [&absent_view_4[..], &for_nobody, &[0xFF, 0xFF]].concat();
    let selected = select_views(Frames::new(layout, &bytes), layout.views(), Tail::Keep).unwrap();
    assert_eq!(selected, [0x80, 0x01, 0x02, 0x00, 0x11, 0x7F, 0xFF, 0x00, 0x01, 0x00]);
}

#[test]
fn what_cannot_be_selected_is_refused() {
    let layout = layout(Generation::Current, 3);
    let bytes = [0x80, 0x01, 0x02, 0x00, 0x11];
    let absent = select_views(Frames::new(layout, &bytes), only(4), Tail::Drop).unwrap_err();
    assert_eq!(absent.class(), ErrorClass::Misuse);
    let cut = select_views(Frames::new(layout, &bytes[..4]), only(1), Tail::Drop).unwrap_err();
    assert_eq!((cut.class(), cut.offset()), (ErrorClass::Truncated, Some(4)));
}

/// A stream of homogenous frames: (delta, view, payload).
fn stream(layout: FrameLayout, frames: &[(u32, View, &[u8])]) -> Vec<u8> {
    let mut out = FrameWriter::new(layout);
    for &(delta, view, payload) in frames {
        out.homogenous(delta, ViewSet::EMPTY.with(view), payload).unwrap();
    }
    out.into_bytes()
}

#[test]
fn merging_meets_frame_by_frame_within_a_moment() {
    let narrow = layout(Generation::Current, 3);
    let wide = layout(Generation::Current, 9);
    let first = stream(narrow, &[(5, view(1), b"same"), (0, view(1), b"x"), (1, view(1), b"end")]);
    let second = stream(wide, &[(5, view(9), b"same"), (0, view(9), b"y")]);
    let streams = [Frames::new(wide, &second), Frames::new(narrow, &first)];
    let merged = merge_views(wide, streams, Tail::Drop).unwrap();

    let mut expected = FrameWriter::new(wide);
    expected.homogenous(5, ViewSet::from_bits(1 << 1 | 1 << 9), b"same").unwrap();
    expected.heterogenous(0, &[(view(1), b"x"), (view(9), b"y")]).unwrap();
    expected.homogenous(1, only(1), b"end").unwrap();
    assert_eq!(merged, expected.as_bytes());
}

#[test]
fn streams_with_different_beginnings_merge_from_the_earliest() {
    let layout = layout(Generation::V01, 2);
    let first = stream(layout, &[(5, view(1), b"a")]);
    let second = stream(layout, &[(5, view(2), b"b")]);
    let streams =
        [Frames::new(layout, &first).at_time(100), Frames::new(layout, &second).at_time(50)];
    let merged = merge_views(layout, streams, Tail::Keep).unwrap();
    assert_eq!(merged, stream(layout, &[(5, view(2), b"b"), (50, view(1), b"a")]));
    assert_eq!(merge_views(layout, [], Tail::Keep).unwrap(), []);
}

#[test]
fn who_receives_no_byte_belongs_to_no_stream() {
    let layout = layout(Generation::V01, 2);
    let first = stream(layout, &[(5, view(1), b"a")]);
    let nothing_for_view_1 = [0x00, 0x03, 0x00, 0x82];
    let second = [&nothing_for_view_1[..], &stream(layout, &[(4, view(2), b"b")])].concat();
    let streams = [&first, &second].map(|bytes| Frames::new(layout, bytes));
    let merged = merge_views(layout, streams, Tail::Drop).unwrap();
    assert_eq!(merged, stream(layout, &[(5, view(1), b"a"), (2, view(2), b"b")]));
}

#[test]
fn views_that_a_stream_does_not_have_are_left_out_of_a_merge() {
    let (narrow, wide) = (layout(Generation::Current, 3), layout(Generation::Current, 9));
    let first = stream(wide, &[(1, view(4), b"x")]);
    // Its layout ends with view 3, and it has bytes for view 4.
    let second = [0x00, 0x01, 0x12, 0x00, 0x01, 0x11, 0x44, 0x45];
    let streams = [Frames::new(wide, &first), Frames::new(narrow, &second)];
    let merged = merge_views(wide, streams, Tail::Drop).unwrap();
    let mut expected = FrameWriter::new(wide);
    expected.heterogenous(1, &[(view(1), b"\x11"), (view(4), b"x")]).unwrap();
    assert_eq!(merged, expected.as_bytes());
}

#[test]
fn what_cannot_be_merged_is_refused() {
    let current = layout(Generation::Current, 3);
    let first = stream(current, &[(5, view(1), b"a")]);
    let second = stream(current, &[(9, view(1), b"b")]);
    let merge = |target: FrameLayout, bytes: [&[u8]; 2]| {
        merge_views(target, bytes.map(|b| Frames::new(current, b)), Tail::Drop).unwrap_err()
    };
    let twice = merge(current, [&first, &second]);
    assert_eq!(twice.to_string(), "merge: view 1 is in streams 0 and 1");
    let generation = merge(layout(Generation::V01, 3), [&first, &[]]);
    assert_eq!(generation.class(), ErrorClass::Misuse);
    let too_narrow = merge(layout(Generation::Current, 0), [&first, &[]]);
    assert_eq!(too_narrow.class(), ErrorClass::Misuse);
    let cut = merge(current, [&first, &second[..3]]);
    assert_eq!(cut.class(), ErrorClass::Truncated);
}
