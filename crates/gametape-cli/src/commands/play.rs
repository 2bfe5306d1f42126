//! `gametape play`: watch a recording in the terminal.
//!
//! A recording is a [`show`]: moments that can be gone to and drawn. The [`player`] knows which
//! moment it is and what keys mean, the [`screen`] draws what every show has, and the [`terminal`]
//! is all that touches the outside.

mod gamelog;
mod keys;
mod list;
mod minewars;
mod player;
mod screen;
mod show;
mod terminal;
#[cfg(test)]
mod testing;

use gametape_minewars::ReplayFile;
use gametape_tape::Depth;
use gametape_wire::{Error, View};

use crate::failure::{Done, Failure, Outcome};
use crate::gamelog::load;
use crate::input::{self, Input, Opened, Recording, RecordingArgs, Source};
use crate::moment::{When, warn_of_problems};
use crate::progress::waiting_first;
use crate::tape::{Content, Metadata, TapeFile};
use crate::view_arg::{Names, ViewArg};
use gamelog::Gamelog;
use minewars::MineWars;
use player::Player;
use show::Show;

/// Watch a recording in the terminal, moment by moment
///
/// A gamelog is shown as the tree of its state, a MineWars recording as its map; what changed is
/// marked. A tape is shown as what it holds, and a long one is entered at its keyframes. Press ? for
/// all keys.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    recording: RecordingArgs,

    /// Where to begin: start, end, turn:N or the number of a delta in a gamelog, milliseconds in a
    /// MineWars recording or a tape of one
    #[arg(long, value_name = "MOMENT", default_value = "start")]
    at: When,

    #[command(flatten)]
    view: ViewArg,
}

const EXAMPLES: &str = "\
Keys: left and right step, space plays, + and - change the speed, g and t go to a number, a turn
or a time, v changes the view, enter opens a branch of the tree, ? explains the others, q quits.

Examples:
  gametape play match.minewars
  gametape play --at 30000 --view 1 match.tape
  gametape play --at turn:12 game.json.gz";

impl Args {
    /// To watch a recording from a time in milliseconds on.
    pub(super) fn from_time(source: &Source, milliseconds: u64) -> Self {
        let recording = RecordingArgs { source: source.clone(), dialect: None, headerless: false };
        Self { recording, at: When::Number(milliseconds), view: ViewArg { given: None } }
    }

    pub(crate) fn run(self) -> Outcome {
        terminal::require()?;
        let input = match self.recording.open()? {
            Opened::Whole(input) => input,
            Opened::Tape(mut file) => {
                let tape = file.open(Depth::Summary)?;
                let content = Metadata::of(&tape).text("content");
                if Content::of(content.as_deref()) == Some(Content::MineWars) {
                    let names = || Names::of_tape(&Metadata::of(&tape));
                    let view = self.view.given.as_ref();
                    let view = view.map(|name| name.find(&file.source, names)).transpose()?;
                    return play_tape(file, self.at, view);
                }
                file.into_recording()?
            }
        };
        match input.recording()? {
            Recording::MineWars(file) => play_minewars(&input, &file, self.at, &self.view),
            Recording::Gamelog(log) => {
                log.refuse(&[("--view", self.view.given.is_some())])?;
                play_gamelog(&log, self.at)
            }
        }
    }
}

fn play_minewars(input: &Input, file: &ReplayFile<'_>, at: When, view: &ViewArg) -> Outcome {
    let failed = |error: Error| Failure::of(&input.source, &error);
    let frames = file.frames().map_err(failed)?;
    let name = short_name(&input.source);
    let view = view.find(&input.source, || Names::of_file(file))?;
    let open = || MineWars::open(&name, file, &frames.bytes, view);
    let player = play(waiting_first("replaying", open).map_err(failed)?, at)?;
    let (problems, count) = player.show.problems();
    Ok(warn_of_problems(&input.source, &problems, count))
}

/// Plays a tape from its keyframes, whatever its length.
fn play_tape(file: TapeFile, at: When, view: Option<View>) -> Outcome {
    let source = file.source.clone();
    let name = short_name(&source);
    let open = || MineWars::open_tape(&name, file, view);
    let opened = waiting_first("reading", open).map_err(|error| Failure::of(&source, &error))?;
    let player = play(opened, at)?;
    let (problems, count) = player.show.problems();
    Ok(warn_of_problems(&source, &problems, count))
}

fn play_gamelog(log: &input::Gamelog<'_>, at: When) -> Outcome {
    let timeline = waiting_first("merging", || load(log))?;
    play(Gamelog::new(&short_name(log.source), timeline), at)?;
    Ok(Done::Fine)
}

/// The name of a file without its folders.
fn short_name(source: &Source) -> String {
    let name = match source {
        Source::File(path) => path.file_name(),
        Source::Stdin => None,
    };
    name.map_or_else(|| source.to_string(), |name| name.to_string_lossy().into_owned())
}

/// Plays from a moment until somebody quits.
fn play<S: Show>(show: S, at: When) -> Result<Player<S>, Failure> {
    let moment = show.find(at).map_err(Failure::usage)?;
    let mut player = Player::new(show, moment);
    terminal::run(&mut player)?;
    Ok(player)
}
