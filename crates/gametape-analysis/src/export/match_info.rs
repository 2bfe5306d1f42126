//! What rows, lines and tables say about the match that an event is from.

use std::collections::BTreeMap;
use std::fmt;

use gametape_tape::{ChunkKind, NameTable, PlayerId, Tape};
use gametape_wire::{Arrange, Tick, TickLength, Time};
use sha2::{Digest, Sha256};

use crate::event::table::AnalysisEvent;
use crate::export::column::{Column, Names, RowSink, Value};
use crate::export::schema::Table;

/// Names a match, whatever tape it is in: packing and signing keep it.
///
/// Normative text: `spec/events.md`, section 4.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatchId([u8; 16]);

impl MatchId {
    /// The id of the match in a tape. No chunk is read: the index has all that is needed.
    #[must_use]
    pub fn of(tape: &Tape) -> Self {
        let mut headers: Vec<_> =
            tape.chunks.iter().map(|entry| &entry.header).filter(|h| is_content(h.kind)).collect();
        headers.arrange_by_key(|header| header.sequence);
        let mut hash = Sha256::new();
        hash.update(b"gametape match 1");
        hash.update(tape.header.to_bytes());
        hash.update(tape.metadata.as_bytes());
        headers.iter().for_each(|header| hash.update(header.to_bytes()));
        let digest: [u8; 32] = hash.finalize().into();
        Self(digest.first_chunk().copied().unwrap_or_default())
    }
}

/// What the match was made of.
fn is_content(kind: ChunkKind) -> bool {
    [ChunkKind::SETUP, ChunkKind::ORDERS, ChunkKind::FRAMES].contains(&kind)
}

impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&gametape_wire::text::hex(&self.0))
    }
}

impl fmt::Debug for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MatchId({self})")
    }
}

/// What is known about a match besides its events.
///
/// ```
/// use gametape_analysis::MatchInfo;
/// use gametape_wire::{Tick, TickLength};
///
/// let ticks = TickLength::from_micros(50_000).unwrap();
/// let mut info = MatchInfo::new(ticks, ["tank", "timeout"]);
/// info.players.insert(2, "Ben".to_owned());
/// assert_eq!(info.player(2), Some("Ben"));
/// assert_eq!(info.time(Tick(4352)).to_string(), "3:37.6");
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MatchInfo<N = NameTable> {
    /// The match; empty where it is not known.
    pub id: String,
    /// Where it is from, in the words of the caller: most often a file.
    pub source: String,
    /// How long a tick is.
    pub tick_length: TickLength,
    /// The names of the players.
    pub players: BTreeMap<PlayerId, String>,
    /// The names that the name ids in events mean.
    pub names: N,
}

impl MatchInfo {
    /// What a tape says about its match.
    #[must_use]
    pub fn of(tape: &Tape, source: impl Into<String>, names: NameTable) -> Self {
        Self {
            id: MatchId::of(tape).to_string(),
            source: source.into(),
            tick_length: tape.header.tick_length,
            players: players_of(tape),
            names,
        }
    }
}

impl<N: Names> MatchInfo<N> {
    /// A match of which nothing else is known.
    #[must_use]
    pub fn new(tick_length: TickLength, names: N) -> Self {
        let (id, source, players) = (String::new(), String::new(), BTreeMap::new());
        Self { id, source, tick_length, players, names }
    }

    /// The name of a player.
    #[must_use]
    pub fn player(&self, number: PlayerId) -> Option<&str> {
        self.players.get(&number).map(String::as_str)
    }

    /// When a tick begins.
    #[must_use]
    pub fn time(&self, tick: Tick) -> Time {
        self.tick_length.time_of(tick)
    }

    /// Gives the value of each column that exports have for the kind of an event.
    pub fn values(&self, event: &AnalysisEvent, row: &mut impl RowSink) {
        row.value(Value::Text(&self.id));
        row.value(Value::Text(&self.source));
        row.value(Value::Signed(i64::try_from(event.tick().0).unwrap_or(i64::MAX)));
        row.value(Value::Float(self.time(event.tick()).seconds()));
        let mut columns = Table::own_columns(event.kind()).iter();
        columns.next();
        let mut first = true;
        let mut put = |value: Value<'_>| {
            // The tick is there already.
            if std::mem::take(&mut first) {
                return;
            }
            row.value(value);
            if columns.next().is_some_and(Column::is_player) {
                row.value(self.named(value));
            }
        };
        event.values(&self.names, &mut Each(&mut put));
    }

    /// The name of the player that a value is the number of.
    fn named(&self, value: Value<'_>) -> Value<'_> {
        let number = match value {
            Value::Unsigned(number) => PlayerId::try_from(number).ok(),
            _ => None,
        };
        number.and_then(|number| self.player(number)).map_or(Value::Null, Value::Text)
    }
}

/// Hands every value to a function.
struct Each<'f, F>(&'f mut F);

impl<F: FnMut(Value<'_>)> RowSink for Each<'_, F> {
    fn value(&mut self, value: Value<'_>) {
        (self.0)(value);
    }
}

/// The names of players as the metadata has them; that of the end counts where both have them.
fn players_of(tape: &Tape) -> BTreeMap<PlayerId, String> {
    let metadata = [tape.closing.as_deref(), Some(tape.metadata.as_str())];
    let listed = |json: &str| {
        let value: serde_json::Value = serde_json::from_str(json).ok()?;
        value.get("players")?.as_array().cloned()
    };
    let rows = metadata.into_iter().flatten().find_map(listed).unwrap_or_default();
    let player = |row: &serde_json::Value| {
        let number = PlayerId::try_from(row.get("view")?.as_u64()?).ok()?;
        Some((number, row.get("name")?.as_str()?.to_owned()))
    };
    rows.iter().filter_map(player).collect()
}
