//! Assembly text against real sessions: every message as the reference text has it, every frame
//! back byte for byte.

#![allow(clippy::unwrap_used, reason = "a session that does not open fails the test")]

use std::io::Read as _;
use std::path::{Path, PathBuf};

use gametape_minewars::{
    Dialect, Line, Lines, Message, Messages, ReplayFile, assemble_file, assemble_payload,
    print_frame, print_setup,
};
use gametape_minewars::{FrameKind, FrameLayout, Frames};

/// The folder with the MineWars part of the corpus, where there is one.
fn corpus() -> Option<PathBuf> {
    let found = std::env::var_os("GAMETAPE_CORPUS").map(|root| Path::new(&root).join("minewars"));
    if found.is_none() {
        println!("skipped: GAMETAPE_CORPUS is not set");
    }
    found
}

/// Every session in a folder, with its reference text where it has one.
fn sessions(folder: &str) -> Vec<(PathBuf, Vec<u8>, Option<String>)> {
    let Some(root) = corpus() else { return Vec::new() };
    let mut paths: Vec<PathBuf> = std::fs::read_dir(root.join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "minewars"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths
        .into_iter()
        .map(|path| (path.clone(), std::fs::read(&path).unwrap(), reference(&path)))
        .collect()
}

fn reference(path: &Path) -> Option<String> {
    if let Ok(text) = std::fs::read_to_string(path.with_extension("asm")) {
        return Some(text);
    }
    let packed = std::fs::File::open(path.with_extension("asm.gz")).ok()?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    Some(text)
}

/// Our text of all frames.
fn our_text(file: &ReplayFile<'_>) -> String {
    let frames = file.frames().unwrap();
    let layout = layout(file);
    let mut out = Vec::new();
    for frame in Frames::new(layout, &frames.bytes) {
        print_frame(&frame.unwrap(), file.dialect(), &mut out);
    }
    String::from_utf8(out).unwrap()
}

fn layout(file: &ReplayFile<'_>) -> FrameLayout {
    let max_view = file.setup().header().max_view().unwrap();
    FrameLayout::new(file.dialect().generation(), max_view).unwrap()
}

/// Our text with the two things that the reference writes otherwise: it has no quotes around
/// strings, and one word for a structure that is gone.
fn as_reference(line: &str) -> String {
    let line = line.replace("DECONSTRUCT", "NOSTRUCT");
    match line.split_once('"') {
        Some((before, quoted)) => format!("{before}{}", quoted.trim_end_matches('"')),
        None => line,
    }
}

fn check_against_reference(folder: &str, dialect: Option<Dialect>) {
    for (path, bytes, text) in sessions(folder) {
        let file = match dialect {
            Some(dialect) => ReplayFile::open_as(&bytes, dialect).unwrap(),
            None => ReplayFile::open(&bytes).unwrap(),
        };
        let Some(text) = text else { continue };
        let ours = our_text(&file);
        let mut expected = text.lines();
        for line in ours.lines() {
            assert_eq!(Some(as_reference(line).as_str()), expected.next(), "{}", path.display());
        }
        assert_eq!(expected.next(), None, "{}", path.display());
    }
}

#[test]
fn every_session_decodes_to_the_messages_in_its_text() {
    check_against_reference("current", None);
    check_against_reference("v0.1", None);
    check_against_reference("mw-datatool", Some(Dialect::MwDatatool));
}

#[test]
fn every_message_and_frame_encodes_to_the_same_bytes() {
    for folder in ["current", "v0.1"] {
        for (path, bytes, _) in sessions(folder) {
            let file = ReplayFile::open(&bytes).unwrap();
            let frames = file.frames().unwrap();
            let mut writer = gametape_minewars::FrameWriter::new(layout(&file));
            for frame in Frames::new(layout(&file), &frames.bytes) {
                let frame = frame.unwrap();
                let parts: Vec<_> = frame
                    .parts()
                    .map(|part| (part.views, encode_again(part.payload, file.dialect())))
                    .collect();
                match frame.kind() {
                    FrameKind::Keepalive => writer.keepalive(),
                    FrameKind::Homogenous => {
                        writer.homogenous(frame.delta(), parts[0].0, &parts[0].1).unwrap();
                    }
                    FrameKind::Heterogenous => {
                        let parts: Vec<_> = parts
                            .iter()
                            .map(|(views, payload)| (views.iter().next().unwrap(), &payload[..]))
                            .collect();
                        writer.heterogenous(frame.delta(), &parts).unwrap();
                    }
                }
            }
            assert_eq!(writer.as_bytes(), &frames.bytes[..], "{}", path.display());
        }
    }
}

fn encode_again(payload: &[u8], dialect: Dialect) -> Vec<u8> {
    let mut out = Vec::new();
    for message in Messages::new(payload, 0, dialect) {
        message.unwrap().encode(dialect.generation(), &mut out).unwrap();
    }
    out
}

#[test]
fn disassembling_and_assembling_gives_the_file_back() {
    for folder in ["current", "v0.1"] {
        for (path, bytes, _) in sessions(folder) {
            let file = ReplayFile::open(&bytes).unwrap();
            let mut text = Vec::new();
            assert_eq!(print_setup(&file, &mut text), []);
            let text = String::from_utf8(text).unwrap() + &our_text(&file);
            let assembled = assemble_file(&text).unwrap();
            let again = assembled.to_file().unwrap();
            let again = ReplayFile::open(&again).unwrap();
            let name = path.display();
            assert_eq!(again.setup().to_setup(), file.setup().to_setup(), "{name}");
            assert_eq!(again.frames(), file.frames(), "{name}");
            assert_eq!(again.setup().header().version, file.setup().header().version, "{name}");
        }
    }
}

#[test]
fn the_public_tools_message_stream_is_read_in_its_dialect() {
    let Some(root) = corpus() else { return };
    let bytes = std::fs::read(root.join("mw-datatool/allops.bin")).unwrap();
    let text = std::fs::read_to_string(root.join("mw-datatool/allops.asm")).unwrap();
    // The tool packs digits of neighbouring lines into one message; ours are packed the same way.
    let (ours, _) = assemble_payload(&text, Dialect::Current).unwrap();
    let mut packer = gametape_minewars::Packer::new(gametape_minewars::Generation::Current);
    for message in Messages::new(&ours, 0, Dialect::Current) {
        packer.push(&message.unwrap()).unwrap();
    }
    let packed = packer.finish().unwrap();
    let theirs: Vec<Message<'_>> =
        Messages::new(&bytes, 0, Dialect::MwDatatool).map(Result::unwrap).collect();
    let ours: Vec<Message<'_>> =
        Messages::new(&packed, 0, Dialect::Current).map(Result::unwrap).collect();
    assert_eq!(ours, theirs);
    let lines: Vec<Line<'_>> = Lines::new(&bytes, 0, Dialect::MwDatatool).collect();
    assert!(lines.iter().all(|line| matches!(line, Line::Message(_))));
}
