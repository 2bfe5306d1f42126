//! What a screen shows of a moment: board or tree, players, what happened.

use std::ops::Range;

use gametape_wire::text::{count, printable, thousands};
use gametape_wire::{Error, Moment, Result, Source};

use super::Stage;
use super::board_view::{BoardCell, BoardView};
use super::changes::Marks;
use super::list::List;
use super::rows::{Row, Tone, change_rows, inspection_rows, legend_rows, line_rows, wrapped_rows};
use super::shown::Shown;
use super::tree::{Tree, search};
use crate::text::TextMap;

/// A part of a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Panel {
    /// What is in it.
    pub title: String,
    /// The board, or rows of text.
    pub content: PanelContent,
    /// The rows that are selected, of those that are shown.
    pub selected: Range<usize>,
    /// Does it get the keys that move?
    pub is_focused: bool,
}

/// What is in a panel.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PanelContent {
    /// Rows of text.
    Rows(Vec<Row>),
    /// A part of the board.
    Board(Vec<BoardCell>),
}

impl Panel {
    fn of_rows(title: impl Into<String>, rows: Vec<Row>) -> Self {
        let content = PanelContent::Rows(rows);
        Self { title: title.into(), content, selected: 0..0, is_focused: false }
    }

    fn selecting(self, selected: Range<usize>, is_focused: bool) -> Self {
        Self { selected, is_focused, ..self }
    }

    /// The rows of text; none of a board.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        match &self.content {
            PanelContent::Rows(rows) => rows,
            PanelContent::Board(_) => &[],
        }
    }
}

/// What is shown of a moment, and what of it is selected, open or scrolled to.
///
/// There are three panels: the main one with the board or the tree of a gamelog's state; one about what
/// is seen, the players or an inspected tile; and a list of what happened or changed.
#[derive(Debug)]
pub struct Panels {
    /// What happened after this moment is marked.
    since: Moment,
    shown: Option<Shown>,
    board: BoardView,
    tree: Tree,
    is_tree: bool,
    is_disassembled: bool,
    list: List,
    focus: Focus,
    /// The change that was last shown in the tree.
    revealed: Option<usize>,
    sought: String,
}

/// Which panel gets the keys that move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Focus {
    Main,
    List,
}

impl Panels {
    /// The panels of a stage.
    #[must_use]
    pub fn new<S: Source>(stage: &Stage<S>) -> Self {
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
    pub fn show(&mut self, since: Moment) {
        self.since = since;
        self.forget();
    }

    /// The moment is to be looked at again.
    pub fn forget(&mut self) {
        self.shown = None;
        (self.list, self.revealed) = (List::default(), None);
    }

    /// Is it worth more to see what is pointed at than what happened, where there is room for one?
    #[must_use]
    pub fn is_inspecting(&self) -> bool {
        self.board.is_inspecting
    }

    /// Is the tree shown instead of the board?
    #[must_use]
    pub fn is_tree(&self) -> bool {
        self.is_tree
    }

    /// Only what is seen is made: whoever holds a key down passes many moments without seeing them.
    fn shown<S: Source>(&mut self, stage: &mut Stage<S>) -> Result<&Shown> {
        if self.shown.is_none() {
            let shown = Shown::at(stage, self.since)?;
            if let Some(state) = stage.tree() {
                self.tree.refresh(state, &Marks::of(&shown.changes));
            }
            self.shown = Some(shown);
        }
        self.shown.as_ref().ok_or_else(|| Error::misuse("player", "nothing is shown"))
    }

    /// The heading of the scene, and how much is wrong.
    pub fn title<S: Source>(&mut self, stage: &mut Stage<S>) -> Result<String> {
        let problems = match stage.report().errors() {
            0 => String::new(),
            count => format!("   {} problems", thousands(count)),
        };
        let heading = self.shown(stage)?.scene.heading();
        Ok(printable(&format!("{heading}{problems}")))
    }

    /// The main panel, in this many columns and rows.
    pub fn main<S: Source>(
        &mut self,
        stage: &mut Stage<S>,
        (width, height): (usize, usize),
    ) -> Result<Panel> {
        self.shown(stage)?;
        let is_focused = self.focus == Focus::Main;
        if self.is_tree {
            let window = self.tree.window(height);
            let rows = window.clone().filter_map(|index| self.tree.row(index)).collect();
            let selected = self.tree.selected().saturating_sub(window.start);
            let panel = Panel::of_rows("State", rows);
            return Ok(panel.selecting(selected..selected + 1, is_focused));
        }
        let board = self.board;
        let shown = self.shown(stage)?;
        let view = shown.scene.title.view.as_deref();
        let title = view.map(|view| format!("Seen by {}", printable(view)));
        Ok(Panel {
            title: title.unwrap_or_else(|| "Board".to_owned()),
            content: PanelContent::Board(board.cells(&shown.map, &shown.changed, (width, height))),
            selected: 0..0,
            is_focused,
        })
    }

    /// The panel about what is seen. Its rows are wrapped to this many columns, unless there are then more
    /// than have room: better a part of each than all of some.
    pub fn about<S: Source>(
        &mut self,
        stage: &mut Stage<S>,
        (width, height): (usize, usize),
    ) -> Result<Panel> {
        // Of a game that nobody knows, what happened is in the list.
        let (is_gamelog, board) = (self.is_tree && !stage.is_unknown(), self.board);
        let shown = self.shown(stage)?;
        let found = board.pointed(&shown.map).and_then(|at| stage.inspect(at));
        let panel = match found {
            _ if is_gamelog => Panel::of_rows("What happened", line_rows(&shown.lines)),
            Some(found) => {
                let rows = inspection_rows(&found, &shown.scene);
                Panel::of_rows(printable(&found.title), rows)
            }
            None => {
                let legend = shown.map.legend();
                let title = if legend.players.is_empty() { "Legend" } else { "Players" };
                Panel::of_rows(title, legend_rows(legend, width))
            }
        };
        let rows = wrapped_rows(panel.rows(), width);
        if rows.len() > height {
            return Ok(panel);
        }
        Ok(Panel { content: PanelContent::Rows(rows), ..panel })
    }

    /// The list of what happened, or of what the last delta changed beside the tree.
    pub fn list<S: Source>(
        &mut self,
        stage: &mut Stage<S>,
        (width, height): (usize, usize),
    ) -> Result<Panel> {
        self.shown(stage)?;
        let Some(shown) = &self.shown else { return Ok(Panel::of_rows("", Vec::new())) };
        let panel = match self.is_tree && !stage.is_unknown() {
            true => changes_panel(shown, &mut self.list, (width, height)),
            false => happened_panel(shown, self.is_disassembled, &mut self.list, height),
        };
        let is_focused = self.focus == Focus::List;
        let selected = if is_focused { panel.selected.clone() } else { 0..0 };
        Ok(panel.selecting(selected, is_focused))
    }

    /// Gives the keys that move to the other panel.
    pub fn switch_focus(&mut self) {
        self.focus = if self.focus == Focus::Main { Focus::List } else { Focus::Main };
    }

    /// From the board to the tree, or back. Refused where there are not both.
    pub fn switch_main<S: Source>(&mut self, stage: &Stage<S>) -> Result<()> {
        let has_board = self.shown.as_ref().is_some_and(|shown| shown.scene.board.is_some());
        match (stage.tree().is_some(), has_board) {
            (true, true) => {
                self.is_tree = !self.is_tree;
                (self.list, self.focus) = (List::default(), Focus::Main);
                Ok(())
            }
            (true, false) => {
                refused("board", "nothing in this state has a position: there is none")
            }
            (false, _) => refused("tree", "only gamelogs have one"),
        }
    }

    /// From words to messages, disassembled, or back. Refused for gamelogs, which have none.
    pub fn switch_list<S: Source>(&mut self, stage: &Stage<S>) -> Result<()> {
        if stage.is_gamelog() {
            return refused("messages", "a gamelog has none: its changes are beside the tree");
        }
        self.is_disassembled = !self.is_disassembled;
        self.list = List::default();
        Ok(())
    }

    /// Begins to point at tiles, or ends.
    pub fn switch_inspecting(&mut self) {
        self.board.is_inspecting = !self.is_tree && !self.board.is_inspecting;
    }

    /// Moves what has the focus by rows and columns: the board, or what is selected.
    pub fn move_by(&mut self, by: (isize, isize)) {
        let Some(shown) = &self.shown else { return };
        match self.focus {
            Focus::Main if self.is_tree => self.tree.move_by(by.0),
            Focus::Main => self.board.move_by(by, &shown.map),
            Focus::List => {
                let length = match self.is_tree && !shown.changes.is_empty() {
                    true => shown.changes.len(),
                    false => happened(shown, self.is_disassembled).len(),
                };
                self.list.move_by(by.0, length);
            }
        }
    }

    /// Scrolls the board to what changed, or shows the next change in the tree.
    pub fn show_change<S: Source>(&mut self, stage: &Stage<S>) {
        if self.is_tree {
            return self.reveal_change(stage, self.revealed.map_or(0, |last| last + 1));
        }
        if let Some(shown) = &self.shown {
            self.board.scroll_to(&shown.map, &shown.changed);
        }
    }

    /// Opens or closes the selected branch of the tree, follows a reference, or shows the selected
    /// change.
    pub fn enter<S: Source>(&mut self, stage: &Stage<S>) {
        match self.focus {
            _ if !self.is_tree => {}
            Focus::List => self.reveal_change(stage, self.list.selected),
            Focus::Main => match self.tree.enter() {
                Some(target) => self.reveal(stage, &target),
                None => self.refresh(stage),
            },
        }
    }

    /// Closes every branch of the tree.
    pub fn close_all<S: Source>(&mut self, stage: &Stage<S>) {
        self.tree.close_all();
        self.refresh(stage);
    }

    /// Looks for a text in the keys of the tree, from what is selected on; an empty text is the one
    /// before. Refused where there is no tree, or no such key.
    pub fn search<S: Source>(&mut self, stage: &Stage<S>, text: &str) -> Result<()> {
        let Some(state) = stage.tree() else {
            return refused("search", "only a tree can be searched, and this recording has none");
        };
        if !text.is_empty() {
            self.sought = text.to_lowercase();
        }
        if self.sought.is_empty() {
            return refused("search", "nothing to search for");
        }
        match search(state, &self.sought, &self.tree.selected_path()) {
            Some(path) => {
                self.is_tree = true;
                self.reveal(stage, &path);
                Ok(())
            }
            None => refused("search", format!("no key has {} in it", printable(&self.sought))),
        }
    }

    /// Makes the lines of the tree again: other branches are open, or the state is another.
    fn refresh<S: Source>(&mut self, stage: &Stage<S>) {
        if let (Some(state), Some(shown)) = (stage.tree(), &self.shown) {
            self.tree.refresh(state, &Marks::of(&shown.changes));
        }
    }

    /// Opens the tree down to a path and selects it.
    fn reveal<S: Source>(&mut self, stage: &Stage<S>, path: &str) {
        self.tree.open_down_to(path);
        self.refresh(stage);
        self.tree.select(path);
        self.focus = Focus::Main;
    }

    /// Shows a change in the tree; the first if there are not as many.
    fn reveal_change<S: Source>(&mut self, stage: &Stage<S>, index: usize) {
        let changes = self.shown.as_ref().map_or(&[][..], |shown| &shown.changes);
        let index = if index < changes.len() { index } else { 0 };
        let Some(path) = changes.get(index).map(|change| change.path.clone()) else { return };
        self.list.select(index, changes.len());
        self.revealed = Some(index);
        self.reveal(stage, &path);
    }
}

/// `, 3 to 8 of 20` where only a part is shown.
fn part(window: &Range<usize>, all: usize) -> String {
    match window.len() {
        shown if shown == all => String::new(),
        0 | 1 => format!(", {} of {}", window.start + 1, thousands(all as u64)),
        _ => format!(", {} to {} of {}", window.start + 1, window.end, thousands(all as u64)),
    }
}

/// What the last delta changed, two rows each.
fn changes_panel(shown: &Shown, list: &mut List, (width, height): (usize, usize)) -> Panel {
    let window = list.window((height / 2).max(1), shown.changes.len());
    let first = 2 * list.selected.saturating_sub(window.start);
    let title = count(shown.changes.len() as u64, "change") + &part(&window, shown.changes.len());
    let rows = shown.changes[window].iter().flat_map(|change| change_rows(change, width));
    Panel::of_rows(title, rows.collect()).selecting(first..first + 2, false)
}

/// What happened, a row each.
fn happened_panel(shown: &Shown, is_disassembled: bool, list: &mut List, height: usize) -> Panel {
    let rows = happened(shown, is_disassembled);
    let window = list.window(height, rows.len());
    let selected = list.selected.saturating_sub(window.start);
    let title = if is_disassembled { shown.messages_title() } else { "What happened".into() };
    let title = title + &part(&window, rows.len());
    Panel::of_rows(title, rows[window].to_vec()).selecting(selected..selected + 1, false)
}

/// What happened, in words or as messages.
fn happened(shown: &Shown, is_disassembled: bool) -> Vec<Row> {
    let rows = if is_disassembled { shown.messages.clone() } else { line_rows(&shown.lines) };
    let nothing = rows.is_empty().then(|| Row::new("nothing at this moment", Tone::Faint));
    rows.into_iter().chain(nothing).collect()
}

fn refused(item: &'static str, problem: impl Into<std::borrow::Cow<'static, str>>) -> Result<()> {
    Err(Error::misuse(item, problem))
}
