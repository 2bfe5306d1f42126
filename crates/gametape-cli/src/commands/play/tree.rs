//! A state as a tree whose branches open and close.

use std::collections::HashSet;

use gametape_cadre::{Kind, Node, State};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::changes::{Mark, Marks, parents, short};
use super::list::List;
use super::screen::{BOLD, DIM};
use crate::text::thousands;

/// Of a branch with more children than this, the others are only counted.
const SHOWN_CHILDREN: usize = 20_000;

const SCALAR: Style = Style::new().fg(Color::Blue);

/// Which branches are open, and the lines that follow from it.
#[derive(Debug, Default)]
pub(super) struct Tree {
    open: HashSet<String>,
    rows: Vec<Row>,
    list: List,
}

/// One line of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    path: String,
    depth: usize,
    key: String,
    value: String,
    kind: RowKind,
    mark: Option<Mark>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum RowKind {
    Leaf,
    Open,
    Closed,
    /// A reference to the game object at a path.
    Reference(String),
}

impl Tree {
    /// Makes the lines again. What was selected stays so if it is still there.
    pub(super) fn refresh(&mut self, state: State<'_>, marks: &Marks<'_>) {
        let selected = self.selected_path();
        let mut grower = Grower { open: &self.open, marks, rows: Vec::new() };
        grower.children(state.root(), "", 0, None);
        self.rows = grower.rows;
        self.select(&selected);
    }

    /// The path of the selected line.
    pub(super) fn selected_path(&self) -> String {
        self.rows.get(self.list.selected).map(|row| row.path.clone()).unwrap_or_default()
    }

    /// Selects the line of a path, or of the nearest above it that has a line.
    pub(super) fn select(&mut self, path: &str) {
        let above: Vec<&str> = parents(path).chain([path]).collect();
        let place = |path: &&str| self.rows.iter().position(|row| row.path == **path);
        let found = above.iter().rev().find_map(place).unwrap_or(self.list.selected);
        self.list.select(found, self.rows.len());
    }

    /// Opens every branch above a path.
    pub(super) fn open_down_to(&mut self, path: &str) {
        self.open.extend(parents(path).map(str::to_owned));
    }

    pub(super) fn close_all(&mut self) {
        self.open.clear();
    }

    /// Opens or closes the selected line. If it is a reference, gives the path that it leads to.
    pub(super) fn enter(&mut self) -> Option<String> {
        let row = self.rows.get(self.list.selected)?;
        match &row.kind {
            RowKind::Leaf => {}
            RowKind::Open => drop(self.open.remove(&row.path)),
            RowKind::Closed => drop(self.open.insert(row.path.clone())),
            RowKind::Reference(target) => return Some(target.clone()),
        }
        None
    }

    pub(super) fn press(&mut self, key: KeyCode) {
        self.list.press(key, self.rows.len());
    }

    pub(super) fn draw(&mut self, focused: bool, area: Rect, screen: &mut Buffer) {
        let window = self.list.window(area.height.into(), self.rows.len());
        for (place, index) in area.rows().zip(window) {
            let selected = index == self.list.selected;
            self.rows[index].line().render(place, screen);
            if selected {
                let style = if focused { Modifier::REVERSED } else { Modifier::UNDERLINED };
                screen.set_style(place, style);
            }
        }
    }
}

impl Row {
    /// `~   ▸ units: [12]`
    fn line(&self) -> Line<'static> {
        let sign = self.mark.map_or(" ", Mark::sign);
        let style = self.mark.map(Mark::style).unwrap_or_default();
        let fold = match self.kind {
            RowKind::Open => "▾ ",
            RowKind::Closed => "▸ ",
            RowKind::Leaf | RowKind::Reference(_) => "  ",
        };
        let value_style = match self.kind {
            RowKind::Leaf => SCALAR,
            _ => DIM,
        };
        let value_style = match self.mark {
            Some(Mark::Within) | None => value_style,
            Some(mark) => mark.style(),
        };
        Line::from(vec![
            Span::styled(sign, style.add_modifier(Modifier::BOLD)),
            Span::raw("  ".repeat(self.depth)),
            Span::styled(format!(" {fold}"), DIM),
            Span::styled(self.key.clone(), if self.mark.is_some() { style } else { BOLD }),
            Span::styled(": ", DIM),
            Span::styled(self.value.clone(), value_style),
        ])
    }
}

/// Makes lines out of a state.
struct Grower<'a> {
    open: &'a HashSet<String>,
    marks: &'a Marks<'a>,
    rows: Vec<Row>,
}

impl Grower<'_> {
    /// The lines of all children of a value. Recurses as deep as branches are open.
    fn children(&mut self, node: Node<'_>, above: &str, depth: usize, mark: Option<Mark>) {
        let children = ordered_children(node);
        let hidden = children.len().saturating_sub(SHOWN_CHILDREN) as u64;
        for (key, child) in children.into_iter().take(SHOWN_CHILDREN) {
            let path = joined(above, &key);
            // What is in something new is new.
            let mark = mark.or_else(|| self.marks.at(&path));
            let kind = self.kind(child, &path);
            let is_open = kind == RowKind::Open;
            let (key, value) = (short(&key), described(child, &kind));
            self.rows.push(Row { path: path.clone(), depth, key, value, kind, mark });
            if is_open {
                let inherited = mark.filter(|mark| *mark == Mark::Added);
                self.children(child, &path, depth + 1, inherited);
            }
        }
        if hidden > 0 {
            let value = format!("{} more", thousands(hidden));
            let (path, kind) = (joined(above, "…"), RowKind::Leaf);
            self.rows.push(Row { path, depth, key: "…".to_owned(), value, kind, mark: None });
        }
    }

    fn kind(&self, node: Node<'_>, path: &str) -> RowKind {
        match (node.reference(), node.kind()) {
            (Some(id), _) => RowKind::Reference(joined("gameObjects", &id)),
            (None, Kind::Object | Kind::List) if !node.is_empty() => {
                if self.open.contains(path) {
                    RowKind::Open
                } else {
                    RowKind::Closed
                }
            }
            _ => RowKind::Leaf,
        }
    }
}

/// The children in an order for people: numbers by their value.
fn ordered_children<'a>(node: Node<'a>) -> Vec<(std::borrow::Cow<'a, str>, Node<'a>)> {
    let mut children = node.children();
    if node.kind() == Kind::Object {
        children.sort_by_cached_key(|(key, _)| key.parse::<u64>().unwrap_or(u64::MAX));
    }
    children
}

/// A path and one more key; a `.` or `\` in the key is preceded by `\`.
pub(super) fn joined(above: &str, key: &str) -> String {
    let key = key.replace('\\', "\\\\").replace('.', "\\.");
    if above.is_empty() { key } else { format!("{above}.{key}") }
}

/// A value in a few words.
fn described(node: Node<'_>, kind: &RowKind) -> String {
    if let RowKind::Reference(_) = kind {
        let id = node.reference().unwrap_or_default();
        return format!("→ #{} {}", short(&id), called(node.resolve())).trim_end().to_owned();
    }
    match node.kind() {
        Kind::List => format!("[{}]", thousands(node.len() as u64)),
        Kind::Object => {
            let count = thousands(node.len() as u64);
            format!("{{{count}}} {}", called(node)).trim_end().to_owned()
        }
        Kind::String => format!("\"{}\"", short(&node.as_str().unwrap_or_default())),
        _ => short(node.as_literal().unwrap_or_default()),
    }
}

/// What a game object calls itself: its class and its name.
fn called(node: Node<'_>) -> String {
    let text = |key: &str| node.get(key).and_then(|value| value.as_str().map(|text| short(&text)));
    let words = [text("gameObjectName"), text("name")];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The first path whose last key has a text in it, in the order of the tree, after `after`; from
/// the start if there is none.
pub(super) fn search(state: State<'_>, text: &str, after: &str) -> Option<String> {
    let mut first = None;
    let mut passed = after.is_empty();
    let mut open = vec![(String::new(), state.root())];
    while let Some((path, node)) = open.pop() {
        let key = path.rsplit('.').next().unwrap_or_default();
        if !path.is_empty() && key.to_lowercase().contains(text) {
            if passed && path != after {
                return Some(path);
            }
            first.get_or_insert_with(|| path.clone());
        }
        passed |= path == after;
        if node.reference().is_none() {
            let children = ordered_children(node).into_iter().rev();
            open.extend(children.map(|(key, child)| (joined(&path, &key), child)));
        }
    }
    first
}
