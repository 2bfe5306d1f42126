//! Libraries have no file, clock, thread, socket or print, but where ARCHITECTURE.md names it.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use proc_macro2::Delimiter;
use xshell::Shell;

use super::source::{Source, TokenKind};
use super::{files, table};

const HEADING: &str = "## Where libraries touch the world";

/// What a library may not use, and the paths by which it would: consecutive segments of a path.
const WORLD: [(&str, &[&str]); 6] = [
    ("file", &["std::fs", "std::os"]),
    ("clock", &["Instant", "SystemTime", "UNIX_EPOCH", "std::time::*"]),
    ("thread", &["std::thread"]),
    ("socket", &["std::net", "TcpStream", "TcpListener", "UdpSocket"]),
    (
        "print",
        &[
            "println!",
            "print!",
            "eprintln!",
            "eprint!",
            "dbg!",
            "io::stdin",
            "io::stdout",
            "io::stderr",
            "io::Stdin",
            "io::Stdout",
            "io::Stderr",
            "std::io::*",
        ],
    ),
    // The whole standard library under another name would hide everything.
    ("process", &["std::env", "std::process", "std::*", "std::self"]),
];

/// A path, and what the files below it may use.
struct Exception {
    path: String,
    allows: Vec<String>,
}

pub(super) fn problems(sh: &Shell) -> Result<Vec<String>> {
    let rows = table::under(sh, HEADING)?;
    let exception = |row: &Vec<String>| {
        let path = table::names(row.first()?).into_iter().next()?;
        let allows = row.get(1)?.split(',').map(|word| word.trim().to_owned()).collect();
        Some(Exception { path, allows })
    };
    let exceptions: Vec<Exception> = rows.iter().filter_map(exception).collect();
    let uses = uses_of_all(&library(sh)?);
    Ok(judge(&uses, &exceptions))
}

/// The sources of the library crates, with their paths.
pub(super) fn library(sh: &Shell) -> Result<Vec<(String, Source)>> {
    let files = files(sh, &["crates"], &["rs"])?.into_iter();
    let is_edge = |path: &str| {
        let inside = path.strip_prefix("crates/").and_then(|path| path.split('/').next());
        inside.is_some_and(|name| crate::EDGES.contains(&name))
    };
    let is_library = |path: &str| path.contains("/src/") && !is_edge(path);
    let parse = |file: super::SourceFile| {
        let source = Source::parse(&file.text).with_context(|| file.path.clone())?;
        Ok((file.path, source))
    };
    files.filter(|file| is_library(&file.path)).map(parse).collect()
}

/// The uses in all files but those of modules that only tests compile.
fn uses_of_all(sources: &[(String, Source)]) -> Vec<Use> {
    let test_modules: Vec<String> =
        sources.iter().flat_map(|(path, source)| paths_of_test_modules(path, source)).collect();
    let is_test = |path: &str| {
        let below = |module: &String| {
            let rest = path.strip_prefix(module.as_str());
            rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        };
        test_modules.iter().any(below)
    };
    let compiled = sources.iter().filter(|(path, _)| !is_test(path));
    compiled.flat_map(|(path, source)| uses(path, source)).collect()
}

/// Where the test modules of a file are, without `.rs` or `/mod.rs`.
fn paths_of_test_modules(path: &str, source: &Source) -> Vec<String> {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let folder = match file {
        "mod.rs" | "lib.rs" | "main.rs" => folder.to_owned(),
        _ => format!("{folder}/{}", file.trim_end_matches(".rs")),
    };
    source.test_modules.iter().map(|name| format!("{folder}/{name}")).collect()
}

/// A line that uses something of the world.
#[derive(Debug)]
struct Use {
    path: String,
    line: usize,
    what: &'static str,
}

fn uses(path: &str, source: &Source) -> Vec<Use> {
    let mut found = Vec::new();
    for (line, segments) in paths(source) {
        let here = WORLD.iter().filter(|(_, names)| names.iter().any(|name| has(&segments, name)));
        let here = here.map(|(what, _)| Use { path: path.to_owned(), line, what });
        found.extend(here);
    }
    found
}

/// Are these consecutive segments of the path?
fn has(segments: &[String], name: &str) -> bool {
    let wanted: Vec<&str> = name.split("::").collect();
    segments.windows(wanted.len()).any(|window| window == wanted.as_slice())
}

/// All paths of a file with their lines: imports one by one, and others with what their first segment
/// was imported as. A macro that is called ends with an exclamation mark.
fn paths(source: &Source) -> Vec<(usize, Vec<String>)> {
    let mut imports = Imports { source, found: Vec::new() };
    let mut others = Vec::new();
    let mut index = 0;
    while index < source.tokens.len() {
        let line = source.tokens[index].line;
        if source.name(index) == Some("use") {
            index = imports.tree(index + 1, &[]);
        } else if source.name(index).is_some() {
            let (path, after) = path_at(source, index);
            others.push((line, path));
            index = after;
        } else {
            index += 1;
        }
    }
    let aliases: BTreeMap<&str, &[String]> =
        imports.found.iter().map(|import| (import.name.as_str(), &import.path[..])).collect();
    let resolve = |path: Vec<String>| match aliases.get(path[0].as_str()) {
        Some(import) if path.len() > 1 => [import, &path[1..]].concat(),
        _ => path,
    };
    let mut all: Vec<_> = others.into_iter().map(|(line, path)| (line, resolve(path))).collect();
    all.extend(imports.found.iter().map(|import| (import.line, import.path.clone())));
    all.sort();
    all
}

/// The path that begins with the name at an index, and the index after it.
fn path_at(source: &Source, mut index: usize) -> (Vec<String>, usize) {
    let mut path = Vec::new();
    while let Some(name) = source.name(index) {
        path.push(name.to_owned());
        index += 1;
        if !source.is_path_separator(index) || source.name(index + 2).is_none() {
            break;
        }
        index += 2;
    }
    if let Some(last) = path.last_mut()
        && source.is(index, &TokenKind::Punct('!'))
    {
        last.push('!');
    }
    (path, index)
}

/// Something imported: its path, and the name that it has in the file.
struct Import {
    line: usize,
    path: Vec<String>,
    name: String,
}

struct Imports<'s> {
    source: &'s Source,
    found: Vec<Import>,
}

impl Imports<'_> {
    /// Reads one tree of a `use`, whose path begins with `before`; returns the index after it.
    fn tree(&mut self, mut index: usize, before: &[String]) -> usize {
        let source = self.source;
        let mut path = before.to_vec();
        loop {
            if source.is_path_separator(index) {
                index += 2;
            } else if source.is(index, &TokenKind::Open(Delimiter::Brace)) {
                return self.list(index + 1, &path);
            } else if source.is(index, &TokenKind::Punct('*')) {
                path.push("*".to_owned());
                self.add(index, path, None);
                return index + 1;
            } else if source.name(index) == Some("as") {
                let name = source.name(index + 1).map(ToOwned::to_owned);
                self.add(index, path, name);
                return index + 2;
            } else if let Some(segment) = source.name(index) {
                path.push(segment.to_owned());
                index += 1;
            } else {
                self.add(index, path, None);
                return index;
            }
        }
    }

    /// Reads the trees in braces; returns the index after them.
    fn list(&mut self, mut index: usize, before: &[String]) -> usize {
        while index < self.source.tokens.len() {
            if self.source.is(index, &TokenKind::Close(Delimiter::Brace)) {
                return index + 1;
            }
            if self.source.is(index, &TokenKind::Punct(',')) {
                index += 1;
            } else {
                // A tree that is none ends where it begins.
                index = self.tree(index, before).max(index + 1);
            }
        }
        index
    }

    fn add(&mut self, index: usize, mut path: Vec<String>, alias: Option<String>) {
        let is_renamed_whole = alias.is_some() && path.len() == 1;
        if is_renamed_whole {
            path.push("self".to_owned());
        }
        if path.len() > 2 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let Some(last) = path.last() else { return };
        let name = alias.unwrap_or_else(|| last.clone());
        let line = self.source.tokens.get(index.saturating_sub(1)).map_or(0, |token| token.line);
        self.found.push(Import { line, path, name });
    }
}

fn judge(uses: &[Use], exceptions: &[Exception]) -> Vec<String> {
    let allowed = |used: &Use| {
        let here = |exception: &&Exception| used.path.starts_with(&exception.path);
        let mut here = exceptions.iter().filter(here);
        here.any(|exception| exception.allows.iter().any(|word| word == used.what))
    };
    let refused = uses.iter().filter(|used| !allowed(used));
    let mut problems: Vec<String> = refused
        .map(|Use { path, line, what }| format!("{path}:{line}: {what} in a library"))
        .collect();
    for Exception { path, allows } in exceptions {
        let unused = allows.iter().filter(|word| {
            !uses.iter().any(|used| used.path.starts_with(path) && used.what == **word)
        });
        problems.extend(unused.map(|word| format!("ARCHITECTURE.md: {path} uses no {word}")));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "crates/gametape-x/src/a.rs";

    fn found(text: &str) -> Vec<(usize, &'static str)> {
        let uses = uses(PATH, &Source::parse(text).unwrap());
        uses.iter().map(|used| (used.line, used.what)).collect()
    }

    #[test]
    fn every_way_to_the_world_is_refused() {
        for (text, what) in [
            ("use std::fs;", "file"),
            ("use std::{fmt, fs};", "file"),
            ("use std::{io::{self, Read}, fs::File as Disk};", "file"),
            ("fn f() { ::std::fs::read(p) }", "file"),
            ("use std::os::unix::fs::OpenOptionsExt;", "file"),
            ("fn f() -> std::time::Instant {}", "clock"),
            ("use std::time; fn f() { time::SystemTime::now() }", "clock"),
            ("use std::time::*;", "clock"),
            ("use std::{collections::BTreeMap, thread};", "thread"),
            ("macro_rules! m { () => { std::thread::spawn(f) } }", "thread"),
            ("use std::net::ToSocketAddrs;", "socket"),
            ("fn f() { println!(\"x\") }", "print"),
            ("fn f() { std::eprintln!() }", "print"),
            ("use std::io; fn f() { io::stdout() }", "print"),
            ("use std::io as i; fn f() { i::stdin() }", "print"),
            ("fn f() { writeln!(std::io::stderr(), \"x\") }", "print"),
            ("use std::io::{Write, stderr};", "print"),
            ("use std::io::*;", "print"),
            ("fn f() { g(\"http://x\"); dbg!(1) }", "print"),
            ("#[cfg(test)]\nmod a;\nuse std::env;", "process"),
            ("use std as s;", "process"),
            ("use std::*;", "process"),
        ] {
            assert!(found(text).iter().any(|(_, found)| *found == what), "{text}");
        }
    }

    #[test]
    fn comments_tests_strings_and_other_names_are_allowed() {
        let text = "/// println!\nuse std::{io::{self, Read}, time::Duration};\nmod thread;\n\
                    fn f(x: InstantReplay) { thread::run(io::Error::other(\"std::fs\"), Space::File) }\n\
                    const V: &str = env!(\"X\");\n#[cfg(test)]\nmod tests { use std::fs; }\n";
        assert_eq!(found(text), []);
    }

    #[test]
    fn the_line_of_a_use_is_named() {
        assert_eq!(
            found("use std::{\n    fmt,\n    fs,\n};\n\nfn f() {\n    dbg!(1)\n}"),
            [(3, "file"), (7, "print")]
        );
    }

    #[test]
    fn files_of_test_modules_are_left_out() {
        let parse = |path: &str, text: &str| (path.to_owned(), Source::parse(text).unwrap());
        let sources = [
            parse("a/src/mod.rs", "#[cfg(test)] mod oracle; mod tiles;"),
            parse("a/src/oracle.rs", "use std::fs;"),
            parse("a/src/oracle/more.rs", "use std::fs;"),
            parse("a/src/tiles.rs", "#[cfg(test)] mod tests; use std::fs;"),
            parse("a/src/tiles/tests.rs", "use std::fs;"),
            parse("a/src/tests.rs", "use std::fs;"),
        ];
        let uses = uses_of_all(&sources);
        let paths: Vec<&str> = uses.iter().map(|used| used.path.as_str()).collect();
        assert_eq!(paths, ["a/src/tiles.rs", "a/src/tests.rs"]);
    }

    #[test]
    fn an_exception_allows_what_it_names_and_must_be_used() {
        let uses = uses(PATH, &Source::parse("fn f() { println!() }").unwrap());
        let exception = |word: &str| {
            [Exception { path: "crates/gametape-x/".into(), allows: vec![word.into()] }]
        };
        assert_eq!(judge(&uses, &[]).len(), 1);
        assert!(judge(&uses, &exception("print")).is_empty());
        assert_eq!(judge(&uses, &exception("clock")).len(), 2);
    }
}
