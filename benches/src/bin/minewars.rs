//! MineWars: decoding, encoding and disassembling beside LZ4 and memory copy of the same bytes.
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
    Dialect, Grid, Message, Messages, ReplayFile, WriteOptions, print_frame, write_file,
};
use gametape_wire::{FrameKind, FrameLayout, FrameWriter, Frames, Generation, View, ViewSet};

type Outcome<T> = Result<T, Box<dyn Error>>;

const LZ4: &str = "LZ4 decompression";
const DECODE: &str = "decode all messages";
const ENCODE: &str = "encode all messages";
const DISASSEMBLE: &str = "disassemble";

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
    let layout = FrameLayout::new(file.dialect().generation(), file.setup().header().max_view()?)?;
    let decoded = decode(layout, &frames);
    let count: usize = decoded.iter().flat_map(|frame| &frame.parts).map(|(_, m)| m.len()).sum();
    println!("{name}: {} frames, {count} messages, {} bytes", decoded.len(), frames.len());

    let mut unpacked = vec![0; frames.len()];
    let mut text = Vec::with_capacity(1 << 17);
    let contest = Contest::new(name, &frames)
        .baseline(LZ4, move || lz4_flex::block::decompress_into(stored, &mut unpacked))
        .contender(DECODE, || read_all(layout, &frames))
        .contender(ENCODE, || encode(layout, &decoded))
        .contender(DISASSEMBLE, || disassemble(layout, &frames, &mut text));
    let standings = report.contest(contest);
    report.claim(&standings.time_at_most(DECODE, 3.5));
    report.claim(&standings.time_at_most(ENCODE, 3.0));
    report.claim(&standings.throughput_at_least(DISASSEMBLE, 150.0));

    let standings = report.contest(Contest::new(name, bytes).contender("info", || info(bytes)));
    let what = format!("{name}: info, microseconds");
    report.claim(&Claim::at_most(&what, standings.seconds("info") * 1e6, 30.0));
    println!();
    Ok(())
}

/// Looks at every message of every view, and at something in each so that none is skipped.
fn read_all(layout: FrameLayout, frames: &[u8]) -> u64 {
    let mut sum = 0;
    for frame in Frames::new(layout, frames).flatten() {
        for part in frame.parts() {
            let mut messages = Messages::new(part.payload, part.offset, Dialect::Current);
            let whole = messages.visit(|message, _| {
                black_box(&message);
                sum += 1;
            });
            debug_assert!(whole.is_ok());
        }
    }
    sum
}

/// A frame with its messages, as an encoder receives them.
struct Decoded<'a> {
    kind: FrameKind,
    delta: u32,
    parts: Vec<(ViewSet, Vec<Message<'a>>)>,
}

fn decode(layout: FrameLayout, frames: &[u8]) -> Vec<Decoded<'_>> {
    let messages = |payload| Messages::new(payload, 0, Dialect::Current).flatten().collect();
    Frames::new(layout, frames)
        .flatten()
        .map(|frame| Decoded {
            kind: frame.kind(),
            delta: frame.delta(),
            parts: frame.parts().map(|part| (part.views, messages(part.payload))).collect(),
        })
        .collect()
}

/// Writes every message and frame again.
fn encode(layout: FrameLayout, decoded: &[Decoded<'_>]) -> Result<usize, gametape_wire::Error> {
    let mut writer = FrameWriter::new(layout);
    let mut payload = Vec::new();
    for frame in decoded {
        payload.clear();
        let mut ends = [0; 16];
        for ((_, messages), end) in frame.parts.iter().zip(&mut ends) {
            for message in messages {
                message.encode(layout.generation(), &mut payload)?;
            }
            *end = payload.len();
        }
        match frame.kind {
            FrameKind::Keepalive => writer.keepalive(),
            FrameKind::Homogenous => {
                writer.homogenous(frame.delta, frame.parts[0].0, &payload)?;
            }
            FrameKind::Heterogenous => {
                let mut parts: [(View, &[u8]); 16] = [(View::SPECTATOR, &[]); 16];
                let mut start = 0;
                for (i, (views, _)) in frame.parts.iter().enumerate() {
                    let view = views.iter().next().unwrap_or(View::SPECTATOR);
                    parts[i] = (view, &payload[start..ends[i]]);
                    start = ends[i];
                }
                writer.heterogenous(frame.delta, &parts[..frame.parts.len()])?;
            }
        }
    }
    Ok(writer.into_bytes().len())
}

/// Prints every frame, in pieces as the tool does.
fn disassemble(layout: FrameLayout, frames: &[u8], text: &mut Vec<u8>) -> usize {
    let mut length = 0;
    text.clear();
    for frame in Frames::new(layout, frames).flatten() {
        print_frame(&frame, Dialect::Current, text);
        if text.len() > 1 << 16 {
            length += black_box(&text).len();
            text.clear();
        }
    }
    length + text.len()
}

/// What `gametape info` asks of the library.
fn info(bytes: &[u8]) -> Result<usize, gametape_wire::Error> {
    let file = ReplayFile::open(bytes)?;
    let setup = file.setup();
    black_box((file.header(), setup.header(), file.detection()));
    let names = setup.city_names()?;
    Ok(setup.city_positions()?.count() + names.len() + setup.rules()?.len())
}
