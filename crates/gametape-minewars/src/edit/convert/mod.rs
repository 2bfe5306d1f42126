//! From one generation to the other; normative text: `spec/minewars-tools.md`, section 3.

mod frame;
mod message;

use crate::{FrameLayout, FrameWriter, Frames, Generation};
use gametape_wire::{Error, Result};

use crate::dialect::Dialect;
use crate::edit::losses::{Loss, Losses};
use crate::message::Messages;
use crate::setup::{MAX_PLAYERS_V01, Setup};
use frame::Translator;

/// A recording in another generation, and what that cannot express.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Converted {
    /// Everything before the frames.
    pub setup: Setup,
    /// The frames.
    pub frames: Vec<u8>,
    /// What was lost, or changed its meaning.
    pub losses: Losses,
}

/// Converts a recording. `dialect` is the one in which `frames` are written.
///
/// Every view receives the same messages at the same times, except for what the target cannot
/// express. Within one generation frames stay as they are, byte for byte.
///
/// ```
/// use gametape_minewars::sample::Sample;
/// use gametape_minewars::{Loss, convert};
/// use gametape_minewars::Generation;
///
/// let (setup, frames) = Sample::default().build(Generation::Current)?;
/// let converted = convert(&setup, &frames, setup.dialect(), Generation::V01)?;
/// assert_eq!(converted.setup.generation, Generation::V01);
/// assert_eq!(converted.losses.count(Loss::SetupPart("city names")), 1);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
pub fn convert(
    setup: &Setup,
    frames: &[u8],
    dialect: Dialect,
    target: Generation,
) -> Result<Converted> {
    check_players(setup, target)?;
    let (converted, dropped) = setup.converted(target);
    let mut losses = Losses::default();
    for part in dropped {
        losses.note(Loss::SetupPart(part), None);
    }
    let source = Frames::new(FrameLayout::new(dialect.generation(), setup.max_view())?, frames);
    let frames = if dialect == target.into() {
        frames.to_vec()
    } else if dialect.generation() == target {
        renumbered(source, frames, dialect)
    } else {
        let mut out = FrameWriter::new(FrameLayout::new(target, setup.max_view())?);
        Translator::new(dialect, &mut out, &mut losses).run(source)?;
        out.into_bytes()
    };
    Ok(Converted { setup: converted, frames, losses })
}

fn check_players(setup: &Setup, target: Generation) -> Result<()> {
    let players = setup.max_player;
    if target == Generation::V01 && u64::from(players) > MAX_PLAYERS_V01.max {
        let problem = format!("{players} players, but {target} has room for 6 only");
        return Err(Error::misuse("players", problem));
    }
    Ok(())
}

/// The same bytes with the numbers that the generation itself has for kinds. Those are in the same
/// bits, so that every message keeps its length and everything else its offset.
fn renumbered(frames: Frames<'_>, bytes: &[u8], dialect: Dialect) -> Vec<u8> {
    let generation = dialect.generation();
    let mut renumbered = bytes.to_vec();
    let mut again = Vec::new();
    for part in frames.flatten().flat_map(|frame| frame.parts()) {
        let mut start = part.offset as usize;
        // What cannot be read stays as it is.
        let _ =
            Messages::new(part.payload, part.offset, dialect).visit_dyn(&mut |message, wire| {
                let end = start + wire.len();
                again.clear();
                if message.encode(generation, &mut again).is_ok() && again.len() == wire.len() {
                    renumbered[start..end].copy_from_slice(&again);
                }
                start = end;
            });
    }
    renumbered
}
