//! Skirmish as a game that tools know.

use gametape_minewars::Generation;
use gametape_replay::games::{AnonymousSetup, GamelogExport, KnownGame, SimulatedState};
use gametape_replay::{DeepLevel, DeepVerification, Playback, PlayerOptions, Recording, Source};
use gametape_wire::{Error, Moment, Result, Tick, When};

use crate::config::Config;
use crate::gamelog::{GamelogWriter, gamelog, object, quoted};
use crate::recording::recorded_game;

/// The `content` of tapes of Skirmish.
pub const CONTENT: &str = "skirmish";

/// The name of the game.
pub const TITLE: &str = "Skirmish";

/// Skirmish in a list of known games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SkirmishGame;

/// Skirmish for those who only watch: it is recognised and never simulated, so a program that has nothing else of it
/// does not contain its rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct WatchedSkirmish;

impl KnownGame for WatchedSkirmish {
    fn content(&self) -> &'static str {
        CONTENT
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn frames(&self) -> &'static str {
        FRAMES
    }
}

/// The `content` of tapes with the same frames.
const FRAMES: &str = "minewars";

/// Metadata of a tape of Skirmish: what it holds, in which generation of messages, and who plays.
#[must_use]
pub fn metadata(config: &Config, generation: Generation) -> Vec<u8> {
    let player =
        |(view, name): (u8, &String)| object(&[("view", view.to_string()), ("name", quoted(name))]);
    let players: Vec<String> = (1..).zip(&config.names).map(player).collect();
    let fields = [
        ("content", quoted(CONTENT)),
        ("game", quoted(TITLE)),
        ("generation", quoted(generation.name())),
        ("players", format!("[{}]", players.join(","))),
    ];
    object(&fields).into_bytes()
}

impl KnownGame for SkirmishGame {
    fn content(&self) -> &'static str {
        CONTENT
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn frames(&self) -> &'static str {
        FRAMES
    }

    fn resimulate(
        &self,
        tape: &mut dyn Source,
        options: PlayerOptions,
    ) -> Result<DeepVerification> {
        let mut recording = Recording::open(tape)?;
        let game = recorded_game(&mut recording)?;
        Playback::simulation(recording, game, options)?.verify(DeepLevel::Simulation)
    }

    fn simulated_state(&self, tape: &mut dyn Source, at: When) -> Result<SimulatedState> {
        let mut recording = Recording::open(tape)?;
        let game = recorded_game(&mut recording)?;
        let session = recording.field("title").unwrap_or_default();
        let moment = moment_of(&recording, at)?;
        let mut playing = Playback::simulation(recording, game, PlayerOptions::default())?;
        playing.seek(moment)?;
        let hash = playing.snapshot().state_hash();
        let gamelog = GamelogWriter::new(playing.track().simulation(), &session).finish();
        Ok(SimulatedState::new(moment, gamelog, hash, playing.findings().to_vec()))
    }

    fn gamelog(&self, tape: &mut dyn Source) -> Result<GamelogExport> {
        let made = gamelog(Recording::open(tape)?)?;
        Ok(GamelogExport::new(made.json, made.findings))
    }

    /// Names play no part in a match, so it stays the same.
    fn anonymous_setup(
        &self,
        setup: &[u8],
        pseudonym: &dyn Fn(u8) -> String,
    ) -> Result<AnonymousSetup> {
        let mut config = Config::from_bytes(setup)?;
        let renamed = (1..=config.players()).map(pseudonym).collect();
        let names = std::mem::replace(&mut config.names, renamed);
        Ok(AnonymousSetup::new(config.to_bytes(), names))
    }
}

/// The moment of a tape; a turn of the match is a tick, as its gamelog counts turns.
fn moment_of<S: Source>(recording: &Recording<S>, at: When) -> Result<Moment> {
    let tape = recording.tape();
    let end = Moment::before(tape.summary.end_tick);
    let length = tape.header.tick_length;
    let turn = match at {
        When::Turn(turn) => {
            u64::try_from(turn).ok().map(|turn| Moment::before(Tick(turn)).min(end))
        }
        _ => None,
    };
    turn.or_else(|| at.moment(length, end))
        .ok_or_else(|| Error::misuse("time", "turns are counted from 0"))
}
