//! Paths through a state, as text: keys joined by dots.

use std::borrow::Cow;

use crate::state::keys::{Key, Keys};
use crate::text;

/// Longer paths are shown without their middle.
const SHOWN: usize = 16;

/// The path as text: `units.3`.
pub(crate) fn display(keys: &Keys, path: &[Key]) -> String {
    let mut shown = String::new();
    for (i, key) in path.iter().enumerate() {
        if i >= SHOWN / 2 && i + SHOWN / 2 < path.len() {
            if i == SHOWN / 2 {
                shown.push_str(".…");
            }
            continue;
        }
        if i > 0 {
            shown.push('.');
        }
        push_segment(&mut shown, &shortened(&text::lossy(keys.name(*key))));
    }
    shown
}

/// Longer keys are shown without their middle.
const KEY_BYTES: usize = 256;

/// A key or another text out of a log, without its middle where it is long.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    if text.len() <= KEY_BYTES {
        return Cow::Borrowed(text);
    }
    let is_boundary = |at: &usize| text.is_char_boundary(*at);
    let start = (0..=KEY_BYTES / 2).rev().find(is_boundary).unwrap_or(0);
    let end = (text.len() - KEY_BYTES / 2..=text.len()).find(is_boundary).unwrap_or(text.len());
    Cow::Owned(format!("{}…{}", &text[..start], &text[end..]))
}

/// Appends a key so that [`split`] finds it again.
fn push_segment(shown: &mut String, segment: &str) {
    for c in segment.chars() {
        if matches!(c, '.' | '\\') {
            shown.push('\\');
        }
        shown.push(c);
    }
}

/// The keys of a path: split at dots that no backslash precedes. The empty path has none.
pub(crate) fn split(path: &str) -> Vec<String> {
    let mut segments = Vec::new();
    let mut segment = String::new();
    let mut chars = path.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => segment.extend(chars.next()),
            '.' => segments.push(std::mem::take(&mut segment)),
            _ => segment.push(c),
        }
    }
    if !path.is_empty() {
        segments.push(segment);
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_again_in_its_text() {
        let mut keys = Keys::new(u64::MAX);
        let names = ["gameObjects", "12", "a.b", "c\\d", ""];
        let path: Vec<Key> = names.iter().map(|n| keys.intern(n.as_bytes()).unwrap()).collect();
        let shown = display(&keys, &path);
        assert_eq!(shown, r"gameObjects.12.a\.b.c\\d.");
        assert_eq!(split(&shown), names);
        assert!(split("").is_empty());
    }

    #[test]
    fn long_keys_lose_their_middle_between_characters() {
        assert_eq!(shortened("short"), "short");
        let long = "é".repeat(10_000);
        let shown = shortened(&long);
        assert_eq!(shown.len(), KEY_BYTES + "…".len());
        assert!(shown.starts_with("éé") && shown.ends_with("éé"));
    }

    #[test]
    fn long_paths_lose_their_middle() {
        let path: Vec<Key> = (0..1000).map(Key::from_index).collect();
        let shown = display(&Keys::new(u64::MAX), &path);
        assert_eq!(shown, "0.1.2.3.4.5.6.7.….992.993.994.995.996.997.998.999");
    }
}
