//! Recording a match: everything that `spec/tape-contents.md` has a place for.

use std::io::Cursor;
use std::time::Duration;

use gametape_analysis::{Block, EventWriter};
use gametape_minewars::{EncodedSetup, Setup};
use gametape_replay::minewars::MinewarsView;
use gametape_replay::{
    Durability, GameState, Next, Recorder, RecorderOptions, Recording, Simulation, Source, streams,
};
use gametape_tape::{Front, SimTick};
use gametape_wire::{Error, Result, View, ViewSet};

use crate::config::Config;
use crate::events::NAMES;
use crate::play::{Match, Said, Turn};
use crate::rules::TICK_MS;
use crate::world::Skirmish;

/// Records a match while it is played: orders, talk, reports, what every view is told, keyframes of
/// the simulation and of each view, events.
///
/// [`record_match`] shows how it is used.
#[derive(Debug)]
pub struct MatchRecorder {
    recorder: Recorder,
    /// What each view knows, the spectator first.
    views: Vec<MinewarsView>,
    events: EventWriter,
    last_keyframes: Option<SimTick>,
}

impl MatchRecorder {
    /// Records what stands before the first tick: the match has not begun yet.
    pub fn new(recorder: Recorder, game: &Match) -> Result<Self> {
        let config = game.game().config();
        recorder.simulation_setup(config.to_bytes())?;
        let views: ViewSet = (0..=config.players()).filter_map(View::new).collect();
        record_setups(&recorder, game.setup(), views)?;
        recorder.names(&NAMES)?;
        let views = views.iter().map(|view| MinewarsView::new(game.setup(), view)).collect();
        Ok(Self { recorder, views, events: EventWriter::new(), last_keyframes: None })
    }

    /// How the recording goes is asked here.
    #[must_use]
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Plays a tick and records it, with keyframes before it where they are due.
    pub fn step(&mut self, game: &mut Match) -> Result<Turn> {
        let tick = game.game().tick();
        if self.recorder.keyframe_due(tick) {
            self.keyframes(game)?;
        }
        let turn = game.step()?;
        self.turn(&turn)?;
        Ok(turn)
    }

    /// The keyframes of simulation and views; they are due together.
    fn keyframes(&mut self, game: &Match) -> Result<()> {
        let tick = game.game().tick();
        self.recorder.keyframe(game.game().snapshot())?;
        for (view, state) in (0..).filter_map(View::new).zip(&self.views) {
            self.recorder.view_keyframe(view, state.snapshot(tick))?;
        }
        self.last_keyframes = Some(tick);
        self.events.flush()?.into_iter().try_for_each(|block| record_block(&self.recorder, block))
    }

    fn turn(&mut self, turn: &Turn) -> Result<()> {
        let (recorder, tick) = (&self.recorder, turn.tick);
        for Said { player, payload } in &turn.orders {
            recorder.order(tick, *player, payload)?;
        }
        for Said { player, payload } in &turn.talk {
            recorder.talk(tick, *player, payload)?;
        }
        for Said { player, payload } in &turn.reports {
            recorder.reported(tick, *player, payload)?;
        }
        let parts = turn.parts();
        if !parts.is_empty() {
            recorder.frame(tick, &parts)?;
        }
        for (view, payload) in parts {
            self.views[usize::from(view.number())].apply(tick, payload)?;
        }
        turn.events.iter().try_for_each(|event| self.events.push(event))?;
        self.events.take().into_iter().try_for_each(|block| record_block(recorder, block))?;
        recorder.end_tick(tick);
        Ok(())
    }

    /// Records keyframes at the end. What is left to do is closing metadata, and to close.
    pub fn finish(mut self, game: &Match) -> Result<Recorder> {
        if self.last_keyframes != Some(game.game().tick()) {
            self.keyframes(game)?;
        }
        Ok(self.recorder)
    }
}

/// Plays a match as fast as possible until it is over or `last_tick` is reached, and gives its tape.
///
/// `metadata` is what `spec/tape-contents.md`, section 2, has a place for; `id` tells tapes apart.
///
/// ```
/// use gametape_skirmish::{Config, Match, Style, record_match};
/// use gametape_tape::Tape;
/// use gametape_wire::Generation;
///
/// let mut game = Match::new(Config::new(2, 6, 1), &[Style::Careful], Generation::Current)?;
/// let about = br#"{"content":"skirmish","generation":"current"}"#;
/// let tape = record_match(&mut game, about, 1, 100)?;
/// assert_eq!(Tape::open(&tape)?.summary.end_tick, 100);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
pub fn record_match(
    game: &mut Match,
    metadata: &[u8],
    id: u32,
    last_tick: SimTick,
) -> Result<Vec<u8>> {
    let front = Front::new(TICK_MS * 1000, id)?;
    let sink = Cursor::new(Vec::new());
    let (recorder, mut pump) = Recorder::with_pump(sink, front, metadata, &full_speed())?;
    let mut recorder = MatchRecorder::new(recorder, game)?;
    while !game.is_over() && game.game().tick() < last_tick {
        let turn = recorder.step(game)?;
        pump.step(game_time(turn.tick));
    }
    let closing = recorder.finish(game)?.close();
    while pump.step(game_time(game.game().tick())) != Next::Done {}
    let report = closing.wait();
    match report.counters.failure {
        Some(failure) => Err(failure),
        None => Ok(pump.into_sink().into_inner()),
    }
}

/// What the match of a tape was started from; none where that is not in the tape.
pub fn recorded_config<S: Source>(recording: &mut Recording<S>) -> Result<Option<Config>> {
    let setup = recording.setup(streams::SETUP_OF_SIMULATION)?;
    setup.map(|setup| Config::from_bytes(&setup)).transpose()
}

/// The match of a tape before its first tick. Refused where the tape does not say what that is.
pub fn recorded_game<S: Source>(recording: &mut Recording<S>) -> Result<Skirmish> {
    let missing =
        || Error::misuse("setup", "the tape does not say what the simulation starts from");
    Skirmish::new(recorded_config(recording)?.ok_or_else(missing)?)
}

/// So much of a match stands together when it is played at full speed.
const WRITTEN_TOGETHER: Duration = Duration::from_secs(10);

/// How to record a match that is played as fast as possible, with a pump that is stepped by
/// [`game_time`].
///
/// Seconds of the match pass in no time then, so more of them can stand together, which is smaller;
/// and because no other clock counts, the same match becomes the same tape.
#[must_use]
pub fn full_speed() -> RecorderOptions {
    let durability =
        Durability { written_within: 2 * WRITTEN_TOGETHER, synced_within: Duration::MAX };
    RecorderOptions { durability, ..RecorderOptions::default() }
}

/// How long after the start a tick begins.
#[must_use]
pub fn game_time(tick: SimTick) -> Duration {
    Duration::from_millis(tick.saturating_mul(TICK_MS.into()))
}

/// Records what views start from. The items of the map are for the spectator alone: whoever has a
/// player's part of the tape must not find the mines in it.
pub fn record_setups(recorder: &Recorder, setup: &Setup, views: ViewSet) -> Result<()> {
    let encoded = |setup: &Setup| setup.encode(true).map(EncodedSetup::into_bytes);
    let spectator = ViewSet::EMPTY.with(View::SPECTATOR);
    recorder.setup(spectator, encoded(setup)?)?;
    let mut shown = setup.clone();
    shown.map.remove_items()?;
    recorder.setup(views.without(spectator), encoded(&shown)?)
}

fn record_block(recorder: &Recorder, block: Block) -> Result<()> {
    let Block { stream, first_tick, last_tick, count, bytes } = block;
    recorder.events(stream.number(), first_tick, last_tick, count, bytes)
}
