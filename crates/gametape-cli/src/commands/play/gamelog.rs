//! Playing a gamelog: the state as a tree, the delta that led to it, and what it changed.

mod changes;
mod delta;
mod tree;

use gametape_cadre::{Change, Outcome, Timeline};
use gametape_wire::{self as wire, Tick};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Widget, Wrap};

use super::list::List;
use super::screen::{framed, split};
use super::show::Show;
use crate::gamelog::Players;
use crate::moment::When;
use crate::text::{count, printable, thousands};
use changes::Marks;
use tree::Tree;

/// At normal speed a moment takes so many milliseconds.
const MOMENT: u64 = 250;

/// The most rows that the delta takes of what is beside the tree.
const DELTA_ROWS: u16 = 10;

/// A gamelog and a state of it. Moment `n` comes after delta `n`.
pub(super) struct Gamelog {
    title: String,
    players: Players,
    timeline: Timeline,
    moment: usize,
    delta: Vec<Line<'static>>,
    changes: Vec<Change>,
    list: List,
    /// The change that was last shown in the tree.
    revealed: Option<usize>,
    tree: Tree,
    focus: Focus,
    sought: String,
}

/// What the arrows move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Focus {
    Tree,
    Changes,
}

impl Gamelog {
    /// The log in the file called `name`, just loaded.
    pub(super) fn new(name: &str, timeline: Timeline) -> Self {
        let outcome = Outcome::of(timeline.state(), timeline.log().header());
        Self {
            title: title(name, &timeline, &outcome),
            players: Players::of(timeline.log()),
            timeline,
            moment: 0,
            delta: Vec::new(),
            changes: Vec::new(),
            list: List::default(),
            revealed: None,
            tree: Tree::default(),
            focus: Focus::Tree,
            sought: String::new(),
        }
    }

    /// Makes the tree anew: other branches are open, or the state is another.
    fn refresh(&mut self) {
        self.tree.refresh(self.timeline.state(), &Marks::of(&self.changes));
    }

    /// Opens the tree down to a path and selects it.
    fn reveal(&mut self, path: &str) {
        self.tree.open_down_to(path);
        self.refresh();
        self.tree.select(path);
        self.focus = Focus::Tree;
    }

    /// Shows a change in the tree; the first if there are not as many.
    fn reveal_change(&mut self, index: usize) {
        let index = if index < self.changes.len() { index } else { 0 };
        let Some(path) = self.changes.get(index).map(|change| change.path.clone()) else { return };
        self.revealed = Some(index);
        self.list.select(index, self.changes.len());
        self.reveal(&path);
    }

    fn enter(&mut self) {
        match self.focus {
            Focus::Changes => self.reveal_change(self.list.selected),
            Focus::Tree => match self.tree.enter() {
                Some(target) => self.reveal(&target),
                None => self.refresh(),
            },
        }
    }

    fn draw_side(&mut self, area: Rect, screen: &mut Buffer) {
        let rows = (self.delta.len() as u16 + 2).min(DELTA_ROWS).min(area.height / 2);
        let [delta, changes] =
            Layout::vertical([Constraint::Length(rows), Constraint::Min(0)]).areas(area);
        let text = Paragraph::new(self.delta.clone()).wrap(Wrap { trim: false });
        text.block(framed(" Delta ", false)).render(delta, screen);
        let focused = self.focus == Focus::Changes;
        let title = format!(" {} ", count(self.changes.len() as u64, "change"));
        let block = framed(&title, focused);
        let inner = block.inner(changes);
        block.render(changes, screen);
        changes::draw(&self.changes, &mut self.list, focused, inner, screen);
    }
}

/// `Chess, session arena1: Ann against Bob (won)`
fn title(name: &str, timeline: &Timeline, outcome: &Outcome) -> String {
    let header = timeline.log().header();
    let game = header.game_name().unwrap_or("gamelog".into());
    let session = header.game_session().map(|session| format!(", session {session}"));
    let players: Vec<String> = outcome
        .players
        .iter()
        .map(|player| {
            let name = player.name.as_deref().unwrap_or(&player.id);
            format!("{name}{}", if player.won { " (won)" } else { "" })
        })
        .collect();
    let title =
        format!("{name}   {game}{}   {}", session.unwrap_or_default(), players.join(" against "));
    printable(title.trim_end())
}

impl Show for Gamelog {
    fn moments(&self) -> usize {
        self.timeline.len().max(1)
    }

    fn go(&mut self, moment: usize, _: usize) -> wire::Result<()> {
        self.timeline.seek((moment + 1).min(self.timeline.len()))?;
        self.changes = self.timeline.changes()?;
        self.moment = moment;
        let delta = self.timeline.log().delta(moment);
        self.delta = delta.map(|delta| delta::lines(&delta, &self.players)).unwrap_or_default();
        (self.list, self.revealed) = (List::default(), None);
        self.refresh();
        Ok(())
    }

    fn title(&self) -> String {
        self.title.clone()
    }

    fn label(&self) -> String {
        if self.timeline.is_empty() {
            return "no deltas".to_owned();
        }
        let last = self.timeline.len() as u64 - 1;
        let turn = self.timeline.turns().at(self.moment);
        let turn = turn.map(|turn| format!("  turn {turn}")).unwrap_or_default();
        format!("delta {} of {}{turn}", thousands(self.moment as u64), thousands(last))
    }

    fn find(&self, at: When) -> Result<usize, String> {
        match at {
            When::Start => Ok(0),
            When::End => Ok(self.moments() - 1),
            When::Number(number) | When::Tick(Tick(number)) => self.find_index(number),
            When::Turn(turn) => {
                let first = self.timeline.turns().first_delta(turn);
                first.ok_or_else(|| match self.timeline.turns().last() {
                    Some(last) => format!("there is no turn {turn}, the last is {last}"),
                    None => "the state of this game has no turns".to_owned(),
                })
            }
            When::Share(millionths) => {
                Ok(self.timeline.len().saturating_sub(1) * millionths as usize / 1_000_000)
            }
            _ => Err("a gamelog has no clock".to_owned()),
        }
    }

    fn find_index(&self, number: u64) -> Result<usize, String> {
        let length = self.timeline.len();
        let moment = usize::try_from(number).ok().filter(|moment| *moment < length);
        let most = thousands(length as u64);
        moment.ok_or_else(|| format!("there are {most} deltas, the first is 0"))
    }

    fn clock_name(&self) -> &'static str {
        "turn"
    }

    fn find_clock(&self, text: &str) -> Result<usize, String> {
        let turn = text.parse().map_err(|_| format!("{text} is no turn"))?;
        self.find(When::Turn(turn))
    }

    fn time(&self, moment: usize) -> u64 {
        moment as u64 * MOMENT
    }

    fn moment_at(&self, time: u64) -> usize {
        (time / MOMENT) as usize
    }

    fn speed(&self, exponent: i32) -> String {
        let per_second = 1000.0 / MOMENT as f64 * f64::from(exponent).exp2();
        format!("{per_second}/s")
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("Up Down", "select a line"),
            ("Enter", "open, close, follow a reference, show a change in the tree"),
            ("c", "show the next change in the tree"),
            ("x", "close all branches of the tree"),
            ("Tab", "from the tree to the changes and back"),
        ]
    }

    fn hints(&self) -> &'static str {
        "↑/↓ Enter tree  c next change  / search"
    }

    fn press(&mut self, key: KeyEvent) -> Option<String> {
        match key.code {
            KeyCode::Tab | KeyCode::BackTab => {
                let other = if self.focus == Focus::Tree { Focus::Changes } else { Focus::Tree };
                self.focus = other;
            }
            KeyCode::Enter => self.enter(),
            KeyCode::Char('c') => self.reveal_change(self.revealed.map_or(0, |last| last + 1)),
            KeyCode::Char('x') => {
                self.tree.close_all();
                self.refresh();
            }
            code if self.focus == Focus::Tree => self.tree.press(code),
            code => drop(self.list.press(code, self.changes.len())),
        }
        None
    }

    fn search(&mut self, text: &str) -> Option<String> {
        if !text.is_empty() {
            self.sought = text.to_lowercase();
        }
        if self.sought.is_empty() {
            return Some("nothing to search for".to_owned());
        }
        match tree::search(self.timeline.state(), &self.sought, &self.tree.selected_path()) {
            Some(path) => {
                self.reveal(&path);
                None
            }
            None => Some(format!("no key has {} in it", printable(&self.sought))),
        }
    }

    fn draw(&mut self, area: Rect, screen: &mut Buffer) {
        let [main, side] = split(area, (area.width * 2 / 5).clamp(36, 90));
        let block = framed(" State ", self.focus == Focus::Tree);
        let inner = block.inner(main);
        block.render(main, screen);
        self.tree.draw(self.focus == Focus::Tree, inner, screen);
        self.draw_side(side, screen);
    }
}

#[cfg(test)]
mod tests;
