//! What is promised to allocate nothing, or little, however long the input is.

use allocation_counter::measure;
use gametape_benches::crowd::Crowd;
use gametape_benches::crowd_tape::{Seeker, read_chunk, recorded, write};
use gametape_minewars::{FrameLayout, FrameWriter, Frames, Generation};
use gametape_tape::{Cadence, ChunkKind, Tape};
use gametape_wire::{Result, View, ViewSet};
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

#[test]
fn reading_the_frames_of_a_tape_allocates_nothing() {
    let mut messages = Vec::new();
    let mut crowd = Crowd::new(1);
    (0..300).for_each(|_| crowd.step(&mut messages));
    let file = write(&messages).unwrap();
    let tape = Tape::open(&file).unwrap();
    // Room for the largest chunk, and for the same in columns.
    let mut buffer = vec![0; 512 << 10];
    let mut sum = 0;
    let counted = measure(|| {
        for entry in tape.stream(ChunkKind::FRAMES, 0) {
            sum = read_chunk(&tape.read(entry, &file).unwrap(), &mut buffer, sum).unwrap();
        }
    });
    assert_ne!(sum, 0);
    assert_eq!(counted.count_total, 0);
}

#[test]
fn a_seek_allocates_little_however_many_entities_there_are() {
    let file = recorded(Crowd::new(1), 100, Cadence::every(30)).unwrap();
    let mut seeker = Seeker::open(&file).unwrap();
    seeker.seek(99).unwrap();
    let counted = measure(|| drop(black_box(seeker.seek(99).unwrap().clone())));
    // Two states of a few tables each; five hundred entities would show.
    assert!(counted.count_total < 60, "{}", counted.count_total);
}
