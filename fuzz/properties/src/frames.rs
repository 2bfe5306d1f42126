//! Multi-view frames of both generations.

use crate::Seed;
use gametape_minewars::{
    Frame, FrameKind, FrameLayout, FrameWriter, Frames, Generation, Tail, merge_views, select_views,
};
use gametape_wire::{Error, ErrorClass, Result, View, ViewSet};

/// Where the stream of [`frames`] is in the imagined whole input.
const BASE: u64 = 1 << 40;

/// Frames cover their stream without gap or overlap up to a cut end, a writer repeats every
/// canonical frame, and a stream taken apart into its views can be put together again.
///
/// The input is a byte that gives the layout, then the stream.
pub fn frames(data: &[u8]) {
    let Some((&selector, stream)) = data.split_first() else { return };
    let Ok(layout) = layout(selector) else { return };
    let whole = frames_cover_the_stream(layout, stream);
    assert!(taking_apart_and_merging_loses_nothing(layout, &stream[..whole]).is_ok());
}

/// The top bit is the generation, the low bits are the highest view.
fn layout(selector: u8) -> Result<FrameLayout> {
    let generation = if selector & 0x80 == 0 { Generation::Current } else { Generation::V01 };
    let highest = View::new(selector & 0x7F);
    let highest = highest.ok_or_else(|| Error::misuse("highest view", "there is no such view"))?;
    FrameLayout::new(generation, highest)
}

/// Returns how many bytes of the stream are whole frames.
fn frames_cover_the_stream(layout: FrameLayout, stream: &[u8]) -> usize {
    let mut frames = Frames::new(layout, stream).at_offset(BASE);
    let (mut position, mut time) = (0, 0);
    while let Some(frame) = frames.next() {
        match frame {
            Ok(frame) => {
                time += u64::from(frame.delta());
                assert_eq!((frame.offset(), frame.time()), (BASE + position as u64, time));
                position += frame.bytes().len();
                assert!(stream[..position].ends_with(frame.bytes()));
                parts_agree_with_views(&frame);
                assert_eq!(is_repeated_by_a_writer(layout, &frame), frame.is_canonical());
            }
            Err(error) => {
                assert_eq!(error.class(), ErrorClass::Truncated);
                assert!(error.offset().is_some_and(|at| at >= BASE + position as u64));
                assert!(frames.next().is_none(), "a cut frame is the last");
                assert!(!frames.rest().is_empty());
            }
        }
        assert_eq!(frames.rest(), &stream[position..]);
    }
    position
}

fn parts_agree_with_views(frame: &Frame<'_>) {
    let mut seen = ViewSet::EMPTY;
    for part in frame.parts() {
        assert!(seen.and(part.views).is_empty(), "a view has one part");
        let start = (part.offset - frame.offset()) as usize;
        assert_eq!(part.payload, &frame.bytes()[start..start + part.payload.len()]);
        for view in part.views.iter() {
            seen = seen.with(view);
            assert_eq!(frame.view(view), Some(part.payload));
        }
    }
    assert_eq!(seen, frame.views());
}

fn is_repeated_by_a_writer(layout: FrameLayout, frame: &Frame<'_>) -> bool {
    let mut out = FrameWriter::new(layout);
    let written = match frame.kind() {
        FrameKind::Keepalive => {
            out.keepalive();
            Ok(())
        }
        FrameKind::Homogenous => {
            frame.parts().try_for_each(|p| out.homogenous(frame.delta(), p.views, p.payload))
        }
        FrameKind::Heterogenous => {
            let parts: Vec<(View, &[u8])> = frame
                .parts()
                .flat_map(|part| part.views.iter().map(move |view| (view, part.payload)))
                .collect();
            out.heterogenous(frame.delta(), &parts)
        }
    };
    written.is_ok() && out.as_bytes() == frame.bytes()
}

fn taking_apart_and_merging_loses_nothing(layout: FrameLayout, stream: &[u8]) -> Result<()> {
    let read = |bytes| Frames::new(layout, bytes);
    let single = |view| select_views(read(stream), ViewSet::EMPTY.with(view), Tail::Keep);
    let apart: Vec<Vec<u8>> = layout.views().iter().map(single).collect::<Result<_>>()?;
    let merged = merge_views(layout, apart.iter().map(|bytes| read(bytes)), Tail::Keep)?;
    for (view, alone) in layout.views().iter().zip(&apart) {
        let received = received(read(stream), view)?;
        assert_eq!(self::received(read(alone), view)?, received, "alone, view {view}");
        assert_eq!(self::received(read(&merged), view)?, received, "merged, view {view}");
    }
    let end = |bytes| read(bytes).last().map_or(Ok(0), |frame| frame.map(|frame| frame.time()));
    assert_eq!(end(&merged)?, end(stream)?);
    Ok(())
}

/// When a view receives what.
fn received(frames: Frames<'_>, view: View) -> Result<Vec<(u64, &[u8])>> {
    let mut received = Vec::new();
    for frame in frames {
        let frame = frame?;
        let payload = frame.view(view).filter(|payload| !payload.is_empty());
        received.extend(payload.map(|payload| (frame.time(), payload)));
    }
    Ok(received)
}

/// Streams of both generations with frames of every kind.
pub fn seeds() -> Result<Vec<Seed>> {
    [
        ("current-one-byte-mask", 0x03, &[][..]),
        ("current-two-byte-mask", 0x0F, &[]),
        ("v01", 0x86, &[]),
        (
            "current-irregular",
            0x03,
            &[0xFF, 0xFF, 0x00, 0x01, 0x10, 0x00, 0x44, 0x80, 0x01, 0, 0, 7],
        ),
        ("v01-irregular", 0x83, &[0, 1, 0, 5, 1, 0x22, 0, 1, 1, 4, 1, 0x0A, 0x22]),
        ("current-cut", 0x03, &[0x80, 0xC3, 0x03, 0x02, 0xAA]),
    ]
    .into_iter()
    .map(|(name, selector, end)| Ok(Seed::new(name, seed(selector, end)?)))
    .collect()
}

/// Regular frames, then `end` as it is.
fn seed(selector: u8, end: &[u8]) -> Result<Vec<u8>> {
    let mut out = FrameWriter::new(layout(selector)?);
    write_every_kind(&mut out)?;
    out.raw(end);
    Ok([&[selector], out.as_bytes()].concat())
}

fn write_every_kind(out: &mut FrameWriter) -> Result<()> {
    let last = out.layout().max_view();
    let both = ViewSet::EMPTY.with(View::SPECTATOR).with(last);
    out.homogenous(195, both, &[0xAA, 0xBB, 0xCC])?;
    out.heterogenous(101, &[(View::SPECTATOR, &[0x0A, 0x0B]), (last, &[0x2A])])?;
    out.keepalive();
    out.homogenous(0, ViewSet::EMPTY.with(last), &[0x11; 20])?;
    out.moment(200_000, &[(View::SPECTATOR, &[0x33; 300]), (last, &[0x33; 20])], |_, most| most)?;
    out.idle_until(200_100)
}
