//! Segments: files in, a tape out.

use gametape_live::{SegmentFile, SegmentFollower};
use gametape_wire::{Tick, View};

use crate::seat::{millis, start_at};
use crate::shapes::to_json;

/// Follows the segments of a view.
#[derive(Debug)]
pub struct Segments {
    follower: SegmentFollower,
}

impl Segments {
    /// Follows a view from a tick on, or live.
    pub fn new(view: u8, from: Option<Tick>) -> Result<Self, String> {
        let view = View::new(view).ok_or_else(|| format!("there is no view {view}"))?;
        Ok(Self { follower: SegmentFollower::new(view, start_at(from)) })
    }

    /// The files to ask for now, as the ends of their addresses; each is answered once.
    pub fn poll(&mut self, now: f64) -> Vec<String> {
        self.follower.poll(millis(now)).iter().map(ToString::to_string).collect()
    }

    /// A file came, or was not there. An error means that something else than segments is served.
    pub fn answer(&mut self, file: &str, bytes: Option<&[u8]>, now: f64) -> Result<(), String> {
        let file =
            file.parse::<SegmentFile>().map_err(|_| format!("{file} is no file of a view"))?;
        self.follower.answer(file, bytes, millis(now)).map_err(|error| error.to_string())
    }

    /// What happened since the last call, as a JSON array of [`LiveNotice`](crate::LiveNotice).
    pub fn notices(&mut self) -> String {
        to_json(self.follower.notices())
    }

    /// The bytes that follow those of the last call in the tape.
    pub fn tape(&mut self) -> Vec<u8> {
        self.follower.take_tape()
    }
}
