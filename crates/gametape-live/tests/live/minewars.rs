//! MineWars matches, with the classes of their messages.

use std::collections::BTreeMap;
use std::time::Duration;

use gametape_live::{
    Body, Classes, Classify, Data, Grant, Join, Message, MinewarsClasses, Publisher, Relay, Shared,
    Spectator, StartAt,
};
use gametape_minewars::sample::Sample;
use gametape_minewars::{
    Class, Coord, Dialect, Generation, ItemKind, Message as Change, Messages, ReplayFile,
    StructureKind, WriteOptions, write_file,
};
use gametape_replay::{ConvertOptions, PlayerOptions, Recording, minewars};
use gametape_tape::{Tape, cut_bytes};
use gametape_wire::{Tick, View, ViewSet};

use super::common::{name, received, view};

const NOW: Duration = Duration::ZERO;

fn match_of(generation: Generation) -> (gametape_minewars::Setup, Vec<u8>) {
    let sample = Sample { radius: 3, players: 2, cities: 2, moments: 200, ..Sample::default() };
    let (setup, frames) = sample.build(generation).unwrap();
    let file = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
    let options = ConvertOptions::new(1).with_spacing(600);
    (setup, minewars::to_tape(&ReplayFile::open(&file).unwrap(), &options).unwrap())
}

#[test]
fn whose_tile_it_is_decides_the_class() {
    let (setup, _) = match_of(Generation::Current);
    let raw = setup.encode(false).unwrap().into_bytes();
    let mut classes = MinewarsClasses::new(Generation::Current);
    let tile = Coord::new(0, 0);
    let payload = |changes: &[Change<'_>]| {
        let mut bytes = Vec::new();
        for change in changes {
            change.encode(Generation::Current, &mut bytes).unwrap();
        }
        bytes
    };
    let item = Change::Item { tile, kind: ItemKind::Mine };
    let own = Change::Owner { player: 1, tiles: tile.into() };
    let queued = Change::ConstructionQueued { tile, kind: StructureKind::Wall, points: 9 };
    let (gone, built) =
        (Change::StructureGone { tile }, Change::Structure { tile, kind: StructureKind::Wall });
    let mut split = |of: View, changes: &[Change<'_>]| {
        let bytes = payload(changes);
        let mut runs = Vec::new();
        classes.split(of, &bytes, &mut runs);
        assert_eq!(runs.iter().map(|(_, run)| run.len()).sum::<usize>(), bytes.len());
        runs.into_iter().map(|(class, _)| class).collect::<Vec<_>>()
    };
    assert_eq!(split(view(1), &[item]), [Class::PvP], "nothing is known without a setup");
    for of in [0, 1, 2] {
        classes.setup(view(of), &raw);
    }
    let mut split = |of: View, changes: &[Change<'_>]| {
        let bytes = payload(changes);
        let mut runs = Vec::new();
        classes.split(of, &bytes, &mut runs);
        runs.into_iter().map(|(class, _)| class).collect::<Vec<_>>()
    };
    use Class::{Background, Personal, PvP};
    assert_eq!(split(view(1), &[item, own, item]), [PvP, Personal], "first foreign, then own");
    assert_eq!(split(view(2), &[own, item]), [PvP], "it is the tile of another");
    assert_eq!(split(view(0), &[own, item]), [PvP], "nothing is the spectator's own");
    assert_eq!(
        split(view(1), &[gone, queued, gone]),
        [PvP, Personal],
        "nothing there, then pending"
    );
    assert_eq!(split(view(1), &[built, gone]), [PvP]);
    assert_eq!(split(view(1), &[]), [PvP]);
    let mut broken = Vec::new();
    classes.split(view(1), &[0x01, 0x08, 0xFF], &mut broken);
    assert_eq!(broken, [(Background, &[0x01][..]), (PvP, &[0x08, 0xFF][..])]);
}

/// The messages of a publisher, by lane and payload.
fn published(journal: &[u8]) -> (Publisher, Vec<Shared>) {
    let tape = Tape::open(journal).unwrap();
    let views = tape.views();
    let publisher = Publisher::new(name(), tape.header, &tape.metadata, views, usize::MAX);
    let mut publisher = publisher.unwrap();
    publisher.follow(journal, NOW).unwrap();
    let link = publisher.connect_all(NOW);
    let sent = publisher.poll(link, NOW, usize::MAX).into_iter().map(|out| out.bytes).collect();
    (publisher, sent)
}

#[test]
fn every_part_has_messages_of_its_class_alone() {
    for generation in Generation::ALL {
        let (_, journal) = match_of(generation);
        let (_publisher, sent) = published(&journal);
        let mut counted: BTreeMap<Class, u64> = BTreeMap::new();
        for bytes in &sent {
            let Ok(Some(data)) = Data::read(bytes) else { continue };
            let Body::Part(part) = data.body else { continue };
            for (_, run) in part.runs() {
                for message in Messages::new(run, 0, Dialect::from(generation)) {
                    let message = message.unwrap();
                    let class = data.lane.class();
                    assert!([message.class(), message.own_class()].contains(&class), "{message:?}");
                    *counted.entry(class).or_default() += 1;
                }
            }
        }
        let unreliable = counted[&Class::Unreliable];
        assert!(unreliable > 10 && counted.len() >= 4, "{counted:?}");
        assert!(sent.iter().all(|bytes| {
            !matches!(Data::read(bytes), Ok(Some(data)) if data.lane.class() == Class::Unreliable)
                || bytes.len() <= 1200
        }));
    }
}

#[test]
fn a_seat_plays_what_the_source_has() {
    let (_, journal) = match_of(Generation::Current);
    let (publisher, sent) = published(&journal);
    let announce = publisher.announce();
    let Message::Announce(announce) = Message::read(&announce).unwrap() else { panic!() };
    for seen in [0, 1, 2].map(|of| ViewSet::EMPTY.with(view(of))) {
        let mut relay = Relay::new(announce.clone(), seen, usize::MAX);
        for bytes in &sent {
            relay.receive_published(bytes, NOW).unwrap();
        }
        let grant = Grant { views: seen, classes: Classes::ALL, delay: 0 };
        let join = Join { from: StartAt::Tick(Tick::ZERO), ..Join::new(name(), seen) };
        let seat = relay.join(&join, &grant, NOW).unwrap();
        let mut spectator = Spectator::new(join);
        for out in relay.poll(seat, NOW, usize::MAX) {
            spectator.receive(&out.bytes, NOW).unwrap();
        }
        assert!(spectator.is_over());
        let saved = spectator.take_tape().unwrap();
        let of = seen.iter().next().unwrap();
        assert_eq!(received(&saved, of), received(&journal, of));
        let [one, other] = [&saved, &cut_bytes(&journal, seen, 5).unwrap().bytes].map(|tape| {
            let recording = Recording::open(&tape[..]).unwrap();
            let mut player = minewars::player(recording, of, PlayerOptions::default()).unwrap();
            let ticks = (0..8).map(|eighth| player.end().next_tick().0 * eighth / 8);
            let mut states = Vec::new();
            for tick in ticks.collect::<Vec<_>>() {
                player.seek(gametape_wire::Tick(tick)).unwrap();
                states.push(player.timeline().snapshot().state_hash());
            }
            assert!(player.report().is_sound());
            states
        });
        assert_eq!(one, other);
    }
}
