//! Any recording is recognised by its first bytes, and nothing else is read.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use gametape_minewars::sample::Sample;
use gametape_minewars::{Dialect, Generation, WriteOptions, write_file};
use gametape_replay::open::{Format, OpenOptions, Opened, SNIFFED_BYTES, open, open_stream, sniff};
use gametape_tape::{TapeHeader, TapeWriter};
use gametape_wire::TickLength;

use super::Counting;

fn tape() -> Vec<u8> {
    let mut writer =
        TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 1), b"{}").unwrap();
    [writer.take(), writer.finish().unwrap()].concat()
}

fn minewars(generation: Generation) -> Vec<u8> {
    let (setup, frames) = Sample::default().build(generation).unwrap();
    write_file(&setup, &frames, &WriteOptions::default()).unwrap()
}

#[test]
fn formats_are_recognised_in_files_and_streams() {
    let recordings = [
        (Format::Tape, tape()),
        (Format::MineWars, minewars(Generation::V01)),
        (Format::MineWars, minewars(Generation::Current)),
        (Format::Gamelog, gametape_cadre::sample::log(30, 1)),
    ];
    let options = OpenOptions::default();
    for (format, bytes) in recordings {
        assert_eq!(open(&bytes[..], &options).unwrap().format(), format);
        assert_eq!(open_stream(&bytes[..], &options).unwrap().format(), format);
    }
}

/// A game of two deltas, as a spectator receives it.
const STREAM: &str = "{\"event\":\"lobbied\",\"data\":{\"gameName\":\"Move\"}}\u{4}\
    {\"event\":\"meta-delta\",\"data\":{\"type\":\"start\",\"game\":{\"x\":1}}}\u{4}\
    {\"event\":\"meta-delta\",\"data\":{\"type\":\"over\",\"game\":{\"x\":2}}}\u{4}\
    {\"event\":\"over\",\"data\":{}}\u{4}";

#[test]
fn a_spectator_stream_opens_as_a_gamelog() {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(STREAM.as_bytes()).unwrap();
    let (packed, options) = (packed.finish().unwrap(), OpenOptions::default());
    for stored in [STREAM.as_bytes(), &packed] {
        assert_eq!(sniff(stored, None), Some(Format::SpectatorStream));
        let Opened::Gamelog(log) = open(stored, &options).unwrap() else { panic!("a gamelog") };
        let facts = log.stream().unwrap();
        assert_eq!((facts.is_gzip, facts.stored_bytes), (stored == packed, stored.len()));
        assert_eq!((log.log().unwrap().len(), log.losses().len()), (2, 0));
    }
    let cut = &STREAM.as_bytes()[..STREAM.len() - 40];
    let Opened::Gamelog(log) = open_stream(cut, &options).unwrap() else { panic!("a gamelog") };
    assert_eq!((log.log().unwrap().len(), log.losses().len()), (1, 2));
    let bad = STREAM.replace("{\"x\":2}", "[7");
    let error = open(bad.as_bytes(), &options).unwrap_err().to_string();
    assert!(error.starts_with("message 2: "), "{error}");
}

#[test]
fn a_damaged_minewars_file_is_recognised_by_version_or_length() {
    for generation in Generation::ALL {
        let mut bytes = minewars(generation);
        bytes[3] ^= 0x40;
        assert_eq!(open(&bytes[..], &OpenOptions::default()).unwrap().format(), Format::MineWars);
    }
}

#[test]
fn other_recordings_in_gzip_are_named() {
    for (bytes, name) in
        [(tape(), "a tape"), (minewars(Generation::Current), "a MineWars recording")]
    {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&bytes).unwrap();
        let packed = packed.finish().unwrap();
        let error = open(&packed[..], &OpenOptions::default()).unwrap_err().to_string();
        assert!(error.contains(&format!("it is {name} in gzip: unpack it first")), "{error}");
    }
}

#[test]
fn what_is_no_recording_is_refused_at_its_first_bytes() {
    for byte in [0, 0x20, 0x41, 0xFF] {
        let source = Counting::new(vec![byte; 3 << 20]);
        let fetched = source.fetched.clone();
        let error = open(source, &OpenOptions::default()).unwrap_err();
        assert!(error.to_string().contains("neither a tape nor a gamelog"), "{error}");
        assert!(fetched.get() <= SNIFFED_BYTES as u64);
    }
}

/// A device without an end.
struct Endless(u64);

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0 += into.len() as u64;
        assert!(self.0 <= 4 << 20, "read on and on");
        into.fill(0);
        Ok(into.len())
    }
}

#[test]
fn a_device_without_an_end_is_refused() {
    assert!(open_stream(Endless(0), &OpenOptions::default()).is_err());
    // As MineWars data, whatever it looks like, it is read up to the limit and no further.
    let options = OpenOptions::default().in_dialect(Some(Dialect::Current)).with_max_bytes(1 << 20);
    let error = open_stream(Endless(0), &options).unwrap_err();
    assert!(error.to_string().contains("limit"), "{error}");
}

#[test]
fn a_recording_over_the_limit_is_refused_before_it_is_read() {
    let source = Counting::new([b"{".to_vec(), vec![b' '; 1 << 20]].concat());
    let fetched = source.fetched.clone();
    let error = open(source, &OpenOptions::default().with_max_bytes(1 << 19)).unwrap_err();
    assert!(error.to_string().contains("limit"), "{error}");
    assert!(fetched.get() <= SNIFFED_BYTES as u64);
}

#[test]
fn a_spectator_stream_shares_the_limit_with_its_log() {
    let mut stream = String::from(
        "{\"event\":\"lobbied\",\"data\":{\"gameName\":\"Move\",\"gameSession\":\"2\"}}\u{4}",
    );
    let padding = "x".repeat(1000);
    for turn in 0..1000 {
        let game = format!("{{\"turn\":{turn},\"text\":\"{padding}\"}}");
        let delta = format!("{{\"type\":\"ran\",\"game\":{game}}}");
        stream.push_str(&format!("{{\"event\":\"meta-delta\",\"data\":{delta}}}\u{4}"));
    }
    // A log may be read with twice as much memory as it takes itself; its stream takes as much again.
    let opened = |max_bytes| {
        open(stream.as_bytes(), &OpenOptions::default().with_max_bytes(max_bytes)).map(|opened| {
            let Opened::Gamelog(log) = opened else { panic!() };
            (log.log().unwrap().len(), log.options().max_memory)
        })
    };
    let size = stream.len() as u64;
    let error = opened(5 * size / 2).unwrap_err();
    assert_eq!(error.class(), gametape_wire::ErrorClass::Limit, "{error}");
    assert_eq!(opened(4 * size).unwrap(), (1000, 4 * size), "the stream is gone by then");
}
