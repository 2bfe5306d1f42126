//! What the frames of a tape are.

use gametape_cadre::Options;
use gametape_minewars::Generation;
use gametape_wire::{Error, ErrorKind, Place, Result, Source};

use super::{GamelogBytes, MinewarsBytes};
use crate::source::Recording;
use crate::{cadre, minewars};

/// What the frames of a tape are, by its metadata: `spec/tape-contents.md`, section 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Content {
    /// MineWars messages.
    MineWars,
    /// Deltas of a Cadre gamelog.
    Gamelog,
}

impl Content {
    /// What a tape says that it holds; `None` where that is not known here.
    #[must_use]
    pub fn of<S: Source>(recording: &Recording<S>) -> Option<Self> {
        let field = |name| recording.field(name);
        Self::named(field("content").as_deref(), field("generation").as_deref())
    }

    /// The same, of the fields `content` and `generation`.
    #[must_use]
    pub fn named(content: Option<&str>, generation: Option<&str>) -> Option<Self> {
        match content {
            Some("minewars") => Some(Self::MineWars),
            Some("gamelog") => Some(Self::Gamelog),
            _ => Generation::ALL
                .into_iter()
                .any(|known| generation == Some(known.name()))
                .then_some(Self::MineWars),
        }
    }
}

/// The recording of another format that a tape holds.
#[derive(Debug)]
#[non_exhaustive]
pub enum Inner {
    /// A MineWars replay file.
    MineWars(MinewarsBytes),
    /// A Cadre gamelog.
    Gamelog(GamelogBytes),
}

/// The MineWars file or gamelog that a tape holds. What its gaps took is missing in it.
pub fn inner_recording<S: Source>(recording: &mut Recording<S>) -> Result<Inner> {
    match Content::of(recording) {
        Some(Content::MineWars) => {
            let bytes = minewars::from_tape(recording, None)?.bytes;
            Ok(Inner::MineWars(MinewarsBytes::new(bytes, None)))
        }
        Some(Content::Gamelog) => {
            let log = cadre::from_tape(recording, &Options::default())?;
            Ok(Inner::Gamelog(GamelogBytes::new(log.to_json())))
        }
        None => Err(unknown(recording)),
    }
}

fn unknown<S: Source>(recording: &Recording<S>) -> Error {
    let name =
        recording.field("content").map_or("not given".to_owned(), |name| format!("`{name}`"));
    let problem = format!("its content is {name}, which is not known here").into();
    Error::new(Place::Nowhere, "tape", ErrorKind::BadSyntax { problem })
}
