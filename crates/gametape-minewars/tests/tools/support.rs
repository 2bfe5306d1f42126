//! Small recordings, and readings of them.

use gametape_minewars::sample::Sample;
use gametape_minewars::{
    Dialect, Grid, ItemKind, Map, Message, Messages, ReplayFile, Replayed, Setup, Tile, TileKind,
    WriteOptions, replay_view, write_file,
};
use gametape_minewars::{FrameLayout, FrameWriter, Frames, Generation};
use gametape_wire::{View, ViewSet};

/// A sample on a small map.
pub(crate) fn sample(generation: Generation, moments: u32, seed: u64) -> (Setup, Vec<u8>) {
    let grid = if seed.is_multiple_of(2) { Grid::Hex } else { Grid::Square };
    let sample = Sample { grid, radius: 4, players: 3, cities: 2, moments, seed };
    sample.build(generation).unwrap()
}

pub(crate) fn sample_file(generation: Generation, moments: u32, compress: bool) -> Vec<u8> {
    let (setup, frames) = sample(generation, moments, 1);
    write_file(&setup, &frames, &WriteOptions::new().with_compress(compress)).unwrap()
}

/// A hex map of regular land with 2 players and sub ids up to 1.
pub(crate) fn plain_setup(generation: Generation) -> Setup {
    let land = Tile { kind: TileKind::Regular, item: ItemKind::None };
    let mut setup = Setup::new(generation, Map::new(Grid::Hex, 3, land).unwrap());
    setup.max_player = 2;
    setup.max_sub_player = u8::from(generation == Generation::Current);
    setup
}

pub(crate) fn layout(setup: &Setup) -> FrameLayout {
    FrameLayout::new(setup.generation, setup.max_view()).unwrap()
}

pub(crate) fn view(number: u8) -> View {
    View::new(number).unwrap()
}

pub(crate) fn views(numbers: &[u8]) -> ViewSet {
    numbers.iter().map(|number| view(*number)).collect()
}

/// One homogenous frame after 10 ms.
pub(crate) fn one_frame(setup: &Setup, receivers: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut out = FrameWriter::new(layout(setup));
    out.homogenous(10, views(receivers), payload).unwrap();
    out.into_bytes()
}

pub(crate) fn raw_file(setup: &Setup, frames: &[u8]) -> Vec<u8> {
    write_file(setup, frames, &WriteOptions::new().with_compress(false)).unwrap()
}

/// What a view receives: time and text of each message, with lists of tiles taken apart.
pub(crate) fn received(
    setup: &Setup,
    frames: &[u8],
    dialect: Dialect,
    who: View,
) -> Vec<(u64, String)> {
    let mut all = Vec::new();
    for frame in Frames::new(layout(setup), frames) {
        let frame = frame.unwrap();
        for message in Messages::new(frame.view(who).unwrap_or_default(), 0, dialect) {
            for text in single_texts(&message.unwrap(), dialect) {
                all.push((frame.time(), text));
            }
        }
    }
    all
}

fn single_texts(message: &Message<'_>, dialect: Dialect) -> Vec<String> {
    let mut text = Vec::new();
    message.print(dialect, &mut text);
    let text = String::from_utf8(text).unwrap();
    let words: Vec<&str> = text.split(' ').collect();
    let kept = match message {
        Message::Owner { .. } => 2,
        Message::Explosions { .. } | Message::DigitRun { .. } => 1,
        _ => return vec![text],
    };
    words[kept..].iter().map(|tile| format!("{} {tile}", words[..kept].join(" "))).collect()
}

/// A view after all frames up to and including `until`.
pub(crate) fn state(setup: &Setup, map: &Map, frames: &[u8], who: View, until: u64) -> Replayed {
    replay_view(map, Frames::new(layout(setup), frames), setup.dialect(), who, until)
}

/// The hash of what a view knows then.
pub(crate) fn state_hash(
    setup: &Setup,
    map: &Map,
    frames: &[u8],
    who: View,
    until: u64,
) -> [u8; 32] {
    state(setup, map, frames, who, until).state.hash()
}

pub(crate) fn end_time(setup: &Setup, frames: &[u8]) -> u64 {
    let mut walk = Frames::new(layout(setup), frames);
    walk.by_ref().for_each(drop);
    walk.time()
}

/// Setup and frames of a file that can be read as a whole.
pub(crate) fn open(bytes: &[u8]) -> (Setup, Vec<u8>) {
    let file = ReplayFile::open(bytes).unwrap();
    (file.setup().to_setup().unwrap(), file.frames().unwrap().bytes.into_owned())
}
