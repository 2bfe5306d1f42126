//! MineWars: surveying, writing, disassembling, converting and playing beside LZ4 and memory copy of
//! the same bytes. Every contender calls what the tool calls; frames are written as a conversion
//! writes them.
//!
//! Runs on a session of its own, and on the large session of the corpus where `GAMETAPE_CORPUS`
//! says where that is.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::process::ExitCode;

use gametape_benches::{Claim, Contest, Report};
use gametape_minewars::sample::Sample;
use gametape_minewars::{
    Dialect, Grid, Listing, Message, Messages, ReplayFile, Survey, WriteOptions, convert,
    disassemble_file, write_file,
};
use gametape_minewars::{FrameKind, FrameLayout, FrameWriter, Frames, Generation};
use gametape_replay::{MinewarsTimeline, Timeline, TimelineOptions};
use gametape_wire::{View, ViewSet};

type Outcome<T> = Result<T, Box<dyn Error>>;

const LZ4: &str = "LZ4 decompression";
const DECODE: &str = "decode (survey)";
const ENCODE: &str = "encode all messages";
const DISASSEMBLE: &str = "disassemble";
const DISASSEMBLE_PACKED: &str = "unpack and disassemble";
const CONVERT: &str = "convert to v0.1";
const PLAY: &str = "open and play a view";

fn main() -> Outcome<ExitCode> {
    let mut report = Report::new();
    run("own session", &own_session()?, &mut report)?;
    match std::env::var_os("GAMETAPE_CORPUS") {
        Some(root) => {
            let path = Path::new(&root).join("minewars/current/13_replay_hex_r100_6p_big.minewars");
            run("large session", &std::fs::read(path)?, &mut report)?;
        }
        None => println!("skipped: GAMETAPE_CORPUS is not set, so there is no large session\n"),
    }
    Ok(report.finish())
}

fn own_session() -> Outcome<Vec<u8>> {
    let sample =
        Sample { grid: Grid::Hex, radius: 100, players: 6, cities: 8, moments: 24_000, seed: 1 };
    let (setup, frames) = sample.build(Generation::Current)?;
    Ok(write_file(&setup, &frames, &WriteOptions::default())?)
}

fn run(name: &str, bytes: &[u8], report: &mut Report) -> Outcome<()> {
    let file = ReplayFile::open(bytes)?;
    let stored = file.stored_frames()?;
    let frames = file.frames()?.bytes;
    let (layout, dialect, setup) = (file.frame_layout()?, file.dialect(), file.setup().to_setup()?);
    let messages = decode(layout, &frames);
    let session = Session::new(layout, &frames, &messages);
    let (frame_count, message_count) = (session.frames.len(), messages.len());
    println!("{name}: {frame_count} frames, {message_count} messages, {} bytes", frames.len());

    let mut again = FrameWriter::new(layout);
    encode(&session, &mut again)?;
    if again.as_bytes() != &*frames {
        return Err("the encoded session is not the recorded one".into());
    }

    // Unpacking is what the first row shows.
    let raw = write_file(&setup, &frames, &WriteOptions::new().with_compress(false))?;

    let mut unpacked = vec![0; frames.len()];
    let contest = Contest::new(name, &frames)
        .baseline(LZ4, move || lz4_flex::block::decompress_into(stored, &mut unpacked))
        .contender(DECODE, || Survey::of(Frames::new(layout, &frames), dialect))
        .contender(ENCODE, || {
            again.clear();
            encode(&session, &mut again)
        })
        .contender(DISASSEMBLE, || disassemble(&raw))
        .contender(DISASSEMBLE_PACKED, || disassemble(bytes))
        .contender(CONVERT, || convert(&setup, &frames, dialect, Generation::V01))
        .contender(PLAY, || play(bytes));
    let standings = report.contest(contest);
    report.claim(&standings.time_at_most(DECODE, 3.5));
    report.claim(&standings.time_at_most(ENCODE, 2.4));
    report.claim(&standings.throughput_at_least(DISASSEMBLE, 200.0));
    report.claim(&standings.throughput_at_least(PLAY, 100.0));

    let standings = report.contest(Contest::new(name, bytes).contender("info", || info(bytes)));
    let what = format!("{name}: info, microseconds");
    report.claim(&Claim::at_most(&what, standings.seconds("info") * 1e6, 30.0));
    println!();
    Ok(())
}

/// Opens a file and plays every frame of the spectator's view.
fn play(bytes: &[u8]) -> Result<MinewarsTimeline, gametape_wire::Error> {
    let file = ReplayFile::open(bytes)?;
    let mut timeline = MinewarsTimeline::open(&file, View::SPECTATOR, TimelineOptions::default())?;
    let end = timeline.end();
    assert!(timeline.seek(end)?.is_ready(), "all of it is in memory");
    Ok(timeline)
}

/// A session before it is bytes, as an encoder receives it: what is in each frame, and the messages of
/// its payloads.
struct Session<'a> {
    frames: Vec<(FrameKind, u32, ViewSet)>,
    payloads: Vec<&'a [Message<'a>]>,
}

impl<'a> Session<'a> {
    fn new(layout: FrameLayout, bytes: &[u8], messages: &'a [Message<'a>]) -> Self {
        let (mut frames, mut payloads, mut rest) = (Vec::new(), Vec::new(), messages);
        for frame in Frames::new(layout, bytes).flatten() {
            frames.push((frame.kind(), frame.delta(), frame.views()));
            for part in frame.parts() {
                let payload;
                (payload, rest) = rest.split_at(messages_of(part.payload).count());
                payloads.push(payload);
            }
        }
        Self { frames, payloads }
    }
}

fn decode(layout: FrameLayout, bytes: &[u8]) -> Vec<Message<'_>> {
    let mut messages = Vec::new();
    for frame in Frames::new(layout, bytes).flatten() {
        messages.extend(frame.parts().flat_map(|part| messages_of(part.payload)));
    }
    messages
}

fn messages_of(payload: &[u8]) -> impl Iterator<Item = Message<'_>> {
    Messages::new(payload, 0, Dialect::Current).flatten()
}

/// Writes every message and frame of a session to the end of a stream, as a conversion does.
fn encode(session: &Session<'_>, out: &mut FrameWriter) -> Outcome<()> {
    let mut rest = &session.payloads[..];
    for &(kind, delta, views) in &session.frames {
        match kind {
            FrameKind::Keepalive => out.keepalive(),
            FrameKind::Homogenous => {
                let (payload, others) = rest.split_first().ok_or(FEWER)?;
                out.homogenous_messages(delta, views, payload)?;
                rest = others;
            }
            FrameKind::Heterogenous => {
                let (payloads, others) = rest.split_at_checked(views.len()).ok_or(FEWER)?;
                out.heterogenous_messages(delta, views, payloads)?;
                rest = others;
            }
        }
    }
    Ok(())
}

/// A session has the payloads that its frames name.
const FEWER: &str = "fewer payloads than frames name";

/// Disassembles a file as the tool does, and returns how many bytes of text that is.
fn disassemble(bytes: &[u8]) -> Result<usize, gametape_wire::Error> {
    let mut length = 0;
    disassemble_file(&ReplayFile::open(bytes)?, None, Listing::Text, &mut |piece, _| {
        length += black_box(piece).len();
        Ok(())
    })?;
    Ok(length)
}

/// What `gametape info` asks of the library.
fn info(bytes: &[u8]) -> Result<usize, gametape_wire::Error> {
    let file = ReplayFile::open(bytes)?;
    let setup = file.setup();
    black_box((file.header(), setup.header(), file.detection()));
    let names = setup.city_names()?;
    Ok(setup.city_positions()?.count() + names.len() + setup.rules()?.len())
}
