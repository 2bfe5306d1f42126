//! What is repaired is sound, and what was whole stays.

use gametape_minewars::{
    Change, Dialect, FilePart, Lost, RepairOptions, Repaired, ReplayFile, Rule, SetupItem,
    WriteOptions, repair, verify, write_file,
};
use gametape_minewars::{FrameWriter, Frames, Generation};
use gametape_wire::ErrorClass;
use proptest::prelude::*;

use crate::support::{
    layout, one_frame, open, plain_setup, raw_file, sample, sample_file, view, views,
};

const KEEP: RepairOptions = RepairOptions::new().with_keep_unreadable(true);
const DROP: RepairOptions = RepairOptions::new();

fn repaired(bytes: &[u8]) -> Repaired {
    let repaired = repair(bytes, None, DROP).unwrap();
    let file = ReplayFile::open(&repaired.bytes).unwrap();
    assert!(file.checks().iter().all(gametape_minewars::Check::is_ok));
    let found = verify(&file);
    assert!(found.is_ok(), "{:?}", found.report());
    repaired
}

#[test]
fn a_sound_file_stays_as_it_is() {
    for generation in Generation::ALL {
        for compress in [false, true] {
            let bytes = sample_file(generation, 50, compress);
            let Repaired { bytes: same, changes, lost, .. } = repaired(&bytes);
            assert_eq!((same, changes, lost), (bytes, vec![], vec![]));
        }
    }
}

#[test]
fn wrong_checksums_are_written_again_and_nothing_else_changes() {
    for generation in Generation::ALL {
        let whole = sample_file(generation, 50, true);
        let mut bytes = whole.clone();
        bytes[3] ^= 1;
        bytes[20] ^= 1;
        let Repaired { bytes: again, changes, lost, .. } = repaired(&bytes);
        assert_eq!((&again, lost), (&whole, vec![]));
        let parts: Vec<FilePart> = changes
            .iter()
            .map(|change| match change {
                Change::Checksum { part, .. } => *part,
                other => panic!("{other}"),
            })
            .collect();
        assert_eq!(parts, [FilePart::Headers, FilePart::Frames]);
    }
}

#[test]
fn a_foreign_version_becomes_the_generations_own() {
    let mut bytes = sample_file(Generation::Current, 10, true);
    bytes[33] = 4;
    bytes[35] = 7;
    let Repaired { bytes, changes, lost, .. } = repaired(&bytes);
    assert_eq!(changes[0].to_string(), "version: 0.4.1.7 is now 0.0.1.7");
    assert_eq!((bytes[32..36].to_vec(), lost), (vec![0, 0, 1, 7], vec![]));
}

#[test]
fn files_that_are_cut_keep_their_whole_frames() {
    for generation in Generation::ALL {
        for compress in [false, true] {
            let whole = sample_file(generation, 40, compress);
            let (setup, frames) = open(&whole);
            let start = ReplayFile::open(&whole).unwrap().frames_range().start as usize;
            for length in start..whole.len() {
                let Repaired { bytes, lost, .. } = repaired(&whole[..length]);
                let (same, kept) = open(&bytes);
                assert_eq!(same, setup);
                assert!(frames.starts_with(&kept), "{generation} {length}");
                let next = Frames::new(layout(&setup), &frames[kept.len()..]).next();
                let next = next.unwrap().unwrap().bytes().len();
                // Raw, the very next frame is the one that is cut.
                let there = length - start;
                assert!(compress || kept.len() + next > there, "{generation} {length}");
                assert!(matches!(lost[0], Lost::Damage { .. }), "{lost:?}");
            }
            for length in 0..start {
                assert!(repair(&whole[..length], None, KEEP).is_err());
            }
        }
    }
}

#[test]
fn a_file_that_ends_in_its_setup_is_refused() {
    let whole = sample_file(Generation::Current, 5, false);
    let error = repair(&whole[..60], Some(Dialect::Current), KEEP).unwrap_err();
    assert_eq!((error.class(), error.item()), (ErrorClass::Truncated, "setup data"));
}

#[test]
fn lengths_that_are_wrong_are_found_out() {
    for (generation, dictionary) in
        [(Generation::Current, false), (Generation::V01, false), (Generation::V01, true)]
    {
        let (setup, frames) = sample(generation, 60, 2);
        let options = WriteOptions::new().with_dictionary(dictionary);
        let whole = write_file(&setup, &frames, &options).unwrap();
        let width = if generation == Generation::V01 { 2 } else { 4 };
        let low_byte = |field: usize| 24 + width * (field + 1) - 1;
        for (field, change) in [(0, 1), (0, 64), (1, 1), (1, 255)] {
            let mut bytes = whole.clone();
            let at = low_byte(field);
            bytes[at] = bytes[at].wrapping_add(change);
            let Repaired { bytes, changes, lost, .. } = repaired(&bytes);
            assert_eq!(open(&bytes), (setup.clone(), frames.clone()), "{field} {change}");
            assert_eq!(lost, []);
            assert!(changes.iter().any(|change| matches!(change, Change::Lengths { .. })));
        }
    }
}

#[test]
fn bytes_after_the_frames_go() {
    let whole = sample_file(Generation::V01, 10, true);
    let longer = [&whole[..], b"tail"].concat();
    let Repaired { bytes, changes, lost, .. } = repaired(&longer);
    assert_eq!((bytes, changes, lost), (whole, vec![], vec![Lost::Trailing { bytes: 4 }]));
}

#[test]
fn a_damaged_map_does_not_cost_the_frames() {
    let (setup, frames) = sample(Generation::Current, 30, 2);
    let mut bytes = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
    let (map, whole) = (48, bytes.clone());
    bytes[map] = 0xFF;
    let kept = repair(&bytes, None, KEEP).unwrap();
    let file = ReplayFile::open(&kept.bytes).unwrap();
    assert!(file.setup().map().is_err());
    assert_eq!(*file.frames().unwrap().bytes, frames);
    assert_eq!((kept.changes.len(), kept.lost), (2, vec![]));

    let sound = repair(&bytes, None, DROP).unwrap();
    let file = ReplayFile::open(&sound.bytes).unwrap();
    assert_eq!(*file.frames().unwrap().bytes, frames);
    let unknown = file.setup().map().unwrap();
    let reserved = unknown.tiles().filter(|(_, tile)| tile.kind.code() == 1).count() as u64;
    assert!(reserved > 0);
    assert_eq!(sound.lost[0], Lost::Setup { item: SetupItem::Tile, count: reserved });
    // Every tile that is not known is a warning, and nothing is an error.
    let found = verify(&file);
    assert!(found.is_ok() && found.count(Rule::ReservedValue) >= reserved, "{:?}", found.report());
    assert_ne!(sound.bytes, whole);
}

#[test]
fn a_wrong_radius_is_found_by_the_tiles() {
    for generation in Generation::ALL {
        let (setup, frames) = sample(generation, 30, 2);
        for compress in [false, true] {
            let options = WriteOptions::new().with_compress(compress);
            let whole = write_file(&setup, &frames, &options).unwrap();
            let at = if generation == Generation::V01 { 33 } else { 37 };
            for wrong in [200, whole[at] + 1, whole[at] - 1] {
                let mut bytes = whole.clone();
                bytes[at] = wrong;
                let again = repair(&bytes, Some(generation.into()), DROP).unwrap();
                let change = Change::Radius { old: wrong, new: whole[at] };
                assert_eq!((again.changes[0].clone(), again.lost), (change, vec![]));
                assert_eq!(again.bytes, whole, "{generation} {compress} {wrong}");
            }
        }
    }
}

#[test]
fn what_cannot_be_in_a_setup_is_lost_and_named() {
    let mut setup = plain_setup(Generation::V01);
    setup.player_names = Some((1..=setup.max_player).map(|n| format!("Name {n}")).collect());
    let whole = raw_file(&setup, &[]);
    let name = whole.windows(6).position(|bytes| bytes == b"Name 1").unwrap();
    let mut bytes = whole.clone();
    bytes[name] = 0xFF;
    // The map is the end of a v0.1 setup; a tile with a reserved bit in kind and item.
    let tile =
        whole.len() - setup.map.tile_count() * if setup.map.regions().is_some() { 2 } else { 1 };
    bytes[tile] = 0x9A;
    let again = repair(&bytes, None, DROP).unwrap();
    let lost: Vec<String> = again.lost.iter().map(ToString::to_string).collect();
    assert_eq!(
        lost,
        ["setup: 1 tile of the map: of a reserved kind now", "setup: 1 name of players: empty now"]
    );
    let file = ReplayFile::open(&again.bytes).unwrap();
    assert_eq!(file.setup().player_names().unwrap().unwrap()[..2], ["", "Name 2"]);
    assert_eq!(file.setup().map_bytes().unwrap()[0], 0x41);
    assert!(verify(&file).is_ok());

    // Names whose lengths do not fit are no names at all.
    let mut bytes = whole.clone();
    bytes[name - 1] = 200;
    let again = repair(&bytes, None, DROP).unwrap();
    let players = setup.max_player.into();
    assert_eq!(again.lost, [Lost::Setup { item: SetupItem::PlayerName, count: players }]);
    assert!(verify(&ReplayFile::open(&again.bytes).unwrap()).is_ok());

    // Nobody knows what the frames of 200 players are.
    let mut bytes = whole;
    bytes[34] = 200;
    let error = repair(&bytes, Some(Dialect::V01), DROP).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Limit);
    assert!(repair(&bytes, Some(Dialect::V01), KEEP).is_ok());
}

#[test]
fn unreadable_payloads_go_unless_they_are_to_stay() {
    let setup = plain_setup(Generation::Current);
    let mut out = FrameWriter::new(layout(&setup));
    out.heterogenous(5, &[(view(0), &[0x01, 0x08, 9]), (view(1), &[0x01])]).unwrap();
    out.homogenous(7, views(&[2]), &[0x08]).unwrap();
    out.homogenous(9, views(&[0]), &[0x01, 0x01]).unwrap();
    let frames = out.into_bytes();
    let whole = raw_file(&setup, &frames);
    assert_eq!(repair(&whole, None, KEEP).unwrap().bytes, whole);

    let dropped = repair(&whole, None, DROP).unwrap();
    let mut expected = FrameWriter::new(layout(&setup));
    expected.homogenous(5, views(&[0, 1]), &[0x01]).unwrap();
    expected.heterogenous(7, &[]).unwrap();
    expected.homogenous(9, views(&[0]), &[0x01, 0x01]).unwrap();
    assert_eq!(open(&dropped.bytes).1, expected.into_bytes());
    let lost =
        |number, time, who: &[u8], bytes| Lost::Payload { number, time, views: views(who), bytes };
    assert_eq!(dropped.lost, [lost(0, 5, &[0], 2), lost(1, 12, &[2], 1)]);
    assert!(verify(&ReplayFile::open(&dropped.bytes).unwrap()).is_ok());
}

#[test]
fn many_unreadable_payloads_are_listed_up_to_a_thousand_and_then_counted() {
    let setup = plain_setup(Generation::Current);
    for (all, more) in [(1000, None), (1001, Some(1)), (1007, Some(7))] {
        let mut out = FrameWriter::new(layout(&setup));
        (0..all).for_each(|_| out.homogenous(1, views(&[0]), &[0x01, 0x08]).unwrap());
        let dropped = repair(&raw_file(&setup, &out.into_bytes()), None, DROP).unwrap();
        let (listed, rest) = dropped.lost.split_at(1000);
        assert!(listed.iter().all(|lost| matches!(lost, Lost::Payload { bytes: 1, .. })));
        assert!(rest.iter().eq(more.map(|count| Lost::MorePayloads { count }).iter()), "{rest:?}");
    }
}

#[test]
fn a_cut_frame_is_named() {
    let setup = plain_setup(Generation::Current);
    let frames = one_frame(&setup, &[0], &[0x01]);
    let bytes = raw_file(&setup, &[&frames[..], &[0x80, 0x05]].concat());
    let Repaired { bytes, lost, .. } = repaired(&bytes);
    assert_eq!(lost, [Lost::Frame { number: 1, time: 10, bytes: 2 }]);
    assert_eq!(open(&bytes).1, frames);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever happens to a file: what repair gives is sound as a file, repairing it again
    /// changes nothing, and without losses all frames are there.
    #[test]
    fn repair_ends_in_a_file_that_needs_none(
        current in any::<bool>(),
        compress in any::<bool>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let generation = if current { Generation::Current } else { Generation::V01 };
        let mut bytes = sample_file(generation, 30, compress);
        for (at, value) in damage {
            let index = at.index(bytes.len());
            bytes[index] ^= value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        for options in [KEEP, DROP] {
            if let Ok(first) = repair(&bytes, Some(Dialect::from(generation)), options) {
                let file = ReplayFile::open(&first.bytes).unwrap();
                prop_assert!(file.checks().iter().all(gametape_minewars::Check::is_ok));
                let found = verify(&file);
                prop_assert!(found.is_ok() || options == KEEP, "{:?}", found.report());
                let second = repair(&first.bytes, None, options).unwrap();
                prop_assert_eq!((second.bytes, second.changes, second.lost), (first.bytes, vec![], vec![]));
            }
        }
    }
}

#[test]
fn a_stream_without_file_header_gets_one() {
    for generation in Generation::ALL {
        let file = sample_file(generation, 40, false);
        let opened = ReplayFile::open(&file).unwrap();
        let stream = [opened.setup_bytes(), &opened.frames().unwrap().bytes].concat();
        let repaired = repair(&stream, None, RepairOptions::default()).unwrap();
        assert_eq!(repaired.changes, [Change::FileHeader]);
        assert_eq!((repaired.lost, &repaired.bytes), (vec![], &file));

        // With a damaged setup it has to be said that it is a stream.
        let mut damaged = stream.clone();
        let radius = 5;
        damaged[radius] += 1;
        assert!(repair(&damaged, Some(generation.into()), DROP).is_err());
        let options = DROP.with_headerless(true);
        let repaired = repair(&damaged, Some(generation.into()), options).unwrap();
        assert!(verify(&ReplayFile::open(&repaired.bytes).unwrap()).is_ok());
    }
}

/// Nothing is left in the frames that verification refuses: players, cities and views that
/// are not there, and what cannot be read.
#[test]
fn frames_pass_verification_whatever_was_in_them() {
    let (setup, frames) =
        gametape_minewars::sample::Sample::default().build(Generation::Current).unwrap();
    let whole = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
    let start = ReplayFile::open(&whole).unwrap().frames_range().start as usize;
    let options = DROP;
    let (mut broken, mut random) = (0, 1_u64);
    for _ in 0..200 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let mut damaged = whole.clone();
        let at = start + (random >> 33) as usize % (whole.len() - start);
        damaged[at] ^= 1 << ((random >> 20) & 7);
        let repaired = repair(&damaged, None, options).unwrap();
        let found = verify(&ReplayFile::open(&repaired.bytes).unwrap());
        assert!(found.is_ok(), "byte {at}: {:?}", found.findings().next());
        broken += usize::from(!repaired.lost.is_empty());
        // Doing it again changes nothing.
        let again = repair(&repaired.bytes, None, options).unwrap();
        assert!(again.bytes == repaired.bytes && again.lost.is_empty(), "byte {at}");
    }
    assert!(broken > 50, "{broken}");
}
