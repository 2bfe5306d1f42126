//! One line of assembly text, cut into tokens.

use gametape_wire::{Error, ErrorKind, Place, Result};

/// A word of a line and where it begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'t> {
    /// The word as it is in the line, quotes included.
    pub(crate) text: &'t str,
    /// Byte position in the line.
    start: usize,
}

/// The tokens of one line. Operands take them from the start, the mnemonic stays known.
#[derive(Debug, Clone)]
pub(crate) struct Tokens<'t> {
    line: &'t str,
    number: u32,
    /// End of the line without its comment.
    end: usize,
    tokens: Vec<Token<'t>>,
    next: usize,
}

impl<'t> Tokens<'t> {
    /// Cuts line `number` (from 1) at white space; `;` outside of quotes starts a comment.
    pub(crate) fn cut(line: &'t str, number: u32) -> Self {
        let mut cut = Self { line, number, end: line.len(), tokens: Vec::new(), next: 0 };
        let mut position = 0;
        while let Some((start, end)) = next_word(line, position) {
            if line[start..].starts_with(';') {
                cut.end = start;
                break;
            }
            cut.tokens.push(Token { text: &line[start..end], start });
            position = end;
        }
        cut
    }

    /// The first word of the line: what the line is about.
    pub(crate) fn mnemonic(&self) -> Option<&'t str> {
        self.tokens.first().map(|word| word.text)
    }

    /// The line as it is, and its number.
    pub(crate) fn source(&self) -> (&'t str, u32) {
        (self.line, self.number)
    }

    /// The next word, required.
    pub(crate) fn take(&mut self, what: &'static str) -> Result<Token<'t>> {
        match self.take_optional() {
            Some(word) => Ok(word),
            None => Err(self.error_at(self.end, what, format!("{what} is missing"))),
        }
    }

    /// The next word, if there is one.
    pub(crate) fn take_optional(&mut self) -> Option<Token<'t>> {
        let word = self.tokens.get(self.next).copied();
        self.next += usize::from(word.is_some());
        word
    }

    /// Everything from the next word to the comment, as it is; takes all tokens.
    pub(crate) fn take_rest(&mut self, what: &'static str) -> Result<(&'t str, Token<'t>)> {
        let first = self.take(what)?;
        self.next = self.tokens.len();
        Ok((self.line[first.start..self.end].trim_end(), first))
    }

    /// Takes the mark ` = bytes` off the end of the line, where there is one.
    pub(crate) fn take_mark(&mut self) -> Option<Token<'t>> {
        let [_, .., equals, bytes] = self.tokens[..] else { return None };
        if equals.text != "=" {
            return None;
        }
        self.tokens.truncate(self.tokens.len() - 2);
        self.end = equals.start;
        Some(bytes)
    }

    /// Does a line of text have the same tokens?
    pub(crate) fn is_same_as(&self, line: &str) -> bool {
        let other = Tokens::cut(line, 1);
        self.tokens.iter().map(|word| word.text).eq(other.tokens.iter().map(|word| word.text))
    }

    /// How many tokens were not taken yet.
    pub(crate) fn left(&self) -> usize {
        self.tokens.len() - self.next
    }

    /// An error unless every word was taken.
    pub(crate) fn finish(&self) -> Result<()> {
        match self.tokens.get(self.next) {
            None => Ok(()),
            Some(word) => Err(self.error(*word, "line", "nothing may follow here")),
        }
    }

    /// The same line again, without the tokens that were taken, except for the mnemonic and the
    /// first `kept` operands: what remains of a list that was too long.
    pub(crate) fn continue_after(mut self, kept: usize) -> Self {
        self.tokens.drain(1 + kept..self.next);
        self.next = 0;
        self
    }

    /// An error that points at `word`.
    #[cold]
    pub(crate) fn error(
        &self,
        word: Token<'_>,
        item: &'static str,
        problem: impl Into<String>,
    ) -> Error {
        self.error_at(word.start, item, problem.into())
    }

    #[cold]
    fn error_at(&self, position: usize, item: &'static str, problem: String) -> Error {
        let kind = ErrorKind::BadSyntax { problem: problem.into() };
        Error::new(self.place(position), item, kind)
    }

    /// The same problem, placed at `word` unless it has a place in the line already.
    #[cold]
    pub(crate) fn locate(&self, error: Error, word: Token<'_>) -> Error {
        match error.place() {
            Place::Nowhere => error.with_place(self.place(word.start)),
            _ => error,
        }
    }

    fn place(&self, position: usize) -> Place {
        let column = self.line[..position].chars().count() as u32 + 1;
        Place::Text { line: self.number, column, source: self.line.to_owned() }
    }
}

/// Start and end of the next word at or after `position`; a quoted string is one word.
fn next_word(line: &str, position: usize) -> Option<(usize, usize)> {
    let start = position + line[position..].find(|c: char| !c.is_whitespace())?;
    let mut quoted = false;
    let mut escaped = false;
    for (i, c) in line[start..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            c if !quoted && i > 0 && (c.is_whitespace() || c == ';') => {
                return Some((start, start + i));
            }
            _ => {}
        }
    }
    Some((start, line.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts<'t>(tokens: &Tokens<'t>) -> Vec<&'t str> {
        tokens.tokens.iter().map(|word| word.text).collect()
    }

    #[test]
    fn a_line_is_cut_at_blanks_and_comments() {
        let tokens = Tokens::cut("  OWNER 1 -7,2\t3,4 ; t=0", 1);
        assert_eq!(texts(&tokens), ["OWNER", "1", "-7,2", "3,4"]);
        assert_eq!(texts(&Tokens::cut(r#"CHAT "a ; b \" c";x"#, 1)), ["CHAT", r#""a ; b \" c""#]);
        assert_eq!(texts(&Tokens::cut("; only a comment", 1)), [""; 0]);
        assert_eq!(texts(&Tokens::cut(r#"JOIN "open"#, 1)), ["JOIN", r#""open"#]);
    }

    #[test]
    fn the_rest_ends_before_the_comment() {
        let mut tokens = Tokens::cut("CHAT gg  all ; cut", 1);
        tokens.take("word").unwrap();
        assert_eq!(tokens.take_rest("text").unwrap().0, "gg  all");
        assert!(tokens.finish().is_ok());
    }

    #[test]
    fn a_list_goes_on_after_what_was_taken() {
        let mut tokens = Tokens::cut("OWNER 1 a b c d", 1);
        for _ in 0..4 {
            tokens.take("word").unwrap();
        }
        assert_eq!(texts(&tokens.continue_after(1)), ["OWNER", "1", "c", "d"]);
    }

    #[test]
    fn errors_point_at_the_word() {
        let mut tokens = Tokens::cut("SMOKE ärger x", 7);
        tokens.take("word").unwrap();
        tokens.take("word").unwrap();
        let error = tokens.finish().unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("(line 7, column 13)\n7 | SMOKE ärger x\n  |             ^"),
            "{text}"
        );
    }
}
