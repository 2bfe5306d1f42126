//! Which crate uses which: as the table in ARCHITECTURE.md says, no more and no less, and always downwards in
//! its map.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use xshell::Shell;

use super::table;

const HEADING: &str = "## Which crate uses which";
const MAP: &str = "## The map";

type Arrows = BTreeMap<String, BTreeSet<String>>;

pub(super) fn problems(sh: &Shell) -> Result<Vec<String>> {
    let rows = table::under(sh, HEADING)?;
    let drawn = rows.iter().map(|row| arrow(row)).collect::<Result<Arrows>>()?;
    let map = crates_of_map(&sh.read_file("ARCHITECTURE.md")?);
    let real = real(sh)?;
    Ok([compare(&drawn, &real), upwards(&map, &real)].concat())
}

fn arrow(row: &[String]) -> Result<(String, BTreeSet<String>)> {
    let [name, uses, ..] = row else { anyhow::bail!("a row of `{HEADING}` has no second cell") };
    let name = table::names(name).into_iter().next().context("a row names no crate")?;
    Ok((name, table::names(uses).into_iter().collect()))
}

/// The dependencies among the crates in `crates/`, without those of tests.
fn real(sh: &Shell) -> Result<Arrows> {
    let workspace: toml::Table = sh.read_file("Cargo.toml")?.parse()?;
    let manifests = sh.read_dir("crates")?.into_iter().map(|folder| folder.join("Cargo.toml"));
    let mut arrows = Arrows::new();
    for manifest in manifests.filter(|manifest| manifest.exists()) {
        let manifest: toml::Table = sh.read_file(manifest)?.parse()?;
        let name = manifest["package"]["name"].as_str().context("a crate without a name")?;
        arrows.insert(name.to_owned(), uses(&manifest, &workspace));
    }
    Ok(arrows)
}

/// The crates of ours that a manifest uses: always or on some platform, in the crate or its build script, under
/// any name.
fn uses(manifest: &toml::Table, workspace: &toml::Table) -> BTreeSet<String> {
    let targets = manifest.get("target").and_then(toml::Value::as_table);
    let targets = targets.into_iter().flat_map(toml::Table::values);
    let tables = targets.filter_map(toml::Value::as_table).chain([manifest]);
    let kinds = ["dependencies", "build-dependencies"];
    let lists = tables.flat_map(|table| kinds.iter().filter_map(|kind| table.get(*kind)));
    let entries = lists.filter_map(toml::Value::as_table).flatten();
    let packages = entries.map(|(name, entry)| package(name, entry, workspace));
    packages.filter(|name| name.starts_with("gametape")).collect()
}

/// The package that a dependency names, itself or in the workspace.
fn package(name: &str, entry: &toml::Value, workspace: &toml::Table) -> String {
    let of_workspace =
        || workspace.get("workspace")?.get("dependencies")?.get(name)?.get("package");
    let package = entry.get("package").or_else(of_workspace).and_then(toml::Value::as_str);
    package.unwrap_or(name).to_owned()
}

/// The crates on the map, from above.
fn crates_of_map(text: &str) -> Vec<String> {
    let map = text.lines().skip_while(|line| *line != MAP).skip(1);
    let map = map.take_while(|line| !line.starts_with("## "));
    map.filter_map(|line| line.rsplit_once(" crates/").map(|(_, name)| name.to_owned())).collect()
}

/// Crates that are not on the map, and those that use one above them.
fn upwards(map: &[String], real: &Arrows) -> Vec<String> {
    let level = |name: &String| map.iter().position(|one| one == name);
    let mut problems = Vec::new();
    for (name, uses) in real {
        let Some(from) = level(name) else {
            problems.push(format!("ARCHITECTURE.md: {name} is not on the map"));
            continue;
        };
        let above = uses.iter().filter(|used| level(used).is_some_and(|to| to < from));
        problems.extend(above.map(|used| {
            format!("ARCHITECTURE.md: {name} uses {used}, which is above it on the map")
        }));
    }
    problems
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

    #[test]
    fn crates_are_used_in_every_table_and_under_any_name() {
        let workspace =
            "[workspace.dependencies]\nshort = { path = \"x\", package = \"gametape-e\" }";
        let manifest = "[dependencies]\ngametape-a.workspace = true\nserde = \"1\"\nshort.workspace = true\n\
                        [build-dependencies]\ngametape-b = { path = \"b\" }\n\
                        [target.'cfg(unix)'.dependencies]\ngametape-c = { path = \"c\" }\n\
                        [target.x.build-dependencies]\nother = { path = \"d\", package = \"gametape-d\" }\n\
                        [dev-dependencies]\ngametape-f.workspace = true\n";
        let uses = uses(&manifest.parse().unwrap(), &workspace.parse().unwrap());
        let names = ["gametape-a", "gametape-b", "gametape-c", "gametape-d", "gametape-e"];
        assert!(uses.iter().eq(names), "{uses:?}");
    }

    #[test]
    fn an_arrow_upwards_is_a_problem() {
        let text = "## The map\ntop   b  what it is   crates/b\n         goes on\n----\n\
                    base  a  what it is   crates/a\n## Next\nx crates/c\n";
        let map = crates_of_map(text);
        assert_eq!(map, ["b", "a"]);
        assert!(upwards(&map, &arrows(&[("a", &[]), ("b", &["a"])])).is_empty());
        assert_eq!(upwards(&map, &arrows(&[("a", &["b"]), ("b", &[])])).len(), 1);
        assert_eq!(upwards(&map, &arrows(&[("c", &["a"])])).len(), 1);
    }
}
