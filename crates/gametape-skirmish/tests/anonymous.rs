//! Every match that is recorded can be handed out without names: whatever was done to its tape before,
//! what is left verifies and runs again.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "shared/scale.rs"]
mod scale;

use gametape_minewars::Generation;
use gametape_replay::anonymize::{Anonymized, anonymize};
use gametape_replay::cut::{CutRequest, cut_tape};
use gametape_replay::open::{OpenOptions, open};
use gametape_replay::{DeepLevel, Playback, PlayerOptions, Recording, minewars};
use gametape_skirmish::{
    Config, Match, SkirmishGame, Style, metadata, record_match, recorded_game,
};
use gametape_tape::{Level, SigningKey, Tape, TapeWriter, pack_bytes, verify_bytes};
use gametape_wire::{Moment, Tick, View, When};

use scale::scaled;

/// A match with several keyframes of the simulation after each other, of one to three deltas.
fn recorded(seed: u64) -> Vec<u8> {
    let generation = Generation::ALL[seed as usize % Generation::ALL.len()];
    let config = Config::new(2 + (seed % 3) as u8, 6, seed);
    let mut game = Match::new(config.clone(), &Style::ALL, generation).unwrap();
    let about = metadata(&config, generation);
    record_match(&mut game, &about, 7, Tick(601 + 300 * (seed % 3))).unwrap()
}

fn signed(bytes: &[u8]) -> Vec<u8> {
    let tape = Tape::open(bytes).unwrap();
    let mut writer = TapeWriter::new(tape.header, tape.metadata.as_bytes()).unwrap();
    for entry in &tape.chunks[1..] {
        writer.copy(&tape.read(entry, bytes).unwrap(), entry.header.views).unwrap();
    }
    writer.sign(&SigningKey::from_seed(&[7; 32])).unwrap();
    [writer.take(), writer.finish().unwrap()].concat()
}

/// What is on the disk when the recorder is killed: some chunks, and no index.
fn unfinished(bytes: &[u8]) -> Vec<u8> {
    let tape = Tape::open(bytes).unwrap();
    let last = &tape.chunks[tape.chunks.len() * 3 / 4];
    bytes[..last.range().end as usize].to_vec()
}

fn anonymous(bytes: &[u8]) -> (Vec<u8>, Anonymized) {
    let mut out = Vec::new();
    let opened = open(bytes, &OpenOptions::default()).unwrap();
    let made = anonymize(opened, &[&SkirmishGame], &mut |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    });
    (out, made.unwrap())
}

/// Everything that verification looks at, down to the re-simulation.
fn check(bytes: &[u8], what: &str) {
    let verified = verify_bytes(bytes, Level::Chain, None).unwrap();
    assert!(verified.passed(), "{what}: {:?}", verified.report);
    let open = || Recording::open(bytes).unwrap();
    let options = PlayerOptions::default();
    for view in Tape::open(bytes).unwrap().views().iter() {
        let mut player = minewars::player(open(), view, options).unwrap();
        let verified = player.verify(DeepLevel::Keyframes).unwrap();
        assert!(verified.passed(), "{what}, view {view:?}: {:?}", verified.report);
    }
    let game = recorded_game(&mut open()).unwrap();
    let mut player = Playback::simulation(open(), game, options).unwrap();
    let verified = player.verify(DeepLevel::Simulation).unwrap();
    assert!(verified.passed(), "{what}: {:?}", verified.report);
}

fn keyframes(bytes: &[u8]) -> Vec<(u16, Tick)> {
    let tape = Tape::open(bytes).unwrap();
    tape.keyframes.entries().iter().map(|entry| (entry.stream, entry.tick)).collect()
}

#[test]
fn every_match_is_anonymised_verifies_and_runs_again() {
    for seed in 0..scaled(6) {
        let tape = recorded(seed);
        let changed = [
            ("recorded", tape.clone()),
            ("packed", pack_bytes(&tape).unwrap()),
            ("signed", signed(&tape)),
            ("unfinished", unfinished(&tape)),
        ];
        for (how, bytes) in changed {
            let what = format!("seed {seed}, {how}");
            let (made, report) = anonymous(&bytes);
            assert!(report.remaining.is_empty(), "{what}: {:?}", report.remaining);
            assert!(report.removed["names of players in frames"] >= 2, "{what}");
            assert_eq!(keyframes(&made), keyframes(&bytes), "{what}");
            check(&made, &what);
            assert_eq!(state_at_end(&made), state_at_end(&bytes), "{what}");
        }
    }
}

/// Names that were received before a part begins are in its keyframes.
#[test]
fn a_part_of_a_match_is_anonymised_from_its_keyframes() {
    let config = Config::new(2, 12, 2);
    let mut game = Match::new(config.clone(), &Style::ALL, Generation::Current).unwrap();
    let about = metadata(&config, Generation::Current);
    let whole = record_match(&mut game, &about, 7, Tick(3000)).unwrap();
    let tape = Tape::open(&whole).unwrap();
    let mut part = Vec::new();
    let (from, to) = (When::Tick(Tick(2600)), When::Tick(Tick(2900)));
    let request = CutRequest::default().with_from(from).with_to(to);
    let _ = cut_tape(&mut &whole[..], &tape, &request, &mut |bytes| {
        part.extend_from_slice(bytes);
        Ok(())
    })
    .unwrap();
    let (made, report) = anonymous(&part);
    assert!(report.remaining.is_empty(), "{:?}", report.remaining);
    assert_eq!(keyframes(&made), keyframes(&part));
    assert_eq!(state_at_end(&made), state_at_end(&part));
    for view in Tape::open(&made).unwrap().views().iter() {
        let recording = Recording::open(&made[..]).unwrap();
        let mut player = minewars::player(recording, view, PlayerOptions::default()).unwrap();
        assert!(player.begin() > Moment::START);
        let players: Vec<_> = player.state().state().players().collect();
        assert_eq!(players.len(), 2);
        for (number, state) in players {
            let names = state.clients.values().map(|client| client.name.clone());
            assert!(names.eq([format!("Player {number}").into_bytes()]), "{state:?}");
        }
        let verified = player.verify(DeepLevel::Keyframes).unwrap();
        assert!(verified.passed() && verified.keyframes > 0, "{:?}", verified.report);
    }
}

/// What the spectator sees of the board at the end; names are not on it.
fn state_at_end(bytes: &[u8]) -> Vec<String> {
    let recording = Recording::open(bytes).unwrap();
    let options = PlayerOptions::default();
    let mut player = minewars::player(recording, View::SPECTATOR, options).unwrap();
    player.seek(player.end()).unwrap();
    let cities = player.state().state().cities();
    cities.map(|city| format!("{city:?}")).collect()
}
