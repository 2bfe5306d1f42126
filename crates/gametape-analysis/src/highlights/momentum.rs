//! Momentum: how much the balance between the players changed.

use super::window::Span;
use gametape_wire::Arrange;

/// Players that take part: 1..=15, in columns 0..=14.
pub(super) const PLAYERS: usize = 15;
/// Worths and swings are taken up to this.
const MOST: i64 = 1 << 40;

/// What a player was worth at a tick.
#[derive(Debug, Clone, Copy)]
pub(super) struct Worth {
    pub(super) tick: u64,
    /// 1..=15.
    pub(super) player: u8,
    pub(super) worth: i64,
}

/// The leads of all players at each tick of which there is a sample.
pub(super) struct Momentum {
    ticks: Vec<u64>,
    leads: Vec<[i64; PLAYERS]>,
    comeback_ticks: Vec<u64>,
    /// One more than there are comebacks: the swings before each.
    swings_before: Vec<u128>,
}

impl Momentum {
    /// From worths that ascend by tick, then worth, and comebacks (tick, swing) that ascend.
    pub(super) fn new(worths: &[Worth], comebacks: &[(u64, i64)]) -> Self {
        let mut now = first_worths(worths);
        let mut ticks = Vec::new();
        let mut leads: Vec<[i64; PLAYERS]> = Vec::new();
        for same_tick in worths.chunk_by(|one, other| one.tick == other.tick) {
            for sample in same_tick {
                now[column(sample)] = Some(sample.worth.clamp(-MOST, MOST));
            }
            ticks.push(same_tick[0].tick);
            leads.push(leads_of(&now));
        }
        let mut swings_before = vec![0];
        for (index, (_, swing)) in comebacks.iter().enumerate() {
            let swing = swing.unsigned_abs().min(MOST as u64);
            swings_before.push(swings_before[index] + u128::from(swing));
        }
        let comeback_ticks = comebacks.iter().map(|(tick, _)| *tick).collect();
        Self { ticks, leads, comeback_ticks, swings_before }
    }

    /// The leads at a tick; before the first ones, those.
    fn at(&self, tick: u64) -> &[i64; PLAYERS] {
        let after = self.ticks.partition_point(|&other| other <= tick);
        self.leads.get(after.saturating_sub(1)).unwrap_or(&[0; PLAYERS])
    }

    pub(super) fn within(&self, window: &Span) -> u128 {
        let (from, to) = (self.at(window.start), self.at(window.end - 1));
        let changes = from.iter().zip(to).map(|(from, to)| to.abs_diff(*from));
        let index = |tick| self.comeback_ticks.partition_point(|&other| other < tick);
        let swings =
            self.swings_before[index(window.end)] - self.swings_before[index(window.start)];
        u128::from(changes.max().unwrap_or(0)) + swings
    }
}

fn column(sample: &Worth) -> usize {
    usize::from(sample.player) - 1
}

/// What each player is worth before anything is reported: what is reported first.
fn first_worths(worths: &[Worth]) -> [Option<i64>; PLAYERS] {
    let mut firsts: [Option<(u64, i64)>; PLAYERS] = [None; PLAYERS];
    for sample in worths {
        let first = firsts[column(sample)].get_or_insert((sample.tick, sample.worth));
        if first.0 == sample.tick {
            // Of several in one tick the greatest, which comes last.
            first.1 = sample.worth;
        }
    }
    firsts.map(|first| first.map(|(_, worth)| worth.clamp(-MOST, MOST)))
}

/// Each player's worth less the greatest of another.
fn leads_of(worths: &[Option<i64>; PLAYERS]) -> [i64; PLAYERS] {
    let mut sorted: Vec<i64> = worths.iter().flatten().copied().collect();
    sorted.arrange_by(|one, other| other.cmp(one));
    let [best, second, ..] = sorted[..] else { return [0; PLAYERS] };
    worths.map(|worth| match worth {
        None => 0,
        Some(worth) if worth == best => worth - second,
        Some(worth) => worth - best,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(tick: u64, player: u8, worth: i64) -> Worth {
        Worth { tick, player, worth }
    }

    #[test]
    fn leads_are_against_the_best_of_the_others() {
        let mut worths = [None; PLAYERS];
        (worths[0], worths[1], worths[4]) = (Some(10), Some(30), Some(25));
        let leads = leads_of(&worths);
        assert_eq!((leads[0], leads[1], leads[2], leads[4]), (-20, 5, 0, -5));
        worths[4] = Some(30);
        assert_eq!(leads_of(&worths)[1], 0);
        assert_eq!(leads_of(&[Some(5); PLAYERS]), [0; PLAYERS]);
        let mut alone = [None; PLAYERS];
        alone[3] = Some(9);
        assert_eq!(leads_of(&alone), [0; PLAYERS]);
    }

    /// Of several worths in one tick the greatest counts, which comes last.
    #[test]
    fn before_it_is_reported_a_worth_is_the_first_one() {
        let worths = [
            worth(10, 1, 50),
            worth(20, 15, 30),
            worth(20, 15, 40),
            worth(30, 15, 90),
            worth(40, 1, 60),
        ];
        let firsts = first_worths(&worths);
        assert_eq!((firsts[0], firsts[14]), (Some(50), Some(40)));
        assert_eq!(firsts.iter().flatten().count(), 2);
        let momentum = Momentum::new(&worths, &[]);
        // A lead of 10 until tick 30, and 40 less than the other from then on.
        assert_eq!(momentum.within(&(0..30)), 0);
        assert_eq!(momentum.within(&(0..31)), 50);
    }

    #[test]
    fn the_greatest_change_of_a_lead_counts() {
        let worths = [
            worth(10, 1, 100),
            worth(10, 2, 100),
            worth(20, 1, 150),
            worth(20, 2, 40),
            worth(30, 3, 60),
        ];
        let momentum = Momentum::new(&worths, &[(15, -7), (25, 5)]);
        // Player 3 is worth 60 from the beginning.
        assert_eq!(momentum.within(&(0..5)), 0);
        // Player 1: from 0 to 150 - 60; player 2: from 0 to 40 - 150; and the swing at 15.
        assert_eq!(momentum.within(&(10..21)), 110 + 7);
        // The window's last tick is before 20.
        assert_eq!(momentum.within(&(10..20)), 7);
        // What changes at the window's first tick is there already, but a swing then counts.
        assert_eq!(momentum.within(&(20..31)), 5);
        assert_eq!(momentum.within(&(19..31)), 110 + 5);
        assert_eq!(momentum.within(&(15..16)), 7);
        assert_eq!(momentum.within(&(16..25)), 110);
        assert_eq!(momentum.within(&(21..26)), 5);
        assert_eq!(momentum.within(&(0..100)), 110 + 12);
        assert_eq!(Momentum::new(&[], &[]).within(&(0..9)), 0);
    }
}
