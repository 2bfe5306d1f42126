//! A recording that is looked at while it grows.

#![cfg(feature = "stage")]
#![allow(clippy::unwrap_used, missing_docs)]

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use gametape_cadre::{Log, Markers, Options, sample};
use gametape_minewars::sample::Sample;
use gametape_minewars::{Generation, Grid, ReplayFile, WriteOptions, write_file};
use gametape_replay::cut::{CutRequest, clip};
use gametape_replay::open::Opened;
use gametape_replay::{ConvertOptions, minewars};
use gametape_scene::stage::{Action, Stage, Viewer};
use gametape_tape::{TapeHeader, TapeWriter};
use gametape_wire::{Moment, Result, Source, Tick, TickLength, View, ViewSet};

/// A file that somebody writes to.
#[derive(Clone, Default)]
struct Growing(Rc<RefCell<Vec<u8>>>);

impl Growing {
    fn add(&self, bytes: &[u8]) {
        self.0.borrow_mut().extend_from_slice(bytes);
    }
}

impl Source for Growing {
    fn length(&self) -> u64 {
        self.0.borrow().len() as u64
    }

    fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let bytes = self.0.borrow()[range.start as usize..range.end as usize].to_vec();
        Ok(Cow::Owned(bytes))
    }
}

/// A match of a minute.
fn tape() -> Vec<u8> {
    let sample = Sample { grid: Grid::Square, radius: 3, moments: 1500, ..Sample::default() };
    let (setup, frames) = sample.build(Generation::Current).unwrap();
    let file = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
    let options = ConvertOptions::new(1).with_spacing(2000);
    minewars::to_tape(&ReplayFile::open(&file).unwrap(), &options).unwrap()
}

/// A tape as a recorder writes it: a chunk of frames each second, in which nothing happens. Where each second ends.
fn seconds_tape(seconds: u64) -> (Vec<u8>, Vec<usize>) {
    let (setup, _) = Sample::default().build(Generation::Current).unwrap();
    let header = TapeHeader::new(TickLength::MILLISECOND, 1);
    let mut writer = TapeWriter::new(header, br#"{"content":"minewars"}"#).unwrap();
    writer.setup(0, ViewSet::ALL, &setup.encode(true).unwrap().into_bytes()).unwrap();
    let (mut bytes, mut ends) = (writer.take(), Vec::new());
    for second in 0..seconds {
        for tick in (second * 1_000..(second + 1) * 1_000).step_by(50) {
            writer.frame(0, Tick(tick + 49), &[(View::SPECTATOR, b"")]).unwrap();
        }
        writer.flush().unwrap();
        bytes.extend(writer.take());
        ends.push(bytes.len());
    }
    bytes.extend(writer.finish().unwrap());
    (bytes, ends)
}

/// As much of a tape as there is after `start` bytes, followed, and the file to add the rest to.
fn followed(tape: &[u8], start: usize) -> (Viewer<Growing>, Growing) {
    let file = Growing::default();
    file.add(&tape[..start]);
    let stage = Stage::of_tape(file.clone(), &[], &Options::default()).unwrap();
    (Viewer::new(stage.follow().unwrap()), file)
}

fn status(viewer: &Viewer<Growing>) -> String {
    viewer.play.live_status().unwrap()
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Who joined late and wants to see what was before is shown another tape, when it is there.
#[test]
fn what_was_before_a_tape_that_grows_can_be_asked_for() {
    let tape = tape();
    let request = CutRequest::default().with_from("0:20".parse().unwrap());
    let mut late = Vec::new();
    let mut put = |bytes: &[u8]| {
        late.extend_from_slice(bytes);
        Ok(())
    };
    clip(Opened::Tape(tape.clone()), &request, &mut put).unwrap();
    let part = late.len() * 3 / 4;
    let (mut viewer, _) = followed(&late, part);
    let begin = viewer.stage().begin();
    assert!(begin > Moment::START && viewer.stage().is_growing());
    viewer.act(Action::Last, Duration::ZERO);
    assert_eq!(viewer.before, None);
    viewer.go_to("0:05");
    assert_eq!((viewer.stage().position(), viewer.before.take()), (begin, Some(at(5_000))));
    viewer.act(Action::First, Duration::ZERO);
    assert_eq!(viewer.before.take(), Some(Moment::START));
    viewer.act(Action::Step(-1), Duration::ZERO);
    let before = viewer.before.take().unwrap();
    assert!(before < begin);
    viewer.act(Action::Step(1), Duration::ZERO);
    assert_eq!(viewer.before, None, "that is there");
    // It plays on where it is shown.
    viewer.act(Action::CatchUp, secs(1));
    assert_eq!(status(&viewer), "LIVE");
    let file = Growing::default();
    file.add(&tape[..tape.len() * 3 / 4]);
    let whole = Stage::of_tape(file, &[], &Options::default()).unwrap();
    viewer.replace(whole.follow().unwrap());
    viewer.go(at(5_000));
    assert_eq!((viewer.stage().position(), viewer.before), (at(5_000), None));
    assert!(viewer.play.is_playing());
    viewer.tick(secs(2));
    viewer.tick(secs(3));
    assert_eq!(viewer.stage().position(), at(6_000));
    // What does not grow any more has nothing before it.
    let ended = Stage::of_tape(late, &[], &Options::default()).unwrap();
    let mut viewer = Viewer::new(ended);
    viewer.go_to("0:05");
    assert_eq!(viewer.before, None);
}

/// After everything of a time in milliseconds.
fn at(millis: u64) -> Moment {
    Moment::after(Tick(millis))
}

#[test]
fn a_tape_that_grows_shows_what_the_whole_tape_shows() {
    let tape = tape();
    let mut whole = Stage::of_tape(tape.clone(), &[], &Options::default()).unwrap();
    let first = whole.view();
    for step in [997, 20_000] {
        whole.change_view(first).unwrap();
        let (mut viewer, file) = followed(&tape, tape.len() / 4);
        let mut ends = vec![viewer.stage().end()];
        for piece in tape[tape.len() / 4..].chunks(step) {
            file.add(piece);
            while viewer.read_on().unwrap() {}
            let end = viewer.stage().end();
            assert!(end >= *ends.last().unwrap(), "it never becomes shorter");
            if end > *ends.last().unwrap() {
                ends.push(end);
                viewer.act(Action::Last, Duration::ZERO);
                whole.seek(end).unwrap();
                assert!(viewer.stage().scene() == whole.scene(), "{end:?}");
            }
        }
        assert!(ends.len() > 3, "{ends:?}");
        assert!(!viewer.stage().is_growing());
        assert_eq!((viewer.stage().end(), &*status(&viewer)), (whole.end(), "recording has ended"));
        // Everything before can be gone to, as any view.
        for view in whole.views().iter() {
            viewer.act(Action::View(view), Duration::ZERO);
            whole.change_view(view).unwrap();
            for end in &ends {
                viewer.go(*end);
                whole.seek(*end).unwrap();
                assert!(viewer.stage().scene() == whole.scene(), "view {view}, {end:?}");
            }
        }
        let mut copy = Vec::new();
        let finished = viewer.play.stage.copy_tape(&mut |bytes| {
            copy.extend_from_slice(bytes);
            Ok(())
        });
        assert_eq!((finished, copy == tape), (Ok(true), true));
    }
}

#[test]
fn views_can_be_changed_while_it_grows_and_what_was_there_is_a_tape() {
    let tape = tape();
    let (mut viewer, file) = followed(&tape, tape.len() / 3);
    viewer.act(Action::NextView, Duration::ZERO);
    let view = viewer.stage().view();
    file.add(&tape[tape.len() / 3..tape.len() / 2]);
    let before = viewer.stage().end();
    while viewer.read_on().unwrap() {}
    assert!(viewer.stage().end() > before && viewer.stage().is_growing());
    viewer.act(Action::NextView, Duration::ZERO);
    assert_ne!(viewer.stage().view(), view);
    viewer.act(Action::CatchUp, Duration::ZERO);
    let (end, view) = (viewer.stage().end(), viewer.stage().view());
    let mut whole = Stage::of_tape(tape.clone(), &[], &Options::default()).unwrap();
    whole.change_view(view).unwrap();
    whole.seek(end).unwrap();
    assert!(viewer.stage().scene() == whole.scene());

    let mut copy = Vec::new();
    let finished = viewer.play.stage.copy_tape(&mut |bytes| {
        copy.extend_from_slice(bytes);
        Ok(())
    });
    assert_eq!((finished, tape.starts_with(&copy)), (Ok(false), true));
    let mut copied = Stage::of_tape(copy, &[], &Options::default()).unwrap();
    copied.change_view(view).unwrap();
    copied.seek(end).unwrap();
    assert!(copied.scene() == whole.scene());
}

/// Adds what was recorded up to the end of a second.
fn record_until(viewer: &mut Viewer<Growing>, file: &Growing, tape: &[u8], end: usize) {
    let known = file.0.borrow().len();
    file.add(&tape[known..end]);
    while viewer.read_on().unwrap() {}
}

fn milliseconds(viewer: &Viewer<Growing>) -> u64 {
    viewer.stage().position().next_tick().0
}

#[test]
fn somebody_who_is_live_goes_on_with_the_time_of_the_recording() {
    let (tape, ends) = seconds_tape(30);
    let (mut viewer, file) = followed(&tape, ends[9]);
    viewer.act(Action::CatchUp, secs(0));
    assert_eq!((status(&viewer).as_str(), milliseconds(&viewer)), ("LIVE", 10_000));
    // Nothing comes: it waits, and does not jump when something comes.
    viewer.tick(secs(60));
    assert_eq!((milliseconds(&viewer), viewer.play.is_playing()), (10_000, true));
    record_until(&mut viewer, &file, &tape, ends[10]);
    viewer.tick(secs(60) + Duration::from_millis(250));
    assert_eq!(milliseconds(&viewer), 10_250);
    record_until(&mut viewer, &file, &tape, ends[11]);
    viewer.tick(secs(61));
    assert_eq!((status(&viewer).as_str(), milliseconds(&viewer)), ("LIVE", 11_000));
    // A stall: five seconds come at once, and are made up for slowly.
    record_until(&mut viewer, &file, &tape, ends[15]);
    viewer.tick(secs(61));
    assert_eq!(status(&viewer), "5 s behind live");
    viewer.tick(secs(62));
    assert_eq!(milliseconds(&viewer), 12_050);
    // Much more comes at once: it is jumped over.
    record_until(&mut viewer, &file, &tape, ends[29]);
    viewer.tick(secs(62));
    assert_eq!((status(&viewer).as_str(), milliseconds(&viewer)), ("LIVE", 30_000));
    // The end of the recording is the end of play.
    record_until(&mut viewer, &file, &tape, tape.len());
    viewer.tick(secs(63));
    assert_eq!(
        (status(&viewer).as_str(), viewer.play.is_playing()),
        ("recording has ended", false)
    );
    assert!(viewer.message.as_deref().unwrap().contains("finished"));
}

#[test]
fn who_goes_back_stays_there_and_catches_up_when_asked() {
    let (tape, ends) = seconds_tape(30);
    let (mut viewer, file) = followed(&tape, ends[19]);
    viewer.act(Action::CatchUp, secs(0));
    viewer.act(Action::PlayOrPause, secs(0));
    assert_eq!(status(&viewer), "0 s behind live");
    record_until(&mut viewer, &file, &tape, ends[21]);
    viewer.tick(secs(9));
    assert_eq!((status(&viewer).as_str(), milliseconds(&viewer)), ("2 s behind live", 20_000));
    viewer.go(Moment::after(Tick(999)));
    assert_eq!(status(&viewer), "21 s behind live");
    viewer.act(Action::PlayOrPause, secs(10));
    viewer.tick(secs(12));
    assert_eq!((status(&viewer).as_str(), milliseconds(&viewer)), ("19 s behind live", 3_000));
    viewer.act(Action::Last, secs(13));
    assert_eq!((status(&viewer).as_str(), milliseconds(&viewer)), ("LIVE", 22_000));
    // From live one goes back and plays on; who plays to the end is live again, at normal speed.
    viewer.act(Action::Step(-40), secs(13));
    assert_eq!((status(&viewer).as_str(), viewer.play.is_playing()), ("2 s behind live", true));
    viewer.act(Action::Faster(1), secs(13));
    viewer.tick(secs(14));
    assert_eq!((status(&viewer).as_str(), &*viewer.play.speed()), ("LIVE", "×1"));
    record_until(&mut viewer, &file, &tape, ends[22]);
    viewer.tick(secs(14));
    viewer.tick(secs(15));
    assert_eq!(milliseconds(&viewer), 23_000);
    // Space at the end of what is there waits for more, and does not begin again.
    viewer.act(Action::PlayOrPause, secs(15));
    viewer.act(Action::PlayOrPause, secs(15));
    assert_eq!((status(&viewer).as_str(), milliseconds(&viewer)), ("LIVE", 23_000));
}

#[test]
fn what_is_no_tape_ends_the_growth_and_what_was_seen_stays() {
    let tape = tape();
    let (mut viewer, file) = followed(&tape, tape.len() / 2);
    viewer.act(Action::CatchUp, secs(0));
    let end = viewer.stage().end();
    file.add(&[0xAA; 4_000]);
    assert!(viewer.read_on().is_err());
    assert!(!viewer.stage().is_growing() && viewer.message.is_some());
    assert_eq!(viewer.read_on(), Ok(false));
    assert!(viewer.stage().end() >= end);
    viewer.go(end);
    assert_eq!(viewer.stage().position(), end);

    let (mut viewer, file) = followed(&tape, tape.len() / 2);
    file.0.borrow_mut().truncate(100);
    assert!(viewer.read_on().unwrap_err().to_string().contains("shorter"));
}

#[test]
fn views_that_are_seen_together_grow_together() {
    let tape = tape();
    let both: ViewSet = [1, 2].into_iter().filter_map(View::new).collect();
    let (mut viewer, file) = followed(&tape, tape.len() / 3);
    viewer.play.stage.change_views(both).unwrap();
    file.add(&tape[tape.len() / 3..tape.len() * 2 / 3]);
    while viewer.read_on().unwrap() {}
    viewer.act(Action::CatchUp, secs(0));
    let mut whole = Stage::of_tape(tape, &[], &Options::default()).unwrap();
    whole.change_views(both).unwrap();
    whole.seek(viewer.stage().end()).unwrap();
    assert!(viewer.stage().scene() == whole.scene());
    viewer.play.stage.report_until(viewer.stage().end()).unwrap();
    assert!(!viewer.stage().reported().is_empty());
}

#[test]
fn deltas_are_shown_as_they_come() {
    let whole = Log::open(sample::log(50, 3), &Options::default()).unwrap();
    let empty = Log::new(Markers::default(), &Options::default());
    let stage = Stage::<Growing>::of_gamelog(empty, &Options::default()).unwrap();
    let mut viewer = Viewer::new(stage.follow().unwrap());
    viewer.act(Action::CatchUp, secs(0));
    assert_eq!(status(&viewer), "LIVE");
    for delta in whole.deltas().take(30) {
        viewer.extend(delta.raw().as_bytes()).unwrap();
        viewer.tick(secs(1));
        assert_eq!(viewer.stage().position(), Moment::after(Tick(delta.index() as u64)));
    }
    viewer.act(Action::Step(-4), secs(1));
    viewer.act(Action::PlayOrPause, secs(1));
    assert_eq!(status(&viewer), "4 deltas behind live");
    for delta in whole.deltas().skip(30) {
        viewer.extend(delta.raw().as_bytes()).unwrap();
    }
    assert_eq!(status(&viewer), "24 deltas behind live");
    viewer.act(Action::CatchUp, secs(1));
    assert_eq!(status(&viewer), "LIVE");
    let opened = gametape_cadre::Timeline::load(whole, &Options::default()).unwrap();
    let state = viewer.stage().gamelog().unwrap().state();
    assert_eq!(state.hash(), opened.state().hash());
    assert!(viewer.extend(br#"{"game":7}"#).is_err());
    assert_eq!(status(&viewer), "recording has ended");
    viewer.act(Action::CatchUp, secs(1));
    assert!(viewer.message.as_deref().unwrap().contains("nothing more comes"));
}

#[test]
fn what_was_finished_does_not_grow() {
    let stage = Stage::of_tape(tape(), &[], &Options::default()).unwrap().follow().unwrap();
    assert!(!stage.is_growing() && !stage.was_followed());
    assert!(Viewer::new(stage).play.live_status().is_none());
}
