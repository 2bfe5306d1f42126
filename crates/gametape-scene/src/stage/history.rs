//! When a tile changed.

use gametape_wire::{Moment, Result, Source, Tick};

use super::Stage;
use crate::inspect::Inspection;
use crate::model::{Scene, TileAt};

/// Moments at which the tile is looked at before the times between two that differ are narrowed down.
const SAMPLES: u64 = 96;
/// More changes are not listed; those that are listed are the last ones.
const MOST: usize = 24;

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
    /// When what the present view knows of a tile changed, ascending. The position stays.
    ///
    /// The tile is looked at in even steps, and the moment between two different looks is found by halving. What changes and
    /// changes back within one step is not noticed.
    pub fn history(&mut self, tile: TileAt) -> Result<Vec<TileChange>> {
        let here = self.position();
        let (begin, end) = (self.begin().next_tick().0, self.end().next_tick().0);
        let samples = SAMPLES.min(end.saturating_sub(begin)).max(1);
        let mut changes = Vec::new();
        let mut last = (begin, self.look(begin, tile)?);
        for sample in 1..=samples {
            let moment = begin + (end - begin) * sample / samples;
            let now = self.look(moment, tile)?;
            if now != last.1 {
                let found = self.narrow(&last, (moment, now.clone()), tile)?;
                changes.push(found);
            }
            last = (moment, now);
        }
        self.seek(here)?;
        let surplus = changes.len().saturating_sub(MOST);
        Ok(changes.split_off(surplus))
    }

    fn look(&mut self, moment: u64, tile: TileAt) -> Result<Option<Known>> {
        self.seek(Moment::before(Tick(moment)))?;
        let scene = self.scene();
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
        Ok(TileChange { moment: Moment::before(Tick(after)), text })
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
