//! The viewer in a real browser: how soon there is a picture, how soon a seek is seen, how the module compares with the
//! same code natively, and how large everything is.
//!
//! The browser draws without a graphics processor. Times of the module and native ones are taken in turns, so that a busy
//! machine slows both.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use gametape_benches::browser::Browser;
use gametape_benches::{Claim, Report, large, median};
use gametape_minewars::sample::Sample;
use gametape_minewars::{Generation, WriteOptions, write_file};
use gametape_server::{Assets, Embedded, one_file};
use gametape_skirmish::{Config, Match, SECOND, Style, metadata, record_match};
use gametape_web::{Answered, Session};
use gametape_wire::Tick;
use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Visits whose median is the time of the first picture.
const VISITS: usize = 7;
const SEEKS: usize = 200;
const PLAY_SECONDS: u32 = 3;
const FRAME_MS: f64 = 1000.0 / 60.0;
const LARGE_BYTES: u64 = 1_000_000_000;
/// Rounds of the module and natively, and moments that each seeks.
const ROUNDS: usize = 9;
const MOMENTS: u64 = 100;

fn main() -> Outcome<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let viewer = root.join("viewer");
    let mut report = Report::new();
    let folder = Folder::new()?;
    let tape = folder.recording("match.tape", demo_match()?)?;
    let wide = folder.recording("wide.minewars", wide_session()?)?;
    let log = folder.recording("game.json", gametape_cadre::sample::log(4000, 1))?;
    sizes(&viewer, &tape, &mut report)?;
    let mut browser = Browser::start(&viewer)?;
    first_pictures(&mut browser, &[&tape, &wide, &log], &mut report)?;
    for recording in [&tape, &wide] {
        seek_to_paint(&mut browser, recording, &mut report)?;
        play(&mut browser, recording, &mut report)?;
    }
    for recording in [&tape, &wide, &log] {
        against_native(&mut browser, recording, &mut report)?;
    }
    remote(&mut browser, &folder, &mut report)?;
    Ok(report.finish())
}

/// A folder that is gone when this is.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Outcome<Self> {
        let program = std::env::current_exe()?;
        let target = program.ancestors().nth(2).ok_or("the program is in no target folder")?;
        let folder = target.join("tmp").join(format!("viewer-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    fn recording(&self, name: &str, bytes: Vec<u8>) -> Outcome<Recorded> {
        let path = self.0.join(name);
        fs::write(&path, &bytes)?;
        let mut session = Native::new(name, &bytes);
        let about: Value = serde_json::from_str(&session.ask(r#"{"do":"open"}"#)?)?;
        let end = about["end"].as_u64().ok_or("it has no end")?;
        Ok(Recorded { path, bytes, end })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nobody could be warned.
        let _ = fs::remove_dir_all(&self.0);
    }
}

struct Recorded {
    path: PathBuf,
    bytes: Vec<u8>,
    /// The last moment.
    end: u64,
}

impl Recorded {
    fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The same moments for everybody.
    fn moments(&self) -> Vec<u64> {
        (0..MOMENTS).map(|number| 1 + number * 7919 % self.end.max(1)).collect()
    }
}

/// The match of the demo: four bots, 817 tiles, fifteen minutes.
fn demo_match() -> Outcome<Vec<u8>> {
    let config = Config::new(4, 16, 5).with_time_limit(15 * 60);
    let mut game = Match::new(config.clone(), &Style::ALL, Generation::Current)?;
    let about = metadata(&config, Generation::Current);
    Ok(record_match(&mut game, &about, 1, Tick(15 * 60 * SECOND))?)
}

/// 30,301 tiles.
fn wide_session() -> Outcome<Vec<u8>> {
    let sample = Sample { radius: 100, players: 6, cities: 12, moments: 6000, ..Sample::default() };
    let (setup, frames) = sample.build(Generation::Current)?;
    Ok(write_file(&setup, &frames, &WriteOptions::default())?)
}

fn sizes(viewer: &Path, tape: &Recorded, report: &mut Report) -> Outcome<()> {
    let dist = viewer.join("dist");
    let brotli = |name: &str| -> Outcome<f64> {
        let path = dist.join(format!("{name}.br"));
        let about = fs::metadata(&path)
            .map_err(|_| format!("{} is missing: cargo xtask viewer", path.display()))?;
        Ok(about.len() as f64 / 1000.0)
    };
    let mut page = 0.0;
    for name in ["index.html", "app.js", "app.css", "worker.js"] {
        page += brotli(name)?;
    }
    println!("letters of the board, in kB brotli: {:.1}", brotli("font.ttf")?);
    let module = brotli("gametape_web_bg.wasm")?;
    report.claim(&Claim::at_most("module in kB brotli", module, 450.0));
    report.claim(&Claim::at_most("page in kB brotli", page, 120.0));
    let assets = Assets::in_folder(&dist)?;
    let embedded =
        Embedded { title: "match", name: "match.tape", bytes: &tape.bytes, at: None, view: None };
    let html = one_file(&assets, &embedded)?.len() as f64 / 1e6;
    report.claim(&Claim::at_most("one file with the demo match in MB", html, 1.5));
    println!();
    Ok(())
}

fn first_pictures(
    browser: &mut Browser,
    recordings: &[&Recorded],
    report: &mut Report,
) -> Outcome<()> {
    for (number, recording) in recordings.iter().enumerate() {
        if number == 2 {
            continue;
        }
        let mut times = Vec::new();
        // The first visit warms up the browser itself.
        for visit in 0..=VISITS {
            let first = browser.ask(&json!({"do": "first", "file": recording.path}))?;
            if visit > 0 {
                times.push(first["ms"].as_f64().ok_or("no picture")?);
            }
        }
        let (name, bytes) = (recording.name(), recording.bytes.len());
        let middle = median(&mut times);
        if number == 0 {
            let what = format!("{name}, {bytes} bytes: first picture in ms");
            report.claim(&Claim::at_most(&what, middle, 400.0));
        } else {
            println!("{name}, {bytes} bytes: first picture in ms: {middle:.2}");
        }
    }
    println!();
    Ok(())
}

fn seek_to_paint(browser: &mut Browser, recording: &Recorded, report: &mut Report) -> Outcome<()> {
    let request =
        json!({"do": "seeks", "file": recording.path, "count": SEEKS, "end": recording.end});
    let mut times = browser.numbers(&request, "ms")?;
    times.sort_by(f64::total_cmp);
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or(f64::NAN);
    let name = recording.name();
    println!("{name}: seek to paint, p50 {:.1} ms, p99 {:.1} ms", at(50), at(99));
    // What is seen is seen in a frame: the next one is the earliest.
    let frames = |time: f64| (time / FRAME_MS).round();
    let what = format!("{name}: seek to paint, p50 in frames");
    report.claim(&Claim::at_most(&what, frames(at(50)), 1.0));
    let what = format!("{name}: seek to paint, p99 in frames (3 are 50 ms)");
    report.claim(&Claim::at_most(&what, frames(at(99)), 3.0));
    Ok(())
}

fn play(browser: &mut Browser, recording: &Recorded, report: &mut Report) -> Outcome<()> {
    let request =
        json!({"do": "play", "file": recording.path, "speed": 16, "seconds": PLAY_SECONDS});
    let mut best = 0.0;
    for _ in 0..3 {
        let played = browser.ask(&request)?;
        best = played["pictures"].as_f64().unwrap_or(f64::NAN).max(best);
    }
    let what = format!("{}: pictures a second at 16 ×", recording.name());
    // There are sixty frames a second; its begin and end may miss one each, and a clock is not exact.
    report.claim(&Claim::at_least(&what, best, 58.0));
    println!();
    Ok(())
}

/// A session without a browser.
struct Native<'a> {
    session: Session,
    bytes: &'a [u8],
}

impl<'a> Native<'a> {
    fn new(name: &str, bytes: &'a [u8]) -> Self {
        Self { session: Session::new(name, bytes.len() as u64), bytes }
    }

    fn ask(&mut self, request: &str) -> Outcome<String> {
        loop {
            if let Answered::Ready(answer) = self.session.call(request)? {
                return Ok(answer);
            }
            for range in self.session.missing() {
                let part = &self.bytes[range.start as usize..range.end as usize];
                self.session.supply(range.start, part);
            }
        }
    }
}

/// Milliseconds natively: some openings, and seeks through the recording.
fn natively(recording: &Recorded, opens: usize) -> Outcome<(f64, f64)> {
    let name = recording.name();
    let start = Instant::now();
    let mut session = Native::new(&name, &recording.bytes);
    session.ask(r#"{"do":"open"}"#)?;
    for _ in 1..opens {
        session = Native::new(&name, &recording.bytes);
        session.ask(r#"{"do":"open"}"#)?;
    }
    let opened = start.elapsed();
    for to in recording.moments() {
        session.ask(&json!({"do": "seek", "to": to}).to_string())?;
    }
    let sought = start.elapsed() - opened;
    Ok((1e3 * opened.as_secs_f64(), 1e3 * sought.as_secs_f64()))
}

fn against_native(browser: &mut Browser, recording: &Recorded, report: &mut Report) -> Outcome<()> {
    // As many as take long enough for the browser's clock.
    let opens = (30.0 / natively(recording, 1)?.0).clamp(1.0, 100.0) as usize;
    let request = json!({
        "do": "session", "file": recording.path, "opens": opens, "moments": recording.moments(),
    });
    // The module is compiled better once it is known what is used often.
    for _ in 0..3 {
        browser.ask(&request)?;
    }
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..ROUNDS {
        let (open, seek) = natively(recording, opens)?;
        let there = browser.ask(&request)?;
        let of = |name: &str| there[name].as_f64().unwrap_or(f64::NAN);
        for (list, time) in times.iter_mut().zip([open, seek, of("open"), of("seek")]) {
            list.push(time);
        }
    }
    let [open, seek, their_open, their_seek] = times.map(|mut list| median(&mut list));
    let name = recording.name();
    let of = |total: f64, count: usize| total / count as f64;
    println!(
        "{name}: open {:.2} ms in the browser, {:.2} ms natively; seek {:.3} ms, {:.3} ms",
        of(their_open, opens),
        of(open, opens),
        of(their_seek, MOMENTS as usize),
        of(seek, MOMENTS as usize),
    );
    let claim = |what: &str, ratio: f64| {
        Claim::at_most(&format!("{name}: {what}, the module's time in native ones"), ratio, 2.5)
    };
    report.claim(&claim("open", their_open / open));
    report.claim(&claim("seek", their_seek / seek));
    println!();
    Ok(())
}

fn remote(browser: &mut Browser, folder: &Folder, report: &mut Report) -> Outcome<()> {
    let path = folder.0.join("large.tape");
    large::write_packed(&path, LARGE_BYTES)?;
    println!("a packed tape of {} bytes, read by ranges", fs::metadata(&path)?.len());
    for (place, query) in [("start", ""), ("middle", "&t=50%25")] {
        let first = browser.ask(&json!({"do": "first", "file": path, "query": query}))?;
        let of = |name: &str| first[name].as_f64().unwrap_or(f64::NAN);
        println!("  first picture of its {place} after {:.0} ms", of("ms"));
        println!("  {} requests, {:.3} MB", of("requests"), of("bytes") / 1e6);
        if place == "start" {
            report.claim(&Claim::at_most("large: requests", of("requests"), 6.0));
            report.claim(&Claim::at_most("large: MB", of("bytes") / 1e6, 1.0));
        }
    }
    println!();
    Ok(())
}
