//! Replay files: golden bytes, detection, damage, hostile claims, round trips, known sessions.

use crate::examples::{current_example, setup_strategy, v01_example};
use gametape_minewars::Generation;
use gametape_minewars::{
    Check, Detection, Dialect, FilePart, FrameStorage, Grid, ItemKind, Map, ReplayFile, Setup,
    Tile, TileKind, WriteOptions, write_file,
};
use gametape_wire::{ErrorClass, ErrorKind};
use proptest::prelude::*;

const RAW: WriteOptions = WriteOptions::new().with_compress(false);
const WITH_DICTIONARY: WriteOptions = WriteOptions::new().with_dictionary(true);

fn map(radius: u8) -> Map {
    let ground = Tile { kind: TileKind::Regular, item: ItemKind::None };
    Map::new(Grid::Hex, radius, ground).unwrap()
}

fn examples() -> [(Dialect, Vec<u8>); 2] {
    [(Dialect::V01, v01_example()), (Dialect::Current, current_example())]
}

/// A file header that announces these frames, before the setup and frames of the current example.
fn with_frame_lengths(stored: u32, raw: u32) -> Vec<u8> {
    let mut bytes = current_example();
    bytes[24..28].copy_from_slice(&stored.to_be_bytes());
    bytes[28..32].copy_from_slice(&raw.to_be_bytes());
    bytes
}

#[test]
fn the_examples_of_the_specification_are_intact() {
    let ranges = [[8..42, 42..61, 61..66], [8..48, 48..69, 69..71]];
    for ((dialect, bytes), ranges) in examples().into_iter().zip(ranges) {
        let file = ReplayFile::open(&bytes).unwrap();
        assert_eq!((file.dialect(), file.detection()), (dialect, Detection::Checksum));
        let checks = file.checks();
        assert!(checks.iter().all(Check::is_ok), "{checks:x?}");
        assert!(checks.into_iter().map(|check| check.range).eq(ranges));
        assert_eq!(file.faults(), []);
        let frames = file.frames().unwrap();
        assert_eq!(frames.storage, FrameStorage::Raw);
        assert_eq!(frames.bytes[..], bytes[file.frames_range().start as usize..]);
    }
}

#[test]
fn the_examples_are_written_byte_by_byte() {
    for (_, bytes) in examples() {
        let file = ReplayFile::open(&bytes).unwrap();
        let (setup, frames) = (file.setup().to_setup().unwrap(), file.frames().unwrap());
        assert_eq!(write_file(&setup, &frames.bytes, &RAW).unwrap(), bytes);
    }
}

#[test]
fn every_flipped_bit_is_reported_and_hides_nothing_else() {
    for (dialect, bytes) in examples() {
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let file = ReplayFile::open(&damaged).unwrap_or_else(|e| panic!("bit {bit}: {e}"));
            assert_eq!(file.dialect(), dialect, "bit {bit}");
            assert!(!file.faults().is_empty(), "bit {bit}");
            assert!(file.checks().iter().any(|check| check.error().is_some()), "bit {bit}");
        }
    }
}

#[test]
fn every_truncation_is_reported() {
    for (dialect, bytes) in examples() {
        let headers = if dialect == Dialect::V01 { 42 } else { 48 };
        for length in 0..bytes.len() {
            match ReplayFile::open(&bytes[..length]) {
                Err(error) => {
                    assert!(length < headers, "{length}: {error}");
                    assert_eq!(error.class(), ErrorClass::Truncated, "{length}: {error}");
                }
                Ok(file) => {
                    assert!(length >= headers);
                    assert_eq!(file.detection(), Detection::Checksum);
                    assert_eq!(file.frames().unwrap_err().class(), ErrorClass::Truncated);
                    assert!(file.with_repaired_checksums().is_err());
                    assert!(!file.faults().is_empty());
                }
            }
        }
    }
}

#[test]
fn a_truncated_file_shows_what_is_left() {
    let bytes = current_example();
    let file = ReplayFile::open(&bytes[..65]).unwrap();
    assert!(file.setup().map().is_ok());
    assert_eq!(file.setup().city_positions().unwrap().len(), 1);
    let error = file.setup().city_names().unwrap_err();
    let text = "city names: the input ends early: 3 bytes needed, 1 left (at byte 64)";
    assert_eq!(error.to_string(), text);
    assert_eq!(file.setup().rules().unwrap_err().offset(), Some(67));
    assert_eq!(file.frames().unwrap_err().offset(), Some(69));
}

#[test]
fn trailing_bytes_are_reported_and_harmless() {
    for (dialect, mut bytes) in examples() {
        let length = bytes.len() as u64;
        bytes.extend([1, 2, 3]);
        let file = ReplayFile::open(&bytes).unwrap();
        assert_eq!((file.dialect(), file.trailing()), (dialect, &[1u8, 2, 3][..]));
        assert!(file.checks().iter().all(Check::is_ok));
        let faults = file.faults();
        assert!(matches!(faults[..], [ref e] if e.offset() == Some(length)), "{faults:?}");
    }
}

#[test]
fn damaged_headers_are_recognised_by_structure() {
    for (dialect, bytes) in examples() {
        let version = if dialect == Dialect::V01 { 28 } else { 32 };
        for index in [0, version + 1] {
            let mut damaged = bytes.clone();
            damaged[index] ^= 0x10;
            let file = ReplayFile::open(&damaged).unwrap();
            assert_eq!((file.dialect(), file.detection()), (dialect, Detection::Structure));
            assert!(file.setup().map().is_ok() && file.frames().is_ok());
        }
    }
}

#[test]
fn an_intact_file_of_another_version_is_refused() {
    for (dialect, mut bytes) in examples() {
        let version = if dialect == Dialect::V01 { 28 } else { 32 };
        bytes[version + 2] = 9;
        let sealed = ReplayFile::open(&bytes).unwrap().with_repaired_checksums().unwrap();
        for result in [ReplayFile::open(&sealed), ReplayFile::open_as(&sealed, dialect)] {
            assert_eq!(result.unwrap_err().item(), "version");
        }
    }
}

#[test]
fn a_forced_dialect_must_be_possible() {
    let (v01, current) = (v01_example(), current_example());
    assert_eq!(ReplayFile::open_as(&v01, Dialect::Current).unwrap_err().item(), "version");
    assert_eq!(ReplayFile::open_as(&current, Dialect::V01).unwrap_err().item(), "version");
    let file = ReplayFile::open_as(&v01, Dialect::V01).unwrap();
    assert_eq!(file.detection(), Detection::Forced);
    let file = ReplayFile::open_as(&current, Dialect::MwDatatool).unwrap();
    assert_eq!(file.dialect(), Dialect::MwDatatool);
}

/// Without its file header, as it is sent over a network: setup, then frames, all of it raw.
fn stream_of(file: &ReplayFile<'_>) -> Vec<u8> {
    [file.setup_bytes(), &file.frames().unwrap().bytes].concat()
}

#[test]
fn a_stream_without_file_header_is_found_by_its_setup() {
    for (dialect, bytes) in examples() {
        let file = ReplayFile::open(&bytes).unwrap();
        let stream = stream_of(&file);
        let sniffed = ReplayFile::open(&stream).unwrap();
        assert_eq!((sniffed.dialect(), sniffed.detection()), (dialect, Detection::Headerless));
        let asked = ReplayFile::open_stream(&stream, None).unwrap();
        assert_eq!((asked.dialect(), asked.detection()), (dialect, Detection::Headerless));
        let forced = ReplayFile::open_stream(&stream, Some(dialect)).unwrap();
        let in_dialect = ReplayFile::open_as(&stream, dialect).unwrap();
        for read in [sniffed, asked, forced, in_dialect] {
            assert!(read.is_headerless());
            assert_eq!(read.setup().to_setup(), file.setup().to_setup());
            assert_eq!(read.frames().unwrap().bytes, file.frames().unwrap().bytes);
            assert_eq!((read.checks(), read.trailing(), read.faults()), (vec![], &[][..], vec![]));
            assert!(read.with_repaired_checksums().is_err());
        }
        assert!(!file.is_headerless());
    }
}

#[test]
fn a_stream_is_known_by_its_first_bytes_and_a_font_is_none() {
    for (_, bytes) in examples() {
        let file = ReplayFile::open(&bytes).unwrap();
        let (stream, setup) = (stream_of(&file), file.setup_bytes().len());
        let length = Some(stream.len() as u64);
        for start in [setup / 2 + 16, setup, stream.len()] {
            let start = &stream[..start.min(stream.len())];
            assert_eq!(ReplayFile::sniff(start, length), Some(Detection::Headerless));
            assert_eq!(ReplayFile::sniff(start, None), Some(Detection::Headerless));
        }
        let too_short = Some(setup as u64 - 1);
        assert_eq!(ReplayFile::sniff(&stream[..setup / 2 + 16], too_short), None);
    }
    // TrueType and icons begin with the version bytes of one generation each.
    let font = b"\x00\x01\x00\x00\x00\x0a\x00\x80\x00\x03\x00\x20OS/2ZW\x98\x94\x00\x00\x00\xac\x00\x00\x00\x56cmap";
    let icon = b"\x00\x00\x01\x00\x01\x00\x10\x10\x00\x00\x01\x00\x20\x00\x68\x04\x00\x00\x16\x00\x00\x00\x28\x00\x00\x00";
    for start in [&font[..], icon] {
        let whole = [start, &[0x55; 40_000]].concat();
        for start in [&whole[..], &whole[..24 << 10]] {
            assert_eq!(ReplayFile::sniff(start, Some(whole.len() as u64)), None);
        }
    }
}

#[test]
fn a_stream_that_is_cut_or_is_none_is_not_taken_for_a_file() {
    for (dialect, bytes) in examples() {
        let file = ReplayFile::open(&bytes).unwrap();
        let stream = stream_of(&file);
        let setup_length = file.setup_bytes().len();
        for length in 0..stream.len() {
            let cut = &stream[..length];
            // Frames may end anywhere while they are sent; the setup may not.
            assert_eq!(ReplayFile::open(cut).is_ok(), length >= setup_length, "{length}");
            if let Ok(file) = ReplayFile::open_stream(cut, Some(dialect)) {
                assert_eq!(file.setup().to_setup().is_ok(), length >= setup_length);
            }
        }
        // A file is not a stream, whatever the caller says.
        assert_eq!(ReplayFile::open_stream(&bytes, None).unwrap_err().item(), "version");
        assert_eq!(ReplayFile::open_stream(&bytes, Some(dialect)).unwrap_err().item(), "version");
    }
}

#[test]
fn what_is_no_minewars_file_is_refused() {
    for bytes in [&[0xAA; 200][..], b"PK\x03\x04", &[]] {
        assert!(ReplayFile::open(bytes).is_err());
    }
    let error = ReplayFile::open(&[0xAA; 200]).unwrap_err();
    assert!(error.to_string().contains("not a MineWars file"), "{error}");
}

#[test]
fn claims_of_gigabytes_are_refused() {
    let over_limit = with_frame_lengths(2, u32::MAX);
    let error = ReplayFile::open(&over_limit).unwrap().frames().unwrap_err();
    assert_eq!((error.class(), error.item()), (ErrorClass::Limit, "raw length of the frames"));

    let under_limit = with_frame_lengths(2, 1 << 30);
    let error = ReplayFile::open(&under_limit).unwrap().frames().unwrap_err();
    assert!(error.to_string().contains("a block of 2 bytes holds at most 510"), "{error}");

    let headers_only = &with_frame_lengths(0, u32::MAX)[..48];
    let file = ReplayFile::open(headers_only).unwrap();
    assert_eq!(file.frames().unwrap_err().class(), ErrorClass::Limit);
    assert!(!file.faults().is_empty());

    let stored = &with_frame_lengths(u32::MAX, u32::MAX)[..48];
    let error = ReplayFile::open(stored).unwrap().frames().unwrap_err();
    assert_eq!(error.class(), ErrorClass::Truncated);
}

#[test]
fn blocks_that_lie_about_their_length_are_refused() {
    let mut setup = Setup::new(Generation::Current, map(1));
    setup.max_player = 1;
    let bytes = write_file(&setup, &[7; 100], &WriteOptions::default()).unwrap();
    let stored = ReplayFile::open(&bytes).unwrap().header().frames_stored;
    for raw in [1, stored - 1, stored + 1, 99, 101, 255 * stored] {
        let mut lying = bytes.clone();
        lying[28..32].copy_from_slice(&raw.to_be_bytes());
        let error = ReplayFile::open(&lying).unwrap().frames().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Compression { .. }), "{raw}: {error}");
    }
}

#[test]
fn v01_says_that_its_frames_end_at_65535_bytes() {
    let setup = Setup::new(Generation::V01, map(1));
    let most = vec![0; 65535];
    let bytes = write_file(&setup, &most, &RAW).unwrap();
    assert_eq!(ReplayFile::open(&bytes).unwrap().frames().unwrap().bytes, most);
    for options in [RAW, WriteOptions::default()] {
        let error = write_file(&setup, &[0; 65536], &options).unwrap_err();
        let text = "frames: 65536 bytes do not fit: the format allows at most 65535";
        assert_eq!(error.to_string(), text);
    }
}

/// Bytes that are in the dictionary of a land map in the same order.
fn land_coordinates() -> Vec<u8> {
    (0..9).flat_map(|x| [0, x]).collect()
}

#[test]
fn the_dictionary_is_used_only_where_it_can_be() {
    let frames = land_coordinates();
    let mut setup = Setup::new(Generation::V01, map(9));
    let bytes = write_file(&setup, &frames, &WITH_DICTIONARY).unwrap();
    let unpacked = ReplayFile::open(&bytes).unwrap().frames().unwrap();
    assert_eq!(unpacked.storage, FrameStorage::Lz4Dictionary);
    assert_eq!(unpacked.bytes, frames);
    let no_compression = WriteOptions::new().with_compress(false).with_dictionary(true);
    assert_eq!(write_file(&setup, &frames, &no_compression).unwrap_err().item(), "dictionary");
    setup = setup.converted(Generation::Current).0;
    assert_eq!(write_file(&setup, &frames, &WITH_DICTIONARY).unwrap_err().item(), "dictionary");
}

#[test]
fn frames_that_need_a_damaged_map_say_so() {
    let setup = Setup::new(Generation::V01, map(9));
    let mut bytes = write_file(&setup, &land_coordinates(), &WITH_DICTIONARY).unwrap();
    bytes[33] = 8;
    let error = ReplayFile::open(&bytes).unwrap().frames().unwrap_err();
    assert!(error.item().starts_with("dictionary of the frames"), "{error}");
}

#[test]
fn repair_changes_the_checksums_alone() {
    for (_, bytes) in examples() {
        let mut damaged = bytes.clone();
        damaged[..24].fill(0xEE);
        damaged.extend([9, 9]);
        let file = ReplayFile::open(&damaged).unwrap();
        assert!(file.checks().iter().all(|check| !check.is_ok()));
        assert!(file.checks().iter().map(|check| check.part).eq(FilePart::ALL));
        let repaired = file.with_repaired_checksums().unwrap();
        assert_eq!(repaired[..bytes.len()], bytes);
        assert_eq!(repaired[bytes.len()..], [9, 9]);
    }
}

fn frames_strategy() -> impl Strategy<Value = Vec<u8>> {
    let noise = prop::collection::vec(any::<u8>(), 0..300);
    let repeating = (prop::collection::vec(0..4u8, 1..30), 1..60usize)
        .prop_map(|(pattern, times)| pattern.repeat(times));
    prop_oneof![noise, repeating]
}

proptest! {
    #[test]
    fn files_survive_writing_and_reading(
        setup in setup_strategy(),
        frames in frames_strategy(),
        compress: bool,
        dictionary: bool,
    ) {
        let dictionary = dictionary && compress && setup.generation == Generation::V01;
        let bytes = write_file(&setup, &frames, &WriteOptions::new().with_compress(compress).with_dictionary(dictionary)).unwrap();
        let file = ReplayFile::open(&bytes).unwrap();
        prop_assert_eq!((file.dialect(), file.detection()), (setup.dialect(), Detection::Checksum));
        prop_assert!(file.checks().iter().all(Check::is_ok));
        prop_assert_eq!(file.trailing().len(), 0);
        let unpacked = file.frames().unwrap();
        prop_assert_eq!(&unpacked.bytes[..], &frames[..]);
        prop_assert!(dictionary || unpacked.storage != FrameStorage::Lz4Dictionary);
        prop_assert_eq!(&file.with_repaired_checksums().unwrap(), &bytes);
        prop_assert_eq!(file.setup().to_setup().unwrap(), setup);
    }

    #[test]
    fn damaged_files_are_read_or_refused(
        setup in setup_strategy(),
        frames in frames_strategy(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
        let intact = bytes.clone();
        for (at, value) in damage {
            let index = at.index(bytes.len());
            bytes[index] = value;
        }
        for dialect in Dialect::ALL {
            if let Ok(file) = ReplayFile::open_as(&bytes, dialect) {
                let _ = (file.faults(), file.frames(), file.setup().to_setup());
            }
        }
        if let Ok(file) = ReplayFile::open(&bytes) {
            prop_assert_eq!(file.checks().iter().all(Check::is_ok), bytes == intact);
        }
    }
}
