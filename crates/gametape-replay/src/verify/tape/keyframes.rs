//! Do the keyframes of a tape lead to each other?

use gametape_tape::{Chunk, KeyframeChecker, KeyframeIndex};
use gametape_wire::{Error, ErrorKind, Result, Source};

/// Restores every keyframe that leads to a full one; returns how many keyframes there are. `find`
/// gets what is wrong with them.
pub fn check_keyframes<S: Source>(
    source: &mut S,
    keyframes: &KeyframeIndex,
    mut find: impl FnMut(Error),
) -> Result<u64> {
    let mut checker = KeyframeChecker::default();
    for (_, _, range) in keyframes.usable() {
        let start = range.start;
        let checked = source.fetch(range).and_then(|bytes| {
            let chunk = Chunk::read(&bytes, start)?;
            checker.add(&chunk).map(drop)
        });
        match checked {
            Err(error) if matches!(error.kind(), ErrorKind::Io { .. }) => return Err(error),
            Err(error) => find(error),
            Ok(()) => {}
        }
    }
    Ok(keyframes.entries().len() as u64)
}
