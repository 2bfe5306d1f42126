//! MineWars files in tapes, and back; normative text: `spec/tape-contents.md`, section 3.

pub(crate) mod exact;
mod from_tape;
mod to_tape;
mod view;

use gametape_wire::{Result, TickLength, View, ViewSet};

use crate::player::{Player, PlayerOptions, ViewTrack};
use crate::source::Recording;
use crate::timeline::Playback;
use gametape_wire::Source;

pub use from_tape::{MinewarsFile, from_tape, setup_of};
pub use to_tape::{to_tape, write_tape};
pub use view::MinewarsView;

/// How long a tick takes in a tape that was made of a file.
pub const TICK_LENGTH: TickLength = TickLength::MILLISECOND;

/// What the metadata of such a tape says.
const CONTENT: &str = "minewars";

/// Plays what a view knows, from a tape whose frames are MineWars messages. Refused where the tape does
/// not have the view.
pub fn player<S: Source>(
    mut recording: Recording<S>,
    view: View,
    options: PlayerOptions,
) -> Result<Playback<S, Player<ViewTrack<MinewarsView>>>> {
    let setup = setup_of(&mut recording)?;
    recording.tape().check_views(ViewSet::EMPTY.with(view))?;
    Playback::view(recording, view, MinewarsView::new(&setup, view), options)
}
