//! Names, and what they are replaced by: found in any letter case, in one pass over a text.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use gametape_wire::{continues_letter, fold_chars};

/// Shorter names are replaced only where they are all of a text: in others they would be found by
/// chance.
const LEAST_CHARS: usize = 3;
/// Shorter names are replaced only where they are whole words.
const LEAST_INSIDE: usize = 5;

/// Names and what they are replaced by.
///
/// Letter case, the way in which accents are written, ligatures and other forms of letters, white space
/// between words, and characters without width make no difference.
///
/// ```
/// use gametape_cadre::Names;
///
/// let mut names = Names::default();
/// names.add("Ana Lee", "Player 1");
/// names.add("Bob", "Player 2");
/// assert_eq!(names.replaced("ANA  lee and Bob").as_deref(), Some("Player 1 and Player 2"));
/// assert_eq!(names.replaced("Bobby"), None);
/// ```
#[derive(Debug, Default)]
pub struct Names {
    rows: Vec<Row>,
    /// Finds all names that may be part of a text; made when it is first needed.
    finder: OnceLock<Option<Finder>>,
}

#[derive(Debug)]
struct Row {
    folded: String,
    /// How many letters it has.
    length: usize,
    replacement: String,
}

#[derive(Debug)]
struct Finder {
    automaton: AhoCorasick,
    /// Which row each pattern is.
    rows: Vec<usize>,
}

impl Names {
    /// From here on `name` is replaced by `replacement`. The first replacement of a name counts.
    pub fn add(&mut self, name: &str, replacement: &str) {
        let folded = Folded::of(name).text;
        let is_known = self.rows.iter().any(|row| row.folded == folded);
        if folded.trim().is_empty() || name == replacement || is_known {
            return;
        }
        let length = name.chars().filter(|c| !continues_letter(*c) && !is_widthless(*c)).count();
        self.rows.push(Row { folded, length, replacement: replacement.to_owned() });
        self.finder = OnceLock::new();
    }

    /// How many names there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Are there no names?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// What a text that is a name is replaced by.
    #[must_use]
    pub fn replacement(&self, name: &str) -> Option<&str> {
        let folded = Folded::of(name).text;
        self.rows.iter().find(|row| row.folded == folded).map(|row| &*row.replacement)
    }

    /// The text with all names in it replaced; `None` where there are none.
    #[must_use]
    pub fn replaced(&self, text: &str) -> Option<String> {
        let folded = Folded::of(text);
        if let Some(row) = self.rows.iter().find(|row| row.folded == folded.text) {
            return is_distinctive(&row.folded).then(|| row.replacement.clone());
        }
        let found = self.found(&folded);
        let (mut out, mut from) = (String::new(), 0);
        for (range, row) in &found {
            out.push_str(&text[from..range.start]);
            out.push_str(&self.rows[*row].replacement);
            from = range.end;
        }
        (!found.is_empty()).then(|| out + &text[from..])
    }

    /// The replacements of the names that are in a text, except names that are also replacements: those
    /// are pseudonyms of others.
    #[must_use]
    pub fn found_in(&self, text: &str) -> Vec<&str> {
        let is_pseudonym =
            |name: &str| self.rows.iter().any(|row| Folded::of(&row.replacement).text == name);
        let found = self.found(&Folded::of(text)).into_iter().map(|(_, row)| &self.rows[row]);
        found.filter(|row| !is_pseudonym(&row.folded)).map(|row| &*row.replacement).collect()
    }

    /// Where names are in the original of a text, leftmost and longest first, none inside another.
    fn found(&self, text: &Folded) -> Vec<(Range<usize>, usize)> {
        let Some(finder) = self.finder() else { return Vec::new() };
        let mut all: Vec<(Range<usize>, usize)> = Vec::new();
        for found in finder.automaton.find_overlapping_iter(&text.text) {
            let (range, row) = (found.range(), finder.rows[found.pattern().as_usize()]);
            if !text.is_match(&range, self.rows[row].length) {
                continue;
            }
            // Matches come in the order of their ends: a longer one replaces those in it.
            while all.last().is_some_and(|(last, _)| last.start >= range.start) {
                all.pop();
            }
            if all.last().is_none_or(|(last, _)| last.end <= range.start) {
                all.push((range, row));
            }
        }
        all.into_iter().map(|(range, row)| (text.original(&range), row)).collect()
    }

    fn finder(&self) -> Option<&Finder> {
        self.finder.get_or_init(|| Finder::of(&self.rows)).as_ref()
    }
}

impl Finder {
    fn of(rows: &[Row]) -> Option<Self> {
        let is_long = |row: &Row| row.length >= LEAST_CHARS;
        let is_found = |row: &Row| is_long(row) && is_distinctive(&row.folded);
        let indexes: Vec<usize> = (0..rows.len()).filter(|i| is_found(&rows[*i])).collect();
        let automaton = AhoCorasick::new(indexes.iter().map(|i| &rows[*i].folded)).ok()?;
        Some(Self { automaton, rows: indexes })
    }
}

/// A number could be an id or an amount as well as a name.
fn is_distinctive(folded: &str) -> bool {
    folded.chars().any(|c| !c.is_ascii_digit())
}

/// Has a character no width?
fn is_widthless(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}')
}

/// A [folded](fold_chars) text, with single spaces and without characters that have no width.
struct Folded {
    text: String,
    /// For each byte of the text, where in the original the character begins and ends that it is of.
    origins: Vec<(u32, u32)>,
}

impl Folded {
    fn of(original: &str) -> Self {
        let mut folded = Self { text: String::new(), origins: Vec::new() };
        fold_chars(original, |c, (start, end)| match c {
            c if is_widthless(c) => {}
            c if c.is_whitespace() && folded.text.ends_with(' ') => {}
            c if c.is_whitespace() => folded.push(' ', (start as u32, end as u32)),
            c => folded.push(c, (start as u32, end as u32)),
        });
        folded
    }

    fn push(&mut self, c: char, origin: (u32, u32)) {
        self.text.push(c);
        self.origins.resize(self.text.len(), origin);
    }

    /// Does a name of this many letters count here? Short ones only as whole words.
    fn is_match(&self, range: &Range<usize>, length: usize) -> bool {
        let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let next = self.text[range.end..].chars().next();
        if next.is_some_and(continues_letter) {
            // The last letter is another one.
            return false;
        }
        let before = self.text[..range.start].chars().rfind(|c| !continues_letter(*c));
        length >= LEAST_INSIDE || !(is_part(before) || is_part(next))
    }

    /// The range in the original text.
    fn original(&self, range: &Range<usize>) -> Range<usize> {
        let (start, _) = self.origins[range.start];
        let (_, end) = self.origins[range.end - 1];
        start as usize..end as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(rows: &[(&str, &str)]) -> Names {
        let mut names = Names::default();
        rows.iter().for_each(|(name, replacement)| names.add(name, replacement));
        names
    }

    #[test]
    fn names_are_replaced_in_any_case_and_spelling() {
        let names = names(&[("Zorbulina", "P0"), ("Bob the Builder", "P1"), ("Émile", "P2")]);
        for (text, expected) in [
            ("zorbulina", "P0"),
            ("ZORBULINA!", "P0!"),
            ("Zorbulinas", "P0s"),
            ("Z\u{200d}orbulina", "P0"),
            ("_Zorbulina_", "_P0_"),
            ("bob \t the  builder.", "P1."),
            ("name=Zorbulina;éMILE", "name=P0;P2"),
            ("xxZorbulinaZorbulina", "xxP0P0"),
        ] {
            assert_eq!(names.replaced(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "Zorbu lina", "Bob", "x"] {
            assert_eq!(names.replaced(text), None, "{text}");
        }
    }

    #[test]
    fn the_same_letters_are_found_however_they_are_written() {
        let names = names(&[
            ("Straßenmeister", "P1"),
            ("Σοφός", "P2"),
            ("ﬁnalboss", "P3"),
            ("Chloé", "P4"),
            ("Zoe", "P5"),
        ]);
        for (text, expected) in [
            ("STRASSENMEISTER!", "P1!"),
            ("ΣΟΦΌΣ", "P2"),
            ("the FINALBOSS", "the P3"),
            ("CHLOE\u{301} and chlo\u{e9}", "P4 and P4"),
            ("ＺＯＥ", "P5"),
        ] {
            assert_eq!(names.replaced(text).as_deref(), Some(expected), "{text}");
            assert_eq!(names.found_in(text).len(), expected.matches('P').count(), "{text}");
        }
        // Another letter is another name.
        assert_eq!(names.replaced("Zoë Chloe Zoe\u{308}"), None);
    }

    #[test]
    fn short_names_are_words_and_shorter_ones_whole_texts() {
        let names = names(&[("Ana", "P1"), ("Ana Lee", "P2"), ("Bo", "P3"), ("7", "P4")]);
        assert_eq!(names.replaced("Ana, and ana lee!").as_deref(), Some("P1, and P2!"));
        assert_eq!(names.replaced("bo").as_deref(), Some("P3"));
        assert_eq!(names.replaced("Banana, Anaconda, Bo won"), None);
        assert_eq!(names.replaced("éAna Ana").as_deref(), Some("éAna P1"));
        assert_eq!(names.replaced("7"), None);
        assert_eq!(names.replacement("7"), Some("P4"));
        assert_eq!(names.found_in("ANA"), ["P1"]);
    }

    #[test]
    fn a_name_that_is_also_a_pseudonym_is_not_found() {
        let names = names(&[("Player 2", "Player 1"), ("Ben Berg", "Player 2")]);
        let replaced = names.replaced("Player 2 beats ben berg");
        assert_eq!(replaced.as_deref(), Some("Player 1 beats Player 2"));
        assert!(names.found_in("Player 1 beats Player 2").is_empty());
        assert_eq!(names.found_in("\u{3}BEN berg\0"), ["Player 2"]);
    }
}
