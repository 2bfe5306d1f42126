//! Which crate uses which: as the table in ARCHITECTURE.md says, no more and no less.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use xshell::Shell;

use super::table;

const HEADING: &str = "## Which crate uses which";

type Arrows = BTreeMap<String, BTreeSet<String>>;

pub(super) fn problems(sh: &Shell) -> Result<Vec<String>> {
    let rows = table::under(sh, HEADING)?;
    let drawn = rows.iter().map(|row| arrow(row)).collect::<Result<Arrows>>()?;
    Ok(compare(&drawn, &real(sh)?))
}

fn arrow(row: &[String]) -> Result<(String, BTreeSet<String>)> {
    let [name, uses, ..] = row else { anyhow::bail!("a row of `{HEADING}` has no second cell") };
    let name = table::names(name).into_iter().next().context("a row names no crate")?;
    Ok((name, table::names(uses).into_iter().collect()))
}

/// The dependencies among the crates in `crates/`, without those of tests.
fn real(sh: &Shell) -> Result<Arrows> {
    let mut arrows = Arrows::new();
    for folder in sh.read_dir("crates")? {
        let manifest = folder.join("Cargo.toml");
        if !manifest.exists() {
            continue;
        }
        let manifest: toml::Table = sh.read_file(manifest)?.parse()?;
        let name = manifest["package"]["name"].as_str().context("a crate without a name")?;
        let uses = manifest.get("dependencies").and_then(toml::Value::as_table);
        let uses = uses.into_iter().flat_map(toml::Table::keys);
        let ours = uses.filter(|name| name.starts_with("gametape")).cloned().collect();
        arrows.insert(name.to_owned(), ours);
    }
    Ok(arrows)
}

fn compare(drawn: &Arrows, real: &Arrows) -> Vec<String> {
    let mut problems = Vec::new();
    for (name, uses) in real {
        let Some(drawn) = drawn.get(name) else {
            problems.push(format!("{name} is not in the table `{HEADING}`"));
            continue;
        };
        problems.extend(uses.difference(drawn).map(|used| {
            format!("crates/{name}/Cargo.toml: uses {used}, which ARCHITECTURE.md does not allow")
        }));
        problems.extend(drawn.difference(uses).map(|unused| {
            format!("ARCHITECTURE.md: {name} does not use {unused}, though the table says so")
        }));
    }
    let gone = drawn.keys().filter(|name| !real.contains_key(*name));
    problems.extend(gone.map(|name| format!("ARCHITECTURE.md: there is no crate {name}")));
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrows(text: &[(&str, &[&str])]) -> Arrows {
        let set = |uses: &[&str]| uses.iter().map(ToString::to_string).collect();
        text.iter().map(|(name, uses)| (name.to_string(), set(uses))).collect()
    }

    #[test]
    fn every_difference_is_a_problem() {
        let real = arrows(&[("a", &[]), ("b", &["a"]), ("c", &["a", "b"])]);
        assert!(compare(&real, &real).is_empty());
        let drawn = arrows(&[("b", &["a"]), ("c", &["a", "x"]), ("d", &[])]);
        assert_eq!(compare(&drawn, &real).len(), 4);
    }
}
