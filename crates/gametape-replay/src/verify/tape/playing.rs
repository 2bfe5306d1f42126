//! Do the keyframes of a tape agree with what playing leads to?

use gametape_tape::{ChunkHeader, ChunkKind, Gap, GapCause, Tape};
use gametape_wire::{Error, ErrorKind, Place, Result, Severity, Source, Tick, View, ViewSet};

use crate::metadata::Metadata;
use crate::open::Content;
use crate::streams::{SETUP_OF_SIMULATION, SETUP_OF_VIEWS, keyframes_of};
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
    let gaps = declared_gaps(source, tape);
    let has_keyframes = |view: &View| {
        tape.keyframes.entries().iter().any(|entry| entry.stream == keyframes_of(*view))
    };
    for view in (0..=View::MAX).filter_map(View::new).filter(has_keyframes) {
        if let Some(lost) = lost_setup(tape, &gaps, SETUP_OF_VIEWS, ViewSet::EMPTY.with(view)) {
            find(Severity::Warning, lost.within(format!("view {view}")));
            continue;
        }
        let played = play(source, content, view, level);
        report(&format!("view {view}"), played, &mut find);
    }
}

/// The gaps that a tape declares itself. One that cannot be read was reported before.
fn declared_gaps<S: Source>(source: &mut S, tape: &Tape) -> Vec<Gap> {
    let mut gaps = Vec::new();
    for entry in tape.chunks.iter().filter(|entry| entry.header.kind == ChunkKind::GAP) {
        let read = source.fetch(entry.range());
        gaps.extend(read.ok().and_then(|bytes| Gap::read(&entry.read(&bytes).ok()?).ok()));
    }
    gaps
}

/// The loss of the setup that some views or the simulation start from, where the tape declares it and
/// has no other for all of them: then nothing can be played, and there is nothing to compare.
fn lost_setup(tape: &Tape, gaps: &[Gap], stream: u16, views: ViewSet) -> Option<Error> {
    let own =
        |header: &ChunkHeader| stream == SETUP_OF_SIMULATION || !header.views.and(views).is_empty();
    if tape.stream(ChunkKind::SETUP, stream).any(|entry| own(&entry.header)) {
        return None;
    }
    let is_setup = |gap: &&Gap| match gap.kind {
        ChunkKind::SETUP => gap.stream == stream,
        ChunkKind(0) => gap.first_tick == Tick::ZERO && gap.cause == GapCause::DAMAGE,
        _ => false,
    };
    gaps.iter().find(is_setup)?;
    let problem = "it is lost, as a gap declares: nothing can be played".into();
    Some(Error::new(Place::Nowhere, "setup", ErrorKind::BadSyntax { problem }))
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
    let options = PlayerOptions::new().with_cache_bytes(0);
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
    let gaps = declared_gaps(source, tape);
    if let Some(lost) = lost_setup(tape, &gaps, SETUP_OF_SIMULATION, ViewSet::ALL) {
        find(Severity::Warning, lost.within("simulation"));
        return true;
    }
    let options = PlayerOptions::new().with_cache_bytes(0);
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
