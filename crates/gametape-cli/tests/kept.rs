//! Matches that are served are kept: of a connection, and of a bus where there is a `nats-server`.
#![allow(clippy::unwrap_used, clippy::panic)]

#[allow(dead_code)]
#[path = "../../gametape-bus/tests/bus/cluster.rs"]
mod cluster;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cluster::Cluster;

fn gametape(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gametape"));
    command.current_dir(folder).args(arguments);
    command
}

/// A server that ends with the test.
struct Serving {
    child: Child,
    address: String,
}

impl Serving {
    fn start(folder: &Path, more: &[&str]) -> Self {
        let usual =
            ["serve", "--json", "--listen", "127.0.0.1:0", "--delay", "0", "--store", "kept"];
        let mut command = gametape(folder, &[&usual[..], more].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: serde_json::Value = serde_json::from_str(&line).unwrap();
        Self { child, address: said["address"].as_str().unwrap().to_owned() }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn run(folder: &Path, arguments: &[&str]) -> String {
    let output = gametape(folder, arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// The tape that is kept, as soon as it is.
fn kept(folder: &Path) -> PathBuf {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let files = fs::read_dir(folder.join("kept")).into_iter().flatten().flatten();
        let mut tapes = files
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "tape"));
        if let Some(tape) = tapes.next() {
            return tape;
        }
        assert!(Instant::now() < until, "nothing is kept");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

fn assert_kept(folder: &Path) {
    let tape = kept(folder);
    let name = tape.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("finals-") && !name.contains("part"), "{name}");
    let tape = tape.to_str().unwrap();
    run(folder, &["verify", tape]);
    for view in ["0", "1", "2"] {
        let state =
            |tape: &str| run(folder, &["state", "--json", "--view", view, "--at", "end", tape]);
        let hash =
            |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["hash"].clone();
        assert_eq!(hash(&state(tape)), hash(&state("match.tape")));
        assert!(hash(&state(tape)).is_string());
    }
}

#[test]
fn a_match_that_was_published_is_kept_whole() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    run(here, &["record", "--seed", "3", "--ticks", "600", "match.tape"]);
    let server = Serving::start(here, &[]);
    run(here, &["publish", "match.tape", "--to", &server.address, "--match", "finals"]);
    assert_kept(here);
}

#[test]
fn a_match_of_a_bus_is_kept_whole() {
    let Some(cluster) = Cluster::start(1, true) else { return };
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    run(here, &["record", "--seed", "4", "--ticks", "600", "match.tape"]);
    let bus = cluster.address(0);
    let server = Serving::start(here, &["--bus", &bus]);
    let published = ["publish", "match.tape", "--bus", &bus, "--match", "finals", "--store", "own"];
    run(here, &published);
    assert_kept(here);
    assert_eq!(fs::read_dir(here.join("own")).unwrap().count(), 1);
    drop(server);
}
