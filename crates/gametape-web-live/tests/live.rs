//! A page at a match: over connections that break off, and by segments.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::time::Duration;

use gametape_live::{
    Announce, Classes, Grant, Message, Publisher, Relay, SeatId, Segmenter, Shared, Stored,
};
use gametape_tape::{Tape, TapeHeader, TapeWriter};
use gametape_web_live::{Seat, Segments};
use gametape_wire::{Tick, TickLength, View, ViewSet};
use serde_json::Value;

const NOW: Duration = Duration::ZERO;

fn views(numbers: &[u8]) -> ViewSet {
    numbers.iter().filter_map(|number| View::new(*number)).collect()
}

/// A match of 100 ticks that was published; its messages as a relay gets them.
fn published() -> (Announce, Vec<Shared>) {
    let header = TapeHeader::new(TickLength::millis::<50>(), 0xB0A7);
    let [ana, ben] = [1, 2].map(|number| View::new(number).unwrap());
    let mut journal = TapeWriter::new(header, b"{}").unwrap();
    let all = views(&[1, 2]);
    let mut publisher =
        Publisher::new("finals".parse().unwrap(), header, "{}", all, 64 << 20).unwrap();
    for tick in 0..100u64 {
        let text = format!("ben {tick}");
        journal.frame(0, Tick(tick), &[(ana, b"for ana"), (ben, text.as_bytes())]).unwrap();
        journal.flush().unwrap();
        publisher.follow(&journal.take(), NOW).unwrap();
    }
    publisher.follow(&journal.finish().unwrap(), NOW).unwrap();
    let Message::Announce(announce) = Message::read(&publisher.announce()).unwrap() else {
        panic!("no announcement");
    };
    let link = publisher.connect_all(NOW);
    let out = publisher.poll(link, NOW, usize::MAX);
    (announce, out.into_iter().map(|out| out.bytes).collect())
}

fn seat_of(relay: &mut Relay, join: &Shared) -> SeatId {
    let Message::Join(join) = Message::read(join).unwrap() else { panic!("no join") };
    let grant = Grant { views: views(&[2]), classes: Classes::ALL, delay: 0 };
    relay.join(&join, &grant, NOW).unwrap()
}

fn parsed(notices: &str) -> Vec<Value> {
    serde_json::from_str(notices).unwrap()
}

/// The frames of a tape, one after the other.
fn frames(tape: &[u8]) -> Vec<u8> {
    let opened = Tape::open(tape).unwrap();
    assert_eq!(opened.views(), views(&[2]));
    let mut all = Vec::new();
    for chunk in &opened.chunks {
        let range = chunk.range();
        let bytes = &tape[range.start as usize..range.end as usize];
        let chunk = gametape_tape::Chunk::read(bytes, range.start).unwrap();
        if chunk.header.kind == gametape_tape::ChunkKind::FRAMES {
            all.extend(chunk.raw().unwrap().iter());
        }
    }
    all
}

#[test]
fn a_seat_goes_on_over_another_connection_and_has_everything_once() {
    let (announce, messages) = published();
    let mut relay = Relay::new(announce, views(&[1, 2]), 64 << 20);
    // Everything that the pass allows is asked for.
    let mut page = Seat::new("finals", u16::MAX, None, "").unwrap();
    let mut seat = seat_of(&mut relay, &page.join());
    let mut tape = Vec::new();
    let mut notices = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        relay.receive_published(message, NOW).unwrap();
        if index % 50 == 7 {
            // The connection breaks off, with what was on its way.
            relay.poll(seat, NOW, 3);
            seat = seat_of(&mut relay, &page.join());
        }
        for out in relay.poll(seat, NOW, usize::MAX) {
            page.receive(&out.bytes, index as f64).unwrap();
        }
        tape.extend(page.tape().unwrap());
        notices.extend(parsed(&page.notices()));
    }
    assert_eq!(notices[0]["welcome"]["views"], serde_json::json!([2]));
    assert_eq!(notices.last().unwrap()["over"], true, "{notices:?}");
    assert!(notices.iter().all(|notice| notice.get("lost").is_none()), "{notices:?}");
    assert_eq!(notices.iter().filter(|notice| notice.get("began").is_some()).count(), 1);
    let all = String::from_utf8_lossy(&frames(&tape)).into_owned();
    assert!(!all.contains("for ana"));
    for tick in 10..100 {
        assert_eq!(all.matches(&format!("ben {tick}")).count(), 1, "{tick}");
    }
}

#[test]
fn a_seek_begins_another_tape() {
    let (announce, messages) = published();
    let mut relay = Relay::new(announce, views(&[1, 2]), 64 << 20);
    for message in &messages[..messages.len() / 2] {
        relay.receive_published(message, NOW).unwrap();
    }
    let mut page = Seat::new("finals", 1 << 2, None, "").unwrap();
    let seat = seat_of(&mut relay, &page.join());
    relay.poll(seat, NOW, usize::MAX).iter().for_each(|out| page.receive(&out.bytes, 0.0).unwrap());
    page.tape().unwrap();
    page.notices();
    page.seek(Some(Tick(3)));
    let seek = page.next_message().unwrap();
    assert_eq!(&*seek, [7, 4]);
    assert!(page.next_message().is_none());
    relay.receive(seat, &seek, NOW).unwrap();
    relay.poll(seat, NOW, usize::MAX).iter().for_each(|out| page.receive(&out.bytes, 0.0).unwrap());
    let notices = parsed(&page.notices());
    assert_eq!(notices[0]["began"], 0);
    assert!(TapeHeader::read(&page.tape().unwrap()).is_ok());
}

#[test]
fn segments_give_the_same_frames() {
    let (announce, messages) = published();
    let view = View::new(2).unwrap();
    let mut segmenter = Segmenter::new(&announce, view).unwrap();
    messages.iter().for_each(|message| segmenter.receive(message, NOW).unwrap());
    let mut page = Segments::new(2, Some(Tick::ZERO)).unwrap();
    let (mut tape, mut notices) = (Vec::new(), Vec::new());
    let last = Some(Tick(1000));
    for now in (0..20_000).step_by(100) {
        for file in page.poll(f64::from(now)) {
            let bytes: Option<Shared> = match file.as_str() {
                "now" => Some(serde_json::to_vec(&segmenter.now(last)).unwrap().into()),
                "init" => segmenter.init(last),
                "end" => segmenter.end(last),
                name => {
                    let (kind, slot) = name.split_once('/').unwrap();
                    let slot = slot.parse().unwrap();
                    match kind {
                        "delta" => segmenter.delta(slot, last).and_then(Stored::into_here),
                        _ => segmenter.keyframe(slot, last).map(|parts| {
                            let parts = parts.into_iter().filter_map(Stored::into_here);
                            parts.collect::<Vec<_>>().concat().into()
                        }),
                    }
                }
            };
            page.answer(&file, bytes.as_deref(), f64::from(now)).unwrap();
        }
        tape.extend(page.tape());
        notices.extend(parsed(&page.notices()));
    }
    assert_eq!(notices.last().unwrap()["over"], true, "{notices:?}");
    assert!(String::from_utf8_lossy(&frames(&tape)).contains("ben 99"));
    assert!(page.answer("../now", None, 0.0).is_err());
}

#[test]
fn what_cannot_be_asked_for_is_a_sentence() {
    assert!(Seat::new("../etc", 1, None, "").unwrap_err().contains("name of a match"));
    assert!(Seat::new("m", 0, None, "").unwrap_err().contains("view"));
    assert!(Seat::new("m", 1, None, "letmein").unwrap_err().contains("gtp1_"));
    assert!(Segments::new(16, None).unwrap_err().contains("16"));
    let mut page = Seat::new("m", 1, None, "").unwrap();
    assert!(page.receive(&[0xFF, 1, 2], f64::NAN).is_err());
}
