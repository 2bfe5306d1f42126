//! Engagement: how much was destroyed.

use gametape_tape::PlayerId;

use super::window::Span;
use crate::event::types::UnitTraits;

pub(super) const CLUSTER_SECONDS: u64 = 3;
const MOST_WEIGHT: u64 = 8000;
const MOST_VALUE: i64 = 1 << 32;

/// A unit that one player lost to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kill {
    pub(super) tick: u64,
    pub(super) value: i64,
    pub(super) traits: UnitTraits,
    pub(super) killer: Option<PlayerId>,
}

/// The heat of all kills up to each.
pub(super) struct Heat {
    ticks: Vec<u64>,
    /// One more than there are ticks: the heat of all kills before each.
    before: Vec<u128>,
}

impl Heat {
    /// From kills that ascend by tick; those up to `cluster` ticks after the first of a cluster
    /// belong to it.
    pub(super) fn new(kills: &[Kill], cluster: u64) -> Self {
        let mut before = vec![0];
        let mut sum = 0;
        let mut rest = kills;
        while let Some(first) = rest.first() {
            let last = first.tick.saturating_add(cluster);
            let (together, others) = rest.split_at(rest.partition_point(|kill| kill.tick <= last));
            for kill in together {
                sum += heat(kill, together.len() as u64);
                before.push(sum);
            }
            rest = others;
        }
        Self { ticks: kills.iter().map(|kill| kill.tick).collect(), before }
    }

    fn indexes(&self, window: &Span) -> (usize, usize) {
        let index = |tick| self.ticks.partition_point(|&other| other < tick);
        (index(window.start), index(window.end))
    }

    pub(super) fn within(&self, window: &Span) -> u128 {
        let (start, end) = self.indexes(window);
        self.before[end] - self.before[start]
    }

    pub(super) fn kills_within(&self, window: &Span) -> u64 {
        let (start, end) = self.indexes(window);
        (end - start) as u64
    }
}

/// The weight of a kill, in thousandths, times the value of what was lost.
fn heat(kill: &Kill, cluster: u64) -> u128 {
    let factor = |bit, with, without| if kill.traits.has(bit) { with } else { without };
    let together = MOST_WEIGHT.min(1000 + 300 * (cluster - 1).min(MOST_WEIGHT));
    let weight = together
        * factor(UnitTraits::STRUCTURE, 3, 2)
        * factor(UnitTraits::TECHNOLOGY, 2, 1)
        * factor(UnitTraits::SUPERWEAPON, 5, 1)
        / 2;
    u128::from(weight.min(MOST_WEIGHT)) * kill.value.clamp(1, MOST_VALUE) as u128
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(cluster: u64, traits: UnitTraits) -> u128 {
        heat(&Kill { tick: 0, value: 1, traits, killer: None }, cluster)
    }

    #[test]
    fn weights_are_those_of_the_specification() {
        let (structure, technology) = (UnitTraits::STRUCTURE, UnitTraits::TECHNOLOGY);
        let cases = [
            (1, UnitTraits::NONE, 1000),
            (2, UnitTraits::NONE, 1300),
            (24, UnitTraits::NONE, 7900),
            (25, UnitTraits::NONE, 8000),
            (u64::MAX, UnitTraits::NONE, 8000),
            (1, structure, 1500),
            (2, structure, 1950),
            (1, technology, 2000),
            (1, structure.with(technology), 3000),
            (1, UnitTraits::SUPERWEAPON, 5000),
            (1, UnitTraits::SUPERWEAPON.with(structure), 7500),
            (1, UnitTraits::SUPERWEAPON.with(technology), 8000),
        ];
        for (cluster, traits, expected) in cases {
            assert_eq!(weight(cluster, traits), expected, "{cluster} {traits:?}");
        }
    }

    #[test]
    fn worthless_and_priceless_units_count() {
        let heat_of =
            |value| heat(&Kill { tick: 0, value, traits: UnitTraits::NONE, killer: None }, 1);
        assert_eq!([-5, 0, 1].map(heat_of), [1000; 3]);
        assert_eq!(heat_of(i64::MAX), 1000 << 32);
    }

    #[test]
    fn a_cluster_counts_from_its_first_kill() {
        let kills: Vec<Kill> = [10, 12, 13, 14]
            .map(|tick| Kill { tick, value: 1, traits: UnitTraits::NONE, killer: None })
            .to_vec();
        let heat = Heat::new(&kills, 3);
        assert_eq!(heat.before, [0, 1600, 3200, 4800, 5800]);
        assert_eq!(heat.within(&(12..14)), 3200);
        assert_eq!(heat.kills_within(&(0..100)), 4);
    }
}
