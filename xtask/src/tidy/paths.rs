//! The files and folders that ARCHITECTURE.md names are there, and `spec/README.md` lists every page of `spec/`.

use std::collections::BTreeSet;

use anyhow::Result;
use xshell::{Shell, cmd};

pub(super) fn problems(sh: &Shell) -> Result<Vec<String>> {
    let listed = cmd!(sh, "git ls-files --cached --others --exclude-standard").quiet().read()?;
    let known: BTreeSet<&str> = listed.lines().filter(|path| sh.path_exists(path)).collect();
    let mut problems = missing(&sh.read_file("ARCHITECTURE.md")?, &known);
    let specifications = sh.read_file("spec/README.md")?;
    let pages = known.iter().filter_map(|path| path.strip_prefix("spec/"));
    let unlisted = pages
        .filter(|page| page.ends_with(".md") && *page != "README.md")
        .filter(|page| !specifications.contains(&format!("]({page})")));
    problems.extend(unlisted.map(|page| format!("spec/README.md does not list {page}")));
    Ok(problems)
}

/// Every path in a document that no file has, neither from the root nor as its end, and that is no folder.
fn missing(document: &str, known: &BTreeSet<&str>) -> Vec<String> {
    let is_there = |path: &str| {
        let (file, folder) = (format!("/{path}"), format!("/{}/", path.trim_end_matches('/')));
        known
            .iter()
            .map(|known| format!("/{known}"))
            .any(|known| known.ends_with(&file) || known.contains(&folder))
    };
    let named = document.lines().enumerate().flat_map(|(number, line)| {
        let quoted = line.split('`').skip(1).step_by(2).filter(|text| is_path(text));
        quoted.flat_map(expanded).map(move |path| (number + 1, path))
    });
    let absent = named.filter(|(_, path)| !is_there(path));
    absent.map(|(line, path)| format!("ARCHITECTURE.md:{line}: there is no {path}")).collect()
}

fn is_path(text: &str) -> bool {
    text.contains('/') && !text.contains([' ', '*', ':'])
}

/// `src/{read,write}.rs` is two paths.
fn expanded(path: &str) -> Vec<String> {
    let braces = path.split_once('{').and_then(|(before, rest)| {
        let (choices, after) = rest.split_once('}')?;
        Some((before, choices, after))
    });
    match braces {
        None => vec![path.to_owned()],
        Some((before, choices, after)) => choices
            .split(',')
            .flat_map(|choice| expanded(&format!("{before}{choice}{after}")))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_are_not_there_are_found() {
        let known = BTreeSet::from(["crates/a/src/read/mod.rs", "crates/a/src/write.rs"]);
        let fine = "`crates/a/src/{read,write.rs}` `src/read/` `src/write.rs` `a::b/c` `one two/`";
        assert_eq!(missing(fine, &known), [""; 0]);
        let odd = "\n`crates/a/src/{read,write}.rs`, `rite.rs/`";
        let expected = ["crates/a/src/read.rs", "rite.rs/"];
        let expected = expected.map(|path| format!("ARCHITECTURE.md:2: there is no {path}"));
        assert_eq!(missing(odd, &known), expected);
    }
}
