//! From a gamelog to a tape and back.

use std::borrow::Cow;

use gametape_cadre::{Ending, Header, Log, Markers, Options, Outcome, PlayerResult, Raw};
use gametape_tape::{ChunkKind, Resource, TapeFrames, TapeHeader, TapeWriter};
use gametape_wire::{Error, ErrorKind, Limit, Place, Result, Tick, View, ViewSet};

use super::TICK_LENGTH;
use super::state::CadreGame;
use crate::convert::{ConvertOptions, RECORDER, ViewKeyframes, metadata_json, small_metadata};
use crate::game::GameState;
use crate::rewrite::Put;
use crate::source::{Recording, concerns};
use gametape_wire::Source;
use serde::Serialize;

/// The resource with the fields of a gamelog that were not known when its tape began.
const END: &str = "gamelog/end";
/// These fields.
const END_FIELDS: [&str; 3] = ["epoch", "losers", "winners"];

const SPECTATOR: ViewSet = ViewSet::EMPTY.with(View::SPECTATOR);

/// A gamelog as a tape: its fields and every delta byte for byte, and keyframes to enter it at.
///
/// ```
/// use gametape_cadre::{Log, Options, sample};
/// use gametape_replay::{ConvertOptions, Recording, cadre};
/// use gametape_wire::Tick;
///
/// let log = Log::open(sample::log(200, 1), &Options::default())?;
/// let tape = cadre::to_tape(&log, &ConvertOptions::new(1))?;
/// let mut recording = Recording::open(&tape[..])?;
/// assert_eq!(recording.tape().summary.end_tick, Tick(200));
/// let back = cadre::from_tape(&mut recording, &Options::default())?;
/// assert_eq!(back.to_json(), log.to_json());
/// # Ok::<(), gametape_wire::Error>(())
/// ```
pub fn to_tape(log: &Log, options: &ConvertOptions) -> Result<Vec<u8>> {
    let mut tape = Vec::new();
    write_tape(log, options, &mut |bytes| {
        tape.extend_from_slice(bytes);
        Ok(())
    })?;
    Ok(tape)
}

/// Writes a gamelog as a tape, piece by piece.
pub fn write_tape(log: &Log, options: &ConvertOptions, put: &mut Put<'_>) -> Result<()> {
    let mut tape = GrowingTape::new(log, options)?;
    for delta in log.deltas() {
        let text = delta.raw().as_bytes();
        tape.before_delta()?;
        // A delta that cannot be merged changes nothing, here as when the tape is played.
        let _ = tape.game.apply(Tick(tape.tick), text);
        tape.put_delta(text)?;
        put(&tape.writer.take())?;
    }
    put(&tape.end(log.header())?)
}

/// A game that is watched, as a tape that grows with it.
///
/// What is known only at the end is a resource of the tape, so that [`from_tape`] gives the gamelog that the stream
/// becomes.
///
/// ```
/// use gametape_cadre::{Log, Markers, Options};
/// use gametape_replay::{ConvertOptions, Recording, cadre};
///
/// let log = Log::new(Markers::default(), &Options::default());
/// let mut growing = cadre::GrowingTape::new(&log, &ConvertOptions::new(1))?;
/// growing.delta(br#"{"type":"start","game":{"x":1}}"#)?;
/// let mut tape = growing.take()?;
/// tape.extend(growing.finish(&log, &gametape_cadre::Ending::default())?);
/// let back = cadre::from_tape(&mut Recording::open(&tape[..])?, &Options::default())?;
/// assert_eq!(back.len(), 1);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct GrowingTape {
    writer: TapeWriter,
    game: CadreGame,
    keyframes: ViewKeyframes,
    tick: u64,
}

impl GrowingTape {
    /// The tape of a game that begins with this log; of deltas in it nothing is taken.
    pub fn new(log: &Log, options: &ConvertOptions) -> Result<Self> {
        let header = TapeHeader::new(TICK_LENGTH, options.tape_id);
        let mut writer = TapeWriter::new(header, &metadata(log)?)?;
        let (before, after) = log.around_deltas();
        writer.setup(0, ViewSet::ALL, &[before, after].concat())?;
        let game = CadreGame::new(log.markers().clone())?;
        let mut keyframes = ViewKeyframes::new([View::SPECTATOR].into_iter(), options);
        keyframes.write(&mut writer, |_| game.snapshot(Tick(0)))?;
        Ok(Self { writer, game, keyframes, tick: 0 })
    }

    /// Takes the next delta. One that cannot be merged is refused, and is not in the tape.
    pub fn delta(&mut self, text: &[u8]) -> Result<()> {
        self.before_delta()?;
        self.game.apply(Tick(self.tick), text)?;
        self.put_delta(text)
    }

    /// How many ticks it has: one for each delta.
    #[must_use]
    pub fn ticks(&self) -> u64 {
        self.tick
    }

    fn before_delta(&mut self) -> Result<()> {
        if self.keyframes.pace.is_due() {
            let Self { writer, game, keyframes, tick } = self;
            keyframes.write(writer, |_| game.snapshot(Tick(*tick)))?;
        }
        Ok(())
    }

    fn put_delta(&mut self, text: &[u8]) -> Result<()> {
        self.writer.frame_for_all(0, Tick(self.tick), SPECTATOR, text)?;
        self.keyframes.pace.note(text.len());
        self.tick += 1;
        Ok(())
    }

    /// The bytes that follow those of the last call, with everything that was given.
    pub fn take(&mut self) -> Result<Vec<u8>> {
        self.writer.flush()?;
        Ok(self.writer.take())
    }

    /// The last bytes of the tape of a game that began with this log and ended so.
    pub fn finish(mut self, log: &Log, ending: &Ending) -> Result<Vec<u8>> {
        self.writer.flush()?;
        let outcome = Outcome::of(self.game.state(), log.header());
        let fields = ending.fields(&outcome);
        let fields: Vec<String> =
            fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        let end = format!("{{{}}}", fields.join(","));
        self.writer.resource(END, SPECTATOR, end.as_bytes())?;
        self.end(log.header())
    }

    fn end(mut self, header: Header<'_>) -> Result<Vec<u8>> {
        if let Some(closing) = closing(&Outcome::of(self.game.state(), header))? {
            self.writer.closing_metadata(&closing)?;
        }
        self.writer.flush()?;
        let mut last = self.writer.take();
        last.extend(self.writer.finish()?);
        Ok(last)
    }
}

#[derive(Serialize)]
struct Closing<'a> {
    players: Vec<PlayerRow<'a>>,
    outcome: String,
}

#[derive(Serialize)]
struct PlayerRow<'a> {
    player: usize,
    name: &'a str,
}

/// Who played, and who won, by the last state; nothing where it has no players.
fn closing(outcome: &Outcome) -> Result<Option<Vec<u8>>> {
    if outcome.players.is_empty() {
        return Ok(None);
    }
    let row = |(index, player)| PlayerRow { player: index, name: name_of(player) };
    let players = outcome.players.iter().enumerate().map(row).collect();
    small_metadata(&Closing { players, outcome: result(outcome) })
}

fn name_of(player: &PlayerResult) -> &str {
    player.name.as_deref().unwrap_or(&player.id)
}

/// `Ana won: Ben resigned`
fn result(outcome: &Outcome) -> String {
    let won = |player: &PlayerResult| {
        let name = name_of(player);
        match &*player.reason_won {
            "" => format!("{name} won"),
            reason => format!("{name} won: {reason}"),
        }
    };
    let winners: Vec<String> = outcome.winners().map(won).collect();
    match &winners[..] {
        _ if outcome.is_draw() => "draw".to_owned(),
        [] => "not decided".to_owned(),
        winners => winners.join("; "),
    }
}

#[derive(Serialize)]
struct Metadata<'a> {
    content: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    game: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<Cow<'a, str>>,
    recorder: &'static str,
}

fn metadata(log: &Log) -> Result<Vec<u8>> {
    let header = log.header();
    // Names that long are in the setup; here they would be too much.
    let short = |text: &Cow<'_, str>| text.len() <= 1000;
    metadata_json(&Metadata {
        content: "gamelog",
        game: header.game_name().filter(short),
        title: header.game_session().filter(short),
        recorder: RECORDER,
    })
}

/// The gamelog that a tape holds. Refused where deltas are missing.
pub fn from_tape<S: Source>(recording: &mut Recording<S>, options: &Options) -> Result<Log> {
    if let Some(gap) = recording.gaps().iter().find(|gap| concerns(gap, ChunkKind::FRAMES)) {
        let problem = format!("deltas are missing at tick {} or later", gap.first_tick);
        let kind = ErrorKind::BadSyntax { problem: problem.into() };
        return Err(Error::new(Place::Nowhere, "gamelog", kind));
    }
    let (mut json, after) = empty_log(recording)?.around_deltas();
    let limit = Limit::new("gamelog size", options.max_bytes);
    let mut first = true;
    for entry in recording.entries(ChunkKind::FRAMES, 0) {
        let raw = recording.raw(&entry)?;
        for frame in TapeFrames::new(&entry.header, &raw) {
            let frame = frame?;
            let Some(delta) = frame.view(View::SPECTATOR) else { continue };
            if !std::mem::replace(&mut first, false) {
                json.push(b',');
            }
            limit.check((json.len() + delta.len()) as u64, entry.offset)?;
            json.extend_from_slice(delta);
        }
    }
    json.extend_from_slice(&after);
    let mut log = Log::open(json, options)?;
    add_end(recording, &mut log)?;
    Ok(log)
}

/// Adds the fields that were known at the end, where the tape has them.
fn add_end<S: Source>(recording: &mut Recording<S>, log: &mut Log) -> Result<()> {
    for entry in recording.entries(ChunkKind::RESOURCE, 0) {
        recording.chunk(&entry, |chunk| {
            let resource = Resource::read(chunk)?;
            if resource.name() != END {
                return Ok(());
            }
            let end = Raw::parse(resource.content())?;
            let fields = END_FIELDS.iter().filter_map(|name| Some((name, end.get(name)?)));
            fields.into_iter().try_for_each(|(name, value)| log.set_field(name, value.as_bytes()))
        })?;
    }
    Ok(())
}

/// The markers of the deltas in a tape.
pub fn markers_of<S: Source>(recording: &mut Recording<S>) -> Result<Markers> {
    Ok(empty_log(recording)?.markers().clone())
}

/// The log without its deltas.
fn empty_log<S: Source>(recording: &mut Recording<S>) -> Result<Log> {
    let log = Log::open(recording.needed_setup(0)?, &Options::default())?;
    if log.is_empty() {
        return Ok(log);
    }
    let problem = "the deltas of a setup are in frames".into();
    Err(Error::new(Place::Nowhere, "setup", ErrorKind::BadSyntax { problem }))
}
