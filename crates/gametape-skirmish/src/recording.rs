//! Recording a match: everything that `spec/tape-contents.md` has a place for.

use std::io::Cursor;
use std::time::Duration;

use gametape_analysis::{Block, EventWriter};
use gametape_minewars::Setup;
use gametape_replay::minewars::MinewarsView;
use gametape_replay::{
    Durability, GameState, Next, Recorder, RecorderOptions, Simulation, streams,
};
use gametape_tape::{Front, SimTick};
use gametape_wire::{Error, Result, View, ViewSet};

use crate::events::NAMES;
use crate::play::{Match, Said, Turn};
use crate::rules::TICK_MICROS;

/// Records a match while it is played: orders, talk, reports, what every view is told, keyframes of
/// the simulation and of each view, events.
///
/// ```
/// use std::io::Cursor;
/// use gametape_replay::{Next, Recorder, RecorderOptions};
/// use gametape_skirmish::{Config, Match, MatchRecorder, Style, TICK_MICROS};
/// use gametape_tape::{Front, Tape};
/// use gametape_wire::Generation;
/// use std::time::Duration;
///
/// let mut game = Match::new(Config::new(2, 6, 1), &[Style::Careful], Generation::Current)?;
/// let about = br#"{"content":"skirmish","generation":"current"}"#;
/// let front = Front::new(TICK_MICROS, 1)?;
/// let (recorder, mut pump) =
///     Recorder::with_pump(Cursor::new(Vec::new()), front, about, &RecorderOptions::default())?;
/// let mut recorder = MatchRecorder::new(recorder, &game)?;
/// for _ in 0..100 {
///     recorder.step(&mut game)?;
/// }
/// let closing = recorder.finish(&game)?.close();
/// while pump.step(Duration::ZERO) != Next::Done {}
/// assert!(closing.wait().is_finished);
/// assert_eq!(Tape::open(pump.into_sink().get_ref())?.summary.end_tick, 100);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct MatchRecorder {
    recorder: Recorder,
    /// What each view knows, the spectator first.
    views: Vec<MinewarsView>,
    events: EventWriter,
    last_keyframes: Option<SimTick>,
}

impl MatchRecorder {
    /// Records what stands before the first tick. The match has not begun yet, and its ticks are
    /// [`TICK_MICROS`] long.
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

/// The items of the map are for the spectator alone.
fn record_setups(recorder: &Recorder, setup: &Setup, views: ViewSet) -> Result<()> {
    let encoded = |setup: &Setup| -> Result<Vec<u8>> {
        let encoded = setup.encode(true)?;
        Ok([encoded.header, encoded.data].concat())
    };
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
