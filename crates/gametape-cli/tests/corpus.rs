//! States of real gamelogs, as the command line prints them.
//!
//! `GAMETAPE_CORPUS` names the folder that has `cadre/EXPECTED.json` and the logs.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use sha2::{Digest, Sha256};

fn gametape(args: &[&str], file: &Path, stdin: Stdio) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gametape"));
    command.args(args).arg(file).stdin(stdin).output().unwrap()
}

/// What a command prints that succeeds and says nothing else.
fn printed(args: &[&str], file: &Path) -> Vec<u8> {
    let output = gametape(args, file, Stdio::null());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{args:?} {}: {said}", file.display());
    output.stdout
}

fn corpus() -> Option<PathBuf> {
    Some(whole_corpus()?.join("cadre"))
}

fn whole_corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("GAMETAPE_CORPUS");
    if folder.is_none() {
        println!("skipped: GAMETAPE_CORPUS is not set");
    }
    folder.map(PathBuf::from)
}

fn expected(folder: &Path) -> serde_json::Map<String, Value> {
    let file = File::open(folder.join("EXPECTED.json")).unwrap();
    let Value::Object(logs) = serde_json::from_reader(file).unwrap() else { panic!("no object") };
    assert!(!logs.is_empty());
    logs
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn states_are_printed_to_the_byte() {
    let Some(folder) = corpus() else { return };
    for (name, log) in expected(&folder) {
        let file = folder.join(&name);
        for (delta, state) in log["states"].as_object().unwrap() {
            let json = printed(&["state", "--json", "--at", delta], &file);
            let canonical = json.strip_suffix(b"\n").unwrap();
            assert_eq!(sha256(canonical), state["sha256"], "{name} after {delta}");
        }
    }
}

#[test]
fn logs_are_sound_and_have_as_many_lines_as_deltas() {
    let Some(folder) = corpus() else { return };
    for (name, log) in expected(&folder) {
        let file = folder.join(&name);
        let deltas = log["deltas"].as_u64().unwrap();
        let info: Value = serde_json::from_slice(&printed(&["info", "--json"], &file)).unwrap();
        assert_eq!([&info["deltas"], &info["game"]], [&log["deltas"], &log["gameName"]], "{name}");
        let found: Value = serde_json::from_slice(&printed(&["verify", "--json"], &file)).unwrap();
        let states = log["states"].as_object().unwrap();
        assert_eq!(found["hash"], states[&(deltas - 1).to_string()]["sha256"], "{name}");
        let lines = printed(&["log"], &file);
        assert_eq!(lines.iter().filter(|byte| **byte == b'\n').count() as u64, deltas, "{name}");
    }
}

#[test]
fn unpacked_logs_are_the_bytes_that_were_packed() {
    let Some(folder) = corpus() else { return };
    for (name, log) in expected(&folder) {
        let plain = printed(&["convert", "--compress", "no", "-o", "-"], &folder.join(&name));
        assert_eq!(sha256(&plain), log["json_sha256"], "{name}");
    }
}

#[test]
fn a_log_can_come_from_standard_input() {
    let Some(folder) = corpus() else { return };
    for (name, log) in expected(&folder).into_iter().take(2) {
        let stdin = File::open(folder.join(&name)).unwrap().into();
        let output = gametape(&["state", "--hash", "--at", "0"], Path::new("-"), stdin);
        let hash = String::from_utf8(output.stdout).unwrap();
        assert_eq!(hash.trim_end(), log["states"]["0"]["sha256"], "{name}");
    }
}

/// Converts a file to a tape and the tape back, and says what came back.
fn through_tape(file: &Path, folder: &Path, back: &[&str]) -> Vec<u8> {
    let tape = folder.join("match.tape");
    let tape_name = tape.to_str().unwrap();
    printed(&["convert", "--force", "-o", tape_name], file);
    let verified: Value = serde_json::from_slice(&printed(&["verify", "--json"], &tape)).unwrap();
    assert_eq!(verified["reached"], "keyframes", "{}", file.display());
    printed(&[&["convert", "--force", "-o", "-"], back].concat(), &tape)
}

#[test]
fn minewars_files_come_back_from_tapes() {
    let Some(folder) = whole_corpus() else { return };
    let here = tempfile::tempdir().unwrap();
    for generation in ["current", "v0.1"] {
        let files = std::fs::read_dir(folder.join("minewars").join(generation)).unwrap();
        for file in files.map(|entry| entry.unwrap().path()) {
            let is_small = std::fs::metadata(&file).unwrap().len() < 100_000;
            if is_small && file.extension().is_some_and(|extension| extension == "minewars") {
                let back = through_tape(&file, here.path(), &[]);
                assert!(back == std::fs::read(&file).unwrap(), "{}", file.display());
            }
        }
    }
}

#[test]
fn gamelogs_come_back_from_tapes() {
    let Some(folder) = corpus() else { return };
    let here = tempfile::tempdir().unwrap();
    for (name, log) in expected(&folder) {
        let file = folder.join(&name);
        if std::fs::metadata(&file).unwrap().len() < 100_000 {
            let back = through_tape(&file, here.path(), &["--compress", "no"]);
            assert_eq!(sha256(&back), log["json_sha256"], "{name}");
            let tape = here.path().join("match.tape");
            for (delta, state) in log["states"].as_object().unwrap() {
                let hash = printed(&["state", "--hash", "--at", delta], &tape);
                let expected = state["sha256"].as_str().unwrap();
                assert_eq!(hash.trim_ascii_end(), expected.as_bytes(), "{name} after {delta}");
            }
        }
    }
}
