//! One player for the views of every tape that can be watched, whatever its game.
//!
//! *Why one type for all: a player is large, and a browser would load it once for each.*

use gametape_minewars::Setup;
use gametape_tape::{ChunkKind, KeyframeIndexEntry, SimSnapshot, Tape};
use gametape_wire::{Result, Tick, View, ViewSet};

use crate::minewars::MinewarsView;
use crate::player::{Player, PlayerOptions, Track, ViewTrack};
use crate::source::OpenTape;
use crate::unknown::UnknownTrack;

/// A view of a tape that is watched.
#[derive(Debug, Clone)]
pub enum TapeTrack {
    /// Its frames are MineWars messages.
    MineWars(Box<ViewTrack<MinewarsView>>),
    /// Its game is not known.
    Unknown(UnknownTrack),
}

impl TapeTrack {
    /// A view of a tape whose frames are MineWars messages, before tick 0.
    #[must_use]
    pub fn minewars(setup: &Setup, view: View) -> Self {
        Self::MineWars(Box::new(ViewTrack::new(view, MinewarsView::new(setup, view))))
    }

    /// A view of a tape whose game is not known, before tick 0.
    #[must_use]
    pub fn unknown(tape: &Tape, view: View) -> Self {
        Self::Unknown(UnknownTrack::new(tape, view))
    }
}

/// Plays a view of a tape; of one that grows, as far as all of it is there.
pub fn player(
    tape: OpenTape,
    track: TapeTrack,
    options: PlayerOptions,
) -> Result<Player<TapeTrack>> {
    let is_growing = tape.is_growing();
    let mut player = Player::new(tape, track, options)?;
    if is_growing {
        player.follow()?;
    }
    Ok(player)
}

/// Does the same with either.
macro_rules! either {
    ($self:expr, $track:ident => $result:expr) => {
        match $self {
            TapeTrack::MineWars($track) => $result,
            TapeTrack::Unknown($track) => $result,
        }
    };
}

impl Track for TapeTrack {
    type State = Self;

    const EVERY_TICK: bool = false;

    fn input_kind(&self) -> ChunkKind {
        either!(self, track => track.input_kind())
    }

    fn is_carried(&self) -> bool {
        either!(self, track => track.is_carried())
    }

    fn state(&self) -> &Self {
        self
    }

    fn views(&self) -> ViewSet {
        either!(self, track => track.views())
    }

    fn owns(&self, keyframe: &KeyframeIndexEntry) -> bool {
        either!(self, track => track.owns(keyframe))
    }

    fn input(&mut self, tick: Tick, view: View, payload: &[u8]) -> Result<()> {
        either!(self, track => track.input(tick, view, payload))
    }

    fn end_tick(&mut self, tick: Tick) -> Result<()> {
        either!(self, track => track.end_tick(tick))
    }

    fn snapshot(&self, tick: Tick) -> SimSnapshot {
        either!(self, track => track.snapshot(tick))
    }

    fn restore(&mut self, snapshot: &SimSnapshot) -> Result<()> {
        either!(self, track => track.restore(snapshot))
    }

    fn copy(&self) -> Option<(Self, usize)> {
        match self {
            Self::MineWars(track) => {
                let (track, memory) = track.copy()?;
                Some((Self::MineWars(Box::new(track)), memory))
            }
            Self::Unknown(track) => {
                let (track, memory) = track.copy()?;
                Some((Self::Unknown(track), memory))
            }
        }
    }
}
