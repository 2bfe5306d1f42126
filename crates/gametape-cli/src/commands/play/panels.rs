//! What is shown of a moment: board or tree, legend, what happened.

use gametape_scene::TextMap;
use gametape_scene::stage::{
    List, Marks, Row, Shown, Tone, Tree, change_rows, inspection_rows, legend_rows, line_rows,
    search,
};
use gametape_wire::{self as wire, Moment};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Modifier;
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Widget, Wrap};

use super::board::BoardView;
use super::screen::{framed, line, split};
use crate::commands::stage::Stage;
use crate::text::{count, printable, thousands};

/// Columns beside the board.
const SIDE: u16 = 46;

/// Keys for what is shown, and what they do.
pub(super) const KEYS: [(&str, &str); 8] = [
    ("v V, 0 to 9", "next view, view before, view with a number"),
    ("Up Down, h j k l", "scroll the board, select a line"),
    ("i", "inspect tiles: Up Down and h j k l move the pointer"),
    ("c", "scroll to what changed, show the next change in the tree"),
    ("m", "board or tree (gamelogs)"),
    ("d", "what happened in words or as messages, disassembled (MineWars)"),
    ("Enter, x", "open or close a branch, follow a reference; close all"),
    ("Tab", "from the main part to the list beside it and back"),
];

/// What is shown of a moment.
pub(super) struct Panels {
    /// What happened after this moment is marked.
    since: Moment,
    shown: Option<Shown>,
    board: BoardView,
    tree: Tree,
    /// Is the tree shown instead of the board?
    is_tree: bool,
    /// Are messages listed instead of words?
    is_disassembled: bool,
    list: List,
    focus: Focus,
    /// The change that was last shown in the tree.
    revealed: Option<usize>,
    sought: String,
}

/// What the arrows move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Focus {
    Main,
    List,
}

impl Panels {
    pub(super) fn new(stage: &Stage) -> Self {
        let scene = stage.scene();
        Self {
            since: stage.position(),
            shown: None,
            board: BoardView::middle(&TextMap::of(&scene)),
            tree: Tree::default(),
            is_tree: scene.board.is_none(),
            is_disassembled: false,
            list: List::default(),
            focus: Focus::Main,
            revealed: None,
            sought: String::new(),
        }
    }

    /// Another moment is to be shown, and what happened since.
    pub(super) fn show(&mut self, since: Moment) {
        self.since = since;
        self.forget();
    }

    /// The moment is to be looked at again.
    pub(super) fn forget(&mut self) {
        self.shown = None;
        (self.list, self.revealed) = (List::default(), None);
    }

    /// Only what is seen is made: whoever holds a key down passes many moments without seeing them.
    fn shown(&mut self, stage: &mut Stage) -> wire::Result<&Shown> {
        if self.shown.is_none() {
            let shown = Shown::at(stage, self.since)?;
            if let Some(log) = stage.gamelog() {
                self.tree.refresh(log.state(), &Marks::of(&shown.changes));
            }
            self.shown = Some(shown);
        }
        self.shown.as_ref().ok_or_else(|| wire::Error::misuse("player", "nothing is shown"))
    }

    /// The heading of the scene, and how much is wrong.
    pub(super) fn title(&mut self, stage: &mut Stage) -> String {
        let problems = match stage.report().errors() {
            0 => String::new(),
            count => format!("   {} problems", thousands(count)),
        };
        match self.shown(stage) {
            Ok(shown) => printable(&format!("{}{problems}", shown.scene.heading())),
            Err(error) => error.to_string(),
        }
    }

    pub(super) fn draw(&mut self, stage: &mut Stage, area: Rect, screen: &mut Buffer) {
        if let Err(error) = self.shown(stage) {
            return Line::raw(error.to_string()).render(area, screen);
        }
        let beside = if self.is_tree { (area.width * 2 / 5).clamp(36, 90) } else { SIDE };
        let [main, side] = split(area, beside);
        self.draw_main(main, screen);
        self.draw_side(stage, side, screen);
    }

    fn draw_main(&mut self, area: Rect, screen: &mut Buffer) {
        let Some(shown) = &self.shown else { return };
        let focused = self.focus == Focus::Main;
        let view = shown.scene.title.view.as_deref();
        let title = match (self.is_tree, view) {
            (true, _) => " State ".to_owned(),
            (false, Some(view)) => format!(" Seen by {} ", printable(view)),
            (false, None) => " Board ".to_owned(),
        };
        let block = framed(&title, focused);
        let inner = block.inner(area);
        block.render(area, screen);
        if self.is_tree {
            draw_tree(&mut self.tree, focused, inner, screen);
        } else {
            self.board.draw(&shown.map, &shown.changed, inner, screen);
        }
    }

    fn draw_side(&mut self, stage: &Stage, area: Rect, screen: &mut Buffer) {
        let Some(shown) = &self.shown else { return };
        let width = usize::from(area.width.saturating_sub(2));
        let found = self.board.pointed(&shown.map).and_then(|at| stage.inspect(at));
        let (title, top) = match found {
            _ if self.is_tree => (" What happened ".to_owned(), line_rows(&shown.lines)),
            Some(found) => {
                let rows = inspection_rows(&found, &shown.scene);
                (format!(" {} ", printable(&found.title)), rows)
            }
            None => (" Players ".to_owned(), legend_rows(shown.map.legend(), width)),
        };
        let top: Vec<Line<'_>> = top.iter().map(line).collect();
        let wrapped: usize =
            top.iter().map(|line| line.width().div_ceil(width.max(1)).max(1)).sum();
        let rows = wrapped.saturating_add(2).min(usize::from(area.height * 2 / 3).max(4)) as u16;
        let rows = [Constraint::Length(rows), Constraint::Min(0)];
        let [above, below] = Layout::vertical(rows).areas(area);
        Paragraph::new(top)
            .wrap(Wrap { trim: false })
            .block(framed(&title, false))
            .render(above, screen);
        self.draw_list(below, screen);
    }

    fn draw_list(&mut self, area: Rect, screen: &mut Buffer) {
        let Some(shown) = &self.shown else { return };
        let focused = self.focus == Focus::List;
        let title = match (self.is_tree, self.is_disassembled) {
            (true, _) => format!(" {} ", count(shown.changes.len() as u64, "change")),
            (false, false) => " What happened ".to_owned(),
            (false, true) => " Messages ".to_owned(),
        };
        let block = framed(&title, focused);
        let inner = block.inner(area);
        block.render(area, screen);
        if self.is_tree {
            return draw_changes(shown, &mut self.list, focused, inner, screen);
        }
        let rows = listed(shown, self.is_disassembled);
        let window = self.list.window(inner.height.into(), rows.len());
        for (place, index) in inner.rows().zip(window) {
            line(&rows[index]).render(place, screen);
            if focused && index == self.list.selected {
                screen.set_style(place, Modifier::REVERSED);
            }
        }
    }

    /// Takes a key. Says what is to be reported.
    pub(super) fn press(&mut self, key: KeyCode, stage: &Stage) -> Option<String> {
        match key {
            KeyCode::Tab | KeyCode::BackTab => {
                self.focus = if self.focus == Focus::Main { Focus::List } else { Focus::Main };
            }
            KeyCode::Char('m') => return self.switch(stage),
            KeyCode::Char('d') if stage.is_gamelog() => {
                return Some(
                    "a gamelog has no messages: its changes are beside the tree".to_owned(),
                );
            }
            KeyCode::Char('d') => {
                self.is_disassembled = !self.is_disassembled;
                self.list = List::default();
            }
            KeyCode::Char('i') if !self.is_tree => {
                self.board.is_inspecting = !self.board.is_inspecting;
            }
            KeyCode::Char('x') if self.is_tree => {
                self.tree.close_all();
                self.refresh(stage);
            }
            KeyCode::Enter if self.is_tree => self.enter(stage),
            KeyCode::Char('c') if self.is_tree => {
                self.reveal_change(stage, self.revealed.map_or(0, |last| last + 1));
            }
            key => self.press_part(key),
        }
        None
    }

    fn press_part(&mut self, key: KeyCode) {
        let Some(shown) = &self.shown else { return };
        match (self.focus, key) {
            (_, KeyCode::Char('c')) => self.board.scroll_to(&shown.map, &shown.changed),
            (Focus::Main, key) if self.is_tree => self.tree.move_by(lines_of(key)),
            (Focus::Main, key) => drop(self.board.press(key, &shown.map)),
            (Focus::List, key) => {
                let length = match self.is_tree {
                    true => shown.changes.len(),
                    false => listed(shown, self.is_disassembled).len(),
                };
                self.list.move_by(lines_of(key), length);
            }
        }
    }

    /// From the board to the tree, or back, where there are both.
    fn switch(&mut self, stage: &Stage) -> Option<String> {
        let has_board = self.shown.as_ref().is_some_and(|shown| shown.scene.board.is_some());
        match (stage.gamelog().is_some(), has_board) {
            (true, true) => {
                self.is_tree = !self.is_tree;
                (self.list, self.focus) = (List::default(), Focus::Main);
                None
            }
            (true, false) => {
                Some("nothing in this state has a position: there is no board".to_owned())
            }
            (false, _) => Some("only gamelogs have a tree".to_owned()),
        }
    }

    /// Makes the lines of the tree again: other branches are open, or the state is another.
    fn refresh(&mut self, stage: &Stage) {
        if let (Some(log), Some(shown)) = (stage.gamelog(), &self.shown) {
            self.tree.refresh(log.state(), &Marks::of(&shown.changes));
        }
    }

    /// Opens the tree down to a path and selects it.
    fn reveal(&mut self, stage: &Stage, path: &str) {
        self.tree.open_down_to(path);
        self.refresh(stage);
        self.tree.select(path);
        self.focus = Focus::Main;
    }

    /// Shows a change in the tree; the first if there are not as many.
    fn reveal_change(&mut self, stage: &Stage, index: usize) {
        let changes = self.shown.as_ref().map_or(&[][..], |shown| &shown.changes);
        let index = if index < changes.len() { index } else { 0 };
        let Some(path) = changes.get(index).map(|change| change.path.clone()) else { return };
        self.list.select(index, changes.len());
        self.revealed = Some(index);
        self.reveal(stage, &path);
    }

    fn enter(&mut self, stage: &Stage) {
        match self.focus {
            Focus::List => self.reveal_change(stage, self.list.selected),
            Focus::Main => match self.tree.enter() {
                Some(target) => self.reveal(stage, &target),
                None => self.refresh(stage),
            },
        }
    }

    /// Looks for a text, from what is selected on; an empty one is the one before. Says what is to be
    /// reported.
    pub(super) fn search(&mut self, stage: &Stage, text: &str) -> Option<String> {
        let Some(log) = stage.gamelog() else {
            return Some("only the tree of a gamelog can be searched".to_owned());
        };
        if !text.is_empty() {
            self.sought = text.to_lowercase();
        }
        if self.sought.is_empty() {
            return Some("nothing to search for".to_owned());
        }
        match search(log.state(), &self.sought, &self.tree.selected_path()) {
            Some(path) => {
                self.is_tree = true;
                self.reveal(stage, &path);
                None
            }
            None => Some(format!("no key has {} in it", printable(&self.sought))),
        }
    }

    #[cfg(test)]
    pub(super) fn changed(&self) -> usize {
        self.shown.as_ref().map_or(0, |shown| shown.changed.len())
    }
}

/// How many lines a key moves a selection.
fn lines_of(key: KeyCode) -> isize {
    match key {
        KeyCode::Up | KeyCode::Char('k') => -1,
        KeyCode::Down | KeyCode::Char('j') => 1,
        _ => 0,
    }
}

/// What happened, in words or as messages.
fn listed(shown: &Shown, is_disassembled: bool) -> Vec<Row> {
    let rows = if is_disassembled { shown.messages.clone() } else { line_rows(&shown.lines) };
    let nothing = rows.is_empty().then(|| Row::new("nothing at this moment", Tone::Faint));
    rows.into_iter().chain(nothing).collect()
}

fn draw_tree(tree: &mut Tree, focused: bool, area: Rect, screen: &mut Buffer) {
    let window = tree.window(area.height.into());
    for (place, index) in area.rows().zip(window) {
        if let Some(row) = tree.row(index) {
            line(&row).render(place, screen);
        }
        if index == tree.selected() {
            let style = if focused { Modifier::REVERSED } else { Modifier::UNDERLINED };
            screen.set_style(place, style);
        }
    }
}

/// Draws the changes, two lines each.
fn draw_changes(shown: &Shown, list: &mut List, focused: bool, area: Rect, screen: &mut Buffer) {
    let window = list.window(usize::from(area.height / 2).max(1), shown.changes.len());
    let places = area.rows().collect::<Vec<_>>();
    for (places, index) in places.chunks(2).zip(window) {
        let rows = change_rows(&shown.changes[index], area.width.into());
        for (place, row) in places.iter().zip(&rows) {
            line(row).render(*place, screen);
            if focused && index == list.selected {
                screen.set_style(*place, Modifier::REVERSED);
            }
        }
    }
}
