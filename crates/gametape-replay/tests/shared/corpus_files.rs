//! Recorded matches, in the folder that `GAMETAPE_CORPUS` names.

use std::fs;
use std::path::{Path, PathBuf};

/// The files of a folder with this ending; none, and a line that says so, where there is no corpus.
pub(crate) fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let Some(corpus) = std::env::var_os("GAMETAPE_CORPUS") else {
        println!("skipped: GAMETAPE_CORPUS is not set");
        return Vec::new();
    };
    let entries = fs::read_dir(Path::new(&corpus).join(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = paths.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
    found.sort();
    assert!(!found.is_empty());
    found
}
