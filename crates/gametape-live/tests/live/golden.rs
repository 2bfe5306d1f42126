//! The examples of `spec/live.md`, byte for byte.

use gametape_live::{
    Again, Body, Classes, Grant, Join, Lane, Mark, Message, Pass, Refusal, StartAt, entry_of,
};
use gametape_tape::SigningKey;
use gametape_wire::Tick;

use super::common::{name, view, views};

const SPEC: &str = include_str!("../../../../spec/live.md");

fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.chars().filter(char::is_ascii_hexdigit).collect();
    digits
        .as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// The bytes of the row that begins with these words.
fn row(start: &str) -> Vec<u8> {
    let line = SPEC.lines().find(|line| line.starts_with(&format!("| {start}"))).unwrap();
    hex(line.split('|').nth(2).unwrap())
}

#[test]
fn messages_have_the_bytes_of_the_specification() {
    let two = view(2);
    let counts = [10, 0, 0, 0, 6, 2, 0];
    let messages = [
        ("Join as spectator", Message::Join(Join::new(name(), views(&[2])))),
        (
            "Mark of view 2",
            Message::Mark(Mark { view: two, tick: Tick(300), is_last: false, counts }),
        ),
        (
            "Again: of view 2",
            Message::Again(Again { view: two, lane: Lane::new(4).unwrap(), numbers: 3..5 }),
        ),
        ("Seek to tick 299", Message::Seek(StartAt::Tick(Tick(299)))),
        ("Seek to live", Message::Seek(StartAt::Live)),
        ("Refuse: the pass", Message::Refuse(Refusal::BadPass)),
    ];
    for (start, message) in messages {
        assert_eq!(message.to_bytes()[..], row(start)[..], "{start}");
        assert_eq!(Message::read(&row(start)).unwrap(), message);
    }
}

#[test]
fn parts_have_the_bytes_of_the_specification() {
    let part = |start: &str| {
        let bytes = row(start);
        let Message::Data(data) = Message::read(&bytes).unwrap() else { panic!("{start}") };
        assert_eq!(Message::Data(data).to_bytes()[..], bytes[..]);
        let Body::Part(part) = data.body else { panic!("{start}") };
        let runs: Vec<(u32, Vec<u8>)> = part.runs().map(|(at, run)| (at, run.to_vec())).collect();
        ((data.view, data.lane.number(), data.number, data.tick, part.index), runs)
    };
    let (head, runs) = part("Part, view 2, PvP");
    assert_eq!(head, (view(2), 4, 5, Tick(300), 0));
    assert_eq!(runs, [(0, vec![0xAA, 0xBB]), (2, vec![0xCC])]);
    let (head, runs) = part("Part of that payload");
    assert_eq!(head, (view(2), 0, 9, Tick(300), 0));
    assert_eq!(runs, [(1, vec![0xD0, 0xD1])]);
}

#[test]
fn an_entry_has_the_bytes_of_the_specification() {
    let block = SPEC.split("```hex entry\n").nth(1).unwrap().lines().next().unwrap();
    let files: [&[u8]; 5] = [b"{}", &[0xAA, 0xBB], &[], &[0xCC], &[]];
    assert_eq!(entry_of(&files), hex(block));
}

/// A pass of the specification, as bytes and as text.
fn pass_of_the_specification(what: &str) -> (Vec<u8>, String) {
    let block = |kind: &str| {
        let start = SPEC.find(&format!("```{kind} {what}\n")).unwrap();
        SPEC[start..].split("```").nth(1).unwrap().split_once('\n').unwrap().1.trim().to_owned()
    };
    (hex(&block("hex")), block("text"))
}

#[test]
fn the_passes_of_the_specification_are_made_by_their_key() {
    let grant = Grant { views: views(&[2]), classes: Classes::ALL, delay: 60 };
    let key = SigningKey::from_seed(&[7; 32]);
    let passes = [
        ("pass", Pass::sign(name(), grant, 2_000_000_000, &key)),
        ("publishing-pass", Pass::sign_publishing(name(), views(&[0, 1, 2]), 2_000_000_000, &key)),
    ];
    for (what, pass) in passes {
        let (bytes, text) = pass_of_the_specification(what);
        assert_eq!(pass.to_bytes(), bytes, "{what}");
        assert_eq!(pass.to_string(), text, "{what}");
        assert_eq!(Pass::read(&bytes).unwrap(), pass);
        assert_eq!(text.parse::<Pass>().unwrap(), pass);
        assert_eq!(pass.is_publishing, what == "publishing-pass");
    }
}

#[test]
fn a_pass_to_publish_is_good_for_publishing_alone() {
    let key = SigningKey::from_seed(&[1; 32]);
    let trusted = [key.public_key()];
    let publishing = Pass::sign_publishing(name(), views(&[0, 1]), 1000, &key);
    let read = Pass::read(&publishing.to_bytes()).unwrap();
    assert_eq!(read, publishing);
    assert_eq!(read.check_publishing(&name(), &trusted, 999), Some(views(&[0, 1])));
    assert_eq!(read.check_publishing(&name(), &trusted, 1000), None);
    assert_eq!(read.check_publishing(&name(), &[], 999), None);
    assert_eq!(read.check(&name(), &trusted, 999), None, "it shows nothing");
    let grant = Grant { views: views(&[0, 1]), classes: Classes::ALL, delay: 0 };
    let watching = Pass::sign(name(), grant, 1000, &key);
    assert_eq!(watching.check_publishing(&name(), &trusted, 999), None);
    // The byte of the classes says what it is for, and is signed.
    let mut forged = watching.to_bytes();
    forged[4 + name().as_str().len()] = 0x80;
    let forged = Pass::read(&forged).unwrap();
    assert!(forged.is_publishing);
    assert_eq!(forged.check_publishing(&name(), &trusted, 999), None);
}

#[test]
fn a_pass_is_good_for_one_match_until_it_expires_and_by_one_key() {
    let grant = Grant { views: views(&[1, 3]), classes: Classes::ALL, delay: 7 };
    let key = SigningKey::from_seed(&[1; 32]);
    let other = SigningKey::from_seed(&[2; 32]).public_key();
    let pass = Pass::sign(name(), grant, 1000, &key);
    let trusted = [other, key.public_key()];
    assert_eq!(pass.check(&name(), &trusted, 999), Some(grant));
    assert_eq!(pass.check(&name(), &trusted, 1000), None);
    assert_eq!(pass.check(&"m2".parse().unwrap(), &trusted, 999), None);
    assert_eq!(pass.check(&name(), &[other], 999), None);
    let bytes = pass.to_bytes();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut forged = bytes.clone();
            forged[at] ^= 1 << bit;
            let granted = Pass::read(&forged).ok().and_then(|p| p.check(&name(), &trusted, 999));
            assert_eq!(granted, None, "bit {bit} of byte {at}");
        }
    }
    let text = pass.to_string();
    for wrong in ["", "gtp1_", "gtp2_AAAA", &text[..text.len() - 1], &format!("{text}A"), "gtp1_!!"]
    {
        assert!(wrong.parse::<Pass>().is_err(), "{wrong}");
    }
    assert!(format!("gtp1_{}", "A".repeat(1 << 20)).parse::<Pass>().is_err());
    assert_eq!(format!(" {text}\n").parse::<Pass>().unwrap(), pass);
}
