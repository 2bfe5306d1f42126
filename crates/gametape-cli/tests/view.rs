//! `gametape view`: what it serves while it runs, and how it ends.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper of a test may fail it")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// A server that does not answer by then never will.
const LONG: Duration = Duration::from_secs(60);

fn gametape(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gametape"));
    command.current_dir(folder).args(line.split(' '));
    command
}

fn fine(folder: &Path, line: &str) {
    let output = gametape(folder, line).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A server that runs.
struct Running {
    process: Child,
    /// `127.0.0.1:12345`
    host: String,
    /// The path that everything is below.
    base: String,
    address: String,
}

impl Running {
    fn start(folder: &Path, line: &str) -> Self {
        let line = format!("view --no-open --json --viewer page {line}");
        let mut command = gametape(folder, &line);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let said: Value = serde_json::from_str(&first).unwrap();
        let address = said["address"].as_str().unwrap().to_owned();
        let (host, path) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let base = format!("/{}", path.split('?').next().unwrap());
        Self { process, host: host.to_owned(), base, address: address.clone() }
    }

    fn get(&self, path: &str) -> (u16, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        let Self { host, base, .. } = self;
        let request =
            format!("GET {base}{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        let status = std::str::from_utf8(&answer[9..12]).unwrap().parse().unwrap();
        (status, answer[end + 4..].to_vec())
    }

    /// The list, once everything is known.
    fn list(&self) -> Vec<Value> {
        loop {
            let list: Value = serde_json::from_slice(&self.get("matches.json").1).unwrap();
            if list.get("pending").is_none() {
                return list["matches"].as_array().unwrap().clone();
            }
        }
    }

    /// Ends it as Ctrl-C does; returns the exit code.
    fn end(mut self) -> Option<i32> {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        self.process.wait().unwrap().code()
    }
}

impl Drop for Running {
    /// A test that fails leaves no server.
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::create_dir(here.join("page")).unwrap();
    fs::write(here.join("page/index.html"), "<!doctype html>page").unwrap();
    fs::create_dir(here.join("matches")).unwrap();
    fine(here, "record matches/a.tape --ticks 2400 --seed 5 --players 2 --radius 6");
    fine(here, "convert matches/a.tape matches/b.minewars");
    fine(here, "convert matches/a.tape matches/c.json.gz");
    fs::write(here.join("matches/notes.txt"), "nothing").unwrap();
    folder
}

#[test]
fn a_folder_becomes_a_list_with_pictures() {
    let folder = folder();
    let server = Running::start(folder.path(), "matches");
    assert!(server.address.ends_with(&server.base), "{}", server.address);
    assert_eq!(server.get("").1, b"<!doctype html>page");
    let list = server.list();
    let formats: Vec<&str> = list.iter().map(|row| row["format"].as_str().unwrap()).collect();
    assert_eq!(formats, ["tape", "minewars", "gamelog"]);
    for (row, name) in list.iter().zip(["a.tape", "b.minewars", "c.json.gz"]) {
        assert_eq!(row["name"], name);
        assert_eq!(row["players"].as_array().unwrap().len(), 2, "{row}");
        let (status, bytes) = server.get(row["src"].as_str().unwrap());
        assert_eq!(status, 200);
        assert!(bytes == fs::read(folder.path().join("matches").join(name)).unwrap(), "{name}");
        let (status, picture) = server.get(row["picture"].as_str().unwrap());
        assert_eq!((status, &picture[1..4]), (200, &b"PNG"[..]), "{name}");
    }
    assert_eq!(list[0]["game"], "Skirmish");
    let results = |row: &Value| {
        let players = row["players"].as_array().unwrap().iter();
        players.map(|player| player["result"].as_str().map(ToOwned::to_owned)).collect::<Vec<_>>()
    };
    // All three say who won.
    assert!(results(&list[0]).contains(&Some("won".to_owned())), "{}", list[0]);
    assert!(list.iter().all(|row| results(row) == results(&list[0])), "{list:?}");
    assert!(list[0]["seconds"].as_f64().unwrap() > 10.0 && list[2]["turns"].is_i64());
    assert!(list[0]["date"].as_str().unwrap().ends_with('Z'));
    assert_eq!(server.end(), Some(0));
}

#[test]
fn one_recording_is_opened_at_once() {
    let folder = folder();
    let line = "--at 0:10 --view 1 matches/a.tape";
    let server = Running::start(folder.path(), line);
    let query = server.address.split_once('?').unwrap().1;
    assert_eq!(query, "src=recordings/0/a.tape&t=0%3A10&view=1");
    assert_eq!(server.get("recordings/0/a.tape").0, 200);
    assert_eq!(server.get("recordings/1/b.minewars").0, 404);
    assert_eq!(server.end(), Some(0));
}

#[test]
fn what_comes_through_a_pipe_is_shown_too() {
    let folder = folder();
    let bytes = fs::read(folder.path().join("matches/a.tape")).unwrap();
    let mut command = gametape(folder.path(), "view --no-open --json --viewer page -");
    let mut process =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    process.stdin.take().unwrap().write_all(&bytes).unwrap();
    let mut first = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains("?src=recordings/0/"), "{first}");
    let id = process.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(process.wait().unwrap().code(), Some(0));
}

#[test]
fn a_site_has_everything_that_the_server_has() {
    let folder = folder();
    fine(folder.path(), "view --viewer page --site site matches");
    let site = folder.path().join("site");
    let list: Value =
        serde_json::from_slice(&fs::read(site.join("matches.json")).unwrap()).unwrap();
    let list = list["matches"].as_array().unwrap();
    let server = Running::start(folder.path(), "matches");
    assert_eq!(*list, server.list());
    for row in list {
        for field in ["src", "picture"] {
            let path = row[field].as_str().unwrap();
            assert!(fs::read(site.join(path)).unwrap() == server.get(path).1, "{path}");
        }
    }
    assert!(site.join("index.html").exists());
    assert_eq!(server.end(), Some(0));
}

#[test]
fn a_site_leaves_out_links_that_lead_out_of_a_folder() {
    let folder = folder();
    let here = folder.path();
    fs::copy(here.join("matches/a.tape"), here.join("secret.tape")).unwrap();
    std::os::unix::fs::symlink("../secret.tape", here.join("matches/out.tape")).unwrap();
    fine(here, "view --viewer page --site site matches");
    let list = fs::read_to_string(here.join("site/matches.json")).unwrap();
    assert!(list.contains("a.tape") && !list.contains("out.tape"), "{list}");
    fine(here, "view --viewer page --site named matches matches/out.tape");
    let list = fs::read_to_string(here.join("named/matches.json")).unwrap();
    assert!(list.contains("out.tape"), "{list}");
}

#[test]
fn a_site_of_broken_recordings_says_so() {
    let folder = folder();
    let here = folder.path();
    let bytes = fs::read(here.join("matches/a.tape")).unwrap();
    fs::create_dir(here.join("broken")).unwrap();
    fs::write(here.join("broken/torn.tape"), &bytes[..bytes.len() / 2]).unwrap();
    fs::write(here.join("short.json.gz"), b"\x1f\x8b\x08").unwrap();
    for (line, code, said, is_written) in [
        ("torn broken/torn.tape", 3, "warning: broken/torn.tape: bytes ", true),
        ("many broken matches", 3, "1 damaged", true),
        ("short short.json.gz", 1, "error: short.json.gz: gzip header: ", false),
        ("rest short.json.gz matches", 1, "1 failed", true),
    ] {
        let output = gametape(here, &format!("view --viewer page --site {line}")).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{line}: {text}");
        assert!(text.contains(said), "{line}: {text}");
        let site = here.join(line.split(' ').next().unwrap());
        assert_eq!(site.join("matches.json").exists(), is_written, "{line}");
    }
}
