//! Live sessions: whatever the other side sends, nothing panics, nothing is claimed that is not so, and
//! nothing leaves that may not.

use std::sync::Arc;
use std::time::Duration;

use gametape_live::{
    Announce, Body, Classes, Data, Grant, Join, MatchName, Message, Moved, Pass, Publisher, Relay,
    SegmentFollower, Shared, Spectator, StartAt, Stored, Welcome,
};
use gametape_tape::{
    Cadence, KeyframeMaker, SigningKey, SimSnapshot, Tape, TapeHeader, TapeWriter,
};
use gametape_wire::{Error, Result, Tick, TickLength, View, ViewSet};

use crate::Seed;

const METADATA: &str = "{}";
const DELAY: u64 = 3;

fn name() -> Result<MatchName> {
    "m1".parse()
}

fn views() -> ViewSet {
    ViewSet::from_bits(0b111)
}

fn header() -> TapeHeader {
    TapeHeader::new(TickLength::millis::<50>(), 7)
}

/// Entries of a transcript: a byte, a length of two bytes, bytes.
fn entries(mut data: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    std::iter::from_fn(move || {
        let (&[what, low, high], rest) = data.split_first_chunk()?;
        let length = usize::from(u16::from_le_bytes([low, high])).min(rest.len());
        let (bytes, rest) = rest.split_at(length);
        data = rest;
        Some((what, bytes))
    })
}

fn entry(what: u8, bytes: &[u8]) -> Vec<u8> {
    [&[what][..], &(bytes.len() as u16).to_le_bytes(), bytes].concat()
}

/// A message that can be read is written as it was; so is a pass.
pub fn message(data: &[u8]) {
    if let Ok(message) = Message::read(data) {
        assert_eq!(message.to_bytes()[..], *data);
    }
    if let Ok(pass) = Pass::read(data) {
        assert_eq!(pass.to_bytes(), data);
        assert_eq!(pass.to_string().parse(), Ok(pass));
    }
    if let Ok(text) = std::str::from_utf8(data)
        && let Ok(pass) = text.parse::<Pass>()
    {
        assert_eq!(pass.to_string(), text.trim());
    }
}

/// Whatever a relay sends, a spectator's tape is sound, or the session ends with an error.
pub fn spectator(data: &[u8]) {
    let Ok(name) = name() else { return };
    let mut spectator = Spectator::new(Join::new(name, views()));
    let mut tape = Vec::new();
    let mut now = Duration::ZERO;
    for (what, bytes) in entries(data) {
        now += Duration::from_millis(u64::from(what) * 20);
        let received = match what & 3 {
            3 => {
                if what & 4 > 0 {
                    let _ = spectator.seek(StartAt::Tick(Tick(bytes.len() as u64)));
                    tape.clear();
                }
                spectator.poll(now).map(drop)
            }
            _ => spectator.receive(&Shared::from(bytes), now),
        };
        let is_new = spectator
            .notices()
            .iter()
            .any(|notice| matches!(notice, gametape_live::Notice::Began { .. }));
        if is_new {
            tape.clear();
        }
        if received.is_err() {
            return;
        }
        match spectator.take_tape() {
            Ok(more) => tape.extend(more),
            Err(_) => return,
        }
    }
    if spectator.is_over() {
        let opened = Tape::open(&tape);
        assert!(opened.is_ok_and(|tape| tape.is_finished() && tape.damages.is_empty()));
    }
}

/// Whatever publishers and seats send, a seat gets nothing of other views and nothing that is too young.
pub fn relay(data: &[u8]) {
    let Ok(name) = name() else { return };
    let announce = Announce {
        name: name.clone(),
        views: views(),
        header: header(),
        metadata: METADATA.to_owned(),
        pass: Vec::new(),
    };
    let mut relay = Relay::new(announce, views(), 1 << 16);
    let one = ViewSet::EMPTY.with(View::SPECTATOR);
    let grant = Grant { views: one, classes: Classes::ALL, delay: DELAY };
    let Ok(mut seat) = relay.join(&Join::new(name, views()), &grant, Duration::ZERO) else {
        return;
    };
    // By the clock of the relay nothing passes, so that only marks say what is over.
    let now = Duration::ZERO;
    let mut over = None;
    for (what, bytes) in entries(data) {
        if what & 1 == 0 {
            let bytes = Shared::from(bytes);
            let read = relay.receive_published(&bytes, now);
            if let (Ok(_), Ok(Message::Mark(mark))) = (read, Message::read(&bytes)) {
                over = over.max(Some(mark.tick));
            }
        } else if let Ok(Message::Join(join)) = Message::read(bytes) {
            relay.leave(seat);
            match relay.join(&join, &grant, now) {
                Ok(other) => seat = other,
                Err(_) => return,
            }
        } else if relay.receive(seat, bytes, now).is_err() {
            return;
        }
        let _ = relay.poll_publisher(now);
        for out in relay.poll(seat, now, 4096) {
            check(&out.bytes, over.map(|tick| tick.0));
        }
    }
}

fn check(bytes: &Shared, over: Option<u64>) {
    let (view, tick) = match Message::read(bytes) {
        Ok(Message::Data(data)) => (data.view, data.tick),
        Ok(Message::Mark(mark)) => (mark.view, mark.tick),
        Ok(Message::Moved(Moved { view, tick, .. })) => (view, tick),
        Ok(_) => return,
        Err(error) => panic!("{error}"),
    };
    assert_eq!(view, View::SPECTATOR);
    assert!(
        tick == Tick::ZERO || over.is_some_and(|over| tick + DELAY <= Tick(over)),
        "tick {tick} of {over:?}"
    );
}

/// Whatever files come, a follower makes a tape or refuses them.
pub fn segments(data: &[u8]) {
    let mut follower = SegmentFollower::new(View::SPECTATOR, StartAt::Live);
    let mut files = entries(data);
    let mut now = Duration::ZERO;
    for _ in 0..64 {
        now += Duration::from_millis(250);
        for file in follower.poll(now) {
            let Some((what, bytes)) = files.next() else { return };
            let bytes = Some(bytes).filter(|_| what & 1 == 0);
            if follower.answer(file, bytes, now).is_err() {
                return;
            }
            let _ = follower.take_tape();
        }
    }
}

/// A small match: what its publisher sends.
fn published() -> Result<Vec<Shared>> {
    let mut journal = TapeWriter::new(header(), METADATA.as_bytes())?;
    journal.setup(0, ViewSet::ALL, b"setup")?;
    let mut keyframes = KeyframeMaker::new(Cadence::every(4));
    let view = View::SPECTATOR;
    let own = ViewSet::EMPTY.with(view);
    for tick in 0..12 {
        if tick % 4 == 0 {
            let state = SimSnapshot::opaque(Tick(tick), &[tick as u8; 40])?;
            journal.keyframe(16, own, &keyframes.make(state))?;
        }
        journal.frame_for_all(0, Tick(tick), views(), &[tick as u8; 3])?;
    }
    journal.closing_metadata(br#"{"outcome":"won"}"#)?;
    let bytes = [journal.take(), journal.finish()?].concat();
    let mut publisher = Publisher::new(name()?, header(), METADATA, views(), usize::MAX)?;
    publisher.follow(&bytes, Duration::ZERO)?;
    let link = publisher.connect_all(Duration::ZERO);
    let sent = publisher.poll(link, Duration::ZERO, usize::MAX);
    Ok(sent.into_iter().map(|out| out.bytes).collect())
}

/// One message of each kind.
pub fn message_seeds() -> Result<Vec<Seed>> {
    let announce = Announce {
        name: name()?,
        views: views(),
        header: header(),
        metadata: METADATA.to_owned(),
        pass: Vec::new(),
    };
    let welcome = Welcome {
        name: name()?,
        views: views(),
        classes: Classes::ALL,
        delay: DELAY,
        header: header(),
        metadata: METADATA.to_owned(),
    };
    let moved = Moved {
        view: View::SPECTATOR,
        tick: Tick(4),
        first: [1, 2, 3, 4, 5, 6, 7],
        prelude: vec![0, 3],
    };
    let grant = Grant { views: views(), classes: Classes::ALL, delay: DELAY };
    let pass = Pass::sign(name()?, grant, 2_000_000_000, &SigningKey::from_seed(&[7; 32]));
    let join = Join { pass: pass.to_bytes(), ..Join::new(name()?, views()) };
    let messages = published()?;
    let find = |is_wanted: fn(&Data<'_>) -> bool| {
        let found = messages.iter().find(|bytes| {
            Data::read(bytes).is_ok_and(|data| data.is_some_and(|data| is_wanted(&data)))
        });
        found.map(|bytes| bytes.to_vec()).ok_or_else(|| Error::misuse("seed", "no such message"))
    };
    Ok(vec![
        Seed::new("announce", Message::Announce(announce).to_bytes().to_vec()),
        Seed::new("welcome", Message::Welcome(welcome).to_bytes().to_vec()),
        Seed::new("moved", Message::Moved(moved).to_bytes().to_vec()),
        Seed::new("join", Message::Join(join).to_bytes().to_vec()),
        Seed::new("part", find(|data| data.lane.has_parts())?),
        Seed::new("keyframe", find(|data| matches!(data.body, Body::Chunk(_, Some(_))))?),
        Seed::new("pass", pass.to_bytes()),
        Seed::new("pass-text", pass.to_string()),
    ])
}

fn announced() -> Result<Announce> {
    Ok(Announce {
        name: name()?,
        views: views(),
        header: header(),
        metadata: METADATA.to_owned(),
        pass: Vec::new(),
    })
}

/// A relay that has all of the match.
fn full_relay() -> Result<Relay> {
    let mut relay = Relay::new(announced()?, views(), usize::MAX);
    for bytes in published()? {
        relay.receive_published(&bytes, Duration::ZERO)?;
    }
    Ok(relay)
}

/// What a spectator receives who watches from the start, and one who joins late.
pub fn spectator_seeds() -> Result<Vec<Seed>> {
    let mut seeds = Vec::new();
    let grant = Grant { views: views(), classes: Classes::ALL, delay: 0 };
    for (name, from) in [("from-the-start", StartAt::Tick(Tick::ZERO)), ("late", StartAt::Live)] {
        let mut relay = full_relay()?;
        let join = Join { from, ..Join::new("m1".parse()?, views()) };
        let refused = |_| Error::misuse("seed", "refused");
        let seat = relay.join(&join, &grant, Duration::ZERO).map_err(refused)?;
        let sent = relay.poll(seat, Duration::ZERO, usize::MAX);
        let bytes: Vec<u8> = sent.iter().flat_map(|out| entry(0, &out.bytes)).collect();
        seeds.push(Seed::new(name, bytes));
    }
    Ok(seeds)
}

/// What a relay receives from its publisher, with a seat that asks for more than it may have.
pub fn relay_seeds() -> Result<Vec<Seed>> {
    let mut bytes = Vec::new();
    for (index, message) in published()?.iter().enumerate() {
        bytes.extend(entry(0, message));
        if index % 9 == 5 {
            let lane = gametape_live::Lane::TAPE;
            let again = gametape_live::Again { view: View::SPECTATOR, lane, numbers: 0..64 };
            bytes.extend(entry(1, &Message::Again(again).to_bytes()));
            bytes.extend(entry(1, &Message::Seek(StartAt::Tick(Tick(1 << 40))).to_bytes()));
        }
    }
    let lacks = vec![(View::SPECTATOR, [1; 7])];
    let join = Join { lacks, ..Join::new(name()?, views()) };
    let again = [bytes.clone(), entry(1, &Message::Join(join).to_bytes()), bytes.clone()].concat();
    Ok(vec![Seed::new("match", bytes), Seed::new("joins-again", again)])
}

/// The files of a match.
pub fn segment_seeds() -> Result<Vec<Seed>> {
    let mut segmenter = gametape_live::Segmenter::new(&announced()?, View::SPECTATOR)?;
    for bytes in published()? {
        segmenter.receive(&bytes, Duration::ZERO)?;
    }
    let all = Some(Tick::MAX);
    let now = serde_json::to_vec(&segmenter.now(all))
        .map_err(|_| Error::misuse("seed", "no document"))?;
    let file = |file: Option<Shared>| file.unwrap_or_else(|| Arc::from([]));
    let keyframe = segmenter.keyframe(0, all).unwrap_or_default().into_iter();
    let keyframe = keyframe.filter_map(Stored::into_here).collect::<Vec<_>>().concat();
    let files = [
        entry(0, &now),
        entry(0, &file(segmenter.init(all))),
        entry(0, &keyframe),
        entry(0, &file(segmenter.delta(0, all).and_then(Stored::into_here))),
        entry(0, &file(segmenter.end(all))),
    ];
    Ok(vec![Seed::new("match", files.concat())])
}
