//! What a view knows at a time: its messages applied to the map, from the start.

use crate::Frame;
use gametape_wire::{Error, Place, Result, View};

use crate::dialect::Dialect;
use crate::map::Map;
use crate::message::Messages;
use crate::state::{ViewState, is_off_map};

/// How many problems are kept; all are counted.
const KEPT_PROBLEMS: usize = 100;

/// A view at a time, and what went wrong on the way there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// What the view knows.
    pub state: ViewState,
    /// When the last frame that was played happens, in milliseconds (ticks in v0.1).
    pub time: u64,
    /// The first problems: messages that cannot be read or applied, a frame that is cut.
    pub problems: Vec<Error>,
    /// How many problems there were.
    pub problem_count: u64,
    /// How many of them are damage: verification calls them errors. A tile that is not on the map is
    /// none.
    pub damage_count: u64,
}

/// Plays the frames up to and including time `until`, and gives what `view` knows then.
///
/// A view receives the messages of the frames it takes part in. Messages that cannot be read are
/// lost with the rest of their payload; the next frame is played all the same.
///
/// ```
/// use gametape_minewars::{Dialect, Grid, ItemKind, Map, Tile, TileKind, replay_view};
/// use gametape_minewars::{FrameLayout, Frames, Generation};
/// use gametape_wire::View;
///
/// let land = Tile { kind: TileKind::Regular, item: ItemKind::None };
/// let map = Map::new(Grid::Hex, 3, land)?;
/// let layout = FrameLayout::new(Generation::Current, View::new(2).unwrap())?;
/// // After 67 ms the spectator sees that player 2 owns tile 1,-1.
/// let stream = [0x80, 67, 0b001, 2, 0x82, 1, 0xFF];
/// let frames = Frames::new(layout, &stream);
/// let replayed = replay_view(&map, frames, Dialect::Current, View::SPECTATOR, u64::MAX);
/// assert_eq!(replayed.time, 67);
/// assert_eq!(replayed.state.tiles().filter(|(_, tile)| tile.owner == 2).count(), 1);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[must_use]
pub fn replay_view<'a>(
    map: &Map,
    frames: impl IntoIterator<Item = Result<Frame<'a>>>,
    dialect: Dialect,
    view: View,
    until: u64,
) -> Replayed {
    let mut state = ViewState::new(map, view, dialect.generation());
    let (mut time, mut problems) = (0, Problems::default());
    for frame in frames {
        match frame {
            Ok(frame) if frame.time() > until => break,
            Ok(frame) => {
                time = frame.time();
                play_frame(&mut state, &frame, dialect, &mut problems);
            }
            Err(error) => problems.note(time, error),
        }
    }
    Replayed {
        state,
        time,
        problems: problems.first,
        problem_count: problems.count,
        damage_count: problems.damage,
    }
}

/// What went wrong while frames were played.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Problems {
    /// The first ones.
    pub(crate) first: Vec<Error>,
    /// All of them.
    pub(crate) count: u64,
    /// Those that are damage.
    damage: u64,
}

impl Problems {
    /// Notes a problem at a time.
    #[cold]
    pub(crate) fn note(&mut self, time: u64, error: Error) {
        self.count += 1;
        self.damage += u64::from(!is_off_map(&error));
        if self.first.len() < KEPT_PROBLEMS {
            self.first.push(error.within(format_args!("{time} ms")));
        }
    }
}

/// Carries a state forward by the messages that its view receives in a frame.
fn play_frame(state: &mut ViewState, frame: &Frame<'_>, dialect: Dialect, problems: &mut Problems) {
    if !frame.views().contains(state.view()) {
        return;
    }
    let Some(part) = frame.parts().find(|part| part.views.contains(state.view())) else { return };
    state.apply_payload(part.payload, part.offset, dialect, |error| {
        problems.note(frame.time(), error);
    });
}

impl ViewState {
    /// Carries the state forward by the messages of a payload whose first byte is at `offset`.
    ///
    /// What is wrong with a message is reported; the messages that can be read after it still count.
    pub fn apply_payload(
        &mut self,
        payload: &[u8],
        offset: u64,
        dialect: Dialect,
        mut problem: impl FnMut(Error),
    ) {
        // The decoder of all messages is in this once, whoever hears of problems.
        self.apply_messages(payload, offset, dialect, &mut problem);
    }

    fn apply_messages(
        &mut self,
        payload: &[u8],
        offset: u64,
        dialect: Dialect,
        problem: &mut dyn FnMut(Error),
    ) {
        let mut at = offset;
        let read = Messages::new(payload, offset, dialect).visit(|message, wire| {
            if let Err(error) = self.apply(&message) {
                problem(error.with_place(Place::Byte(at)));
            }
            at += wire.len() as u64;
        });
        if let Err(error) = read {
            problem(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{FrameLayout, FrameWriter, Frames, Generation};
    use gametape_wire::ViewSet;

    use super::*;
    use crate::{Coord, Grid, ItemKind, Tile, TileKind};

    const OWN_CENTRE: [u8; 3] = [0x81, 0, 0];
    const OWN_NEXT: [u8; 3] = [0x82, 0, 1];

    fn replay(stream: &[u8], view: u8, until: u64) -> Replayed {
        let land = Tile { kind: TileKind::Regular, item: ItemKind::None };
        let map = Map::new(Grid::Hex, 2, land).unwrap();
        let frames = Frames::new(layout(), stream);
        replay_view(&map, frames, Dialect::Current, View::new(view).unwrap(), until)
    }

    fn layout() -> FrameLayout {
        FrameLayout::new(Generation::Current, View::new(2).unwrap()).unwrap()
    }

    fn owners(replayed: &Replayed) -> [u8; 2] {
        [(0, 0), (0, 1)].map(|(y, x)| replayed.state.tile(Coord::new(y, x)).unwrap().owner)
    }

    #[test]
    fn a_view_receives_its_own_messages_up_to_and_including_the_time() {
        let mut writer = FrameWriter::new(layout());
        let [zero, one] = [0, 1].map(|number| View::new(number).unwrap());
        writer.homogenous(5, ViewSet::EMPTY.with(zero).with(one), &OWN_CENTRE).unwrap();
        writer.heterogenous(10, &[(zero, &OWN_NEXT), (one, &[0x01])]).unwrap();
        let stream = writer.into_bytes();
        assert_eq!(owners(&replay(&stream, 0, 4)), [0, 0]);
        assert_eq!(owners(&replay(&stream, 0, 5)), [1, 0]);
        assert_eq!(owners(&replay(&stream, 0, 14)), [1, 0]);
        assert_eq!(owners(&replay(&stream, 0, 15)), [1, 2]);
        assert_eq!(owners(&replay(&stream, 1, u64::MAX)), [1, 0]);
        assert_eq!(owners(&replay(&stream, 2, u64::MAX)), [0, 0]);
        assert_eq!(replay(&stream, 2, u64::MAX).time, 15);
    }

    #[test]
    fn problems_are_told_with_their_time_and_place_and_play_goes_on() {
        let mut writer = FrameWriter::new(layout());
        let all = ViewSet::up_to(View::new(2).unwrap());
        // Tile 100,0 is not on the map; the second payload ends inside a message.
        writer.homogenous(5, all, &[0x81, 100, 0]).unwrap();
        writer.homogenous(5, all, &[0x82, 0]).unwrap();
        writer.homogenous(5, all, &OWN_NEXT).unwrap();
        writer.raw(&[0]);
        let replayed = replay(&writer.into_bytes(), 1, u64::MAX);
        assert_eq!(owners(&replayed), [0, 2]);
        assert_eq!(replayed.problem_count, 3);
        let problems: Vec<String> = replayed.problems.iter().map(ToString::to_string).collect();
        assert_eq!(problems[0], "5 ms: tile: 100,0 is not on the map (at byte 4)");
        assert_eq!((replayed.problem_count, replayed.damage_count), (3, 2));
        assert!(problems[1].starts_with("10 ms: "), "{}", problems[1]);
        assert!(problems[2].starts_with("15 ms: "), "{}", problems[2]);
    }

    #[test]
    fn no_stream_can_make_the_list_of_problems_long() {
        let mut writer = FrameWriter::new(layout());
        for _ in 0..300 {
            writer.homogenous(1, ViewSet::up_to(View::SPECTATOR), &[0x81, 100, 0]).unwrap();
        }
        let replayed = replay(&writer.into_bytes(), 0, u64::MAX);
        assert_eq!((replayed.problems.len(), replayed.problem_count), (100, 300));
    }
}
