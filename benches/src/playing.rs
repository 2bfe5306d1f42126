//! What the player of tapes costs: seeks, steps both ways, foreign recordings made tapes and played.

use std::path::Path;
use std::time::Instant;

use gametape_cadre::{Log, Options};
use gametape_minewars::ReplayFile;
use gametape_replay::{
    ConvertOptions, Direction, GameState, MinewarsTimeline, Playback, Player, PlayerOptions,
    Recording, Source, Timeline, TimelineOptions, Track, ViewTrack, cadre, minewars, streams,
};
use gametape_tape::{Cadence, KeyframeMaker, TapeHeader, TapeWriter};
use gametape_wire::{Moment, Result, Tick, TickLength, View, ViewSet};

use crate::crowd::{Crowd, Dice, Seen};
use crate::median;

/// Milliseconds of single seeks or steps.
#[derive(Debug, Clone)]
pub struct Times(Vec<f64>);

impl Times {
    /// Takes the time of each of this many goes.
    fn of(count: usize, mut go: impl FnMut() -> Result<()>) -> Result<Self> {
        let mut times = Vec::with_capacity(count);
        for _ in 0..count {
            let start = Instant::now();
            go()?;
            times.push(1e3 * start.elapsed().as_secs_f64());
        }
        Ok(Self::sorted(times))
    }

    fn sorted(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        Self(times)
    }

    /// This many hundredths were not slower than this.
    #[must_use]
    pub fn percentile(&self, percent: usize) -> f64 {
        let index = self.0.len() * percent / 100;
        self.0.get(index.min(self.0.len().saturating_sub(1))).copied().unwrap_or(0.0)
    }

    /// All together, shared out.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len().max(1) as f64
    }
}

/// Seeks to random ticks, one by one.
pub fn random_seeks<S: Source, T: Timeline>(
    player: &mut Playback<S, T>,
    count: usize,
) -> Result<Times> {
    let mut dice = Dice::new(5);
    let end = player.end().next_tick().0;
    Times::of(count, || player.seek(Moment::before(Tick(dice.below(end)))))
}

/// Rounds of seeks in a recording that was just opened. Each seek counts with the median of its rounds,
/// so that a busy machine is not taken for a slow seek.
const COLD_ROUNDS: usize = 5;

/// Seeks to random ticks of a recording that is opened again for each round; the last player is there
/// for more.
pub fn cold_seeks<S: Source, T: Timeline>(
    count: usize,
    mut open: impl FnMut() -> Result<Playback<S, T>>,
) -> Result<(Times, Playback<S, T>)> {
    let mut player = open()?;
    let mut rounds = vec![[0.0; COLD_ROUNDS]; count];
    for round in 0..COLD_ROUNDS {
        player = open()?;
        let mut dice = Dice::new(5);
        let end = player.end().next_tick().0;
        for times in &mut rounds {
            let to = Moment::before(Tick(dice.below(end)));
            let start = Instant::now();
            player.seek(to)?;
            times[round] = 1e3 * start.elapsed().as_secs_f64();
        }
    }
    let times = rounds.iter_mut().map(|times| median(times)).collect();
    Ok((Times::sorted(times), player))
}

/// This many steps forward from the middle, and the same back.
pub fn steps<S: Source, T: Timeline>(
    player: &mut Playback<S, T>,
    count: usize,
) -> Result<(Times, Times)> {
    player.seek(Moment::before(Tick(player.end().next_tick().0 / 2)))?;
    let forward = Times::of(count, || player.step(Direction::Forward).map(drop))?;
    let back = Times::of(count, || player.step(Direction::Backward).map(drop))?;
    Ok((forward, back))
}

/// A tape of what the spectator of a crowd sees, with keyframes of it.
pub fn watched(mut crowd: Crowd, ticks: u64) -> Result<Vec<u8>> {
    let spectator = ViewSet::EMPTY.with(View::SPECTATOR);
    let mut seen = first_sight(&crowd)?;
    let mut writer =
        TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 2), br#"{"game":"crowd"}"#)?;
    let mut keyframes = KeyframeMaker::new(Cadence::default());
    let mut payload = Vec::new();
    for tick in 0..ticks {
        if let Some(keyframe) = keyframes.at(Tick(tick), || seen.snapshot(Tick(tick))) {
            writer.keyframe(streams::keyframes_of(View::SPECTATOR), spectator, &keyframe)?;
        }
        payload.clear();
        crowd.step(&mut payload);
        writer.frame_for_all(streams::FRAMES, Tick(tick), spectator, &payload)?;
        seen.apply(&payload);
        if tick % 20 == 19 {
            writer.flush()?;
        }
    }
    Ok([writer.take(), writer.finish()?].concat())
}

/// What is seen of a crowd at once.
fn first_sight(crowd: &Crowd) -> Result<Seen> {
    let mut seen = Seen::default();
    seen.restore(&crowd.snapshot()?);
    Ok(seen)
}

/// Plays what the spectator of a crowd sees; `crowd` is how it begins.
pub fn spectator<'a>(
    file: &'a [u8],
    crowd: &Crowd,
    options: PlayerOptions,
) -> Result<Playback<&'a [u8], Player<ViewTrack<Seen>>>> {
    Playback::view(Recording::open(file)?, View::SPECTATOR, first_sight(crowd)?, options)
}

/// Prints how fast a MineWars file becomes a tape, and how fast that is played.
pub fn print_minewars(path: &Path, bytes: &[u8]) -> Result<()> {
    let file = ReplayFile::open(bytes)?;
    let raw = file.frames()?.bytes.len();
    let start = Instant::now();
    let tape = minewars::to_tape(&file, &ConvertOptions::new(1))?;
    let converted = start.elapsed().as_secs_f64();
    let recording = Recording::open(&tape[..])?;
    let player = minewars::player(recording, View::SPECTATOR, PlayerOptions::default())?;
    print_foreign(path, (raw, tape.len()), converted, player)?;
    println!("  played as it is {:.0} MB/s", minewars_rate(bytes)?);
    Ok(())
}

/// Megabytes of frames that are played in a second, opening included, of a MineWars file as it is.
pub fn minewars_rate(bytes: &[u8]) -> Result<f64> {
    let file = ReplayFile::open(bytes)?;
    let raw = file.frames()?.bytes.len();
    let start = Instant::now();
    let mut timeline = MinewarsTimeline::open(&file, View::SPECTATOR, TimelineOptions::default())?;
    let end = timeline.end();
    assert!(timeline.seek(end)?.is_ready(), "all of it is in memory");
    Ok(raw as f64 / 1e6 / start.elapsed().as_secs_f64())
}

/// Prints how fast a gamelog becomes a tape, and how fast that is played.
pub fn print_gamelog(path: &Path, bytes: &[u8]) -> Result<()> {
    let log = Log::open(bytes, &Options::default())?;
    let start = Instant::now();
    let tape = cadre::to_tape(&log, &ConvertOptions::new(1))?;
    let converted = start.elapsed().as_secs_f64();
    let player = cadre::player(Recording::open(&tape[..])?, PlayerOptions::default())?;
    print_foreign(path, (log.json_bytes(), tape.len()), converted, player)
}

fn print_foreign<S: Source, T: Track>(
    path: &Path,
    (raw, tape): (usize, usize),
    converted: f64,
    mut player: Playback<S, Player<T>>,
) -> Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mib = raw as f64 / f64::from(1 << 20);
    println!("{name}: {mib:.1} MiB of frames, a tape of {tape} bytes");
    println!("  to a tape  {:>9.1} ms, {:.0} MiB/s", 1e3 * converted, mib / converted);
    let start = Instant::now();
    player.seek(player.end())?;
    let played = start.elapsed().as_secs_f64();
    println!("  last state {:>9.1} ms, from a keyframe", 1e3 * played);
    print_times("random seek at first", &random_seeks(&mut player, 300)?);
    player.seek(Moment::START)?;
    let start = Instant::now();
    while player.step(Direction::Forward)? {}
    let played = start.elapsed().as_secs_f64();
    println!("  step by step {:>7.1} ms, {:.0} MiB/s", 1e3 * played, mib / played);
    print_times("random seek, all seen", &random_seeks(&mut player, 300)?);
    let (forward, back) = steps(&mut player, 1000)?;
    print_steps(&forward, &back);
    Ok(())
}

/// Prints median and 99th percentile.
pub fn print_times(what: &str, times: &Times) {
    let [median, late] = [50, 99].map(|percent| times.percentile(percent));
    println!("  {what}: median {median:.3} ms, 99th percentile {late:.3} ms");
}

/// Prints steps both ways beside each other.
pub fn print_steps(forward: &Times, back: &Times) {
    print_times("step forward", forward);
    print_times("step back", back);
    println!("  a step back costs {:.1} steps forward", back.mean() / forward.mean());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spectator_sees_what_the_crowd_was() {
        let file = watched(Crowd::new(1), 700).unwrap();
        let mut player = spectator(&file, &Crowd::new(1), PlayerOptions::default()).unwrap();
        let mut crowd = Crowd::new(1);
        for tick in 0..700 {
            player.seek(Moment::before(Tick(tick))).unwrap();
            assert_eq!(*player.state(), first_sight(&crowd).unwrap(), "tick {tick}");
            crowd.step(&mut Vec::new());
        }
        assert_eq!(player.findings(), []);
    }
}
