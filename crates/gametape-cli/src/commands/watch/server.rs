//! A game of a Cadre server, watched as a spectator.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use gametape_cadre::{GameAddress, Log, Options, Seen, Spectator};
use gametape_replay::convert::{Conversion, Form, Storage, convert};
use gametape_replay::inspect::DeltaLine;
use gametape_replay::open::{GamelogBytes, Opened};
use gametape_scene::stage::{Action, Stage, Viewer};
use gametape_wire::Error;

use super::Args;
use crate::commands::{play, record};
use crate::failure::{Done, Failure, Outcome, note, warn_of_loss};
use crate::games::GAMES;
use crate::global::max_memory;
use crate::input::Source;
use crate::output::{Kind, Lines, Output};
use crate::tape::TapeFile;

/// How long to wait for more before somebody may want something else.
const PATIENCE: Duration = Duration::from_millis(100);
/// How long to take in what came before the next picture.
const AT_ONCE: Duration = Duration::from_millis(20);
/// Pieces of the stream that wait to be taken: a server that is faster has to wait.
const WAITING_PIECES: usize = 16;

pub(super) fn watch(args: &Args, address: &str) -> Outcome {
    let name = format!("tcp://{address}");
    let at = address.parse::<GameAddress>();
    let at = at.map_err(|error| Failure::usage(format_args!("{name}: {error}")))?;
    let save = args.save.as_ref().map(|target| target.open(kind_of(args), &Source::Stdin));
    let save = save.transpose()?;
    let options = Options::default().with_max_memory(max_memory());
    let mut game = Game::join(name, at, &options)?;
    let mut viewer = Viewer::new(game.wait_for_begin(&options)?);
    let viewer = if args.prints_lines() {
        game.print(&mut viewer, args.json)?;
        viewer
    } else {
        play::live(viewer, &mut |viewer| game.take_in(viewer))?
    };
    game.finish(args, viewer, save)
}

/// What the game is saved as, by the name of the file.
fn kind_of(args: &Args) -> Kind {
    match args.save.as_ref().map(ToString::to_string).unwrap_or_default().rsplit_once('.') {
        Some((_, "tape")) => Kind::Tape,
        Some((_, "json")) => Kind::Gamelog { is_gzip: false },
        _ => Kind::Gamelog { is_gzip: true },
    }
}

/// A game that is being watched.
struct Game {
    name: String,
    spectator: Spectator,
    socket: TcpStream,
    /// What the server sends; nothing when the connection ended.
    pieces: Receiver<std::io::Result<Vec<u8>>>,
    /// What went wrong on the way.
    problem: Option<String>,
    is_ended: bool,
}

impl Game {
    /// Connects, and asks for the game.
    fn join(name: String, at: GameAddress, options: &Options) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| Failure::io(&name, &error);
        let mut socket = TcpStream::connect(&at.host).map_err(failed)?;
        let (spectator, hello) = Spectator::begin(at.request, options);
        socket.write_all(&hello).map_err(failed)?;
        let mut reading = socket.try_clone().map_err(failed)?;
        let (sender, pieces) = sync_channel(WAITING_PIECES);
        thread::spawn(move || {
            loop {
                let mut piece = vec![0; 64 << 10];
                let read = reading.read(&mut piece).map(|length| {
                    piece.truncate(length);
                    piece
                });
                let is_last = !matches!(&read, Ok(piece) if !piece.is_empty());
                if sender.send(read).is_err() || is_last {
                    return;
                }
            }
        });
        Ok(Self { name, spectator, socket, pieces, problem: None, is_ended: false })
    }

    /// What comes next; `None` where nothing comes in time, or ever.
    fn next(&mut self, log_bytes: usize, until: Instant) -> Result<Option<Seen>, Error> {
        loop {
            match self.spectator.next_seen()? {
                Some(Seen::Send(bytes)) => self.socket.write_all(&bytes)?,
                Some(seen) => return Ok(Some(seen)),
                // Servers end the connection then, but need not.
                None if self.is_ended || self.spectator.is_over() => {
                    self.is_ended = true;
                    return Ok(None);
                }
                None => {
                    let patience = until.saturating_duration_since(Instant::now());
                    match self.pieces.recv_timeout(patience) {
                        Ok(Ok(piece)) if !piece.is_empty() => {
                            self.spectator.receive(&piece, log_bytes)?;
                        }
                        Ok(Err(error)) => {
                            self.is_ended = true;
                            return Err(error.into());
                        }
                        Err(RecvTimeoutError::Timeout) => return Ok(None),
                        Ok(Ok(_)) | Err(RecvTimeoutError::Disconnected) => self.is_ended = true,
                    }
                }
            }
        }
    }

    /// The game without deltas, as soon as it begins.
    fn wait_for_begin(&mut self, options: &Options) -> Result<Stage<TapeFile>, Failure> {
        let mut is_noted = false;
        let log: Log = loop {
            let name = self.name.clone();
            let failed = |error: Error| Failure::of(&name, &error);
            match self.next(0, Instant::now() + PATIENCE).map_err(failed)? {
                Some(Seen::Begin(log)) => break *log,
                _ if self.is_ended => {
                    let problem = "the server ended the connection before the game began";
                    return Err(Failure::refused(&self.name, problem));
                }
                _ => {}
            }
            if !is_noted && self.spectator.is_in() {
                note(&self.name, "waiting for the game to begin");
                is_noted = true;
            }
        };
        let stage = Stage::of_gamelog(log, options).and_then(Stage::follow);
        stage.map_err(|error| Failure::of(&self.name, &error))
    }

    /// Adds what came to what is shown.
    fn take_in(&mut self, viewer: &mut Viewer<TapeFile>) {
        let until = Instant::now() + AT_ONCE;
        while viewer.stage().is_growing()
            && self.step(viewer, Instant::now())
            && Instant::now() < until
        {}
    }

    /// Takes one delta in; false where there is none now.
    fn step(&mut self, viewer: &mut Viewer<TapeFile>, until: Instant) -> bool {
        let log_bytes = viewer.stage().gamelog().map_or(0, |game| game.log().json_bytes());
        let done = match self.next(log_bytes, until) {
            Ok(Some(Seen::Delta(delta))) => viewer.extend(&delta).map(|()| true),
            Ok(_) => Ok(false),
            Err(error) => Err(error),
        };
        if let Err(error) = &done {
            self.problem = Some(error.to_string());
            self.is_ended = true;
        }
        if self.is_ended && done != Ok(true) {
            let is_over = self.spectator.ending().is_over;
            let why = if is_over { "the game is over" } else { "the connection ended" };
            viewer.stop_growing(self.problem.clone().unwrap_or_else(|| why.to_owned()));
        }
        done.unwrap_or(false)
    }

    /// Prints a line for each delta, until the game is over or somebody ends it.
    fn print(&mut self, viewer: &mut Viewer<TapeFile>, json: bool) -> Result<(), Failure> {
        let stop = record::stop_signal()?;
        let mut lines = Lines::new(json);
        viewer.act(Action::Last, Duration::ZERO);
        while viewer.stage().is_growing() && !stop.load(Ordering::Relaxed) {
            if self.step(viewer, Instant::now() + PATIENCE) {
                viewer.tick(Duration::ZERO);
                if let Some(line) = viewer.stage().gamelog().and_then(DeltaLine::of_last) {
                    lines.add(&line)?;
                }
            } else {
                lines.flush()?;
            }
        }
        lines.finish()
    }

    /// Writes what was seen, and says what is missing.
    fn finish(self, args: &Args, mut viewer: Viewer<TapeFile>, save: Option<Output>) -> Outcome {
        let ending = self.spectator.ending();
        if let Some(mut out) = save {
            let end = viewer.stage().end();
            viewer.go(end);
            out.fill(&Source::Stdin, |put| {
                let game = viewer.stage().gamelog();
                let game = game.ok_or_else(|| Error::misuse("game", "there is none"))?;
                let log = GamelogBytes::new(ending.copy(game)?.to_json());
                let opened: Opened<Vec<u8>> = Opened::Gamelog(log);
                convert(opened, &conversion(kind_of(args)), &GAMES, put).map(drop)
            })?;
            out.finish()?;
        }
        if let Some(problem) = &self.problem {
            warn_of_loss(&self.name, problem);
        }
        // Whoever quits knows that there is more.
        if self.is_ended {
            ending.losses().iter().for_each(|loss| warn_of_loss(&self.name, loss));
        }
        Ok(Done::Fine)
    }
}

fn conversion(kind: Kind) -> Conversion {
    match kind {
        Kind::Tape => Conversion::default().with_form(Some(Form::Tape)),
        Kind::Gamelog { is_gzip: false } => {
            Conversion::default().with_form(Some(Form::Gamelog)).with_storage(Some(Storage::Plain))
        }
        _ => Conversion::default().with_form(Some(Form::Gamelog)),
    }
}
