//! What a player is doing, and what it waits for.
//!
//! A task runs until bytes are missing, leaves the player at a moment on the way, and is tried again
//! once they were supplied. It asks for all that it needs next at once.

use std::ops::Range;

use gametape_wire::{Error, ErrorKind, Limit, Need, Result};

use super::Player;
use super::findings::DeepLevel;
use super::track::Track;
use crate::timeline::Direction;

/// Input that is asked for at once, in bytes as stored.
const WINDOW: u64 = 8 << 20;
/// A tick whose input is in several chunks needs all of them at once.
const TICK_BYTES: Limit = Limit::new("input of one tick in bytes", 64 << 20);

/// What a player is doing.
#[derive(Debug, Clone, Copy)]
pub(super) enum Task {
    /// Compares the start with what was recorded of it.
    Enter,
    Seek {
        goal: u64,
        backward: bool,
    },
    /// Looks for where a step leads.
    Step(Direction),
    Verify(DeepLevel),
}

/// Why a task does not go on.
#[derive(Debug)]
pub(super) enum Stop {
    /// Bytes are missing.
    Waiting,
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl<T: Track> Player<T> {
    /// Begins something, and gives up what was under way.
    pub(super) fn undertake(&mut self, task: Task) -> Result<Need> {
        self.keyframes.end_verifying();
        self.lacking.clear();
        self.changes.take();
        self.task = Some(task);
        match task {
            Task::Step(direction) => self.look(direction),
            // What was given up may have left it elsewhere.
            _ => self.input.seek(self.tick),
        }
        self.go_on()
    }

    pub(super) fn go_on(&mut self) -> Result<Need> {
        loop {
            let Some(task) = self.task else { return Ok(Need::Ready) };
            let stopped = match task {
                Task::Enter => self.pass_keyframe(),
                Task::Seek { goal, backward } => self.go(goal, backward),
                Task::Verify(level) => self.go_on_verifying(level),
                Task::Step(direction) => match self.step_goal(direction) {
                    Ok(Some(goal)) => {
                        let backward = goal < self.tick;
                        self.task = Some(Task::Seek { goal, backward });
                        continue;
                    }
                    Ok(None) => self.provide_changes(),
                    Err(stop) => Err(stop),
                },
            };
            match stopped {
                Err(Stop::Waiting) => return Ok(Need::Bytes(self.lacking.clone())),
                Err(Stop::Failed(error)) => {
                    self.task = None;
                    return Err(error);
                }
                Ok(()) => self.task = None,
            }
        }
    }

    /// Takes bytes that were needed. Others are of no use any more.
    pub(super) fn take_bytes(&mut self, range: &Range<u64>, bytes: &[u8]) -> Result<()> {
        let (needed, available) = (range.end.saturating_sub(range.start), bytes.len() as u64);
        if needed != available {
            return Err(Error::at(range.start, "tape", ErrorKind::Truncated { needed, available }));
        }
        let Some(index) = self.lacking.iter().position(|lacking| lacking == range) else {
            return Ok(());
        };
        self.lacking.remove(index);
        self.tape.store(range.start, bytes);
        if self.lacking.is_empty() { self.go_on().map(drop) } else { Ok(()) }
    }

    /// Goes on where these chunks are there, else asks for those that are not.
    pub(super) fn provide(
        &mut self,
        keyframes: &[Range<u64>],
        input: &[Range<u64>],
    ) -> Result<(), Stop> {
        self.lacking = self.tape.ask(keyframes, input);
        if self.lacking.is_empty() { Ok(()) } else { Err(Stop::Waiting) }
    }

    /// Provides what is needed to play from `from` towards `goal`, with the keyframe at `from` where
    /// play enters there, and says how far that leads.
    pub(super) fn provide_way(&mut self, from: u64, goal: u64, enters: bool) -> Result<u64, Stop> {
        let (mut input, until) = self.input.window(from, goal, WINDOW);
        let bytes = input.iter().map(|range| range.end - range.start).sum();
        TICK_BYTES.check(bytes, input.first().map_or(0, |range| range.start))?;
        let mut keyframes = Vec::new();
        if enters {
            keyframes.extend(self.keyframes.ranges(&self.tape, from));
        }
        if self.options.check
            && let Some(next) = self.keyframes.next_after(from).filter(|next| *next <= until)
            && !self.keyframes.has_agreed(next)
        {
            keyframes.extend(self.keyframes.ranges(&self.tape, next));
        }
        if until == goal {
            input.extend(self.input.ranges_at(goal.checked_sub(1)));
        }
        self.provide(&keyframes, &input)?;
        Ok(until)
    }

    /// Provides what the last tick before the position consists of.
    pub(super) fn provide_changes(&mut self) -> Result<(), Stop> {
        let input = self.input.ranges_at(self.tick.checked_sub(1));
        self.provide(&[], &input)
    }
}
