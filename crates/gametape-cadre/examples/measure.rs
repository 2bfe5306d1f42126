//! Measures loading, seeking and stepping on one log: `measure LOG`, or `measure 47000` for a made-up
//! one with this many deltas.

use std::time::{Duration, Instant};

use gametape_cadre::{Log, Options, Summary, Timeline, sample};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let argument = std::env::args().nth(1).ok_or("which log?")?;
    let read = || match argument.parse() {
        Ok(deltas) => Ok(sample::log(deltas, 1)),
        Err(_) => std::fs::read(&argument),
    };
    let options = Options::default();
    for _ in 0..7 {
        let input = read()?;
        let start = Instant::now();
        let log = Log::open(input, &options)?;
        let opened = start.elapsed();
        let timeline = Timeline::load(log, &options)?;
        let loaded = start.elapsed();
        println!("open {opened:?}, open and load {loaded:?}, keyframes {:?}", timeline.keyframes());
        let input = read()?;
        let start = Instant::now();
        let summary = Summary::read(&input, &options)?;
        let winners = summary.outcome().winners().count();
        println!("summary {:?}, winners {winners}", start.elapsed());
    }
    println!("peak memory so far {}", peak_memory());
    let mut timeline = Timeline::load(Log::open(read()?, &options)?, &options)?;
    measure_seeks(&mut timeline)?;
    timeline.seek(0)?;
    let forward = timed(|| timeline.step())?;
    let back = timed(|| timeline.step_back())?;
    println!("all steps forward {forward:?}, all steps back {back:?}");
    Ok(())
}

fn measure_seeks(timeline: &mut Timeline) -> Result<(), Box<dyn std::error::Error>> {
    let mut times = Vec::new();
    let mut random = 1u64;
    for _ in 0..2000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let target = (random >> 33) as usize % (timeline.len() + 1);
        times.push(timed(|| timeline.seek(target).map(|()| false))?);
    }
    times.sort_unstable();
    println!("seek median {:?}, p99 {:?}, max {:?}", times[1000], times[1980], times[1999]);
    Ok(())
}

fn timed<E>(mut step: impl FnMut() -> Result<bool, E>) -> Result<Duration, E> {
    let start = Instant::now();
    while step()? {}
    Ok(start.elapsed())
}

fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.unwrap_or("unknown").to_owned()
}
