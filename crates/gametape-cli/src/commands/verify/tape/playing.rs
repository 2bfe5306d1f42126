//! Do the keyframes of a tape agree with what playing leads to?

use gametape_replay::streams::keyframes_of;
use gametape_replay::{
    DeepLevel, DeepVerification, PlayFinding, PlayerOptions, Recording, cadre, minewars,
};
use gametape_tape::Tape;
use gametape_wire::{Error, ErrorKind, Place, Result as WireResult, View};

use crate::games::known;
use crate::progress::waiting;
use crate::tape::{Content, Metadata, TapeFile};

/// What playing found, and how bad it is.
pub(super) struct Played {
    pub(super) is_error: bool,
    pub(super) error: Error,
}

/// Plays every view that has keyframes.
pub(super) fn check_views(
    file: &mut TapeFile,
    tape: &Tape,
    level: DeepLevel,
    mut find: impl FnMut(Played),
) {
    let Some(content) = Content::of(Metadata::of(tape).text("content").as_deref()) else { return };
    let has_keyframes = |view: &View| {
        tape.keyframes.entries().iter().any(|entry| entry.stream == keyframes_of(*view))
    };
    for view in (0..=View::MAX).filter_map(View::new).filter(has_keyframes) {
        let played = waiting("playing", || play(file, content, view, level));
        report(&format!("view {view}"), played, &mut find);
    }
}

fn play(
    file: &mut TapeFile,
    content: Content,
    view: View,
    level: DeepLevel,
) -> WireResult<DeepVerification> {
    let recording = Recording::open(file)?;
    // Every tick is passed once.
    let options = PlayerOptions { cache_bytes: 0, check: true };
    match content {
        Content::MineWars => minewars::player(recording, view, options)?.verify(level),
        Content::Gamelog => cadre::player(recording, options)?.verify(level),
    }
}

/// Runs the simulation again by its orders. False where the tape holds none that is known here.
pub(super) fn check_simulation(
    file: &mut TapeFile,
    tape: &Tape,
    mut find: impl FnMut(Played),
) -> bool {
    let Some(game) = known(Metadata::of(tape).text("content").as_deref()) else { return false };
    let options = PlayerOptions { cache_bytes: 0, check: true };
    let verified = waiting("simulating", || game.resimulate(file, options));
    report("simulation", verified, &mut find);
    true
}

/// Hands on what was found about `item`.
fn report(item: &str, played: WireResult<DeepVerification>, find: &mut impl FnMut(Played)) {
    let verification = match played {
        Ok(verification) => verification,
        Err(error) => return find(Played { is_error: true, error: error.within(item) }),
    };
    for finding in verification.findings {
        let problem = finding.to_string().into();
        let error = Error::new(Place::Nowhere, item.to_owned(), ErrorKind::BadSyntax { problem });
        find(Played { is_error: is_error(&finding), error });
    }
}

/// What cannot be applied was so when it was recorded, and what is lost is told by the tape itself.
fn is_error(finding: &PlayFinding) -> bool {
    match finding {
        PlayFinding::Input { .. } | PlayFinding::Lost { .. } => false,
        PlayFinding::Keyframe { .. } | PlayFinding::Divergence(_) => true,
    }
}
