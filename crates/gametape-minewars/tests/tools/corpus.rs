//! Known sessions, where the environment says where they are.

use std::fs;
use std::path::{Path, PathBuf};

use gametape_minewars::Generation;
use gametape_minewars::{
    Dialect, Loss, RepairOptions, ReplayFile, Selection, Setup, convert, cut, repair, verify,
};

use gametape_wire::Severity;

use crate::support::{end_time, received, state_hash, view, views};

fn folder(dialect: Dialect) -> Option<PathBuf> {
    let root = std::env::var_os("GAMETAPE_CORPUS");
    if root.is_none() {
        println!("skipped: GAMETAPE_CORPUS is not set");
    }
    root.map(|root| Path::new(&root).join("minewars").join(dialect.name()))
}

/// Names and bytes of all files of a dialect.
fn files(dialect: Dialect) -> Vec<(String, Vec<u8>)> {
    let Some(folder) = folder(dialect) else { return Vec::new() };
    let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut files: Vec<_> = names
        .filter_map(|name| name.into_string().ok().filter(|name| name.ends_with(".minewars")))
        .map(|name| (name.clone(), fs::read(folder.join(name)).unwrap()))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn open_as(bytes: &[u8], dialect: Dialect) -> (Setup, Vec<u8>) {
    let file = ReplayFile::open_as(bytes, dialect).unwrap();
    (file.setup().to_setup().unwrap(), file.frames().unwrap().bytes.into_owned())
}

#[test]
fn known_files_are_sound_and_need_no_repair() {
    for dialect in Dialect::ALL {
        for (name, bytes) in files(dialect) {
            let found = verify(&ReplayFile::open_as(&bytes, dialect).unwrap());
            let broken: Vec<String> = found
                .findings()
                .filter(|located| located.finding.severity == Severity::Error)
                .map(|located| located.to_string())
                .collect();
            // The public tool puts cities anywhere.
            let expected = if name.starts_with("genmap") { 2 } else { 0 };
            assert_eq!(broken.len(), expected, "{dialect} {name}: {broken:?}");
            let keep = RepairOptions::new().with_keep_unreadable(true);
            let kept = repair(&bytes, Some(dialect), keep).unwrap();
            assert!(kept.changes.is_empty() && kept.lost.is_empty());
            assert_eq!(kept.bytes, bytes);
            let repaired = repair(&bytes, Some(dialect), RepairOptions::new()).unwrap();
            assert_eq!(repaired.bytes == bytes, expected == 0);
            assert!(verify(&ReplayFile::open_as(&repaired.bytes, dialect).unwrap()).is_ok());
        }
    }
}

/// Another encoder wrote the same sessions in v0.1: each view receives the same there. Only where
/// it cut lists of tiles at the end of a frame may differ, so lists are taken apart.
#[test]
fn conversion_gives_what_another_encoder_wrote() {
    let known = files(Dialect::V01);
    for (name, bytes) in files(Dialect::Current) {
        let Some((_, expected)) = known.iter().find(|(other, _)| *other == name) else { continue };
        let (setup, frames) = open_as(&bytes, Dialect::Current);
        let (v01_setup, v01_frames) = open_as(expected, Dialect::V01);
        let done = convert(&setup, &frames, Dialect::Current, Generation::V01).unwrap();
        assert_eq!(done.setup.map, v01_setup.map, "{name}");
        assert_eq!(done.losses.count(Loss::UnreadablePayload), 0);
        for who in 0..=setup.max_player {
            let ours = received(&done.setup, &done.frames, Dialect::V01, view(who));
            let theirs = received(&v01_setup, &v01_frames, Dialect::V01, view(who));
            let differs = ours.iter().zip(&theirs).find(|(ours, theirs)| ours != theirs);
            assert_eq!(differs, None, "{name} view {who}");
            assert_eq!(ours.len(), theirs.len(), "{name} view {who}");
        }
    }
}

#[test]
fn the_tools_dialect_becomes_the_same_session() {
    let known = files(Dialect::Current);
    let mut compared = 0;
    for (name, bytes) in files(Dialect::MwDatatool) {
        let Some((_, expected)) = known.iter().find(|(other, _)| *other == name) else { continue };
        let (setup, frames) = open_as(&bytes, Dialect::MwDatatool);
        let (other_setup, other_frames) = open_as(expected, Dialect::Current);
        let done = convert(&setup, &frames, Dialect::MwDatatool, Generation::Current).unwrap();
        assert!(done.losses.is_empty(), "{}", done.losses);
        assert_eq!(done.setup.map, other_setup.map, "{name}");
        assert_eq!(done.frames, other_frames, "{name}");
        compared += 1;
    }
    assert_eq!(compared, if known.is_empty() { 0 } else { 2 });
}

#[test]
fn cuts_of_known_sessions_know_the_same() {
    for dialect in [Dialect::V01, Dialect::Current] {
        for (name, bytes) in files(dialect) {
            let (setup, frames) = open_as(&bytes, dialect);
            let end = end_time(&setup, &frames);
            if end == 0 {
                continue;
            }
            let from = end / 2;
            for kept in [&[0, 1][..], &[setup.max_player]].map(views) {
                let selection = Selection::everything(&setup).with_from(from).with_views(kept);
                let part = cut(&setup, &frames, &selection).unwrap();
                for (at, who) in
                    kept.iter().flat_map(|who| [from, from + end / 5, end].map(|at| (at, who)))
                {
                    let original = state_hash(&setup, &setup.map, &frames, who, at);
                    let again = state_hash(&setup, &part.setup.map, &part.frames, who, at - from);
                    assert_eq!(original, again, "{name} view {who} at {at}");
                }
            }
        }
    }
}
