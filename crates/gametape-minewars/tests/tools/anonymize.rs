//! What says who played is gone from every view, and nothing else.

use gametape_minewars::{
    AnonymizeOptions, Dialect, FrameWriter, Generation, Message, Messages, PlayerUpdate,
    ReplayFile, ViewState, anonymize, assemble_payload, verify,
};

use crate::support::{layout, plain_setup, raw_file, sample_file, state, view, views};

fn payload(text: &str, generation: Generation) -> Vec<u8> {
    assemble_payload(text, generation.into()).unwrap().0
}

/// A file in which names are in the setup, in frames of both kinds, and in what players wrote.
fn talkative(generation: Generation) -> Vec<u8> {
    let mut setup = plain_setup(generation);
    if generation == Generation::V01 {
        setup.player_names = Some(vec!["Margarethe".into(), "Al".into()]);
    }
    let mut out = FrameWriter::new(layout(&setup));
    let join = payload("PLAYER 1/0 JOIN \"Margarethe\"\nOWNER 1 0,0", generation);
    out.homogenous(10, views(&[0, 1]), &join).unwrap();
    let chat = payload("PLAYER 2/0 CHAT \"MARGARETHE cheats\"", generation);
    out.homogenous(5, views(&[2]), &chat).unwrap();
    let vote = payload("PLAYER 2/0 VOTENEW 3 \"kick margarethe\"\nSHAKE", generation);
    out.heterogenous(5, &[(view(1), &vote), (view(2), &[0x01])]).unwrap();
    out.homogenous(5, views(&[0]), &[0x01]).unwrap();
    raw_file(&setup, &out.into_bytes())
}

#[test]
fn names_and_talk_are_gone_from_every_view() {
    for generation in Generation::ALL {
        let bytes = talkative(generation);
        let found = anonymize(&ReplayFile::open(&bytes).unwrap(), Default::default()).unwrap();
        let text = String::from_utf8_lossy(&found.bytes).to_lowercase();
        assert!(!text.contains("margarethe"));
        let names = if generation == Generation::V01 { 2 } else { 0 };
        let removed = found.removed;
        assert_eq!((removed.setup_names, removed.joined_names), (names, 1));
        assert_eq!((removed.chat, removed.votes, removed.unreadable), (1, 1, 0));
        let file = ReplayFile::open(&found.bytes).unwrap();
        assert!(verify(&file).is_ok());
        assert_eq!(file.setup().player_names().unwrap(), None);
        // All that is left, at its time.
        let mut expected = FrameWriter::new(file.frame_layout().unwrap());
        let join = payload("PLAYER 1/0 JOIN \"\"\nOWNER 1 0,0", generation);
        expected.homogenous(10, views(&[0, 1]), &join).unwrap();
        expected.idle_until(15).unwrap();
        let vote = payload("PLAYER 2/0 VOTENEW 3 \"\"\nSHAKE", generation);
        expected.heterogenous(5, &[(view(1), &vote), (view(2), &[0x01])]).unwrap();
        expected.homogenous(5, views(&[0]), &[0x01]).unwrap();
        assert_eq!(*file.frames().unwrap().bytes, *expected.as_bytes());
        // Once is enough.
        let again = anonymize(&file, Default::default()).unwrap();
        assert_eq!((again.bytes, again.removed), (found.bytes.clone(), Default::default()));
    }
}

#[test]
fn what_views_know_stays_but_for_names_and_votes() {
    for generation in Generation::ALL {
        let bytes = sample_file(generation, 300, true);
        let file = ReplayFile::open(&bytes).unwrap();
        let found = anonymize(&file, Default::default()).unwrap();
        let again = ReplayFile::open(&found.bytes).unwrap();
        let tiles = |file: &ReplayFile<'_>, who| {
            let setup = file.setup().to_setup().unwrap();
            let frames = file.frames().unwrap().bytes;
            let known: ViewState = state(&setup, &setup.map, &frames, view(who), u64::MAX).state;
            known.tiles().collect::<Vec<_>>()
        };
        for who in 0..=3 {
            assert_eq!(tiles(&file, who), tiles(&again, who));
        }
        assert!(found.removed.joined_names >= 3 && found.removed.chat > 0);
    }
}

#[test]
fn bytes_that_nobody_can_read_do_not_stay() {
    let setup = plain_setup(Generation::Current);
    let mut out = FrameWriter::new(layout(&setup));
    let hidden = [&[0x01, 0x08][..], b"Margarethe"].concat();
    out.homogenous(10, views(&[1]), &hidden).unwrap();
    // A payload for nobody, one for a view that does not exist, and a frame that is cut.
    out.raw(&[&[0x80, 5, 0, 9][..], b"Margarethe"].concat());
    out.raw(&[&[0x80, 5, 0x10, 9][..], b"Margarethe"].concat());
    out.raw(&[&[0x80, 5, 1, 40][..], b"Margarethe"].concat());
    let bytes = [&raw_file(&setup, &out.into_bytes())[..], b"Margarethe"].concat();
    let found = anonymize(&ReplayFile::open(&bytes).unwrap(), Default::default()).unwrap();
    let removed = found.removed;
    // The payloads that no view receives cannot be read either.
    assert_eq!((removed.unreadable, removed.unseen, removed.loose_bytes), (3, 2, 14 + 10));
    assert!(!String::from_utf8_lossy(&found.bytes).contains("Margarethe"));
    let file = ReplayFile::open(&found.bytes).unwrap();
    assert!(verify(&file).is_ok());
    assert_eq!(*file.frames().unwrap().bytes, [0x80, 10, 2, 0, 0x01, 0, 5, 0, 0, 5, 0]);
}

#[test]
fn a_name_in_the_rules_is_found_and_nothing_is_returned() {
    let mut setup = plain_setup(Generation::Current);
    setup.rules = b"host=mArgaReThe;lives=3".to_vec();
    let mut out = FrameWriter::new(layout(&setup));
    let join = payload("PLAYER 1/0 JOIN \"Margarethe\"", Generation::Current);
    out.homogenous(10, views(&[0]), &join).unwrap();
    let bytes = raw_file(&setup, &out.into_bytes());
    let file = ReplayFile::open(&bytes).unwrap();
    let error = anonymize(&file, Default::default()).unwrap_err();
    assert!(error.to_string().contains("\"margarethe\" is still there"), "{error}");
    let options = AnonymizeOptions::default().drop_rules(true);
    let found = anonymize(&file, options).unwrap();
    assert_eq!(found.removed.rules, setup.rules.len() as u64);
    let again = ReplayFile::open(&found.bytes).unwrap();
    assert_eq!(again.setup().rules().unwrap(), []);
    let frames = again.frames().unwrap().bytes;
    let joined = Messages::new(&frames[4..], 0, Dialect::Current).next();
    let Some(Ok(Message::Player { update: PlayerUpdate::Joined { name }, .. })) = joined else {
        panic!("the client still joins");
    };
    assert!(name.0.is_empty());
}
