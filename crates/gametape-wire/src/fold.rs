//! Texts that are compared whatever their letter case and way of writing.

use crate::Arrange;
use unicode_normalization::char::{
    canonical_combining_class, decompose_canonical, decompose_compatible, is_combining_mark,
};

/// Where in a text a character begins and ends.
type Origin = (usize, usize);

/// Calls `emit` with the characters of a text as they are compared, each with where the character of the
/// text begins and ends that it is of.
///
/// Texts that differ only in letter case (`ß` and `SS`, `Σ` and `ς` included), in whether accents are
/// characters of their own, and in forms such as ligatures or full width, give the same characters.
///
/// ```
/// use gametape_wire::fold;
///
/// assert_eq!(fold("STRASSE"), fold("Straße"));
/// assert_eq!(fold("Chloe\u{301}"), fold("CHLOÉ"));
/// assert_ne!(fold("Chloe"), fold("Chloé"));
/// ```
pub fn fold_chars(text: &str, emit: impl FnMut(char, Origin)) {
    let mut folder = Folder { marks: Vec::new(), emit };
    for (start, c) in text.char_indices() {
        let origin = (start, start + c.len_utf8());
        if c.is_ascii() {
            folder.put(c.to_ascii_lowercase(), origin);
            continue;
        }
        decompose_compatible(c, |part| {
            // Upper case first: it is where letters with several lower cases meet.
            for folded in part.to_uppercase().flat_map(char::to_lowercase) {
                decompose_canonical(folded, |c| folder.put(c, origin));
            }
        });
    }
    folder.end_marks();
}

/// A text as it is compared, see [`fold_chars`].
#[must_use]
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_chars(text, |c, _| folded.push(c));
    folded
}

/// Does a character change the one before it, so that both are one letter to people?
#[must_use]
pub fn continues_letter(c: char) -> bool {
    // Vowels and ends of Korean syllables follow their beginnings.
    !c.is_ascii() && (is_combining_mark(c) || ('\u{1160}'..='\u{11FF}').contains(&c))
}

struct Folder<F> {
    /// Marks after the last letter. Their order says nothing unless they are of one class.
    marks: Vec<(u8, char, Origin)>,
    emit: F,
}

impl<F: FnMut(char, Origin)> Folder<F> {
    fn put(&mut self, c: char, origin: Origin) {
        let class = if c.is_ascii() { 0 } else { canonical_combining_class(c) };
        if class > 0 {
            return self.marks.push((class, c, origin));
        }
        self.end_marks();
        (self.emit)(c, origin);
    }

    fn end_marks(&mut self) {
        self.marks.arrange_by_key(|(class, ..)| *class);
        for (_, c, origin) in self.marks.drain(..) {
            (self.emit)(c, origin);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letter_case_accents_and_forms_make_no_difference() {
        for (one, other) in [
            ("Straßenmeister", "STRASSENMEISTER"),
            ("Σοφός", "ΣΟΦΌΣ"),
            ("ﬁnalboss", "FINALBOSS"),
            ("Chlo\u{e9}", "CHLOE\u{301}"),
            ("a\u{323}\u{302}", "Ậ"),
            ("a\u{302}\u{323}", "ậ"),
            ("Ａｎａ", "ana"),
            ("한글", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"),
        ] {
            assert_eq!(fold(one), fold(other), "{one} {other}");
        }
        assert_ne!(fold("Zoë"), fold("Zoe"));
        assert_ne!(fold("a\u{301}\u{302}"), fold("a\u{302}\u{301}"));
    }

    #[test]
    fn every_character_says_what_it_is_of() {
        let mut all = Vec::new();
        fold_chars("Xßé", |c, origin| all.push((c, origin)));
        let expected =
            [('x', (0, 1)), ('s', (1, 3)), ('s', (1, 3)), ('e', (3, 5)), ('\u{301}', (3, 5))];
        assert_eq!(all, expected);
        assert!(continues_letter('\u{301}') && !continues_letter('e') && !continues_letter('é'));
    }
}
