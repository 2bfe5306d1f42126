//! Every rule has something that breaks it, and nothing that is damaged passes.

use gametape_minewars::{
    CityName, Dialect, ReplayFile, Rule, Setup, Space, Verification, WriteOptions, verify,
    write_file,
};
use gametape_minewars::{FrameWriter, Generation};
use gametape_wire::Severity;

use crate::support::{layout, one_frame, plain_setup, raw_file, sample, sample_file, view, views};

fn check(bytes: &[u8]) -> Verification {
    verify(&ReplayFile::open(bytes).unwrap())
}

/// The rules that were found broken.
fn broken_rules(found: &Verification) -> Vec<Rule> {
    let named = |name| Rule::ALL.iter().copied().find(|rule| rule.name() == name);
    found.findings().filter_map(|located| named(located.finding.rule)).collect()
}

/// The rules that one payload for views 0 and 1 breaks.
fn rules_of(generation: Generation, payload: &[u8]) -> Vec<Rule> {
    let setup = plain_setup(generation);
    let found = check(&raw_file(&setup, &one_frame(&setup, &[0, 1], payload)));
    let payload_at = (found.frames == 1).then_some(()).and(found.findings().next());
    if let Some(finding) = payload_at {
        let frame = finding.frame.unwrap();
        assert_eq!((frame.number, frame.time, frame.views), (0, 10, views(&[0, 1])));
    }
    broken_rules(&found)
}

#[test]
fn samples_break_no_rule() {
    for generation in Generation::ALL {
        for seed in 1..6 {
            let (setup, frames) = sample(generation, 300, seed);
            for compress in [false, true] {
                let options = WriteOptions::new().with_compress(compress);
                let found = check(&write_file(&setup, &frames, &options).unwrap());
                assert!(found.is_ok(), "{:?}", found.findings().next());
                assert!(found.frames > 250 && found.messages > found.frames);
            }
        }
    }
}

#[test]
fn messages_break_the_rules_that_they_should() {
    const C: Generation = Generation::Current;
    const V: Generation = Generation::V01;
    let cases: &[(Generation, &[u8], &[Rule])] = &[
        (C, &[0x02, 3, 0], &[]),
        (C, &[0x02, 4, 0], &[Rule::Tile]),
        (C, &[0x02, 2, 2], &[Rule::Tile]),
        (C, &[0x02, 4, 0, 0x02, 0, 4], &[Rule::Tile, Rule::Tile]),
        (C, &[0x31, 0, 0, 0x80, 0], &[Rule::Tile]),
        (C, &[0x82, 0, 0], &[]),
        (C, &[0x83, 0, 0], &[Rule::Player]),
        (C, &[0x00, 0x03, 0x03], &[Rule::Player]),
        (C, &[0x00, 0xF2, 0x03], &[]),
        (C, &[0x00, 0x12, 0x03], &[]),
        (C, &[0x00, 0x22, 0x03], &[Rule::SubPlayer]),
        (V, &[0x00, 0x22, 0x03], &[]),
        (C, &[0x00, 0xF1, 0x04, 0, 0, 9], &[Rule::Player]),
        (C, &[0x00, 0xF1, 0x04, 9, 0, 0], &[Rule::Tile]),
        (C, &[0x0F, 0x02, 0, 0], &[]),
        (C, &[0x0F, 0x03, 0, 0], &[Rule::Player]),
        (C, &[0x0F, 0x12, 0, 0], &[Rule::ReservedValue]),
        (C, &[0x06, 0, 0, 1], &[Rule::City]),
        (C, &[0x00, 0xF1, 0x89, 7], &[Rule::City]),
        (C, &[0x74, 0, 0], &[]),
        (C, &[0x71, 0, 0], &[Rule::ReservedValue]),
        (C, &[0x14, 0, 0], &[Rule::ReservedValue]),
        (C, &[0x54, 0, 0], &[Rule::ReservedValue]),
        (C, &[0x44, 0, 0, 0, 1], &[Rule::ReservedValue]),
        (V, &[0x00, 0x01, 0x0D, 1, 2], &[Rule::ReservedValue]),
        (C, &[0x00, 0x01, 0x10, 1, 0xFF], &[Rule::Text]),
        (C, &[0x80, 0, 0, 0x10], &[Rule::NotCanonical]),
        (C, &[0xA0, 0, 0, 0, 1, 0, 2, 0x11, 0x10], &[]),
        (C, &[0xA0, 0, 0, 0, 1, 0, 2, 0x11, 0x11], &[Rule::NotCanonical]),
        (V, &[0x00, 0x01, 0x01, 0x80], &[Rule::NotCanonical]),
        (V, &[0x00, 0x01, 0x01, 0x81], &[]),
        (C, &[0x08], &[Rule::ReservedOpcode]),
        (C, &[0x01, 0x08, 0x01, 0x02, 9, 9], &[Rule::ReservedOpcode]),
        (C, &[0x02, 0], &[Rule::MessageCut]),
        (V, &[0x10], &[Rule::ReservedOpcode]),
    ];
    for (generation, payload, rules) in cases {
        assert_eq!(rules_of(*generation, payload), *rules, "{generation} {payload:02x?}");
    }
}

#[test]
fn places_are_those_of_the_message() {
    let setup = plain_setup(Generation::Current);
    let frames = one_frame(&setup, &[0, 1], &[0x01, 0x02, 4, 0]);
    let bytes = raw_file(&setup, &frames);
    let found = check(&bytes);
    let [finding] = found.findings().collect::<Vec<_>>()[..] else { panic!("{found:?}") };
    let start = bytes.len() - 3;
    assert_eq!((finding.finding.error.offset(), finding.space), (Some(start as u64), Space::File));
    let text = format!(
        "tile: frame 0, t=10, views 0,1: SMOKE: tile 4,0 is outside the hex map of radius 3 (at byte {start})"
    );
    assert_eq!(finding.to_string(), text);

    let many: Vec<u8> = frames.repeat(30);
    let packed = write_file(&setup, &many, &WriteOptions::default()).unwrap();
    let found = check(&packed);
    assert_eq!((found.count(Rule::Tile), found.frames, found.messages), (30, 30, 60));
    let last = found.findings().last().unwrap();
    assert_eq!(last.space, Space::UnpackedFrames);
    assert_eq!(last.finding.error.offset(), Some(many.len() as u64 - 3));
    assert!(last.to_string().ends_with("of the unpacked frames)"), "{last}");
}

#[test]
fn frames_break_the_rules_that_they_should() {
    let setup = plain_setup(Generation::Current);
    let cases: &[(&[u8], &[Rule])] = &[
        (&[0x80, 1, 0b111, 0, 0x01], &[]),
        (&[0x80, 1, 0b1000, 0, 0x01], &[Rule::AbsentView]),
        (&[0x80, 1, 0, 0, 0x01], &[Rule::NoReceiver]),
        (&[0xFF, 0xFF], &[Rule::KeepaliveBit]),
        (&[0x7F, 0xFF, 0x80], &[Rule::FrameCut]),
    ];
    for (frames, rules) in cases {
        let found = check(&raw_file(&setup, frames));
        let broken = broken_rules(&found);
        assert_eq!(broken, *rules, "{frames:02x?}");
        let errors = rules.iter().any(|rule| rule.severity() == Severity::Error);
        assert_eq!(found.is_ok(), !errors);
    }
    let v01 = plain_setup(Generation::V01);
    let found = check(&raw_file(&v01, &[0, 1, 0, 0b101, 1, 0x01]));
    assert_eq!(found.count(Rule::SpectatorBit), 1);
}

#[test]
fn the_setup_is_checked() {
    let broken = |change: fn(&mut Setup), rule: Rule| {
        let mut setup = plain_setup(Generation::Current);
        let sound = raw_file(&setup, &[]);
        change(&mut setup);
        let bytes = raw_file(&setup, &[]);
        let found = check(&bytes);
        assert_eq!(found.count(rule), 1, "{found:?}");
        assert_eq!(found.findings().len(), 1, "{found:?}");
        // It points at the byte that is another.
        let offset = found.report().findings()[0].error.offset().unwrap() as usize;
        assert_ne!(bytes[offset], sound[offset], "{found:?}");
    };
    broken(|setup| setup.reserved_flags = 0x10, Rule::ReservedValue);
    broken(|setup| setup.max_sub_player = 15, Rule::ReservedValue);
    let city = |name: &[u8], y| gametape_minewars::City {
        at: gametape_minewars::Coord::new(y, 0),
        name: CityName::from(name.to_vec()),
    };
    let mut setup = plain_setup(Generation::Current);
    setup.cities = vec![city(&[1], 0), city(&[1, 48], 0), city(&[], 4)];
    let found = check(&raw_file(&setup, &[]));
    assert_eq!((found.count(Rule::ReservedValue), found.count(Rule::Setup)), (1, 1));
    // Map 74 bytes, positions 6, then `01 01`, `02 01 30`.
    assert_eq!(found.report().findings()[1].error.offset(), Some(48 + 74 + 6 + 4));
    let mut bytes = raw_file(&setup, &[]);
    bytes.push(0);
    assert_eq!(check(&bytes).count(Rule::Trailing), 1);
}

#[test]
fn every_flipped_bit_is_found() {
    for generation in Generation::ALL {
        for compress in [false, true] {
            let whole = sample_file(generation, 12, compress);
            assert!(check(&whole).is_ok());
            let mut bytes = whole.clone();
            for bit in 0..8 * whole.len() {
                bytes[bit / 8] ^= 1 << (bit % 8);
                let sound = ReplayFile::open(&bytes).is_ok_and(|file| verify(&file).is_ok());
                assert!(!sound, "{generation}: bit {} of byte {}", bit % 8, bit / 8);
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }
}

#[test]
fn every_file_that_is_cut_is_found() {
    for generation in Generation::ALL {
        let whole = sample_file(generation, 12, true);
        for length in 0..whole.len() {
            let sound = ReplayFile::open(&whole[..length]).is_ok_and(|file| verify(&file).is_ok());
            assert!(!sound, "{generation}: {length} of {}", whole.len());
        }
    }
}

/// Whatever is in a file, checking it ends: with right checksums nothing stops it early.
#[test]
fn resealed_damage_is_read_to_the_end() {
    for generation in Generation::ALL {
        let whole = sample_file(generation, 6, false);
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let Ok(file) = ReplayFile::open_as(&bytes, Dialect::from(generation)) else { continue };
            let Ok(sealed) = file.with_repaired_checksums() else { continue };
            if let Ok(file) = ReplayFile::open(&sealed) {
                assert_eq!(verify(&file).count(Rule::Checksum), 0);
            }
        }
    }
}

#[test]
fn no_file_can_make_the_list_long() {
    let setup = plain_setup(Generation::Current);
    let mut out = FrameWriter::new(layout(&setup));
    for _ in 0..1500 {
        out.homogenous(1, views(&[0]), &[0x02, 9, 9, 0x08]).unwrap();
        out.heterogenous(1, &[(view(1), &[0x01])]).unwrap();
    }
    let found = check(&raw_file(&setup, &out.into_bytes()));
    assert_eq!((found.count(Rule::Tile), found.count(Rule::ReservedOpcode)), (1500, 1500));
    assert_eq!(found.findings().len(), 2000);
    assert_eq!(found.omitted(Rule::Tile), 500);
    assert_eq!(found.report().errors(), 1500);
    assert_eq!(found.report().warnings(), 1500);
}
