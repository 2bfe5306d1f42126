//! Programs that run, the tapes that they make, and networks between them.
// Each test needs some of it.
#![allow(dead_code)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use gametape_analysis::Events;
use gametape_replay::streams::keyframes_of;
use gametape_tape::{Chunk, ChunkHeader, ChunkKind, TapeFrames, TapeHeader};
use gametape_wire::View;

/// Longer than anything takes: a test that waits for more has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A program that is ended with the test.
pub(crate) struct Running {
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
    pub(crate) fn start(folder: &Path, line: &str) -> Self {
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
    pub(crate) fn line(&self, is_it: impl Fn(&str) -> bool) -> String {
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
    pub(crate) fn shows(&self, tick: u64) {
        self.line(|line| {
            let shown = line.strip_prefix(r#"{"what":"shown","tick":"#);
            let shown = shown.and_then(|rest| rest.trim_end_matches('}').parse::<u64>().ok());
            shown.is_some_and(|shown| shown >= tick)
        });
    }

    /// How it ended.
    pub(crate) fn code(self) -> Option<i32> {
        self.end().0
    }

    /// How it ended, and what it said until then.
    pub(crate) fn end(mut self) -> (Option<i32>, Vec<String>) {
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
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

pub(crate) fn serve(folder: &Path, listen: &str) -> (Running, SocketAddr) {
    serve_with(folder, &format!("--listen {listen}"))
}

/// A server that shows everything to everybody.
pub(crate) fn serve_with(folder: &Path, more: &str) -> (Running, SocketAddr) {
    let server = Running::start(folder, &format!("serve --public all --delay 0s {more}"));
    let line = server.line(|line| line.starts_with("http://"));
    let address = line.trim_start_matches("http://").trim_end_matches('/').parse().unwrap();
    (server, address)
}

pub(crate) fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    (folder, path)
}

/// What a view has in a tape: payloads, keyframes, events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) payloads: Vec<(u64, Vec<u8>)>,
    pub(crate) keyframes: Vec<(u64, Vec<u8>)>,
    pub(crate) events: Vec<String>,
}

/// The content of a tape after it was cut to a view.
pub(crate) fn content(folder: &Path, tape: &str, view: u8) -> Content {
    let cut = format!("{tape}-{view}.tape");
    let line = format!("cut --force --view {view} {tape} {cut}");
    let done = Command::new(env!("CARGO_BIN_EXE_gametape"))
        .current_dir(folder)
        .args(line.split(' '))
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let mut content = Content::of(&fs::read(folder.join(cut)).unwrap(), view);
    content.events.sort();
    content
}

impl Content {
    /// The content of a finished tape that a view has; events of all.
    pub(crate) fn of(tape: &[u8], view: u8) -> Self {
        let mut content = Self { payloads: vec![], keyframes: vec![], events: vec![] };
        let mut used = TapeHeader::LENGTH;
        loop {
            let chunk = Chunk::read(&tape[used..], used as u64).unwrap();
            if chunk.header.kind == ChunkKind::INDEX {
                return content;
            }
            used += ChunkHeader::LENGTH + chunk.stored.len();
            content.add(&chunk, View::new(view).unwrap());
        }
    }

    /// Without the payloads of ticks that a spectator says it lost something of: view, first and last tick.
    pub(crate) fn without(mut self, view: u8, lost: &[[u64; 3]]) -> Self {
        let is_lost = |tick: u64| {
            let of = |[of, first, last]: &[u64; 3]| {
                *of == u64::from(view) && (*first..=*last).contains(&tick)
            };
            lost.iter().any(of)
        };
        self.payloads.retain(|(tick, _)| !is_lost(*tick));
        self
    }

    fn add(&mut self, chunk: &Chunk<'_>, view: View) {
        let raw = chunk.raw().unwrap();
        match chunk.header.kind {
            ChunkKind::FRAMES if chunk.header.stream == 0 => {
                for frame in TapeFrames::new(&chunk.header, &raw) {
                    let frame = frame.unwrap();
                    let own = frame.parts().filter(|part| part.views.contains(view));
                    self.payloads.extend(own.map(|part| (frame.tick.0, part.payload.to_vec())));
                }
            }
            kind if kind.is_keyframe() && chunk.header.stream == keyframes_of(view) => {
                self.keyframes.push((chunk.header.first_tick.0, raw.to_vec()));
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
pub(crate) fn assert_kept(spectator: Running, folder: &Path, kept: &str, views: &[u8]) {
    let (code, lines) = spectator.end();
    let lost: Vec<[u64; 4]> = lines.iter().filter_map(|line| lost(line)).collect();
    assert_eq!(code, Some(if lost.is_empty() { 0 } else { 3 }), "{lines:?}");
    assert!(lost.iter().all(|[.., parts]| *parts > 0), "whole ticks are lost: {lost:?}");
    let lost: Vec<[u64; 3]> =
        lost.iter().map(|[view, first, last, _]| [*view, *first, *last]).collect();
    for view in views {
        let [source, kept] =
            ["source.tape", kept].map(|tape| content(folder, tape, *view).without(*view, &lost));
        assert!(source.payloads.len() > 20 && source.keyframes.len() >= 2, "it is a match");
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

/// What a server answers, with its head.
pub(crate) fn get(server: SocketAddr, path: &str) -> String {
    let mut socket = TcpStream::connect(server).unwrap();
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {server}\r\nConnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    let _ = socket.read_to_string(&mut answer);
    answer
}

/// Before a look at what is not there yet: whoever makes it needs the cores.
pub(crate) fn pause() {
    thread::park_timeout(Duration::from_millis(5));
}

/// Waits until the server lists a match.
pub(crate) fn wait_for_match(server: SocketAddr) {
    let until = Instant::now() + PATIENCE;
    while !get(server, "live/matches.json").contains("\"match\":") {
        assert!(Instant::now() < until, "there is no match");
        pause();
    }
}

/// Waits until a tape has begun.
pub(crate) fn wait_for_file(path: &Path) {
    let until = Instant::now() + PATIENCE;
    while fs::metadata(path).map_or(0, |file| file.len()) == 0 {
        assert!(Instant::now() < until, "there is no tape");
        pause();
    }
}

/// For a network in which whoever wants to upgrade a connection gets nothing.
pub(crate) fn none_for_upgrades(head: &[u8]) -> Option<usize> {
    let is_upgrade = head.to_ascii_lowercase().windows(8).any(|bytes| bytes == b"upgrade:");
    if is_upgrade { Some(0) } else { None }
}

/// A network that cuts each connection after N bytes, as decided by its first bytes.
pub(crate) fn proxy(server: SocketAddr, most: fn(&[u8]) -> Option<usize>) -> SocketAddr {
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
