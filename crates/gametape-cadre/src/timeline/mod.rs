//! Playing a log: any state, forward, backward, in any order.

pub(crate) mod game;
mod keyframes;
pub(crate) mod turns;

use gametape_wire::{Error, Result};

use crate::check::find::{Change, changes_of};
use crate::limits::Options;
use crate::log::Log;
use crate::log::markers::Markers;
use crate::merge::watch::Unwatched;
use crate::merge::{Merger, Parked};
use crate::state::State;
use crate::state::tree::Tree;
use crate::timeline::keyframes::Keyframes;
use crate::timeline::turns::{TurnReader, Turns};

/// A log whose every state can be reached.
///
/// A *position* counts the deltas that were merged: at position 0 the state is the empty object,
/// at position `n` it is the state after delta `n - 1`.
///
/// ```
/// use gametape_cadre::{Log, Options, Timeline, sample};
///
/// let log = Log::open(&sample::log(100, 7), &Options::default()).unwrap();
/// let mut timeline = Timeline::load(log, &Options::default()).unwrap();
/// assert_eq!(timeline.position(), 100);
/// let last = timeline.state().hash();
/// timeline.seek(3).unwrap();
/// timeline.step_back().unwrap();
/// timeline.seek(100).unwrap();
/// assert_eq!(timeline.state().hash(), last);
/// ```
#[derive(Debug)]
pub struct Timeline {
    log: Log,
    merger: Merger,
    position: usize,
    /// The highest position so far: up to here deltas are known to merge.
    reached: usize,
    keyframes: Keyframes,
    turns: Turns,
    turn_reader: TurnReader,
    /// The state at the end, kept while deltas are pushed and the position is elsewhere.
    end: Option<Parked>,
}

/// A state that was kept, to be looked at through [`Timeline::view`].
#[derive(Debug)]
pub struct Snapshot {
    tree: Tree,
    position: usize,
}

impl Snapshot {
    /// How many deltas were merged.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }
}

impl Timeline {
    /// Merges every delta once, keeping keyframes on the way. Ends at the last state.
    pub fn load(log: Log, options: &Options) -> Result<Self> {
        match Self::load_readable(log, options)? {
            (timeline, None) => Ok(timeline),
            (_, Some(error)) => Err(error),
        }
    }

    /// Merges every delta up to one that cannot be merged, and says why it cannot. Seeking to it or
    /// after it fails for the same reason.
    ///
    /// ```
    /// use gametape_cadre::{Log, Options, Timeline};
    ///
    /// let text = br#"{"deltas":[{"game":{"turn":1}},{"game":7},{"game":{"turn":2}}]}"#;
    /// let log = Log::open(text, &Options::default()).unwrap();
    /// let (mut timeline, problem) = Timeline::load_readable(log, &Options::default()).unwrap();
    /// assert_eq!(timeline.state().canonical(), br#"{"turn":1}"#);
    /// assert_eq!(problem, timeline.seek(3).err());
    /// assert!(problem.is_some());
    /// ```
    pub fn load_readable(log: Log, options: &Options) -> Result<(Self, Option<Error>)> {
        let shares = log.shares();
        let mut merger = Merger::new(log.markers().clone(), shares)?;
        let mut timeline = Self {
            position: 0,
            reached: 0,
            keyframes: Keyframes::new(options.keyframe_bytes.min(shares.keyframe_bytes)),
            turns: Turns::default(),
            turn_reader: TurnReader::new(&mut merger)?,
            end: None,
            log,
            merger,
        };
        // Nobody steps back while loading: keyframes and replay will do.
        timeline.merger.journal.pause();
        while timeline.position < timeline.log.len() {
            if let Err(error) = timeline.load_next() {
                return Ok((timeline, Some(error)));
            }
        }
        timeline.merger.journal.resume();
        Ok((timeline, None))
    }

    /// Merges the next delta while loading.
    fn load_next(&mut self) -> Result<()> {
        if !self.merger.journal.is_paused() {
            let merged = self.advance();
            self.merger.journal.clear();
            return merged;
        }
        let holes = self.merger.holes_left;
        self.advance().or_else(|_| {
            self.note_from_here()?;
            self.merger.holes_left = holes;
            self.advance()
        })
    }

    /// Comes back to this position after a delta that could not simply be merged, and notes every change from here
    /// on: so a log with many such deltas comes back once.
    #[cold]
    fn note_from_here(&mut self) -> Result<()> {
        let position = self.position;
        self.merger.journal.resume();
        self.keyframes.restore(position, &mut self.merger.tree);
        self.position = self.keyframes.nearest(position);
        while self.position < position {
            self.advance()?;
        }
        Ok(())
    }

    /// A timeline without deltas, to be pushed.
    pub fn empty(markers: Markers) -> Result<Self> {
        let options = Options::default();
        Self::load(Log::new(markers, &options), &options)
    }

    /// The log that is played.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Gives the log back.
    #[must_use]
    pub fn into_log(self) -> Log {
        self.log
    }

    /// How many positions there are after position 0: the number of deltas.
    #[must_use]
    pub fn len(&self) -> usize {
        self.log.len()
    }

    /// Are there no deltas?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.log.is_empty()
    }

    /// How many deltas are merged now.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// The state now.
    #[must_use]
    pub fn state(&self) -> State<'_> {
        self.state_of(&self.merger.tree)
    }

    /// Keeps the state of now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { tree: self.merger.tree.compacted(), position: self.position }
    }

    /// A state that was kept. The snapshot must come from this timeline.
    #[must_use]
    pub fn view<'a>(&'a self, snapshot: &'a Snapshot) -> State<'a> {
        self.state_of(&snapshot.tree)
    }

    fn state_of<'a>(&'a self, tree: &'a Tree) -> State<'a> {
        State { tree, keys: &self.merger.keys, text: self.log.text() }
    }

    /// Goes to a position.
    pub fn seek(&mut self, position: usize) -> Result<()> {
        if position > self.log.len() {
            let problem = format!("there are {} deltas, not {position}", self.log.len());
            return Err(Error::misuse("position", problem));
        }
        self.restart_for(position);
        if position == self.log.len() {
            // It would be the same state twice.
            self.end = None;
        }
        while self.position > position && self.merger.journal.undo(&mut self.merger.tree) {
            self.position -= 1;
        }
        while self.position < position {
            self.advance()?;
        }
        Ok(())
    }

    /// Goes to the nearest keyframe, unless the way from here is shorter or as short.
    fn restart_for(&mut self, position: usize) {
        if position == self.log.len()
            && let Some(mut end) = self.end.take()
        {
            self.merger.exchange(&mut end);
            self.position = position;
            return;
        }
        let start = self.keyframes.nearest(position);
        let from_here = if position >= self.position {
            Some(self.distance(self.position, position))
        } else if self.merger.journal.depth() >= self.position - position {
            Some(self.distance(position, self.position))
        } else {
            None
        };
        if from_here.is_some_and(|distance| distance <= self.distance(start, position)) {
            return;
        }
        self.keyframes.restore(position, &mut self.merger.tree);
        self.merger.journal.clear();
        self.position = start;
    }

    /// What it costs to go from one position to a later one, in bytes of text.
    fn distance(&self, from: usize, to: usize) -> u64 {
        self.log.offset(to) - self.log.offset(from)
    }

    /// One delta forward. False at the end.
    pub fn step(&mut self) -> Result<bool> {
        if self.position == self.log.len() {
            return Ok(false);
        }
        self.advance()?;
        Ok(true)
    }

    /// One delta back. False at the start.
    pub fn step_back(&mut self) -> Result<bool> {
        if self.position == 0 {
            return Ok(false);
        }
        if self.merger.journal.undo(&mut self.merger.tree) {
            self.position -= 1;
        } else {
            self.seek(self.position - 1)?;
        }
        Ok(true)
    }

    /// What the delta before the position changed. Takes it back and merges it again.
    ///
    /// ```
    /// use gametape_cadre::{Markers, Timeline};
    ///
    /// let mut timeline = Timeline::empty(Markers::default()).unwrap();
    /// timeline.push_game(br#"{"turn":1,"name":"x"}"#).unwrap();
    /// timeline.push_game(br#"{"turn":2,"name":"x"}"#).unwrap();
    /// let changes = timeline.changes().unwrap();
    /// assert_eq!((changes.len(), &*changes[0].path), (1, "turn"));
    /// assert_eq!(changes[0].after.as_deref(), Some(b"2".as_slice()));
    /// ```
    pub fn changes(&mut self) -> Result<Vec<Change>> {
        if !self.step_back()? {
            return Ok(Vec::new());
        }
        self.merger.grant_holes();
        let changes = changes_of(&mut self.merger, &self.log, self.position)?;
        self.position += 1;
        Ok(changes)
    }

    /// Merges the next delta.
    fn advance(&mut self) -> Result<()> {
        let is_new = self.position == self.reached;
        if !is_new {
            self.merger.grant_holes();
        }
        self.merger.merge_delta(&self.log, self.position, &mut Unwatched)?;
        self.position += 1;
        self.merger.tidy();
        if is_new {
            self.reached = self.position;
            let turn = self.turn_reader.read(&mut self.merger, self.log.text());
            self.turns.note(self.position - 1, turn);
            self.keep_keyframe();
        }
        Ok(())
    }

    fn keep_keyframe(&mut self) {
        let offset = self.log.offset(self.position);
        if self.keyframes.is_due(offset, &self.merger.tree) {
            self.keyframes.keep(self.position, offset, &self.merger.tree);
        }
    }

    /// Adds a delta to the log and merges it. A position at the end stays at the end, any other stays
    /// where it is, and costs nothing: the state at the end is kept beside it. A delta that cannot be
    /// merged is not added.
    ///
    /// ```
    /// use gametape_cadre::{Markers, Timeline};
    ///
    /// let mut timeline = Timeline::empty(Markers::default()).unwrap();
    /// timeline.push_game(br#"{"currentTurn":1}"#).unwrap();
    /// assert_eq!((timeline.position(), timeline.len()), (1, 1));
    /// timeline.seek(0).unwrap();
    /// timeline.push_game(br#"{"currentTurn":2}"#).unwrap();
    /// assert_eq!((timeline.position(), timeline.len()), (0, 2));
    /// assert_eq!(timeline.turns().last(), Some(2));
    /// ```
    pub fn push(&mut self, delta: &[u8]) -> Result<()> {
        if self.position == self.log.len() {
            self.end = None;
            return self.push_at_end(delta);
        }
        let position = self.position;
        let mut here = match self.end.take() {
            Some(end) => end,
            None => Parked::new(self.end_tree()?),
        };
        self.merger.exchange(&mut here);
        self.position = self.log.len();
        let pushed = self.push_at_end(delta);
        self.merger.exchange(&mut here);
        self.position = position;
        self.end = Some(here);
        pushed
    }

    fn push_at_end(&mut self, delta: &[u8]) -> Result<()> {
        self.log.push(delta)?;
        self.merger.limit(self.log.shares());
        let advanced = self.advance();
        if advanced.is_err() {
            self.log.pop();
        }
        advanced
    }

    /// The state at the end, while the position is elsewhere.
    fn end_tree(&mut self) -> Result<Tree> {
        let position = self.position;
        let here = self.snapshot();
        let end = self.seek(self.log.len()).map(|()| self.merger.tree.compacted());
        self.merger.tree = here.tree;
        self.merger.journal.clear();
        self.position = position;
        end
    }

    /// Sets a field of the log, such as `winners` when the game is over. The markers cannot change once
    /// there are deltas.
    pub fn set_field(&mut self, name: &str, value: &[u8]) -> Result<()> {
        if name == "constants" && !self.is_empty() {
            return Err(Error::misuse("constants", "the markers cannot change during a game"));
        }
        self.log.set_field(name, value)
    }

    /// Adds a delta that has only a `game`.
    pub fn push_game(&mut self, game: &[u8]) -> Result<()> {
        let delta = [b"{\"game\":".as_slice(), game, b"}"].concat();
        self.push(&delta)
    }

    /// The turns of the log, as far as it was played.
    #[must_use]
    pub fn turns(&self) -> &Turns {
        &self.turns
    }

    /// How many keyframes there are, and how many bytes they take.
    #[must_use]
    pub fn keyframes(&self) -> (usize, usize) {
        (self.keyframes.count(), self.keyframes.bytes())
    }
}
