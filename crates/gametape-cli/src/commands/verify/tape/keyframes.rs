//! Do the keyframes of a tape lead to each other?

use gametape_tape::{Chunk, KeyframeChecker, KeyframeIndex};
use gametape_wire::Error;

use crate::failure::Failure;
use crate::progress::Progress;
use crate::tape::TapeFile;

/// Restores every keyframe that leads to a full one; returns how many keyframes there are.
pub(in crate::commands) fn check(
    file: &mut TapeFile,
    keyframes: &KeyframeIndex,
    mut find: impl FnMut(Error),
) -> Result<u64, Failure> {
    let count = keyframes.entries().len() as u64;
    let mut progress = Progress::new("restoring", count);
    let mut checker = KeyframeChecker::default();
    for (index, _, range) in keyframes.usable() {
        progress.at(index as u64);
        let bytes = file.fetch(&range)?;
        let checked = Chunk::read(bytes, range.start).and_then(|chunk| checker.add(&chunk));
        if let Err(error) = checked {
            find(error);
        }
    }
    Ok(count)
}
