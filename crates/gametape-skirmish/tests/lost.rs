//! What is left of a recorded match that lost a part: sound, with the loss declared.
#![allow(clippy::unwrap_used, clippy::panic)]

use gametape_minewars::Generation;
use gametape_replay::recover::FoundTape;
use gametape_replay::verify::{Checked, Level, TapeCheck, TapeChecks};
use gametape_skirmish::{Config, Match, SkirmishGame, Style, metadata, record_match};
use gametape_tape::{ChunkKind, Tape};
use gametape_wire::Tick;

fn recorded(ticks: u64) -> Vec<u8> {
    let config = Config::new(2, 8, 3);
    let mut game = Match::new(config.clone(), &Style::ALL, Generation::Current).unwrap();
    record_match(&mut game, &metadata(&config, Generation::Current), 7, Tick(ticks)).unwrap()
}

fn recovered(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut source = bytes;
    let found = FoundTape::search(&mut source).unwrap().unwrap();
    let report = found.write(&mut source, None, &mut |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    });
    assert!(report.unwrap().is_lossy());
    out
}

/// The result of recovering passes verification, whichever setup was lost, and names the loss.
#[test]
fn a_tape_that_lost_a_setup_is_recovered_to_a_sound_one() {
    let whole = recorded(400);
    let tape = Tape::open(&whole).unwrap();
    let setups: Vec<_> =
        tape.chunks.iter().filter(|entry| entry.header.kind == ChunkKind::SETUP).collect();
    assert!(setups.len() >= 3, "the simulation's, the spectator's, that of the players");
    for entry in setups {
        let mut damaged = whole.clone();
        // One bit of what the chunk holds.
        damaged[entry.range().end as usize - 1] ^= 1;
        let out = recovered(&damaged);
        let checks = TapeChecks::new(Level::Resim, None, &[&SkirmishGame]);
        let check = TapeCheck::of("out.tape", &mut &out[..], &checks).unwrap();
        let text = check.to_text(10);
        assert!(check.is_sound(), "{text}");
        assert!(text.contains("setup: it is lost, as a gap declares"), "{text}");
        assert!(text.contains("lost to damage: setup of stream"), "{text}");
    }
}
