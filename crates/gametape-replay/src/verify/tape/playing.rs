//! Do the keyframes of a tape agree with what playing leads to?

use gametape_tape::Tape;
use gametape_wire::{Error, Result, Severity, Source, View};

use crate::metadata::Metadata;
use crate::open::Content;
use crate::streams::keyframes_of;
use crate::{
    DeepLevel, DeepVerification, KnownGame, PlayerOptions, Recording, cadre, games, minewars,
};

/// Plays every view that has keyframes.
pub(super) fn check_views<S: Source>(
    source: &mut S,
    tape: &Tape,
    games: &[&dyn KnownGame],
    level: DeepLevel,
    mut find: impl FnMut(Severity, Error),
) {
    let Some(content) = frames_of(tape, games) else { return };
    let has_keyframes = |view: &View| {
        tape.keyframes.entries().iter().any(|entry| entry.stream == keyframes_of(*view))
    };
    for view in (0..=View::MAX).filter_map(View::new).filter(has_keyframes) {
        let played = play(source, content, view, level);
        report(&format!("view {view}"), played, &mut find);
    }
}

/// What the frames of a tape are, where that is known here.
fn frames_of(tape: &Tape, games: &[&dyn KnownGame]) -> Option<Content> {
    let metadata = Metadata::of(tape);
    let [content, generation] = ["content", "generation"].map(|name| metadata.text(name));
    Content::named(content.as_deref(), generation.as_deref(), games)
}

fn play<S: Source>(
    source: &mut S,
    content: Content,
    view: View,
    level: DeepLevel,
) -> Result<DeepVerification> {
    let recording = Recording::open(source)?;
    // Every tick is passed once.
    let options = PlayerOptions { cache_bytes: 0, check: true };
    match content {
        Content::MineWars => minewars::player(recording, view, options)?.verify(level),
        Content::Gamelog => cadre::player(recording, options)?.verify(level),
    }
}

/// Runs the simulation again by its orders. False where the tape holds none that is known here.
pub(super) fn check_simulation<S: Source>(
    source: &mut S,
    tape: &Tape,
    games: &[&dyn KnownGame],
    mut find: impl FnMut(Severity, Error),
) -> bool {
    let content = Metadata::of(tape).text("content");
    let Some(game) = games::find(games, content.as_deref()) else { return false };
    let options = PlayerOptions { cache_bytes: 0, check: true };
    let verified = game.resimulate(source, options);
    report("simulation", verified, &mut find);
    true
}

/// Hands on what was found about `item`.
fn report(item: &str, played: Result<DeepVerification>, find: &mut impl FnMut(Severity, Error)) {
    match played {
        Ok(verification) => {
            for finding in verification.report.findings() {
                find(finding.severity, finding.error.clone().within(item));
            }
        }
        Err(error) => find(Severity::Error, error.within(item)),
    }
}
