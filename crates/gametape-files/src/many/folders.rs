//! What is in folders.

use std::collections::HashSet;
use std::ffi::OsStr;

use walkdir::{DirEntry, WalkDir};

use crate::source::Source;

/// A file to work on.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) source: Source,
    /// Was it found in a folder? Then it may be something else than a recording.
    pub(super) is_found: bool,
    /// Why it cannot even be opened.
    pub(super) problem: Option<String>,
}

/// The files, and those in the folders among them, sorted by name. A file that is in several of the
/// folders comes once.
pub(super) fn expand(sources: &[Source]) -> Vec<Item> {
    let named = |source: &Source| Item { source: source.clone(), is_found: false, problem: None };
    let items = sources.iter().flat_map(|source| match source {
        Source::File(path) if source.is_folder() => walk(path),
        source => vec![named(source)],
    });
    let mut seen = HashSet::new();
    let mut is_new = |item: &Item| match &item.source {
        Source::File(path) => seen.insert(std::path::absolute(path).unwrap_or(path.clone())),
        Source::Stdin | Source::Address(_) => true,
    };
    // What somebody names twice is meant twice.
    items.filter(|item| is_new(item) || !item.is_found).collect()
}

/// All files in a folder and in the folders in it, but hidden ones. Links to folders are not
/// followed, so a walk ends and passes nothing twice.
fn walk(folder: &std::path::Path) -> Vec<Item> {
    let walk = WalkDir::new(folder).sort_by_file_name().into_iter();
    let shown = walk.filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.file_name()));
    shown.filter_map(item).collect()
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// The file of an entry; none for a folder, a device, or a link to one of these.
fn item(entry: walkdir::Result<DirEntry>) -> Option<Item> {
    match entry {
        Ok(entry) => {
            // The folder itself says what most entries are, without asking about each.
            let is_link = entry.path_is_symlink();
            let is_file =
                if is_link { entry.path().is_file() } else { entry.file_type().is_file() };
            let source = Source::File(entry.into_path());
            is_file.then_some(Item { source, is_found: true, problem: None })
        }
        Err(error) => {
            let path = error.path().unwrap_or("a folder".as_ref()).to_owned();
            let problem = error.into_io_error().map(|error| error.to_string());
            Some(Item { source: Source::File(path), is_found: true, problem })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let name = |item: &Item| {
            let Source::File(path) = &item.source else { unreachable!() };
            path.strip_prefix(folder).unwrap().display().to_string()
        };
        expand(&[Source::File(folder.to_owned())]).iter().map(name).collect()
    }

    #[test]
    fn files_come_by_name_without_hidden_ones() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b/2", "b/10", "a", ".git/x", "b/.hidden", "c/d/e"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        assert_eq!(names(folder.path()), ["a", "b/10", "b/2", "c/d/e"]);
    }

    #[test]
    fn a_file_in_several_folders_comes_once() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("b");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("1"), "1").unwrap();
        let folders = [folder.path().to_owned(), inner.join("."), inner.join("1")];
        let items = expand(&folders.map(Source::File));
        assert_eq!(items.iter().map(|item| item.is_found).collect::<Vec<_>>(), [true, false]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_folder_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "a").unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
        std::os::unix::fs::symlink("a", folder.path().join("link")).unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join("broken")).unwrap();
        assert_eq!(names(folder.path()), ["a", "link"]);
    }
}
