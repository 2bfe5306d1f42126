//! From a gamelog to a tape and back.

use std::borrow::Cow;

use gametape_cadre::{Log, Markers, Options, Outcome, PlayerResult};
use gametape_tape::{ChunkKind, TapeFrames, TapeHeader, TapeWriter};
use gametape_wire::{Error, ErrorKind, Limit, Place, Result, Tick, View, ViewSet};

use super::TICK_LENGTH;
use super::state::CadreGame;
use crate::convert::{ConvertOptions, RECORDER, ViewKeyframes, metadata_json, small_metadata};
use crate::game::GameState;
use crate::rewrite::Put;
use crate::source::{Recording, concerns};
use gametape_wire::Source;
use serde::Serialize;

const SPECTATOR: ViewSet = ViewSet::EMPTY.with(View::SPECTATOR);

/// A gamelog as a tape: its fields and every delta byte for byte, and keyframes to enter it at.
///
/// ```
/// use gametape_cadre::{Log, Options, sample};
/// use gametape_replay::{ConvertOptions, Recording, cadre};
///
/// let log = Log::open(sample::log(200, 1), &Options::default())?;
/// let tape = cadre::to_tape(&log, &ConvertOptions::new(1))?;
/// let mut recording = Recording::open(&tape[..])?;
/// assert_eq!(recording.tape().summary.end_tick, 200);
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
    let header = TapeHeader::new(TICK_LENGTH, options.tape_id);
    let mut writer = TapeWriter::new(header, &metadata(log)?)?;
    let (before, after) = log.around_deltas();
    writer.setup(0, ViewSet::ALL, &[before, after].concat())?;
    let mut game = CadreGame::new(log.markers().clone())?;
    let mut keyframes = ViewKeyframes::new([View::SPECTATOR].into_iter(), options);
    keyframes.write(&mut writer, |_| game.snapshot(Tick(0)))?;
    for (tick, delta) in (0..).zip(log.deltas()) {
        if keyframes.pace.is_due() {
            keyframes.write(&mut writer, |_| game.snapshot(Tick(tick)))?;
        }
        let text = delta.raw().as_bytes();
        writer.frame_for_all(0, tick, SPECTATOR, text)?;
        keyframes.pace.note(text.len());
        // A delta that cannot be merged changes nothing, here as when the tape is played.
        let _ = game.apply(Tick(tick), text);
        put(&writer.take())?;
    }
    if let Some(closing) = closing(&Outcome::of(game.state(), log.header()))? {
        writer.closing_metadata(&closing)?;
    }
    writer.flush()?;
    put(&writer.take())?;
    put(&writer.finish()?)
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
    Log::open(json, options)
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
    let problem = "the deltas of a setup stand in frames".into();
    Err(Error::new(Place::Nowhere, "setup", ErrorKind::BadSyntax { problem }))
}
