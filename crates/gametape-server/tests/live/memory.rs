//! A long match takes no more memory than a short one.

use gametape_analysis::{AnalysisEvent, EventWriter};
use gametape_live::Publisher;
use gametape_replay::streams::keyframes_of;
use gametape_server::live::LiveLimits;
use gametape_tape::{Cadence, KeyframeMaker, SimSnapshot, TapeHeader, TapeWriter};
use gametape_wire::{Tick, View, ViewSet};

use super::common::{Publishing, Running, Socket, limits, open_policy, start_with, wait_for};
use super::toy::{Dice, METADATA, TICK, name};

/// Ticks of a third of a match, 20 minutes long.
const THIRD: u64 = 20 * 1200;
/// Bytes of a payload: 15 MB in a third.
const PAYLOAD: usize = 600;
/// The memory that two thirds more may take: neither 30 MB of payloads nor 131 bytes for each of 48,000 messages.
const MOST_GROWTH: usize = 6 << 20;

/// A match that is written as it is played: nothing of it is kept.
struct Endless {
    writer: TapeWriter,
    keyframes: KeyframeMaker,
    dice: Dice,
    tick: u64,
}

impl Endless {
    fn new() -> (Self, Publisher) {
        let header = TapeHeader::new(TICK, 0x10E6);
        let views = ViewSet::EMPTY.with(View::SPECTATOR);
        let publisher = Publisher::new(name(), header, METADATA, views, 1 << 20).unwrap();
        let writer = TapeWriter::new(header, METADATA.as_bytes()).unwrap();
        let keyframes = KeyframeMaker::new(Cadence::every(200));
        (Self { writer, keyframes, dice: Dice::new(3), tick: 0 }, publisher)
    }

    /// The journal of the next second.
    fn second(&mut self) -> Vec<u8> {
        for tick in self.tick..self.tick + 20 {
            if tick % 200 == 0 {
                let state = self.bytes(2000);
                let state = SimSnapshot::opaque(Tick(tick), &state).unwrap();
                let keyframe = self.keyframes.make(state);
                let views = ViewSet::EMPTY.with(View::SPECTATOR);
                self.writer.keyframe(keyframes_of(View::SPECTATOR), views, &keyframe).unwrap();
            }
            let payload = self.bytes(PAYLOAD);
            self.writer.frame(0, Tick(tick), &[(View::SPECTATOR, &payload)]).unwrap();
        }
        self.tick += 20;
        self.writer.flush().unwrap();
        // An event a second.
        let mut events = EventWriter::new();
        let (tick, paused) = (self.tick - 1, self.tick.is_multiple_of(40));
        events.push(&AnalysisEvent::PauseEvent { tick: Tick(tick), player: 0, paused }).unwrap();
        for block in events.flush().unwrap() {
            self.writer.chunk(&block.draft(), &block.bytes).unwrap();
        }
        self.writer.take()
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.dice.below(256) as u8).collect()
    }
}

/// What this process has in memory now, in bytes.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let value = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(value.trim().strip_suffix(" kB")?.parse::<usize>().ok()? << 10)
}

fn now(server: &Running) -> i64 {
    server.get("/live/m1/0/now").json()["tick"].as_i64().unwrap()
}

#[test]
fn memory_does_not_grow_with_the_length_of_a_match() {
    if resident().is_none() {
        println!("skipped: this system does not say how much memory a process has");
        return;
    }
    let few = LiveLimits { window: 1 << 20, ..limits() };
    let server = start_with(open_policy(), few, |live| live);
    let (mut source, publisher) = Endless::new();
    let mut publishing = Publishing::new(publisher, Socket::connect(server.address));
    let mut after = Vec::new();
    let mut first = Vec::new();
    for third in 1..=3 {
        while source.tick < third * THIRD {
            publishing.follow(&source.second());
        }
        wait_for("what was sent", || {
            publishing.step();
            (now(&server) >= (third * THIRD) as i64 - 2).then_some(())
        });
        first.push(server.get("/live/m1/0/delta/7"));
        after.push(resident().unwrap());
    }
    println!(
        "after each third, in MiB: {:?}",
        after.iter().map(|all| all >> 20).collect::<Vec<_>>()
    );
    // Without the spool a third is 15 MB more.
    let growth = after[2].saturating_sub(after[0]);
    assert!(growth < MOST_GROWTH, "{growth} bytes more after two thirds more");
    assert_eq!((first[0].status, &first[0].body), (200, &first[2].body));
    assert_eq!(first[0].header("etag"), first[2].header("etag"));
}
