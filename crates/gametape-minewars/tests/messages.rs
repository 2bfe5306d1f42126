//! Messages against their specification: the tables and examples of `spec/minewars-messages.md`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken specification fails the test")]

use std::collections::BTreeSet;

use gametape_minewars::Generation;
use gametape_minewars::{Dialect, Line, Lines, Message, Messages, assemble_payload, opcode_tables};
use gametape_wire::{ErrorClass, Reader};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/minewars-messages.md");
const BEGIN: &str = "<!-- opcode tables -->\n";
const END: &str = "<!-- end of opcode tables -->";

fn spec() -> String {
    std::fs::read_to_string(PATH).unwrap()
}

#[test]
fn the_specification_prints_the_table_that_the_code_is_made_from() {
    let spec = spec();
    let (before, rest) = spec.split_once(BEGIN).unwrap();
    let (printed, after) = rest.split_once(END).unwrap();
    let tables = format!("\n{}\n", opcode_tables());
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(PATH, format!("{before}{BEGIN}{tables}{END}{after}")).unwrap();
    } else {
        assert_eq!(printed, tables, "run with BLESS=1 to print the tables again");
    }
}

/// The worked examples: generation, text, bytes.
fn examples() -> Vec<(Generation, String, Vec<u8>)> {
    let spec = spec();
    let section = spec.split_once("## Worked examples").unwrap().1;
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let mut examples = Vec::new();
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let text = cells[0].trim_matches('`').to_owned();
        for (generation, cell) in Generation::ALL.into_iter().zip(&cells[1..]) {
            if *cell != "–" {
                examples.push((generation, text.clone(), hex(cell.trim_matches('`'))));
            }
        }
    }
    assert!(examples.len() > 100);
    examples
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        text.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn decode_one(bytes: &[u8], generation: Generation) -> Message<'_> {
    let mut reader = Reader::new(bytes);
    let message = Message::decode(&mut reader, generation.into()).unwrap();
    assert!(reader.is_empty());
    message
}

#[test]
fn every_example_holds_in_every_direction() {
    for (generation, text, bytes) in examples() {
        let name = format!("{generation} {text}");
        let message = decode_one(&bytes, generation);
        let mut printed = Vec::new();
        message.print(generation.into(), &mut printed);
        assert_eq!(String::from_utf8(printed).unwrap(), text, "{name}");
        let mut encoded = Vec::new();
        message.encode(generation, &mut encoded).unwrap();
        assert_eq!(encoded, bytes, "{name}");
        let (assembled, inexact) = assemble_payload(&text, generation.into()).unwrap();
        assert_eq!((assembled, inexact), (bytes, vec![]), "{name}");
    }
}

/// The words in the first column of the printed tables that `generation` has a pattern for.
fn words_of(generation: Generation) -> BTreeSet<String> {
    let column = generation as usize + 1;
    opcode_tables()
        .lines()
        .filter(|line| line.starts_with("| `") || line.starts_with("| –"))
        .filter(|line| !line.split('|').nth(column).unwrap().contains('–'))
        .map(|line| {
            let text = line.split('|').nth(3).unwrap().trim().trim_start_matches('`');
            text.split([' ', '`']).next().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn there_is_an_example_for_every_message_of_both_generations() {
    for generation in Generation::ALL {
        let shown: BTreeSet<String> = examples()
            .into_iter()
            .filter(|(of, _, _)| *of == generation)
            .flat_map(|(_, text, _)| text.split(' ').map(str::to_owned).collect::<Vec<_>>())
            .collect();
        let mut wanted = words_of(generation);
        if generation == Generation::Current {
            // The table lists it under its older word.
            assert!(wanted.remove("DECONSTRUCT") && shown.contains("NOSTRUCT"));
        }
        let missing: Vec<&String> = wanted.difference(&shown).collect();
        assert!(wanted.len() > 30 && missing.is_empty(), "{generation}: {missing:?}");
    }
}

#[test]
fn what_the_specification_says_is_refused_is_refused() {
    let both = [
        "DIGITS 8/0,0",
        "STRUCTHP 0,0 0",
        "STRUCTHP 0,0 16",
        "OWNER 0 0,0",
        "OWNER 16 0,0",
        "BUILDNEW 0,0 15 1",
        "STRUCT 0,0 15",
        "CITMONEY 0 2147483648",
        "TILE 0,0 16",
    ];
    let v01 = ["TILE 0,0 8", "ITEM 0,0 8", "PLAYER 1 LIVES 3", "CITTRANS 0 1"];
    let current = ["PLAYER 1 VOTE 3 9", "CITSPEND 0 1", "UNFLAG 0,0"];
    let spec = spec();
    let refused = spec.split_once("Refused by a writer").unwrap().1;
    for text in both.iter().chain(&v01).chain(&current) {
        assert!(refused.contains(&format!("`{text}`")), "the specification does not say {text}");
    }
    let all = [(Generation::V01, &v01[..]), (Generation::Current, &current[..])];
    for (generation, own) in all {
        for text in both.iter().chain(own) {
            let errors = assemble_payload(text, generation.into()).unwrap_err();
            assert_eq!(errors.len(), 1, "{generation} {text}");
            assert!(errors[0].to_string().contains("line 1, column"), "{}", errors[0]);
        }
    }
}

#[test]
fn a_reserved_first_byte_ends_its_payload_and_says_where() {
    let payload = [0x01, 0x08, 0x01];
    let mut messages = Messages::new(&payload, 100, Dialect::Current);
    assert_eq!(messages.next(), Some(Ok(Message::Tremor {})));
    let error = messages.next().unwrap().unwrap_err();
    assert_eq!((error.class(), error.offset()), (ErrorClass::Unsupported, Some(101)));
    assert_eq!(messages.next(), None);
    assert_eq!(messages.rest(), &payload[1..]);
}

/// After every first byte, enough bytes for any message.
#[test]
fn every_first_byte_is_a_message_that_writes_itself_back_or_is_reserved() {
    let tail = [0x01; 40];
    for generation in Generation::ALL {
        let mut reserved = Vec::new();
        for first in 0..=255_u8 {
            let bytes = [&[first][..], &tail].concat();
            let mut reader = Reader::new(&bytes);
            let start = reader.clone();
            match Message::decode(&mut reader, generation.into()) {
                Ok(message) => {
                    let mut out = Vec::new();
                    message.encode(generation, &mut out).unwrap();
                    assert_eq!(out, reader.since(&start), "{generation} {first:#x}");
                }
                Err(error) => {
                    assert_eq!(error.class(), ErrorClass::Unsupported);
                    reserved.push(first);
                }
            }
        }
        let expected: Vec<u8> = match generation {
            Generation::V01 => (0x08..=0x0D).chain(0x10..=0x1F).chain([0x5F]).collect(),
            Generation::Current => (0x08..=0x0D).chain([0x5F]).collect(),
        };
        assert_eq!(reserved, expected, "{generation}");
    }
}

#[test]
fn every_truncation_of_every_example_is_reported() {
    for (generation, text, bytes) in examples() {
        for end in 1..bytes.len() {
            let error = Message::decode(&mut Reader::new(&bytes[..end]), generation.into());
            assert_eq!(error.unwrap_err().class(), ErrorClass::Truncated, "{text} {end}");
        }
    }
}

#[test]
fn irregular_messages_are_text_with_a_mark_that_keeps_their_bytes() {
    let v01: [(&[u8], &str); 5] = [
        (&[0x80, 4, 4, 0x30], "DIGITS 3/4,4 = 80040430"),
        (&[0x82, 4, 4, 4, 5, 4, 6, 0x09, 0x2F], "DIGITS 0/4,4 1*/4,5 2/4,6 = 82040404050406092f"),
        (&[0x00, 0x13, 0x01, 0x80], "PLAYER 3/1 RTT 120 = 00130180"),
        (&[0x00, 0x13, 0x01, 0xC0], "PLAYER 3/1 RTT 700 = 001301c0"),
        (&[0x00, 0x03, 0x02, 0xC0], "PLAYER 3/0 TIMEOUT 700 = 000302c0"),
    ];
    let current: [(&[u8], &str); 1] = [(&[0x80, 4, 4, 0x30], "DIGITS 3/4,4 = 80040430")];
    let all = [(Generation::V01, &v01[..]), (Generation::Current, &current[..])];
    for (generation, payloads) in all {
        for (payload, expected) in payloads {
            decode_one(payload, generation);
            let line = Lines::new(payload, 0, generation.into()).next().unwrap();
            assert!(matches!(line, Line::Irregular(..)), "{line:?}");
            let mut text = Vec::new();
            line.print(generation.into(), &mut text);
            let text = String::from_utf8(text).unwrap();
            assert_eq!(text, *expected);
            assert_eq!(assemble_payload(&text, generation.into()).unwrap().0, *payload);
        }
    }
}

#[test]
fn a_mark_must_mean_what_its_line_says() {
    let errors = |text: &str| {
        let errors = assemble_payload(text, Dialect::V01).unwrap_err();
        errors[0].to_string()
    };
    let other = errors("DIGITS 4/4,4 = 80040430");
    assert!(other.contains("these bytes mean 'DIGITS 3/4,4'"), "{other}");
    assert!(errors("DIGITS 3/4,4 = 8004043001").contains("not one message"));
    assert!(errors("DIGITS 3/4,4 = 800404").contains("not one message"));
    assert!(errors("DIGITS 3/4,4 = 8004043").contains("two hexadecimal digits"));
    assert!(errors("DIGITS 3/4,4 = ").contains("is not a digit"));
    // Text without quotes may look like a mark, and is text.
    let (chat, _) = assemble_payload("PLAYER 1 CHATALL a = 12", Dialect::V01).unwrap();
    assert_eq!(chat, [&[0x00, 0xF1, 0x10, 6][..], b"a = 12"].concat());
}
