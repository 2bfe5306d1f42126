//! Kinds of chunks, as people name them.

use std::str::FromStr;

use gametape_tape::ChunkKind;
use gametape_wire::{Error, Result};

/// Kinds of chunks under one name: `frames`, `full-keyframe`, `keyframe` for both kinds of keyframes, or
/// the number of a kind without a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkKinds(Vec<ChunkKind>);

impl ChunkKinds {
    /// Is a kind one of them?
    #[must_use]
    pub fn contain(&self, kind: ChunkKind) -> bool {
        self.0.contains(&kind)
    }
}

impl FromStr for ChunkKinds {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text == "keyframe" {
            return Ok(Self(vec![ChunkKind::FULL_KEYFRAME, ChunkKind::DELTA_KEYFRAME]));
        }
        let named = || (1..ChunkKind::INDEX.0).map(ChunkKind);
        let name = |kind: ChunkKind| kind.to_string().replace(' ', "-");
        let found = named().find(|kind| name(*kind) == text);
        match found.or_else(|| text.parse().ok().map(ChunkKind)) {
            Some(kind) => Ok(Self(vec![kind])),
            None => {
                let names: Vec<String> = named().map(name).collect();
                let problem = format!("kinds are {}, keyframe or a number", names.join(", "));
                Err(Error::misuse(format!("{text:?}"), problem))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_names_and_numbers() {
        let kinds = |text: &str| text.parse::<ChunkKinds>().map(|kinds| kinds.0);
        assert_eq!(kinds("frames").unwrap(), [ChunkKind::FRAMES]);
        assert_eq!(kinds("full-keyframe").unwrap(), [ChunkKind::FULL_KEYFRAME]);
        assert_eq!(kinds("200").unwrap(), [ChunkKind(200)]);
        assert_eq!(kinds("keyframe").unwrap().len(), 2);
        assert!(kinds("frame").is_err());
    }
}
