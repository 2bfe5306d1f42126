//! When a tile changed.

use gametape_minewars::{TileState, ViewState};
use gametape_replay::Direction;
use gametape_wire::{Moment, Result, Source, Tick};

use super::{SeenTimeline, Stage};
use crate::inspect::Inspection;
use crate::model::{Scene, TileAt};

/// Moments at which the tile is looked at before the times between two that differ are narrowed down.
const SAMPLES: u64 = 96;
/// A gamelog with no more deltas than these is looked at after each of them.
const ALL_LOOKS: u64 = 200;
/// More changes are not listed; those that are listed are the last ones.
const MOST: usize = 24;
/// More steps are not made to find the changes of a tile.
const MOST_STEPS: usize = 400_000;

/// When a tile changed.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct TileHistory {
    /// The last changes, ascending.
    pub changes: Vec<TileChange>,
    /// Is every change of the recording noticed? Else the tile was looked at now and then, and what changed and changed back
    /// between two looks is missing.
    pub is_exact: bool,
    /// How many earlier changes are not listed.
    pub earlier: usize,
}

/// A change of a tile.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TileChange {
    /// The first moment at which it is there.
    pub moment: Moment,
    /// What is known since then, in words: `owner Ben, structure road`.
    pub text: String,
}

impl<S: Source> Stage<S> {
    /// When what the present view knows of a tile changed. The position stays.
    ///
    /// A recording with messages is passed through once, unless it is a tape that is too long for that; so is a gamelog of few
    /// deltas. Otherwise the tile is looked at in even steps, and the moment between two different looks is found by halving.
    pub fn history(&mut self, tile: TileAt) -> Result<TileHistory> {
        let here = self.position();
        let span = self.end().next_tick().0.saturating_sub(self.begin().next_tick().0);
        let is_exact = match self.is_gamelog() {
            true => span <= ALL_LOOKS,
            false => self.can_be_reported(),
        };
        let changes = match is_exact && !self.is_gamelog() {
            true => self.passed(tile),
            false => self.sampled(tile, if is_exact { ALL_LOOKS } else { SAMPLES }),
        };
        self.seek(here)?;
        let mut changes = changes?;
        let earlier = changes.len().saturating_sub(MOST);
        Ok(TileHistory { changes: changes.split_off(earlier), is_exact, earlier })
    }

    /// The changes of a tile in one pass: the moments first, then what is known at each of the last ones.
    fn passed(&mut self, tile: TileAt) -> Result<Vec<TileChange>> {
        let begin = self.begin();
        self.seek(begin)?;
        let (mut moments, mut last) = (vec![begin.next_tick().0], self.tile_state(tile));
        for _ in 0..MOST_STEPS {
            if !self.step(Direction::Forward)? {
                break;
            }
            let now = self.tile_state(tile);
            if now != last {
                moments.push(self.position().next_tick().0);
                last = now;
            }
        }
        let mut changes = Vec::new();
        let listed = moments.len().saturating_sub(MOST + 1);
        // What is not listed needs no words.
        let unlisted = moments[1..=listed].iter();
        changes.extend(unlisted.map(|moment| TileChange::at(*moment, String::new())));
        let mut before = self.look(moments[listed], tile)?;
        for moment in &moments[listed + 1..] {
            let now = self.look(*moment, tile)?;
            if now == before && self.seen().len() > 1 {
                // One of the views learned what another knew.
                continue;
            }
            let text = now.as_ref().map(|now| now.since(before.as_ref())).unwrap_or_default();
            changes.push(TileChange::at(*moment, text));
            before = now;
        }
        Ok(changes)
    }

    /// What the states of the views that are seen say of a tile, where they have messages.
    fn tile_state(&self, tile: TileAt) -> Vec<Option<TileState>> {
        let of = |timeline: &SeenTimeline| {
            let state = timeline.state().as_any()?.downcast_ref::<ViewState>()?;
            state.tile(crate::minewars::coord_of(tile)?)
        };
        self.timelines().into_iter().map(|(_, timeline)| of(timeline)).collect()
    }

    fn sampled(&mut self, tile: TileAt, samples: u64) -> Result<Vec<TileChange>> {
        let (begin, end) = (self.begin().next_tick().0, self.end().next_tick().0);
        let samples = samples.min(end.saturating_sub(begin)).max(1);
        let mut changes = Vec::new();
        let mut last = (begin, self.look(begin, tile)?);
        for sample in 1..=samples {
            let moment = begin + (end - begin) * sample / samples;
            let now = self.look(moment, tile)?;
            if now != last.1 {
                changes.push(self.narrow(&last, (moment, now.clone()), tile)?);
            }
            last = (moment, now);
        }
        Ok(changes)
    }

    fn look(&mut self, moment: u64, tile: TileAt) -> Result<Option<Known>> {
        self.seek(Moment::before(Tick(moment)))?;
        let mut scene = self.scene();
        if !self.is_gamelog() {
            // What a city has, and whether somebody sees the tile at the moment, are no changes of the tile.
            if let Some(board) = &mut scene.board {
                (board.pieces, board.sight) = (Vec::new(), Vec::new());
            }
        }
        let found = self.inspect_in(&scene, tile);
        Ok(found.map(|found| Known::of(&found, &scene)))
    }

    /// The first moment after one look at which the tile is as at another.
    fn narrow(&mut self, from: &Look, to: Look, tile: TileAt) -> Result<TileChange> {
        let (mut before, (mut after, known)) = (from.0, to);
        while before + 1 < after {
            let middle = before + (after - before) / 2;
            match self.look(middle, tile)? == known {
                true => after = middle,
                false => before = middle,
            }
        }
        let text = known.map(|known| known.since(from.1.as_ref())).unwrap_or_default();
        Ok(TileChange::at(after, text))
    }
}

impl TileChange {
    fn at(moment: u64, text: String) -> Self {
        Self { moment: Moment::before(Tick(moment)), text }
    }
}

/// What is known of a tile at a moment.
type Look = (u64, Option<Known>);

/// What is known of a tile: names and values in words.
#[derive(Debug, Clone, PartialEq)]
struct Known(Vec<(String, String)>);

impl Known {
    fn of(found: &Inspection, scene: &Scene) -> Self {
        let values = found.values.iter();
        Self(values.map(|value| (value.name.clone(), value.value.text(scene))).collect())
    }

    /// What is new in comparison with an earlier look.
    fn since(&self, before: Option<&Self>) -> String {
        let is_new =
            |value: &&(String, String)| before.is_none_or(|before| !before.0.contains(value));
        let new: Vec<String> =
            self.0.iter().filter(is_new).map(|(name, value)| format!("{name} {value}")).collect();
        let has = |name: &str| self.0.iter().any(|(own, _)| own == name);
        let gone = before.into_iter().flat_map(|before| &before.0).filter(|(name, _)| !has(name));
        let gone = gone.map(|(name, _)| format!("no {name}"));
        new.into_iter().chain(gone).collect::<Vec<_>>().join(", ")
    }
}
