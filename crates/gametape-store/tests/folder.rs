//! Stores in folders: everything once, and checked.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    reason = "a helper of a test may fail it"
)]

use std::fs;
use std::sync::Barrier;
use std::thread;

use gametape_store::{Remote, Store, Stored};
use gametape_wire::{ErrorClass, Source};

#[test]
fn what_is_stored_is_read_by_range() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("a folder with % and ä");
    let store = Store::open(place.to_str().unwrap()).unwrap();
    let bytes: Vec<u8> =
        (0..3_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    assert_eq!(store.put("match-1.tape", &bytes[..]).unwrap(), Stored::New);
    assert!(fs::read(place.join("match-1.tape")).unwrap() == bytes);
    let mut remote = Remote::open(&store.address("match-1.tape")).unwrap();
    assert_eq!(remote.fetch(2_000_000..2_000_009).unwrap().as_ref(), &bytes[2_000_000..2_000_009]);
    assert_eq!(remote.requests(), 2);
    // Replaced without its knowledge.
    fs::write(place.join("match-1.tape"), &bytes[..2_999_999]).unwrap();
    assert!(remote.fetch(1_000_000..1_000_009).is_err());
}

#[test]
fn nothing_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().to_str().unwrap()).unwrap();
    assert_eq!(store.put("m.tape", &b"first"[..]).unwrap(), Stored::New);
    assert_eq!(store.put("m.tape", &b"first"[..]).unwrap(), Stored::Same);
    assert_eq!(store.put("m.tape", &b"other"[..]).unwrap(), Stored::Taken);
    assert_eq!(fs::read(folder.path().join("m.tape")).unwrap(), b"first");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
}

#[test]
fn of_many_at_once_one_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().to_str().unwrap()).unwrap();
    let start = Barrier::new(8);
    let done: Vec<_> = thread::scope(|scope| {
        let put = |n: usize| {
            let (store, start) = (&store, &start);
            scope.spawn(move || {
                start.wait();
                store.put("m.tape", &vec![n as u8; 100_000][..])
            })
        };
        let threads: Vec<_> = (0..8).map(put).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(done.iter().filter(|done| **done == Ok(Stored::New)).count(), 1);
    assert_eq!(done.iter().filter(|done| **done == Ok(Stored::Taken)).count(), 7);
    let winner = done.iter().position(|done| *done == Ok(Stored::New)).unwrap();
    assert_eq!(fs::read(folder.path().join("m.tape")).unwrap(), vec![winner as u8; 100_000]);
}

#[test]
fn names_with_paths_in_them_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("in").to_str().unwrap()).unwrap();
    for name in ["", "..", ".hidden", "../out", "a/b", "a\\b", "a\0", "ä", &"x".repeat(256)] {
        let error = store.put(name, &b"x"[..]).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Misuse, "{name}");
    }
    assert_eq!(fs::read_dir(folder.path().join("in")).unwrap().count(), 0);
    assert!(Store::open("https://host/x").is_err());
}
