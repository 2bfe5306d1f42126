//! Licences and duplicate versions of dependencies, by the rules of `deny.toml`.
//!
//! cargo-deny judges where it is installed. Elsewhere the same two rules are applied to what
//! `cargo metadata` says, so that nobody has to build cargo-deny to run the tests.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::tools;

pub(super) fn problems(sh: &Shell) -> Result<Vec<String>> {
    if tools::has_subcommand(sh, "deny") {
        let checked = cmd!(sh, "cargo deny --log-level error check bans licenses sources").run();
        return Ok(checked.err().map(|_| "cargo deny: see above".to_owned()).into_iter().collect());
    }
    let rules = Rules::read(sh)?;
    // What other platforms would need is not even downloaded.
    let about = cmd!(sh, "rustc --version --verbose").quiet().read()?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).context("no host")?;
    let metadata = cmd!(sh, "cargo metadata --format-version 1 --locked --filter-platform {host}");
    let metadata = metadata.quiet().read()?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let packages: Vec<Package> = packages.iter().filter_map(Package::read).collect();
    Ok([licences(&packages, &rules), duplicates(&packages, &rules)].concat())
}

/// What `deny.toml` allows.
struct Rules {
    licences: BTreeSet<String>,
    /// Crates that may be there in several versions.
    skipped: BTreeSet<String>,
}

impl Rules {
    fn read(sh: &Shell) -> Result<Self> {
        let rules: toml::Table = sh.read_file("deny.toml")?.parse()?;
        let list = |section: &str, name: &str| {
            let list = rules.get(section)?.get(name)?.as_array()?;
            Some(list.clone())
        };
        let allow = list("licenses", "allow").context("deny.toml allows no licences")?;
        let skip = list("bans", "skip").unwrap_or_default();
        let name = |rule: &toml::Value| Some(rule.get("crate")?.as_str()?.to_owned());
        Ok(Self {
            licences: allow.iter().filter_map(|one| Some(one.as_str()?.to_owned())).collect(),
            skipped: skip.iter().filter_map(name).collect(),
        })
    }
}

/// A dependency.
struct Package {
    name: String,
    version: String,
    licence: Option<String>,
}

impl Package {
    /// A package of a registry; our own are `None`.
    fn read(json: &Value) -> Option<Self> {
        json["source"].as_str()?;
        let text = |name: &str| json[name].as_str().map(ToOwned::to_owned);
        Some(Self { name: text("name")?, version: text("version")?, licence: text("license") })
    }
}

fn licences(packages: &[Package], rules: &Rules) -> Vec<String> {
    let refused = packages.iter().filter(|package| {
        !package.licence.as_ref().is_some_and(|licence| is_allowed(licence, &rules.licences))
    });
    let problem = |package: &Package| {
        let licence = package.licence.as_deref().unwrap_or("none");
        format!(
            "{} {}: licence {licence} is not allowed by deny.toml",
            package.name, package.version
        )
    };
    refused.map(problem).collect()
}

/// Is an SPDX expression satisfied by what is allowed? Brackets are read as they are in practice:
/// around alternatives.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let parts = expression.split(" AND ").map(|part| part.trim_matches(['(', ')', ' ']));
    let one_is_allowed = |part: &str| {
        let mut alternatives = part.split(" OR ").flat_map(|one| one.split('/'));
        alternatives.any(|one| allowed.contains(one.trim_matches(['(', ')', ' '])))
    };
    parts.into_iter().all(one_is_allowed)
}

fn duplicates(packages: &[Package], rules: &Rules) -> Vec<String> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in packages {
        versions.entry(&package.name).or_default().insert(&package.version);
    }
    let several = versions
        .iter()
        .filter(|(name, versions)| versions.len() > 1 && !rules.skipped.contains(**name));
    let problem = |(name, versions): (&&str, &BTreeSet<&str>)| {
        let versions: Vec<&str> = versions.iter().copied().collect();
        format!("{name} is there in several versions: {}", versions.join(", "))
    };
    several.map(problem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, version: &str, licence: &str) -> Package {
        Package { name: name.into(), version: version.into(), licence: Some(licence.into()) }
    }

    fn rules(licences: &[&str], skipped: &[&str]) -> Rules {
        let set = |list: &[&str]| list.iter().map(ToString::to_string).collect();
        Rules { licences: set(licences), skipped: set(skipped) }
    }

    #[test]
    fn every_part_of_a_licence_needs_an_allowed_alternative() {
        let rules = rules(&["MIT", "Unicode-3.0"], &[]);
        let fine =
            ["MIT", "MIT OR GPL-3.0", "Apache-2.0/MIT", "(MIT OR Apache-2.0) AND Unicode-3.0"];
        let refused = ["GPL-3.0", "MIT AND GPL-3.0", ""];
        for licence in fine {
            assert!(licences(&[package("a", "1", licence)], &rules).is_empty(), "{licence}");
        }
        for licence in refused {
            assert_eq!(licences(&[package("a", "1", licence)], &rules).len(), 1, "{licence}");
        }
    }

    #[test]
    fn several_versions_are_refused_unless_skipped() {
        let packages =
            [package("a", "1", "MIT"), package("a", "2", "MIT"), package("b", "1", "MIT")];
        assert_eq!(duplicates(&packages, &rules(&[], &[])).len(), 1);
        assert!(duplicates(&packages, &rules(&[], &["a"])).is_empty());
    }
}
