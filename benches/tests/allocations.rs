//! What is promised to allocate nothing, or little, however long the input is.

use allocation_counter::measure;
use gametape_wire::{FrameLayout, FrameWriter, Frames, Generation, Result, View, ViewSet};
use std::hint::black_box;

/// Frames of every kind.
fn write_frames(out: &mut FrameWriter, player: View) -> Result<()> {
    out.homogenous(10, ViewSet::EMPTY.with(View::SPECTATOR).with(player), b"all the same")?;
    out.heterogenous(20, &[(View::SPECTATOR, b"everything"), (player, b"less")])?;
    out.keepalive();
    Ok(())
}

#[test]
fn the_counter_counts() {
    let counted = measure(|| drop(black_box(vec![1_u8; 1000])));
    assert_eq!((counted.count_total, counted.bytes_max), (1, 1000));
}

#[test]
fn reading_frames_allocates_nothing() {
    let player = View::new(3).unwrap();
    let layout = FrameLayout::new(Generation::Current, player).unwrap();
    let mut out = FrameWriter::new(layout);
    (0..1000).try_for_each(|_| write_frames(&mut out, player)).unwrap();
    let stream = out.into_bytes();
    let (mut frames, mut bytes) = (0, 0);
    let counted = measure(|| {
        for frame in Frames::new(layout, &stream).flatten() {
            frames += 1;
            bytes += frame.parts().map(|part| part.payload.len()).sum::<usize>();
        }
    });
    assert_eq!((frames, bytes), (3000, 1000 * (12 + 10 + 4)));
    assert_eq!(counted.count_total, 0);
}
