//! How players go, and how a match ends.

use super::{Moment, Outcome, Reason, Skirmish};
use crate::order::VoteKind;
use crate::rules::SECOND;

impl Skirmish {
    pub(super) fn surrender(&mut self, player: u8, leave: bool) {
        let state = self.player_mut(player);
        state.surrendered = true;
        state.left = leave;
        self.log.push(Moment::Surrendered { player });
        self.eliminate(player);
        if leave {
            self.log.push(Moment::Left { player });
        }
        self.end_with_one_left(match leave {
            true => Departure::Left(player),
            false => Departure::Because(Reason::Surrender),
        });
    }

    pub(super) fn kick(&mut self, player: u8) {
        self.player_mut(player).kicked = true;
        self.log.push(Moment::Kicked { player });
        self.eliminate(player);
        self.end_with_one_left(Departure::Because(Reason::Kick));
    }

    /// Players who have no city left are out.
    pub(super) fn drop_the_homeless(&mut self) {
        let homeless: Vec<u8> =
            self.players_in().filter(|p| self.players[usize::from(*p)].cities == 0).collect();
        for &player in &homeless {
            self.eliminate(player);
        }
        if !homeless.is_empty() {
            self.end_with_one_left(Departure::Because(Reason::Elimination));
        }
    }

    fn eliminate(&mut self, player: u8) {
        self.raze(player, 0, |_, _| true);
        for index in 0..self.atlas.ring_order.len() {
            let cell = self.atlas.ring_order[index];
            let flag = 1 << player;
            if self.tile(cell).flags & flag != 0 {
                self.tile_mut(cell).flags &= !flag;
                self.log.touch(cell);
            }
            if self.tile(cell).owner == player {
                self.set_owner(cell, 0);
            }
        }
        for cluster in 0..self.cluster_owners.len() {
            if self.cluster_owners[cluster] == player {
                self.set_cluster_owner(cluster, 0);
            }
        }
        for city in 0..self.cities.len() {
            let tag = self.cities[city].tag;
            if let Some(unit) = self.units.get_mut(tag).filter(|unit| unit.owner == player) {
                unit.owner = 0;
            }
        }
        self.player_mut(player).out = true;
        self.end_spells_of(player, u64::MAX);
        self.log.push(Moment::Eliminated { player });
        self.forget_votes(player);
    }

    /// A vote to kick who is gone has no object; other votes may be decided now.
    fn forget_votes(&mut self, player: u8) {
        if let Some(vote) = self.vote {
            if vote.kind == VoteKind::Kick(player) {
                self.vote = None;
                self.log.push(Moment::VoteEnded { id: vote.id, by: vote.caller, passed: false });
            } else {
                self.count_votes();
            }
        }
    }

    fn end_with_one_left(&mut self, departure: Departure) {
        let mut left = self.players_in();
        let outcome = match (left.next(), left.next(), departure) {
            (Some(_), Some(_), _) => return,
            (None, ..) => Outcome::Draw { reason: Reason::NobodyLeft },
            (Some(_), None, Departure::Left(leaver)) => Outcome::Abandoned { leaver },
            (Some(winner), None, Departure::Because(reason)) => Outcome::Won { winner, reason },
        };
        drop(left);
        self.end(outcome);
    }

    /// Who owns most tiles, the lowest on a tie, and whether there is a tie.
    pub(super) fn leader(&self) -> (u8, bool) {
        let tiles = |player: u8| self.players[usize::from(player)].territory;
        let most = self.players_in().map(tiles).max().unwrap_or(0);
        let mut best = self.players_in().filter(|player| tiles(*player) == most);
        (best.next().unwrap_or(0), best.next().is_some())
    }

    pub(super) fn check_end(&mut self) {
        if self.clock < u64::from(self.config.time_limit) * SECOND {
            return;
        }
        let reason = Reason::TimeLimit;
        self.end(match self.leader() {
            (_, true) => Outcome::Draw { reason },
            (winner, false) => Outcome::Won { winner, reason },
        });
    }

    /// The first end counts.
    pub(super) fn end(&mut self, outcome: Outcome) {
        if self.outcome.is_none() {
            self.outcome = Some(outcome);
            self.log.push(Moment::Ended { outcome });
        }
    }
}

/// How the last player but one went.
enum Departure {
    Left(u8),
    Because(Reason),
}
