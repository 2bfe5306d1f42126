//! A state as a tree whose branches open and close.

use std::collections::HashSet;
use std::ops::Range;

use gametape_cadre::{Kind, Node, State};

use super::changes::{Mark, Marks, joined, parents};
use super::list::List;
use super::rows::{Row, Span, Tone, short, thousands};

/// Of a branch with more children than this, the others are only counted.
const SHOWN_CHILDREN: usize = 20_000;

/// Which branches are open, and the lines that follow from it.
#[derive(Debug, Default)]
pub struct Tree {
    open: HashSet<String>,
    rows: Vec<Branch>,
    list: List,
}

/// One line of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Branch {
    /// Where its value is in the state.
    pub path: String,
    /// How many branches it is in.
    pub depth: usize,
    /// Its key in the one above.
    pub key: String,
    /// Its value in a few words.
    pub value: String,
    /// Whether it opens or leads elsewhere.
    pub kind: BranchKind,
    /// What the last delta did to it.
    pub mark: Option<Mark>,
}

/// What a line of the tree is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BranchKind {
    /// A value without parts.
    Leaf,
    /// A branch that is open.
    Open,
    /// A branch that is closed.
    Closed,
    /// A reference to the game object at a path.
    Reference(String),
}

impl Tree {
    /// Makes the lines again. What was selected stays so if it is still there.
    pub fn refresh(&mut self, state: State<'_>, marks: &Marks<'_>) {
        let selected = self.selected_path();
        let mut grower = Grower { open: &self.open, marks, rows: Vec::new() };
        grower.children(state.root(), "", 0, None);
        self.rows = grower.rows;
        self.select(&selected);
    }

    /// The path of the selected line.
    #[must_use]
    pub fn selected_path(&self) -> String {
        self.rows.get(self.list.selected).map(|row| row.path.clone()).unwrap_or_default()
    }

    /// Selects the line of a path, or of the nearest above it that has a line.
    pub fn select(&mut self, path: &str) {
        let above: Vec<&str> = parents(path).chain([path]).collect();
        let index = |path: &&str| self.rows.iter().position(|row| row.path == **path);
        let found = above.iter().rev().find_map(index).unwrap_or(self.list.selected);
        self.list.select(found, self.rows.len());
    }

    /// A tree of which exactly these branches are open.
    #[must_use]
    pub fn with_open(paths: impl IntoIterator<Item = String>) -> Self {
        Self { open: paths.into_iter().collect(), ..Self::default() }
    }

    /// All lines, from the top.
    #[must_use]
    pub fn branches(&self) -> &[Branch] {
        &self.rows
    }

    /// Opens every branch above a path.
    pub fn open_down_to(&mut self, path: &str) {
        self.open.extend(parents(path).map(str::to_owned));
    }

    /// Closes every branch.
    pub fn close_all(&mut self) {
        self.open.clear();
    }

    /// Opens or closes the selected line. If it is a reference, gives the path that it leads to.
    pub fn enter(&mut self) -> Option<String> {
        let row = self.rows.get(self.list.selected)?;
        match &row.kind {
            BranchKind::Leaf => {}
            BranchKind::Open => drop(self.open.remove(&row.path)),
            BranchKind::Closed => drop(self.open.insert(row.path.clone())),
            BranchKind::Reference(target) => return Some(target.clone()),
        }
        None
    }

    /// Moves the selection by a number of lines.
    pub fn move_by(&mut self, lines: isize) {
        self.list.move_by(lines, self.rows.len());
    }

    /// The number of the selected line.
    #[must_use]
    pub fn selected(&self) -> usize {
        self.list.selected
    }

    /// The numbers of the lines that are seen in `height` rows; the selected one is among them.
    pub fn window(&mut self, height: usize) -> Range<usize> {
        self.list.window(height, self.rows.len())
    }

    /// A line of it.
    #[must_use]
    pub fn row(&self, index: usize) -> Option<Row> {
        self.rows.get(index).map(Branch::row)
    }
}

impl Branch {
    /// `~   ▸ units: [12]`
    fn row(&self) -> Row {
        let tone = self.mark.map_or(Tone::Strong, Mark::tone);
        let fold = match self.kind {
            BranchKind::Open => "▾ ",
            BranchKind::Closed => "▸ ",
            BranchKind::Leaf | BranchKind::Reference(_) => "  ",
        };
        let value_tone = match (self.mark, &self.kind) {
            (Some(mark), _) if mark != Mark::Within => mark.tone(),
            (_, BranchKind::Leaf) => Tone::Value,
            _ => Tone::Faint,
        };
        Row::of([
            Span::new(self.mark.map_or(" ", Mark::sign), tone),
            Span::new("  ".repeat(self.depth), Tone::Plain),
            Span::new(format!(" {fold}"), Tone::Faint),
            Span::new(&*self.key, tone),
            Span::new(": ", Tone::Faint),
            Span::new(&*self.value, value_tone),
        ])
    }
}

/// Makes lines out of a state.
struct Grower<'a> {
    open: &'a HashSet<String>,
    marks: &'a Marks<'a>,
    rows: Vec<Branch>,
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
            let is_open = kind == BranchKind::Open;
            let (key, value) = (short(&key), described(child, &kind));
            self.rows.push(Branch { path: path.clone(), depth, key, value, kind, mark });
            if is_open {
                let inherited = mark.filter(|mark| *mark == Mark::Added);
                self.children(child, &path, depth + 1, inherited);
            }
        }
        if hidden > 0 {
            let value = format!("{} more", thousands(hidden));
            let (path, kind) = (joined(above, "…"), BranchKind::Leaf);
            self.rows.push(Branch { path, depth, key: "…".to_owned(), value, kind, mark: None });
        }
    }

    fn kind(&self, node: Node<'_>, path: &str) -> BranchKind {
        match (node.reference(), node.kind()) {
            (Some(id), _) => BranchKind::Reference(joined("gameObjects", &id)),
            (None, Kind::Object | Kind::List) if !node.is_empty() => {
                if self.open.contains(path) {
                    BranchKind::Open
                } else {
                    BranchKind::Closed
                }
            }
            _ => BranchKind::Leaf,
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

/// A value in a few words.
fn described(node: Node<'_>, kind: &BranchKind) -> String {
    if let BranchKind::Reference(_) = kind {
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
#[must_use]
pub fn search(state: State<'_>, text: &str, after: &str) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use gametape_cadre::{Game, Markers};

    use super::*;

    #[test]
    fn numbers_come_first_and_by_their_value() {
        let json = br#"{"name":1,"10":2,"9":3,"100":4,"list":[7,8]}"#;
        let game = Game::from_json(json, Markers::default()).unwrap();
        let root = game.state().root();
        let keys = |node| -> Vec<String> {
            ordered_children(node).into_iter().map(|(key, _)| key.into_owned()).collect()
        };
        assert_eq!(keys(root), ["9", "10", "100", "list", "name"]);
        assert_eq!(keys(root.get("list").unwrap()), ["0", "1"]);
    }
}
