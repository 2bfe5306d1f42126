//! The tape of a spectator is the source's, cut to what it may see.

use std::time::Duration;

use gametape_analysis::{AnalysisEvent, KindSet, TapeEvents};
use gametape_live::{Join, Message, Spectator, StartAt};
use gametape_replay::streams::keyframes_of;
use gametape_replay::{OpeningTape, Player, PlayerOptions, Recording, Timeline};
use gametape_tape::{ChunkKind, Level, Tape, cut_bytes, verify_bytes};
use gametape_wire::{Moment, Source, Tick, View, ViewSet, drive};

use super::common::{Match, Plan, Toy, name, received, view, views};
use super::sessions::{NOW, grant, played};

/// The tape of a spectator who saw everything from a tick on.
fn watched(source: &Match, seen: ViewSet, from: u64) -> Vec<u8> {
    let (_publisher, mut relay) = played(source, source.pieces.len());
    let join = Join { from: StartAt::Tick(Tick(from)), ..Join::new(name(), seen) };
    let mut spectator = Spectator::new(join);
    let join = spectator.join();
    let Message::Join(join) = Message::read(&join).unwrap() else { panic!() };
    let seat = relay.join(&join, &grant(seen), NOW).unwrap();
    let mut tape = Vec::new();
    while !spectator.is_over() {
        for out in relay.poll(seat, NOW, 500) {
            spectator.receive(&out.bytes, NOW).unwrap();
            tape.extend(spectator.take_tape().unwrap());
        }
    }
    tape.extend(spectator.take_tape().unwrap());
    tape
}

fn plan(seed: u64) -> Plan {
    Plan { ticks: 50, events: true, extras: true, ..Plan::small(seed) }
}

fn events(tape: &[u8]) -> Vec<AnalysisEvent> {
    let opened = Tape::open(tape).unwrap();
    let events = TapeEvents::new(&opened, KindSet::ALL, Tick::ZERO..Tick::MAX, tape);
    events.map(Result::unwrap).collect()
}

/// The contents of chunks of a kind that are written as they are.
fn contents(tape: &[u8], kind: ChunkKind) -> Vec<(u16, Tick, Vec<u8>)> {
    let opened = Tape::open(tape).unwrap();
    let chunks = opened.chunks.iter().filter(|entry| entry.header.kind == kind);
    let mut found: Vec<_> = chunks
        .map(|entry| {
            let chunk = opened.read(entry, tape).unwrap();
            (entry.header.stream, entry.header.first_tick, chunk.raw().unwrap().into_owned())
        })
        .collect();
    found.sort();
    found
}

fn cut(source: &[u8], seen: ViewSet) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = source;
    let tape = gametape_replay::open::open_tape(&mut bytes, gametape_tape::Depth::Index).unwrap();
    let request = gametape_replay::cut::CutRequest::default().with_views(seen);
    let cut = gametape_replay::cut::cut_tape(&mut bytes, &tape, &request, &mut |some| {
        out.extend_from_slice(some);
        Ok(())
    });
    let _ = cut.unwrap();
    out
}

#[test]
fn who_saw_everything_has_the_tape_cut_to_its_views() {
    for seed in 0..10 {
        let source = plan(seed).play();
        for seen in [views(&[2]), views(&[0]), views(&[0, 1, 2]), views(&[1, 2])] {
            let saved = watched(&source, seen, 0);
            let cut = cut(&source.journal(), seen);
            for tape in [&saved, &cut] {
                let verified = verify_bytes(tape, Level::Chain, None).unwrap();
                assert!(verified.passed(), "{:?}", verified.report);
            }
            for view in seen.iter() {
                assert_eq!(received(&saved, view), received(&cut, view));
            }
            for kind in [
                ChunkKind::FULL_KEYFRAME,
                ChunkKind::DELTA_KEYFRAME,
                ChunkKind::SETUP,
                ChunkKind::NAMES,
                ChunkKind::RESOURCE,
                ChunkKind::GAP,
                ChunkKind::METADATA,
            ] {
                assert_eq!(contents(&saved, kind), contents(&cut, kind), "{kind} of {seen}");
            }
            assert!(!events(&saved).is_empty());
            let (mut one, mut other) = (events(&saved), events(&cut));
            if seen.len() > 1 {
                // Which of several views' events of a tick came first is not known.
                for events in [&mut one, &mut other] {
                    events.sort_by_key(|event| (event.tick(), format!("{event:?}")));
                }
            }
            assert_eq!(one, other, "events of {seen}");
        }
    }
}

#[test]
fn one_view_cut_again_is_the_source_cut_byte_for_byte() {
    for seed in 0..10 {
        let source = Plan { ticks: 50, ..Plan::small(seed) }.play();
        for seen in [views(&[2]), views(&[0])] {
            let saved = watched(&source, seen, 0);
            let again = cut_bytes(&saved, seen, 9).unwrap().bytes;
            assert!(again == cut_bytes(&source.journal(), seen, 9).unwrap().bytes);
        }
    }
}

#[test]
fn who_joins_late_has_the_tape_from_a_keyframe_on() {
    let source = plan(4).play();
    let saved = watched(&source, views(&[1]), 20);
    assert!(verify_bytes(&saved, Level::Chain, None).unwrap().passed());
    let all = received(&source.journal(), view(1));
    let late: Vec<_> = all.into_iter().filter(|(tick, _)| *tick >= 18).collect();
    assert_eq!(received(&saved, view(1)), late);
    let recording = Recording::open(&saved[..]).unwrap();
    assert_eq!(recording.open_tape().first_tick(), Tick(18));
    let keyframes = contents(&saved, ChunkKind::FULL_KEYFRAME);
    assert!(keyframes.iter().all(|(stream, ..)| *stream == keyframes_of(view(1))));
}

/// The state that a player of a growing tape shows is the source's.
#[test]
fn a_growing_tape_is_played_while_it_comes() {
    let source = plan(7).play();
    let (mut publisher, mut relay) = played(&source, 9);
    let link = publisher.connect_all(NOW);
    let seen = views(&[2]);
    let mut spectator = Spectator::new(Join::new(name(), seen));
    let Message::Join(join) = Message::read(&spectator.join().clone()).unwrap().clone() else {
        panic!()
    };
    let seat = relay.join(&join, &grant(seen), NOW).unwrap();
    let mut tape = Vec::new();
    let mut player: Option<Player<_>> = None;
    let mut compared = 0;
    for (index, piece) in source.pieces.iter().enumerate().skip(9) {
        let now = Duration::from_millis(50 * index as u64);
        publisher.follow(piece, now).unwrap();
        for out in publisher.poll(link, now, usize::MAX) {
            relay.receive_published(&out.bytes, now).unwrap();
        }
        for out in relay.poll(seat, now, usize::MAX) {
            spectator.receive(&out.bytes, now).unwrap();
        }
        let more = spectator.take_tape().unwrap();
        tape.extend_from_slice(&more);
        match &mut player {
            None => player = Some(open(&tape)),
            Some(player) => player.extend(&more).unwrap(),
        }
        let player = player.as_mut().unwrap();
        let end = player.end().next_tick().0;
        for tick in [end, end.saturating_sub(1), end * 2 / 3] {
            let tick = tick.max(player.begin().next_tick().0);
            if !player.seek(Moment::before(Tick(tick))).unwrap().is_ready() {
                drive(player, &mut &tape[..]).unwrap();
            }
            let last = (tick as usize).checked_sub(1);
            let states = &source.states[&view(2)];
            let expected = last.map_or(Toy::START, |last| states[last.min(states.len() - 1)]);
            assert_eq!(*player.state(), expected, "before tick {tick}");
            compared += 1;
        }
        assert_eq!(player.findings(), []);
    }
    assert!(spectator.is_over() && compared > 100);
}

fn open(tape: &[u8]) -> Player<gametape_replay::ViewTrack<Toy>> {
    let mut opening = OpeningTape::new(Source::length(&tape));
    drive(&mut opening, &mut &tape[..]).unwrap();
    let open = opening.finish().unwrap();
    let mut player =
        Player::view(open, View::new(2).unwrap(), Toy::START, PlayerOptions::default()).unwrap();
    player.follow().unwrap();
    player
}
