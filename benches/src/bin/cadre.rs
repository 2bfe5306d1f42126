//! Gamelogs: loading, summary, seeking and stepping, beside the documented merge in Node and beside
//! `serde_json::Value`.
//!
//! Runs on a log of its own, and on the largest log of the corpus where `GAMETAPE_CORPUS` says where
//! that is. Without `node` on the path, the promises about Node are skipped and it says so.
//!
//! Our own ways are measured by the time that their thread computes, Node by the smaller of the time that passes and
//! the time that its threads compute, so that other programs on the machine favour nobody.
//!
//! The header is judged beside Node, not beside our own load: that became faster than reading the text several times,
//! and a promise that a faster load breaks would be none.

use std::error::Error;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use gametape_benches::memory::{self, Task};
use gametape_benches::{Claim, Report, Stopwatch, median};
use gametape_cadre::{Log, Options, Summary, Timeline, sample};
use serde_json::Value;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Rounds of everything that is timed; medians count.
const ROUNDS: usize = 7;
/// Turns of our own ways within a round: they are short, so one interruption would double them.
const TURNS: usize = 3;
const SEEKS: usize = 2000;
const SEEK_ROUNDS: usize = 5;
/// Names the log that a process that measures memory loads.
const LOG_VARIABLE: &str = "GAMETAPE_BENCH_LOG";
const NODE_MERGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/node/merge_gamelog.js");

const TASKS: &[Task] = &[("nothing", || ()), ("load", load_task), ("serde_json", value_task)];

fn main() -> Outcome<ExitCode> {
    if memory::serve(TASKS)? {
        return Ok(ExitCode::SUCCESS);
    }
    let mut report = Report::new();
    let folder = std::env::temp_dir().join(format!("gametape-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let own = folder.join("own.json.gz");
    let options = Options::default();
    let json = sample::log(46_961, 1);
    std::fs::write(&own, Log::open(json, &options)?.to_gzip(6)?)?;
    run("own log", &own, &mut report)?;
    match largest_of_the_corpus()? {
        Some(path) => run("largest log", &path, &mut report)?,
        None => println!("skipped: GAMETAPE_CORPUS is not set, so there is no largest log\n"),
    }
    std::fs::remove_dir_all(folder)?;
    Ok(report.finish())
}

fn largest_of_the_corpus() -> Outcome<Option<PathBuf>> {
    let Some(root) = std::env::var_os("GAMETAPE_CORPUS") else { return Ok(None) };
    let mut logs = Vec::new();
    for entry in std::fs::read_dir(Path::new(&root).join("cadre"))? {
        let entry = entry?;
        logs.push((entry.metadata()?.len(), entry.path()));
    }
    Ok(logs.into_iter().max().map(|(_, path)| path))
}

fn run(name: &str, path: &Path, report: &mut Report) -> Outcome<()> {
    let packed = std::fs::read(path)?;
    let timeline = load(&packed)?;
    let (deltas, bytes) = (timeline.len(), timeline.log().json_bytes());
    println!("{name}: {deltas} deltas, {bytes} bytes of JSON, {} packed", packed.len());
    let times = time_loads(path, &packed)?;
    times.print(bytes);
    times.judge(name, report);
    judge_memory(name, path, times.node_peak, report)?;
    judge_moves(name, timeline, report)?;
    println!();
    Ok(())
}

fn load(packed: &[u8]) -> Outcome<Timeline> {
    let options = Options::default();
    Ok(Timeline::load(Log::open(packed, &options)?, &options)?)
}

/// Medians in seconds.
struct Times {
    copy: f64,
    unpack: f64,
    load: f64,
    load_plain: f64,
    summary: f64,
    summary_plain: f64,
    value: Option<f64>,
    node: Option<f64>,
    node_peak: Option<f64>,
}

/// All ways in turns, so that a machine that slows down slows all of them.
fn time_loads(path: &Path, packed: &[u8]) -> Outcome<Times> {
    let json = unpack(packed)?;
    let options = Options::default();
    let mut samples: [Vec<f64>; 8] = Default::default();
    let mut node_peak = None;
    for _ in 0..ROUNDS {
        for _ in 0..TURNS {
            samples[0].push(seconds(|| Ok(json.clone()))?);
            samples[1].push(seconds(|| unpack(packed))?);
            samples[2].push(seconds(|| load(packed))?);
            samples[3].push(seconds(|| load(&json))?);
            samples[4].push(seconds(|| Ok(Summary::read(packed, &options)?))?);
            samples[5].push(seconds(|| Ok(Summary::read(&json, &options)?))?);
        }
        samples[6].extend(seconds(|| value_state(packed)).ok());
        if let Some((time, peak)) = node(path)? {
            samples[7].push(time);
            node_peak = Some(peak);
        }
    }
    let [copy, unpack, load, load_plain, summary, summary_plain, value, node] =
        samples.map(middle_of);
    let always = |median: Option<f64>| median.unwrap_or(f64::NAN);
    Ok(Times {
        copy: always(copy),
        unpack: always(unpack),
        load: always(load),
        load_plain: always(load_plain),
        summary: always(summary),
        summary_plain: always(summary_plain),
        value,
        node,
        node_peak,
    })
}

impl Times {
    fn print(&self, bytes: usize) {
        let rows = [
            ("load and merge everything", Some(self.load)),
            ("the same of plain JSON", Some(self.load_plain)),
            ("header and outcome", Some(self.summary)),
            ("the same of plain JSON", Some(self.summary_plain)),
            ("Node: parse and merge", self.node),
            ("serde_json: parse and merge", self.value),
            ("gunzip alone", Some(self.unpack)),
            ("memory copy of the JSON", Some(self.copy)),
        ];
        for (what, seconds) in rows {
            match seconds {
                Some(seconds) => {
                    let speed = bytes as f64 / 1e6 / seconds;
                    println!("  {what:28} {:9.2} ms {speed:9.0} MB/s", seconds * 1e3);
                }
                None => println!("  {what:28} cannot do it or is not there"),
            }
        }
    }

    fn judge(&self, name: &str, report: &mut Report) {
        if let Some(node) = self.node {
            let what = format!("{name}: load, times as fast as Node");
            report.claim(&Claim::at_least(&what, node / self.load, 12.0));
        }
        if let Some(value) = self.value {
            let what = format!("{name}: load, times as fast as serde_json");
            report.claim(&Claim::at_least(&what, value / self.load, 1.0));
        }
        // Of plain JSON: unpacking gzip takes most of the time otherwise.
        let share = 100.0 * self.summary_plain / self.load_plain;
        println!("  header and outcome take {share:.1} % of a load of plain JSON");
        if let Some(node) = self.node {
            let what =
                format!("{name}: header and outcome of plain JSON, times as fast as Node loads");
            report.claim(&Claim::at_least(&what, node / self.summary_plain, 60.0));
        }
    }
}

fn judge_memory(
    name: &str,
    path: &Path,
    node_peak: Option<f64>,
    report: &mut Report,
) -> Outcome<()> {
    let peak = |task| -> Outcome<f64> { Ok(memory::peak_with(task, LOG_VARIABLE, path)? as f64) };
    let (ours, value) = (peak("load")?, peak("serde_json")?);
    let megabytes = |bytes: f64| bytes / f64::from(1 << 20);
    println!(
        "  peak memory: {:.0} MiB, serde_json {:.0} MiB, Node {}",
        megabytes(ours),
        megabytes(value),
        node_peak.map_or("not there".to_owned(), |peak| format!("{:.0} MiB", megabytes(peak))),
    );
    if let Some(node_peak) = node_peak {
        let what = format!("{name}: peak memory as a share of Node's");
        report.claim(&Claim::at_most(&what, ours / node_peak, 1.0 / 3.0));
    }
    Ok(())
}

fn judge_moves(name: &str, mut timeline: Timeline, report: &mut Report) -> Outcome<()> {
    let mut seeks = middle_seeks(&mut timeline)?;
    seeks.sort_by(f64::total_cmp);
    let (middle, late) = (seeks[SEEKS / 2], seeks[SEEKS * 99 / 100]);
    println!("  seek: median {middle:.3} ms, 99th percentile {late:.3} ms");
    report.claim(&Claim::at_most(&format!("{name}: median seek in ms"), middle, 1.0));
    report.claim(&Claim::at_most(&format!("{name}: 99th percentile in ms"), late, 3.0));

    let (mut forward, mut back) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        timeline.seek(0)?;
        forward.push(seconds(|| all_steps(|| Ok(timeline.step()?)))?);
        back.push(seconds(|| all_steps(|| Ok(timeline.step_back()?)))?);
    }
    let (Some(forward), Some(back)) = (middle_of(forward), middle_of(back)) else { return Ok(()) };
    println!("  all steps: forward {:.1} ms, back {:.1} ms", forward * 1e3, back * 1e3);
    let what = format!("{name}: a step back, as a multiple of a step forward");
    report.claim(&Claim::at_most(&what, back / forward, 2.0));
    Ok(())
}

/// Milliseconds of every seek: the same way is gone several times, and the median of each seek
/// counts, so that an interruption from outside is not taken for a slow seek.
fn middle_seeks(timeline: &mut Timeline) -> Outcome<Vec<f64>> {
    let mut rounds = Vec::new();
    for _ in 0..SEEK_ROUNDS {
        timeline.seek(0)?;
        rounds.push(seeks(timeline)?);
    }
    let of_seek = |seek: usize| -> Vec<f64> { rounds.iter().map(|round| round[seek]).collect() };
    Ok((0..SEEKS).map(|seek| median(&mut of_seek(seek))).collect())
}

fn seeks(timeline: &mut Timeline) -> Outcome<Vec<f64>> {
    let mut random = 1_u64;
    let mut times = Vec::with_capacity(SEEKS);
    for _ in 0..SEEKS {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let target = (random >> 33) as usize % (timeline.len() + 1);
        times.push(1e3 * seconds(|| Ok(timeline.seek(target)?))?);
    }
    Ok(times)
}

fn all_steps(mut step: impl FnMut() -> Outcome<bool>) -> Outcome<()> {
    while step()? {}
    Ok(())
}

fn seconds<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<f64> {
    let watch = Stopwatch::start();
    black_box(work()?);
    Ok(watch.elapsed().as_secs_f64())
}

/// The median; none of nothing.
fn middle_of(mut samples: Vec<f64>) -> Option<f64> {
    (!samples.is_empty()).then(|| median(&mut samples))
}

/// Median seconds of three rounds, and peak memory in bytes; none without Node.
fn node(path: &Path) -> Outcome<Option<(f64, f64)>> {
    let Ok(output) = Command::new("node").arg(NODE_MERGE).arg(path).arg("3").output() else {
        return Ok(None);
    };
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    let times = answer["times"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut times: Vec<f64> = times.iter().filter_map(Value::as_f64).collect();
    let middle = median(&mut times);
    Ok(Some((middle / 1e3, answer["peak"].as_f64().unwrap_or(f64::NAN))))
}

fn unpack(packed: &[u8]) -> Outcome<Vec<u8>> {
    use std::io::Read as _;
    let mut json = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut json)?;
    Ok(json)
}

/// The last state by way of `serde_json::Value`, merged as documented.
fn value_state(packed: &[u8]) -> Outcome<(Value, Value)> {
    let log: Value = serde_json::from_slice(&unpack(packed)?)?;
    let mut state = Value::Object(serde_json::Map::new());
    for delta in log["deltas"].as_array().map(Vec::as_slice).unwrap_or_default() {
        if let Some(game) = delta.get("game") {
            merge_value(&mut state, game);
        }
    }
    Ok((log, state))
}

fn merge_value(state: &mut Value, delta: &Value) {
    let Some(delta) = delta.as_object() else { return };
    if let (Value::Array(list), Some(length)) = (&mut *state, delta.get("&LEN")) {
        list.truncate(length.as_u64().unwrap_or(0) as usize);
    }
    for (key, change) in delta {
        if key == "&LEN" {
            continue;
        }
        match state {
            Value::Object(object) if change == "&RM" => drop(object.remove(key)),
            Value::Object(object) => {
                set_value(object.entry(key.clone()).or_insert(Value::Null), change);
            }
            Value::Array(list) => {
                let Ok(index) = key.parse::<usize>() else { continue };
                if list.len() <= index {
                    list.resize(index + 1, Value::Null);
                }
                if change == "&RM" {
                    list[index] = Value::Null;
                } else {
                    set_value(&mut list[index], change);
                }
            }
            _ => {}
        }
    }
}

fn set_value(slot: &mut Value, change: &Value) {
    if !change.is_object() {
        *slot = change.clone();
        return;
    }
    if !slot.is_object() && !slot.is_array() {
        *slot = if change.get("&LEN").is_some() {
            Value::Array(Vec::new())
        } else {
            Value::Object(serde_json::Map::new())
        };
    }
    merge_value(slot, change);
}

/// The log that a process which measures memory is to load.
fn given_log() -> Vec<u8> {
    std::env::var_os(LOG_VARIABLE).and_then(|path| std::fs::read(path).ok()).unwrap_or_default()
}

fn load_task() {
    black_box(load(&given_log()).is_ok());
}

fn value_task() {
    black_box(value_state(&given_log()).is_ok());
}
