//! Gamelogs that ask for too much, with little memory to take it from.
//!
//! `GAMETAPE_CORPUS` names the folder that has `hostile/MANIFEST.md` and the files.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use std::path::PathBuf;
use std::process::{Command, Output};

/// Kilobytes of address space: memory that may be used, and the program itself.
const ADDRESS_SPACE: u32 = 400 << 10;

/// What a command says about a file of the hostile corpus; none where there is no corpus.
fn gametape(args: &str, file: &str) -> Option<Output> {
    let Some(corpus) = std::env::var_os("GAMETAPE_CORPUS") else {
        println!("skipped: GAMETAPE_CORPUS is not set");
        return None;
    };
    let script = format!("ulimit -v {ADDRESS_SPACE}; exec \"$0\" {args} \"$1\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_gametape")]);
    Some(command.arg(PathBuf::from(corpus).join("hostile").join(file)).output().unwrap())
}

#[test]
fn references_are_expanded_up_to_a_limit_that_is_named() {
    for args in ["state --at turn:3 --resolve=6", "state --at turn:3 --resolve=6 --json"] {
        let Some(output) = gametape(args, "saloon.json.gz") else { return };
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args}: {said}");
        assert!(said.contains("state with references expanded"), "{args}: {said}");
        assert!(said.contains("is over the limit of 16777216"), "{args}: {said}");
        assert!(output.stdout.len() < 20 << 20, "{args}");
    }
}

#[test]
fn lists_of_a_million_holes_are_refused_when_there_were_enough() {
    let Some(output) = gametape("verify", "lr50k.json.gz") else { return };
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("holes in lists"), "{text}");
    assert!(text.contains("not sound: 49,984 errors"), "{text}");
}

#[test]
fn a_log_of_almost_a_gigabyte_of_data_has_an_info() {
    let Some(output) = gametape("info --json", "gz_data900M.gz") else { return };
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("\"deltas\":1,"), "{text}");
}
