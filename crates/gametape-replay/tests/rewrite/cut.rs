//! What is cut out of recordings.

use gametape_minewars::sample::Sample;
use gametape_minewars::{
    Class, Dialect, Frames, Generation, ReplayFile, Survey, WriteOptions, write_file,
};
use gametape_replay::cut::{CutRequest, TapeCut, cut_minewars, cut_tape};
use gametape_replay::{ConvertOptions, DeepLevel, PlayerOptions, Recording, minewars};
use gametape_tape::{Level, Tape, TapeHeader, TapeWriter, verify_bytes};
use gametape_wire::{Result, Tick, TickLength, When};

use super::{hostile, view, views};

fn cut(bytes: &[u8], request: &CutRequest) -> Result<(Vec<u8>, TapeCut)> {
    let mut out = Vec::new();
    let tape = Tape::open(bytes)?;
    let cut = cut_tape(&mut &bytes[..], &tape, request, &mut |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    })?;
    Ok((out, cut))
}

fn tape() -> Vec<u8> {
    let mut writer =
        TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 1), b"{}").unwrap();
    for tick in 0..100 {
        writer.frame(0, Tick(tick), &[(view(1), b"one"), (view(2), b"two")]).unwrap();
    }
    writer.flush().unwrap();
    [writer.take(), writer.finish().unwrap()].concat()
}

fn when(text: &str) -> When {
    text.parse().unwrap()
}

#[test]
fn the_end_of_a_span_is_not_in_it() {
    for (to, end) in [("tick:30", 30), ("1.5s", 30), ("30%", 30), ("-3.5s", 30), ("end", 100)] {
        let request = CutRequest::default().with_to(when(to));
        let (bytes, _) = cut(&tape(), &request).unwrap();
        assert_eq!(Tape::open(&bytes).unwrap().summary.end_tick, Tick(end), "{to}");
    }
}

#[test]
fn a_view_that_is_not_there_is_an_error() {
    let request = CutRequest::default().with_views(views(&[1, 3]));
    let error = cut(&tape(), &request).unwrap_err().to_string();
    assert!(error.contains("views 1,2, and not 3"), "{error}");

    let (setup, frames) = Sample::default().build(Generation::Current).unwrap();
    let bytes = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
    let request = CutRequest::default().with_views(views(&[15]));
    let error = cut_minewars(&ReplayFile::open(&bytes).unwrap(), &request).unwrap_err().to_string();
    assert!(error.contains("and not 15"), "{error}");
}

#[test]
fn unknown_kinds_are_kept_or_named() {
    let Some(bytes) = hostile("unknown-kinds.tape") else { return };
    let before = Tape::open(&bytes).unwrap();
    let request = CutRequest::default().with_views(views(&[1]));
    let (out, report) = cut(&bytes, &request).unwrap();
    let after = Tape::open(&out).unwrap();
    let unknown = |tape: &Tape| {
        let unknown = tape.chunks.iter().filter(|entry| !entry.header.kind.is_known());
        unknown.map(|entry| entry.header.kind).collect::<Vec<_>>()
    };
    let kept = unknown(&after);
    for kind in unknown(&before) {
        let is_named = report.dropped.iter().any(|row| row.kind == kind);
        assert!(kept.contains(&kind) != is_named, "{kind}: {report:?}");
    }
    assert!(report.changes().len() >= report.dropped.len());
}

/// How a match ends is not known where a cut of its beginning ends.
#[test]
fn a_cut_does_not_say_who_wins_later() {
    let mut writer =
        TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 1), b"{}").unwrap();
    for tick in 0..100 {
        writer.frame(0, Tick(tick), &[(view(1), b"one")]).unwrap();
    }
    let closing = br#"{"outcome":"Zorbulina wins","players":[],"winner":1}"#;
    writer.closing_metadata(closing).unwrap();
    let bytes = [writer.take(), writer.finish().unwrap()].concat();
    for (to, expected) in [("tick:99", r#"{"players":[]}"#), ("end", str(closing))] {
        let request = CutRequest::default().with_to(when(to));
        let (part, _) = cut(&bytes, &request).unwrap();
        assert_eq!(Tape::open(&part).unwrap().closing.as_deref(), Some(expected), "{to}");
        assert_eq!(part.windows(9).any(|bytes| bytes == b"Zorbulina"), to == "end");
    }
}

fn str(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn a_time_that_is_not_there_is_refused_in_its_own_unit() {
    let refused = |from: &str, to: &str| {
        let request = CutRequest::default().with_from(when(from)).with_to(when(to));
        cut(&tape(), &request).unwrap_err().to_string()
    };
    for (from, to, words) in [
        ("9:00", "end", "9:00 is after the end (0:05)"),
        ("tick:100", "end", "tick:100 is after the end (tick:100)"),
        ("6000", "end", "6000 is after the end (5000 ms)"),
        ("0:02", "0:01", "its end (0:01) is not after its start (0:02)"),
        ("50%", "tick:50", "its end (tick:50) is not after its start (50%)"),
    ] {
        let error = refused(from, to);
        assert!(error.contains(words), "{error}");
    }
}

/// Names of players whom only the spectator knew are not in what a player may keep.
#[test]
fn the_closing_metadata_of_a_cut_has_no_names_that_its_views_were_not_given() {
    let start = br#"{"players":[{"view":1,"name":"Ana"},{"view":2,"name":"Ben"}]}"#;
    let mut writer =
        TapeWriter::new(TapeHeader::new(gametape_wire::TickLength::millis::<50>(), 1), start)
            .unwrap();
    writer.frame(0, Tick::ZERO, &[(view(1), b"one"), (view(2), b"two")]).unwrap();
    let closing = br#"{"players":[{"view":1,"name":"Ana"},{"view":2,"name":"Benjamin"},
        {"view":3,"name":"onlyspectator"}],"outcome":"over","winner":"onlyspectator"}"#;
    writer.closing_metadata(closing).unwrap();
    let tape = [writer.take(), writer.finish().unwrap()].concat();
    let closing_of = |numbers: &[u8]| {
        let request = CutRequest::default().with_views(views(numbers));
        let (bytes, _) = cut(&tape, &request).unwrap();
        Tape::open(&bytes).unwrap().closing.unwrap()
    };
    let first = closing_of(&[1]);
    assert!(!first.contains("onlyspectator") && !first.contains("Benjamin"), "{first}");
    assert!(first.contains("Ana") && first.contains("over"), "{first}");
    let second = closing_of(&[2]);
    assert!(!second.contains("onlyspectator") && second.contains("Benjamin"), "{second}");
    let whole = cut(&tape, &CutRequest::default()).unwrap().0;
    assert!(Tape::open(&whole).unwrap().closing.unwrap().contains("onlyspectator"));
}

/// A match with messages of all classes, as a file and as a tape with keyframes.
fn classes() -> (Vec<u8>, Vec<u8>) {
    let sample = Sample { radius: 3, players: 2, cities: 2, moments: 300, ..Sample::default() };
    let (setup, frames) = sample.build(Generation::Current).unwrap();
    let file = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
    let options = ConvertOptions::new(1).with_spacing(500);
    let tape = minewars::to_tape(&ReplayFile::open(&file).unwrap(), &options).unwrap();
    (file, tape)
}

fn survey(file: &[u8]) -> Survey {
    let file = ReplayFile::open(file).unwrap();
    let frames = file.frames().unwrap().bytes.into_owned();
    Survey::of(Frames::new(file.frame_layout().unwrap(), &frames), Dialect::Current)
}

#[test]
fn what_is_fine_to_miss_can_be_left_out() {
    let (file, tape) = classes();
    let before = survey(&file);
    assert!(before.of_class(Class::Unreliable) > 20);
    let request = CutRequest::default().without_unreliable(true);
    let thin_file = cut_minewars(&ReplayFile::open(&file).unwrap(), &request).unwrap();
    assert_eq!(thin_file.unreliable, before.of_class(Class::Unreliable));
    let (thin_tape, done) = cut(&tape, &request).unwrap();
    assert_eq!(done.unreliable, before.of_class(Class::Unreliable));
    let back = minewars::from_tape(&mut Recording::open(&thin_tape[..]).unwrap(), None).unwrap();
    for thin in [&thin_file.bytes, &back.bytes] {
        let after = survey(thin);
        for class in Class::ALL {
            let expected = if class.is_reliable() { before.of_class(class) } else { 0 };
            assert_eq!(after.of_class(class), expected, "{class}");
        }
    }
    let (again, nothing) = cut(&thin_tape, &request).unwrap();
    assert_eq!((nothing.unreliable, again.len()), (0, thin_tape.len()));
}

#[test]
fn keyframes_of_a_cut_without_unreliable_messages_are_what_its_frames_lead_to() {
    let (_, tape) = classes();
    let Tick(end) = Tape::open(&tape).unwrap().summary.end_tick;
    for from in [0, end / 3, end / 2] {
        for seen in [views(&[]), views(&[2]), views(&[0, 1])] {
            let from = When::Tick(gametape_wire::Tick(from));
            let request =
                CutRequest::default().with_views(seen).with_from(from).without_unreliable(true);
            let (thin, _) = cut(&tape, &request).unwrap();
            assert!(verify_bytes(&thin, Level::Chain, None).unwrap().passed());
            let kept = Tape::open(&thin).unwrap();
            assert!(kept.keyframes.entries().len() > 2);
            for view in kept.views().iter() {
                let recording = Recording::open(&thin[..]).unwrap();
                let mut player =
                    minewars::player(recording, view, PlayerOptions::default()).unwrap();
                let verified = player.verify(DeepLevel::Keyframes).unwrap();
                assert!(verified.passed(), "view {view}: {:?}", verified.report);
            }
        }
    }
}

#[test]
fn only_messages_whose_classes_are_known_can_be_left_out() {
    let request = CutRequest::default().without_unreliable(true);
    let error = cut(&tape(), &request).unwrap_err().to_string();
    assert!(error.contains("this tape holds none"), "{error}");
}
