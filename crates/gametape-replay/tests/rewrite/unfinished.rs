//! What is made of a tape that was never finished declares what its recorder did not write.

use gametape_minewars::sample::Sample;
use gametape_minewars::{Generation, ReplayFile, WriteOptions, write_file};
use gametape_replay::anonymize::anonymize;
use gametape_replay::convert::{Conversion, Form, convert};
use gametape_replay::cut::{CutRequest, cut_tape};
use gametape_replay::merge::{MergeInput, merge};
use gametape_replay::open::{OpenOptions, open};
use gametape_replay::{ConvertOptions, minewars};
use gametape_tape::{
    ChunkDraft, ChunkKind, Gap, GapCause, Level, Tape, TapeHeader, TapeWriter, verify_bytes,
};
use gametape_wire::{Tick, TickLength};

use super::view;

const LOST: &str = "frames and orders of ticks 30 to 79, which were never written";

/// Frames of ticks 0 to 29, events of ticks 0 to 79; killed then.
fn unfinished() -> Vec<u8> {
    let mut writer =
        TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 1), b"{}").unwrap();
    for tick in 0..30 {
        writer.frame(0, Tick(tick), &[(view(1), b"one")]).unwrap();
    }
    writer.flush().unwrap();
    let events = ChunkDraft::new(ChunkKind::EVENTS).with_stream(9).with_ticks(Tick::ZERO, 80);
    writer.chunk(&events, b"any").unwrap();
    writer.flush().unwrap();
    writer.take()
}

/// What a finished tape declares to be lost.
fn declared(bytes: &[u8]) -> Vec<(GapCause, ChunkKind, std::ops::Range<Tick>)> {
    let verified = verify_bytes(bytes, Level::Chain, None).unwrap();
    assert!(verified.passed(), "{:?}", verified.report);
    let tape = Tape::open(bytes).unwrap();
    let gaps = tape.stream(ChunkKind::GAP, 0);
    let gaps = gaps.map(|entry| Gap::read(&tape.read(entry, bytes).unwrap()).unwrap());
    gaps.map(|gap| (gap.cause, gap.kind, gap.ticks())).collect()
}

#[test]
fn a_cut_declares_what_was_not_written_of_its_ticks() {
    let bytes = unfinished();
    let tape = Tape::open(&bytes).unwrap();
    let cut = |request: &CutRequest| {
        let mut out = Vec::new();
        let cut = cut_tape(&mut &bytes[..], &tape, request, &mut |bytes| {
            out.extend_from_slice(bytes);
            Ok(())
        });
        (declared(&out), cut.unwrap().lost)
    };
    let lost = |end| vec![(GapCause::DAMAGE, ChunkKind::FRAMES, Tick(30)..Tick(end))];
    assert_eq!(cut(&CutRequest::default()), (lost(80), vec![LOST.to_owned()]));
    let early = CutRequest::default().with_to("tick:50".parse().unwrap());
    assert_eq!(cut(&early), (lost(50), vec![LOST.to_owned()]));
    let before = CutRequest::default().with_to("tick:20".parse().unwrap());
    assert_eq!(cut(&before), (vec![], vec![]));
}

#[test]
fn an_anonymous_tape_declares_what_was_not_written() {
    let mut out = Vec::new();
    let opened = open(unfinished(), &OpenOptions::default()).unwrap();
    let made = anonymize(opened, &[], &mut |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    });
    assert_eq!(made.unwrap().lost, [LOST]);
    assert_eq!(declared(&out), [(GapCause::DAMAGE, ChunkKind::FRAMES, Tick(30)..Tick(80))]);
}

#[test]
fn a_joined_tape_declares_what_was_not_written() {
    let (mut first, mut out) = (unfinished(), Vec::new());
    let mut inputs = vec![MergeInput::open("first", &first[..]).unwrap()];
    assert_eq!(inputs[0].lost(), [LOST]);
    let mut put = |bytes: &[u8]| {
        out.extend_from_slice(bytes);
        Ok(())
    };
    let _ = merge(&mut inputs, &mut put).unwrap();
    assert_eq!(declared(&out), [(GapCause::DAMAGE, ChunkKind::FRAMES, Tick(30)..Tick(80))]);

    // So it does where bytes were damaged: the chunk of frames, or the one of events.
    let chunks = Tape::open(&first).unwrap().chunks;
    let frames = chunks.iter().find(|entry| entry.header.kind == ChunkKind::FRAMES).unwrap();
    first[frames.range().end as usize - 9] ^= 1;
    let mut out = Vec::new();
    let mut inputs = vec![MergeInput::open("first", &first[..]).unwrap()];
    let _ = merge(&mut inputs, &mut |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    });
    assert_eq!(declared(&out), [(GapCause::DAMAGE, ChunkKind::FRAMES, Tick(0)..Tick(30))]);
}

#[test]
fn a_conversion_says_what_was_not_written() {
    let (setup, frames) = Sample::default().build(Generation::Current).unwrap();
    let file = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
    let file = ReplayFile::open(&file).unwrap();
    let whole = minewars::to_tape(&file, &ConvertOptions::new(7)).unwrap();
    let tape = Tape::open(&whole).unwrap();
    let mut writer = TapeWriter::new(tape.header, tape.metadata.as_bytes()).unwrap();
    for entry in tape.chunks.iter().skip(1) {
        writer.copy(&tape.read(entry, &whole).unwrap(), entry.header.views).unwrap();
    }
    let (written, end) = (tape.summary.end_tick, tape.summary.end_tick.0 as u32 + 50);
    let events = ChunkDraft::new(ChunkKind::EVENTS).with_stream(9).with_ticks(Tick::ZERO, end);
    writer.chunk(&events, b"any").unwrap();
    writer.flush().unwrap();
    let opened = open(writer.take(), &OpenOptions::default()).unwrap();
    let form = Conversion::default().with_form(Some(Form::MineWars));
    let made = convert(opened, &form, &[], &mut |_| Ok(())).unwrap();
    let lost = format!("frames and orders of ticks {written} to {}, which were", end - 1);
    assert!(made.lost.iter().any(|line| line.starts_with(&lost)), "{:?}", made.lost);
}
