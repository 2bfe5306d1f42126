//! How a match ended, by what the spectator received.

use gametape_wire::{Result, SortedMap, View};

use crate::file::ReplayFile;
use crate::frames::Frames;
use crate::state::replay_view;
use crate::state::{PlayerState, ViewState};

/// How a match ended: all frames are played for it.
///
/// ```
/// use gametape_minewars::sample::Sample;
/// use gametape_minewars::{Ending, Generation, ReplayFile, WriteOptions, write_file};
///
/// let (setup, frames) = Sample::default().build(Generation::Current)?;
/// let bytes = write_file(&setup, &frames, &WriteOptions::default())?;
/// let ending = Ending::of(&ReplayFile::open(&bytes)?)?;
/// assert!(ending.time > 0);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ending {
    /// When the last frame happens, in milliseconds (ticks in v0.1).
    pub time: u64,
    /// The names of the players, as far as they are known.
    pub names: SortedMap<u8, String>,
    /// The only player who was neither eliminated nor surrendered, where all others were.
    pub winner: Option<u8>,
}

impl Ending {
    /// Plays a file to its end.
    pub fn of(file: &ReplayFile<'_>) -> Result<Self> {
        let map = file.setup().map()?;
        let bytes = file.frames()?.bytes;
        let frames = Frames::new(file.frame_layout()?, &bytes);
        let end = replay_view(&map, frames, file.dialect(), View::SPECTATOR, u64::MAX);
        let names = names_in_setup(file)?.unwrap_or_else(|| names(&end.state));
        Ok(Self { time: end.time, names, winner: winner(&end.state) })
    }

    /// What a player is called: the name, or `player 2`.
    #[must_use]
    pub fn name(&self, player: u8) -> String {
        self.names.get(&player).cloned().unwrap_or_else(|| format!("player {player}"))
    }
}

/// The names of the players, as far as they are known: those of the setup, or else those that joined,
/// for which all frames are played.
pub fn player_names(file: &ReplayFile<'_>) -> Result<SortedMap<u8, String>> {
    match names_in_setup(file)? {
        Some(names) => Ok(names),
        None => Ending::of(file).map(|ending| ending.names),
    }
}

fn names_in_setup(file: &ReplayFile<'_>) -> Result<Option<SortedMap<u8, String>>> {
    let names = file.setup().player_names()?;
    Ok(names.map(|names| (1..).zip(names.into_iter().map(String::from)).collect()))
}

/// The first client of each player gives it its name.
fn names(state: &ViewState) -> SortedMap<u8, String> {
    let name = |player: &PlayerState| {
        let client = player.clients.values().next()?;
        Some(String::from_utf8_lossy(&client.name).into_owned())
    };
    state.players().filter_map(|(id, player)| Some((id, name(player)?))).collect()
}

fn winner(state: &ViewState) -> Option<u8> {
    let is_out = |player: &PlayerState| player.eliminated || player.surrendered;
    let mut left = state.players().filter(|(id, player)| *id != 0 && !is_out(player));
    let (winner, _) = left.next()?;
    let is_last = left.next().is_none() && state.players().any(|(_, player)| is_out(player));
    is_last.then_some(winner)
}
