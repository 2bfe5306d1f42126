//! Do the keyframes of a tape lead to each other?

use gametape_tape::{Chunk, KeyframeChecker, KeyframeIndex};
use gametape_wire::{Error, Result, Source, check_range};

/// Restores every keyframe that leads to a full one; returns how many keyframes there are. `find`
/// gets what is wrong with them; an error is that of a read.
pub fn check_keyframes<S: Source>(
    source: &mut S,
    keyframes: &KeyframeIndex,
    mut find: impl FnMut(Error),
) -> Result<u64> {
    let length = source.length();
    let mut checker = KeyframeChecker::default();
    for (_, _, range) in keyframes.usable() {
        if let Err(lost) = check_range(&range, length) {
            find(lost);
            continue;
        }
        let start = range.start;
        let bytes = source.fetch(range)?;
        let checked = Chunk::read(&bytes, start).and_then(|chunk| checker.add(&chunk).map(drop));
        checked.unwrap_or_else(&mut find);
    }
    Ok(keyframes.entries().len() as u64)
}
