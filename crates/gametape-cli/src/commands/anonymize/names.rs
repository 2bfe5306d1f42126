//! The names of players, and what they are called instead.

/// Shorter names are changed only where they are all of a text: inside of others they would be
/// found by chance.
const LEAST_CHARS: usize = 3;

/// Names that were found in a tape.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Name and pseudonym, the longest names first: one may be part of another.
    rows: Vec<(String, String)>,
}

impl Names {
    /// Somebody is called `name`, and will be called `pseudonym`. The first one counts.
    pub(super) fn add(&mut self, name: &str, pseudonym: &str) {
        let is_known = self.rows.iter().any(|(known, _)| known == name);
        if !name.is_empty() && name != pseudonym && !is_known {
            self.rows.push((name.to_owned(), pseudonym.to_owned()));
            self.rows.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        }
    }

    /// What somebody is called now.
    pub(super) fn pseudonym(&self, name: &str) -> Option<&str> {
        self.rows.iter().find(|(known, _)| known == name).map(|(_, pseudonym)| &**pseudonym)
    }

    /// The text with all names in it changed; `None` where there are none.
    pub(super) fn replaced(&self, text: &str) -> Option<String> {
        if let Some(pseudonym) = self.pseudonym(text) {
            return Some(pseudonym.to_owned());
        }
        let mut out = String::new();
        let mut rest = text;
        while let Some((at, (name, pseudonym))) = self.first_in(rest, text.len() - rest.len(), text)
        {
            out.push_str(&rest[..at]);
            out.push_str(pseudonym);
            rest = &rest[at + name.len()..];
        }
        (rest.len() < text.len()).then(|| out + rest)
    }

    /// The first name that stands in `rest` as a word; `rest` begins at `from` of `text`.
    fn first_in(&self, rest: &str, from: usize, text: &str) -> Option<(usize, &(String, String))> {
        let found = self.long().filter_map(|row| {
            let mut places = rest.match_indices(&*row.0).map(|(at, _)| at);
            places.find(|at| is_word(text, from + at, row.0.len())).map(|at| (at, row))
        });
        found.min_by_key(|(at, _)| *at)
    }

    fn long(&self) -> impl Iterator<Item = &(String, String)> {
        self.rows.iter().filter(|(name, _)| name.chars().count() >= LEAST_CHARS)
    }

    /// Pseudonyms of those whose names stand in these bytes.
    pub(super) fn found_in<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = &'a str> {
        let stands = |name: &str| bytes.windows(name.len()).any(|window| window == name.as_bytes());
        self.long().filter(move |(name, _)| stands(name)).map(|(_, pseudonym)| &**pseudonym)
    }
}

/// Is it not part of a longer word?
fn is_word(text: &str, at: usize, length: usize) -> bool {
    let before = text[..at].chars().next_back();
    let behind = text[at + length..].chars().next();
    !before.is_some_and(char::is_alphanumeric) && !behind.is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_changed_where_they_are_words() {
        let mut names = Names::default();
        for (name, pseudonym) in [("Ana", "Player 1"), ("Ana Lee", "Player 2"), ("Bo", "Player 3")]
        {
            names.add(name, pseudonym);
        }
        let replaced = |text| names.replaced(text);
        assert_eq!(replaced("Ana, and Ana Lee!").as_deref(), Some("Player 1, and Player 2!"));
        assert_eq!(replaced("Bo").as_deref(), Some("Player 3"));
        assert_eq!(replaced("Banana, Anaconda, Bo won"), None);
        assert_eq!(replaced("éAna Ana").as_deref(), Some("éAna Player 1"));
        assert_eq!(names.found_in(b"\x03Ana\x00").collect::<Vec<_>>(), ["Player 1"]);
    }
}
