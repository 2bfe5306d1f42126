//! Segments: the same files for everybody, and the view tape again at the end.

use std::time::Duration;

use gametape_live::{
    Message, Notice, SegmentFile, SegmentFollower, Segmenter, Shared, StartAt, Stored, entry_of,
};
use gametape_tape::{Level, Tape, cut_bytes, verify_bytes};
use gametape_wire::{Tick, View};

use super::common::{Dice, Match, Plan, received, view, views};

const NOW: Duration = Duration::ZERO;

/// A segmenter that has a part of a match, received in another order than it was sent.
fn segmenter(source: &Match, of: View, pieces: usize, seed: u64) -> Segmenter {
    let mut publisher = source.publisher();
    let announce = publisher.announce();
    let Message::Announce(announce) = Message::read(&announce).unwrap() else { panic!() };
    let mut segmenter = Segmenter::new(&announce, of).unwrap();
    let link = publisher.connect_all(NOW);
    let mut dice = Dice::new(seed);
    let mut waiting: Vec<Shared> = Vec::new();
    for piece in &source.pieces[..pieces] {
        publisher.follow(piece, NOW).unwrap();
        waiting.extend(publisher.poll(link, NOW, usize::MAX).into_iter().map(|out| out.bytes));
        while waiting.len() > if seed == 0 { 0 } else { 12 } {
            let at = if seed == 0 { 0 } else { dice.below(waiting.len() as u64) as usize };
            segmenter.receive(&waiting.remove(at), NOW).unwrap();
        }
    }
    waiting.iter().for_each(|bytes| segmenter.receive(bytes, NOW).unwrap());
    segmenter
}

fn plan(seed: u64) -> Plan {
    Plan { ticks: 130, spacing: 15, events: true, extras: true, ..Plan::small(seed) }
}

const ALL: Option<Tick> = Some(Tick::MAX);

fn file(segmenter: &Segmenter, file: SegmentFile, released: Option<Tick>) -> Option<Vec<u8>> {
    match file {
        SegmentFile::Now => Some(serde_json::to_vec(&segmenter.now(released)).unwrap()),
        SegmentFile::Init => Some(segmenter.init(released)?.to_vec()),
        SegmentFile::Keyframe(slot) => {
            let parts = segmenter.keyframe(slot, released)?;
            Some(parts.into_iter().flat_map(|part| part.into_here().unwrap().to_vec()).collect())
        }
        SegmentFile::Delta(slot) => {
            Some(segmenter.delta(slot, released)?.into_here().unwrap().to_vec())
        }
        SegmentFile::End => Some(segmenter.end(released)?.to_vec()),
        SegmentFile::Entry => {
            let whole = |parts: Vec<Stored>| -> Vec<u8> {
                parts.into_iter().flat_map(|part| part.into_here().unwrap().to_vec()).collect()
            };
            let (_, files) = segmenter.entry(released)?;
            Some(entry_of(&files.into_iter().map(whole).collect::<Vec<_>>()))
        }
    }
}

/// Every file of a finished match.
fn files(segmenter: &Segmenter) -> Vec<Vec<u8>> {
    let last = segmenter.now(ALL).slot as u64;
    let slots = (0..=last).map(SegmentFile::Delta);
    let list = [SegmentFile::Init].into_iter().chain(slots).chain([SegmentFile::End]);
    list.map(|name| file(segmenter, name, ALL).unwrap()).collect()
}

#[test]
fn all_files_together_are_the_view_tape_on_every_relay() {
    for seed in 0..6 {
        let source = plan(seed).play();
        for of in [view(0), view(2)] {
            let one = segmenter(&source, of, source.pieces.len(), 0);
            let other = segmenter(&source, of, source.pieces.len(), 77 + seed);
            assert_eq!(files(&one), files(&other));
            let tape = files(&one).concat();
            let verified = verify_bytes(&tape, Level::Chain, None).unwrap();
            assert!(verified.passed(), "{:?}", verified.report);
            assert_eq!(received(&tape, of), received(&source.journal(), of));
        }
    }
    let source = Plan { ticks: 130, ..Plan::small(8) }.play();
    let seen = views(&[1]);
    let tape = files(&segmenter(&source, view(1), source.pieces.len(), 0)).concat();
    let [again, cut] =
        [tape, source.journal()].map(|tape| cut_bytes(&tape, seen, 7).unwrap().bytes);
    assert!(again == cut, "a cut of both gives the same tape");
}

#[test]
fn a_slot_does_not_exist_before_it_is_released() {
    let source = plan(3).play();
    let whole = segmenter(&source, view(1), source.pieces.len(), 0);
    for released in (0u64..140).step_by(3) {
        let last = (i64::try_from(released).unwrap() + 1) / 20 - 1;
        let pieces = (released as usize + 2).min(131);
        let released = Some(Tick(released));
        let now = whole.now(released);
        assert_eq!(
            (now.slot, now.over),
            if released >= Some(Tick(130)) { (6, true) } else { (last, false) }
        );
        for slot in 0..10 {
            let exists = slot <= now.slot;
            let slot = slot as u64;
            assert_eq!(whole.delta(slot, released).is_some(), exists);
            assert_eq!(whole.keyframe(slot, released).is_some(), exists);
        }
        assert_eq!(whole.end(released).is_some(), now.over);
        // What exists is what a relay has that knows no more.
        let part = segmenter(&source, view(1), pieces, 0);
        if released < Some(Tick(129)) {
            assert_eq!(part.now(released), now);
            for slot in 0..=now.slot {
                assert_eq!(part.delta(slot as u64, released), whole.delta(slot as u64, released));
                assert_eq!(
                    part.keyframe(slot as u64, released),
                    whole.keyframe(slot as u64, released)
                );
            }
        }
    }
    assert_eq!(whole.init(None), None);
    assert_eq!((whole.now(None).slot, whole.now(None).tick), (-1, -1));
}

/// Follows the files of a match that grows; some are not there now and then.
fn follow(source: &Match, from: StartAt, bad: u64, lost: &[u64]) -> (Vec<u8>, Vec<Notice>) {
    let mut follower = SegmentFollower::new(view(2), from);
    let mut dice = Dice::new(bad);
    let (mut tape, mut notices) = (Vec::new(), Vec::new());
    for step in 0..4000u64 {
        let now = Duration::from_millis(step * 50);
        let pieces = (step as usize + 1).min(source.pieces.len());
        if step % 10 != 0 {
            continue;
        }
        let segmenter = segmenter(source, view(2), pieces, 0);
        let mut asked = follower.poll(now);
        if dice.percent(50) {
            asked.reverse();
        }
        while let Some(name) = asked.pop() {
            let is_lost = matches!(name, SegmentFile::Delta(slot) if lost.contains(&slot));
            let is_missing = is_lost || dice.percent(bad);
            let bytes = if is_missing { None } else { file(&segmenter, name, ALL) };
            follower.answer(name, bytes.as_deref(), now).unwrap();
            if asked.is_empty() {
                asked = follower.poll(now);
            }
        }
        tape.extend(follower.take_tape());
        notices.extend(follower.notices());
        if follower.is_over() {
            tape.extend(follower.take_tape());
            return (tape, notices);
        }
    }
    panic!("it never ends: {:?} {notices:?}", follower.poll(Duration::from_secs(4000)));
}

#[test]
fn who_follows_from_the_start_has_the_view_tape_byte_for_byte() {
    let source = plan(5).play();
    let whole = files(&segmenter(&source, view(2), source.pieces.len(), 0)).concat();
    for bad in [0, 10, 25] {
        let (tape, notices) = follow(&source, StartAt::Tick(Tick::ZERO), bad, &[]);
        let is_lost = notices.iter().any(|notice| matches!(notice, Notice::Lost { .. }));
        assert!(is_lost || tape == whole, "{} and {} bytes", tape.len(), whole.len());
        assert!(bad > 20 || !is_lost);
    }
}

#[test]
fn who_joins_late_begins_with_a_keyframe_and_who_misses_a_slot_says_so() {
    let source = plan(6).play();
    let (tape, notices) = follow(&source, StartAt::Tick(Tick(70)), 0, &[]);
    // Followed while it grows, the newest slot is the first.
    assert!(matches!(notices[0], Notice::Began { .. }), "{notices:?}");
    assert!(verify_bytes(&tape, Level::Chain, None).unwrap().passed());
    let (tape, notices) = follow(&source, StartAt::Tick(Tick::ZERO), 0, &[2]);
    let lost = notices.iter().find_map(|notice| match notice {
        Notice::Lost { first, last, .. } => Some((*first, *last)),
        _ => None,
    });
    let (first, last) = lost.unwrap();
    assert_eq!(first, Tick(40));
    let verified = verify_bytes(&tape, Level::Chain, None).unwrap();
    assert!(verified.passed(), "{:?}", verified.report);
    let all = received(&source.journal(), view(2));
    let kept: Vec<_> =
        all.into_iter().filter(|(tick, _)| !(first..=last).contains(&Tick(*tick))).collect();
    assert_eq!(received(&tape, view(2)), kept);
    assert_eq!(Tape::open(&tape).unwrap().views(), views(&[2]));
}

/// A match of 60 s that is released tick by tick; it pauses for 5 s at the tick `pause`. Gives what was asked for while
/// it was live, and how late each slot was shown at most.
fn follow_in_real_time(pause: u64) -> (Vec<SegmentFile>, Duration) {
    let source = Plan { ticks: 1200, ..plan(7) }.play();
    let segmenter = segmenter(&source, view(2), source.pieces.len(), 0);
    let released = |now: Duration| {
        let tick = now.as_millis() as u64 / 50;
        if tick < pause { tick } else { tick.saturating_sub(100).max(pause) }
    };
    let mut follower = SegmentFollower::new(view(2), StartAt::Tick(Tick::ZERO));
    let (mut files, mut latest) = (Vec::new(), Duration::ZERO);
    for now in (1000..64_000).step_by(10).map(Duration::from_millis) {
        for _ in 0..4 {
            for name in follower.poll(now) {
                files.push(name);
                let bytes = file(&segmenter, name, Some(Tick(released(now))));
                follower.answer(name, bytes.as_deref(), now).unwrap();
            }
        }
        let (shown, whole) =
            (follower.shown().map_or(0, |tick| (tick + 1).0), (released(now) + 1).min(1200));
        let missing = (whole / 20 * 20).saturating_sub(shown);
        if missing > 0 {
            let late = Duration::from_millis((whole - shown - 20) * 50);
            latest = latest.max(late);
        }
    }
    let lost = follower.notices().into_iter().any(|notice| matches!(notice, Notice::Lost { .. }));
    assert!(!lost, "a pause is no loss");
    (files, latest)
}

#[test]
fn who_is_in_step_asks_once_for_each_slot() {
    let (files, latest) = follow_in_real_time(u64::MAX);
    let count = |of: fn(&SegmentFile) -> bool| files.iter().filter(|name| of(name)).count();
    assert!(count(|name| matches!(name, SegmentFile::Delta(_))) <= 63, "{files:?}");
    assert!(count(|name| matches!(name, SegmentFile::Now)) <= 5, "{files:?}");
    assert!(latest <= Duration::from_millis(50), "{latest:?}");
}

#[test]
fn a_pause_of_the_match_costs_requests_and_loses_nothing() {
    let (files, latest) = follow_in_real_time(400);
    let count = |of: fn(&SegmentFile) -> bool| files.iter().filter(|name| of(name)).count();
    assert!(count(|name| matches!(name, SegmentFile::Delta(_))) <= 66, "{files:?}");
    assert!(count(|name| matches!(name, SegmentFile::Now)) <= 30, "{files:?}");
    assert!(latest <= Duration::from_millis(300), "{latest:?}");
}

/// Lets a follower ask for what it needs until it needs nothing more, where some files are not there; what it asked for.
fn satisfy(
    follower: &mut SegmentFollower,
    segmenter: &Segmenter,
    is_there: impl Fn(SegmentFile) -> bool,
) -> Vec<SegmentFile> {
    let mut asked = Vec::new();
    loop {
        let names = follower.poll(NOW);
        if names.is_empty() {
            return asked;
        }
        for name in names {
            let bytes = if is_there(name) { file(segmenter, name, ALL) } else { None };
            follower.answer(name, bytes.as_deref(), NOW).unwrap();
            asked.push(name);
        }
    }
}

#[test]
fn who_joins_live_begins_with_one_file_and_has_what_single_files_give() {
    use SegmentFile::{Delta, Entry, Init, Keyframe, Now};
    let source = Plan { spacing: 50, ..plan(6) }.play();
    // Tick 118 is the last that is over: slot 4 is the last one, and is entered with the keyframe of tick 50.
    let segmenter = segmenter(&source, view(2), 120, 0);
    let follow = |is_there: fn(SegmentFile) -> bool| {
        let mut follower = SegmentFollower::new(view(2), StartAt::Live);
        let asked = satisfy(&mut follower, &segmenter, is_there);
        let (shown, notices) = (follower.shown(), follower.notices());
        (asked, shown, notices, follower.take_tape())
    };
    let (asked, shown, notices, tape) = follow(|_| true);
    assert_eq!((asked, shown), (vec![Entry, Now], Some(Tick(99))));
    assert_eq!(notices[0], Notice::Began { tick: Tick(50) });
    let others = follow(|file| file != Entry);
    assert_eq!(others.0, [Entry, Now, Init, Keyframe(4), Delta(2), Delta(3), Delta(4)]);
    assert!((shown, notices, tape) == (others.1, others.2, others.3));
    // It begins without `now`, too, which is asked for again.
    let mut follower = SegmentFollower::new(view(2), StartAt::Live);
    follower.poll(NOW);
    follower.answer(Entry, file(&segmenter, Entry, ALL).as_deref(), NOW).unwrap();
    assert_eq!((follower.shown(), follower.newest()), (Some(Tick(99)), Some(Tick(99))));
    follower.answer(Now, file(&segmenter, Now, ALL).as_deref(), NOW).unwrap();
    assert_eq!(follower.newest(), Some(Tick(118)));
}

#[test]
fn an_entry_is_of_the_slot_that_is_released() {
    let source = plan(3).play();
    let whole = segmenter(&source, view(1), source.pieces.len(), 0);
    for released in 0..140 {
        let part = segmenter(&source, view(1), (released as usize + 2).min(131), 0);
        let [one, other] =
            [&part, &whole].map(|of| file(of, SegmentFile::Entry, Some(Tick(released))));
        assert!(one == other, "it depends on what is not released: {released}");
        assert_eq!(one.is_some(), whole.now(Some(Tick(released))).slot >= 0);
    }
}

#[test]
fn an_entry_that_is_not_as_it_must_be_is_refused() {
    let source = plan(1).play();
    let [one, two] = [1, 2].map(|of| segmenter(&source, view(of), source.pieces.len(), 0));
    let entry = file(&one, SegmentFile::Entry, ALL).unwrap();
    let wrong = [
        Vec::new(),
        entry[..entry.len() - 1].to_vec(),
        [&entry[..], &[0]].concat(),
        entry_of(&[b"{}"]),
        file(&two, SegmentFile::Entry, ALL).unwrap(),
    ];
    for bytes in wrong {
        let mut follower = SegmentFollower::new(view(1), StartAt::Live);
        follower.poll(NOW);
        assert!(follower.answer(SegmentFile::Entry, Some(&bytes), NOW).is_err());
    }
}

#[test]
fn names_of_files_are_read_as_they_are_written() {
    use SegmentFile::{Delta, End, Entry, Init, Keyframe, Now};
    for file in [Now, Init, End, Entry, Keyframe(0), Delta(17), Delta(u64::MAX)] {
        assert_eq!(file.to_string().parse::<SegmentFile>().unwrap(), file);
    }
    for wrong in [
        "",
        "then",
        "delta",
        "delta/",
        "delta/-1",
        "delta/+1",
        "delta/01",
        "delta/1/2",
        "keyframe/x",
        "/now",
        "entry/1",
        "delta/18446744073709551616",
    ] {
        assert!(wrong.parse::<SegmentFile>().is_err(), "{wrong}");
    }
}

#[test]
fn files_of_others_are_refused() {
    let source = plan(1).play();
    let [one, two] = [1, 2].map(|of| segmenter(&source, view(of), source.pieces.len(), 0));
    let mut follower = SegmentFollower::new(view(1), StartAt::Tick(Tick(0)));
    let asked = follower.poll(NOW);
    assert_eq!(asked, [SegmentFile::Now, SegmentFile::Init]);
    let wrong = file(&two, SegmentFile::Now, ALL);
    assert!(follower.answer(SegmentFile::Now, wrong.as_deref(), NOW).is_err());
    let mut follower = SegmentFollower::new(view(1), StartAt::Tick(Tick(0)));
    for name in follower.poll(NOW) {
        follower.answer(name, file(&one, name, ALL).as_deref(), NOW).unwrap();
    }
    let [SegmentFile::Keyframe(slot)] = follower.poll(NOW)[..] else { panic!() };
    let wrong = file(&two, SegmentFile::Keyframe(slot), ALL);
    assert!(follower.answer(SegmentFile::Keyframe(slot), wrong.as_deref(), NOW).is_err());
}
