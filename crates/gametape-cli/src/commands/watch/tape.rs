//! A tape that is being written.

use std::thread;
use std::time::{Duration, Instant};

use gametape_replay::inspect::{TapeWatch, WatchLine};
use gametape_scene::stage::Viewer;
use gametape_wire::{Error, Source as _};

use super::Args;
use crate::commands::play;
use crate::commands::stage::{self, Stage};
use crate::failure::{Done, Failure, Outcome, note};
use crate::input::Source;
use crate::output::{Kind, Lines, Output};
use crate::tape::TapeFile;

pub(super) fn watch(args: &Args, source: &Source) -> Outcome {
    let save = args.save.as_ref().map(|target| target.open(Kind::Tape, source)).transpose()?;
    let file = open(source)?;
    // Of standard input everything is there.
    if args.prints_lines() || !file.may_grow() {
        return lines(args, source, file, save);
    }
    let interval = Duration::from_millis(args.interval);
    let stage = match wait_for_begin(args, source, interval) {
        Ok(stage) => stage,
        // Nobody knows how to show it; what is in it can still be listed.
        Err(failure) if args.view.given.is_none() => {
            note(&"watch", format_args!("{}; printing lines", failure.to_text()));
            return lines(args, source, file, save);
        }
        Err(failure) => return Err(failure),
    };
    let mut next = Instant::now();
    let mut viewer = play::live(Viewer::new(stage), &mut |viewer| {
        let now = Instant::now();
        if now >= next {
            // What is wrong is shown, and ends the growth.
            while let Ok(true) = viewer.read_on() {}
            next = now + interval;
        }
    })?;
    if let Some(mut out) = save {
        let finished = out.fill(source, |put| viewer.play.stage.copy_tape(put))?;
        out.finish()?;
        note_unfinished(args, finished);
    }
    Ok(stage::warn_of_problems(viewer.stage(), source))
}

fn note_unfinished(args: &Args, finished: bool) {
    if let (Some(target), false) = (&args.save, finished) {
        note(target, "it has what was recorded so far, and no index: `gametape recover` makes one");
    }
}

/// The recording, as soon as its first chunks are there.
fn wait_for_begin(args: &Args, source: &Source, interval: Duration) -> Result<Stage, Failure> {
    let mut is_noted = false;
    loop {
        match stage::open_followed(open(source)?, source, &args.view)? {
            Some(stage) => return Ok(stage),
            None if !is_noted => note(source, "waiting for the recording to begin"),
            None => {}
        }
        is_noted = true;
        thread::sleep(interval);
    }
}

/// Prints a line for each chunk.
fn lines(args: &Args, source: &Source, mut file: TapeFile, save: Option<Output>) -> Outcome {
    let failed = |error: Error| Failure::of(source, &error);
    let mut lines = Lines::new(args.json);
    let mut watch = TapeWatch::default();
    loop {
        while let Some(line) = watch.next_line(&mut file).map_err(failed)? {
            lines.add(&line)?;
        }
        if args.once || watch.is_finished() || !file.may_grow() {
            break;
        }
        lines.flush()?;
        thread::sleep(Duration::from_millis(args.interval));
    }
    let is_damaged = watch.is_damaged();
    let rest = watch.close(&mut file).map_err(failed)?;
    rest.iter().try_for_each(|line| lines.add(line))?;
    lines.finish()?;
    if let (Some(mut out), Some(WatchLine::End { finished, offset })) = (save, rest.last()) {
        let end = if *finished { file.length() } else { *offset };
        out.fill(source, |put| put(&file.fetch(0..end)?))?;
        out.finish()?;
        note_unfinished(args, *finished);
    }
    Ok(Done::lost_if(is_damaged))
}

/// A tape, or a file that may still become one.
fn open(source: &Source) -> Result<TapeFile, Failure> {
    // What cannot grow is a tape or none.
    if !source.may_grow() {
        return source.tape();
    }
    let mut file = source.open_as_tape()?;
    // Less than four bytes may still become the start of a tape.
    let is_other = file.length() >= 4 && file.is_tape()? == Some(false);
    if is_other { source.tape() } else { Ok(file) }
}
