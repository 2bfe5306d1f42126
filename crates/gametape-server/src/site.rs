//! What a server serves.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::assets::Assets;

/// A recording that is served under its number and name.
#[derive(Debug, Clone)]
pub struct Recording {
    /// Its name, without folders.
    pub name: String,
    /// Its file, which is read piece by piece when somebody asks.
    pub path: PathBuf,
}

/// What is known about the recordings. Called where it may take its time.
pub trait Matches: Send + Sync {
    /// The document `matches.json`: what is known by now.
    fn list(&self) -> Vec<u8>;

    /// A picture of the recording with this number, as PNG.
    fn picture(&self, number: usize) -> Option<Vec<u8>>;
}

/// Everything that is served.
pub struct Site {
    /// The viewer.
    pub assets: Assets,
    /// The recordings by number.
    pub recordings: Vec<Recording>,
    /// What is known about them.
    pub matches: Arc<dyn Matches>,
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site").field("recordings", &self.recordings).finish_non_exhaustive()
    }
}
