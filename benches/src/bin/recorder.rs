//! What recording costs on the game's thread, with 500 entities: each tick, delta and full keyframe,
//! on a file and on a disk that hangs for a tenth of a second with every write.
//!
//! A tick is two orders and a frame with the state of all 500 units for the spectator, and of half
//! of them for each of two players; a keyframe includes taking the snapshot.

use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::io;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use gametape_benches::crowd::{Crowd, MESSAGE_BYTES, UNITS};
use gametape_benches::{Claim, Report};
use gametape_replay::{Counters, Recorder, RecorderOptions, Sink};
use gametape_tape::{Cadence, TapeHeader};
use gametape_wire::{Tick, TickLength, View};

type Outcome<T> = Result<T, Box<dyn Error>>;

const TICKS: u64 = 6000;
/// Keyframes come ten times as often as usual, so that there are enough to measure.
const CADENCE: Cadence = Cadence::every(30);
/// A game does something else between two ticks, too.
const PAUSE: Duration = Duration::from_micros(500);

fn main() -> Outcome<ExitCode> {
    let mut report = Report::new();
    let folder = std::env::temp_dir().join(format!("gametape-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let path = folder.join("recorded.tape");
    judge("file", File::create_new(&path)?, &mut report)?;
    let slow = SlowDisk(File::create(&path)?);
    judge("disk that hangs", slow, &mut report)?;
    std::fs::remove_dir_all(folder)?;
    Ok(report.finish())
}

/// Every write takes a tenth of a second.
struct SlowDisk(File);

impl Sink for SlowDisk {
    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        thread::sleep(Duration::from_millis(100));
        self.0.append(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync()
    }
}

/// Seconds of each call.
#[derive(Default)]
struct Costs {
    ticks: Vec<f64>,
    deltas: Vec<f64>,
    fulls: Vec<f64>,
    /// Copying the same bytes as a tick does.
    copies: Vec<f64>,
}

fn judge(name: &str, sink: impl Sink + Send + 'static, report: &mut Report) -> Outcome<()> {
    let (mut costs, counters) = record(sink)?;
    println!("{name}: {TICKS} ticks of {UNITS} entities, {} bytes written", counters.written_bytes);
    let rows = [
        ("memory copy of a tick", &mut costs.copies, None),
        ("tick", &mut costs.ticks, Some(50.0)),
        ("delta keyframe", &mut costs.deltas, Some(1000.0)),
        ("full keyframe", &mut costs.fulls, Some(3000.0)),
    ];
    for (what, samples, budget) in rows {
        samples.sort_by(f64::total_cmp);
        let [median, p99, most] = [0.5, 0.99, 1.0].map(|share| at(samples, share) * 1e6);
        println!("  {what}: median {median:.2} us, 99th percentile {p99:.2}, most {most:.2}");
        if let Some(budget) = budget {
            let claim = format!("{name}: {what}, median in microseconds");
            report.claim(&Claim::at_most(&claim, median, budget));
        }
    }
    let shed = counters.shed;
    let lost = shed.keyframes.items + counters.lost.items;
    report.claim(&Claim::at_most(&format!("{name}: things shed or lost"), lost as f64, 0.0));
    println!();
    Ok(())
}

/// The sample that this share of the sorted ones does not exceed.
fn at(sorted: &[f64], share: f64) -> f64 {
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

/// Records the whole crowd, tick by tick.
fn record(sink: impl Sink + Send + 'static) -> Outcome<(Costs, Counters)> {
    let options = RecorderOptions::default().with_cadence(CADENCE);
    let recorder =
        Recorder::start(sink, TapeHeader::new(TickLength::millis::<50>(), 1), b"{}", &options)?;
    let mut crowd = Crowd::new(1);
    let mut costs = Costs::default();
    let (mut messages, mut copy) = (Vec::new(), Vec::new());
    for tick in 0..TICKS {
        if recorder.keyframe_due(Tick(tick)) {
            let is_full = (tick / CADENCE.ticks).is_multiple_of(CADENCE.full_every.into());
            let samples = if is_full { &mut costs.fulls } else { &mut costs.deltas };
            samples.push(seconds(|| keyframe(&recorder, &crowd, tick))?);
        }
        messages.clear();
        while messages.len() < UNITS * MESSAGE_BYTES {
            crowd.step(&mut messages);
        }
        costs.ticks.push(seconds(|| record_tick(&recorder, tick, &messages))?);
        costs.copies.push(seconds(|| {
            copy.clear();
            copy.extend_from_slice(black_box(&messages));
            copy.extend_from_slice(black_box(&messages));
            black_box(&mut copy);
            Ok(())
        })?);
        thread::sleep(PAUSE);
    }
    let report = recorder.finish();
    if !report.is_finished {
        return Err(format!("the recording failed: {:?}", report.counters.failure).into());
    }
    Ok((costs, report.counters))
}

fn keyframe(recorder: &Recorder, crowd: &Crowd, tick: u64) -> Outcome<()> {
    let mut snapshot = crowd.snapshot()?;
    // The crowd takes several of its own ticks for one of ours.
    snapshot.core.tick = Tick(tick);
    Ok(recorder.keyframe(snapshot)?)
}

fn record_tick(recorder: &Recorder, tick: u64, messages: &[u8]) -> Outcome<()> {
    let [ana, ben] = [1, 2].map(|number| View::new(number).unwrap_or(View::SPECTATOR));
    recorder.order(Tick(tick), ana, b"go there now")?;
    recorder.order(Tick(tick), ben, b"stay where you are")?;
    let (left, right) = messages.split_at(messages.len() / 2);
    recorder.frame(Tick(tick), &[(View::SPECTATOR, messages), (ana, left), (ben, right)])?;
    recorder.end_tick(Tick(tick));
    Ok(())
}

fn seconds(work: impl FnOnce() -> Outcome<()>) -> Outcome<f64> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}
