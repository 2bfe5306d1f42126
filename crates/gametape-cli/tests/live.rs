//! A match that is played, published, served and watched by real processes over loopback: what spectators keep is
//! what was recorded.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod running;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use running::{
    Running, assert_kept, content, folder, none_for_upgrades, proxy, serve, wait_for_file,
    wait_for_match,
};

/// A match of half a minute in three seconds.
fn record(folder: &Path, more: &str) -> Running {
    record_ticks(folder, 600, more)
}

fn record_ticks(folder: &Path, ticks: u32, more: &str) -> Running {
    let line = format!("record --live --speed 10 --seed 5 --ticks {ticks}{more} source.tape");
    Running::start(folder, &line)
}

#[test]
fn two_spectators_one_of_whom_comes_late_and_rewinds_have_the_source() {
    let (_kept, folder) = folder();
    let (_server, address) = serve(&folder, "127.0.0.1:0");
    let game = record(&folder, &format!(" --to http://{address}/ --match finals"));
    let watch = |save: &str| {
        let line = format!("watch --json --at start --save {save} ws://{address}/?match=finals");
        Running::start(&folder, &line)
    };
    wait_for_match(address);
    let first = watch("first.tape");
    first.shows(100);
    let late = watch("late.tape");
    late.line(|line| line == r#"{"what":"began","tick":0}"#);
    assert_eq!(game.code(), Some(0));
    assert_kept(first, &folder, "first.tape", &[0, 1, 2]);
    assert_kept(late, &folder, "late.tape", &[0, 1, 2]);
}

#[test]
fn a_publisher_that_is_killed_and_begun_again_loses_nothing() {
    let (_kept, folder) = folder();
    let (_server, address) = serve(&folder, "127.0.0.1:0");
    let game = record(&folder, "");
    wait_for_file(&folder.join("source.tape"));
    let publish = format!("publish source.tape --to http://{address}/ --match finals");
    let publisher = Running::start(&folder, &publish);
    wait_for_match(address);
    let watch = format!("watch --json --at start --save kept.tape ws://{address}/");
    let spectator = Running::start(&folder, &watch);
    spectator.shows(60);
    publisher.kill();
    let publisher = Running::start(&folder, &publish);
    assert_eq!(game.code(), Some(0));
    assert_eq!(publisher.code(), Some(0));
    assert_kept(spectator, &folder, "kept.tape", &[0, 1, 2]);
}

#[test]
fn connections_that_are_cut_cost_nothing() {
    let (_kept, folder) = folder();
    let (_server, address) = serve(&folder, "127.0.0.1:0");
    let publishing = proxy(address, |_| Some(6_000));
    let watching = proxy(address, |_| Some(5_000));
    let game = record(&folder, &format!(" --to ws://{publishing}/ --match finals"));
    wait_for_match(address);
    let watch = format!("watch --json --at start --save kept.tape ws://{watching}/?match=finals");
    let spectator = Running::start(&folder, &watch);
    spectator.line(|line| line.contains(r#""what":"disconnected""#));
    assert_eq!(game.code(), Some(0));
    assert_kept(spectator, &folder, "kept.tape", &[0, 1, 2]);
}

#[test]
fn a_server_that_is_killed_and_begun_again_gets_everything_again() {
    let (_kept, folder) = folder();
    let (server, address) = serve(&folder, "127.0.0.1:0");
    let game = record(&folder, &format!(" --to http://{address}/ --match finals"));
    wait_for_match(address);
    let watch = format!("watch --json --at start --save kept.tape ws://{address}/?match=finals");
    let spectator = Running::start(&folder, &watch);
    spectator.shows(60);
    server.kill();
    let (_server, _) = serve(&folder, &address.to_string());
    assert_eq!(game.code(), Some(0));
    assert_kept(spectator, &folder, "kept.tape", &[0, 1, 2]);
}

#[test]
fn segments_are_what_is_left_where_nothing_else_passes() {
    let (_kept, folder) = folder();
    let (_server, address) = serve(&folder, "127.0.0.1:0");
    // Who follows files expects one in each second, whatever the speed: there are few of them.
    let game = record_ticks(&folder, 240, &format!(" --to ws://{address}/ --match finals"));
    wait_for_match(address);
    let narrow = proxy(address, none_for_upgrades);
    let watch =
        format!("watch --json --at start --view 0 --save kept.tape http://{narrow}/?match=finals");
    let spectator = Running::start(&folder, &watch);
    spectator.line(|line| line == r#"{"what":"connected","transport":"segments"}"#);
    assert_eq!(game.code(), Some(0));
    assert_kept(spectator, &folder, "kept.tape", &[0]);
}

#[test]
fn who_stops_reading_the_lines_still_gets_the_tape() {
    let (_kept, folder) = folder();
    let (_server, address) = serve(&folder, "127.0.0.1:0");
    let game = record(&folder, &format!(" --to http://{address}/ --match finals"));
    wait_for_match(address);
    let mut command = Command::new(env!("CARGO_BIN_EXE_gametape"));
    let line = format!("watch --json --at start --save kept.tape ws://{address}/?match=finals");
    let command = command.current_dir(&folder).args(line.split(' '));
    let mut spectator =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(spectator.stdout.take());
    assert_eq!(game.code(), Some(0));
    assert_eq!(spectator.wait().unwrap().code(), Some(0));
    assert_eq!(content(&folder, "kept.tape", 1), content(&folder, "source.tape", 1));
}

#[test]
fn standard_input_is_published_to_its_end() {
    let (_kept, folder) = folder();
    let (_server, address) = serve(&folder, "127.0.0.1:0");
    let program = env!("CARGO_BIN_EXE_gametape");
    let line = "record --speed max --seed 5 --ticks 600 source.tape";
    let recorded = Command::new(program).current_dir(&folder).args(line.split(' ')).status();
    assert!(recorded.unwrap().success());
    let input = fs::File::open(folder.join("source.tape")).unwrap();
    let line = format!("publish - --to http://{address}/ --match finals");
    let mut publish = Command::new(program);
    let publish = publish.current_dir(&folder).args(line.split(' ')).stdin(input).output().unwrap();
    assert!(publish.status.success(), "{}", String::from_utf8_lossy(&publish.stderr));
    let watch = format!("watch --json --at start --save kept.tape ws://{address}/");
    assert_kept(Running::start(&folder, &watch), &folder, "kept.tape", &[0, 1, 2]);
}

#[test]
fn who_may_not_publish_or_watch_is_refused_at_once() {
    let (_kept, folder) = folder();
    let keygen = Command::new(env!("CARGO_BIN_EXE_gametape"))
        .current_dir(&folder)
        .args(["keygen", "league"])
        .status();
    assert!(keygen.unwrap().success());
    let line = "serve --public none --trust league.pub --listen 127.0.0.1:0";
    let server = Running::start(&folder, line);
    let address = server.line(|line| line.starts_with("http://"));
    assert_eq!(record(&folder, &format!(" --to {address} --match finals")).code(), Some(1));
    let watch = format!("watch --json --match finals {address}").replace("http://", "ws://");
    assert_eq!(Running::start(&folder, &watch).code(), Some(1));
    assert!(folder.join("source.tape").exists(), "the recording itself is fine");
}
