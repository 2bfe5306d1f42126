//! Recordings on web servers that behave, and on those that do not.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    reason = "a helper of a test may fail it"
)]

mod server;

use std::time::Duration;

use gametape_store::{Options, Remote};
use gametape_wire::{ErrorClass, Source};
use server::{Behaviour, Server};

const BLOCK: u64 = 64 << 10;

/// Bytes that are nowhere the same.
fn recording(length: usize) -> Vec<u8> {
    (0..length as u64).map(|at| (at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8).collect()
}

fn opened(server: &Server) -> Remote {
    Remote::open(&server.address("match.tape")).unwrap()
}

#[test]
fn start_and_end_take_two_requests() {
    let bytes = recording(10_000_000);
    let server = Server::start(bytes.clone(), Behaviour::Good);
    let mut remote = opened(&server);
    assert_eq!(remote.length(), bytes.len() as u64);
    assert_eq!(remote.fetch(0..64).unwrap().as_ref(), &bytes[..64]);
    let end = bytes.len() as u64 - 100..bytes.len() as u64;
    assert_eq!(remote.fetch(end.clone()).unwrap().as_ref(), &bytes[end.start as usize..]);
    assert_eq!(remote.fetch(100..5000).unwrap().as_ref(), &bytes[100..5000]);
    assert_eq!((remote.requests(), server.requests().len()), (2, 2));
    assert_eq!(server.requests()[0].range.as_deref(), Some("bytes=0-65535"));
}

#[test]
fn ranges_that_are_wanted_together_are_few_requests() {
    let bytes = recording(10_000_000);
    let server = Server::start(bytes.clone(), Behaviour::Good);
    let mut remote = opened(&server);
    let wanted: Vec<_> = (0..40).map(|n| n * 90_000 + 70_000..n * 90_000 + 70_500).collect();
    remote.prepare(&wanted).unwrap();
    for range in &wanted {
        let expected = &bytes[range.start as usize..range.end as usize];
        assert_eq!(remote.fetch(range.clone()).unwrap().as_ref(), expected);
    }
    assert_eq!(server.requests().len(), 2, "the start, and all 40 ranges");
    // Far from each other: a request each.
    remote.prepare(&[6_000_000..6_000_010, 9_000_000..9_000_010]).unwrap();
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn reading_all_of_it_in_small_pieces_takes_few_requests() {
    let bytes = recording(20_000_000);
    let server = Server::start(bytes.clone(), Behaviour::Good);
    let mut remote = opened(&server);
    let mut read = Vec::new();
    while read.len() < bytes.len() {
        let start = read.len() as u64;
        let end = (start + 30_011).min(remote.length());
        read.extend_from_slice(&remote.fetch(start..end).unwrap());
    }
    assert!(read == bytes);
    assert!(server.requests().len() <= 12, "{} requests for 20 MB", server.requests().len());
}

#[test]
fn ranges_outside_are_refused_without_a_request() {
    let server = Server::start(recording(1000), Behaviour::Good);
    let mut remote = opened(&server);
    assert_eq!(remote.length(), 1000);
    assert_eq!(remote.fetch(900..1001).unwrap_err().class(), ErrorClass::Truncated);
    assert!(remote.prepare(&[5..6, 2000..2001]).is_err());
    assert_eq!(remote.fetch(7..7).unwrap().as_ref(), b"");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn an_empty_recording_is_empty() {
    let server = Server::start(Vec::new(), Behaviour::Good);
    assert_eq!(opened(&server).length(), 0);
}

#[test]
fn a_server_without_ranges_works_where_it_is_small() {
    let bytes = recording(300_000);
    let server = Server::start(bytes.clone(), Behaviour::NoRanges);
    let mut remote = opened(&server);
    assert_eq!(remote.fetch(299_000..300_000).unwrap().as_ref(), &bytes[299_000..]);
    assert_eq!(server.requests().len(), 2);
    let small = Options::default().with_max_whole(299_999);
    let error = Remote::open_with(&server.address("match.tape"), &small).unwrap_err();
    assert!(error.to_string().contains("larger than 299999 bytes"), "{error}");
}

#[test]
fn what_changes_in_the_middle_is_an_error() {
    for behaviour in [Behaviour::Good, Behaviour::IgnoresConditions] {
        let server = Server::start(recording(1_000_000), behaviour);
        let mut remote = opened(&server);
        let mut other = recording(1_000_000);
        other[600_000] ^= 1;
        server.replace(other);
        assert!(remote.fetch(0..10).is_ok(), "what was read stays");
        let error = remote.fetch(600_000..600_010).unwrap_err();
        assert!(error.to_string().contains("changed while it was read"), "{error}");
        assert_eq!((error.class(), error.offset()), (ErrorClass::Io, Some(9 * BLOCK)));
    }
}

#[test]
fn what_grows_in_the_middle_is_an_error() {
    let server = Server::start(recording(1_000_000), Behaviour::NoTags);
    let mut remote = opened(&server);
    server.replace(recording(1_000_001));
    let error = remote.fetch(600_000..600_010).unwrap_err();
    assert!(error.to_string().contains("changed while it was read"), "{error}");
}

#[test]
fn an_answer_that_is_cut_is_asked_for_again() {
    let bytes = recording(1_000_000);
    let server = Server::start(bytes.clone(), Behaviour::CutsFirst(2));
    let mut remote = opened(&server);
    assert_eq!(remote.fetch(500_000..900_000).unwrap().as_ref(), &bytes[500_000..900_000]);
    assert!(server.requests().len() >= 4);
}

#[test]
fn an_answer_that_is_always_cut_is_an_error() {
    let server = Server::start(recording(1_000_000), Behaviour::CutsFirst(usize::MAX));
    let error = Remote::open(&server.address("match.tape")).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Io, "{error}");
}

#[test]
fn a_silent_server_is_given_up() {
    let server = Server::start(recording(1_000_000), Behaviour::Silent);
    let options = Options::default().with_patience(Duration::from_millis(200));
    let error = Remote::open_with(&server.address("match.tape"), &options).unwrap_err();
    assert!(error.to_string().contains("nothing came for 0.2 s"), "{error}");
}

#[test]
fn a_server_that_stops_in_the_middle_is_given_up() {
    let server = Server::start(recording(1_000_000), Behaviour::StopsInTheMiddle);
    let options = Options::default().with_patience(Duration::from_millis(200));
    let error = Remote::open_with(&server.address("match.tape"), &options).unwrap_err();
    assert!(error.to_string().contains("nothing came for 0.2 s"), "{error}");
}

#[test]
fn bytes_of_another_place_are_no_answer() {
    let server = Server::start(recording(1_000_000), Behaviour::Shifted);
    assert!(Remote::open(&server.address("match.tape")).is_err());
}

#[test]
fn more_bytes_than_announced_are_no_answer() {
    let server = Server::start(recording(1_000_000), Behaviour::TooMany);
    let mut remote = match Remote::open(&server.address("match.tape")) {
        Ok(remote) => remote,
        Err(error) => return assert_eq!(error.class(), ErrorClass::Io),
    };
    assert_eq!(remote.fetch(0..100).unwrap().as_ref(), &recording(100)[..]);
}

#[test]
fn what_is_not_there_or_not_allowed_says_so() {
    let server = Server::start(recording(10), Behaviour::Status(404));
    let error = Remote::open(&server.address("match.tape")).unwrap_err();
    assert!(error.to_string().contains("there is no such object"), "{error}");
    let server = Server::start(recording(10), Behaviour::Status(403));
    let error = Remote::open(&server.address("match.tape")).unwrap_err();
    assert!(error.to_string().contains("403"), "{error}");
}

#[test]
fn a_busy_server_is_asked_again() {
    let server = Server::start(recording(1000), Behaviour::BusyFirst(2));
    assert_eq!(opened(&server).fetch(0..1000).unwrap().as_ref(), &recording(1000)[..]);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn the_query_of_an_address_is_sent() {
    let server = Server::start(recording(1000), Behaviour::Good);
    let address = server.address("a%20b/match.tape?X-Signature=a%2Fb&n=1");
    assert_eq!(Remote::open(&address).unwrap().length(), 1000);
    assert_eq!(server.requests()[0].path, "/a%20b/match.tape?X-Signature=a%2Fb&n=1");
}

#[test]
fn addresses_that_are_none_are_refused() {
    for address in ["ftp://host/x", "https://", "s3://bucket/a/../b", "nothing", "file://host/x"] {
        let error = Remote::open(address).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Misuse, "{address}: {error}");
    }
}
