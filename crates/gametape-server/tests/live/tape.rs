//! A tape of this machine that is broadcast while it grows.

use gametape_live::{Join, Notice, StartAt};
use gametape_server::live::LiveLimits;
use gametape_wire::Tick;

use super::common::{Socket, Watching, Wire, limits, open_policy, start_with, wait_for};
use super::sessions::assert_equals;
use super::toy::{Plan, name, views};

#[test]
fn who_goes_back_gets_what_memory_has_no_more_from_the_tape() {
    let source = Plan { ticks: 400, events: true, extras: true, ..Plan::small(21) }.play();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("live.tape");
    std::fs::write(&path, source.pieces[..300].concat()).unwrap();
    let few = LiveLimits { window: 2 << 10, ..limits() };
    let server = start_with(open_policy(), few, |live| live.with_tape(name(), path.clone()));
    wait_for("the match", || (server.get("/live/m1/0/delta/13").status == 200).then_some(()));
    let mut watching =
        Watching::new(Join::new(name(), views(&[0, 2])), Socket::connect(server.address));
    let began = wait_for("the begin", || {
        watching.step().unwrap();
        watching.notices.iter().find_map(|notice| match notice {
            Notice::Began { tick } => Some(tick.0),
            _ => None,
        })
    });
    assert!(began > 250, "{began}");
    let seek = watching.spectator.seek(StartAt::Tick(Tick::ZERO));
    watching.wire.as_mut().unwrap().send(&seek);
    // What is asked for comes while the match goes on.
    std::fs::write(&path, source.journal()).unwrap();
    wait_for("the end", || {
        watching.step().unwrap();
        watching.is_over().then_some(())
    });
    assert_equals(&source, &watching.tape, views(&[0, 2]), 0);
    let losses = watching.notices.iter().filter(|notice| matches!(notice, Notice::Lost { .. }));
    assert_eq!(losses.count(), 0);
}
