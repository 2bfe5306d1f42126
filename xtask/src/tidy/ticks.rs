//! A tick in the public API of a library is a `Tick`, not a bare integer: a name that ends in `tick` is a moment, one
//! that ends in `ticks` a number of them, or a range of moments.

use anyhow::Result;
use proc_macro2::Delimiter;
use xshell::Shell;

use super::source::{Source, TokenKind};
use super::world;

/// Signed ones are fine: documents have them, where −1 is before the first tick.
const INTEGERS: [&str; 3] = ["u32", "u64", "usize"];

pub(super) fn problems(sh: &Shell) -> Result<Vec<String>> {
    let library = world::library(sh)?;
    Ok(library.iter().flat_map(|(path, source)| bare_ticks(path, source)).collect())
}

fn bare_ticks(path: &str, source: &Source) -> Vec<String> {
    let mut problems: Vec<(usize, &str)> = Vec::new();
    for start in 0..source.tokens.len() {
        for index in public_item(source, start) {
            problems.extend(bare_tick(source, index));
        }
    }
    problems.sort_unstable();
    problems.dedup();
    let say = |(line, name)| format!("{path}:{line}: `{name}`: a moment is a `Tick`");
    problems.into_iter().map(say).collect()
}

/// The tokens that say what a public item is: of a function its head, of a field its type, of an enum or trait all.
fn public_item(source: &Source, start: usize) -> std::ops::Range<usize> {
    let is_public = source.name(start) == Some("pub")
        && !source.is(start + 1, &TokenKind::Open(Delimiter::Parenthesis));
    if !is_public {
        return start..start;
    }
    let has_public_body = matches!(source.name(start + 1), Some("enum" | "trait"));
    let mut depth = 0_usize;
    let mut end = start + 1;
    while let Some(token) = source.tokens.get(end) {
        match token.kind {
            TokenKind::Open(Delimiter::Brace) if depth == 0 && !has_public_body => break,
            TokenKind::Punct(';' | ',') | TokenKind::Close(_) if depth == 0 => break,
            TokenKind::Open(_) => depth += 1,
            TokenKind::Close(kind) => {
                depth -= 1;
                if depth == 0 && kind == Delimiter::Brace {
                    break;
                }
            }
            _ => {}
        }
        end += 1;
    }
    start + 1..end
}

/// Is there a tick at an index that is a bare integer: `tick: u64`, `fn end_tick(&self) -> Option<u64>`, `Tick(u64)`,
/// `ticks: Range<u64>`?
fn bare_tick(source: &Source, index: usize) -> Option<(usize, &str)> {
    let name = source.name(index)?;
    let lower = name.to_ascii_lowercase();
    if !lower.ends_with("tick") && !lower.ends_with("ticks") {
        return None;
    }
    let is_function = index > 0 && source.name(index - 1) == Some("fn");
    let after = match (is_function, source.tokens.get(index + 1)?.kind.clone()) {
        (true, _) => (index..source.tokens.len()).take(200).find(|at| is_arrow(source, *at))? + 2,
        (false, TokenKind::Punct(':')) if !source.is_path_separator(index + 1) => index + 2,
        (false, TokenKind::Open(Delimiter::Parenthesis)) if name == "Tick" => index + 2,
        _ => return None,
    };
    let is_wrapper = |at: &usize| {
        source.is(*at, &TokenKind::Punct('&'))
            || source.is(*at, &TokenKind::Punct('<'))
            || matches!(source.name(*at), Some("Option" | "Result" | "Vec" | "Range"))
    };
    let inner = (after..).find(|at| !is_wrapper(at))?;
    let is_bare = source.name(inner).is_some_and(|name| INTEGERS.contains(&name));
    let is_range = (after..inner).any(|at| source.name(at) == Some("Range"));
    (is_bare && (is_range || lower.ends_with("tick"))).then(|| (source.tokens[index].line, name))
}

fn is_arrow(source: &Source, index: usize) -> bool {
    source.is(index, &TokenKind::Punct('-')) && source.is(index + 1, &TokenKind::Punct('>'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bare(text: &str) -> usize {
        bare_ticks("a.rs", &Source::parse(text).unwrap()).len()
    }

    #[test]
    fn bare_ticks_in_public_items_are_refused() {
        for text in [
            "pub struct A { pub tick: u64, b: u8 }",
            "pub struct A { pub first_tick: Option<u64> }",
            "impl A { pub fn seek(&mut self, tick: u64) -> Result<()> { x } }",
            "impl A { pub const fn end_tick(&self) -> u64 { x } }",
            "pub enum A { Shown { tick: u64 } }",
            "pub enum StartAt { Live, Tick(u64) }",
            "pub trait A { fn orders(&mut self, tick: u64); }",
            "pub trait A { fn end_tick(&self) -> Option<u64>; }",
            "impl A { pub fn samples(&mut self, ticks: &Range<u64>) -> u64 { x } }",
            "impl A { pub fn lost_ticks(&self) -> Option<Range<u64>> { x } }",
        ] {
            assert_eq!(bare(text), 1, "{text}");
        }
    }

    #[test]
    fn ticks_and_what_is_not_public_are_fine() {
        for text in [
            "pub struct A { pub tick: Tick, tick_count: u64, last_tick: u64 }",
            "pub struct A { pub ticks: u64, pub tick_us: u32 }",
            "pub struct A { pub ticks: Range<Tick>, pub bytes: Range<u64> }",
            "pub struct Document { pub tick: i64 }",
            "pub(crate) fn f(tick: u64) {}",
            "pub fn f(tick: Tick) { let tick: u64 = g::<u64>(tick.0); }",
            "impl A { pub fn end_tick(&self) -> Tick { x } fn g(tick: u64) -> u64 { x } }",
            "pub struct Tick(pub u64);",
        ] {
            assert_eq!(bare(text), 0, "{text}");
        }
    }
}
