//! Walking over two states at once, to show where they differ.

use std::collections::HashMap;

use gametape_wire::Result;
use gametape_wire::text::printable;

use super::Put;
use super::tree::{MAX_DEPTH, Sign, Trees, heading, is_nested, value};
use crate::state::{Node, State};
use crate::text::json::Kind;

/// Prints `title` and the differences of two states: lines begin with `+`, `-` or `~`. Returns whether
/// the states are the same; then nothing is printed.
pub fn print_differences(
    title: &str,
    a: State<'_>,
    b: State<'_>,
    put: &mut Put<'_>,
) -> Result<bool> {
    let mut walk =
        Walk { trees: Trees::new(Sign::Same, put), above: Vec::new(), title: Some(title) };
    walk.entries(0, a.root(), b.root())?;
    Ok(walk.title.is_some())
}

struct Walk<'t, 'o, 'p> {
    trees: Trees<'o, 'p>,
    /// The lines above the current one that were not printed yet, with their depth: they are if
    /// something differs there.
    above: Vec<(usize, String)>,
    title: Option<&'t str>,
}

impl Walk<'_, '_, '_> {
    /// Compares what is in two containers of the same kind. Recurses as deep as is shown.
    fn entries(&mut self, depth: usize, a: Node<'_>, b: Node<'_>) -> Result<()> {
        if a.kind() == Kind::List && a.len() != b.len() {
            let text = format!("length: {} → {}", a.len(), b.len());
            self.line(Sign::Changed, depth, &text)?;
        }
        let new = b.children();
        let mut added: HashMap<_, _> = new.iter().map(|(key, node)| (&**key, *node)).collect();
        for (key, old) in a.children() {
            match added.remove(&*key) {
                Some(new) => self.entry(depth, &key, old, new)?,
                None => self.whole(Sign::Removed, depth, &key, old)?,
            }
        }
        let added = new.iter().filter(|(key, _)| added.contains_key(&**key));
        added.into_iter().try_for_each(|(key, node)| self.whole(Sign::Added, depth, key, *node))
    }

    fn entry(&mut self, depth: usize, key: &str, a: Node<'_>, b: Node<'_>) -> Result<()> {
        if a.kind() == b.kind() && is_entered(a) && is_entered(b) && depth < MAX_DEPTH {
            let heading = if a.kind() == Kind::List {
                format!("{}:", printable(key))
            } else {
                heading(key, b)
            };
            self.above.push((depth, heading));
            self.entries(depth + 1, a, b)?;
            // Gone already if it was printed.
            self.above.pop_if(|(above, _)| *above == depth);
            return Ok(());
        }
        if a.canonical() == b.canonical() {
            return Ok(());
        }
        if is_nested(a, depth) || is_nested(b, depth) {
            self.whole(Sign::Removed, depth, key, a)?;
            return self.whole(Sign::Added, depth, key, b);
        }
        let key = printable(key);
        self.line(Sign::Changed, depth, &format!("{key}: {} → {}", value(a), value(b)))
    }

    /// A value that only one of the states has.
    fn whole(&mut self, sign: Sign, depth: usize, key: &str, node: Node<'_>) -> Result<()> {
        self.print_above()?;
        self.trees.sign = sign;
        self.trees.entry(depth, key, node)
    }

    fn line(&mut self, sign: Sign, depth: usize, text: &str) -> Result<()> {
        self.print_above()?;
        self.trees.sign = sign;
        self.trees.line(depth, text)
    }

    fn print_above(&mut self) -> Result<()> {
        if let Some(title) = self.title.take() {
            self.trees.title(title)?;
        }
        self.trees.sign = Sign::Same;
        let above = std::mem::take(&mut self.above);
        above.iter().try_for_each(|(depth, text)| self.trees.line(*depth, text))
    }
}

/// Is it a container whose entries are compared one by one?
fn is_entered(node: Node<'_>) -> bool {
    matches!(node.kind(), Kind::Object | Kind::List) && node.reference().is_none()
}
