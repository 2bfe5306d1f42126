//! What a gamelog says about each thing of a match, as fields with JSON values.

use gametape_minewars::{Coord, ItemKind, TileKind};
use gametape_tape::UnitTag;

use super::json::{list, object, or_null, quoted, reference};
use crate::atlas::Cell;
use crate::order::VoteKind;
use crate::units::{Unit, UnitKind};
use crate::world::{City, Outcome, Pause, Player, Skirmish, Vote};

/// A field of a game object, its value as JSON.
pub(super) type Field = (&'static str, String);

/// Units have ids from here on.
const FIRST_UNIT: u32 = 1 << 16;

/// How things of a match are numbered: players first, then tiles in ring order, then units by tag.
#[derive(Debug)]
pub(super) struct Ids {
    players: u32,
    /// By cell.
    tiles: Vec<u32>,
}

impl Ids {
    pub(super) fn new(game: &Skirmish) -> Self {
        let players = u32::from(game.config.players());
        let mut tiles = vec![0; game.atlas.cell_count()];
        for (cell, id) in game.atlas.ring_order.iter().zip(players..) {
            tiles[*cell as usize] = id;
        }
        Self { players, tiles }
    }

    /// The id of a player with a number from 1 on.
    pub(super) fn player(number: u8) -> u32 {
        u32::from(number).saturating_sub(1)
    }

    pub(super) fn all_players(&self) -> impl Iterator<Item = u32> + use<> {
        0..self.players
    }

    pub(super) fn tile(&self, cell: Cell) -> u32 {
        self.tiles[cell as usize]
    }

    pub(super) fn unit(tag: UnitTag) -> u32 {
        FIRST_UNIT.saturating_mul(u32::from(tag.generation) + 1) | u32::from(tag.index)
    }
}

/// A reference to a player; null for nobody.
fn player_or_null(number: u8) -> String {
    or_null((number != 0).then(|| reference(Ids::player(number))))
}

/// The players whose bits are set.
fn players_of(bits: u16) -> String {
    list((1..16).filter(|number| bits >> number & 1 == 1).map(Ids::player))
}

/// What can change about the match as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RootFacts {
    turn: u64,
    clock: u64,
    pause: Option<Pause>,
    vote: Option<Vote>,
}

impl RootFacts {
    pub(super) fn of(game: &Skirmish) -> Self {
        Self { turn: game.tick, clock: game.clock, pause: game.pause, vote: game.vote }
    }

    pub(super) fn fields(&self) -> Vec<Field> {
        let pause = self.pause.map(|pause| {
            let left = ("ticksLeft", pause.ticks_left.to_string());
            object(&[("by", player_or_null(pause.by)), left])
        });
        vec![
            ("clock", self.clock.to_string()),
            ("currentTurn", self.turn.to_string()),
            ("pause", or_null(pause)),
            ("vote", or_null(self.vote.map(vote))),
        ]
    }
}

fn vote(vote: Vote) -> String {
    let (kind, player) = match vote.kind {
        VoteKind::Surrender => ("surrender", 0),
        VoteKind::Draw => ("draw", 0),
        VoteKind::Kick(player) => ("kick", player),
    };
    object(&[
        ("caller", player_or_null(vote.caller)),
        ("end", vote.end.to_string()),
        ("kind", quoted(kind)),
        ("no", players_of(vote.no)),
        ("number", vote.id.to_string()),
        ("player", player_or_null(player)),
        ("yes", players_of(vote.yes)),
    ])
}

/// What can change about a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlayerFacts {
    number: u8,
    name: String,
    player: Player,
    result: (bool, bool, &'static str),
}

impl PlayerFacts {
    pub(super) fn of(game: &Skirmish, number: u8) -> Self {
        let index = usize::from(number);
        let name = game.config.names[index - 1].clone();
        let player = game.players[index].clone();
        Self { number, name, player, result: result(game, number) }
    }

    /// Has the player won, and why has it ended so?
    pub(super) fn result(&self) -> (bool, bool, &'static str) {
        self.result
    }

    /// Did the player leave, or was kicked?
    pub(super) fn is_disconnected(&self) -> bool {
        self.player.left || self.player.kicked
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn fields(&self) -> Vec<Field> {
        let Self { player, result: (won, lost, reason), .. } = self;
        let counters = &player.counters;
        let reason_if = |is: bool| quoted(if is { reason } else { "" });
        vec![
            ("cities", player.cities.to_string()),
            ("clientType", quoted("Skirmish")),
            ("finished", counters.finished.to_string()),
            ("gameObjectName", quoted("Player")),
            ("id", quoted(&Ids::player(self.number).to_string())),
            ("kicked", player.kicked.to_string()),
            ("kills", counters.kills.to_string()),
            ("left", player.left.to_string()),
            ("losses", counters.losses.to_string()),
            ("lost", lost.to_string()),
            ("name", quoted(&self.name)),
            ("orders", counters.orders.to_string()),
            ("out", player.out.to_string()),
            ("pauses", counters.pauses.to_string()),
            ("protectionEnd", player.protection_end.to_string()),
            ("readyAt", player.ready_at.to_string()),
            ("reasonLost", reason_if(*lost)),
            ("reasonWon", reason_if(*won)),
            ("refused", counters.refused.to_string()),
            ("strikeReady", player.strike_ready.to_string()),
            ("surrendered", player.surrendered.to_string()),
            ("territory", player.territory.to_string()),
            ("timeoutEnd", player.timeout_end.to_string()),
            ("timeouts", counters.timeouts.to_string()),
            ("valueKilled", counters.value_killed.to_string()),
            ("valueLost", counters.value_lost.to_string()),
            ("won", won.to_string()),
        ]
    }
}

/// Won, lost and why; in a draw all have lost, as gamelogs say it. Who is out has lost at once.
fn result(game: &Skirmish, number: u8) -> (bool, bool, &'static str) {
    if let Some(reason) = departure(&game.players[usize::from(number)]) {
        return (false, true, reason);
    }
    match game.outcome {
        None => (false, false, ""),
        Some(Outcome::Won { winner, reason }) => {
            (winner == number, winner != number, reason.name())
        }
        Some(Outcome::Draw { reason }) => (false, true, reason.name()),
        Some(Outcome::Abandoned { .. }) => (true, false, "abandoned"),
    }
}

/// Why a player is out, if that is so.
fn departure(player: &Player) -> Option<&'static str> {
    let reasons = [
        (player.kicked, "kick"),
        (player.left, "left"),
        (player.surrendered, "surrender"),
        (player.out, "elimination"),
    ];
    reasons.into_iter().find(|(is, _)| *is).map(|(_, reason)| reason)
}

/// What can change about a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TileFacts {
    id: u32,
    at: Coord,
    region: Option<usize>,
    ground: TileKind,
    owner: u8,
    item: ItemKind,
    flags: u16,
    smoke_end: u64,
    /// The finished structure or the city.
    unit: Option<UnitTag>,
}

impl TileFacts {
    pub(super) fn of(game: &Skirmish, ids: &Ids, cell: Cell) -> Self {
        let tile = game.tile(cell);
        let city = game.atlas.city_at(cell).map(|city| game.cities[city].tag);
        Self {
            id: ids.tile(cell),
            at: game.atlas.coord(cell),
            region: game.atlas.region(cell),
            ground: tile.ground,
            owner: game.owner(cell),
            item: tile.item,
            flags: tile.flags,
            smoke_end: tile.smoke_end,
            unit: tile.structure.or(city),
        }
    }

    pub(super) fn id(&self) -> u32 {
        self.id
    }

    pub(super) fn fields(&self) -> Vec<Field> {
        let item = (self.item != ItemKind::None).then(|| quoted(&self.item.to_string()));
        vec![
            ("flags", players_of(self.flags)),
            ("gameObjectName", quoted("Tile")),
            ("ground", quoted(&self.ground.to_string())),
            ("id", quoted(&self.id.to_string())),
            ("item", or_null(item)),
            ("owner", player_or_null(self.owner)),
            ("region", or_null(self.region.map(|city| city.to_string()))),
            ("smokeEnd", self.smoke_end.to_string()),
            ("unit", or_null(self.unit.map(|tag| reference(Ids::unit(tag))))),
            ("x", self.at.x.to_string()),
            ("y", self.at.y.to_string()),
        ]
    }
}

/// What can change about a structure or a city.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnitFacts {
    tag: UnitTag,
    tile: u32,
    unit: Unit,
    /// Number and state of a city.
    city: Option<(usize, City)>,
}

impl UnitFacts {
    pub(super) fn of(game: &Skirmish, ids: &Ids, tag: UnitTag, unit: &Unit) -> Self {
        let number = game.atlas.city_at(unit.cell).filter(|_| unit.kind == UnitKind::City);
        let city = number.map(|number| (number, game.cities[number].clone()));
        Self { tag, tile: ids.tile(unit.cell), unit: *unit, city }
    }

    pub(super) fn fields(&self) -> Vec<Field> {
        let construction = self.unit.construction.map(|work| {
            object(&[
                ("city", work.city.to_string()),
                ("done", work.done.to_string()),
                ("rate", work.rate.to_string()),
            ])
        });
        let is_city = self.city.is_some();
        let mut fields = vec![
            ("gameObjectName", quoted(if is_city { "City" } else { "Structure" })),
            ("id", quoted(&Ids::unit(self.tag).to_string())),
            ("kind", quoted(self.unit.kind.name())),
            ("owner", player_or_null(self.unit.owner)),
            ("tile", reference(self.tile)),
        ];
        match &self.city {
            Some((number, city)) => fields.extend(city_fields(*number, city)),
            None => {
                fields.push(("construction", or_null(construction)));
                fields.push(("hitPoints", self.unit.hp.to_string()));
            }
        }
        fields
    }
}

fn city_fields(number: usize, city: &City) -> [Field; 8] {
    let capture = city.capture.map(|(player, since)| {
        object(&[("player", player_or_null(player)), ("since", since.to_string())])
    });
    [
        ("building", or_null(city.building.map(|tag| reference(Ids::unit(tag))))),
        ("capture", or_null(capture)),
        ("export", city.export.to_string()),
        ("import", city.import.to_string()),
        ("income", city.income.to_string()),
        ("money", city.money.to_string()),
        ("number", number.to_string()),
        ("resources", city.resources.to_string()),
    ]
}
