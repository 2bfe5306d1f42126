//! Messages of one generation in the words of the other.

use std::collections::BTreeMap;

use gametape_wire::{View, ViewSet};

use crate::dialect::Dialect;
use crate::edit::losses::Loss;
use crate::map::{Coord, TileKind};
use crate::message::{Message, Messages, PlayerUpdate, Who};
use crate::{Frame, Generation};

/// A message of one generation as messages of the other, and what is lost on the way.
pub(super) struct MessageTranslator<'t, 'a> {
    pub(super) target: Generation,
    /// The views that receive the message.
    pub(super) views: ViewSet,
    /// Who receives which flag in this frame.
    pub(super) flags: &'t Flags,
    pub(super) out: &'t mut Vec<Message<'a>>,
    pub(super) lost: &'t mut Vec<Loss>,
}

impl<'a> MessageTranslator<'_, 'a> {
    /// Translates a message that `following` come after in its payload.
    pub(super) fn translate(&mut self, message: &Message<'a>, following: &[Message<'a>]) {
        match (self.target, *message) {
            (Generation::V01, Message::CityTransaction { city, amount }) => match amount {
                1.. => self.lost.push(Loss::Income),
                _ => self.out.push(Message::CitySpending { city, spent: amount.unsigned_abs() }),
            },
            (Generation::V01, Message::Flag { player, tile }) => self.flag_to_v01(player, tile),
            (Generation::V01, Message::Explosions { .. }) => {
                let intact = undestroyed(message, following).map(|_| Loss::IntactGround);
                self.lost.extend(intact);
                self.out.push(*message);
            }
            (Generation::Current, Message::CitySpending { city, spent }) => {
                self.spending_to_current(city, spent);
            }
            (Generation::Current, Message::FlagPlaced { tile }) => {
                match self.flags.claimant(tile) {
                    Some(player) => self.out.push(Message::Flag { player, tile }),
                    None => self.lost.push(Loss::UnclaimedFlag),
                }
            }
            (Generation::Current, Message::FlagRemoved { tile }) => {
                self.out.push(Message::Flag { player: 0, tile });
            }
            (Generation::Current, Message::Explosions { .. }) => {
                self.out.push(*message);
                let destroyed = |tile| Message::Tile { tile, kind: TileKind::Destroyed };
                self.out.extend(undestroyed(message, following).map(destroyed));
            }
            (_, Message::Player { who, update }) => {
                let who = self.client(who, update);
                self.out.push(Message::Player { who, update });
            }
            _ => self.out.push(*message),
        }
    }

    fn flag_to_v01(&mut self, player: u8, tile: Coord) {
        let message = match player & 15 {
            0 => Message::FlagRemoved { tile },
            _ => Message::FlagPlaced { tile },
        };
        let views = self.views;
        let only_owner = views.len() == 1 && views.iter().all(|view| view.number() == player);
        if player & 15 != 0 && !only_owner {
            self.lost.push(Loss::FlagOwner);
        }
        self.out.push(message);
    }

    /// A balance that is spent in several steps ends as if it were spent in one.
    fn spending_to_current(&mut self, city: u8, spent: u16) {
        let mut left = i32::from(spent);
        loop {
            let step = left.min(-i32::from(i16::MIN));
            self.out.push(Message::CityTransaction { city, amount: -step as i16 });
            left -= step;
            if left == 0 {
                return;
            }
        }
    }

    /// The client that an update names in the target.
    fn client(&mut self, who: Who, update: PlayerUpdate<'_>) -> Who {
        let target = self.target;
        if is_about_whole_player(update) {
            return Who::whole(who.player, target);
        }
        if target == Generation::V01 && who.sub == Who::EVERYONE {
            if is_about_a_client(update) {
                self.lost.push(Loss::EveryClient(update.word_in(target)));
            }
            return Who::whole(who.player, target);
        }
        who
    }
}

/// The exploded tiles of `message` that no `TILE … destroyed` right after it is about.
fn undestroyed<'m>(
    message: &Message<'m>,
    following: &[Message<'_>],
) -> impl Iterator<Item = Coord> + use<'m> {
    let Message::Explosions { tiles } = *message else { return Vec::new().into_iter() };
    let after = following.iter().map_while(|next| match next {
        Message::Tile { tile, kind } => Some((*tile, *kind)),
        _ => None,
    });
    let destroyed: Vec<Coord> =
        after.filter(|(_, kind)| *kind == TileKind::Destroyed).map(|(tile, _)| tile).collect();
    let left: Vec<Coord> = tiles.iter().filter(|tile| !destroyed.contains(tile)).collect();
    left.into_iter()
}

/// Which views receive a `FLAG` of v0.1 in a frame, for each tile.
#[derive(Default)]
pub(super) struct Flags(BTreeMap<Coord, u16>);

impl Flags {
    pub(super) fn of(frame: &Frame<'_>) -> Self {
        let mut flags = Self::default();
        for part in frame.parts() {
            let mut messages = Messages::new(part.payload, part.offset, Dialect::V01);
            // What cannot be read says nothing about flags.
            let _ = messages.visit_dyn(&mut |message, _| {
                if let Message::FlagPlaced { tile } = message {
                    let views = part.views.without(frame.absent());
                    *flags.0.entry(tile).or_default() |= views.bits();
                }
            });
        }
        flags
    }

    /// The one player who receives a flag on `tile`.
    fn claimant(&self, tile: Coord) -> Option<u8> {
        let views = ViewSet::from_bits(self.0.get(&tile).copied().unwrap_or_default());
        let players = views.without(ViewSet::EMPTY.with(View::SPECTATOR));
        if players.len() == 1 { players.iter().next().map(View::number) } else { None }
    }
}

fn is_about_whole_player(update: PlayerUpdate<'_>) -> bool {
    use PlayerUpdate as P;
    matches!(
        update,
        P::Timeout { .. }
            | P::Resume {}
            | P::Protected {}
            | P::Unprotected {}
            | P::Eliminated {}
            | P::Surrendered {}
    )
}

/// Does v0.1 have the update, and does it matter there which client it is about?
fn is_about_a_client(update: PlayerUpdate<'_>) -> bool {
    use PlayerUpdate as P;
    matches!(
        update,
        P::Joined { .. }
            | P::Rtt { .. }
            | P::Disconnected {}
            | P::Kicked {}
            | P::VoteNew { .. }
            | P::Vote { .. }
            | P::ChatAll { .. }
            | P::ChatFriendly { .. }
    )
}
