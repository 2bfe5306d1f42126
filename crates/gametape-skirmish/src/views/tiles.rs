//! What a view is reported of tiles.

use gametape_minewars::Generation;
use gametape_minewars::{
    Coord, DigitTile, FlagState, Message, Pending, PlayerUpdate, StructureKind, TileState,
};

use super::ViewUpdate;
use crate::atlas::Cell;
use crate::rules::{full_hp, structure_points};
use crate::units::Unit;

impl ViewUpdate<'_> {
    /// Brings what the view knows of some tiles up to date.
    pub(super) fn tiles(&mut self, cells: &[Cell]) {
        self.owners(cells);
        for &cell in cells {
            self.digit(cell);
        }
        for &cell in cells {
            self.things(cell);
        }
    }

    fn known(&self, tile: Coord) -> Option<TileState> {
        self.state.tile(tile)
    }

    /// Ground, and who owns it where that is not the view's own player.
    fn owners(&mut self, cells: &[Cell]) {
        let mut abandoned = Vec::new();
        let mut news: Vec<(u8, Coord)> = Vec::new();
        for &cell in cells {
            let tile = self.game.atlas.coord(cell);
            let Some(known) = self.known(tile) else { continue };
            let ground = self.game.tile(cell).ground;
            if known.kind != ground {
                self.send(&Message::Tile { tile, kind: ground });
            }
            let owner = self.game.owner(cell);
            let open = self.sees(cell) || self.is_me(owner) || self.is_me(known.owner);
            match owner {
                _ if !open || owner == known.owner => {}
                0 => abandoned.push(tile),
                _ if self.is_me(owner) && self.game.atlas.cluster(cell).is_none() => {}
                _ => news.push((owner, tile)),
            }
        }
        self.abandon(&abandoned);
        // Stable: tiles of one player stay in order.
        news.sort_by_key(|(owner, _)| *owner);
        for (owner, tile) in news {
            // The message about one tile of a cluster is about all of them.
            if self.known(tile).is_some_and(|known| known.owner != owner) {
                self.send_owner(tile, owner);
            }
        }
    }

    /// Says that tiles are nobody's: only an elimination can.
    fn abandon(&mut self, tiles: &[Coord]) {
        let mut players = 1..=self.game.config.players();
        let Some(gone) = players.find(|player| !self.game.is_in(*player)) else { return };
        for tile in tiles {
            self.send_owner(*tile, gone);
        }
        if !tiles.is_empty() {
            self.send_player(gone, PlayerUpdate::Eliminated {});
        }
    }

    /// The digit of an own tile, which also says that it is own.
    fn digit(&mut self, cell: Cell) {
        let player = self.view.number();
        if self.is_spectator()
            || self.game.tile(cell).owner != player
            || self.game.atlas.cluster(cell).is_some()
        {
            return;
        }
        let tile = self.game.atlas.coord(cell);
        let digit = self.game.digit(player, cell);
        let known = self.known(tile);
        if known.is_none_or(|known| known.owner != player || known.digit != Some(digit)) {
            self.send(&Message::DigitSingle { digit: DigitTile { digit, tile } });
        }
    }

    /// Structure, construction, item, smoke, flag, and whose a city is.
    fn things(&mut self, cell: Cell) {
        let tile = self.game.atlas.coord(cell);
        let seen = self.sees(cell);
        if seen {
            self.structure(cell, tile);
        }
        self.construction(cell, tile);
        let here = *self.game.tile(cell);
        if self.is_spectator() || self.is_me(here.owner) {
            self.send_item(tile, here.item);
        }
        let Some(known) = self.known(tile) else { return };
        let smoke = here.smoke_end != 0;
        match smoke {
            _ if !seen || smoke == known.smoke => {}
            true => self.send(&Message::SmokeStart { tile }),
            false => self.send(&Message::SmokeEnd { tile }),
        }
        self.flag(tile, known.flag, here.flags);
        if let Some(city) = self.game.atlas.city_at(cell)
            && seen
        {
            self.city_owner(city, here.owner);
        }
    }

    fn structure(&mut self, cell: Cell, tile: Coord) {
        let Some(known) = self.known(tile) else { return };
        let unit = self.game.tile(cell).structure.and_then(|tag| self.game.units.get(tag));
        let standing = unit.and_then(|unit| Some((unit.structure()?, unit.hp)));
        let sent_hp = |(kind, hp): (StructureKind, u8)| if hp == full_hp(kind) { 0 } else { hp };
        let other = standing.map(|(kind, _)| kind) != known.structure;
        // Hit points never grow: fewer known than there are means another one of the same kind.
        let replaced = standing.is_some_and(|standing| sent_hp(standing) == 0 && known.hp != 0);
        if known.structure.is_some() && (other || replaced) {
            self.send(&Message::StructureGone { tile });
        }
        let Some(standing) = standing else { return };
        if other || replaced {
            self.send(&Message::Structure { tile, kind: standing.0 });
        }
        let hp = sent_hp(standing);
        if hp != 0 && self.known(tile).is_some_and(|known| known.hp != hp) {
            self.send(&Message::StructureHp { tile, hp });
        }
    }

    fn construction(&mut self, cell: Cell, tile: Coord) {
        let Some(known) = self.known(tile) else { return };
        let pending = self.pending(cell);
        if pending == known.pending {
            return;
        }
        let Some(Pending { kind: Some(kind), points, current, rate }) = pending else {
            // A finished structure that is known would go with it, but both are never there.
            self.send(&Message::StructureGone { tile });
            return;
        };
        if known.pending.is_none_or(|known| known.kind != Some(kind) || known.current > current) {
            self.send(&Message::ConstructionQueued { tile, kind, points });
        }
        if self.known(tile).and_then(|known| known.pending) != pending {
            self.send(&Message::ConstructionProgress { tile, current, rate });
        }
    }

    /// The construction that the view may know of: its own, and the spectator the first.
    fn pending(&self, cell: Cell) -> Option<Pending> {
        let owners = match self.view.number() {
            0 => 0..=u8::MAX,
            player => player..=player,
        };
        let mut here = self.game.pending.range((cell, *owners.start())..=(cell, *owners.end()));
        let unit: &Unit = self.game.units.get(*here.next()?.1)?;
        let (kind, work) = (unit.structure()?, unit.construction?);
        let points = structure_points(kind);
        Some(Pending { kind: Some(kind), points, current: work.done, rate: work.rate })
    }

    fn flag(&mut self, tile: Coord, known: Option<FlagState>, flags: u16) {
        let shown = match self.view.number() {
            0 => flags.trailing_zeros() as u8,
            player if flags & 1 << player != 0 => player,
            _ => 16,
        };
        let flag = match (shown, self.generation) {
            (16.., _) => None,
            (_, Generation::V01) => Some(FlagState::Unnamed),
            (player, Generation::Current) => Some(FlagState::Of(player)),
        };
        if flag == known {
            return;
        }
        self.send(&match (flag, self.generation) {
            (Some(FlagState::Of(player)), _) => Message::Flag { player, tile },
            (Some(FlagState::Unnamed), _) => Message::FlagPlaced { tile },
            (None, Generation::Current) => Message::Flag { player: 0, tile },
            (None, Generation::V01) => Message::FlagRemoved { tile },
        });
    }
}
