//! Recorded matches, in the folder that `GAMETAPE_CORPUS` names.

use std::fs;

use gametape_cadre::{Log, Options, Timeline};
use gametape_minewars::{Dialect, ReplayFile, convert, replay_view};
use gametape_minewars::{Frames, Generation};
use gametape_replay::{ConvertOptions, DeepLevel, PlayerOptions, Recording, cadre, minewars};
use gametape_wire::{Moment, Tick};

use super::corpus_files::files;

#[test]
fn recorded_matches_come_back() {
    for folder in ["minewars/current", "minewars/v0.1"] {
        for path in files(folder, ".minewars") {
            let bytes = fs::read(&path).unwrap();
            let file = ReplayFile::open(&bytes).unwrap();
            let Ok(tape) = minewars::to_tape(&file, &ConvertOptions::new(1)) else {
                assert!(!file.faults().is_empty(), "{}", path.display());
                continue;
            };
            let mut recording = Recording::open(&tape[..]).unwrap();
            let back = minewars::from_tape(&mut recording, None).unwrap();
            assert!(back.exact);
            let again = ReplayFile::open(&back.bytes).unwrap();
            assert_eq!(again.setup_bytes(), file.setup_bytes(), "{}", path.display());
            assert_eq!(again.frames().unwrap(), file.frames().unwrap(), "{}", path.display());
            println!("{}: {} bytes, tape {}", path.display(), bytes.len(), tape.len());
            seek_like_a_replay(&file, &tape);
        }
    }
}

/// The player of the tape knows what the replay of the file knows, wherever it goes.
fn seek_like_a_replay(file: &ReplayFile<'_>, tape: &[u8]) {
    let (setup, frames) = (file.setup().to_setup().unwrap(), file.frames().unwrap().bytes);
    let layout = file.frame_layout().unwrap();
    for view in layout.views().iter().take(2) {
        let recording = Recording::open(tape).unwrap();
        let mut player = minewars::player(recording, view, PlayerOptions::default()).unwrap();
        for part in [7, 3, 8, 0, 5] {
            let tick = player.end().next_tick().0 * part / 8;
            player.seek(Moment::before(Tick(tick))).unwrap();
            let Some(until) = tick.checked_sub(1) else { continue };
            let frames = Frames::new(layout, &frames);
            let replayed = replay_view(&setup.map, frames, file.dialect(), view, until);
            assert!(*player.state().state() == replayed.state, "view {view}, tick {tick}");
        }
        assert!(player.verify(DeepLevel::Keyframes).unwrap().passed());
    }
}

#[test]
fn matches_in_the_dialect_of_the_public_tool_become_current_ones() {
    for path in files("minewars/mw-datatool", ".minewars") {
        let bytes = fs::read(&path).unwrap();
        let file = ReplayFile::open_as(&bytes, Dialect::MwDatatool).unwrap();
        let tape = minewars::to_tape(&file, &ConvertOptions::new(1)).unwrap();
        let mut recording = Recording::open(&tape[..]).unwrap();
        let back = minewars::from_tape(&mut recording, None).unwrap();
        let (setup, frames) = (file.setup().to_setup().unwrap(), file.frames().unwrap().bytes);
        let expected = convert(&setup, &frames, file.dialect(), Generation::Current).unwrap();
        let again = ReplayFile::open(&back.bytes).unwrap();
        assert_eq!(again.setup().to_setup().unwrap(), expected.setup);
        assert_eq!(*again.frames().unwrap().bytes, *expected.frames);
    }
}

#[test]
fn recorded_gamelogs_come_back() {
    for path in files("cadre", ".json.gz") {
        let log = Log::open(fs::read(&path).unwrap(), &Options::default()).unwrap();
        let tape = cadre::to_tape(&log, &ConvertOptions::new(1)).unwrap();
        let mut recording = Recording::open(&tape[..]).unwrap();
        let back = cadre::from_tape(&mut recording, &Options::default()).unwrap();
        assert!(back.to_json() == log.to_json(), "{}", path.display());
        println!("{}: {} bytes of JSON, tape {}", path.display(), log.json_bytes(), tape.len());
        let mut timeline = Timeline::load(log, &Options::default()).unwrap();
        let mut player = cadre::player(recording, PlayerOptions::default()).unwrap();
        for part in [7, 3, 8, 0, 5] {
            let tick = player.end().next_tick().0 * part / 8;
            player.seek(Moment::before(Tick(tick))).unwrap();
            timeline.seek(tick as usize).unwrap();
            assert_eq!(player.state().state().hash(), timeline.state().hash());
        }
        assert!(player.verify(DeepLevel::Keyframes).unwrap().passed());
    }
}
