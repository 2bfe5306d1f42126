//! Rust source as tokens: without comments, without the text of literals, and without what only tests compile.

use std::iter::Peekable;
use std::str::FromStr;

use anyhow::Result;
use proc_macro2::token_stream::IntoIter;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A source file.
#[derive(Default)]
pub(super) struct Source {
    pub(super) tokens: Vec<Token>,
    /// Modules in files of their own that only tests compile.
    pub(super) test_modules: Vec<String>,
}

/// A token and its line.
pub(super) struct Token {
    pub(super) line: usize,
    pub(super) kind: TokenKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TokenKind {
    Name(String),
    Punct(char),
    Open(Delimiter),
    Close(Delimiter),
    Literal,
}

impl Source {
    pub(super) fn parse(text: &str) -> Result<Self> {
        // Not every error is `Send`, so only its text goes on.
        let stream = TokenStream::from_str(text).map_err(|error| anyhow::anyhow!("{error}"))?;
        let mut source = Self::default();
        source.take(stream);
        Ok(source)
    }

    fn take(&mut self, stream: TokenStream) {
        let mut trees = stream.into_iter().peekable();
        while let Some(tree) = trees.next() {
            if is_punct(&tree, '#') && trees.next_if(is_test_attribute).is_some() {
                self.test_modules.extend(skip_item(&mut trees));
            } else {
                self.push(tree);
            }
        }
    }

    fn push(&mut self, tree: TokenTree) {
        let line = tree.span().start().line;
        let mut token = |kind| self.tokens.push(Token { line, kind });
        match tree {
            TokenTree::Ident(name) => token(TokenKind::Name(name.to_string())),
            TokenTree::Punct(punct) => token(TokenKind::Punct(punct.as_char())),
            TokenTree::Literal(_) => token(TokenKind::Literal),
            TokenTree::Group(group) => {
                token(TokenKind::Open(group.delimiter()));
                self.take(group.stream());
                let line = group.span_close().start().line;
                self.tokens.push(Token { line, kind: TokenKind::Close(group.delimiter()) });
            }
        }
    }

    /// The name at an index.
    pub(super) fn name(&self, index: usize) -> Option<&str> {
        match &self.tokens.get(index)?.kind {
            TokenKind::Name(name) => Some(name),
            _ => None,
        }
    }

    /// Is this at an index?
    pub(super) fn is(&self, index: usize, kind: &TokenKind) -> bool {
        self.tokens.get(index).is_some_and(|token| token.kind == *kind)
    }

    /// Are there two colons at an index?
    pub(super) fn is_path_separator(&self, index: usize) -> bool {
        [index, index + 1].iter().all(|index| self.is(*index, &TokenKind::Punct(':')))
    }
}

fn is_punct(tree: &TokenTree, wanted: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

fn is_name(tree: &TokenTree, wanted: &str) -> bool {
    matches!(tree, TokenTree::Ident(name) if name == wanted)
}

/// Is it `[cfg(test)]` or `[cfg(all(test, …))]`?
fn is_test_attribute(tree: &TokenTree) -> bool {
    let TokenTree::Group(group) = tree else { return false };
    let attribute: Vec<TokenTree> = group.stream().into_iter().collect();
    let [name, TokenTree::Group(condition)] = attribute.as_slice() else { return false };
    group.delimiter() == Delimiter::Bracket
        && is_name(name, "cfg")
        && needs_tests(condition.stream())
}

fn needs_tests(condition: TokenStream) -> bool {
    let condition: Vec<TokenTree> = condition.into_iter().collect();
    match condition.as_slice() {
        [only] => is_name(only, "test"),
        [all, TokenTree::Group(parts)] if is_name(all, "all") => {
            parts.stream().into_iter().any(|part| is_name(&part, "test"))
        }
        _ => false,
    }
}

/// How the end of an item is known.
enum End {
    Semicolon,
    Braces,
    /// A field, a variant or a match arm.
    Comma,
}

/// Skips the item after an attribute. Returns its name if it is a module in a file of its own.
fn skip_item(trees: &mut Peekable<IntoIter>) -> Option<String> {
    skip_attributes_and_visibility(trees);
    let first = trees.next()?;
    let is_constant = is_name(&first, "const") && !trees.peek().is_some_and(|t| is_name(t, "fn"));
    let is_module = is_name(&first, "mod");
    let among = |names: &[&str]| names.iter().any(|name| is_name(&first, name));
    let end = if is_constant || among(&["use", "type", "static", "let"]) {
        End::Semicolon
    } else if among(&["const", "fn", "mod", "struct", "enum", "union", "trait", "impl"])
        || among(&["unsafe", "async", "extern", "macro_rules"])
    {
        End::Braces
    } else {
        End::Comma
    };
    let mut name = None;
    for tree in trees {
        let is_braces =
            matches!(&tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        match end {
            _ if is_punct(&tree, ';') => return name.filter(|_| is_module),
            End::Braces | End::Comma if is_braces => return None,
            End::Comma if is_punct(&tree, ',') => return None,
            _ => {}
        }
        if let TokenTree::Ident(ident) = &tree {
            name = Some(ident.to_string());
        }
    }
    None
}

fn skip_attributes_and_visibility(trees: &mut Peekable<IntoIter>) {
    let is_parenthesis = |tree: &TokenTree| matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis);
    while trees.next_if(|tree| is_punct(tree, '#')).is_some() {
        trees.next();
    }
    if trees.next_if(|tree| is_name(tree, "pub")).is_some() {
        trees.next_if(is_parenthesis);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let source = Source::parse(text).unwrap();
        (0..source.tokens.len()).filter_map(|index| source.name(index).map(str::to_owned)).collect()
    }

    #[test]
    fn only_the_item_after_the_attribute_is_skipped() {
        for item in [
            "mod tests { x }",
            "mod tests;",
            "use a::{b, c};",
            "#[allow(x)] pub(crate) const ALL: [T; 2] = [T { x }, y];",
            "pub const fn f<A, B>() -> A { x }",
            "impl<A, B> C<A, B> { x }",
            "struct S(u8);",
            "macro_rules! m { () => {} }",
        ] {
            let text = format!("before!(); #[cfg(test)] {item} after!();");
            assert_eq!(names(&text), ["before", "after"], "{item}");
        }
        assert_eq!(names("struct S { #[cfg(test)] a: A<B>, c: D }"), ["struct", "S", "c", "D"]);
        assert_eq!(names("#[cfg(all(test, unix))] mod a { b } c"), ["c"]);
        assert_eq!(names("#[cfg(any(test, unix))] a"), ["cfg", "any", "test", "unix", "a"]);
    }

    #[test]
    fn comments_and_literals_are_no_names() {
        assert_eq!(
            names("a(\"http://b\", r#\"c\"#, 'd'); // e\n/* f */ /// g\nfn h"),
            ["a", "doc", "fn", "h"]
        );
    }

    #[test]
    fn modules_of_tests_are_named() {
        let text = "#[cfg(test)]\nmod oracle;\nmod tiles;\n#[cfg(test)]\npub(crate) mod tests;";
        assert_eq!(Source::parse(text).unwrap().test_modules, ["oracle", "tests"]);
    }
}
