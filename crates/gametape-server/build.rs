//! Puts the viewer that `cargo xtask viewer` built into the crate, if it is there.
//!
//! Nothing is built here: no cargo in cargo, and no node where none is wanted. Without the viewer the crate
//! has an empty table, and says what is missing when it is asked for a page.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Names another folder with a built viewer.
const FOLDER: &str = "GAMETAPE_VIEWER_DIST";

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let viewer = here.join("../../viewer");
    let given = env::var_os(FOLDER).map(PathBuf::from);
    let folder = given.unwrap_or_else(|| viewer.join("dist"));
    println!("cargo::rerun-if-env-changed={FOLDER}");
    println!("cargo::rerun-if-changed=build.rs");
    let files = files(&folder)?;
    if files.is_empty() {
        // A path that is not there would count as changed in every build; what is above it changes when it appears.
        let above = [&folder, &viewer].into_iter().find(|path| path.is_dir());
        above.iter().for_each(|path| println!("cargo::rerun-if-changed={}", path.display()));
    } else {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("viewer.rs"), table(&files)?)
}

/// The files of a built viewer by name; none where there is no page among them.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.join("index.html").is_file() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            files.push(fs::canonicalize(path)?);
        }
    }
    files.sort();
    Ok(files)
}

/// An expression: the files with their names.
fn table(files: &[PathBuf]) -> io::Result<String> {
    let mut text = String::from("&[\n");
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        writeln!(text, "    ({name:?}, include_bytes!({path:?}) as &[u8]),")
            .map_err(io::Error::other)?;
    }
    text.push_str("]\n");
    Ok(text)
}
