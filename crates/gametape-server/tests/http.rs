//! The server over real sockets: what it answers, and what it refuses.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gametape_server::{Assets, Listen, Matches, Recording, Server, Site, Stopper};

/// Longer than any answer takes; a test that waits longer would wait forever.
const LONG: Duration = Duration::from_secs(60);

struct Fixed;

impl Matches for Fixed {
    fn list(&self) -> Vec<u8> {
        br#"{"matches":[]}"#.to_vec()
    }

    fn picture(&self, number: usize) -> Option<Vec<u8>> {
        match number {
            0 => Some(b"a picture".to_vec()),
            1 => panic!("a picture that cannot be drawn"),
            _ => None,
        }
    }
}

/// A server that runs, in a folder of its own.
struct Running {
    address: SocketAddr,
    /// The path that everything is below, with slashes around it.
    base: String,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
    folder: tempfile::TempDir,
}

const RECORDING: usize = 1_000_000;

fn bytes() -> Vec<u8> {
    (0..RECORDING as u32).map(|index| (index.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

fn start(listen: &Listen, with_viewer: bool) -> Running {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    fs::create_dir(folder.path().join("viewer")).unwrap();
    if with_viewer {
        write("viewer/index.html", b"<!doctype html>the page");
        write("viewer/app.js", b"the script");
        write("viewer/app.js.br", b"the script in brotli");
        write("viewer/app.js.gz", b"the script in gzip");
        write("viewer/x.wasm", b"\0asm");
    }
    write("a b.tape", &bytes());
    write("empty.tape", b"");
    write("secret.txt", b"nobody may read this");
    let recording = |name: &str| Recording { name: name.into(), path: folder.path().join(name) };
    let recordings = ["a b.tape", "empty.tape", "gone.tape"].map(recording).into();
    let assets = Assets::in_folder(&folder.path().join("viewer")).unwrap();
    let server = Server::bind(listen).unwrap();
    let link = server.link();
    let base = link.splitn(4, '/').nth(3).unwrap();
    let mut running = Running {
        address: server.address(),
        base: format!("/{base}"),
        stopper: server.stopper(),
        thread: None,
        folder,
    };
    let site = Site { assets, recordings, matches: Arc::new(Fixed) };
    let thread = thread::spawn(move || server.run(site).unwrap());
    running.thread = Some(thread);
    running
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stopper.stop();
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(ended.is_some_and(|ended| ended.is_ok()) || thread::panicking());
    }
}

/// An answer.
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(one, _)| one.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

impl Running {
    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream
    }

    /// Sends bytes, and reads until the server closes.
    fn raw(&self, request: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        // The server may close before it has read everything.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    fn send(&self, line: &str, headers: &[&str]) -> Answer {
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let request = format!("{line} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n");
        let answer = self.raw(request.as_bytes());
        let end = answer.windows(4).position(|window| window == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no answer to {line}: {answer:?}"));
        let head = String::from_utf8(answer[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head, body: answer[end + 4..].to_vec() }
    }

    /// Asks for something below the secret, as a browser would.
    fn get(&self, path: &str, headers: &[&str]) -> Answer {
        let host = format!("Host: {}", self.address);
        let headers: Vec<&str> = headers.iter().copied().chain([host.as_str()]).collect();
        self.send(&format!("GET {}{path}", self.base), &headers)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

fn local() -> Running {
    start(&Listen::default(), true)
}

const TAPE: &str = "recordings/0/a%20b.tape";

#[test]
fn assets_go_out_in_the_smallest_accepted_encoding() {
    let server = local();
    let page = server.get("", &[]);
    assert_eq!((page.status, &page.body[..]), (200, &b"<!doctype html>the page"[..]));
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(server.get("x.wasm", &[]).header("content-type"), Some("application/wasm"));
    let plain = server.get("app.js", &[]);
    assert_eq!((&plain.body[..], plain.header("content-encoding")), (&b"the script"[..], None));
    let brotli = server.get("app.js", &["Accept-Encoding: gzip, deflate, br"]);
    assert_eq!(brotli.header("content-encoding"), Some("br"));
    assert_eq!(brotli.body, b"the script in brotli");
    let gzip = server.get("app.js", &["Accept-Encoding: gzip"]);
    assert_eq!(
        (gzip.header("content-encoding"), &gzip.body[..]),
        (Some("gzip"), &b"the script in gzip"[..])
    );
    let tags = [&plain, &brotli, &gzip].map(|answer| answer.header("etag").unwrap().to_owned());
    assert!(tags[0] != tags[1] && tags[1] != tags[2]);
    assert!(
        [&plain, &brotli].iter().all(|answer| answer.header("vary") == Some("accept-encoding"))
    );
}

#[test]
fn what_is_known_is_not_sent_again() {
    let server = local();
    for (path, accept) in [("app.js", "Accept-Encoding: br"), (TAPE, "Accept: */*")] {
        let tag = server.get(path, &[accept]).header("etag").unwrap().to_owned();
        assert!(tag.starts_with('"'), "{tag} is weak");
        let again = server.get(path, &[accept, &format!("If-None-Match: \"x\", {tag}")]);
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        assert_eq!(again.header("etag"), Some(&*tag));
        assert_eq!(server.get(path, &[accept, "If-None-Match: \"x\""]).status, 200);
    }
}

#[test]
fn recordings_are_read_by_range() {
    let server = local();
    let bytes = bytes();
    let whole = server.get(TAPE, &[]);
    assert_eq!((whole.status, whole.header("accept-ranges")), (200, Some("bytes")));
    assert_eq!(whole.header("content-type"), Some("application/octet-stream"));
    assert!(whole.body == bytes);
    for (range, wanted) in [
        ("0-0", 0..1),
        ("0-65535", 0..65_536),
        ("65535-65536", 65_535..65_537),
        ("999999-", 999_999..RECORDING),
        ("-70000", RECORDING - 70_000..RECORDING),
        ("500000-99999999999", 500_000..RECORDING),
    ] {
        let part = server.get(TAPE, &[&format!("Range: bytes={range}")]);
        assert_eq!(part.status, 206, "{range}");
        assert!(part.body == bytes[wanted.clone()], "{range}");
        let range = format!("bytes {}-{}/{RECORDING}", wanted.start, wanted.end - 1);
        assert_eq!(part.header("content-range"), Some(&*range));
        assert_eq!(part.header("content-length"), Some(&*wanted.len().to_string()));
    }
    for range in ["1000000-", "-0", "99999999999999999999-"] {
        let outside = server.get(TAPE, &[&format!("Range: bytes={range}")]);
        assert_eq!(outside.status, 416, "{range}");
        assert_eq!(outside.header("content-range"), Some("bytes */1000000"));
        assert!(outside.body.is_empty());
    }
    for ignored in ["bytes=0-1,5-6", "bytes=9-5", "lines=0-1", "nonsense"] {
        let whole = server.get(TAPE, &[&format!("Range: {ignored}")]);
        assert_eq!((whole.status, whole.body.len()), (200, RECORDING), "{ignored}");
    }
    assert_eq!(server.get("recordings/1/empty.tape", &["Range: bytes=0-"]).status, 416);
    assert_eq!(server.get("recordings/1/empty.tape", &[]).status, 200);
}

#[test]
fn a_range_of_another_version_is_the_whole() {
    let server = local();
    let tag = server.get(TAPE, &[]).header("etag").unwrap().to_owned();
    let part = |tag: &str| server.get(TAPE, &["Range: bytes=0-9", &format!("If-Range: {tag}")]);
    assert_eq!(part(&tag).status, 206);
    assert_eq!(part("\"other\"").status, 200);
    assert_eq!(part("Wed, 21 Oct 2015 07:28:00 GMT").status, 200);
    fs::write(server.path("a b.tape"), b"another recording").unwrap();
    let whole = part(&tag);
    assert_eq!((whole.status, &whole.body[..]), (200, &b"another recording"[..]));
    assert_ne!(whole.header("etag"), Some(&*tag));
}

#[test]
fn head_is_get_without_a_body() {
    let server = local();
    let host = format!("Host: {}", server.address);
    for (path, headers) in [
        ("", vec![]),
        ("app.js", vec!["Accept-Encoding: br"]),
        (TAPE, vec![]),
        (TAPE, vec!["Range: bytes=5-9"]),
        ("nothing", vec![]),
    ] {
        let get = server.get(path, &headers);
        let headers: Vec<&str> = headers.into_iter().chain([host.as_str()]).collect();
        let head = server.send(&format!("HEAD {}{path}", server.base), &headers);
        assert_eq!(head.status, get.status, "{path}");
        assert!(head.body.is_empty(), "{path}");
        for name in ["content-length", "content-type", "etag", "content-range", "content-encoding"]
        {
            assert_eq!(head.header(name), get.header(name), "{path}: {name}");
        }
    }
}

#[test]
fn lists_and_pictures_are_made_when_they_are_asked_for() {
    let server = local();
    let list = server.get("matches.json", &[]);
    assert_eq!((list.status, list.header("content-type")), (200, Some("application/json")));
    assert_eq!(list.body, br#"{"matches":[]}"#);
    let picture = server.get("pictures/0.png", &[]);
    assert_eq!((picture.status, picture.header("content-type")), (200, Some("image/png")));
    // One that cannot be drawn, one that is not there, and no recording at all; and the server goes on.
    for path in ["pictures/1.png", "pictures/2.png", "pictures/3.png", "pictures/99999999999.png"] {
        assert_eq!(server.get(path, &[]).status, 404, "{path}");
    }
    assert_eq!(server.get("pictures/0.png", &[]).status, 200);
}

#[test]
fn every_answer_has_the_policy() {
    let server = local();
    let refused = server.send("GET /", &["Host: evil.example"]);
    let wrong = server.send("POST /", &["Host: localhost"]);
    for answer in [
        server.get("", &[]),
        server.get(TAPE, &[]),
        server.get(TAPE, &["Range: bytes=9999999-"]),
        server.get("nothing", &[]),
        server.get("matches.json", &[]),
        refused,
        wrong,
    ] {
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none';") && !policy.contains("unsafe-inline"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
}

#[test]
fn only_those_who_know_the_secret_are_answered() {
    let server = local();
    let host = format!("Host: {}", server.address);
    assert_eq!(server.base.len(), 34, "128 bits in {}", server.base);
    let secret = server.base.trim_matches('/');
    let redirect = server.send(&format!("GET /{secret}"), &[&host]);
    assert_eq!((redirect.status, redirect.header("location")), (308, Some(&*server.base)));
    let almost: String = secret.chars().rev().collect();
    let wrong = [
        "/".to_owned(),
        "/index.html".to_owned(),
        "/app.js".to_owned(),
        format!("/{TAPE}"),
        format!("/{almost}/"),
        format!("/{}/", &secret[..31]),
        format!("/{secret}0/"),
        format!("/{}/", secret.to_ascii_uppercase().replace(char::is_numeric, "x")),
        format!("//{secret}/"),
        format!("/./{secret}/"),
    ];
    let nothing = server.get("nothing", &[]);
    for path in wrong {
        let answer = server.send(&format!("GET {path}"), &[&host]);
        assert_eq!((answer.status, &answer.body), (404, &nothing.body), "{path}");
        assert!(!answer.head.contains(secret));
    }
}

#[test]
fn tricks_with_paths_find_nothing() {
    let server = local();
    for path in [
        "../secret.txt",
        "..%2fsecret.txt",
        "%2e%2e/secret.txt",
        "%2e%2e%2fsecret.txt",
        "..\\secret.txt",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "secret.txt",
        "viewer/index.html",
        "recordings/0/secret.txt",
        "recordings/0/../0/a%20b.tape",
        "recordings/0/..%2fsecret.txt",
        "recordings/0/a%20b.tape/",
        "recordings/0/a%20b.tape%00",
        "recordings/0//a%20b.tape",
        "recordings/00/a%20b.tape",
        "recordings/3/a%20b.tape",
        "recordings/-1/a%20b.tape",
        "recordings/18446744073709551616/a%20b.tape",
        "recordings/0",
        "recordings/",
        "recordings/0/A%20B.tape",
        "recordings/0/%ff%fe",
        "recordings/2/gone.tape",
        "app.js.br",
        "index.html/",
        "matches.json/",
        "pictures/../index.html",
    ] {
        let answer = server.get(path, &[]);
        assert_eq!(answer.status, 404, "{path}");
        assert!(!String::from_utf8_lossy(&answer.body).contains("nobody may read"));
    }
    // A query changes nothing.
    assert_eq!(server.get(&format!("{TAPE}?x=../y"), &[]).status, 200);
}

#[test]
fn requests_to_other_names_are_refused() {
    let server = local();
    let line = format!("GET {}", server.base);
    let port = server.address.port();
    for host in [format!("localhost:{port}"), "127.0.0.1:1".into(), format!("[::1]:{port}")] {
        assert_eq!(server.send(&line, &[&format!("Host: {host}")]).status, 200, "{host}");
    }
    for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil", ""] {
        let answer = server.send(&line, &[&format!("Host: {host}:{port}")]);
        assert_eq!(answer.status, 421, "{host}");
        assert!(!answer.head.contains("the page"));
    }
    let twice = server.send(&line, &["Host: localhost", "Host: evil.example"]);
    assert_ne!(twice.status, 200);
    assert_ne!(server.send(&line, &[]).status, 200);
    // As to a proxy, with a host in the line.
    let absolute =
        server.send(&format!("GET http://evil.example{}", server.base), &["Host: localhost"]);
    assert_ne!(absolute.status, 200);
    assert_ne!(
        server.raw(format!("{line} HTTP/1.0\r\n\r\n").as_bytes()).get(9..12),
        Some(&b"200"[..])
    );
}

#[test]
fn a_name_can_be_allowed_and_the_secret_left_out() {
    let listen =
        Listen { with_secret: false, names: vec!["matches.example".into()], ..Listen::default() };
    let server = start(&listen, true);
    assert_eq!(server.base, "/");
    assert_eq!(server.send("GET /", &["Host: matches.example:80"]).status, 200);
    assert_eq!(server.send("GET /", &["Host: other.example"]).status, 421);
    assert_eq!(server.get(TAPE, &["Range: bytes=0-9"]).status, 206);
}

#[test]
fn only_get_and_head_are_answered() {
    let server = local();
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "BREW"] {
        let answer = server
            .send(&format!("{method} {}", server.base), &["Host: localhost", "Content-Length: 0"]);
        assert!(matches!(answer.status, 400 | 405), "{method}: {}", answer.status);
        assert!(!answer.head.to_ascii_lowercase().contains("access-control"));
    }
}

#[test]
fn heads_that_are_too_large_or_no_requests_are_refused() {
    let server = local();
    let large = format!("X: {}\r\n", "x".repeat(64 << 10));
    let many: String = (0..200).map(|number| format!("X-{number}: 1\r\n")).collect();
    let long = "x".repeat(60_000);
    for (path, headers) in [("", &*large), ("", &*many), (&*long, "")] {
        let path = format!("{}{path}", server.base);
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n");
        let answer = server.raw(request.as_bytes());
        // Who still sends when the server closes may not see the answer.
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 431"), "{answer:?}");
    }
    for nonsense in [
        &b"\0\0\0\0\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut stream = server.connect();
        stream.write_all(nonsense).unwrap();
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "{nonsense:?}");
    }
    assert_eq!(server.get("", &[]).status, 200);
}

#[test]
fn a_client_that_does_not_read_holds_nobody_up() {
    let server = local();
    // A large recording that nobody takes, on several connections.
    fs::write(server.path("a b.tape"), vec![7; 64 << 20]).unwrap();
    let request = format!("GET {}{TAPE} HTTP/1.1\r\nHost: localhost\r\n\r\n", server.base);
    let slow: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(request.as_bytes()).unwrap();
            stream
        })
        .collect();
    // And some that never finish a request.
    let silent: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(b"GET / HT").unwrap();
            stream
        })
        .collect();
    for _ in 0..10 {
        assert_eq!(server.get("app.js", &[]).status, 200);
        assert_eq!(server.get(TAPE, &["Range: bytes=-5"]).body, [7; 5]);
    }
    // Stopping does not wait for them.
    let begin = Instant::now();
    drop(server);
    assert!(begin.elapsed() < LONG);
    drop((slow, silent));
}

#[test]
fn too_many_connections_of_one_address_are_closed() {
    let server = local();
    let held: Vec<TcpStream> = (0..128).map(|_| server.connect()).collect();
    // All of them are accepted in order, so the next one is one too many.
    let mut next = server.connect();
    let mut byte = [0];
    assert!(matches!(next.read(&mut byte), Ok(0) | Err(_)), "it was answered");
    drop(held);
    // The server may not have seen yet that they are gone; then it closes this one, too.
    let begin = Instant::now();
    let mut is_answered = || {
        let mut stream = server.connect();
        let request = format!("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", server.base);
        let _ = stream.write_all(request.as_bytes());
        matches!(stream.read(&mut byte), Ok(1))
    };
    while !is_answered() {
        assert!(begin.elapsed() < LONG, "room that became free is not used");
    }
}

#[test]
fn a_recording_that_becomes_shorter_breaks_off() {
    let server = local();
    let path = server.path("a b.tape");
    fs::write(&path, vec![7; 64 << 20]).unwrap();
    let mut stream = server.connect();
    let request = format!(
        "GET {}{TAPE} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        server.base
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut first = [0; 1000];
    stream.read_exact(&mut first).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_len(1000).unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(rest.len() < 64 << 20, "bytes were made up");
}

#[test]
fn several_requests_share_a_connection() {
    let server = local();
    let mut stream = server.connect();
    for index in 0..50 {
        let range = format!("Range: bytes={index}-{index}");
        let request =
            format!("GET {}{TAPE} HTTP/1.1\r\nHost: localhost\r\n{range}\r\n\r\n", server.base);
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        while !answer.windows(4).any(|window| window == b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            answer.push(byte[0]);
        }
        let mut body = [0];
        stream.read_exact(&mut body).unwrap();
        assert!(answer.starts_with(b"HTTP/1.1 206"));
        assert_eq!(body[0], bytes()[index]);
    }
}

#[test]
fn without_the_viewer_a_page_names_the_command() {
    let server = start(&Listen::default(), false);
    let page = server.get("", &[]);
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    assert!(String::from_utf8(page.body).unwrap().contains("cargo xtask viewer"));
    assert_eq!(server.get("app.js", &[]).status, 404);
    assert_eq!(server.get("matches.json", &[]).status, 200);
}

#[test]
fn a_folder_without_a_page_is_no_viewer() {
    assert!(!Assets::in_folder(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap().is_built());
}
