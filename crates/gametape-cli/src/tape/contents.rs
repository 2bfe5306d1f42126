//! What a tape holds, as the recording of another format that it stands for.

use gametape_cadre::Options;
use gametape_replay::{Recording, cadre, minewars};
use gametape_tape::{Gap, GapCause};
use gametape_wire::Error;

use super::TapeFile;
use crate::failure::{Failure, warn_of_loss};
use crate::games::known;
use crate::input::Input;
use crate::text::count;

/// What the frames of a tape are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// MineWars messages.
    MineWars,
    /// Deltas of a Cadre gamelog.
    Gamelog,
}

impl Content {
    /// What a tape says that it holds.
    pub(crate) fn of(name: Option<&str>) -> Option<Self> {
        let frames = known(name).map_or(name, |game| Some(game.frames()));
        match frames? {
            "minewars" => Some(Self::MineWars),
            "gamelog" => Some(Self::Gamelog),
            _ => None,
        }
    }
}

impl TapeFile {
    /// Opens the tape for playing or converting, and says what its frames are.
    pub(crate) fn play(self) -> Result<(Recording<Self>, Content), Failure> {
        let source = self.source.clone();
        let failed = |error: Error| Failure::of(&source, &error);
        let recording = Recording::open(self).map_err(failed)?;
        let name = recording.field("content");
        match Content::of(name.as_deref()) {
            Some(content) => Ok((recording, content)),
            None => {
                let name = name.map_or("not said".to_owned(), |name| format!("`{name}`"));
                let problem = format!("what it holds is {name}, and not known here");
                Err(Failure::refused(&source, &problem))
            }
        }
    }

    /// The MineWars recording or gamelog that the tape holds.
    pub(crate) fn into_recording(self) -> Result<Input, Failure> {
        let source = self.source.clone();
        let failed = |error: Error| Failure::of(&source, &error);
        let (mut recording, content) = self.play()?;
        warn_of_gaps(&source, recording.gaps());
        let bytes = match content {
            Content::MineWars => minewars::from_tape(&mut recording, None).map_err(failed)?.bytes,
            Content::Gamelog => {
                let log = cadre::from_tape(&mut recording, &Options::default()).map_err(failed)?;
                log.to_json()
            }
        };
        Ok(Input { source, bytes, dialect: None, headerless: false })
    }
}

/// More gaps than these are counted, not shown.
const SHOWN_GAPS: usize = 10;

/// Tells what is missing in a tape that is played all the same. What was cut away is not missing.
pub(crate) fn warn_of_gaps(source: &crate::input::Source, gaps: &[Gap]) {
    let gaps: Vec<&Gap> = gaps.iter().filter(|gap| gap.cause != GapCause::CUT).collect();
    for gap in gaps.iter().take(SHOWN_GAPS) {
        let what = if gap.kind.0 == 0 { "something".to_owned() } else { gap.kind.to_string() };
        let (first, ticks) = (gap.first_tick, count(gap.tick_count.into(), "tick"));
        warn_of_loss(source, format_args!("a gap: {what} is missing in {ticks} from {first} on"));
    }
    if let Some(more @ 1..) = gaps.len().checked_sub(SHOWN_GAPS) {
        warn_of_loss(source, format_args!("{} more", count(more as u64, "gap")));
    }
}
