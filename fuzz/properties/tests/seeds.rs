//! Every property, over every kept seed and deterministic damage to it; one test for each.
//!
//! `BLESS=1` writes the seeds again. Inputs that the fuzzer found are kept beside them under names
//! that begin with `found-`.

use gametape_properties::{PROPERTIES, Property, mutations};
use libtest_mimic::{Arguments, Failed, Trial};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() {
    let mut trials: Vec<Trial> = PROPERTIES
        .iter()
        .map(|property| Trial::test(property.name, || test_property(property)))
        .collect();
    trials.push(Trial::test("fuzz_targets", every_property_has_a_fuzz_target));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Seeds by file name.
type Files = BTreeMap<String, Vec<u8>>;

fn test_property(property: &Property) -> Result<(), Failed> {
    let folder = fuzz_folder().join("seeds").join(property.name);
    let made: Files =
        (property.seeds)()?.into_iter().map(|seed| (seed.name.to_owned(), seed.bytes)).collect();
    if env::var("BLESS").is_ok_and(|value| value == "1") {
        bless(&folder, &made)?;
    }
    let kept = read_folder(&folder)?;
    if made.is_empty() {
        return Err("there are no seeds, so nothing would be tried".into());
    }
    if !made.iter().eq(kept.iter().filter(|(name, _)| !was_found(name))) {
        let folder = folder.display();
        return Err(format!("{folder} is not what the code makes: BLESS=1 rewrites it").into());
    }
    kept.iter().try_for_each(|(name, seed)| holds_around(property, name, seed))
}

/// The property holds for the seed and for every mutation of it.
fn holds_around(property: &Property, name: &str, seed: &[u8]) -> Result<(), Failed> {
    let mut failure = None;
    mutations::each(seed, |how, input| {
        let holds = || (property.holds)(input);
        if failure.is_none() && catch_unwind(AssertUnwindSafe(holds)).is_err() {
            failure = Some((how.to_owned(), input.to_vec()));
        }
    });
    let Some((how, input)) = failure else { return Ok(()) };
    let folder = fuzz_folder().join("artifacts").join(property.name);
    fs::create_dir_all(&folder)?;
    let file = folder.join("from-the-test");
    fs::write(&file, input)?;
    Err(format!("fails for seed {name}, {how}; the input is now in {}", file.display()).into())
}

/// Makes the folder hold what the code makes, and what was found.
fn bless(folder: &Path, made: &Files) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for name in read_folder(folder)?.keys().filter(|name| !was_found(name)) {
        fs::remove_file(folder.join(name))?;
    }
    made.iter().try_for_each(|(name, bytes)| fs::write(folder.join(name), bytes))
}

fn was_found(name: &str) -> bool {
    name.starts_with("found-")
}

fn read_folder(folder: &Path) -> io::Result<Files> {
    if !folder.exists() {
        return Ok(Files::new());
    }
    fs::read_dir(folder)?
        .map(|entry| {
            let entry = entry?;
            Ok((entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path())?))
        })
        .collect()
}

/// The table, the target files and the list in `fuzz/Cargo.toml` name the same things.
fn every_property_has_a_fuzz_target() -> Result<(), Failed> {
    let in_table: BTreeSet<String> = PROPERTIES.iter().map(|p| p.name.to_owned()).collect();
    let files = read_folder(&fuzz_folder().join("fuzz_targets"))?;
    let as_files: BTreeSet<String> =
        files.keys().filter_map(|name| Some(name.strip_suffix(".rs")?.to_owned())).collect();
    let manifest = fs::read_to_string(fuzz_folder().join("Cargo.toml"))?;
    let in_manifest: BTreeSet<String> = manifest.lines().filter_map(target_path).collect();
    same("PROPERTIES", &in_table, "fuzz/fuzz_targets", &as_files)?;
    same("PROPERTIES", &in_table, "fuzz/Cargo.toml", &in_manifest)
}

/// The target that a line `path = "fuzz_targets/NAME.rs"` names.
fn target_path(line: &str) -> Option<String> {
    let name = line.strip_prefix("path = \"fuzz_targets/")?.strip_suffix(".rs\"")?;
    Some(name.to_owned())
}

fn same(a: &str, in_a: &BTreeSet<String>, b: &str, in_b: &BTreeSet<String>) -> Result<(), Failed> {
    match in_a.symmetric_difference(in_b).next() {
        None => Ok(()),
        Some(name) => Err(format!("{name} is not both in {a} and in {b}").into()),
    }
}

fn fuzz_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
