//! A bucket of an S3-compatible server, the `moto_server` that the Python package `moto[server]` brings.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    reason = "a helper of a test may fail it"
)]

use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use gametape_store::{Remote, Store, Stored};
use gametape_wire::Source;

/// Says that this process is the one with the variables of the bucket.
const INNER: &str = "GAMETAPE_TEST_BUCKET";

struct Moto {
    child: Child,
    address: String,
}

impl Moto {
    /// Starts the server; `None`, and a line that says why, where there is none.
    fn start() -> Option<Self> {
        let program = env::var_os("GAMETAPE_MOTO").unwrap_or_else(|| "moto_server".into());
        let mut command = Command::new(program);
        command.args(["-H", "127.0.0.1", "-p", "0"]).stdout(Stdio::null()).stderr(Stdio::piped());
        let Ok(mut child) = command.spawn() else {
            println!("skipped: no moto_server; GAMETAPE_MOTO or the path names one");
            return None;
        };
        let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let running = lines.filter_map(|line| Some(line.split_once("http://")?.1.to_owned()));
        let address = running.take(1).next().unwrap().trim().to_owned();
        Some(Self { child, address })
    }

    /// Sends a request as it is, and gives the answer.
    fn ask(&self, head: &str) -> String {
        let mut socket = TcpStream::connect(&self.address).unwrap();
        let host = &self.address;
        write!(
            socket,
            "{head} HTTP/1.1\r\nhost: {host}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_bucket_takes_recordings_once_and_gives_ranges() {
    if env::var_os(INNER).is_some() {
        return in_a_bucket();
    }
    let Some(moto) = Moto::start() else { return };
    let made = moto.ask("PUT /matches");
    assert!(made.starts_with("HTTP/1.1 200"), "{made}");
    // Variables are read by clients: another process has them.
    let inner = Command::new(env::current_exe().unwrap())
        .args(["--exact", "a_bucket_takes_recordings_once_and_gives_ranges", "--nocapture"])
        .env(INNER, "1")
        .env("AWS_ENDPOINT_URL", format!("http://{}", moto.address))
        .env("AWS_ACCESS_KEY_ID", "someone")
        .env("AWS_SECRET_ACCESS_KEY", "something")
        .env("AWS_REGION", "us-east-1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&[inner.stdout, inner.stderr].concat()).into_owned();
    assert!(inner.status.success() && said.contains("1 passed"), "{said}");
}

fn in_a_bucket() {
    let store = Store::open("s3://matches/finals/2026/").unwrap();
    let bytes: Vec<u8> =
        (0..3_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    assert_eq!(store.put("m1.tape", &bytes[..]).unwrap(), Stored::New);
    assert_eq!(store.put("m1.tape", &bytes[..]).unwrap(), Stored::Same);
    assert_eq!(store.put("m1.tape", &b"other"[..]).unwrap(), Stored::Taken);
    let address = store.address("m1.tape");
    assert_eq!(address, "s3://matches/finals/2026/m1.tape");
    let mut remote = Remote::open(&address).unwrap();
    assert_eq!(remote.length(), bytes.len() as u64);
    assert_eq!(remote.fetch(2_999_000..3_000_000).unwrap().as_ref(), &bytes[2_999_000..]);
    assert_eq!(remote.requests(), 2);
    let missing = Remote::open("s3://matches/finals/m2.tape").unwrap_err();
    assert!(missing.to_string().contains("there is no such object"), "{missing}");
    assert!(Store::open("s3://nothing/x").unwrap().put("m.tape", &b"x"[..]).is_err());
}
