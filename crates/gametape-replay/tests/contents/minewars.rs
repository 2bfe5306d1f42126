use gametape_minewars::sample::Sample;
use gametape_minewars::{
    Coord, Dialect, Grid, ItemKind, Map, Message, Messages, Packer, ReplayFile, Setup, Tile,
    TileKind, WriteOptions, convert, replay_view, write_file,
};
use gametape_minewars::{FrameLayout, Frames, Generation};
use gametape_replay::minewars::{MinewarsFile, from_tape, setup_of, to_tape};
use gametape_replay::{ConvertOptions, Recording};
use gametape_tape::{
    ChunkKind, Level, TapeHeader, TapeWriter, cut_bytes, pack_bytes, verify_bytes,
};
use gametape_wire::{Tick, TickLength, View, ViewSet};
use proptest::prelude::*;

pub(crate) fn tape_of(file: &[u8]) -> Vec<u8> {
    let tape = to_tape(&ReplayFile::open(file).unwrap(), &ConvertOptions::new(7)).unwrap();
    assert_eq!(verify_bytes(&tape, Level::Chain, None).unwrap().findings(), []);
    tape
}

fn back(tape: &[u8], target: Option<Generation>) -> MinewarsFile {
    from_tape(&mut Recording::open(tape).unwrap(), target).unwrap()
}

fn view(number: u8) -> View {
    View::new(number).unwrap()
}

fn small_setup(generation: Generation, players: u8) -> Setup {
    let tile = Tile { kind: TileKind::Regular, item: ItemKind::Mine };
    let mut setup = Setup::new(generation, Map::new(Grid::Hex, 3, tile).unwrap());
    setup.max_player = players;
    setup
}

#[test]
fn a_file_comes_back_byte_for_byte() {
    for generation in Generation::ALL {
        for (grid, players, seed) in [(Grid::Hex, 0, 1), (Grid::Square, 2, 2), (Grid::Hex, 6, 3)] {
            let sample = Sample { grid, players, seed, ..Sample::default() };
            let (setup, frames) = sample.build(generation).unwrap();
            for compress in [true, false] {
                let options = WriteOptions::new().with_compress(compress);
                let file = write_file(&setup, &frames, &options).unwrap();
                let found = back(&tape_of(&file), None);
                assert!(found.exact && found.left_out == 0);
                assert_eq!(found.bytes, file, "{generation} {players} {compress}");
                let packed = pack_bytes(&tape_of(&file)).unwrap();
                assert_eq!(back(&packed, None), found);
            }
        }
    }
    let (setup, frames) = Sample::default().build(Generation::V01).unwrap();
    let options = WriteOptions::new().with_dictionary(true);
    let file = write_file(&setup, &frames, &options).unwrap();
    assert_eq!(back(&tape_of(&file), None).bytes, file);
}

#[test]
fn frames_that_no_writer_writes_come_back() {
    let current: [&[u8]; 8] = [
        &[0x7F, 0xFF, 0xFF, 0xFF],     // both keepalives
        &[0x00, 5, 0b011, 0, 0, 7, 7], // heterogenous with equal payloads
        &[0x00, 5, 0b001, 0, 7],       // and with one
        &[0x80, 5, 0b1010_0011, 0, 7], // for views that are not there
        &[0x80, 0, 0, 0, 7],           // for nobody
        &[0x00, 9, 0],                 // nothing for nobody
        &[0x00, 5, 0b011, 0, 0, 7, 8], // an ordinary one
        &[0x80, 1, 0b011, 3, 1, 2],    // a cut one
    ];
    for players in [1, 2, 9] {
        let setup = small_setup(Generation::Current, players);
        let frames = current.concat();
        let file = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
        let found = back(&tape_of(&file), None);
        assert!(found.exact);
        assert_eq!(found.bytes, file);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever is where frames should be comes back.
    #[test]
    fn any_stream_comes_back(
        v01: bool,
        players in 0u8..7,
        bytes in proptest::collection::vec(prop_oneof![Just(0u8), 0u8..4, Just(0x80), any::<u8>()], 0..400),
    ) {
        let generation = if v01 { Generation::V01 } else { Generation::Current };
        let file = write_file(&small_setup(generation, players), &bytes, &WriteOptions::default()).unwrap();
        let tape = tape_of(&file);
        let found = back(&tape, None);
        prop_assert!(found.exact);
        prop_assert_eq!(&found.bytes, &file);
    }
}

/// What a view receives, and when: payloads of one moment joined.
fn received(setup: &Setup, frames: &[u8], view: View) -> Vec<(u64, Vec<u8>)> {
    let layout = FrameLayout::new(setup.generation, setup.max_view()).unwrap();
    let mut moments: Vec<(u64, Vec<u8>)> = Vec::new();
    for frame in Frames::new(layout, frames) {
        let frame = frame.unwrap();
        let Some(payload) = frame.view(view) else { continue };
        match moments.last_mut() {
            Some((time, all)) if *time == frame.time() => all.extend_from_slice(payload),
            _ => moments.push((frame.time(), payload.to_vec())),
        }
    }
    moments
}

#[test]
fn a_cut_tape_becomes_a_file_of_these_views_without_hidden_items() {
    let (setup, frames) = Sample::default().build(Generation::Current).unwrap();
    let file = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
    let wanted = ViewSet::EMPTY.with(view(2));
    let cut = cut_bytes(&tape_of(&file), wanted, 8).unwrap().bytes;
    let found = back(&cut, None);
    assert!(!found.exact);
    let opened = ReplayFile::open(&found.bytes).unwrap();
    assert!(opened.faults().is_empty());
    let cut_setup = opened.setup().to_setup().unwrap();
    assert!(cut_setup.map.tiles().all(|(_, tile)| tile.item == ItemKind::None));
    assert!(setup.map.tiles().any(|(_, tile)| tile.item != ItemKind::None));
    let cut_frames = opened.frames().unwrap().bytes;
    assert_eq!(received(&cut_setup, &cut_frames, view(2)), received(&setup, &frames, view(2)));
    assert_eq!(received(&cut_setup, &cut_frames, view(1)), []);
    let [whole, cut] = [(&setup, &frames[..]), (&cut_setup, &cut_frames)].map(|(setup, frames)| {
        let layout = FrameLayout::new(setup.generation, setup.max_view()).unwrap();
        let frames = Frames::new(layout, frames);
        replay_view(&setup.map, frames, Dialect::Current, view(2), u64::MAX).state.hash()
    });
    assert_eq!(whole, cut);
}

#[test]
fn another_generation_is_what_the_file_would_become() {
    for (from, to) in
        [(Generation::Current, Generation::V01), (Generation::V01, Generation::Current)]
    {
        let (setup, frames) = Sample::default().build(from).unwrap();
        let file = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
        let found = back(&tape_of(&file), Some(to));
        let direct = convert(&setup, &frames, setup.dialect(), to).unwrap();
        assert_eq!((found.generation, found.exact), (to, false));
        assert_eq!(found.losses, direct.losses);
        let expected = write_file(&direct.setup, &direct.frames, &WriteOptions::default()).unwrap();
        assert_eq!(found.bytes, expected);
    }
}

/// A tape as a game records it: ticks of 50 ms, long payloads, long gaps.
#[test]
fn a_tape_of_a_game_becomes_a_file() {
    let setup = small_setup(Generation::Current, 2);
    let encoded = setup.encode(true).unwrap();
    let header = TapeHeader::new(TickLength::millis::<50>(), 3);
    let mut writer = TapeWriter::new(header, br#"{"content":"a game"}"#).unwrap();
    let bytes = encoded.into_bytes();
    writer.setup(0, ViewSet::from_bits(u16::MAX), &bytes).unwrap();
    let mut packer = Packer::new(Generation::Current);
    for x in 0..300 {
        let tile = Coord::new(0, (x % 3) as i8);
        packer.push(&Message::Tile { tile, kind: TileKind::Water }).unwrap();
    }
    let long = packer.finish().unwrap();
    assert!(long.len() > 512);
    writer.frame(0, Tick(3), &[(view(0), &long), (view(1), &[1]), (view(9), &[1])]).unwrap();
    writer.frame(0, Tick(100_000), &[(view(0), &[1]), (view(2), &[1])]).unwrap();
    let mut tape = writer.take();
    tape.extend(writer.finish().unwrap());

    let found = back(&tape, None);
    assert_eq!((found.exact, found.left_out), (false, 1));
    let opened = ReplayFile::open(&found.bytes).unwrap();
    assert_eq!(opened.faults(), []);
    let frames = opened.frames().unwrap().bytes;
    let expected = [(150, long.clone()), (5_000_000, vec![1])];
    assert_eq!(received(&setup, &frames, view(0)), expected);
    assert_eq!(received(&setup, &frames, view(2)), [(5_000_000, vec![1])]);
    let layout = FrameLayout::new(Generation::Current, view(2)).unwrap();
    for frame in Frames::new(layout, &frames) {
        for part in frame.unwrap().parts() {
            // No message straddles frames.
            assert!(Messages::new(part.payload, 0, Dialect::Current).all(|m| m.is_ok()));
        }
    }
    assert_eq!(setup_of(&mut Recording::open(&tape[..]).unwrap()).unwrap(), setup);
    assert_eq!(back(&tape, Some(Generation::V01)).generation, Generation::V01);
}

#[test]
fn a_damaged_tape_still_becomes_a_file_and_says_that_it_is_not_exact() {
    let (setup, frames) = Sample::default().build(Generation::Current).unwrap();
    let file = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
    let mut tape = tape_of(&file);
    let length = tape.len();
    let opened = Recording::open(&tape[..]).unwrap();
    let chunk = opened.entries(ChunkKind::FRAMES, 0)[0];
    tape[chunk.offset as usize + 80] ^= 1;
    // Without its trailer it is walked, and the damage is found.
    tape.truncate(length - 10);
    let found = back(&tape, None);
    assert!(!found.exact);
    assert_eq!(
        ReplayFile::open(&found.bytes).unwrap().setup_bytes(),
        ReplayFile::open(&file).unwrap().setup_bytes()
    );
}

#[test]
fn the_tape_names_the_players_wherever_the_file_does() {
    for (generation, closing) in [(Generation::V01, false), (Generation::Current, true)] {
        let (setup, frames) = Sample::default().build(generation).unwrap();
        let bytes = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
        let tape = to_tape(&ReplayFile::open(&bytes).unwrap(), &ConvertOptions::new(1)).unwrap();
        let tape = gametape_tape::Tape::open(&tape).unwrap();
        assert_eq!(tape.closing.is_some(), closing);
        let said = tape.closing.unwrap_or(tape.metadata);
        for view in 1..=3 {
            assert!(said.contains(&format!(r#"{{"view":{view},"name":""#)), "{said}");
        }
    }
}
