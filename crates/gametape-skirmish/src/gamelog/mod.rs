//! A match as a Cadre gamelog; normative text: `spec/skirmish.md`, section 13.

mod facts;
mod json;
mod orders;

use std::collections::BTreeMap;

use gametape_cadre::limits::{DELTAS, LOG_BYTES};
use gametape_replay::text::epoch_of;
use gametape_replay::{Order, Playback, PlayerOptions, Recording, Source, streams};
use gametape_tape::{ChunkKind, TapeFrames, UnitTag};
use gametape_wire::{self as wire, Finding, Result, View};

use crate::config::Config;
use crate::recording::recorded_game;
use crate::world::{Moment, Skirmish};
use facts::{Field, Ids, PlayerFacts, RootFacts, TileFacts, UnitFacts};
use json::{LENGTH, changed_list, list, reference};
pub(crate) use json::{object, quoted};

/// A gamelog that was made of a tape.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gamelog {
    /// The whole file, plain JSON.
    pub json: Vec<u8>,
    /// What was wrong on the way: lost orders, keyframes that differ. The gamelog follows the
    /// keyframes then.
    pub findings: Vec<Finding>,
}

/// Runs the match of a tape again, and writes it as a gamelog.
///
/// Refused where the tape does not say what the simulation starts from.
pub fn gamelog<S: Source>(mut recording: Recording<S>) -> Result<Gamelog> {
    let game = recorded_game(&mut recording)?;
    let session = recording.field("title").unwrap_or_default();
    let epoch = recording.field("recorded").and_then(|time| epoch_of(&time));
    let orders = orders_of(&mut recording)?;
    let first = recording.tape().summary.first_tick;
    let mut playing = Playback::simulation(recording, game, PlayerOptions::default())?;
    playing.seek(wire::Moment::before(first))?;
    let mut writer = GamelogWriter::new(playing.track().simulation(), &session);
    writer.set_epoch(epoch);
    while playing.position() < playing.end() && playing.track().simulation().outcome().is_none() {
        let tick = playing.position().next_tick();
        let given: Vec<Order<'_>> = orders
            .get(&tick.0)
            .into_iter()
            .flatten()
            .map(|(player, payload)| Order::new(*player, payload))
            .collect();
        playing.seek(tick)?;
        writer.tick(playing.track().simulation(), &given)?;
    }
    let json = writer.finish();
    Ok(Gamelog { json, findings: playing.findings().to_vec() })
}

type Orders = BTreeMap<u64, Vec<(View, Vec<u8>)>>;

/// The orders of a tape that are not damaged; those that are become findings when they are played.
fn orders_of<S: Source>(recording: &mut Recording<S>) -> Result<Orders> {
    let mut orders = Orders::new();
    for entry in recording.entries(ChunkKind::ORDERS, streams::ORDERS) {
        let Ok(raw) = recording.raw_or_damage(&entry)? else { continue };
        for frame in TapeFrames::new(&entry.header, &raw).map_while(Result::ok) {
            for part in frame.parts() {
                let given = part.views.iter().map(|player| (player, part.payload.to_vec()));
                orders.entry(frame.tick.0).or_default().extend(given);
            }
        }
    }
    Ok(orders)
}

/// Writes a match as a gamelog while it is played.
///
/// ```
/// use gametape_cadre::{Log, Options, Timeline};
/// use gametape_replay::Simulation;
/// use gametape_skirmish::{Config, GamelogWriter, Skirmish};
///
/// let mut game = Skirmish::new(Config::new(2, 6, 1))?;
/// let mut writer = GamelogWriter::new(&game, "first match");
/// for _ in 0..20 {
///     game.step(&[])?;
///     writer.tick(&game, &[])?;
/// }
/// let options = Options::default();
/// let timeline = Timeline::load(Log::open(writer.finish(), &options)?, &options)?;
/// assert_eq!(timeline.state().get("currentTurn").unwrap().as_i64(), Some(20));
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct GamelogWriter {
    json: Vec<u8>,
    deltas: u64,
    ids: Ids,
    /// The marker of something that is gone.
    removed: String,
    root: RootFacts,
    players: Vec<PlayerFacts>,
    tiles: Vec<TileFacts>,
    units: BTreeMap<UnitTag, UnitFacts>,
    config: Config,
    session: String,
    /// When the match was recorded, in milliseconds since 1970.
    epoch: Option<i64>,
}

impl GamelogWriter {
    /// Begins with the whole state.
    #[must_use]
    pub fn new(game: &Skirmish, session: &str) -> Self {
        let ids = Ids::new(game);
        let config = game.config.clone();
        let mut texts: Vec<&str> = config.names.iter().map(String::as_str).collect();
        texts.push(session);
        let mut writer = Self {
            json: Vec::new(),
            deltas: 1,
            removed: marker(&texts),
            root: RootFacts::of(game),
            players: players(game),
            tiles: tiles(game, &ids),
            units: units(game, &ids),
            ids,
            config,
            session: session.to_owned(),
            epoch: None,
        };
        writer.start();
        writer
    }

    fn start(&mut self) {
        let constants = object(&[
            ("DELTA_REMOVED", quoted(&self.removed)),
            ("DELTA_LIST_LENGTH", quoted(LENGTH)),
        ]);
        let session = quoted(&self.session);
        let head = object(&[
            ("gamelogVersion", quoted("2.2.0")),
            ("gameVersion", quoted("skirmish 1")),
            ("gameName", quoted("Skirmish")),
            ("gameSession", session.clone()),
            ("constants", constants),
            ("deltas", String::new()),
        ]);
        // The deltas follow where their value would be.
        self.json.extend_from_slice(head.trim_end_matches('}').as_bytes());
        self.json.push(b'[');
        let mut root = self.root.fields();
        root.push(("gameObjects", object(&self.objects())));
        root.push(("maxTurns", (u64::from(self.config.time_limit) * 20).to_string()));
        root.push(("name", quoted("Skirmish")));
        root.push(("players", list(self.ids.all_players())));
        root.push(("session", session));
        root.push(("tiles", list(self.tiles.iter().map(TileFacts::id))));
        root.push(("units", list(self.units.keys().map(|tag| Ids::unit(*tag)))));
        let delta = object(&[("type", quoted("start")), ("game", object(&root))]);
        self.json.extend_from_slice(delta.as_bytes());
    }

    /// Every game object as a whole.
    fn objects(&self) -> Vec<(String, String)> {
        let players = self.ids.all_players().zip(self.players.iter().map(PlayerFacts::fields));
        let tiles = self.tiles.iter().map(|tile| (tile.id(), tile.fields()));
        let units = self.units.iter().map(|(tag, unit)| (Ids::unit(*tag), unit.fields()));
        let all = players.chain(tiles).chain(units);
        all.map(|(id, fields)| (id.to_string(), object(&fields))).collect()
    }

    /// Says when the match was recorded, in milliseconds since 1970.
    pub fn set_epoch(&mut self, epoch: Option<i64>) {
        self.epoch = epoch;
    }

    /// A tick was played with these orders, in the order of recording: what came of them, who left,
    /// and what the tick changed.
    pub fn tick(&mut self, game: &Skirmish, orders: &[Order<'_>]) -> Result<()> {
        let refused = self.ran(game, orders)?;
        let mut changes = object(&self.changes(game));
        for player in departed(game) {
            // Who leaves loses by it, so the first such delta has the changes of the tick.
            let data = object(&[("player", reference(Ids::player(player)))]);
            let changes = std::mem::replace(&mut changes, "{}".to_owned());
            self.delta(&[("type", quoted("disconnect")), ("data", data), ("game", changes)])?;
        }
        let order = object(&[
            ("args", "[]".to_owned()),
            ("errors", refused.to_string()),
            ("index", game.tick.saturating_sub(1).to_string()),
            ("name", quoted("tick")),
        ]);
        // A tick is nobody's turn: the first player is named for all.
        let data = object(&[
            ("player", reference(Ids::player(1))),
            ("order", order),
            ("returned", "true".to_owned()),
        ]);
        self.delta(&[("type", quoted("finished")), ("data", data), ("game", changes)])
    }

    /// A delta for every order, as executed; returns how many were refused.
    fn ran(&mut self, game: &Skirmish, orders: &[Order<'_>]) -> Result<usize> {
        let mut executed: Vec<&Order<'_>> = orders.iter().collect();
        executed.sort_by_key(|order| order.player);
        // Where a keyframe replaced what was played, nobody knows the answers.
        let answers = Some(&game.log.answers).filter(|answers| answers.len() == executed.len());
        for (index, order) in executed.into_iter().enumerate() {
            let answer = answers.map(|answers| answers[index]);
            let data = orders::ran(game, &self.ids, order, answer);
            self.delta(&[("type", quoted("ran")), ("data", data), ("game", "{}".to_owned())])?;
        }
        Ok(answers.map_or(0, |answers| answers.iter().filter(|answer| answer.is_err()).count()))
    }

    fn delta(&mut self, fields: &[Field]) -> Result<()> {
        self.deltas += 1;
        let text = object(fields);
        DELTAS.check(self.deltas + 1, 0)?;
        LOG_BYTES.check((self.json.len() + text.len()) as u64 + END_BYTES, 0)?;
        self.json.push(b',');
        self.json.extend_from_slice(text.as_bytes());
        Ok(())
    }

    /// What differs from what was written of the last tick.
    fn changes(&mut self, game: &Skirmish) -> Vec<Field> {
        let mut objects = Vec::new();
        for (id, (old, new)) in (0u32..).zip(self.players.iter_mut().zip(players(game))) {
            if *old != new {
                objects.push((id.to_string(), changed_fields(&old.fields(), new.fields())));
                *old = new;
            }
        }
        for (old, cell) in self.tiles.iter_mut().zip(&game.atlas.ring_order) {
            let new = TileFacts::of(game, &self.ids, *cell);
            if *old != new {
                objects.push((new.id().to_string(), changed_fields(&old.fields(), new.fields())));
                *old = new;
            }
        }
        let root = RootFacts::of(game);
        let mut changes = changed(&self.root.fields(), root.fields());
        self.root = root;
        changes.extend(self.changed_units(game, &mut objects));
        if !objects.is_empty() {
            changes.push(("gameObjects", object(&objects)));
        }
        changes
    }

    /// Notes what changed about units; gives the change of their list.
    fn changed_units(
        &mut self,
        game: &Skirmish,
        objects: &mut Vec<(String, String)>,
    ) -> Option<Field> {
        let new = units(game, &self.ids);
        let old = std::mem::replace(&mut self.units, new);
        for (tag, unit) in &self.units {
            let id = Ids::unit(*tag).to_string();
            match old.get(tag) {
                Some(before) if before == unit => {}
                Some(before) => {
                    objects.push((id, changed_fields(&before.fields(), unit.fields())));
                }
                None => objects.push((id, object(&unit.fields()))),
            }
        }
        for tag in old.keys().filter(|tag| !self.units.contains_key(*tag)) {
            objects.push((Ids::unit(*tag).to_string(), quoted(&self.removed)));
        }
        let [old, new] = [&old, &self.units]
            .map(|units| units.keys().map(|tag| Ids::unit(*tag)).collect::<Vec<_>>());
        (old != new).then(|| ("units", changed_list(&old, &new)))
    }

    /// Ends the gamelog: the whole file.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        let over = object(&[("type", quoted("over")), ("game", "{}".to_owned())]);
        let settings = object(&[
            ("randomSeed", quoted(&self.config.seed.to_string())),
            ("grid", quoted(self.config.grid.name())),
            ("radius", self.config.radius.to_string()),
            ("timeLimit", self.config.time_limit.to_string()),
        ]);
        let (winners, losers) = (self.clients(true), self.clients(false));
        let mut end = format!(",{over}]");
        if let Some(epoch) = self.epoch {
            end.push_str(&format!(",\"epoch\":{epoch}"));
        }
        let rest = format!(",\"losers\":{losers},\"winners\":{winners},\"settings\":{settings}}}");
        end.push_str(&rest);
        self.json.extend_from_slice(end.as_bytes());
        self.json
    }

    /// Those who won, or those who lost, as an array.
    fn clients(&self, winners: bool) -> String {
        let of_side = self.players.iter().enumerate().filter(|(_, player)| {
            let (won, lost, _) = player.result();
            if winners { won } else { lost }
        });
        let client = |(index, player): (usize, &PlayerFacts)| {
            object(&[
                ("index", index.to_string()),
                ("id", quoted(&index.to_string())),
                ("name", quoted(player.name())),
                ("reason", quoted(player.result().2)),
                ("disconnected", player.is_disconnected().to_string()),
                ("timedOut", "false".to_owned()),
            ])
        };
        format!("[{}]", of_side.map(client).collect::<Vec<_>>().join(","))
    }
}

/// The players who left or were kicked in the last tick.
fn departed(game: &Skirmish) -> impl Iterator<Item = u8> {
    game.log.moments.iter().filter_map(|moment| match *moment {
        Moment::Left { player } | Moment::Kicked { player } => Some(player),
        _ => None,
    })
}

/// Room for what is after the deltas.
const END_BYTES: u64 = 1 << 16;

/// The default marker, or one like it that no text of the match is.
fn marker(texts: &[&str]) -> String {
    let mut marker = "&RM".to_owned();
    while texts.contains(&marker.as_str()) {
        marker.push('&');
    }
    marker
}

fn players(game: &Skirmish) -> Vec<PlayerFacts> {
    (1..=game.config.players()).map(|number| PlayerFacts::of(game, number)).collect()
}

fn tiles(game: &Skirmish, ids: &Ids) -> Vec<TileFacts> {
    game.atlas.ring_order.iter().map(|cell| TileFacts::of(game, ids, *cell)).collect()
}

fn units(game: &Skirmish, ids: &Ids) -> BTreeMap<UnitTag, UnitFacts> {
    let units = game.units.iter();
    units.map(|(tag, unit)| (tag, UnitFacts::of(game, ids, tag, unit))).collect()
}

/// The fields of `new` that are not the same in `old`.
fn changed(old: &[Field], new: Vec<Field>) -> Vec<Field> {
    new.into_iter().filter(|field| !old.contains(field)).collect()
}

fn changed_fields(old: &[Field], new: Vec<Field>) -> String {
    object(&changed(old, new))
}

#[cfg(test)]
mod tests;
