//! A folder with everything that a server would serve, for any web host.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::assets::Assets;
use crate::link;
use crate::negotiate::Encoding;

/// A folder that is being written.
#[derive(Debug)]
pub struct SiteFolder {
    path: PathBuf,
    files: u64,
    bytes: u64,
}

/// A file that could not be written, and why.
pub type Unwritten = (PathBuf, io::Error);

impl SiteFolder {
    /// A folder that is new or empty, unless what is in it may be replaced.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::AlreadyExists`] where something is in it; what the file system says.
    pub fn create(path: &Path, may_replace: bool) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        if !may_replace && fs::read_dir(path)?.next().is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        Ok(Self { path: path.to_owned(), files: 0, bytes: 0 })
    }

    /// How many files were written, and bytes.
    #[must_use]
    pub fn written(&self) -> (u64, u64) {
        (self.files, self.bytes)
    }

    /// Writes the document `matches.json`.
    ///
    /// # Errors
    ///
    /// What the file system says.
    pub fn write_list(&mut self, document: &[u8]) -> Result<(), Unwritten> {
        self.write("matches.json", document)
    }

    /// Writes the picture of a recording.
    ///
    /// # Errors
    ///
    /// What the file system says.
    pub fn write_picture(&mut self, number: usize, png: &[u8]) -> Result<(), Unwritten> {
        self.write(&link::picture(number), png)
    }

    /// Writes the viewer, also compressed for hosts that serve such files.
    ///
    /// # Errors
    ///
    /// What the file system says.
    pub fn write_assets(&mut self, assets: &Assets) -> Result<(), Unwritten> {
        let endings =
            [(Encoding::Identity, ""), (Encoding::Brotli, ".br"), (Encoding::Gzip, ".gz")];
        for (name, asset) in assets.iter() {
            for (encoding, ending) in endings {
                if let Some(bytes) = asset.encoded(encoding) {
                    self.write(&format!("{name}{ending}"), bytes)?;
                }
            }
        }
        Ok(())
    }

    /// Copies a recording, under its name.
    ///
    /// # Errors
    ///
    /// What the file system says.
    pub fn copy(&mut self, number: usize, name: &str, from: &Path) -> Result<(), Unwritten> {
        let path = self.path.join(format!("recordings/{number}")).join(name);
        let copied = make_folder_of(&path).and_then(|()| fs::copy(from, &path));
        self.count(path, copied)
    }

    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), Unwritten> {
        let path = self.path.join(name);
        let written = make_folder_of(&path).and_then(|()| fs::write(&path, bytes));
        self.count(path, written.map(|()| bytes.len() as u64))
    }

    fn count(&mut self, path: PathBuf, written: io::Result<u64>) -> Result<(), Unwritten> {
        let bytes = written.map_err(|error| (path, error))?;
        (self.files, self.bytes) = (self.files + 1, self.bytes + bytes);
        Ok(())
    }
}

fn make_folder_of(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_something_in_it_is_refused_unless_it_may_be_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/site");
        let mut site = SiteFolder::create(&path, false).unwrap();
        site.write_list(b"{}").unwrap();
        site.write_picture(3, b"png").unwrap();
        site.copy(3, "a b.tape", &path.join("matches.json")).unwrap();
        assert_eq!(site.written(), (3, 7));
        assert_eq!(fs::read(path.join("recordings/3/a b.tape")).unwrap(), b"{}");
        assert_eq!(fs::read(path.join("pictures/3.png")).unwrap(), b"png");
        let refused = SiteFolder::create(&path, false).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert!(SiteFolder::create(&path, true).is_ok());
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut site = SiteFolder::create(folder.path(), false).unwrap();
        let (path, _) = site.copy(0, "x", &folder.path().join("nothing")).unwrap_err();
        assert!(path.ends_with("recordings/0/x"));
        assert_eq!(site.written(), (0, 0));
    }
}
