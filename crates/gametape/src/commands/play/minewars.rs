//! Playing a MineWars file: the map as a view knows it, and what the view is told.

mod board;

use std::collections::{BTreeMap, HashSet};

use gametape_minewars::{Coord, Dialect, Lines, Map, ReplayFile, Timeline};
use gametape_wire::{self as wire, Error, Frame, FrameLayout, Frames, View};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Widget};

use super::list::List;
use super::screen::{DIM, framed, split};
use super::show::Show;
use crate::cities::{Place, places};
use crate::commands::map::scene::Scene;
use crate::moment::At;
use crate::text::{clock, printable, thousands};
use board::Board;

/// Memory for keyframes.
const KEYFRAME_BYTES: usize = 64 << 20;

/// More messages than this are not listed.
const SHOWN_MESSAGES: usize = 1_000;

/// Columns for the legend and the messages.
const SIDE: u16 = 44;

/// A MineWars file as a view sees it. Moment 0 is the map as the match begins, moment `n` comes
/// after frame `n - 1`.
pub(super) struct MineWars<'a> {
    name: String,
    map: Map,
    frames: Frames<'a>,
    dialect: Dialect,
    cities: BTreeMap<u8, Place>,
    timeline: Timeline<'a>,
    /// What happened after this moment is marked.
    since: usize,
    /// Are the fields below those of the moment?
    is_described: bool,
    board: Board,
    legend: Vec<Line<'static>>,
    changed: HashSet<Coord>,
    messages: Vec<Line<'static>>,
    list: List,
    focus: Focus,
}

/// What the arrows move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Focus {
    Board,
    Messages,
}

impl<'a> MineWars<'a> {
    /// The file called `name`, whose unpacked frames are `bytes`.
    pub(super) fn open(
        name: &str,
        file: &ReplayFile<'_>,
        bytes: &'a [u8],
        view: View,
    ) -> wire::Result<Self> {
        let (layout, dialect) = (file.frame_layout()?, file.dialect());
        check_view(layout, view)?;
        let map = file.setup().map()?;
        let frames = Frames::new(layout, bytes);
        let timeline = Timeline::new(&map, frames.clone(), dialect, view, KEYFRAME_BYTES);
        Ok(Self {
            name: printable(name),
            board: Board::new(timeline.state()),
            map,
            frames,
            dialect,
            cities: places(file),
            timeline,
            since: 0,
            is_described: false,
            legend: Vec::new(),
            changed: HashSet::new(),
            messages: Vec::new(),
            list: List::default(),
            focus: Focus::Board,
        })
    }

    /// The problems with the frames of the view that is shown.
    pub(super) fn problems(&self) -> (&[Error], u64) {
        self.timeline.problems()
    }

    fn view(&self) -> View {
        self.timeline.state().view()
    }

    fn last_view(&self) -> View {
        self.frames.layout().max_view()
    }

    /// Sees the same moment with other eyes.
    fn change_view(&mut self, view: View) -> wire::Result<()> {
        check_view(self.frames.layout(), view)?;
        let moment = self.timeline.position();
        let frames = self.frames.clone();
        self.timeline = Timeline::new(&self.map, frames, self.dialect, view, KEYFRAME_BYTES);
        self.go(moment, moment.saturating_sub(1))
    }

    fn next_view(&self, forward: bool) -> View {
        let (now, last) = (self.view().number(), self.last_view().number());
        let next = match forward {
            true if now == last => 0,
            true => now + 1,
            false => now.checked_sub(1).unwrap_or(last),
        };
        View::new(next).unwrap_or(View::SPECTATOR)
    }

    /// What the view receives in a frame, line by line.
    fn list_messages(&mut self, frame: &Frame<'a>) {
        let head = format!("{}, to views {}", clock(frame.time()), frame.views());
        self.messages.push(Line::styled(head, DIM));
        let view = self.view();
        let part = frame.views().contains(view).then(|| frame.parts());
        let part = part.and_then(|mut parts| parts.find(|part| part.views.contains(view)));
        let Some(part) = part else {
            return self.messages.push(Line::styled("  nothing for this view", DIM));
        };
        let lines = Lines::new(part.payload, part.offset, self.dialect);
        for line in lines.take(SHOWN_MESSAGES) {
            let mut text = Vec::new();
            line.print(self.dialect, &mut text);
            line.print_comment(self.dialect, &mut text);
            let text = printable(&String::from_utf8_lossy(&text));
            self.messages.push(Line::raw(format!("  {text}")));
        }
    }

    /// Makes what is shown beside the state. Only what is seen needs it: whoever holds a key down
    /// passes many moments without seeing them.
    fn describe(&mut self) -> wire::Result<()> {
        if self.is_described {
            return Ok(());
        }
        let moment = self.timeline.position();
        let before = self.timeline.seek(self.since)?.clone();
        let now = self.timeline.seek(moment)?;
        let changes = before.changed_tiles(now).into_iter().flatten();
        self.changed = changes.map(|(at, ..)| at).collect();
        self.legend = board::legend(&Scene::new(now, &self.cities, 0));
        self.describe_frames(moment);
        self.is_described = true;
        Ok(())
    }

    fn describe_frames(&mut self, moment: usize) {
        self.messages.clear();
        for position in self.since + 1..=moment {
            if let Some(frame) = self.timeline.frame_before(position) {
                self.list_messages(&frame);
            }
            if self.messages.len() >= SHOWN_MESSAGES {
                break;
            }
        }
    }

    fn draw_side(&mut self, area: Rect, screen: &mut Buffer) {
        let room = area.height / 2;
        let legend_rows = (self.legend.len() as u16 + 2).min(room.max(4));
        let rows = [Constraint::Length(legend_rows), Constraint::Min(0)];
        let [legend, messages] = Layout::vertical(rows).areas(area);
        Paragraph::new(self.legend.clone()).block(framed(" Legend ", false)).render(legend, screen);
        let title = format!(" Messages to view {} ", self.view());
        let block = framed(&title, self.focus == Focus::Messages);
        let inner = block.inner(messages);
        block.render(messages, screen);
        let window = self.list.window(inner.height.into(), self.messages.len());
        Paragraph::new(self.messages[window].to_vec()).render(inner, screen);
    }
}

fn check_view(layout: FrameLayout, view: View) -> wire::Result<()> {
    if layout.views().contains(view) {
        return Ok(());
    }
    let most = layout.max_view();
    Err(Error::misuse("view", format!("there are views 0 to {most}, not {view}")))
}

impl Show for MineWars<'_> {
    fn moments(&self) -> usize {
        self.timeline.len() + 1
    }

    fn go(&mut self, moment: usize, since: usize) -> wire::Result<()> {
        self.timeline.seek(moment)?;
        self.since = since;
        self.is_described = false;
        self.list = List::default();
        Ok(())
    }

    fn title(&self) -> String {
        let (grid, radius) = (self.map.grid(), self.map.radius());
        let problems = match self.problems().1 {
            0 => String::new(),
            count => format!("   {} problems", thousands(count)),
        };
        let last = self.last_view();
        format!("{}   MineWars, {grid}, radius {radius}   views 0 to {last}{problems}", self.name)
    }

    fn label(&self) -> String {
        let position = self.timeline.position();
        let time = clock(self.timeline.time_at(position));
        match position.checked_sub(1) {
            None => format!("start  {time}"),
            Some(frame) => {
                let last = self.timeline.len().saturating_sub(1) as u64;
                format!("frame {} of {}  {time}", thousands(frame as u64), thousands(last))
            }
        }
    }

    fn find(&self, at: At) -> Result<usize, String> {
        match at {
            At::Start => Ok(0),
            At::Number(time) => Ok(self.timeline.position_at(time)),
            At::End => Ok(self.timeline.len()),
            At::Turn(_) => Err("turns are for gamelogs, and this is a MineWars recording".into()),
        }
    }

    fn find_index(&self, number: u64) -> Result<usize, String> {
        let length = self.timeline.len() as u64;
        if number < length {
            return Ok(number as usize + 1);
        }
        Err(format!("there are {} frames, the first is 0", thousands(length)))
    }

    fn clock_name(&self) -> &'static str {
        "seconds"
    }

    fn find_clock(&self, text: &str) -> Result<usize, String> {
        let seconds: f64 = text.parse().map_err(|_| format!("{text} is no time in seconds"))?;
        Ok(self.timeline.position_at((seconds * 1000.0) as u64))
    }

    fn time(&self, moment: usize) -> u64 {
        self.timeline.time_at(moment)
    }

    fn moment_at(&self, time: u64) -> usize {
        self.timeline.position_at(time)
    }

    fn speed(&self, exponent: i32) -> String {
        match exponent {
            0.. => format!("×{}", 1u64 << exponent),
            _ => format!("×1/{}", 1u64 << -exponent),
        }
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("v V, 0 to 9", "next view, view before, view with a number"),
            ("Up Down, h j k l", "scroll the map"),
            ("c", "scroll to what changed"),
            ("Tab", "arrows scroll the messages instead, or the map again"),
        ]
    }

    fn hints(&self) -> &'static str {
        "v view  ↑/↓ scroll"
    }

    fn press(&mut self, key: KeyEvent) -> Option<String> {
        let changed = match key.code {
            KeyCode::Char('v') => self.change_view(self.next_view(true)),
            KeyCode::Char('V') => self.change_view(self.next_view(false)),
            KeyCode::Char(digit @ '0'..='9') => {
                let view = View::new(digit as u8 - b'0').unwrap_or(View::SPECTATOR);
                self.change_view(view)
            }
            KeyCode::Tab | KeyCode::BackTab => {
                let other = if self.focus == Focus::Board { Focus::Messages } else { Focus::Board };
                self.focus = other;
                Ok(())
            }
            KeyCode::Char('c') => {
                self.board.scroll_to(self.timeline.state(), &self.changed);
                Ok(())
            }
            code => {
                match self.focus {
                    Focus::Board => self.board.press(code),
                    Focus::Messages => self.list.press(code, self.messages.len()),
                };
                Ok(())
            }
        };
        changed.err().map(|error| error.to_string())
    }

    fn search(&mut self, _: &str) -> Option<String> {
        Some("there is nothing to search in a map".to_owned())
    }

    fn draw(&mut self, area: Rect, screen: &mut Buffer) {
        if let Err(error) = self.describe() {
            return Line::raw(error.to_string()).render(area, screen);
        }
        let [main, side] = split(area, SIDE);
        let scene = Scene::new(self.timeline.state(), &self.cities, 0);
        let who = if self.view() == View::SPECTATOR { "spectator" } else { "player" };
        let title = format!(" View {}, {who} ", self.view());
        let block = framed(&title, self.focus == Focus::Board);
        let inner = block.inner(main);
        block.render(main, screen);
        self.board.draw(&scene, &self.changed, inner, screen);
        self.draw_side(side, screen);
    }
}

#[cfg(test)]
mod tests;
