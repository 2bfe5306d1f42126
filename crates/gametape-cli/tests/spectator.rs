//! Games of a server that are watched, and streams that were kept: the same gamelog.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../../gametape-cadre/tests/common/server.rs"]
mod cadre_server;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};
use std::thread::{self, JoinHandle};

use gametape_cadre::{Log, Options, Spectated};

use cadre_server::{GAME, Guest, let_in};

fn gametape(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gametape"));
    command.current_dir(folder).args(line.split(' ')).output().unwrap()
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A server that lets one spectator in and sends it this, in pieces, one at a time; what it was asked.
fn server(stream: Vec<u8>, piece: usize, stays: bool) -> (String, JoinHandle<[String; 2]>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("tcp://{}", listener.local_addr().unwrap());
    let serving = thread::spawn(move || {
        let Guest { mut socket, mut asked, said } = let_in(&listener);
        for piece in stream.chunks(piece) {
            // Whoever has seen enough may be gone.
            if socket.write_all(piece).is_err() {
                break;
            }
        }
        if stays {
            // Until the spectator goes.
            let _ = asked.read_to_end(&mut Vec::new());
        }
        said
    });
    (address, serving)
}

fn watched(folder: &Path, stream: &[u8], piece: usize, options: &str) -> (Output, [String; 2]) {
    let (address, serving) = server(stream.to_vec(), piece, false);
    let output = gametape(folder, &format!("watch {options} {address}/move/2"));
    (output, serving.join().unwrap())
}

fn expected(stream: &[u8]) -> Vec<u8> {
    Spectated::read(stream, &Options::default()).unwrap().log.to_json()
}

#[test]
fn a_game_is_watched_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (piece, name) in [(1, "a.json"), (50, "b.json.gz"), (100_000, "c.tape")] {
        let (output, [alias, play]) =
            watched(here, GAME.as_bytes(), piece, &format!("--save {name}"));
        assert_eq!(code(&output), Some(0), "{}", said(&output));
        assert_eq!(alias, "{\"event\":\"alias\",\"data\":\"move\"}\u{4}");
        assert!(play.contains("\"gameName\":\"Move\",\"requestedSession\":\"2\""), "{play}");
        let lines = String::from_utf8(output.stdout.clone()).unwrap();
        assert_eq!(lines, "delta 0 start, turn 0\ndelta 1 ran, turn 1\ndelta 2 over, turn 1\n");
    }
    assert_eq!(fs::read(here.join("a.json")).unwrap(), expected(GAME.as_bytes()));
    let packed = Log::open(fs::read(here.join("b.json.gz")).unwrap(), &Options::default()).unwrap();
    assert_eq!(packed.to_json(), expected(GAME.as_bytes()));
    assert_eq!(code(&gametape(here, "convert c.tape back.json")), Some(0));
    assert_eq!(fs::read(here.join("back.json")).unwrap(), expected(GAME.as_bytes()));

    let (output, _) = watched(here, GAME.as_bytes(), 9, "--json");
    let first = output.stdout.split(|byte| *byte == b'\n').next().unwrap();
    assert_eq!(first, br#"{"what":"delta","delta":0,"type":"start","turn":0}"#);
}

#[test]
fn a_game_that_is_over_ends_also_where_the_server_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (address, serving) = server(GAME.into(), 4096, true);
    let output = gametape(folder.path(), &format!("watch --save a.json {address}/move/2"));
    assert_eq!(code(&output), Some(0), "{}", said(&output));
    serving.join().unwrap();
    assert_eq!(fs::read(folder.path().join("a.json")).unwrap(), expected(GAME.as_bytes()));
}

#[test]
fn a_game_that_is_cut_keeps_what_was_seen() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let cut = &GAME.as_bytes()[..GAME.len() - 150];
    let (output, _) = watched(here, cut, 64, "--save cut.json");
    assert_eq!(code(&output), Some(3), "{}", said(&output));
    assert!(said(&output).contains("it ends within a message"), "{}", said(&output));
    assert!(said(&output).contains("before the game is over"), "{}", said(&output));
    assert_eq!(fs::read(here.join("cut.json")).unwrap(), expected(cut));

    let bad = GAME.replace("{\"currentTurn\":1}", "{\"a\":{\"&LEN\":-1}}");
    let (output, _) = watched(here, bad.as_bytes(), 64, "--save bad.json");
    assert_eq!(code(&output), Some(3), "{}", said(&output));
    assert!(said(&output).contains("deltas[1].game.a"), "{}", said(&output));
    let saved = Log::open(fs::read(here.join("bad.json")).unwrap(), &Options::default()).unwrap();
    assert_eq!(saved.len(), 1);
}

#[test]
fn servers_that_refuse_or_are_none_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let fatal = b"{\"event\":\"fatal\",\"data\":{\"message\":\"Room 2 is full! Sorry.\"}}\x04";
    for (stream, problem) in [
        (&fatal[..], "it refuses: Room 2 is full! Sorry."),
        (b"", "ended the connection before the game began"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n\x04", "message 1"),
        (b"{\"event\":\"lobbied\",\"data\":{}}\x04", "before the game began"),
    ] {
        let (output, _) = watched(here, stream, 7, "--save none.json");
        assert_eq!(code(&output), Some(1), "{}", said(&output));
        assert!(said(&output).contains(problem), "{problem}: {}", said(&output));
        assert!(!here.join("none.json").exists());
    }
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = nobody.local_addr().unwrap();
    drop(nobody);
    assert_eq!(code(&gametape(here, &format!("watch tcp://{address}/x"))), Some(1));
    for bad in ["tcp://127.0.0.1:1", "tcp://127.0.0.1:1/", "tcp:///x", "tcp://h:1/x//"] {
        let output = gametape(here, &format!("watch {bad}"));
        assert_eq!(code(&output), Some(2), "{bad}: {}", said(&output));
    }
}

#[test]
fn a_message_without_end_is_refused_at_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let endless = [b"{\"event\":\"meta-delta\",\"data\":\"".to_vec(), vec![b'x'; 3 << 20]].concat();
    let (output, _) = watched(folder.path(), &endless, 1 << 16, "--max-memory 2M");
    assert_eq!(code(&output), Some(1), "{}", said(&output));
    assert!(said(&output).contains("--max-memory allows more"), "{}", said(&output));
}

#[test]
fn a_stream_that_was_kept_is_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("game.eot"), GAME).unwrap();
    for line in [
        "info game.eot",
        "state game.eot",
        "log game.eot",
        "verify game.eot",
        "find game.eot currentTurn",
    ] {
        let output = gametape(here, line);
        assert_eq!(code(&output), Some(0), "{line}: {}", said(&output));
        assert!(!output.stdout.is_empty(), "{line}");
    }
    let info = String::from_utf8(gametape(here, "info game.eot").stdout).unwrap();
    assert!(
        info.contains("spectator stream of a Cadre game") && info.contains("Ann won"),
        "{info}"
    );
    assert_eq!(code(&gametape(here, "convert game.eot game.json")), Some(0));
    assert_eq!(fs::read(here.join("game.json")).unwrap(), expected(GAME.as_bytes()));

    let cut = &GAME.as_bytes()[..GAME.len() - 150];
    fs::write(here.join("cut.eot"), cut).unwrap();
    for line in ["info cut.eot", "state cut.eot", "log cut.eot", "convert cut.eot cut.json"] {
        let output = gametape(here, line);
        assert_eq!(code(&output), Some(3), "{line}: {}", said(&output));
        assert!(said(&output).contains("it ends within a message"), "{line}: {}", said(&output));
    }
    assert_eq!(fs::read(here.join("cut.json")).unwrap(), expected(cut));
    let disasm = gametape(here, "disasm game.eot");
    assert_eq!(code(&disasm), Some(2));
    assert!(said(&disasm).contains("game.eot is a spectator stream"), "{}", said(&disasm));

    fs::write(here.join("bad.eot"), GAME.replace("{\"currentTurn\":1}", "[7")).unwrap();
    let bad = gametape(here, "info bad.eot");
    assert_eq!(code(&bad), Some(1));
    assert!(said(&bad).contains("message 3: "), "{}", said(&bad));
}

/// A real game, sent by a server, becomes what the stream of it becomes.
#[test]
fn a_real_game_is_watched() {
    let Some(corpus) = std::env::var_os("GAMETAPE_CORPUS") else {
        println!("skipped: GAMETAPE_CORPUS is not set");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let file = Path::new(&corpus).join("cadre/Coreminer-live3.spectator-stream.eot.gz");
    let line = format!("convert {} kept.json", file.display());
    assert_eq!(code(&gametape(here, &line)), Some(0));
    let mut stream = Vec::new();
    flate2::read::GzDecoder::new(&fs::read(file).unwrap()[..]).read_to_end(&mut stream).unwrap();
    let after_named = stream.iter().position(|byte| *byte == 4).unwrap() + 1;
    let (output, _) = watched(here, &stream[after_named..], 1013, "--save watched.json");
    assert_eq!(code(&output), Some(0), "{}", said(&output));
    assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), 586);
    let [kept, watched] =
        ["kept.json", "watched.json"].map(|name| fs::read(here.join(name)).unwrap());
    assert!(kept == watched);
}
