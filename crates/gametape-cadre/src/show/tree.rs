//! States as trees, one line for each value.

use anstyle::{AnsiColor, Style};
use gametape_wire::text::printable;
use gametape_wire::{Error, ErrorKind, Place, Result};

use super::Put;
use crate::limits::EXPANDED;
use crate::state::Node;
use crate::text::json::Kind;

/// Values deeper than this are shown as JSON on one line.
pub(super) const MAX_DEPTH: usize = 32;
/// The longest list that is shown on one line.
const LINE_CHARS: usize = 80;
const LINE_ELEMENTS: usize = 20;

/// Prints a title, if there is one, and a value as a tree: its entries, or itself if it has none.
///
/// At most `follow` references inside each other are followed, and none inside itself; more than
/// [`EXPANDED`] bytes with references followed are an error.
///
/// ```
/// use gametape_cadre::{Log, Options, Timeline, sample, show};
///
/// let log = Log::open(sample::log(20, 1), &Options::default())?;
/// let timeline = Timeline::load(log, &Options::default())?;
/// let mut text = String::new();
/// show::print_tree(None, timeline.state().root(), 0, &mut |lines| {
///     text += &lines.to_string();
///     Ok(())
/// })?;
/// assert!(text.contains("currentTurn: "));
/// # Ok::<(), gametape_wire::Error>(())
/// ```
pub fn print_tree(
    title: Option<&str>,
    node: Node<'_>,
    follow: usize,
    put: &mut Put<'_>,
) -> Result<()> {
    let mut trees = Trees { follow, ..Trees::new(Sign::None, put) };
    title.map_or(Ok(()), |title| trees.title(title))?;
    trees.root(node)
}

/// Prints values as trees.
pub(super) struct Trees<'o, 'p> {
    put: &'o mut Put<'p>,
    /// What every line begins with.
    pub(super) sign: Sign,
    /// How many references inside each other are followed.
    follow: usize,
    /// The ids of the references that are being followed.
    inside: Vec<String>,
    /// Bytes that were printed.
    printed: u64,
}

/// What became of the value of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// There is nothing to compare it with.
    None,
    Same,
    Added,
    Removed,
    Changed,
}

impl Sign {
    fn prefix(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Same => "  ",
            Self::Added => "+ ",
            Self::Removed => "- ",
            Self::Changed => "~ ",
        }
    }

    fn style(self) -> Style {
        match self {
            Self::None | Self::Same => Style::new(),
            Self::Added => colour(AnsiColor::Green),
            Self::Removed => colour(AnsiColor::Red),
            Self::Changed => colour(AnsiColor::Yellow),
        }
    }
}

fn colour(colour: AnsiColor) -> Style {
    Style::new().fg_color(Some(colour.into()))
}

impl<'o, 'p> Trees<'o, 'p> {
    pub(super) fn new(sign: Sign, put: &'o mut Put<'p>) -> Self {
        Self { put, sign, follow: 0, inside: Vec::new(), printed: 0 }
    }

    /// A value without a name: its entries, or itself if it has none.
    fn root(&mut self, node: Node<'_>) -> Result<()> {
        if let Some(target) = self.followed(node) {
            return self.inside_of(node, 0, target);
        }
        if !is_nested(node, 0) {
            return self.line(0, &self.value(node));
        }
        self.children(0, node)
    }

    /// A value and its name, and what is in it below.
    ///
    /// Recurses as deep as is shown.
    pub(super) fn entry(&mut self, depth: usize, key: &str, node: Node<'_>) -> Result<()> {
        if let Some(target) = self.followed(node) {
            self.line(depth, &format!("{}: {}", printable(key), self.value(node)))?;
            return self.inside_of(node, depth + 1, target);
        }
        if !is_nested(node, depth) {
            return self.line(depth, &format!("{}: {}", printable(key), self.value(node)));
        }
        self.line(depth, &heading(key, node))?;
        self.children(depth + 1, node)
    }

    /// The entries of the object that a reference refers to.
    fn inside_of(&mut self, node: Node<'_>, depth: usize, target: Node<'_>) -> Result<()> {
        self.inside.extend(node.reference().map(Into::into));
        self.children(depth, target)?;
        self.inside.pop();
        Ok(())
    }

    fn children(&mut self, depth: usize, node: Node<'_>) -> Result<()> {
        node.children().into_iter().try_for_each(|(key, child)| self.entry(depth, &key, child))
    }

    /// The object of a reference that is to be followed here.
    fn followed<'a>(&self, node: Node<'a>) -> Option<Node<'a>> {
        if self.inside.len() >= self.follow {
            return None;
        }
        let id = node.reference()?;
        let target = Some(node.resolve()).filter(|target| target.reference().is_none())?;
        (!self.inside.iter().any(|outer| **outer == *id)).then_some(target)
    }

    fn value(&self, node: Node<'_>) -> String {
        if self.sign == Sign::None { painted(node) } else { value(node) }
    }

    /// A line above all others.
    pub(super) fn title(&mut self, title: &str) -> Result<()> {
        let style = Style::new().bold();
        (self.put)(format_args!("{style}{}{style:#}\n", printable(title)))
    }

    /// One line of the tree.
    pub(super) fn line(&mut self, depth: usize, text: &str) -> Result<()> {
        let (style, prefix) = (self.sign.style(), self.sign.prefix());
        let indent = 2 * depth;
        self.printed += (indent + text.len() + 1) as u64;
        if self.follow > 0 && self.printed > EXPANDED.max {
            let kind = ErrorKind::OverLimit { value: self.printed, limit: EXPANDED.max };
            return Err(Error::new(Place::Nowhere, EXPANDED.name, kind));
        }
        (self.put)(format_args!("{style}{prefix}{:indent$}{text}{style:#}\n", ""))
    }
}

/// Does it take lines of its own?
pub(super) fn is_nested(node: Node<'_>, depth: usize) -> bool {
    let is_container = matches!(node.kind(), Kind::Object | Kind::List);
    let is_leaf = node.is_empty() || node.reference().is_some();
    is_container && !is_leaf && depth < MAX_DEPTH && short_list(node).is_none()
}

/// The line above the entries of a container.
pub(super) fn heading(key: &str, node: Node<'_>) -> String {
    let key = printable(key);
    match (node.kind(), type_name(node)) {
        (Kind::List, _) => format!("{key}: list of {}", node.len()),
        (_, Some(name)) => format!("{key}: {name}"),
        _ => format!("{key}:"),
    }
}

fn type_name(object: Node<'_>) -> Option<String> {
    Some(printable(&object.get("gameObjectName")?.as_str()?))
}

/// A value on one line.
pub(super) fn value(node: Node<'_>) -> String {
    if let Some(id) = node.reference() {
        let target = node.resolve();
        let name = match target.reference() {
            Some(_) => Some("(not there)".to_owned()),
            None => type_name(target),
        };
        let name = name.map_or_else(String::new, |name| format!(" {name}"));
        return format!("#{}{name}", printable(&id));
    }
    short_list(node).unwrap_or_else(|| printable(&String::from_utf8_lossy(&node.canonical())))
}

/// A value on one line, in colours.
fn painted(node: Node<'_>) -> String {
    let style = match node.kind() {
        Kind::String => colour(AnsiColor::Green),
        Kind::Number => colour(AnsiColor::Cyan),
        Kind::Bool => colour(AnsiColor::Magenta),
        Kind::Null | Kind::Hole => Style::new().dimmed(),
        Kind::Object if node.reference().is_some() => colour(AnsiColor::Blue),
        Kind::List | Kind::Object => Style::new(),
    };
    format!("{style}{}{style:#}", value(node))
}

/// A list of scalars and references that is not too long for a line, its holes shown.
fn short_list(node: Node<'_>) -> Option<String> {
    if node.kind() != Kind::List || node.len() > LINE_ELEMENTS {
        return None;
    }
    let mut shown = vec!["(hole)".to_owned(); node.len()];
    for (index, child) in node.children() {
        let is_container = matches!(child.kind(), Kind::Object | Kind::List);
        if is_container && child.reference().is_none() {
            return None;
        }
        *shown.get_mut(index.parse::<usize>().ok()?)? = value(child);
    }
    let text = format!("[{}]", shown.join(", "));
    (text.len() <= LINE_CHARS).then_some(text)
}
