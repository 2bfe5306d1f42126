//! Signals that end a recording leave a finished tape.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use gametape_tape::Tape;

/// A recording that does not end by then never heard the signal. One in real time would go on for
/// minutes.
const LIMIT: Duration = Duration::from_secs(60);

fn send(signal: &str, id: u32) -> bool {
    Command::new("kill").args([signal, &id.to_string()]).status().unwrap().success()
}

/// Records in real time to a pipe, sends the signal after the first bytes, and returns the tape.
fn recorded_until(signal: &str) -> Vec<u8> {
    let mut recording = Command::new(env!("CARGO_BIN_EXE_gametape"))
        .args(["record", "-", "--seed", "1", "--speed", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let id = recording.id();
    let (done, is_done) = channel::<()>();
    // The process is not waited for before, so nobody else has its id.
    let watchdog = thread::spawn(move || {
        if is_done.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            send("-KILL", id);
        }
    });
    let mut out = recording.stdout.take().unwrap();
    // The first bytes are written when everything is set up.
    let mut tape = vec![0; 16];
    out.read_exact(&mut tape).unwrap();
    assert!(send(signal, id));
    out.read_to_end(&mut tape).unwrap();
    drop(done);
    watchdog.join().unwrap();
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
