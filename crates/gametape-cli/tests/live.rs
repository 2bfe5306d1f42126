//! A match that is played, published, served and watched by real processes over loopback: what spectators keep is
//! what was recorded.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use gametape_analysis::Events;
use gametape_tape::{Chunk, ChunkHeader, ChunkKind, TapeFrames, TapeHeader};
use gametape_wire::View;

/// Longer than anything takes: a test that waits for more has failed.
const PATIENCE: Duration = Duration::from_secs(120);

/// A program that is ended with the test.
struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    fn start(folder: &Path, line: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gametape"));
        let command = command.current_dir(folder).args(line.split(' '));
        let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = spawned.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self { child, lines }
    }

    /// The next line for which this is so.
    fn line(&self, is_it: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).expect("the line does not come");
            if is_it(&line) {
                return line;
            }
        }
    }

    /// Waits until a spectator has this tick.
    fn shows(&self, tick: u64) {
        self.line(|line| {
            let shown = line.strip_prefix(r#"{"what":"shown","tick":"#);
            let shown = shown.and_then(|rest| rest.trim_end_matches('}').parse::<u64>().ok());
            shown.is_some_and(|shown| shown >= tick)
        });
    }

    /// How it ended.
    fn code(self) -> Option<i32> {
        self.end().0
    }

    /// How it ended, and what it said until then.
    fn end(mut self) -> (Option<i32>, Vec<String>) {
        let until = Instant::now() + PATIENCE;
        let mut lines = Vec::new();
        loop {
            // Its lines end when it does.
            lines.extend(self.lines.recv_timeout(Duration::from_millis(20)).ok());
            if let Some(status) = self.child.try_wait().unwrap() {
                lines.extend(self.lines.iter());
                return (status.code(), lines);
            }
            assert!(Instant::now() < until, "it does not end");
        }
    }

    /// kill -9.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn serve(folder: &Path, listen: &str) -> (Running, SocketAddr) {
    let server =
        Running::start(folder, &format!("serve --public all --delay 0s --listen {listen}"));
    let line = server.line(|line| line.starts_with("http://"));
    let address = line.trim_start_matches("http://").trim_end_matches('/').parse().unwrap();
    (server, address)
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    (folder, path)
}

/// A match of half a minute in three seconds.
fn record(folder: &Path, more: &str) -> Running {
    let line = format!("record --live --speed 10 --seed 5 --ticks 600{more} source.tape");
    Running::start(folder, &line)
}

/// What a view has in a tape: payloads, keyframes, events.
#[derive(Debug, PartialEq, Eq)]
struct Content {
    payloads: Vec<(u64, Vec<u8>)>,
    keyframes: Vec<(u64, Vec<u8>)>,
    events: Vec<String>,
}

/// The content of a tape after it was cut to a view.
fn content(folder: &Path, tape: &str, view: u8) -> Content {
    let cut = format!("{tape}-{view}.tape");
    let line = format!("cut --force --view {view} {tape} {cut}");
    let done = Command::new(env!("CARGO_BIN_EXE_gametape"))
        .current_dir(folder)
        .args(line.split(' '))
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let bytes = fs::read(folder.join(cut)).unwrap();
    let mut content = Content { payloads: vec![], keyframes: vec![], events: vec![] };
    let mut used = TapeHeader::LENGTH;
    loop {
        let chunk = Chunk::read(&bytes[used..], used as u64).unwrap();
        if chunk.header.kind == ChunkKind::INDEX {
            break;
        }
        used += ChunkHeader::LENGTH + chunk.stored.len();
        content.add(&chunk, View::new(view).unwrap());
    }
    content.events.sort();
    content
}

impl Content {
    fn add(&mut self, chunk: &Chunk<'_>, view: View) {
        let raw = chunk.raw().unwrap();
        match chunk.header.kind {
            ChunkKind::FRAMES if chunk.header.stream == 0 => {
                for frame in TapeFrames::new(&chunk.header, &raw) {
                    let frame = frame.unwrap();
                    let own = frame.parts().filter(|part| part.views.contains(view));
                    self.payloads.extend(own.map(|part| (frame.tick, part.payload.to_vec())));
                }
            }
            kind if kind.is_keyframe() => {
                self.keyframes.push((chunk.header.first_tick, raw.to_vec()));
            }
            ChunkKind::EVENTS => {
                let events = Events::new(&raw, 0).unwrap();
                self.events.extend(events.map(|event| format!("{:?}", event.unwrap())));
            }
            _ => {}
        }
    }
}

/// A spectator ended, and its tape is what was recorded. On a busy machine messages of class Unreliable may come
/// too late: then it says of which ticks, and everything else is there.
fn assert_kept(spectator: Running, folder: &Path, kept: &str, views: &[u8]) {
    let (code, lines) = spectator.end();
    let lost: Vec<[u64; 4]> = lines.iter().filter_map(|line| lost(line)).collect();
    assert_eq!(code, Some(if lost.is_empty() { 0 } else { 3 }), "{lines:?}");
    assert!(lost.iter().all(|[.., parts]| *parts > 0), "whole ticks are lost: {lost:?}");
    for view in views {
        let is_whole = |(tick, _): &(u64, Vec<u8>)| {
            !lost.iter().any(|[of, first, last, _]| {
                *of == u64::from(*view) && (*first..=*last).contains(tick)
            })
        };
        let [mut source, mut kept] = ["source.tape", kept].map(|tape| content(folder, tape, *view));
        assert!(source.payloads.len() > 20 && source.keyframes.len() >= 2, "it is a match");
        source.payloads.retain(is_whole);
        kept.payloads.retain(is_whole);
        assert_eq!(source.payloads, kept.payloads, "payloads of view {view}");
        assert_eq!(source.keyframes, kept.keyframes, "keyframes of view {view}");
        assert_eq!(source.events, kept.events, "events of view {view}");
    }
}

/// View, first and last tick, and parts of a line about what is lost.
fn lost(line: &str) -> Option<[u64; 4]> {
    let rest = line.strip_prefix(r#"{"what":"lost","#)?.trim_end_matches('}');
    let numbers = rest.split(',').filter_map(|field| field.split_once(':')?.1.parse().ok());
    numbers.collect::<Vec<u64>>().try_into().ok()
}

#[test]
fn two_spectators_one_of_whom_comes_late_and_rewinds_have_the_source() {
    let (_kept, folder) = folder();
    let (_server, address) = serve(&folder, "127.0.0.1:0");
    let game = record(&folder, &format!(" --to http://{address}/ --match finals"));
    let watch = |save: &str| {
        let line = format!("watch --json --at start --save {save} ws://{address}/?match=finals");
        Running::start(&folder, &line)
    };
    wait_for_match(address);
    let first = watch("first.tape");
    first.shows(100);
    let late = watch("late.tape");
    late.line(|line| line == r#"{"what":"began","tick":0}"#);
    assert_eq!(game.code(), Some(0));
    assert_kept(first, &folder, "first.tape", &[0, 1, 2]);
    assert_kept(late, &folder, "late.tape", &[0, 1, 2]);
}

#[test]
fn a_publisher_that_is_killed_and_begun_again_loses_nothing() {
    let (_kept, folder) = folder();
    let (_server, address) = serve(&folder, "127.0.0.1:0");
    let game = record(&folder, "");
    wait_for_file(&folder.join("source.tape"));
    let publish = format!("publish source.tape --to http://{address}/ --match finals");
    let publisher = Running::start(&folder, &publish);
    wait_for_match(address);
    let watch = format!("watch --json --at start --save kept.tape ws://{address}/");
    let spectator = Running::start(&folder, &watch);
    spectator.shows(60);
    publisher.kill();
    let publisher = Running::start(&folder, &publish);
    assert_eq!(game.code(), Some(0));
    assert_eq!(publisher.code(), Some(0));
    assert_kept(spectator, &folder, "kept.tape", &[0, 1, 2]);
}

#[test]
fn connections_that_are_cut_cost_nothing() {
    let (_kept, folder) = folder();
    let (_server, address) = serve(&folder, "127.0.0.1:0");
    let publishing = proxy(address, |_| Some(6_000));
    let watching = proxy(address, |_| Some(5_000));
    let game = record(&folder, &format!(" --to ws://{publishing}/ --match finals"));
    wait_for_match(address);
    let watch = format!("watch --json --at start --save kept.tape ws://{watching}/?match=finals");
    let spectator = Running::start(&folder, &watch);
    spectator.line(|line| line.contains(r#""what":"disconnected""#));
    assert_eq!(game.code(), Some(0));
    assert_kept(spectator, &folder, "kept.tape", &[0, 1, 2]);
}

#[test]
fn a_server_that_is_killed_and_begun_again_gets_everything_again() {
    let (_kept, folder) = folder();
    let (server, address) = serve(&folder, "127.0.0.1:0");
    let game = record(&folder, &format!(" --to http://{address}/ --match finals"));
    wait_for_match(address);
    let watch = format!("watch --json --at start --save kept.tape ws://{address}/?match=finals");
    let spectator = Running::start(&folder, &watch);
    spectator.shows(60);
    server.kill();
    let (_server, _) = serve(&folder, &address.to_string());
    assert_eq!(game.code(), Some(0));
    assert_kept(spectator, &folder, "kept.tape", &[0, 1, 2]);
}

#[test]
fn segments_are_what_is_left_where_nothing_else_passes() {
    let (_kept, folder) = folder();
    let (_server, address) = serve(&folder, "127.0.0.1:0");
    let game = record(&folder, &format!(" --to ws://{address}/ --match finals"));
    wait_for_match(address);
    // Who wants to upgrade gets nothing.
    let narrow = proxy(address, |head| {
        let is_upgrade = head.to_ascii_lowercase().windows(8).any(|bytes| bytes == b"upgrade:");
        if is_upgrade { Some(0) } else { None }
    });
    let watch =
        format!("watch --json --at start --view 0 --save kept.tape http://{narrow}/?match=finals");
    let spectator = Running::start(&folder, &watch);
    spectator.line(|line| line == r#"{"what":"connected","transport":"segments"}"#);
    assert_eq!(game.code(), Some(0));
    assert_kept(spectator, &folder, "kept.tape", &[0]);
}

#[test]
fn who_stops_reading_the_lines_still_gets_the_tape() {
    let (_kept, folder) = folder();
    let (_server, address) = serve(&folder, "127.0.0.1:0");
    let game = record(&folder, &format!(" --to http://{address}/ --match finals"));
    wait_for_match(address);
    let mut command = Command::new(env!("CARGO_BIN_EXE_gametape"));
    let line = format!("watch --json --at start --save kept.tape ws://{address}/?match=finals");
    let command = command.current_dir(&folder).args(line.split(' '));
    let mut spectator =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(spectator.stdout.take());
    assert_eq!(game.code(), Some(0));
    assert_eq!(spectator.wait().unwrap().code(), Some(0));
    assert_eq!(content(&folder, "kept.tape", 1), content(&folder, "source.tape", 1));
}

#[test]
fn standard_input_is_published_to_its_end() {
    let (_kept, folder) = folder();
    let (_server, address) = serve(&folder, "127.0.0.1:0");
    let program = env!("CARGO_BIN_EXE_gametape");
    let line = "record --speed max --seed 5 --ticks 600 source.tape";
    let recorded = Command::new(program).current_dir(&folder).args(line.split(' ')).status();
    assert!(recorded.unwrap().success());
    let input = fs::File::open(folder.join("source.tape")).unwrap();
    let line = format!("publish - --to http://{address}/ --match finals");
    let mut publish = Command::new(program);
    let publish = publish.current_dir(&folder).args(line.split(' ')).stdin(input).output().unwrap();
    assert!(publish.status.success(), "{}", String::from_utf8_lossy(&publish.stderr));
    let watch = format!("watch --json --at start --save kept.tape ws://{address}/");
    assert_kept(Running::start(&folder, &watch), &folder, "kept.tape", &[0, 1, 2]);
}

#[test]
fn who_may_not_publish_or_watch_is_refused_at_once() {
    let (_kept, folder) = folder();
    let keygen = Command::new(env!("CARGO_BIN_EXE_gametape"))
        .current_dir(&folder)
        .args(["keygen", "league"])
        .status();
    assert!(keygen.unwrap().success());
    let line = "serve --public none --trust league.pub --listen 127.0.0.1:0";
    let server = Running::start(&folder, line);
    let address = server.line(|line| line.starts_with("http://"));
    assert_eq!(record(&folder, &format!(" --to {address} --match finals")).code(), Some(1));
    let watch = format!("watch --json --match finals {address}").replace("http://", "ws://");
    assert_eq!(Running::start(&folder, &watch).code(), Some(1));
    assert!(folder.join("source.tape").exists(), "the recording itself is fine");
}

/// Waits until the server lists a match.
fn wait_for_match(address: SocketAddr) {
    let until = Instant::now() + PATIENCE;
    loop {
        let mut socket = TcpStream::connect(address).unwrap();
        let request = format!(
            "GET /live/matches.json HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
        );
        socket.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        let _ = socket.read_to_string(&mut answer);
        if answer.contains("\"match\":") {
            return;
        }
        assert!(Instant::now() < until, "there is no match");
        thread::yield_now();
    }
}

/// Waits until a tape has begun.
fn wait_for_file(path: &Path) {
    let until = Instant::now() + PATIENCE;
    while fs::metadata(path).map_or(0, |file| file.len()) == 0 {
        assert!(Instant::now() < until, "there is no tape");
        thread::yield_now();
    }
}

/// A network that cuts each connection after N bytes, as decided by its first bytes.
fn proxy(server: SocketAddr, most: fn(&[u8]) -> Option<usize>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let Ok(upstream) = TcpStream::connect(server) else { continue };
            thread::spawn(move || pass(client, upstream, most));
        }
    });
    address
}

fn pass(mut client: TcpStream, mut upstream: TcpStream, most: fn(&[u8]) -> Option<usize>) {
    let mut head = vec![0; 4096];
    let Ok(length) = client.read(&mut head) else { return };
    let both = [client.try_clone().unwrap(), upstream.try_clone().unwrap()];
    let end = move || both.iter().for_each(|socket| drop(socket.shutdown(Shutdown::Both)));
    let most = most(&head[..length]).unwrap_or(usize::MAX);
    if most == 0 || upstream.write_all(&head[..length]).is_err() {
        return end();
    }
    // Either direction counts: a publisher sends, and a spectator receives.
    let (mut from, mut to) = (client.try_clone().unwrap(), upstream.try_clone().unwrap());
    let up = thread::spawn(move || copy(&mut from, &mut to, most));
    copy(&mut upstream, &mut client, most);
    end();
    let _ = up.join();
}

/// Copies up to N bytes, then cuts both.
fn copy(from: &mut TcpStream, to: &mut TcpStream, most: usize) {
    let mut done = 0;
    let mut piece = [0; 1024];
    while done < most {
        match from.read(&mut piece) {
            Ok(length @ 1..) if to.write_all(&piece[..length]).is_ok() => done += length,
            _ => break,
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
