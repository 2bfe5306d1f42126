//! Signals that end a recording leave a finished tape.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::io::Read;
use std::process::{Command, Stdio};

use gametape_tape::Tape;

/// Records in real time to a pipe, sends the signal after the first bytes, and returns the tape.
fn recorded_until(signal: &str) -> Vec<u8> {
    let mut recording = Command::new(env!("CARGO_BIN_EXE_gametape"))
        .args(["record", "-", "--seed", "1", "--speed", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = recording.stdout.take().unwrap();
    // The first bytes are written when everything is set up.
    let mut tape = vec![0; 16];
    out.read_exact(&mut tape).unwrap();
    let id = recording.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    out.read_to_end(&mut tape).unwrap();
    assert_eq!(recording.wait().unwrap().code(), Some(0), "{signal}");
    tape
}

#[test]
fn term_hup_and_int_finish_the_tape() {
    for signal in ["-TERM", "-HUP", "-INT"] {
        let tape = recorded_until(signal);
        let tape = Tape::open(&tape).unwrap();
        assert!(tape.is_finished(), "{signal}");
    }
}
