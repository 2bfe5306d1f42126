//! Where finished matches are kept.

use std::fmt;
use std::io::{Read, Seek};
use std::path::Path;

use gametape_tape::TapeHeader;
use gametape_wire::Result;

/// A folder or a bucket that takes the tapes of finished matches, each once.
#[derive(Debug, Clone)]
pub struct KeptMatches {
    #[cfg(feature = "store")]
    store: gametape_store::Store,
}

/// What came of keeping a match.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kept {
    /// Where it is.
    pub address: String,
    /// Was it there already, of another server maybe?
    pub was_there: bool,
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.was_there { "is there already" } else { "kept" };
        write!(f, "{how}: {}", self.address)
    }
}

/// The name of a match in the store. Equal matches have equal names on every server: the id of a tape that somebody watched
/// follows from that of the source.
fn name_of(name: &str, tape_id: u32, is_whole: bool) -> String {
    let part = if is_whole { "" } else { "-part" };
    format!("{name}-{tape_id:08x}{part}.tape")
}

impl KeptMatches {
    /// Those in a folder, which is made where it is missing, or at `s3://BUCKET/PREFIX`.
    #[cfg(feature = "store")]
    pub fn open(place: &str) -> Result<Self> {
        Ok(Self { store: gametape_store::Store::open(place)? })
    }

    /// Nothing is kept by a program without stores.
    #[cfg(not(feature = "store"))]
    pub fn open(place: &str) -> Result<Self> {
        let problem = format!("{place}: this program was built without the feature `store`");
        Err(gametape_wire::Error::misuse("store", problem))
    }

    /// Keeps the tape in a file as a match of this name; not as a whole one where something of it did not come.
    pub fn keep(&self, name: &str, tape: &Path, is_whole: bool) -> Result<Kept> {
        let mut file = std::fs::File::open(tape)?;
        let mut header = [0; TapeHeader::LENGTH];
        file.read_exact(&mut header)?;
        file.rewind()?;
        self.put(&name_of(name, TapeHeader::read(&header)?.tape_id, is_whole), file)
    }

    #[cfg(feature = "store")]
    fn put(&self, name: &str, tape: std::fs::File) -> Result<Kept> {
        let stored = self.store.put(name, tape)?;
        let was_there = stored != gametape_store::Stored::New;
        Ok(Kept { address: self.store.address(name), was_there })
    }

    #[cfg(not(feature = "store"))]
    fn put(&self, name: &str, _: std::fs::File) -> Result<Kept> {
        Err(gametape_wire::Error::misuse("store", format!("{name} cannot be kept")))
    }
}

#[cfg(all(test, feature = "store"))]
mod tests {
    use gametape_tape::TapeWriter;
    use gametape_wire::TickLength;

    use super::*;

    #[test]
    fn a_match_is_kept_once() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("kept");
        let kept = KeptMatches::open(place.to_str().unwrap()).unwrap();
        let header = TapeHeader::new(TickLength::millis::<50>(), 0xB0A7);
        let tape = folder.path().join("x.tape");
        let bytes = TapeWriter::new(header, b"{}").unwrap().finish().unwrap();
        std::fs::write(&tape, bytes).unwrap();
        let first = kept.keep("finals", &tape, true).unwrap();
        assert!(!first.was_there && first.address.ends_with("/kept/finals-0000b0a7.tape"));
        assert!(kept.keep("finals", &tape, true).unwrap().was_there);
        let part = kept.keep("finals", &tape, false).unwrap();
        assert!(!part.was_there && part.address.ends_with("/finals-0000b0a7-part.tape"));
        std::fs::write(&tape, b"no tape, but long enough to have a header").unwrap();
        assert!(kept.keep("finals", &tape, true).is_err());
    }
}
