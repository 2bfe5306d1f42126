//! Recording a match: everything that `spec/tape-contents.md` lists.

use std::io::Cursor;
use std::time::Duration;

use gametape_analysis::{Block, EventWriter};
use gametape_minewars::{EncodedSetup, Setup};
use gametape_replay::minewars::MinewarsView;
use gametape_replay::{
    Durability, EventBlock, GameState, Next, Recorder, RecorderOptions, Recording, Simulation,
    Source, streams,
};
use gametape_tape::{SimSnapshot, TapeHeader};
use gametape_wire::{Error, ErrorKind, Place, Result, Tick, View, ViewSet};

use crate::config::Config;
use crate::events::NAMES;
use crate::play::{Input, Match, Turn};
use crate::rules::{SECOND, TICK_LENGTH};
use crate::world::Skirmish;

/// Records a match while it is played: orders, talk, reports, what every view is reported, keyframes of
/// the simulation and of each view, events.
///
/// [`record_match`] shows how it is used.
#[derive(Debug)]
pub struct MatchRecorder {
    recorder: Recorder,
    /// The spectator first.
    views: Vec<Audience>,
    events: EventWriter,
    /// The first tick whose events may wait in an open block.
    waiting_since: Tick,
    last_keyframe: Option<Tick>,
}

impl MatchRecorder {
    /// Records what comes before the first tick: the match has not begun yet.
    pub fn new(recorder: Recorder, game: &Match) -> Result<Self> {
        let config = game.game().config();
        recorder.simulation_setup(config.to_bytes())?;
        let views: ViewSet = (0..=config.players()).filter_map(View::new).collect();
        record_setups(&recorder, game.setup(), views)?;
        recorder.names(&NAMES)?;
        let views = views.iter().map(|view| Audience::new(game.setup(), view)).collect();
        Ok(Self {
            recorder,
            views,
            events: EventWriter::new(),
            waiting_since: Tick::ZERO,
            last_keyframe: None,
        })
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
            self.keyframes(game, false)?;
        }
        let turn = game.step()?;
        self.turn(&turn)?;
        Ok(turn)
    }

    /// A keyframe of the simulation, and of the views that are to have one: at the end all of them.
    fn keyframes(&mut self, game: &Match, is_end: bool) -> Result<()> {
        let tick = game.game().tick();
        let missing = missing(&self.recorder);
        self.recorder.keyframe(game.game().snapshot())?;
        for view in &mut self.views {
            if is_end || view.is_keyframe_due(tick, missing) {
                self.recorder.view_keyframe(view.number, view.keyframe(tick, missing))?;
            }
        }
        self.last_keyframe = Some(tick);
        self.flush_events(tick)
    }

    /// Ends the open blocks of events before a tick.
    fn flush_events(&mut self, tick: Tick) -> Result<()> {
        self.waiting_since = tick;
        self.events.flush()?.into_iter().try_for_each(|block| record_block(&self.recorder, block))
    }

    fn turn(&mut self, turn: &Turn) -> Result<()> {
        let (recorder, tick) = (&self.recorder, turn.tick);
        for Input { player, payload } in &turn.orders {
            recorder.order(tick, *player, payload)?;
        }
        for Input { player, payload } in &turn.talk {
            recorder.talk(tick, *player, payload)?;
        }
        for Input { player, payload } in &turn.reports {
            recorder.reported(tick, *player, payload)?;
        }
        let parts = turn.parts();
        if !parts.is_empty() {
            recorder.frame(tick, &parts)?;
        }
        for (view, payload) in parts {
            self.views[usize::from(view.number())].receive(tick, payload)?;
        }
        turn.events.iter().try_for_each(|event| self.events.push(event))?;
        self.events.take().into_iter().try_for_each(|block| record_block(recorder, block))?;
        // Events survive the end of the process as frames do: half of the time is the recorder's.
        let waited = game_time(Tick((tick + 1).since(self.waiting_since)));
        if waited >= self.recorder.written_within() / 2 {
            self.flush_events(tick + 1)?;
        }
        self.recorder.end_tick(tick);
        Ok(())
    }

    /// Records keyframes at the end. What is left to do is closing metadata, and to close.
    pub fn finish(mut self, game: &Match) -> Result<Recorder> {
        if self.last_keyframe != Some(game.game().tick()) {
            self.keyframes(game, true)?;
        }
        Ok(self.recorder)
    }
}

/// A view that received this many bytes since its last keyframe gets another one.
const RECEIVED_BYTES: usize = 8 << 10;
/// However little it received, after this many ticks.
const KEYFRAME_TICKS: u64 = 120 * SECOND;

/// Whoever follows a view of the match.
///
/// Keyframes of views would be half of a tape if there were as many as of the simulation, while what
/// a view receives is little and soon applied again: see `spec/skirmish.md`, section 14.
#[derive(Debug)]
struct Audience {
    number: View,
    knows: MinewarsView,
    /// Bytes of messages since the last keyframe.
    received: usize,
    /// When that was.
    keyframe: Option<Tick>,
    /// What was missing from the recording then.
    missing: u64,
}

impl Audience {
    fn new(setup: &Setup, number: View) -> Self {
        let knows = MinewarsView::new(setup, number);
        Self { number, knows, received: 0, keyframe: None, missing: 0 }
    }

    fn receive(&mut self, tick: Tick, payload: &[u8]) -> Result<()> {
        self.received += payload.len();
        self.knows.apply(tick, payload)
    }

    /// Is a keyframe worth it? Surely where the recording has a hole after the last one.
    fn is_keyframe_due(&self, tick: Tick, missing: u64) -> bool {
        let is_old = self.keyframe.is_none_or(|last| tick >= last + KEYFRAME_TICKS);
        is_old || self.received >= RECEIVED_BYTES || self.missing != missing
    }

    fn keyframe(&mut self, tick: Tick, missing: u64) -> SimSnapshot {
        (self.received, self.keyframe, self.missing) = (0, Some(tick), missing);
        self.knows.snapshot(tick)
    }
}

/// How much the recorder could not keep of what views are found by.
fn missing(recorder: &Recorder) -> u64 {
    let counters = recorder.counters();
    counters.lost.items + counters.shed.keyframes.items
}

/// Plays a match as fast as possible until it is over or `last_tick` is reached, and gives its tape.
///
/// `metadata` is that of `spec/tape-contents.md`, section 2; `id` distinguishes tapes.
///
/// ```
/// use gametape_skirmish::{Config, Match, Style, metadata, record_match};
/// use gametape_tape::Tape;
/// use gametape_minewars::Generation;
/// use gametape_wire::Tick;
///
/// let mut game = Match::new(Config::new(2, 6, 1), &[Style::Careful], Generation::Current)?;
/// let about = metadata(game.game().config(), Generation::Current);
/// let tape = record_match(&mut game, &about, 1, Tick(100))?;
/// assert_eq!(Tape::open(&tape)?.summary.end_tick, Tick(100));
/// # Ok::<(), gametape_wire::Error>(())
/// ```
pub fn record_match(
    game: &mut Match,
    metadata: &[u8],
    id: u32,
    last_tick: Tick,
) -> Result<Vec<u8>> {
    let header = TapeHeader::new(TICK_LENGTH, id);
    let sink = Cursor::new(Vec::new());
    let (recorder, mut pump) = Recorder::with_pump(sink, header, metadata, &full_speed())?;
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
    let missing = || {
        let problem =
            "what the simulation starts from is not in the tape: it was cut to some views";
        Error::new(Place::Nowhere, "setup", ErrorKind::BadSyntax { problem: problem.into() })
    };
    Skirmish::new(recorded_config(recording)?.ok_or_else(missing)?)
}

/// The time of a match that is written together when it is played at full speed: more than there is between
/// two keyframes, which part it anyway.
const WRITTEN_TOGETHER: Duration = Duration::from_secs(60);

/// How to record a match that is played as fast as possible, with a pump that is stepped by
/// [`game_time`].
///
/// Seconds of the match pass in no time then, so more of them are written together, which is smaller;
/// and because no other clock counts, the same match becomes the same tape.
#[must_use]
pub fn full_speed() -> RecorderOptions {
    let durability = Durability::new(2 * WRITTEN_TOGETHER, Duration::MAX);
    RecorderOptions::default().with_durability(durability)
}

/// How long after the start a tick begins.
#[must_use]
pub fn game_time(tick: Tick) -> Duration {
    Duration::from_micros(TICK_LENGTH.time_of(tick).micros())
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

/// Records a block of events.
pub fn record_block(recorder: &Recorder, block: Block) -> Result<()> {
    let Block { stream, first_tick, last_tick, count, bytes } = block;
    recorder.events(EventBlock::new(stream.number(), (first_tick, last_tick), count, bytes))
}

#[cfg(test)]
mod tests {
    use gametape_minewars::Generation;
    use gametape_minewars::ViewState;
    use gametape_replay::{PlayerOptions, minewars};

    use gametape_wire::Moment;

    use super::*;
    use crate::bots::Style;

    fn two_players() -> Match {
        Match::new(Config::new(2, 12, 2), &Style::ALL, Generation::Current).unwrap()
    }

    #[test]
    fn a_view_gets_a_keyframe_after_many_bytes_a_long_time_or_a_hole() {
        let mut view = Audience::new(two_players().setup(), View::SPECTATOR);
        assert!(view.is_keyframe_due(Tick::ZERO, 0), "the first");
        view.keyframe(Tick(300), 0);
        assert!(!view.is_keyframe_due(Tick(300 + KEYFRAME_TICKS - 1), 0));
        assert!(view.is_keyframe_due(Tick(300 + KEYFRAME_TICKS), 0));
        assert!(view.is_keyframe_due(Tick(600), 1));
        view.received = RECEIVED_BYTES;
        assert!(view.is_keyframe_due(Tick(600), 0));
        view.keyframe(Tick(600), 1);
        assert!(!view.is_keyframe_due(Tick(900), 1), "received nothing since");
    }

    fn keyframes_of(recording: &Recording<&[u8]>, stream: u16) -> Vec<Tick> {
        let chunks = recording.tape().chunks.iter().map(|chunk| &chunk.header);
        let keyframes = chunks.filter(|header| header.kind.is_keyframe());
        keyframes.filter(|header| header.stream == stream).map(|h| h.first_tick).collect()
    }

    /// What the views of the match know at every hundredth tick.
    fn known(ticks: u64) -> Vec<Vec<ViewState>> {
        let mut game = two_players();
        let mut known = Vec::new();
        while game.game().tick().0 < ticks {
            if game.game().tick().0.is_multiple_of(100) {
                let views = (0..=2).filter_map(View::new);
                known.push(views.filter_map(|view| game.view(view).cloned()).collect());
            }
            game.step().unwrap();
        }
        known
    }

    /// However a process ends, the events of all ticks but those of the last second are on the disk.
    #[test]
    fn events_are_written_as_soon_as_frames() {
        let mut game = two_players();
        let header = TapeHeader::new(TICK_LENGTH, 1);
        let options = RecorderOptions::default();
        let sink = Cursor::new(Vec::new());
        let (recorder, mut pump) = Recorder::with_pump(sink, header, b"{}", &options).unwrap();
        let mut recorder = MatchRecorder::new(recorder, &game).unwrap();
        let mut given = Vec::new();
        while game.game().tick().0 < 437 {
            let turn = recorder.step(&mut game).unwrap();
            given.extend(turn.events.iter().map(gametape_analysis::AnalysisEvent::tick));
            pump.step(game_time(turn.tick));
        }
        let tape = pump.into_sink().into_inner();
        let tape = gametape_tape::Tape::open(&tape).unwrap();
        let written: u64 = tape
            .stream(gametape_tape::ChunkKind::EVENTS, 0)
            .chain(tape.stream(gametape_tape::ChunkKind::EVENTS, 1))
            .chain(tape.stream(gametape_tape::ChunkKind::EVENTS, 2))
            .map(|chunk| u64::from(chunk.header.detail))
            .sum();
        let promised = given.iter().filter(|tick| **tick + SECOND < Tick(437)).count() as u64;
        assert!(promised > 20 && written >= promised, "{written} of {promised}");
    }

    #[test]
    fn keyframes_of_views_are_few_and_every_tick_is_found_from_them() {
        let tape = record_match(&mut two_players(), b"{}", 1, Tick(6100)).unwrap();
        let recording = Recording::open(&tape[..]).unwrap();
        let simulation = keyframes_of(&recording, streams::SIMULATION);
        assert_eq!((simulation.len(), simulation.last()), (22, Some(&Tick(6100))));
        let known = known(6100);
        for view in (0..=2).filter_map(View::new) {
            let keyframes = keyframes_of(&recording, streams::keyframes_of(view));
            assert_eq!(keyframes, [0, 2400, 4800, 6100].map(Tick));
            let recording = Recording::open(&tape[..]).unwrap();
            let mut player = minewars::player(recording, view, PlayerOptions::default()).unwrap();
            for index in (0..61).map(|step| step * 37 % 61) {
                player.seek(Moment::before(Tick(100 * index as u64))).unwrap();
                let expected = &known[index][usize::from(view.number())];
                assert!(player.state().state() == expected, "{:?}", player.position());
            }
            assert_eq!(player.findings(), []);
        }
    }
}
