//! Every match that is recorded can be handed out without names: whatever was done to its tape before,
//! what is left verifies and runs again.
#![allow(clippy::unwrap_used, clippy::panic)]

use gametape_minewars::Generation;
use gametape_replay::anonymize::{Anonymized, anonymize};
use gametape_replay::open::{OpenOptions, open};
use gametape_replay::{DeepLevel, Playback, PlayerOptions, Recording, minewars};
use gametape_skirmish::{
    Config, Match, SkirmishGame, Style, metadata, record_match, recorded_game,
};
use gametape_tape::{Level, SigningKey, Tape, TapeWriter, pack_bytes, verify_bytes};
use gametape_wire::View;

/// More matches where `GAMETAPE_SCALE` multiplies them.
fn scaled(count: u64) -> u64 {
    let scale = std::env::var("GAMETAPE_SCALE").ok().and_then(|text| text.parse().ok());
    count * scale.unwrap_or(1)
}

/// A match with several keyframes of the simulation after each other, of one to three deltas.
fn recorded(seed: u64) -> Vec<u8> {
    let generation = Generation::ALL[seed as usize % Generation::ALL.len()];
    let config = Config::new(2 + (seed % 3) as u8, 6, seed);
    let mut game = Match::new(config.clone(), &Style::ALL, generation).unwrap();
    let about = metadata(&config, generation);
    record_match(&mut game, &about, 7, 601 + 300 * (seed % 3)).unwrap()
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

fn keyframes(bytes: &[u8]) -> Vec<(u16, u64)> {
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

/// What the spectator sees of the board at the end; names are not on it.
fn state_at_end(bytes: &[u8]) -> Vec<String> {
    let recording = Recording::open(bytes).unwrap();
    let options = PlayerOptions::default();
    let mut player = minewars::player(recording, View::SPECTATOR, options).unwrap();
    player.seek(player.end()).unwrap();
    let cities = player.state().state().cities();
    cities.map(|city| format!("{city:?}")).collect()
}
