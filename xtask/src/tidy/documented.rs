//! Every public item is documented: the lint `missing_docs`, which `cargo xtask test lint` makes an error, is on in
//! every crate and switched off nowhere.

use anyhow::{Context, Result};
use proc_macro2::Delimiter;
use xshell::{Shell, cmd};

use super::files;
use super::source::{Source, TokenKind};

const LINT: &str = "missing_docs";

pub(super) fn problems(sh: &Shell) -> Result<Vec<String>> {
    let root: toml::Table = sh.read_file("Cargo.toml")?.parse()?;
    let mut problems: Vec<String> = workspace(&root);
    let manifests = cmd!(sh, "git ls-files --cached --others --exclude-standard */Cargo.toml");
    let excluded = excluded(&root);
    let is_ours = |path: &&str| sh.path_exists(path) && !excluded.iter().any(|one| one == path);
    for path in manifests.quiet().read()?.lines().filter(is_ours) {
        problems.extend(manifest(path, &sh.read_file(path)?.parse()?));
    }
    let files = files(sh, &["crates", "benches", "fuzz/properties", "xtask"], &["rs"])?;
    // Programs in `tests/` and `examples/` have no public items.
    for file in files.iter().filter(|file| file.path.contains("/src/")) {
        let source = Source::parse(&file.text).with_context(|| file.path.clone())?;
        problems.extend(switched_off(&file.path, &source));
    }
    Ok(problems)
}

fn workspace(manifest: &toml::Table) -> Vec<String> {
    let lint = || manifest.get("workspace")?.get("lints")?.get("rust")?.get(LINT)?.as_str();
    let is_on = matches!(lint(), Some("warn" | "deny" | "forbid"));
    (!is_on).then(|| format!("Cargo.toml: the lint {LINT} is not on")).into_iter().collect()
}

/// The manifests of packages that are no members: programs for developers, which cannot inherit lints.
fn excluded(manifest: &toml::Table) -> Vec<String> {
    let list = || manifest.get("workspace")?.get("exclude")?.as_array();
    let folders = list().into_iter().flatten().filter_map(toml::Value::as_str);
    folders.map(|folder| format!("{folder}/Cargo.toml")).collect()
}

fn manifest(path: &str, manifest: &toml::Table) -> Option<String> {
    // cargo-fuzz builds its targets outside of the workspace; they have no public items.
    let is_fuzz = || manifest.get("package")?.get("metadata")?.get("cargo-fuzz")?.as_bool();
    let inherits = || manifest.get("lints")?.get("workspace")?.as_bool();
    let is_fine = inherits() == Some(true) || is_fuzz() == Some(true);
    (!is_fine).then(|| format!("{path}: no `[lints] workspace = true`"))
}

/// Lines where the lint is switched off, and items that are hidden from it.
fn switched_off(path: &str, source: &Source) -> Vec<String> {
    let mut problems = Vec::new();
    for (index, token) in source.tokens.iter().enumerate() {
        let hidden = match source.name(index) {
            Some("allow" | "expect") => LINT,
            Some("doc") => "hidden",
            _ => continue,
        };
        if names_in_parentheses(source, index + 1).any(|name| name == hidden) {
            problems.push(format!("{path}:{}: `{hidden}`: document the item", token.line));
        }
    }
    problems
}

/// The names in the parentheses that open at an index.
fn names_in_parentheses(source: &Source, index: usize) -> impl Iterator<Item = &str> {
    let open = source.is(index, &TokenKind::Open(Delimiter::Parenthesis));
    let inside = (index + 1..source.tokens.len()).filter(move |_| open);
    let inside =
        inside.take_while(|index| !source.is(*index, &TokenKind::Close(Delimiter::Parenthesis)));
    inside.filter_map(|index| source.name(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_without_the_lints_is_refused() {
        let check = |text: &str| manifest("a/Cargo.toml", &text.parse().unwrap()).is_none();
        assert!(check("[lints]\nworkspace = true"));
        assert!(check("[package.metadata]\ncargo-fuzz = true"));
        assert!(!check("[package]\nname = \"a\""));
        assert!(!check("[lints]\nworkspace = false"));
        assert!(!check("[lints.rust]\nmissing_docs = \"warn\""));
    }

    #[test]
    fn packages_that_are_no_members_inherit_nothing() {
        let root = "[workspace]\nexclude = [\"fuzz\", \"a/b\"]".parse().unwrap();
        assert_eq!(excluded(&root), ["fuzz/Cargo.toml", "a/b/Cargo.toml"]);
        assert!(excluded(&toml::Table::new()).is_empty());
    }

    #[test]
    fn a_workspace_without_the_lint_is_refused() {
        let check = |text: &str| workspace(&text.parse().unwrap()).is_empty();
        assert!(check("[workspace.lints.rust]\nmissing_docs = \"warn\""));
        assert!(!check("[workspace.lints.rust]\nmissing_docs = \"allow\""));
        assert!(!check("[workspace]"));
    }

    #[test]
    fn switching_the_lint_off_is_refused() {
        let check = |text: &str| switched_off("a.rs", &Source::parse(text).unwrap()).len();
        assert_eq!(check("#[allow(missing_docs, reason = \"x\")] pub struct A;"), 1);
        assert_eq!(check("#![expect(missing_docs)]"), 1);
        assert_eq!(check("#[cfg_attr(unix, allow(dead_code, missing_docs))] pub fn f() {}"), 1);
        assert_eq!(check("#[doc(hidden)] pub fn f() {}"), 1);
        assert_eq!(check("/// missing_docs hidden\n#[allow(dead_code)] fn f() { x.expect(y) }"), 0);
        assert_eq!(check("#[cfg(test)] mod tests { #![allow(missing_docs)] }"), 0);
    }
}
