//! Games of a Cadre server that are broadcast: who watches has the gamelog that the stream becomes.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use flate2::read::GzDecoder;
use gametape_cadre::{GameAddress, Options, Spectated};
use gametape_live::{Join, StartAt};
use gametape_replay::{Recording, cadre};
use gametape_wire::{Tick, View, ViewSet};

use super::cadre_server::{GAME, Guest, let_in};
use super::common::{Socket, Watching, limits, open_policy, start_with, wait_for};

/// A server that lets one spectator in, and sends it half of a stream; the rest when it is asked to.
fn server(stream: Vec<u8>, rest: Receiver<()>) -> GameAddress {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let Guest { mut socket, mut asked, said } = let_in(&listener);
        assert!(said[1].contains("\"gameName\":\"Move\""), "{said:?}");
        // Within a message in the middle: the first one may be most of all bytes.
        let ends: Vec<usize> = (0..stream.len()).filter(|at| stream[*at] == 4).collect();
        let (first, second) = stream.split_at(ends[ends.len() / 2] + 5);
        socket.write_all(first).unwrap();
        rest.recv().unwrap();
        socket.write_all(second).unwrap();
        // Until the spectator goes.
        let _ = asked.read_to_end(&mut Vec::new());
    });
    format!("tcp://{address}/Move/2").parse().unwrap()
}

/// One watches from the start, one joins in the middle and goes back: both have the whole game.
fn broadcast(stream: &[u8], name: &str) {
    let (go_on, rest) = channel();
    let game = server(stream.to_vec(), rest);
    let running = start_with(open_policy(), limits(), |live| live.with_game(game));
    wait_for("the game", || {
        assert_eq!(running.logged("event=cadre"), 0, "{:?}", running.log.lock().unwrap());
        (running.logged("transport=cadre") == 1).then_some(())
    });
    let watch = |from| {
        let mut join = Join::new(name.parse().unwrap(), ViewSet::EMPTY.with(View::SPECTATOR));
        join.from = from;
        Watching::new(join, Socket::connect(running.address))
    };
    let mut early = watch(StartAt::Tick(Tick::ZERO));
    wait_for("something", || {
        early.step().unwrap();
        early.spectator.shown().map(drop)
    });
    let mut watching = [early, watch(StartAt::Tick(Tick::ZERO)), watch(StartAt::Live)];
    go_on.send(()).unwrap();
    wait_for("the end", || {
        watching.iter_mut().for_each(|one| one.step().unwrap());
        watching.iter().all(Watching::is_over).then_some(())
    });
    let expected = Spectated::read(stream, &Options::default()).unwrap().log.to_json();
    for one in &watching[..2] {
        let mut recording = Recording::open(&one.tape[..]).unwrap();
        let log = cadre::from_tape(&mut recording, &Options::default()).unwrap();
        assert!(log.to_json() == expected, "the gamelog is another");
    }
    let live = gametape_tape::Tape::open(&watching[2].tape).unwrap();
    assert!(live.is_finished() && live.summary.end_tick > Tick::ZERO);
}

#[test]
fn a_game_of_another_server_is_broadcast_also_to_who_comes_late() {
    broadcast(GAME.as_bytes(), "Move-2");
}

#[test]
fn a_recorded_game_is_broadcast_whole() {
    let Some(corpus) = std::env::var_os("GAMETAPE_CORPUS") else {
        println!("skipped: GAMETAPE_CORPUS is not set");
        return;
    };
    let path = Path::new(&corpus).join("cadre/Coreminer-live3.spectator-stream.eot.gz");
    let mut stream = Vec::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_end(&mut stream).unwrap();
    broadcast(&stream, "Coreminer-live3");
}
