//! What messages mean, in words.

use std::collections::{BTreeMap, HashMap};

use gametape_minewars::{
    Coord, Dialect, Line as AsmLine, Lines as AsmLines, Message, Messages, PlayerUpdate,
    StructureKind, TileState, Who,
};
use gametape_wire::{Time, View};

use super::{Seen, tile_at};
use crate::model::Line;
use crate::visible::Context;

/// More lines of one moment than these are left out.
const MOST_LINES: usize = 200;

/// The lines about the messages of a payload; `seen` is what the view knew before.
pub(super) fn lines(seen: &Seen<'_>, payload: &[u8]) -> Vec<Line> {
    let mut narrator = Narrator::new(seen);
    let mut messages = Messages::new(payload, 0, dialect(seen.context));
    // What cannot be read has no words; those before it have.
    let _ = messages.visit_dyn(&mut |message, _| narrator.hear(&message));
    narrator.finish()
}

/// The dialect of changes.
pub(super) fn dialect(context: &Context) -> Dialect {
    let name = context.dialect.as_deref();
    name.and_then(|name| Dialect::ALL.into_iter().find(|own| own.name() == name))
        .unwrap_or(Dialect::Current)
}

/// The messages of a payload as assembly text, a line each.
pub(super) fn disassemble(payload: &[u8], dialect: Dialect) -> Vec<String> {
    let text = |line: AsmLine<'_>| {
        let mut text = Vec::new();
        line.print(dialect, &mut text);
        line.print_comment(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    };
    AsmLines::new(payload, 0, dialect).take(MOST_LINES).map(text).collect()
}

struct Narrator<'a, 'b> {
    seen: &'a Seen<'b>,
    /// Names that this payload itself brings.
    names: HashMap<u8, String>,
    /// Who owns what after the messages so far, where they said so.
    owners: HashMap<Coord, u8>,
    city_owners: HashMap<u8, u8>,
    /// Tiles that went from one player to another.
    taken: BTreeMap<(u8, u8), Vec<Coord>>,
    lines: Vec<Line>,
}

impl<'a, 'b> Narrator<'a, 'b> {
    fn new(seen: &'a Seen<'b>) -> Self {
        Self {
            seen,
            names: HashMap::new(),
            owners: HashMap::new(),
            city_owners: HashMap::new(),
            taken: BTreeMap::new(),
            lines: Vec::new(),
        }
    }

    fn hear(&mut self, message: &Message<'_>) {
        match *message {
            Message::Player { who, update } => self.hear_of_player(who, update),
            Message::Owner { player, tiles } => {
                tiles.iter().for_each(|tile| self.take(tile, player));
            }
            Message::DigitSingle { digit } => self.take_own(digit.tile),
            Message::DigitRun { digits } => digits.iter().for_each(|d| self.take_own(d.tile)),
            Message::Structure { tile, kind } => self.built(tile, kind),
            Message::StructureGone { tile } => self.lost_structure(tile),
            Message::Explosions { tiles } => self.exploded(&tiles.iter().collect::<Vec<_>>()),
            Message::Tremor {} => {
                self.say(Line::new("explosion", "Something explodes out of sight"));
            }
            _ => {}
        }
    }

    fn hear_of_player(&mut self, who: Who, update: PlayerUpdate<'_>) {
        use PlayerUpdate as P;
        let player = who.player;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if let P::Joined { name } = update
            && !name.0.is_empty()
        {
            self.names.insert(player, text(name.0));
        }
        let name = self.name(player);
        let (kind, sentence) = match update {
            P::Joined { .. } => ("join", format!("{name} joins")),
            P::Disconnected {} => ("leave", format!("{name} leaves")),
            P::Kicked {} => ("leave", format!("{name} is removed")),
            P::Surrendered {} => ("out", format!("{name} gives up")),
            P::Eliminated {} => ("out", format!("{name} is out")),
            P::Timeout { time } => {
                let time = Time::from_millis(time.0.into()).seconds();
                ("stun", format!("{name} is stunned for {time} s"))
            }
            P::Explode { tile, killer } => return self.died(player, tile, killer),
            P::CityCaptured { city } => return self.captured(player, city),
            P::CityCapturing { city, .. } => {
                ("capture", format!("{name} is capturing {}", self.city(city)))
            }
            P::CityContested { city } => {
                ("capture", format!("{name} contests {}", self.city(city)))
            }
            P::VoteNew { text: about, .. } => {
                ("vote", format!("{name} calls a vote: {}", text(about.0)))
            }
            P::VotePassed { .. } => ("vote", "The vote passes".to_owned()),
            P::VoteFailed { .. } => ("vote", "The vote fails".to_owned()),
            P::ChatAll { text: said } | P::ChatFriendly { text: said } => {
                ("chat", format!("{name}: {}", text(said.0)))
            }
            P::TimeLimit { seconds } => {
                let left = Time::from_millis(u64::from(seconds) * 1000);
                ("time", format!("{left} left"))
            }
            _ => return,
        };
        self.say(Line::new(kind, sentence).by(&[player]));
    }

    fn died(&mut self, player: u8, tile: Coord, killer: u8) {
        let by = match killer {
            0 => String::new(),
            _ if killer == player => ", by an own mine".to_owned(),
            _ => format!(", killed by {}", self.name(killer)),
        };
        let text = format!("{} dies at {tile}{by}", self.name(player));
        self.say(Line::new("death", text).by(&[player, killer]).at(tile_at(tile)));
    }

    fn captured(&mut self, player: u8, city: u8) {
        let place = self.seen.context.places.get(&city);
        let before = self
            .city_owners
            .insert(city, player)
            .unwrap_or_else(|| place.map_or(0, |place| self.seen.city_owner(city, place.at)));
        let from = match before {
            0 => String::new(),
            _ if before == player => return,
            _ => format!(" from {}", self.name(before)),
        };
        let text = format!("{} captures {}{from}", self.name(player), self.city(city));
        let mut line = Line::new("capture", text).by(&[player, before]);
        line.at = place.map(|place| place.at);
        self.say(line);
    }

    /// A digit means that the player of the view owns the tile.
    fn take_own(&mut self, tile: Coord) {
        let view = self.seen.state.view();
        if view != View::SPECTATOR {
            self.take(tile, view.number());
        }
    }

    fn take(&mut self, tile: Coord, player: u8) {
        let Some(known) = self.tile(tile) else { return };
        let before = self.owners.insert(tile, player).unwrap_or(known.owner);
        if before != player && player != 0 {
            self.taken.entry((player, before)).or_default().push(tile);
        }
    }

    fn built(&mut self, tile: Coord, kind: StructureKind) {
        let Some(known) = self.tile(tile) else { return };
        if known.structure == Some(kind) {
            return;
        }
        let (owner, kind) = (self.owner(tile, &known), with_article(&kind.to_string()));
        let text = match owner {
            0 => format!("There is {kind} at {tile}"),
            _ => format!("{} builds {kind} at {tile}", self.name(owner)),
        };
        self.say(Line::new("build", text).by(&[owner]).at(tile_at(tile)));
    }

    fn lost_structure(&mut self, tile: Coord) {
        let Some(known) = self.tile(tile) else { return };
        // Without a structure, a plan is given up.
        let Some(kind) = known.structure else { return };
        let kind = with_article(&kind.to_string());
        let text = match known.owner {
            0 => format!("{} at {tile} is gone", capitalised(&kind)),
            owner => format!("{} loses {kind} at {tile}", self.name(owner)),
        };
        self.say(Line::new("loss", text).by(&[known.owner]).at(tile_at(tile)));
    }

    fn exploded(&mut self, tiles: &[Coord]) {
        let Some(first) = tiles.first() else { return };
        let text = match tiles.len() {
            1 => format!("{first} explodes"),
            count => format!("{count} tiles explode around {first}"),
        };
        self.say(Line::new("explosion", text).at(tile_at(*first)));
    }

    fn say(&mut self, line: Line) {
        if self.lines.len() < MOST_LINES {
            self.lines.push(line);
        }
    }

    /// Land that was taken is summed up after everything else.
    fn finish(mut self) -> Vec<Line> {
        for ((player, before), tiles) in std::mem::take(&mut self.taken) {
            let what = match tiles.as_slice() {
                [tile] => tile.to_string(),
                tiles => format!("{} tiles", tiles.len()),
            };
            let from =
                if before == 0 { String::new() } else { format!(" from {}", self.name(before)) };
            let text = format!("{} takes {what}{from}", self.name(player));
            let line = Line::new("land", text).by(&[player, before]);
            self.say(match tiles.first() {
                Some(first) => line.at(tile_at(*first)),
                None => line,
            });
        }
        self.lines
    }

    fn tile(&self, tile: Coord) -> Option<TileState> {
        self.seen.state.tile(tile)
    }

    fn owner(&self, tile: Coord, known: &TileState) -> u8 {
        self.owners.get(&tile).copied().unwrap_or(known.owner)
    }

    fn name(&self, player: u8) -> String {
        let own = self.names.get(&player).cloned();
        own.unwrap_or_else(|| match player {
            0 => "Somebody".to_owned(),
            _ => capitalised(&self.seen.name(player)),
        })
    }

    fn city(&self, city: u8) -> String {
        self.seen.city_name(city)
    }
}

/// `a wall`
fn with_article(word: &str) -> String {
    let vowel = word.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {word}", if vowel { "an" } else { "a" })
}

/// `player 3` at the beginning of a sentence; names stay as they are.
fn capitalised(text: &str) -> String {
    let known = ["player ", "a ", "an "].iter().any(|start| text.starts_with(start));
    match text.split_at_checked(1) {
        Some((first, rest)) if known => first.to_ascii_uppercase() + rest,
        _ => text.to_owned(),
    }
}
