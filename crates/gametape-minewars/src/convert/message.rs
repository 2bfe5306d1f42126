//! Messages of one generation in the words of the other.

use crate::{Frame, FrameLayout, Generation};
use gametape_wire::{Part, View, ViewSet};

use crate::coord::Coord;
use crate::dialect::Dialect;
use crate::kinds::TileKind;
use crate::losses::{Loss, Losses};
use crate::message::{Fit, Message, Messages, PlayerUpdate, Who};

/// Writes what a frame says in another generation, and notes what cannot be said.
pub(super) struct Translator<'l> {
    dialect: Dialect,
    layout: FrameLayout,
    losses: &'l mut Losses,
    /// When and for whom the message at hand is.
    at: (u64, ViewSet),
}

impl<'l> Translator<'l> {
    /// From frames in `dialect` to frames of `layout`, which has the same views.
    pub(super) fn new(dialect: Dialect, layout: FrameLayout, losses: &'l mut Losses) -> Self {
        Self { dialect, layout, losses, at: (0, ViewSet::EMPTY) }
    }

    pub(super) fn note_cut_frame(&mut self) {
        self.losses.note(Loss::CutFrame, None);
    }

    /// The payloads of a frame, with the views that receive them.
    pub(super) fn translate(&mut self, frame: &Frame<'_>) -> Vec<(ViewSet, Vec<u8>)> {
        let parts = frame.parts().filter(|part| !part.payload.is_empty());
        parts.filter_map(|part| self.translate_part(frame, &part)).collect()
    }

    fn translate_part(&mut self, frame: &Frame<'_>, part: &Part<'_>) -> Option<(ViewSet, Vec<u8>)> {
        let views = part.views.and(self.layout.views());
        self.at = (frame.time(), part.views);
        if views != part.views || views.is_empty() {
            self.note(Loss::UnseenPayload);
        }
        if views.is_empty() {
            return None;
        }
        let mut out = Vec::with_capacity(part.payload.len() + 8);
        let mut messages = Messages::new(part.payload, part.offset, self.dialect);
        while let Some(message) = messages.next() {
            match message {
                Ok(message) => self.translate_message(&message, frame, &messages, &mut out),
                Err(_) => self.note(Loss::UnreadablePayload),
            }
        }
        Some((views, out))
    }

    fn translate_message(
        &mut self,
        message: &Message<'_>,
        frame: &Frame<'_>,
        following: &Messages<'_>,
        out: &mut Vec<u8>,
    ) {
        match (self.layout.generation(), *message) {
            (Generation::V01, Message::CityTransaction { city, amount }) => match amount {
                1.. => self.note(Loss::Income),
                _ => self.write(&Message::CitySpending { city, spent: amount.unsigned_abs() }, out),
            },
            (Generation::V01, Message::Flag { player, tile }) => {
                self.flag_to_v01(player, tile, out);
            }
            (Generation::V01, Message::Explosions { .. }) => {
                undestroyed(message, following).for_each(|_| self.note(Loss::IntactGround));
                self.write(message, out);
            }
            (Generation::Current, Message::CitySpending { city, spent }) => {
                self.spending_to_current(city, spent, out);
            }
            (Generation::Current, Message::FlagPlaced { tile }) => match claimant(frame, tile) {
                Some(player) => self.write(&Message::Flag { player, tile }, out),
                None => self.note(Loss::UnclaimedFlag),
            },
            (Generation::Current, Message::FlagRemoved { tile }) => {
                self.write(&Message::Flag { player: 0, tile }, out);
            }
            (Generation::Current, Message::Explosions { .. }) => {
                self.write(message, out);
                for tile in undestroyed(message, following) {
                    self.write(&Message::Tile { tile, kind: TileKind::Destroyed }, out);
                }
            }
            (_, Message::Player { who, update }) => {
                let who = self.client(who, update);
                self.write(&Message::Player { who, update }, out);
            }
            _ => self.write(message, out),
        }
    }

    fn flag_to_v01(&mut self, player: u8, tile: Coord, out: &mut Vec<u8>) {
        let message = match player & 15 {
            0 => Message::FlagRemoved { tile },
            _ => Message::FlagPlaced { tile },
        };
        let (_, views) = self.at;
        let only_owner = views.len() == 1 && views.iter().all(|view| view.number() == player);
        if player & 15 != 0 && !only_owner {
            self.note(Loss::FlagOwner);
        }
        self.write(&message, out);
    }

    /// A balance that is spent in several steps ends as if it were spent in one.
    fn spending_to_current(&mut self, city: u8, spent: u16, out: &mut Vec<u8>) {
        let mut left = i32::from(spent);
        loop {
            let step = left.min(-i32::from(i16::MIN));
            self.write(&Message::CityTransaction { city, amount: -step as i16 }, out);
            left -= step;
            if left == 0 {
                return;
            }
        }
    }

    /// The client that an update names in the target.
    fn client(&mut self, who: Who, update: PlayerUpdate<'_>) -> Who {
        let target = self.layout.generation();
        if is_about_whole_player(update) {
            return Who::whole(who.player, target);
        }
        if target == Generation::V01 && who.sub == Who::EVERYONE {
            if is_about_a_client(update) {
                self.note(Loss::EveryClient(update.word_in(target)));
            }
            return Who::whole(who.player, target);
        }
        who
    }

    fn write(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        let start = out.len();
        let written = message.encode(self.layout.generation(), out);
        let length = out.len() - start;
        match written {
            Ok(_) if length > self.layout.payload_limit() => {
                out.truncate(start);
                self.note(Loss::LongMessage(self.word(message)));
            }
            Ok(Fit::Exact) => {}
            Ok(Fit::Rounded | Fit::Saturated) => self.note(Loss::Duration(self.word(message))),
            Err(_) => self.note(self.inexpressible(message)),
        }
    }

    /// What kind of loss it is that the target cannot write a message.
    fn inexpressible(&self, message: &Message<'_>) -> Loss {
        let word = self.word(message);
        match message {
            Message::Item { .. }
            | Message::Tile { .. }
            | Message::Player { update: PlayerUpdate::Vote { .. }, .. } => {
                Loss::ReservedValue(word)
            }
            Message::Player { .. } => Loss::PlayerUpdate(word),
            _ => Loss::Message(word),
        }
    }

    /// The word for the message, or for what happened to the player.
    fn word(&self, message: &Message<'_>) -> &'static str {
        let generation = self.dialect.generation();
        match message {
            Message::Player { update, .. } => update.word_in(generation),
            _ => message.word_in(generation),
        }
    }

    fn note(&mut self, loss: Loss) {
        self.losses.note(loss, Some(self.at));
    }
}

/// The exploded tiles of `message` that no `TILE … destroyed` right behind it speaks of.
fn undestroyed<'m>(
    message: &Message<'m>,
    following: &Messages<'_>,
) -> impl Iterator<Item = Coord> + use<'m> {
    let Message::Explosions { tiles } = *message else { return Vec::new().into_iter() };
    let behind = following.clone().map_while(|next| match next {
        Ok(Message::Tile { tile, kind }) => Some((tile, kind)),
        _ => None,
    });
    let destroyed: Vec<Coord> =
        behind.filter(|(_, kind)| *kind == TileKind::Destroyed).map(|(tile, _)| tile).collect();
    let left: Vec<Coord> = tiles.iter().filter(|tile| !destroyed.contains(tile)).collect();
    left.into_iter()
}

/// The one player who is told in this frame that a flag stands on `tile`.
fn claimant(frame: &Frame<'_>, tile: Coord) -> Option<u8> {
    let told = |part: &Part<'_>| {
        let mut messages = Messages::new(part.payload, part.offset, Dialect::V01);
        messages.any(|message| message == Ok(Message::FlagPlaced { tile }))
    };
    let views = frame.parts().filter(told).fold(0, |bits, part| bits | part.views.bits());
    let spectator = ViewSet::EMPTY.with(View::SPECTATOR);
    let players = ViewSet::from_bits(views).without(frame.absent()).without(spectator);
    if players.len() == 1 { players.iter().next().map(View::number) } else { None }
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
