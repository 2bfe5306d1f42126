//! A small web server with faults.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// What is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behaviour {
    Good,
    NoRanges,
    /// It has no tags and no times.
    NoTags,
    /// It sends what is there, whatever version was asked for.
    IgnoresConditions,
    /// This many answers end after half of their bytes.
    CutsFirst(usize),
    /// It takes requests and answers none.
    Silent,
    StopsInTheMiddle,
    /// It sends other bytes than it was asked for, and says so.
    Shifted,
    TooMany,
    Status(u16),
    BusyFirst(usize),
}

/// A request that came.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) range: Option<String>,
    if_match: Option<String>,
}

struct State {
    bytes: Vec<u8>,
    version: u32,
    behaviour: Behaviour,
    requests: Vec<Request>,
}

pub(crate) struct Server {
    port: u16,
    state: Arc<Mutex<State>>,
}

impl Server {
    pub(crate) fn start(bytes: Vec<u8>, behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = State { bytes, version: 1, behaviour, requests: Vec::new() };
        let state = Arc::new(Mutex::new(state));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                thread::spawn(move || drop(serve(socket, &state)));
            }
        });
        Self { port, state }
    }

    pub(crate) fn address(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.state.lock().unwrap().requests.clone()
    }

    pub(crate) fn replace(&self, bytes: Vec<u8>) {
        let mut state = self.state.lock().unwrap();
        (state.bytes, state.version) = (bytes, state.version + 1);
    }
}

fn read_request(reader: &mut impl BufRead) -> Option<Request> {
    let mut lines = reader.lines().map_while(Result::ok).take_while(|line| !line.is_empty());
    let first = lines.next()?;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut request = Request { method, path, range: None, if_match: None };
    for line in lines {
        match line.split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("range") => {
                request.range = Some(value.to_owned());
            }
            Some((name, value)) if name.eq_ignore_ascii_case("if-match") => {
                request.if_match = Some(value.to_owned());
            }
            _ => {}
        }
    }
    Some(request)
}

fn serve(mut socket: TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    let mut reader = BufReader::new(socket.try_clone()?);
    let Some(request) = read_request(&mut reader) else { return Ok(()) };
    let (head, body, stops) = {
        let mut state = state.lock().unwrap();
        state.requests.push(request.clone());
        answer(&state, &request)
    };
    socket.write_all(head.as_bytes())?;
    socket.write_all(&body)?;
    if stops {
        // Until the client has had enough.
        reader.read_to_end(&mut Vec::new())?;
    }
    Ok(())
}

/// Head and body of the answer, and whether the connection is kept open after it.
fn answer(state: &State, request: &Request) -> (String, Vec<u8>, bool) {
    let count = state.requests.len();
    let only = |status: &str| {
        (
            format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"),
            Vec::new(),
            false,
        )
    };
    match state.behaviour {
        Behaviour::Silent => return (String::new(), Vec::new(), true),
        Behaviour::Status(code) => return only(&format!("{code} No")),
        Behaviour::BusyFirst(most) if count <= most => return only("503 Busy"),
        _ => {}
    }
    let tag = format!("\"v{}\"", state.version);
    let is_other = request.if_match.as_ref().is_some_and(|wanted| *wanted != tag);
    if is_other && state.behaviour != Behaviour::IgnoresConditions {
        return only("412 Precondition Failed");
    }
    let total = state.bytes.len();
    let wanted = request.range.as_deref().and_then(|range| {
        let (start, end) = range.strip_prefix("bytes=")?.split_once('-')?;
        Some((start.parse::<usize>().ok()?, (end.parse::<usize>().ok()? + 1).min(total)))
    });
    let wanted = wanted.filter(|_| state.behaviour != Behaviour::NoRanges);
    if wanted.is_some_and(|(start, _)| start >= total) {
        return only("416 Range Not Satisfiable");
    }
    let shift = if state.behaviour == Behaviour::Shifted { 1 } else { 0 };
    let (start, end) = wanted.unwrap_or((0, total));
    let (start, end) = (start + shift, end + shift);
    let mut body = state.bytes[start..end].to_vec();
    let mut head = match wanted {
        Some(_) => {
            format!("HTTP/1.1 206 Partial\r\ncontent-range: bytes {start}-{}/{total}\r\n", end - 1)
        }
        None => "HTTP/1.1 200 OK\r\n".to_owned(),
    };
    head += &format!("content-length: {}\r\nconnection: close\r\n", body.len());
    if state.behaviour != Behaviour::NoTags {
        head += &format!("etag: {tag}\r\n");
    }
    head += "\r\n";
    let mut stops = false;
    match state.behaviour {
        _ if request.method == "HEAD" => body.clear(),
        Behaviour::CutsFirst(most) if count <= most => body.truncate(body.len() / 2),
        Behaviour::StopsInTheMiddle => {
            body.truncate(body.len() / 2);
            stops = true;
        }
        Behaviour::TooMany => body.extend_from_slice(&[0xEE; 1000]),
        _ => {}
    }
    (head, body, stops)
}
