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
    visit_keyframes(source, keyframes, |_, restored| restored.unwrap_or_else(&mut find))
}

/// The same, but `visit` gets for each of them where its chunk is, and whether it restores.
pub(crate) fn visit_keyframes<S: Source>(
    source: &mut S,
    keyframes: &KeyframeIndex,
    mut visit: impl FnMut(u64, Result<()>),
) -> Result<u64> {
    let length = source.length();
    let mut checker = KeyframeChecker::default();
    for (_, _, range) in keyframes.usable() {
        let start = range.start;
        if let Err(lost) = check_range(&range, length) {
            visit(start, Err(lost));
            continue;
        }
        let bytes = source.fetch(range)?;
        visit(start, Chunk::read(&bytes, start).and_then(|chunk| checker.add(&chunk)));
    }
    Ok(keyframes.entries().len() as u64)
}
