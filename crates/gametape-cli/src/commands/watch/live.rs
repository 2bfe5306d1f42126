//! A match of a live server.

use std::fs::File;
use std::time::{Duration, Instant};

use gametape_live::{Notice, StartAt};
use gametape_net::{Address, KeptTapes, Seen, SeenLine, Watch, WatchOptions};
use gametape_replay::ViewName;
use gametape_scene::stage::Viewer;
use gametape_wire::{Error, Moment, ViewSet};

use super::Args;
use crate::commands::play;
use crate::commands::stage::{self, Stage};
use crate::failure::{Done, Failure, Outcome, note};
use crate::input::Source;
use crate::output::{Kind, Lines};
use crate::tape::TapeFile;

/// How often the tape grows that somebody looks at, and how near to live they are.
const SMOOTH: Duration = Duration::from_millis(50);
const NEAR: Duration = Duration::from_millis(150);
/// How often lines say how far it is.
const SHOWN: Duration = Duration::from_millis(200);

pub(super) fn watch(args: &Args, address: &Address) -> Outcome {
    let save = args.save.as_ref().map(|target| target.open(Kind::Tape, &Source::Stdin));
    let save = save.transpose()?;
    let failed = |error: Error| Failure::of(address, &error);
    let mut session = Session {
        watch: Watch::begin(options(args, address)).map_err(failed)?,
        tapes: KeptTapes::new().map_err(failed)?,
        has_lost: false,
        ended: None,
    };
    if args.prints_lines() {
        session.lines(args).map_err(|failure| failure.unwrap_or_else(failed))?;
    } else {
        session.show(args, address)?;
    }
    let ended = session.ended.take().unwrap_or(Ok(()));
    if let Some(mut out) = save.filter(|_| session.tapes.count() > 0) {
        out.fill(address, |put| session.tapes.save(put))?;
        out.finish()?;
    }
    ended.map_err(failed)?;
    Ok(Done::lost_if(session.has_lost))
}

fn options(args: &Args, address: &Address) -> WatchOptions {
    let mut options = WatchOptions::new(address.clone());
    options.name = args.name.clone().or(options.name);
    options.trust = args.server.trust();
    options.pass = args.server.pass.clone();
    // A name is known when the match is.
    if let Some(ViewName::Number(view)) = &args.view.given {
        options.views = ViewSet::EMPTY.with(*view);
    }
    options.at = args.at;
    options.every = if args.prints_lines() { SHOWN } else { SMOOTH };
    options
}

/// A match that is being watched.
struct Session {
    watch: Watch,
    tapes: KeptTapes,
    has_lost: bool,
    ended: Option<Result<(), Error>>,
}

impl Session {
    /// Takes what happened.
    fn take(&mut self, seen: &Seen) -> Result<(), Error> {
        self.tapes.take(seen)?;
        match seen {
            Seen::Notice(Notice::Lost { .. }) => self.has_lost = true,
            Seen::Ended(ended) => self.ended = Some(ended.clone()),
            _ => {}
        }
        Ok(())
    }

    /// Prints a line for what happens, until the match is over or somebody ends it.
    fn lines(&mut self, args: &Args) -> Result<(), Result<Failure, Error>> {
        let control = self.watch.control();
        let handler = ctrlc::set_handler(move || control.end());
        handler.map_err(|error| Ok(Failure::refused(&"Ctrl-C", &error.to_string())))?;
        let mut lines = Some(Lines::new(args.json));
        let mut next = Instant::now();
        while self.ended.is_none()
            && let Some(seen) = self.watch.wait()
        {
            self.take(&seen).map_err(Err)?;
            if args.once && matches!(seen, Seen::Notice(Notice::Shown { .. })) {
                self.watch.control().end();
            }
            let is_due =
                !matches!(seen, Seen::Notice(Notice::Shown { .. })) || Instant::now() >= next;
            let Some(line) = SeenLine::of(&seen).filter(|_| is_due) else { continue };
            if matches!(line, SeenLine::Shown { .. }) {
                next = Instant::now() + SHOWN;
            }
            let Some(open) = &mut lines else { continue };
            match open.add(&line).and_then(|()| open.flush()) {
                Ok(()) => {}
                // Whoever stops reading the lines still wants the tape.
                Err(_) if args.save.is_some() => lines = None,
                Err(failure) => return Err(Ok(failure)),
            }
        }
        lines.map_or(Ok(()), |lines| lines.finish().map_err(Ok))
    }

    /// Shows it in the terminal, until somebody quits.
    fn show(&mut self, args: &Args, address: &Address) -> Result<(), Failure> {
        let failed = |error: Error| Failure::of(address, &error);
        note(address, "waiting for the match");
        let stage = loop {
            if let Some(stage) = self.open(args)? {
                break stage;
            }
            match self.watch.wait() {
                Some(seen) => self.take(&seen).map_err(failed)?,
                None => return Ok(()),
            }
            if let Some(Err(error)) = &self.ended {
                return Err(Failure::of(address, error));
            }
        };
        let mut shown = Shown { tapes: self.tapes.count(), wanted: None };
        let mut viewer = Viewer::new(stage);
        viewer.play.stay_near(NEAR);
        play::live(viewer, &mut |viewer| self.feed(args, viewer, &mut shown))?;
        // Whoever quits gets the tape with its index.
        self.watch.control().end();
        while self.ended.is_none()
            && let Some(seen) = self.watch.wait()
        {
            self.take(&seen).map_err(failed)?;
        }
        Ok(())
    }

    /// The tape that grows, as soon as its first chunks are there.
    fn open(&self, args: &Args) -> Result<Option<Stage>, Failure> {
        let Some((path, _)) = self.tapes.present() else { return Ok(None) };
        let source = Source::File(path.to_owned());
        let file = File::open(path).map_err(|error| Failure::io(&source, &error))?;
        stage::open_followed(TapeFile::in_file(&source, file), &source, &args.view)
    }

    /// Adds what came to what is shown.
    fn feed(&mut self, args: &Args, viewer: &mut Viewer<TapeFile>, shown: &mut Shown) {
        while let Some(seen) = self.watch.try_next() {
            if let Err(error) = self.take(&seen) {
                viewer.stop_growing(error.to_string());
            }
            match &seen {
                Seen::Lost { .. } | Seen::Notice(Notice::Lost { .. }) => {
                    viewer.message = SeenLine::of(&seen).map(|line| line.to_string());
                }
                Seen::Ended(Err(error)) => viewer.stop_growing(error.to_string()),
                _ => {}
            }
        }
        if shown.tapes < self.tapes.count() {
            self.replace(args, viewer, shown);
        }
        // What is wrong is shown, and ends the growth.
        while let Ok(true) = viewer.read_on() {}
        self.go_back(viewer, shown);
    }

    /// Shows another tape, at the moment that somebody wanted to see.
    fn replace(&mut self, args: &Args, viewer: &mut Viewer<TapeFile>, shown: &mut Shown) {
        let Ok(Some(mut stage)) = self.open(args) else { return };
        // Who looks as somebody goes on to do so.
        let _ = stage.look_as(&ViewName::Number(viewer.stage().view()));
        if shown.wanted.is_some_and(|wanted| stage.end() < wanted) {
            return;
        }
        let wanted = shown.wanted.take().unwrap_or(stage.end());
        viewer.replace(stage);
        viewer.message = None;
        viewer.go(wanted);
        shown.tapes = self.tapes.count();
    }

    /// Whoever goes to what was before the tape began gets another tape, from there on.
    fn go_back(&mut self, viewer: &mut Viewer<TapeFile>, shown: &mut Shown) {
        let Some(wanted) = viewer.before.take() else { return };
        if self.ended.is_some() {
            return;
        }
        shown.wanted = Some(wanted);
        viewer.message = Some("getting what was before".to_owned());
        let tick = wanted.last_tick().unwrap_or_default();
        self.watch.control().seek(StartAt::Tick(tick));
    }
}

/// What the terminal shows.
struct Shown {
    /// Of which tape.
    tapes: usize,
    /// The moment to go to when it is there.
    wanted: Option<Moment>,
}
