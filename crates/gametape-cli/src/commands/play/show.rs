//! What a recording offers to a player.

use gametape_wire as wire;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use crate::moment::When;

/// A recording, seen as a row of moments of which one is shown.
///
/// Nothing in it reads a clock or a terminal: keys come in, cells of a screen go out.
pub(super) trait Show {
    /// How many moments there are; never none.
    fn moments(&self) -> usize;

    /// Shows a moment. What is marked as changed is what happened after `since`.
    fn go(&mut self, moment: usize, since: usize) -> wire::Result<()>;

    /// What recording it is, in one line.
    fn title(&self) -> String;

    /// The moment that is shown: `frame 57 of 1,203, 0:00:03.800`
    fn label(&self) -> String;

    /// The moment that the command line names, or why there is none.
    fn find(&self, at: When) -> Result<usize, String>;

    /// The moment of the frame or delta with a number.
    fn find_index(&self, number: u64) -> Result<usize, String>;

    /// What [`find_clock`](Self::find_clock) looks for: `turn` or `seconds`.
    fn clock_name(&self) -> &'static str;

    /// The moment of a turn or time, as somebody typed it.
    fn find_clock(&self, text: &str) -> Result<usize, String>;

    /// When a moment comes, in milliseconds of play at normal speed.
    fn time(&self, moment: usize) -> u64;

    /// The last moment that came by then.
    fn moment_at(&self, time: u64) -> usize;

    /// What a speed means: 2 to the power of `exponent` times normal.
    fn speed(&self, exponent: i32) -> String;

    /// Keys of its own, and what they do.
    fn keys(&self) -> &'static [(&'static str, &'static str)];

    /// The most important of those keys, for the line at the bottom.
    fn hints(&self) -> &'static str;

    /// Takes a key that means nothing to the player. Says what is to be told.
    fn press(&mut self, key: KeyEvent) -> Option<String>;

    /// Looks for a text, from what is selected on; an empty one is the one before. Says what is to
    /// be told.
    fn search(&mut self, text: &str) -> Option<String>;

    /// Draws the moment.
    fn draw(&mut self, area: Rect, screen: &mut Buffer);
}
