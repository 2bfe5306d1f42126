//! A recording that grows while it is looked at.

use std::ops::Range;

use gametape_replay::{Put, Timeline as _};
use gametape_wire::{Error, ErrorClass, Result, Source, View};

use super::{KEPT_BYTES, Origin, SeenTimeline, Stage, seek};

/// How much of a tape is read at once.
const PIECE: u64 = 1 << 20;

impl<S: Source> Stage<S> {
    /// The same recording, of which more may come: a tape that is being recorded, or a gamelog whose deltas
    /// are [added](Self::extend). A tape that was finished, or holds a gamelog, stays as it is.
    pub fn follow(mut self) -> Result<Self> {
        if self.followed.is_some() {
            return Ok(self);
        }
        match (&mut self.origin, &self.source) {
            (Origin::Gamelog, None) => self.followed = Some(0),
            (Origin::Tape(open), Some(_)) if !open.tape().is_finished() => {
                open.follow()?;
                self.followed = Some(open.end());
                self.timeline = self.followed_timeline(self.view)?;
                for index in 0..self.others.len() {
                    let view = self.others[index].0;
                    self.others[index].1 = self.followed_timeline(view)?;
                }
            }
            // The deltas of a tape are read when it is opened.
            (Origin::Tape(_) | Origin::Gamelog, _) => {}
            (Origin::File(_), _) => {
                return Err(Error::misuse("recording", "a MineWars file does not grow"));
            }
        }
        Ok(self)
    }

    /// The tape as a view sees it, as far as all of it is there, at the same moment as before.
    fn followed_timeline(&mut self, view: View) -> Result<SeenTimeline> {
        let mut timeline = self.timeline_of(view, KEPT_BYTES / self.seen().len().max(1))?;
        let moment = self.timeline.position().min(timeline.end());
        seek(&mut timeline, self.source.as_mut(), moment)?;
        Ok(timeline)
    }

    /// Is it too early to open a tape that is being recorded, because its first chunks are not there yet?
    #[must_use]
    pub fn is_early(error: &Error) -> bool {
        error.class() == ErrorClass::Truncated || error.item() == "setup"
    }

    /// May more come?
    #[must_use]
    pub fn is_growing(&self) -> bool {
        self.followed.is_some() && self.timeline.is_growing()
    }

    /// Was it followed, at any time?
    #[must_use]
    pub fn was_followed(&self) -> bool {
        self.followed.is_some()
    }

    /// Adds what came since: bytes of a tape in any pieces, or one delta of a gamelog. After an error nothing more
    /// comes.
    pub fn extend(&mut self, piece: &[u8]) -> Result<()> {
        let grown = self.timeline.grow(piece);
        if let (Origin::Tape(open), Some(known)) = (&mut self.origin, &mut self.followed) {
            *known += piece.len() as u64;
            // The timeline says what is wrong with it.
            let _ = open.extend(piece);
            self.views = self.views.or(open.tape().views());
            for (_, timeline) in &mut self.others {
                let _ = timeline.grow(piece);
            }
        }
        self.chronicle = std::mem::take(&mut self.chronicle).grown(piece, self.seen().len());
        self.tree.take();
        if grown.is_err() {
            self.stop_growing();
        }
        grown
    }

    /// Reads what the source of a tape has more than before, at most a piece. True where there was more.
    pub fn read_on(&mut self) -> Result<bool> {
        let (Some(known), Some(source)) = (self.followed, &mut self.source) else {
            return Ok(false);
        };
        if !self.timeline.is_growing() {
            return Ok(false);
        }
        let length = source.length();
        if length < known {
            self.stop_growing();
            return Err(Error::misuse("tape", "it became shorter while it was followed"));
        }
        let range = known..length.min(known + PIECE);
        if range.is_empty() {
            return Ok(false);
        }
        let bytes = source.fetch(range)?.into_owned();
        self.extend(&bytes)?;
        Ok(true)
    }

    /// Says that nothing more comes.
    pub fn stop_growing(&mut self) {
        self.timeline.stop_growing();
        self.others.iter_mut().for_each(|(_, timeline)| timeline.stop_growing());
    }

    /// The bytes of the tape as far as its chunks are whole, put piece by piece: a tape of what was there. Says
    /// whether it was finished.
    pub fn copy_tape(&mut self, put: &mut Put<'_>) -> Result<bool> {
        let (Origin::Tape(open), Some(source)) = (&self.origin, &mut self.source) else {
            return Err(Error::misuse("recording", "it is no tape that is followed"));
        };
        let is_finished = open.tape().is_finished() || !open.is_growing();
        let end = if is_finished { source.length() } else { open.end() };
        for range in pieces(end) {
            put(&source.fetch(range)?)?;
        }
        Ok(is_finished)
    }
}

fn pieces(end: u64) -> impl Iterator<Item = Range<u64>> {
    (0..end).step_by(PIECE as usize).map(move |start| start..end.min(start + PIECE))
}
