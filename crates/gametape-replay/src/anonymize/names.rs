//! Names, and what they are replaced by, in any letter case.

use std::ops::Range;

/// Shorter names are replaced only where they are all of a text: in others they would be found by
/// chance.
const LEAST_CHARS: usize = 3;
/// Shorter names are replaced only where they are whole words.
const LEAST_INSIDE: usize = 5;

/// Names and what they are replaced by. Letter case, the width of white space, and characters without
/// width make no difference.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Folded name and replacement, the longest names first: one may be part of another.
    rows: Vec<(String, String)>,
}

/// A text without differences that do not matter.
struct Folded {
    text: String,
    /// For every byte of `text`, and for its end, the range of the character in the original.
    origin: Vec<Range<usize>>,
}

impl Folded {
    fn of(original: &str) -> Self {
        let mut folded = Self { text: String::with_capacity(original.len()), origin: Vec::new() };
        for (at, c) in original.char_indices() {
            let range = at..at + c.len_utf8();
            if is_without_width(c) || (c.is_whitespace() && folded.text.ends_with(' ')) {
                continue;
            }
            let before = folded.text.len();
            if c.is_whitespace() {
                folded.text.push(' ');
            } else {
                folded.text.extend(c.to_lowercase());
            }
            folded.origin.resize(folded.origin.len() + folded.text.len() - before, range);
        }
        folded
    }
}

fn is_without_width(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}')
}

impl Names {
    /// From here on `name` is replaced by `replacement`. The first replacement of a name counts.
    pub(super) fn add(&mut self, name: &str, replacement: &str) {
        let folded = Folded::of(name).text;
        let is_known = self.rows.iter().any(|(known, _)| *known == folded);
        if folded.trim().is_empty() || name == replacement || is_known {
            return;
        }
        self.rows.push((folded, replacement.to_owned()));
        self.rows.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    }

    /// The text with all names in it replaced; `None` where there are none.
    pub(super) fn replaced(&self, text: &str) -> Option<String> {
        let folded = Folded::of(text);
        if let Some((_, replacement)) = self.rows.iter().find(|(name, _)| *name == folded.text) {
            return Some(replacement.clone());
        }
        let found = self.found(&folded);
        let (mut out, mut from) = (String::new(), 0);
        for (range, row) in &found {
            out.push_str(&text[from..range.start]);
            out.push_str(&self.rows[*row].1);
            from = range.end;
        }
        (!found.is_empty()).then(|| out + &text[from..])
    }

    /// The replacements of the names that are in a text, but for names that others are called now.
    pub(super) fn found_in(&self, text: &str) -> Vec<&str> {
        let is_pseudonym = |name: &str| {
            self.rows.iter().any(|(_, replacement)| replacement.to_lowercase() == name)
        };
        let found = self.found(&Folded::of(text)).into_iter().map(|(_, row)| &self.rows[row]);
        found.filter(|(name, _)| !is_pseudonym(name)).map(|(_, new)| &**new).collect()
    }

    /// Where names are in the original of a text, ascending, none inside another.
    fn found(&self, folded: &Folded) -> Vec<(Range<usize>, usize)> {
        let mut taken: Vec<(Range<usize>, usize)> = Vec::new();
        for (row, (name, _)) in self.rows.iter().enumerate() {
            let chars = name.chars().count();
            if chars < LEAST_CHARS {
                continue;
            }
            for (at, _) in folded.text.match_indices(&**name) {
                let range = at..at + name.len();
                let is_free = taken.iter().all(|(other, _)| !overlap(other, &range));
                if is_free && (chars >= LEAST_INSIDE || is_word(&folded.text, &range)) {
                    taken.push((range, row));
                }
            }
        }
        taken.sort_by_key(|(range, _)| range.start);
        let origin = |range: Range<usize>| {
            folded.origin[range.start].start..folded.origin[range.end - 1].end
        };
        taken.into_iter().map(|(range, row)| (origin(range), row)).collect()
    }
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Is it not part of a longer word?
fn is_word(text: &str, range: &Range<usize>) -> bool {
    let before = text[..range.start].chars().next_back();
    let after = text[range.end..].chars().next();
    !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_in_any_case_and_width() {
        let mut names = Names::default();
        for (name, new) in [("Ana", "Player 1"), ("Ana Lee", "Player 2"), ("Bo", "Player 3")] {
            names.add(name, new);
        }
        names.add("Zorbulina", "Player 4");
        let replaced = |text| names.replaced(text);
        assert_eq!(replaced("ANA, and ana \tLEE!").as_deref(), Some("Player 1, and Player 2!"));
        assert_eq!(replaced("BO").as_deref(), Some("Player 3"));
        assert_eq!(replaced("Banana, Anaconda, Bo won"), None);
        assert_eq!(replaced("éAna Ana").as_deref(), Some("éAna Player 1"));
        assert_eq!(replaced("my Z\u{200D}orbulinas!").as_deref(), Some("my Player 4s!"));
        assert_eq!(names.found_in("\u{3}ana\0"), ["Player 1"]);
    }

    #[test]
    fn who_is_called_as_another_is_now_is_not_found() {
        let mut names = Names::default();
        names.add("Player 2", "Player 1");
        names.add("Ben Berg", "Player 2");
        assert_eq!(
            names.replaced("Player 2 beats ben berg").as_deref(),
            Some("Player 1 beats Player 2")
        );
        assert!(names.found_in("Player 1 beats Player 2").is_empty());
    }
}
