//! Libraries have no file, clock, thread, socket or print, but where ARCHITECTURE.md names it.

use anyhow::Result;
use xshell::Shell;

use super::{files, table};

const HEADING: &str = "## Where libraries touch the world";

/// What a library may not use, and the names by which it would.
const WORLD: [(&str, &[&str]); 6] = [
    ("file", &["std::fs", "File::"]),
    ("clock", &["Instant", "SystemTime"]),
    ("thread", &["std::thread", "thread::spawn", "thread::Builder"]),
    ("socket", &["std::net", "TcpStream", "UdpSocket"]),
    ("print", &["println!", "print!", "eprintln!", "eprint!", "dbg!"]),
    ("process", &["std::env", "std::process"]),
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
    let sources = files(sh, &["crates"], &["rs"])?;
    let is_library =
        |path: &str| path.contains("/src/") && !path.starts_with("crates/gametape-cli/");
    let library = sources.iter().filter(|file| is_library(&file.path));
    let uses: Vec<Use> = library.flat_map(|file| uses(&file.path, &file.text)).collect();
    Ok(judge(&uses, &exceptions))
}

/// A line that uses something of the world.
struct Use {
    path: String,
    line: usize,
    what: &'static str,
}

/// Uses in code: comments and the tests at the end of a file do not count.
fn uses(path: &str, text: &str) -> Vec<Use> {
    let is_tests = path.ends_with("/tests.rs") || path.contains("/tests/");
    let code = text.lines().take_while(|line| line.trim() != "#[cfg(test)]" && !is_tests);
    let mut found = Vec::new();
    for (number, line) in code.enumerate() {
        let line_of_code = line.split("//").next().unwrap_or_default();
        for (what, names) in WORLD {
            if names.iter().any(|name| has_name(line_of_code, name)) {
                found.push(Use { path: path.to_owned(), line: number + 1, what });
            }
        }
    }
    found
}

/// Is this name in the line, not as a part of a longer one?
fn has_name(line: &str, name: &str) -> bool {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let bytes = line.as_bytes();
    let last_is_part = is_part(name.as_bytes().last());
    line.match_indices(name).any(|(start, _)| {
        let end = start + name.len();
        let before = start.checked_sub(1).and_then(|index| bytes.get(index));
        let goes_on = last_is_part && is_part(bytes.get(end));
        !is_part(before) && !goes_on
    })
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

    #[test]
    fn code_counts_and_comments_tests_and_longer_names_do_not() {
        let text =
            "use std::fs;\n/// println!\nlet x: InstantReplay;\n#[cfg(test)]\nInstant::now()\n";
        let found = uses("crates/gametape-x/src/a.rs", text);
        assert_eq!(
            found.iter().map(|used| (used.line, used.what)).collect::<Vec<_>>(),
            [(1, "file")]
        );
    }

    #[test]
    fn an_exception_allows_what_it_names_and_must_be_used() {
        let uses = uses("crates/gametape-x/src/a.rs", "fn f() { println!() }");
        let exception = |word: &str| {
            [Exception { path: "crates/gametape-x/".into(), allows: vec![word.into()] }]
        };
        assert_eq!(judge(&uses, &[]).len(), 1);
        assert!(judge(&uses, &exception("print")).is_empty());
        assert_eq!(judge(&uses, &exception("clock")).len(), 2);
    }
}
