//! What a recording can be converted to.

use gametape_minewars::Generation;

/// What to convert to, as the command line names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Tape,
    /// A MineWars file of the generation that the recording has.
    MineWars,
    Generation(Generation),
    Gamelog,
}

impl Form {
    pub(super) const ALL: [Self; 5] = [
        Self::Tape,
        Self::MineWars,
        Self::Generation(Generation::V01),
        Self::Generation(Generation::Current),
        Self::Gamelog,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Tape => "tape",
            Self::MineWars => "minewars",
            Self::Generation(generation) => generation.name(),
            Self::Gamelog => "gamelog",
        }
    }

    /// The generation that was asked for by name.
    pub(super) fn generation(self) -> Option<Generation> {
        match self {
            Self::Generation(generation) => Some(generation),
            _ => None,
        }
    }
}
