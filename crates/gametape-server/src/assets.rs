//! The files of the viewer: inside this crate, or in a folder.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use axum::body::Bytes;
use xxhash_rust::xxh3::xxh3_128;

use crate::condition::tag;
use crate::negotiate::Encoding;

/// The command that builds the viewer.
pub const BUILD_COMMAND: &str = "cargo xtask viewer";

/// What was there when this crate was built.
const EMBEDDED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/viewer.rs"));

/// The page that everything begins with.
const PAGE: &str = "index.html";

/// A file of the viewer.
#[derive(Debug, Clone)]
pub struct Asset {
    bytes: Bytes,
    brotli: Option<Bytes>,
    gzip: Option<Bytes>,
    media_type: &'static str,
    hash: u128,
}

impl Asset {
    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Its bytes in an encoding, if it is there in that.
    #[must_use]
    pub fn encoded(&self, encoding: Encoding) -> Option<&Bytes> {
        match encoding {
            Encoding::Brotli => self.brotli.as_ref(),
            Encoding::Gzip => self.gzip.as_ref(),
            Encoding::Identity => Some(&self.bytes),
        }
    }

    /// The encodings that it is there in.
    #[must_use]
    pub fn encodings(&self) -> Vec<Encoding> {
        Encoding::ALL.into_iter().filter(|encoding| self.encoded(*encoding).is_some()).collect()
    }

    /// The header `Content-Type`.
    #[must_use]
    pub fn media_type(&self) -> &'static str {
        self.media_type
    }

    /// The header `ETag`: other bytes have another one, and so has another encoding.
    #[must_use]
    pub fn tag(&self, encoding: Encoding) -> String {
        tag(&format!("{:032x}-{}", self.hash, encoding.name()))
    }
}

/// The files of the viewer by name; none where it was not built.
#[derive(Debug, Clone, Default)]
pub struct Assets {
    assets: BTreeMap<String, Asset>,
}

impl Assets {
    /// Those that are inside this program.
    #[must_use]
    pub fn embedded() -> Self {
        let files = EMBEDDED.iter().map(|(name, bytes)| (*name, Bytes::from_static(bytes)));
        Self::of(files.map(|(name, bytes)| (name.to_owned(), bytes)).collect())
    }

    /// Those in a folder, as they are now; none where there is no page.
    pub fn in_folder(folder: &Path) -> io::Result<Self> {
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if let Some(name) = entry.file_name().to_str()
                && entry.path().is_file()
            {
                files.insert(name.to_owned(), fs::read(entry.path())?.into());
            }
        }
        Ok(Self::of(files))
    }

    fn of(mut files: BTreeMap<String, Bytes>) -> Self {
        if !files.contains_key(PAGE) {
            return Self::default();
        }
        let is_own = |name: &String| {
            let ending = name.rsplit_once('.').map(|(_, ending)| ending);
            !name.starts_with('.') && !matches!(ending, Some("br" | "gz" | "map"))
        };
        let names: Vec<String> = files.keys().filter(|name| is_own(name)).cloned().collect();
        let mut assets = BTreeMap::new();
        for name in names {
            let [brotli, gzip] =
                ["br", "gz"].map(|ending| files.remove(&format!("{name}.{ending}")));
            let Some(bytes) = files.remove(&name) else { continue };
            let (media_type, hash) = (media_type(&name), xxh3_128(&bytes));
            assets.insert(name, Asset { bytes, brotli, gzip, media_type, hash });
        }
        Self { assets }
    }

    /// Was the viewer built?
    #[must_use]
    pub fn is_built(&self) -> bool {
        !self.assets.is_empty()
    }

    /// The same, or what is missing.
    pub fn built(self) -> Result<Self, NotBuilt> {
        if self.is_built() { Ok(self) } else { Err(NotBuilt) }
    }

    /// A file by its name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Asset> {
        self.assets.get(name)
    }

    /// The page itself.
    pub(crate) fn page(&self) -> Option<&Asset> {
        self.get(PAGE)
    }

    /// All files with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Asset)> {
        self.assets.iter().map(|(name, asset)| (name.as_str(), asset))
    }
}

/// What is in a file, by its name.
fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("ttf") => "font/ttf",
        Some("woff2") => "font/woff2",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// The viewer is not there: what is missing, and the command that adds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotBuilt;

impl fmt::Display for NotBuilt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "this program was built without the viewer: run `{BUILD_COMMAND}` in the repository and build it again"
        )
    }
}

impl std::error::Error for NotBuilt {}

impl NotBuilt {
    /// The same as a page.
    pub(crate) fn page() -> String {
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Gametape</title>\n\
             <h1>The viewer is not in this program</h1>\n\
             <p>It was built before the viewer was. In the repository of Gametape, run</p>\n\
             <pre>{BUILD_COMMAND}\ncargo build --release --package gametape-cli</pre>\n\
             <p>and start <code>gametape view</code> again. Everything else works without it: \
             <code>gametape play</code> shows matches in the terminal.</p>\n</html>\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn assets(names: &[&str]) -> Assets {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            fs::write(folder.path().join(name), name).unwrap();
        }
        fs::create_dir(folder.path().join("inner.js")).unwrap();
        Assets::in_folder(folder.path()).unwrap()
    }

    #[test]
    fn assets_have_types_encodings_and_tags() {
        let found = assets(&[
            "index.html",
            "app.js",
            "app.js.br",
            "app.js.gz",
            "app.js.map",
            "x.wasm.gz",
            ".x",
        ]);
        let names: Vec<&str> = found.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["app.js", "index.html"]);
        let script = found.get("app.js").unwrap();
        assert_eq!(script.media_type(), "text/javascript; charset=utf-8");
        assert_eq!(script.encodings(), Encoding::ALL);
        assert_eq!(&script.encoded(Encoding::Brotli).unwrap()[..], b"app.js.br");
        assert_ne!(script.tag(Encoding::Brotli), script.tag(Encoding::Gzip));
        assert_ne!(script.tag(Encoding::Identity), found.page().unwrap().tag(Encoding::Identity));
        assert_eq!(found.page().unwrap().encodings(), [Encoding::Identity]);
    }

    #[test]
    fn what_is_embedded_is_the_same_in_every_encoding() {
        let assets = Assets::embedded();
        assert_eq!(assets.is_built(), assets.page().is_some());
        for (name, asset) in assets.iter() {
            let Some(gzip) = asset.encoded(Encoding::Gzip) else { continue };
            let mut bytes = Vec::new();
            flate2::read::GzDecoder::new(&gzip[..]).read_to_end(&mut bytes).unwrap();
            assert!(bytes == *asset.bytes(), "{name}.gz is of another {name}: run {BUILD_COMMAND}");
        }
    }

    #[test]
    fn without_a_page_there_is_no_viewer() {
        assert_eq!(assets(&["app.js"]).built().unwrap_err(), NotBuilt);
        assert!(
            NotBuilt.to_string().contains(BUILD_COMMAND)
                && NotBuilt::page().contains(BUILD_COMMAND)
        );
    }
}
