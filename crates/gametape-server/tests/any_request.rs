//! Whatever a request says, the functions that decide about it give an answer that can be acted upon.
#![allow(clippy::unwrap_used)]

use gametape_server::condition::{is_known, is_range_valid};
use gametape_server::host::is_allowed;
use gametape_server::link::{decoded, encoded, is_url, name_of_url, query};
use gametape_server::negotiate::{Encoding, best};
use gametape_server::range::{Asked, asked, content_range};
use gametape_server::route::Route;

/// Pieces that such texts are made of, so that many of them are almost right.
const PIECES: [&str; 40] = [
    "bytes",
    "=",
    "-",
    ",",
    " ",
    "0",
    "1",
    "99",
    "18446744073709551615",
    "18446744073709551616",
    "br",
    "gzip",
    "*",
    ";",
    "q",
    "0.5",
    "1.000",
    "\"",
    "W/",
    "a",
    "localhost",
    "127.0.0.1",
    "[",
    "]",
    ":",
    ":80",
    "::1",
    ".",
    "..",
    "/",
    "%",
    "%2f",
    "%2e",
    "%00",
    "%ff",
    "recordings",
    "pictures",
    ".png",
    "ä",
    "matches.json",
];

/// The same texts every time.
struct Texts(u64);

impl Texts {
    fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn text(&mut self) -> String {
        let pieces = self.number() % 9;
        (0..pieces).map(|_| PIECES[(self.number() % PIECES.len() as u64) as usize]).collect()
    }
}

#[test]
fn ranges_are_inside() {
    let mut texts = Texts(1);
    for _ in 0..50_000 {
        let (header, length) = (texts.text(), texts.number() >> (texts.number() % 64));
        for header in [header.clone(), format!("bytes={header}")] {
            if let Asked::Part(range) = asked(&header, length) {
                assert!(range.start < range.end && range.end <= length, "{header} of {length}");
                assert!(content_range(Some(&range), length).ends_with(&format!("/{length}")));
            }
        }
    }
}

#[test]
fn encodings_are_among_those_that_there_are() {
    let mut texts = Texts(2);
    for _ in 0..50_000 {
        let header = texts.text();
        for there in [&Encoding::ALL[1..], &Encoding::ALL[2..], &Encoding::ALL] {
            assert!(there.contains(&best(Some(&header), there)), "{header}");
        }
    }
}

#[test]
fn paths_mean_numbers_and_names_and_nothing_else() {
    let mut texts = Texts(3);
    for _ in 0..50_000 {
        let path = format!("/{}", texts.text());
        assert!(matches!(Route::of(&path, Some("secret")), Route::Nothing), "{path}");
        let inside = format!("/secret{path}");
        if let Route::Recording(number, name) = Route::of(&inside, Some("secret")) {
            // There is one path to it, but for the ways to write a letter.
            assert!(inside.starts_with(&format!("/secret/recordings/{number}/")), "{inside}");
            assert_eq!(decoded(&encoded(&name)).unwrap(), name);
        }
    }
}

#[test]
fn hosts_tags_and_links_of_any_text_are_judged() {
    let mut texts = Texts(4);
    for _ in 0..50_000 {
        let text = texts.text();
        if is_allowed(&text, &[]) {
            assert!(
                !text.contains(['a', 'q', '/', '%', '"', ' ']) || text.starts_with("localhost"),
                "{text}"
            );
        }
        let _ = (is_known(Some(&text), "\"a\""), is_range_valid(Some(&text), "\"a\""));
        assert!(query(&[("src", &text)]).is_ascii());
        let _ = (is_url(&text), name_of_url(&text));
    }
}
