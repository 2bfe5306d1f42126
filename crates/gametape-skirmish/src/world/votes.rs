//! Votes.

use super::log::Refusal;
use super::{Moment, Outcome, Reason, Skirmish};
use crate::order::VoteKind;
use crate::rules::VOTE;

/// A vote that is being held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Vote {
    pub(crate) id: u8,
    pub(crate) kind: VoteKind,
    pub(crate) caller: u8,
    pub(crate) end: u64,
    /// Players who said yes, and no: bit n is player n.
    pub(crate) yes: u16,
    pub(crate) no: u16,
}

impl Skirmish {
    pub(super) fn call_vote(&mut self, player: u8, kind: VoteKind) -> Result<(), Refusal> {
        Refusal::unless(self.vote.is_none(), "a vote is being held already")?;
        if let VoteKind::Kick(target) = kind {
            Refusal::unless(self.is_in(target), "the player to kick is not in the match")?;
            Refusal::unless(target != player, "players cannot kick themselves")?;
            let are_enough = self.players_in().count() >= 3;
            Refusal::unless(are_enough, "a kick needs three players in the match")?;
        }
        let id = if self.last_vote == u8::MAX { 1 } else { self.last_vote + 1 };
        self.last_vote = id;
        let end = self.clock + VOTE;
        self.vote = Some(Vote { id, kind, caller: player, end, yes: 0, no: 0 });
        self.log.push(Moment::VoteCalled { id, kind, by: player });
        self.cast_ballot(player, id, true)
    }

    pub(super) fn cast_ballot(&mut self, player: u8, id: u8, yes: bool) -> Result<(), Refusal> {
        let bit = 1 << player;
        let vote = self.vote.as_mut().filter(|vote| vote.id == id);
        let vote = vote.ok_or(Refusal::Because("no such vote is being held"))?;
        Refusal::unless((vote.yes | vote.no) & bit == 0, "the player has voted already")?;
        let is_target = vote.kind == VoteKind::Kick(player);
        Refusal::unless(!is_target, "the player to kick has no ballot")?;
        *(if yes { &mut vote.yes } else { &mut vote.no }) |= bit;
        self.log.push(Moment::Ballot { id, by: player, yes });
        self.count_votes();
        Ok(())
    }

    /// Ends the vote when it is decided.
    pub(super) fn count_votes(&mut self) {
        let Some(vote) = self.vote else { return };
        let voters = self.players_in().filter(|player| vote.kind != VoteKind::Kick(*player));
        let voters: u16 = voters.fold(0, |bits, player| bits | 1 << player);
        let total = voters.count_ones();
        let (yes, no) = ((vote.yes & voters).count_ones(), (vote.no & voters).count_ones());
        let needed = match vote.kind {
            VoteKind::Draw => total,
            VoteKind::Surrender | VoteKind::Kick(_) => total / 2 + 1,
        };
        if yes >= needed {
            self.end_vote(vote, true);
        } else if total - no < needed {
            self.end_vote(vote, false);
        }
    }

    pub(super) fn expire_vote(&mut self) {
        if let Some(vote) = self.vote
            && vote.end <= self.clock
        {
            self.end_vote(vote, false);
        }
    }

    fn end_vote(&mut self, vote: Vote, passed: bool) {
        self.vote = None;
        self.log.push(Moment::VoteEnded { id: vote.id, by: vote.caller, passed });
        match vote.kind {
            _ if !passed => {}
            VoteKind::Draw => self.end(Outcome::Draw { reason: Reason::DrawVote }),
            VoteKind::Surrender => {
                let winner = self.leader().0;
                self.end(Outcome::Won { winner, reason: Reason::SurrenderVote });
            }
            VoteKind::Kick(player) => self.kick(player),
        }
    }
}
