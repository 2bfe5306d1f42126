//! From one generation to the other: same messages, same times, and every loss is reported.

use gametape_minewars::{
    Dialect, Loss, Losses, ReplayFile, Setup, WriteOptions, assemble_payload, convert, verify,
    write_file,
};
use gametape_minewars::{FrameWriter, Generation};
use gametape_wire::ErrorClass;

use crate::support::{
    end_time, layout, one_frame, open, plain_setup, received, sample, state, view, views,
};

fn assemble(generation: Generation, text: &str) -> Vec<u8> {
    assemble_payload(text, generation.into()).unwrap().0
}

fn other(generation: Generation) -> Generation {
    match generation {
        Generation::V01 => Generation::Current,
        Generation::Current => Generation::V01,
    }
}

/// Converts a payload for `receivers`, and gives the messages of the first of them.
fn converted(from: Generation, receivers: &[u8], text: &str) -> (Vec<String>, Losses) {
    let setup = plain_setup(from);
    let frames = one_frame(&setup, receivers, &assemble(from, text));
    convert_frames(&setup, &frames, receivers[0])
}

fn convert_frames(setup: &Setup, frames: &[u8], receiver: u8) -> (Vec<String>, Losses) {
    let target = other(setup.generation);
    let done = convert(setup, frames, setup.dialect(), target).unwrap();
    let all = received(&done.setup, &done.frames, target.into(), view(receiver));
    assert!(all.iter().all(|(time, _)| *time == 10));
    let mut losses = done.losses;
    // The plain setup has sub ids, which every conversion to v0.1 loses.
    if setup.generation == Generation::Current {
        assert_eq!(losses.count(Loss::SetupPart("player sub ids")), 1);
        losses = losses.iter().filter(|(l, _)| !matches!(l, Loss::SetupPart(_))).collect();
    }
    (all.into_iter().map(|(_, text)| text).collect(), losses)
}

fn counts(losses: &Losses) -> Vec<(Loss, u64)> {
    losses.iter().map(|(loss, counted)| (loss, counted.count)).collect()
}

#[test]
fn what_both_have_stays() {
    let text = "SHAKE\nSMOKE 1,0\nUNSMOKE 1,0\nCITINCOME 0 5 6\nCITRES 0 7\nCITTRADE 0 1 2\n\
                ITEM 0,0 mine\nSTRUCT 0,1 wall\nSTRUCTHP 0,1 4\nBUILDNEW 0,2 tower 300\nBUILD 0,2 1 2\n\
                TILE 1,1 forest\nDIGITS 3*/0,0\nDIGITS 1/0,0 2/0,1\nOWNER 2 0,0 0,1\n\
                PLAYER 1/0 JOIN \"Ana\"\nPLAYER 1/0 VOTENEW 3 \"draw?\"\nPLAYER 2/0 VOTE 3 Y\nPLAYER 2/0 VOTEFAIL 3\n\
                PLAYER 1/0 CHAT \"hi\"\nPLAYER 1/0 RTT 90";
    for generation in Generation::ALL {
        let setup = plain_setup(generation);
        let frames = one_frame(&setup, &[0], &assemble(generation, text));
        let before = received(&setup, &frames, generation.into(), view(0));
        let (after, losses) = convert_frames(&setup, &frames, 0);
        assert_eq!(after, before.into_iter().map(|(_, text)| text).collect::<Vec<_>>());
        assert_eq!(counts(&losses), []);
    }
}

#[test]
fn what_differs_is_said_in_the_words_of_the_other() {
    type Case<'a> = (Generation, &'a [u8], &'a str, &'a [&'a str], &'a [(Loss, u64)]);
    const C: Generation = Generation::Current;
    const V: Generation = Generation::V01;
    let cases: &[Case<'_>] = &[
        (C, &[0], "CITTRANS 0 -50\nCITTRANS 0 0", &["CITSPEND 0 50", "CITSPEND 0 0"], &[]),
        (C, &[0], "CITTRANS 0 -32768", &["CITSPEND 0 32768"], &[]),
        (C, &[0], "CITTRANS 0 1\nSHAKE", &["SHAKE"], &[(Loss::Income, 1)]),
        (V, &[0], "CITSPEND 0 32768", &["CITTRANS 0 -32768"], &[]),
        (V, &[0], "CITSPEND 0 0", &["CITTRANS 0 0"], &[]),
        (V, &[0], "CITSPEND 0 65535", &["CITTRANS 0 -32768", "CITTRANS 0 -32767"], &[]),
        (C, &[1], "FLAG 1 0,0\nFLAG 0 0,0", &["FLAG 0,0", "UNFLAG 0,0"], &[]),
        (C, &[2], "FLAG 1 0,0", &["FLAG 0,0"], &[(Loss::FlagOwner, 1)]),
        (C, &[0, 1], "FLAG 1 0,0", &["FLAG 0,0"], &[(Loss::FlagOwner, 1)]),
        (V, &[1], "FLAG 0,0\nUNFLAG 0,0", &["FLAG 1 0,0", "FLAG 0 0,0"], &[]),
        (V, &[0, 2], "FLAG 0,0", &["FLAG 2 0,0"], &[]),
        (V, &[0], "FLAG 0,0", &[], &[(Loss::UnclaimedFlag, 1)]),
        (V, &[0, 1, 2], "FLAG 0,0", &[], &[(Loss::UnclaimedFlag, 1)]),
        (
            V,
            &[0],
            "EXPLODE 0,0 0,1\nTILE 0,1 destroyed\nSHAKE",
            &["EXPLODE 0,0", "EXPLODE 0,1", "TILE 0,0 destroyed", "TILE 0,1 destroyed", "SHAKE"],
            &[],
        ),
        (C, &[0], "EXPLODE 0,0\nTILE 0,0 destroyed", &["EXPLODE 0,0", "TILE 0,0 destroyed"], &[]),
        (
            C,
            &[0],
            "EXPLODE 0,0 0,1\nTILE 0,0 forest\nSHAKE\nTILE 0,1 destroyed",
            &["EXPLODE 0,0", "EXPLODE 0,1", "TILE 0,0 forest", "SHAKE", "TILE 0,1 destroyed"],
            &[(Loss::IntactGround, 2)],
        ),
        (C, &[0], "PLAYER 2 ELIMINATE", &["PLAYER 2/0 ELIMINATE"], &[]),
        (V, &[0], "PLAYER 2/0 ELIMINATE", &["PLAYER 2 ELIMINATE"], &[]),
        (C, &[0], "PLAYER 2 VOTEPASS 1", &["PLAYER 2/0 VOTEPASS 1"], &[]),
        (C, &[0], "PLAYER 2 LEAVE", &["PLAYER 2/0 LEAVE"], &[(Loss::EveryClient("LEAVE"), 1)]),
        (V, &[0], "PLAYER 2/0 VOTE 1 7", &[], &[(Loss::ReservedValue("VOTE"), 1)]),
        (C, &[0], "TILE 0,0 9", &[], &[(Loss::ReservedValue("TILE"), 1)]),
        (C, &[0], "ITEM 0,0 8\nITEM 0,0 7", &["ITEM 0,0 7"], &[(Loss::ReservedValue("ITEM"), 1)]),
        (C, &[0], "DEBUG 1 0,0", &[], &[(Loss::Message("DEBUG"), 1)]),
        (
            C,
            &[0],
            "PLAYER 1 LIVES 3\nPLAYER 1 LIVES 2\nPLAYER 0 TIMELIMIT 9",
            &[],
            &[(Loss::PlayerUpdate("LIVES"), 2), (Loss::PlayerUpdate("TIMELIMIT"), 1)],
        ),
        (C, &[0], "PLAYER 1 TIMEOUT 7000", &["PLAYER 1/0 TIMEOUT 7000"], &[]),
        (
            C,
            &[0],
            "PLAYER 1 TIMEOUT 7100",
            &["PLAYER 1/0 TIMEOUT 7000"],
            &[(Loss::Duration("TIMEOUT"), 1)],
        ),
        (V, &[0], "PLAYER 1/0 RTT 120", &["PLAYER 1/0 RTT 120"], &[]),
    ];
    for (from, receivers, text, expected, losses) in cases {
        let (messages, lost) = converted(*from, receivers, text);
        assert_eq!(messages, *expected, "{text}");
        assert_eq!(counts(&lost), *losses, "{text}");
    }
}

#[test]
fn a_flag_is_the_one_players_who_is_told_of_it_in_the_same_frame() {
    let setup = plain_setup(Generation::V01);
    let flag = assemble(Generation::V01, "FLAG 0,0");
    let both = assemble(Generation::V01, "SHAKE\nFLAG 0,0");
    let mut out = FrameWriter::new(layout(&setup));
    out.heterogenous(10, &[(view(0), &both), (view(2), &flag)]).unwrap();
    let frames = out.into_bytes();
    assert_eq!(convert_frames(&setup, &frames, 0).0, ["SHAKE", "FLAG 2 0,0"]);
    assert_eq!(convert_frames(&setup, &frames, 2).0, ["FLAG 2 0,0"]);
}

#[test]
fn unreadable_and_unseen_bytes_are_counted() {
    let setup = plain_setup(Generation::Current);
    let stream = [
        &[0x80, 10, 0b001, 2, 0x01, 0x08, 0x01][..],
        &[0x80, 0, 0b1000, 0, 0x01],
        &[0x80, 0, 0, 0, 0x01],
        &[0x80],
    ]
    .concat();
    let (messages, losses) = convert_frames(&setup, &stream, 0);
    assert_eq!(messages, ["SHAKE"]);
    let expected = [(Loss::UnreadablePayload, 1), (Loss::UnseenPayload, 2), (Loss::CutFrame, 1)];
    assert_eq!(counts(&losses), expected);
    let text = losses.to_string();
    assert!(
        text.contains("1 × ends of payloads that cannot be read (first at t=10, view 0)"),
        "{text}"
    );
}

#[test]
fn a_message_that_no_frame_of_v01_can_hold_is_left_out() {
    let setup = plain_setup(Generation::Current);
    let mut payload = vec![0x00, 0x01, 0x10, 252];
    payload.extend([b'x'; 252]);
    let frames = one_frame(&setup, &[0], &payload);
    let (messages, losses) = convert_frames(&setup, &frames, 0);
    assert_eq!((messages.len(), counts(&losses)), (0, vec![(Loss::LongMessage("CHATALL"), 1)]));
}

#[test]
fn more_than_six_players_are_refused() {
    let mut setup = plain_setup(Generation::Current);
    setup.max_player = 7;
    let error = convert(&setup, &[], setup.dialect(), Generation::V01).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Misuse);
    assert!(convert(&setup, &[], setup.dialect(), Generation::Current).is_ok());
}

#[test]
fn within_a_generation_frames_stay_byte_for_byte() {
    let setup = plain_setup(Generation::Current);
    let odd = [0xFF, 0xFF, 0x80, 1, 0x10, 0, 0x08, 0x80];
    let same = convert(&setup, &odd, setup.dialect(), Generation::Current).unwrap();
    assert_eq!((same.setup, &same.frames[..], same.losses.is_empty()), (setup, &odd[..], true));
}

#[test]
fn times_survive_keepalives_and_the_end() {
    for generation in Generation::ALL {
        let setup = plain_setup(generation);
        let mut out = FrameWriter::new(layout(&setup));
        out.moment(200_000, &[(view(1), &[0x01])], |_, _| 0).unwrap();
        out.idle_until(333_333).unwrap();
        let target = other(generation);
        let done = convert(&setup, &out.into_bytes(), setup.dialect(), target).unwrap();
        assert_eq!(end_time(&done.setup, &done.frames), 333_333);
        let all = received(&done.setup, &done.frames, target.into(), view(1));
        assert_eq!(all, [(200_000, "SHAKE".to_owned())]);
    }
}

/// There and back: every view knows the same of all tiles and cities.
#[test]
fn v01_and_back_is_the_same_on_every_tile() {
    for seed in 1..5 {
        let (setup, frames) = sample(Generation::V01, 200, seed);
        let there = convert(&setup, &frames, Dialect::V01, Generation::Current).unwrap();
        assert_eq!(counts(&there.losses), [(Loss::SetupPart("player names"), 1)]);
        let bytes = write_file(&there.setup, &there.frames, &WriteOptions::default()).unwrap();
        assert!(
            verify(&ReplayFile::open(&bytes).unwrap()).count(gametape_minewars::Rule::Tile) == 0
        );
        let back = convert(&there.setup, &there.frames, Dialect::Current, Generation::V01).unwrap();
        let mut renamed = back.setup.clone();
        renamed.player_names = setup.player_names.clone();
        assert_eq!(renamed, setup);
        for who in 0..=3 {
            let end = |setup: &Setup, frames| state(setup, &setup.map, frames, view(who), u64::MAX);
            let (before, after) =
                (end(&setup, &frames).state, end(&back.setup, &back.frames).state);
            assert_eq!(before.changed_tiles(&after).unwrap().count(), 0, "view {who}");
            assert!(before.cities().eq(after.cities()));
        }
    }
}

#[test]
fn converted_samples_are_sound() {
    for seed in 1..5 {
        let (setup, frames) = sample(Generation::Current, 300, seed);
        let done = convert(&setup, &frames, Dialect::Current, Generation::V01).unwrap();
        for dictionary in [false, true] {
            let options = WriteOptions::new().with_dictionary(dictionary);
            let bytes = write_file(&done.setup, &done.frames, &options).unwrap();
            let found = verify(&ReplayFile::open(&bytes).unwrap());
            assert!(found.is_ok(), "{:?}", found.findings().next());
            assert_eq!(open(&bytes), (done.setup.clone(), done.frames.clone()));
        }
    }
}

#[test]
fn views_that_shared_a_frame_still_do() {
    let setup = plain_setup(Generation::Current);
    let frames = one_frame(&setup, &[0, 1, 2], &assemble(Generation::Current, "OWNER 1 0,0"));
    let done = convert(&setup, &frames, Dialect::Current, Generation::V01).unwrap();
    assert_eq!(done.frames, one_frame(&done.setup, &[0, 1, 2], &[0x88, 0, 0]));
    assert_eq!(views(&[0, 1, 2]).len(), 3);
}
