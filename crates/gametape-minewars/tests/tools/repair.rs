//! What is repaired is sound, and what was whole stays.

use gametape_minewars::{
    Change, Dialect, FilePart, Lost, RepairOptions, Repaired, ReplayFile, Rule, WriteOptions,
    repair, verify, write_file,
};
use gametape_minewars::{FrameWriter, Frames, Generation};
use gametape_wire::ErrorClass;
use proptest::prelude::*;

use crate::support::{
    layout, one_frame, open, plain_setup, raw_file, sample, sample_file, view, views,
};

const KEEP: RepairOptions = RepairOptions::new();
const DROP: RepairOptions = RepairOptions::new().with_drop_unreadable(true);

fn repaired(bytes: &[u8]) -> Repaired {
    let repaired = repair(bytes, None, KEEP).unwrap();
    let file = ReplayFile::open(&repaired.bytes).unwrap();
    assert!(file.checks().iter().all(gametape_minewars::Check::is_ok));
    let found = verify(&file);
    for rule in [Rule::Checksum, Rule::Unpack, Rule::Trailing, Rule::FrameCut] {
        assert_eq!(found.count(rule), 0, "{:?}", found.report());
    }
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
fn wrong_checksums_are_written_anew_and_nothing_else_changes() {
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
    // The radius decides how the map is unpacked.
    bytes[37] = 200;
    let again = repair(&bytes, None, KEEP).unwrap();
    let file = ReplayFile::open(&again.bytes).unwrap();
    assert!(file.setup().map().is_err());
    assert_eq!(*file.frames().unwrap().bytes, frames);
    assert_eq!((again.changes.len(), again.lost), (1, vec![]));
}

#[test]
fn unreadable_payloads_stay_unless_they_are_to_go() {
    let setup = plain_setup(Generation::Current);
    let mut out = FrameWriter::new(layout(&setup));
    out.heterogenous(5, &[(view(0), &[0x01, 0x08, 9]), (view(1), &[0x01])]).unwrap();
    out.homogenous(7, views(&[2]), &[0x08]).unwrap();
    out.homogenous(9, views(&[0]), &[0x01, 0x01]).unwrap();
    let frames = out.into_bytes();
    let whole = raw_file(&setup, &frames);
    assert_eq!(repaired(&whole).bytes, whole);

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
        assert_eq!((repaired.lost, repaired.bytes), (vec![], file));
    }
}

/// On request nothing is left in the frames that verification refuses: players, cities and views that
/// are not there, and what cannot be read.
#[test]
fn on_request_frames_pass_verification_whatever_was_in_them() {
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
