//! Playing a MineWars recording: the map as a view knows it, and what the view is told.

mod board;
mod reel;
mod tape;

use std::collections::{BTreeMap, HashSet};

use gametape_minewars::{Coord, Dialect, Lines, ReplayFile};
use gametape_wire::{self as wire, Error, Moment, Tick, TickLength, View};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Widget};

use super::list::List;
use super::screen::{DIM, framed, split};
use super::show::Show;
use crate::cities::{Place, places, places_of};
use crate::commands::map::scene::Scene;
use crate::moment::When;
use crate::tape::TapeFile;
use crate::text::{clock, printable, thousands};
use board::Board;
use reel::{FileReel, Reel, Told};
use tape::TapeReel;

/// More messages than this are not listed.
const SHOWN_MESSAGES: usize = 1_000;

/// Columns for the legend and the messages.
const SIDE: u16 = 44;

/// A MineWars recording as a view sees it. Moment 0 is the map as the match begins, moment `n` comes
/// after frame `n - 1`.
pub(super) struct MineWars<R> {
    name: String,
    dialect: Dialect,
    cities: BTreeMap<u8, Place>,
    reel: R,
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

impl<'a> MineWars<FileReel<'a>> {
    /// The file called `name`, whose unpacked frames are `bytes`.
    pub(super) fn open(
        name: &str,
        file: &ReplayFile<'_>,
        bytes: &'a [u8],
        view: View,
    ) -> wire::Result<Self> {
        let reel = FileReel::open(file, bytes, view)?;
        Ok(Self::new(name, file.dialect(), places(file), reel))
    }
}

impl MineWars<TapeReel> {
    /// The tape called `name`; its first view where none is given.
    pub(super) fn open_tape(name: &str, file: TapeFile, view: Option<View>) -> wire::Result<Self> {
        let reel = TapeReel::open(file, view)?;
        let (dialect, cities) = (reel.setup().dialect(), places_of(reel.setup()));
        Ok(Self::new(name, dialect, cities, reel))
    }
}

impl<R: Reel> MineWars<R> {
    fn new(name: &str, dialect: Dialect, cities: BTreeMap<u8, Place>, reel: R) -> Self {
        Self {
            name: printable(name),
            board: Board::new(reel.state()),
            dialect,
            cities,
            reel,
            since: 0,
            is_described: false,
            legend: Vec::new(),
            changed: HashSet::new(),
            messages: Vec::new(),
            list: List::default(),
            focus: Focus::Board,
        }
    }

    /// The problems with the frames of the view that is shown.
    pub(super) fn problems(&self) -> (Vec<Error>, u64) {
        self.reel.problems()
    }

    fn view(&self) -> View {
        self.reel.state().view()
    }

    /// Sees the same moment with other eyes.
    fn change_view(&mut self, view: View) -> wire::Result<()> {
        self.reel.change_view(view)?;
        let moment = self.reel.position();
        self.go(moment, moment.saturating_sub(1))
    }

    /// The view behind or before the present one; behind the last comes the first.
    fn next_view(&self, forward: bool) -> View {
        let views: Vec<View> = self.reel.views().iter().collect();
        let now = views.iter().position(|view| *view == self.view()).unwrap_or(0);
        let step = if forward { 1 } else { views.len().saturating_sub(1) };
        views.get((now + step) % views.len().max(1)).copied().unwrap_or(View::SPECTATOR)
    }

    /// What the view receives in the frame before a position, line by line.
    fn list_messages(&mut self, position: usize, told: &Told) {
        let head = format!("{}, to views {}", clock(self.reel.time_at(position)), told.views);
        self.messages.push(Line::styled(head, DIM));
        let Some((offset, payload)) = &told.payload else {
            return self.messages.push(Line::styled("  nothing for this view", DIM));
        };
        for line in Lines::new(payload, *offset, self.dialect).take(SHOWN_MESSAGES) {
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
        let moment = self.reel.position();
        self.reel.seek(self.since)?;
        let before = self.reel.state().clone();
        self.reel.seek(moment)?;
        let now = self.reel.state();
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
            if let Some(told) = self.reel.told_before(position) {
                self.list_messages(position, &told);
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

impl<R: Reel> Show for MineWars<R> {
    fn moments(&self) -> usize {
        self.reel.len() + 1
    }

    fn go(&mut self, moment: usize, since: usize) -> wire::Result<()> {
        self.reel.seek(moment)?;
        self.since = since;
        self.is_described = false;
        self.list = List::default();
        Ok(())
    }

    fn title(&self) -> String {
        let (grid, radius) = (self.reel.state().grid(), self.reel.state().radius());
        let problems = match self.reel.problem_count() {
            0 => String::new(),
            count => format!("   {} problems", thousands(count)),
        };
        let views = reel::listed(self.reel.views());
        format!("{}   MineWars, {grid}, radius {radius}   views {views}{problems}", self.name)
    }

    fn label(&self) -> String {
        let position = self.reel.position();
        let time = clock(self.reel.time_at(position));
        let doubt = self.reel.doubt().map(|why| format!("  in doubt: {why}")).unwrap_or_default();
        match position.checked_sub(1) {
            None => format!("start  {time}{doubt}"),
            Some(frame) => {
                let last = self.reel.len().saturating_sub(1) as u64;
                let (frame, last) = (thousands(frame as u64), thousands(last));
                format!("frame {frame} of {last}  {time}{doubt}")
            }
        }
    }

    fn find(&self, at: When) -> Result<usize, String> {
        match at {
            When::Start => Ok(0),
            When::Number(time) => Ok(self.reel.position_at(time)),
            When::End => Ok(self.reel.len()),
            When::Turn(_) => Err("turns are for gamelogs, and this is a MineWars recording".into()),
            when => {
                let last = self.reel.len().checked_sub(1).map(|last| self.time(last + 1));
                let end = last.map_or(Moment::START, |last| Moment::after(Tick(last)));
                let moment = when.moment(TickLength::MILLISECOND, end);
                let last = moment.and_then(Moment::last_tick);
                Ok(last.map_or(0, |Tick(time)| self.reel.position_at(time)))
            }
        }
    }

    fn find_index(&self, number: u64) -> Result<usize, String> {
        let length = self.reel.len() as u64;
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
        Ok(self.reel.position_at((seconds * 1000.0) as u64))
    }

    fn time(&self, moment: usize) -> u64 {
        self.reel.time_at(moment)
    }

    fn moment_at(&self, time: u64) -> usize {
        self.reel.position_at(time)
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
                self.board.scroll_to(self.reel.state(), &self.changed);
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
        let scene = Scene::new(self.reel.state(), &self.cities, 0);
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
