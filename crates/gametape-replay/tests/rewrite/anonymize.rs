//! Recordings without what says who played.

use gametape_cadre::{Log, Options, sample};
use gametape_minewars::sample::Sample;
use gametape_minewars::{Generation, ReplayFile, WriteOptions, write_file};
use gametape_replay::anonymize::{Anonymized, anonymize};
use gametape_replay::open::{OpenOptions, open};
use gametape_replay::{
    ConvertOptions, DeepLevel, PlayerOptions, Recording, cadre, minewars, players_of_tape,
};
use gametape_tape::{
    ChunkDraft, ChunkHeader, ChunkKind, Level, Restorer, Tape, TapeFrames, TapeWriter, verify_bytes,
};

use super::hostile;

fn anonymous(bytes: &[u8]) -> (Vec<u8>, Anonymized) {
    let mut out = Vec::new();
    let opened = open(bytes, &OpenOptions::default()).unwrap();
    let made = anonymize(opened, &[], &mut |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    });
    (out, made.unwrap())
}

/// All that can be read in a tape: metadata, setup, payloads, states of keyframes; in lower case.
fn everything(bytes: &[u8]) -> String {
    let tape = Tape::open(bytes).unwrap();
    let mut text = tape.metadata.clone() + tape.closing.as_deref().unwrap_or_default();
    let mut restorer = Restorer::default();
    for entry in &tape.chunks {
        let chunk = tape.read(entry, bytes).unwrap();
        let raw = chunk.raw().unwrap();
        if entry.header.kind == ChunkKind::FRAMES {
            for frame in TapeFrames::new(&entry.header, &raw) {
                for part in frame.unwrap().parts() {
                    text += &String::from_utf8_lossy(part.payload);
                }
            }
        } else if entry.header.kind.is_keyframe() {
            restorer.add(&chunk).unwrap();
            let core = &restorer.state().unwrap().core;
            for (name, bytes) in core.sections.iter() {
                text += name;
                text += &String::from_utf8_lossy(bytes);
            }
            for row in core.entities.iter() {
                row.slots().for_each(|(_, bytes)| text += &String::from_utf8_lossy(bytes));
            }
        } else {
            text += &String::from_utf8_lossy(&raw);
        }
    }
    text.replace("\\u005a", "z").to_lowercase()
}

fn tape_of_log(bytes: &[u8]) -> Vec<u8> {
    let log = Log::open(bytes, &Options::default()).unwrap();
    // Close keyframes: they hold what deltas brought.
    let options = ConvertOptions::new(7).with_spacing(0);
    cadre::to_tape(&log, &options).unwrap()
}

#[test]
fn no_session_is_left_in_frames_and_keyframes() {
    let Some(bytes) = hostile("chess.json.gz") else { return };
    let tape = tape_of_log(&bytes);
    assert!(everything(&tape).contains("arena1"));
    let (made, report) = anonymous(&tape);
    let text = everything(&made);
    for gone in ["arena1", "chess random bot", "rawpython"] {
        assert!(!text.contains(gone), "{gone}");
    }
    assert!(report.remaining.is_empty(), "{report:?}");
    // It plays as before, and its keyframes are what its deltas lead to.
    let player = |tape: &[u8]| {
        cadre::player(Recording::open(tape.to_vec()).unwrap(), PlayerOptions::default()).unwrap()
    };
    let (mut before, mut after) = (player(&tape), player(&made));
    assert!(after.verify(DeepLevel::Keyframes).unwrap().passed());
    let end = before.end();
    before.seek(end).unwrap();
    after.seek(end).unwrap();
    let fen = |player: &str| player.to_owned();
    let text = |state: gametape_cadre::State<'_>, key: &str| {
        state.get(key).map(|node| String::from_utf8(node.canonical()).unwrap())
    };
    assert_eq!(text(after.state().state(), "fen"), text(before.state().state(), "fen"));
    assert_eq!(
        text(after.state().state(), "session").map(|s| fen(&s)).as_deref(),
        Some("\"anonymous\"")
    );
}

#[test]
fn no_name_is_left_in_keys_and_texts_of_any_case() {
    let Some(bytes) = hostile("names.json") else { return };
    for made in [anonymous(&bytes), anonymous(&tape_of_log(&bytes))] {
        let (bytes, report) = made;
        let text = match Tape::open(&bytes) {
            Ok(_) => everything(&bytes),
            Err(_) => String::from_utf8_lossy(&bytes).to_lowercase(),
        };
        for gone in
            ["zorbulina", "z\u{200d}orbulina", "bob the", "bob  the", "10.1.2.3", "example.org"]
        {
            assert!(!text.contains(gone), "{gone} in {text}");
        }
        assert!(report.remaining.is_empty(), "{report:?}");
        assert!(report.removed["names in keys"] >= 2, "{report:?}");
    }
}

/// A name that only the metadata of a tape says is found in the deltas all the same.
#[test]
fn names_of_the_metadata_are_learned() {
    let log = String::from_utf8(sample::log(60, 1)).unwrap();
    let log = log.replace("Not your", "Quixotl, not your");
    let log = Log::open(log.as_bytes(), &Options::default()).unwrap();
    let tape = cadre::to_tape(&log, &ConvertOptions::new(7)).unwrap();
    let opened = Tape::open(&tape).unwrap();
    assert!(everything(&tape).contains("quixotl"));
    let players = r#"{"players":[{"player":1,"name":"Quixotl"}],"#;
    let metadata = opened.metadata.replacen('{', players, 1);
    let mut writer = TapeWriter::new(opened.header, metadata.as_bytes()).unwrap();
    for entry in opened.chunks.iter().filter(|it| it.header.kind != ChunkKind::METADATA) {
        let ChunkHeader { kind, stream, views, first_tick, tick_count, detail, .. } = entry.header;
        let draft = ChunkDraft::new(kind).with_stream(stream).with_views(views);
        let draft = draft.with_ticks(first_tick, tick_count).with_detail(detail);
        writer.chunk(&draft, &opened.read(entry, &tape).unwrap().raw().unwrap()).unwrap();
    }
    let named = [writer.take(), writer.finish().unwrap()].concat();
    let (made, report) = anonymous(&named);
    assert!(!everything(&made).contains("quixotl") && report.remaining.is_empty(), "{report:?}");
}

#[test]
fn minewars_files_and_their_tapes_lose_their_names() {
    for generation in Generation::ALL {
        let (setup, frames) = Sample::default().build(generation).unwrap();
        let file = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
        let (made, report) = anonymous(&file);
        assert!(report.remaining.is_empty() && !report.removed.is_empty());
        assert_eq!(ReplayFile::open(&made).unwrap().setup().to_setup().unwrap().player_names, None);

        let options = ConvertOptions::new(7);
        let tape = minewars::to_tape(&ReplayFile::open(&file).unwrap(), &options).unwrap();
        let names: Vec<String> = players_of_tape(&Tape::open(&tape).unwrap())
            .into_iter()
            .map(|(_, name)| name)
            .collect();
        assert!(!names.is_empty());
        let (made, report) = anonymous(&tape);
        let text = everything(&made);
        for name in names.iter().map(|name| name.to_lowercase()).filter(|name| name.len() > 3) {
            assert!(!text.contains(&name), "{name}");
        }
        assert!(report.remaining.is_empty(), "{report:?}");
    }
}

/// Keyframes every few messages, so that many deltas build on one full keyframe.
#[test]
fn converted_recordings_with_many_keyframes_are_anonymised_and_verify() {
    let close = ConvertOptions::new(7).with_spacing(0);
    for seed in 0..6 {
        let log = gametape_cadre::sample::log(120, seed);
        let tape = cadre::to_tape(&Log::open(log, &Options::default()).unwrap(), &close).unwrap();
        let recording = Recording::open(check_container(&tape)).unwrap();
        let mut player = cadre::player(recording, PlayerOptions::default()).unwrap();
        let verified = player.verify(DeepLevel::Keyframes).unwrap();
        assert!(verified.passed(), "log {seed}: {:?}", verified.report);
        assert!(verified.keyframes > 3, "log {seed}: {}", verified.keyframes);

        for generation in Generation::ALL {
            let sample = Sample { seed, ..Sample::default() };
            let (setup, frames) = sample.build(generation).unwrap();
            let file = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
            let tape = minewars::to_tape(&ReplayFile::open(&file).unwrap(), &close).unwrap();
            let made = check_container(&tape);
            for view in Tape::open(&made).unwrap().views().iter() {
                let recording = Recording::open(&made[..]).unwrap();
                let mut player =
                    minewars::player(recording, view, PlayerOptions::default()).unwrap();
                let verified = player.verify(DeepLevel::Keyframes).unwrap();
                assert!(verified.passed(), "file {seed}, {view:?}: {:?}", verified.report);
                assert!(verified.keyframes > 3, "file {seed}: {}", verified.keyframes);
            }
        }
    }
}

/// Anonymises a tape; it keeps its keyframes and is sound.
fn check_container(tape: &[u8]) -> Vec<u8> {
    let (made, report) = anonymous(tape);
    assert!(report.remaining.is_empty(), "{report:?}");
    let keyframes = |bytes: &[u8]| Tape::open(bytes).unwrap().keyframes.entries().len();
    assert_eq!(keyframes(&made), keyframes(tape));
    let verified = verify_bytes(&made, Level::Chain, None).unwrap();
    assert!(verified.passed(), "{:?}", verified.report);
    made
}
