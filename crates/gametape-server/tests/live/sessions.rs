//! Publishers and spectators over sockets: who watches has what the source has.

use gametape_live::{Join, Notice, StartAt};
use gametape_wire::{Tick, ViewSet};

use super::common::{
    Ended, Publishing, Socket, Watching, finish, open_policy, play, play_one, start, wait_for,
};
use super::toy::{Match, Plan, name, received, view, views};

fn plan(seed: u64) -> Plan {
    Plan { ticks: 60, events: true, extras: true, ..Plan::small(seed) }
}

/// A tape has for each view the payloads of the source from a tick on, and nothing else.
pub(crate) fn assert_equals(source: &Match, tape: &[u8], seen: ViewSet, from: u64) {
    let journal = source.journal();
    for view in ViewSet::ALL.iter() {
        let expected: Vec<(u64, Vec<u8>)> = match seen.contains(view) {
            true => {
                let all = received(&journal, view).into_iter();
                all.filter(|(tick, _)| *tick >= from).collect()
            }
            false => Vec::new(),
        };
        assert_eq!(received(tape, view), expected, "view {view}");
    }
    assert!(gametape_tape::Tape::open(tape).unwrap().is_finished());
}

#[test]
fn a_spectator_over_a_websocket_has_what_the_source_has() {
    let server = start(open_policy());
    let source = plan(1).play();
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    let sets = [views(&[0]), views(&[2]), views(&[0, 1, 2])];
    let join = |seen| Watching::new(Join::new(name(), seen), Socket::connect(server.address));
    let mut watching: Vec<_> = sets.map(join).into();
    play(&source, &mut publishing, &mut watching);
    for (one, seen) in watching.iter().zip(sets) {
        assert_equals(&source, &one.tape, seen, 0);
        let losses = one.notices.iter().filter(|notice| matches!(notice, Notice::Lost { .. }));
        assert_eq!(losses.count(), 0);
    }
    assert_eq!(server.logged("event=joined"), 3);
}

#[test]
fn a_publisher_that_is_cut_off_goes_on_and_sends_nothing_twice() {
    let server = start(open_policy());
    let source = plan(2).play();
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    let mut watching =
        vec![Watching::new(Join::new(name(), source.views), Socket::connect(server.address))];
    let mut sent = 0;
    for tick in 0..source.pieces.len() {
        play_one(&source, tick, &mut publishing, &mut watching);
        if tick % 20 == 19 {
            sent += publishing.sent;
            let publisher = publishing.lose();
            publishing = Publishing::new(publisher, Socket::connect(server.address));
        }
    }
    finish(&mut publishing, &mut watching);
    sent += publishing.sent;
    assert_equals(&source, &watching[0].tape, source.views, 0);
    let mut alone = source.publisher();
    let link = alone.connect_all(std::time::Duration::ZERO);
    let mut once = 0;
    for piece in &source.pieces {
        alone.follow(piece, std::time::Duration::ZERO).unwrap();
        once += alone.poll(link, std::time::Duration::ZERO, usize::MAX).len();
    }
    // The newest mark of each view is repeated on each connection.
    assert!(sent <= once + 3 * source.views.len(), "{sent} of {once}");
}

#[test]
fn a_spectator_that_is_cut_off_goes_on() {
    let server = start(open_policy());
    let source = plan(3).play();
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    let mut watching =
        vec![Watching::new(Join::new(name(), views(&[1, 2])), Socket::connect(server.address))];
    for tick in 0..source.pieces.len() {
        play_one(&source, tick, &mut publishing, &mut watching);
        if tick % 13 == 12 {
            watching[0].connect(Socket::connect(server.address));
        }
    }
    finish(&mut publishing, &mut watching);
    assert_equals(&source, &watching[0].tape, views(&[1, 2]), 0);
    let begun = watching[0].notices.iter().filter(|notice| matches!(notice, Notice::Began { .. }));
    assert_eq!(begun.count(), 1, "it is one tape");
}

#[test]
fn who_joins_late_begins_with_the_newest_group_and_can_go_back() {
    let server = start(open_policy());
    let source = plan(4).play();
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    for tick in 0..40 {
        play_one::<_, Socket>(&source, tick, &mut publishing, &mut []);
    }
    wait_for("what was sent", || {
        publishing.step();
        (server.get("/live/m1/0/now").json()["tick"].as_i64() >= Some(38)).then_some(())
    });
    let watch = || Watching::new(Join::new(name(), views(&[0])), Socket::connect(server.address));
    let mut watching = vec![watch()];
    let began = wait_for("the begin", || {
        publishing.step();
        watching[0].step().unwrap();
        watching[0].notices.iter().find_map(|notice| match notice {
            Notice::Began { tick } => Some(tick.0),
            _ => None,
        })
    });
    assert_eq!(began % 6, 0);
    assert!((30..40).contains(&began), "{began}");
    let seek = watching[0].spectator.seek(StartAt::Tick(Tick(8)));
    super::common::Wire::send(watching[0].wire.as_mut().unwrap(), &seek);
    for tick in 40..source.pieces.len() {
        play_one(&source, tick, &mut publishing, &mut watching);
    }
    finish(&mut publishing, &mut watching);
    assert_equals(&source, &watching[0].tape, views(&[0]), 6);
}

#[test]
fn a_server_that_stops_tells_everybody() {
    let mut server = start(open_policy());
    let source = plan(5).play();
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    let mut one = Watching::new(Join::new(name(), views(&[0])), Socket::connect(server.address));
    publishing.follow(&source.pieces[0]);
    wait_for("a seat", || {
        one.step().unwrap();
        (!one.notices.is_empty()).then_some(())
    });
    server.stop();
    let end = |ended: Result<(), Ended>| ended.err();
    assert_eq!(wait_for("the end", || end(one.step())), Ended(Some(1001)));
    assert_eq!(wait_for("the end", || end(publishing.try_step())), Ended(Some(1001)));
}

#[test]
fn a_second_publisher_of_a_match_takes_over_and_another_match_of_the_name_is_refused() {
    let server = start(open_policy());
    let source = plan(6).play();
    let mut first = Publishing::new(source.publisher(), Socket::connect(server.address));
    first.follow(&source.pieces[0]);
    let mut second = Publishing::new(source.publisher(), Socket::connect(server.address));
    wait_for("the end of the first", || first.try_step().err());
    let other = gametape_live::Publisher::new(
        name(),
        gametape_tape::TapeHeader::new(super::toy::TICK, 7),
        "{}",
        views(&[0]),
        usize::MAX,
    );
    let refused = Publishing::try_new(other.unwrap(), Socket::connect(server.address));
    assert!(matches!(refused, Err(gametape_live::Refusal::TooMany)));
    let mut watching =
        vec![Watching::new(Join::new(name(), views(&[0])), Socket::connect(server.address))];
    play(&source, &mut second, &mut watching);
    assert_equals(&source, &watching[0].tape, ViewSet::EMPTY.with(view(0)), 0);
}

#[test]
fn tapes_of_matches_are_finished_with_all_views_also_where_the_server_stops_before() {
    let (sender, kept) = std::sync::mpsc::channel();
    let sender = std::sync::Mutex::new(sender);
    let keep = move |finished: gametape_server::live::Finished| {
        let tape = std::fs::read(finished.tape.path()).unwrap();
        sender.lock().unwrap().send((finished.name, tape, finished.is_whole)).unwrap();
    };
    // Nobody may see anything of it, and the tape has all of it.
    let key = super::http::key();
    let trusted = vec![key.public_key()];
    let policy = gametape_server::live::Policy { public: ViewSet::EMPTY, trusted, ..open_policy() };
    let mut server = super::common::start_with(policy, super::common::limits(), |live| {
        live.with_keep(std::sync::Arc::new(keep))
    });
    let source = plan(7).play();
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    play::<_, Socket>(&source, &mut publishing, &mut []);
    let (of, tape, is_whole) = wait_for("the tape", || {
        publishing.step();
        kept.try_recv().ok()
    });
    assert_eq!((of, is_whole), (name(), true));
    assert_equals(&source, &tape, source.views, 0);
    let second: gametape_live::MatchName = "m2".parse().unwrap();
    let other = gametape_live::Publisher::new(
        second.clone(),
        source.header,
        super::toy::METADATA,
        source.views,
        usize::MAX,
    );
    let mut half = Publishing::new(other.unwrap(), Socket::connect(server.address));
    for tick in 0..30 {
        super::common::play_one::<_, Socket>(&source, tick, &mut half, &mut []);
    }
    let (views, classes) = (source.views, gametape_live::Classes::ALL);
    let grant = gametape_live::Grant { views, classes, delay: 0 };
    let pass = gametape_live::Pass::sign(second, grant, 4_000_000_000, &key);
    wait_for("what was sent", || {
        half.step();
        let now = server.get(&format!("/live/m2/0/now?pass={pass}")).json();
        (now["tick"].as_i64() >= Some(28)).then_some(())
    });
    server.stop();
    let (of, tape, is_whole) = kept.recv().unwrap();
    assert_eq!((of.as_str(), is_whole), ("m2", false));
    assert!(gametape_tape::Tape::open(&tape).unwrap().is_finished());
    assert!(kept.try_recv().is_err(), "each once");
}
