//! What the frames of a tape are.

use gametape_cadre::Options;
use gametape_minewars::Generation;
use gametape_tape::Gap;
use gametape_wire::{Error, ErrorKind, Place, Result, Source};

use super::{GamelogBytes, MinewarsBytes, Opened};
use crate::games::{self, KnownGame};
use crate::source::Recording;
use crate::text::printable;
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
    /// What people call a recording of it: `gamelog`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MineWars => "MineWars recording",
            Self::Gamelog => "gamelog",
        }
    }

    /// What a tape says that it holds; an error that names it where that is not known here.
    pub fn of<S: Source>(recording: &Recording<S>, games: &[&dyn KnownGame]) -> Result<Self> {
        let [content, generation] = ["content", "generation"].map(|name| recording.field(name));
        let found = Self::named(content.as_deref(), generation.as_deref(), games);
        found.ok_or_else(|| unknown_content(content.as_deref()))
    }

    /// The same for who shows what is recorded of any game: none where it is not known. An error where the tape does not even have
    /// metadata: it is damaged, or has only begun.
    pub fn of_any<S: Source>(
        recording: &Recording<S>,
        games: &[&dyn KnownGame],
    ) -> Result<Option<Self>> {
        match Self::of(recording, games) {
            Ok(known) => Ok(Some(known)),
            Err(error) if recording.tape().metadata.trim().is_empty() => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// The same, of the fields `content` and `generation`. One of `games` has the frames that it says.
    #[must_use]
    pub fn named(
        content: Option<&str>,
        generation: Option<&str>,
        games: &[&dyn KnownGame],
    ) -> Option<Self> {
        let frames = games::find(games, content).map_or(content, |game| Some(game.frames()));
        match frames {
            Some("minewars") => Some(Self::MineWars),
            Some("gamelog") => Some(Self::Gamelog),
            _ => Generation::ALL
                .into_iter()
                .any(|known| generation == Some(known.name()))
                .then_some(Self::MineWars),
        }
    }
}

/// What a recording holds, and what people call it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Held {
    /// What it holds; `None` for a tape of something that is not known here.
    pub content: Option<Content>,
    /// What it is: `tape of Skirmish`, `MineWars recording`, `gamelog`.
    pub name: String,
}

impl Held {
    fn new(content: Content) -> Self {
        Self { content: Some(content), name: content.name().to_owned() }
    }

    fn of_tape<S: Source>(recording: &Recording<S>, games: &[&dyn KnownGame]) -> Self {
        let [content, game] = ["content", "game"].map(|name| recording.field(name));
        let whose = game.or(content).map(|game| format!(" of {}", printable(&game)));
        let content = Content::of(recording, games).ok();
        Self { content, name: format!("tape{}", whose.unwrap_or_default()) }
    }
}

/// The error about a tape whose `content` is not known here.
#[must_use]
pub fn unknown_content(content: Option<&str>) -> Error {
    let name = content.map_or("not given".to_owned(), |name| format!("`{name}`"));
    let problem = format!("its content is {name}, which is not known here").into();
    Error::new(Place::Nowhere, "tape", ErrorKind::BadSyntax { problem })
}

/// A recording that is no tape: a file of its own, or what a tape holds.
#[derive(Debug)]
#[non_exhaustive]
pub enum Inner {
    /// A MineWars replay file.
    MineWars(MinewarsBytes),
    /// A Cadre gamelog.
    Gamelog(GamelogBytes),
}

impl Inner {
    /// The MineWars file; refused where it is a gamelog.
    pub fn into_minewars(self) -> Result<MinewarsBytes> {
        match self {
            Self::MineWars(bytes) => Ok(bytes),
            Self::Gamelog(_) => Err(misfit("it is a gamelog, and this is for MineWars recordings")),
        }
    }

    /// The gamelog; refused where it is a MineWars file.
    pub fn into_gamelog(self) -> Result<GamelogBytes> {
        match self {
            Self::Gamelog(bytes) => Ok(bytes),
            Self::MineWars(_) => {
                Err(misfit("it is a MineWars recording, and this is for gamelogs"))
            }
        }
    }
}

fn misfit(problem: &'static str) -> Error {
    Error::misuse("recording", problem)
}

impl<S: Source> Opened<S> {
    /// What it holds. Of a tape the header and the index are read.
    pub fn held(&mut self, games: &[&dyn KnownGame]) -> Result<Held> {
        match self {
            Self::Tape(source) => Ok(Held::of_tape(&Recording::open(source)?, games)),
            Self::MineWars(_) => Ok(Held::new(Content::MineWars)),
            Self::Gamelog(bytes) if bytes.stream().is_some() => {
                Ok(Held { name: "spectator stream".to_owned(), ..Held::new(Content::Gamelog) })
            }
            Self::Gamelog(_) => Ok(Held::new(Content::Gamelog)),
        }
    }

    /// The recording itself; of a tape the one that it holds, and the gaps that are missing in it.
    pub fn into_inner(self, games: &[&dyn KnownGame]) -> Result<(Inner, Vec<Gap>)> {
        match self {
            Self::Tape(source) => {
                let mut recording = Recording::open(source)?;
                let inner = inner_recording(&mut recording, games)?;
                Ok((inner, recording.gaps().to_vec()))
            }
            Self::MineWars(bytes) => Ok((Inner::MineWars(bytes), Vec::new())),
            Self::Gamelog(bytes) => Ok((Inner::Gamelog(bytes), Vec::new())),
        }
    }
}

/// The MineWars file or gamelog that a tape holds. What its gaps took is missing in it.
pub fn inner_recording<S: Source>(
    recording: &mut Recording<S>,
    games: &[&dyn KnownGame],
) -> Result<Inner> {
    match Content::of(recording, games)? {
        Content::MineWars => {
            let bytes = minewars::from_tape(recording, None)?.bytes;
            Ok(Inner::MineWars(MinewarsBytes::new(bytes, None)))
        }
        Content::Gamelog => {
            let log = cadre::from_tape(recording, &Options::default())?;
            Ok(Inner::Gamelog(GamelogBytes::new(log.to_json())))
        }
    }
}
