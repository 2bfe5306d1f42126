//! What a game publishes by itself is what somebody publishes who reads its journal: byte for byte.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gametape_live::{Data, JournalStart, Lane, Message, Publisher};
use gametape_replay::{LiveSink, Next, Recorder, RecorderOptions};
use gametape_tape::{Cadence, SimSnapshot, TapeHeader};
use gametape_wire::{Tick, TickLength, View, ViewSet};
use proptest::prelude::*;

const METADATA: &str = r#"{"players":[{"view":1,"name":"Ana"},{"view":2,"name":"Ben"}]}"#;
const WINDOW: usize = 64 << 20;

fn views() -> ViewSet {
    [0, 1, 2].into_iter().filter_map(View::new).collect()
}

fn header() -> TapeHeader {
    TapeHeader::new(TickLength::millis::<50>(), 0xB0A7)
}

fn publisher() -> Publisher {
    Publisher::new("m1".parse().unwrap(), header(), METADATA, views(), WINDOW).unwrap()
}

/// Gives everything to a publisher, as the sink of this crate does.
#[derive(Debug)]
struct Given(Arc<Mutex<Publisher>>);

impl LiveSink for Given {
    fn frame(&mut self, tick: Tick, parts: &[(ViewSet, &[u8])]) {
        let each = |part: &(ViewSet, _)| {
            let payload = part.1;
            part.0.iter().map(move |view| (view, payload)).collect::<Vec<(View, &[u8])>>()
        };
        let parts: Vec<(View, &[u8])> = parts.iter().flat_map(each).collect();
        self.0.lock().unwrap().frame(tick, &parts, Duration::ZERO).unwrap();
    }

    fn end_tick(&mut self, tick: Tick) {
        self.0.lock().unwrap().end_tick(tick, Duration::ZERO).unwrap();
    }

    fn journal(&mut self, bytes: &[u8]) {
        self.0.lock().unwrap().follow(bytes, Duration::ZERO).unwrap();
    }
}

/// Numbered messages by view, lane and number; marks by view and tick.
#[derive(Debug, Default, PartialEq, Eq)]
struct Made {
    data: BTreeMap<(View, Lane, u64), Vec<u8>>,
    marks: BTreeMap<(View, u64), Vec<u8>>,
}

fn made(publisher: &mut Publisher) -> Made {
    let link = publisher.connect_all(Duration::ZERO);
    let mut made = Made::default();
    for out in publisher.poll(link, Duration::ZERO, usize::MAX) {
        if let Some(of) = Data::read(&out.bytes).unwrap() {
            made.data.insert((of.view, of.lane, of.number), out.bytes.to_vec());
        } else if let Message::Mark(mark) = Message::read(&out.bytes).unwrap() {
            made.marks.insert((mark.view, mark.tick.0), out.bytes.to_vec());
        }
    }
    made
}

/// What a game does at a tick.
#[derive(Debug, Clone)]
enum Act {
    Frame(u8),
    ForAll,
    Names,
    Setup,
    Resource,
    /// Time passes, so that chunks are written.
    Write,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (1u8..8).prop_map(Act::Frame),
        1 => Just(Act::ForAll),
        1 => Just(Act::Names),
        1 => Just(Act::Setup),
        1 => Just(Act::Resource),
        2 => Just(Act::Write),
    ]
}

fn keyframes(recorder: &Recorder, tick: Tick, must: bool) {
    for view in views().iter() {
        if must || recorder.view_keyframe_due(view, tick) {
            let state = SimSnapshot::opaque(tick, &[view.number(); 40]).unwrap();
            recorder.view_keyframe(view, state).unwrap();
        }
    }
}

fn give(recorder: &Recorder, tick: Tick, act: &Act, now: &mut Duration) {
    match act {
        Act::Frame(bits) => {
            let payload = [*bits, tick.0 as u8];
            let own = views().iter().filter(|view| bits & (1 << view.number()) != 0);
            let parts: Vec<(View, &[u8])> = own.map(|view| (view, &payload[..])).collect();
            recorder.frame(tick, &parts).unwrap();
        }
        Act::ForAll => recorder.frame_for_all(tick, views(), b"all").unwrap(),
        Act::Names => drop(recorder.names(&["a", "b"]).unwrap()),
        Act::Setup => recorder.setup(views(), *b"setup").unwrap(),
        Act::Resource => recorder.resource("r", views(), *b"content").unwrap(),
        Act::Write => *now += Duration::from_secs(1),
    }
}

/// Plays; gives the publisher that was given everything, and the journal.
fn play(ticks: &[Vec<Act>], has_early_keyframe: bool) -> (Arc<Mutex<Publisher>>, Vec<u8>) {
    let live = Arc::new(Mutex::new(publisher().with_given_frames()));
    let options = RecorderOptions::default().with_cadence(Cadence::every(7));
    let sink = Cursor::new(Vec::new());
    let (recorder, mut pump) =
        Recorder::with_pump(sink, header(), METADATA.as_bytes(), &options).unwrap();
    pump.publish(Box::new(Given(Arc::clone(&live))));
    let mut now = Duration::ZERO;
    for (tick, acts) in (0..).map(Tick).zip(ticks) {
        if tick.0 > 0 || has_early_keyframe {
            keyframes(&recorder, tick, false);
        }
        acts.iter().for_each(|act| give(&recorder, tick, act, &mut now));
        recorder.end_tick(tick);
        pump.step(now);
    }
    // The last tick is known by the keyframe after it.
    keyframes(&recorder, Tick(ticks.len() as u64), true);
    recorder.closing_metadata(b"{}").unwrap();
    let _closing = recorder.close();
    while pump.step(now) != Next::Done {}
    (live, pump.into_sink().into_inner())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn the_sink_and_the_journal_make_the_same_messages(
        ticks in proptest::collection::vec(proptest::collection::vec(act(), 0..4), 1..40),
        has_early_keyframe: bool,
    ) {
        let (live, journal) = play(&ticks, has_early_keyframe);
        prop_assert!(JournalStart::read(&journal).unwrap().is_some());
        let mut followed = publisher();
        followed.follow(&journal, Duration::ZERO).unwrap();
        let mut live = live.lock().unwrap();
        prop_assert!(live.is_over() && followed.is_over());
        prop_assert_eq!(made(&mut live), made(&mut followed));
    }
}
