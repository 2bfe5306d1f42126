//! A recording to look at: its timeline, and a scene of every moment.
//!
//! ```
//! use gametape_cadre::{Log, Options, sample};
//! use gametape_scene::TextMap;
//! use gametape_scene::stage::{Shown, Stage};
//! use gametape_wire::Moment;
//!
//! let options = Options::default();
//! let log = Log::open(sample::log(60, 1), &options)?;
//! let mut stage: Stage<&[u8]> = Stage::of_gamelog(log, &options)?;
//! let moment = stage.find("turn:2".parse()?)?;
//! stage.seek(moment)?;
//! let shown = Shown::at(&mut stage, Moment::START)?;
//! assert!(shown.lines.len() > 1 && !shown.changes.is_empty());
//! assert_eq!(TextMap::of(&shown.scene), shown.map);
//! # Ok::<(), gametape_wire::Error>(())
//! ```

mod board_view;
#[cfg(feature = "story")]
mod cameras;
mod changes;
mod chronicle;
mod growth;
#[cfg(feature = "story")]
mod heat;
mod history;
mod list;
mod panels;
mod playing;
mod rows;
mod seats;
mod shown;
#[cfg(feature = "story")]
mod story;
mod tree;
#[cfg(feature = "story")]
mod unknown_events;
mod viewer;

use std::cell::OnceCell;
use std::fmt;

use gametape_cadre::{Game, Log, Options, State};
use gametape_minewars::ReplayFile;
use gametape_replay::inspect::losses;
use gametape_replay::minewars::setup_of;
use gametape_replay::moments::{end_before, moment_by_clock, moment_of_gamelog};
use gametape_replay::open::{Content, MinewarsBytes, Opened};
use gametape_replay::unknown::{self, UnknownState};
use gametape_replay::watched::{self, TapeTrack};
use gametape_replay::{
    Direction, GamelogTimeline, KnownGame, Marker, MinewarsTimeline, NamedViews, OpenTape,
    PlayerOptions, Recording, Timeline, TimelineOptions, ViewName, cadre, games,
    players_of_minewars, players_of_tape,
};
use gametape_tape::Gap;
use gametape_wire::{
    Error, Moment, Report, Result, Source, TickLength, Time, View, ViewSet, When, drive,
};

use crate::minewars;
use crate::model::Scene;
use crate::visible::{Context, Visible};

use chronicle::Chronicle;

pub use board_view::{BoardCell, BoardView, CellMark};
#[cfg(feature = "story")]
pub use cameras::CameraSample;
pub use changes::{Mark, Marks, changes};
pub use chronicle::ReportedLine;
pub use history::{TileChange, TileHistory};
pub use list::List;
pub use panels::{Panel, PanelContent, Panels};
pub use playing::PlayingStage;
pub use rows::{Row, Span, Tone, change_rows, inspection_rows, legend_rows, line_rows};
pub use shown::Shown;
#[cfg(feature = "story")]
pub use story::{Curve, CurveOfPlayer, Story, StoryHighlight, StoryMarker, WhyPart};
pub use tree::{Branch, BranchKind, Tree, search};
pub use viewer::{Action, Viewer};

/// Bytes of states that are kept: enough to step back at once.
const KEPT_BYTES: usize = 40 << 20;

/// States over time that can be seen.
type SeenTimeline = Box<dyn Timeline<State = dyn Visible>>;

/// What a timeline is made of again, to see it as another view.
#[derive(Debug)]
enum Origin {
    Gamelog,
    /// A MineWars file.
    File(MinewarsBytes),
    /// The tape that the timeline reads, as it was opened.
    Tape(Box<OpenTape>),
}

/// A recording to look at, whatever its format.
///
/// `S` is the source of the bytes of a tape; other recordings are in memory as a whole.
pub struct Stage<S> {
    origin: Origin,
    /// Of a tape.
    source: Option<S>,
    timeline: SeenTimeline,
    /// What everybody knows.
    public: Context,
    /// None in a gamelog.
    views: ViewSet,
    view: View,
    /// Further views that are seen together with it, at the same moment.
    others: Vec<(View, SeenTimeline)>,
    /// The names of players that have views.
    players: NamedViews,
    /// The `content` of a tape.
    content: Option<String>,
    /// What is missing in the gamelog that a tape holds.
    gaps: Vec<Gap>,
    /// What damage took of a tape.
    losses: Vec<String>,
    /// What a game adds to scenes of its views.
    dress: Option<fn(&mut Scene, View)>,
    /// Of a recording that grows: how many bytes of its tape are known.
    followed: Option<u64>,
    /// What happened so far as it was reported.
    chronicle: Chronicle,
    /// Is its game one that nobody here knows?
    is_unknown: bool,
    /// What such a game has at the position, as a tree.
    tree: OnceCell<Option<Game>>,
}

impl<S> fmt::Debug for Stage<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Stage");
        out.field("position", &self.timeline.position()).field("end", &self.timeline.end());
        out.field("view", &self.view).field("views", &self.views).finish_non_exhaustive()
    }
}

impl<S: Source> Stage<S> {
    /// A recording of any kind; see [`of_tape`](Self::of_tape), [`of_minewars`](Self::of_minewars) and
    /// [`of_gamelog`](Self::of_gamelog).
    pub fn open(opened: Opened<S>, games: &[&dyn KnownGame], options: &Options) -> Result<Self> {
        match opened {
            Opened::Tape(source) => Self::of_tape(source, games, options),
            Opened::MineWars(bytes) => Self::of_minewars(bytes),
            Opened::Gamelog(bytes) => {
                let options = *bytes.options();
                Self::of_gamelog(bytes.into_log()?, &options)
            }
            _ => Err(Error::misuse("recording", "no scenes of this kind are known")),
        }
    }

    /// A tape, after tick 0, seen as its first view. Frames of MineWars messages are entered at
    /// keyframes; a gamelog is read as a whole.
    pub fn of_tape(mut source: S, games: &[&dyn KnownGame], options: &Options) -> Result<Self> {
        let recording = Recording::open(&mut source)?;
        let [content, title] = ["content", "title"].map(|name| recording.field(name));
        let game = games::find(games, content.as_deref());
        let players = players_of_tape(recording.tape());
        let losses = losses(recording.tape()).collect();
        let called = recording.field("game").or_else(|| content.clone());
        let mut stage = match Content::of_any(&recording, games)? {
            Some(Content::MineWars) => Self::of_frames(recording)?,
            Some(Content::Gamelog) => Self::of_deltas(recording, options)?,
            _ => Self::of_unknown(&recording, called)?,
        };
        (stage.source, stage.losses) = (Some(source), losses);
        stage.public.match_name = title;
        let names = players.iter().map(|(view, name)| (view.number(), name.clone()));
        stage.public = stage.public.with_names(names);
        if let Some(game) = game {
            stage.public = stage.public.of_game(game.title());
        }
        (stage.players, stage.content) = (players, content);
        stage.at_start()
    }

    /// The frames of a tape; its source is not there yet.
    fn of_frames(mut recording: Recording<&mut S>) -> Result<Self> {
        let setup = setup_of(&mut recording)?;
        let views = recording.tape().views().and(ViewSet::up_to(setup.max_view()));
        let view = views.iter().next().unwrap_or(View::SPECTATOR);
        let origin = Origin::Tape(Box::new(recording.open_tape().clone()));
        let tape = recording.open_tape().clone();
        let timeline = tape_timeline(tape, TapeTrack::minewars(&setup, view), KEPT_BYTES)?;
        let public = minewars::context_of_setup(&setup);
        Ok(Self::new(origin, timeline, public, views.with(view)))
    }

    /// What a tape of a game that nobody here knows holds; its source is not there yet.
    fn of_unknown(recording: &Recording<&mut S>, called: Option<String>) -> Result<Self> {
        let views = unknown::views(recording.tape());
        let view = views.iter().next().unwrap_or(View::SPECTATOR);
        let origin = Origin::Tape(Box::new(recording.open_tape().clone()));
        let track = TapeTrack::unknown(recording.tape(), view);
        let timeline = tape_timeline(recording.open_tape().clone(), track, KEPT_BYTES)?;
        let public = Context { game: called, ..Context::new() };
        let mut stage = Self::new(origin, timeline, public, views.with(view));
        stage.is_unknown = true;
        Ok(stage)
    }

    /// The gamelog that a tape holds.
    fn of_deltas(mut recording: Recording<&mut S>, options: &Options) -> Result<Self> {
        let log = cadre::from_tape(&mut recording, options)?;
        let mut stage = Self::of_gamelog(log, options)?;
        stage.gaps = recording.gaps().to_vec();
        Ok(stage)
    }

    /// A MineWars file, after tick 0, seen as its first view.
    pub fn of_minewars(bytes: MinewarsBytes) -> Result<Self> {
        let file = bytes.file()?;
        let views = file.frame_layout()?.views();
        let view = views.iter().next().unwrap_or(View::SPECTATOR);
        let (timeline, public) =
            (file_timeline(&file, view, KEPT_BYTES)?, minewars::context_of_file(&file));
        Self::new(Origin::File(bytes), timeline, public, views.with(view)).at_start()
    }

    /// A gamelog, after its first delta.
    pub fn of_gamelog(log: Log, options: &Options) -> Result<Self> {
        let timeline = GamelogTimeline::load(log, options)?;
        let timeline = Box::new(timeline.map_state(|state| state as &dyn Visible));
        Self::new(Origin::Gamelog, timeline, Context::new(), ViewSet::EMPTY).at_start()
    }

    fn new(origin: Origin, timeline: SeenTimeline, public: Context, views: ViewSet) -> Self {
        Self {
            origin,
            source: None,
            timeline,
            public,
            views,
            view: views.iter().next().unwrap_or(View::SPECTATOR),
            others: Vec::new(),
            players: Vec::new(),
            content: None,
            gaps: Vec::new(),
            losses: Vec::new(),
            dress: None,
            followed: None,
            chronicle: Chronicle::default(),
            is_unknown: false,
            tree: OnceCell::new(),
        }
    }

    fn at_start(mut self) -> Result<Self> {
        let start = self.find(When::Start).unwrap_or(Moment::START);
        self.seek(start)?;
        Ok(self)
    }

    /// The same recording, called by this name where it has none itself: that of its file.
    #[must_use]
    pub fn with_default_name(mut self, name: impl Into<String>) -> Self {
        if !self.is_gamelog() {
            self.public.match_name.get_or_insert_with(|| name.into());
        }
        self
    }

    /// The same recording, with what its game adds to scenes of its views.
    #[must_use]
    pub fn with_dress(mut self, dress: Option<fn(&mut Scene, View)>) -> Self {
        self.dress = dress;
        self
    }

    /// The `content` of a tape; none of other recordings.
    #[must_use]
    pub fn content(&self) -> Option<&str> {
        self.content.as_deref()
    }

    /// The players that have views, as the metadata of a tape or the recording itself names them.
    #[must_use]
    pub fn players(&self) -> NamedViews {
        match &self.origin {
            Origin::File(bytes) => {
                bytes.file().and_then(|file| players_of_minewars(&file)).unwrap_or_default()
            }
            Origin::Tape(_) | Origin::Gamelog => self.players.clone(),
        }
    }

    /// What is missing in the gamelog that a tape holds.
    #[must_use]
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// What damage took of a tape: known when it is opened, wherever that is.
    #[must_use]
    pub fn losses(&self) -> &[String] {
        &self.losses
    }

    /// The first moment that can be gone to: the start, unless the recording was cut.
    #[must_use]
    pub fn begin(&self) -> Moment {
        self.timeline.begin()
    }

    /// The last moment that can be gone to.
    #[must_use]
    pub fn end(&self) -> Moment {
        self.timeline.end()
    }

    /// The moment that is seen.
    #[must_use]
    pub fn position(&self) -> Moment {
        self.timeline.position()
    }

    /// How long a tick takes.
    #[must_use]
    pub fn tick_length(&self) -> TickLength {
        self.timeline.tick_length()
    }

    /// Goes to a moment.
    pub fn seek(&mut self, to: Moment) -> Result<()> {
        self.tree.take();
        for (_, timeline) in &mut self.others {
            let to = to.min(timeline.end());
            seek(timeline, self.source.as_mut(), to)?;
        }
        seek(&mut self.timeline, self.source.as_mut(), to)
    }

    /// Goes to the next or the last moment at which something changes. False where there is none.
    pub fn step(&mut self, direction: Direction) -> Result<bool> {
        let before = self.position();
        self.tree.take();
        step(&mut self.timeline, self.source.as_mut(), direction)?;
        self.nearest_step(before, direction)?;
        Ok(self.position() != before)
    }

    /// Moments of interest, ascending.
    #[must_use]
    pub fn markers(&self) -> &[Marker] {
        self.timeline.markers()
    }

    /// The views that there are; none in a gamelog.
    #[must_use]
    pub fn views(&self) -> ViewSet {
        self.views
    }

    /// Whose view is seen; of several the one whose recording is longest.
    #[must_use]
    pub fn view(&self) -> View {
        self.view
    }

    /// Is it a gamelog, which has no clock and no views?
    #[must_use]
    pub fn is_gamelog(&self) -> bool {
        self.views.is_empty()
    }

    /// The moment that somebody wrote; a number without a unit is a delta in a gamelog, which has no
    /// clock.
    pub fn find(&self, when: When) -> Result<Moment> {
        if !self.is_gamelog() {
            // What was before a recording that grows may still be had.
            let begin = if self.is_growing() { Moment::START } else { self.begin() };
            return moment_by_clock(when, self.tick_length(), begin..self.end());
        }
        let first_delta = |turn| {
            let delta = self.gamelog()?.turns().first_delta(turn)?;
            Some(delta as u64)
        };
        moment_of_gamelog(when, self.end().next_tick().0, first_delta)
    }

    /// When the recording ends, where a time is after that: then its end is meant.
    #[must_use]
    pub fn end_before(&self, when: When) -> Option<Time> {
        let has_clock = !self.is_gamelog();
        has_clock.then(|| end_before(when, self.tick_length(), self.end())).flatten()
    }

    /// Sees the same moment as the view that somebody names. Refused for gamelogs, which have no views,
    /// and for a view that is not there.
    pub fn look_as(&mut self, who: &ViewName) -> Result<()> {
        if self.is_gamelog() {
            return Err(Error::misuse("view", "a gamelog has none"));
        }
        let view = who.find(|| self.players())?;
        self.change_view(view)
    }

    /// `0 to 3`, or one by one where some are missing.
    #[must_use]
    pub fn listed_views(&self) -> String {
        match self.views.iter().last() {
            Some(last) if self.views.len() == usize::from(last.number()) + 1 => {
                format!("0 to {last}")
            }
            _ => self.views.to_string(),
        }
    }

    /// What everybody knows, now.
    fn context(&self) -> Context {
        self.context_at(self.position())
    }

    fn context_at(&self, moment: Moment) -> Context {
        let public = self.public.clone();
        match moment.last_tick() {
            Some(delta) if self.is_gamelog() => public.at_delta(delta),
            Some(tick) => public.at_tick(tick, self.tick_length()),
            None => public.at_time(Time::ZERO),
        }
    }

    /// The gamelog, at its position.
    #[must_use]
    pub fn gamelog(&self) -> Option<&gametape_cadre::Timeline> {
        self.timeline.state().as_any()?.downcast_ref()
    }

    /// The state as a tree: of a gamelog, and of a game that nobody here knows.
    #[must_use]
    pub fn tree(&self) -> Option<State<'_>> {
        if let Some(log) = self.gamelog() {
            return Some(log.state());
        }
        let state = self.timeline.state().as_any()?.downcast_ref::<UnknownState>()?;
        let made = self.tree.get_or_init(|| {
            let changes = self.timeline.changes();
            state.tree(changes.iter().map(|change| change.payload)).ok()
        });
        made.as_ref().map(Game::state)
    }

    /// Is its game one that nobody here knows? Then there is a tree of what was recorded, and no board.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.is_unknown
    }

    /// SHA-256 of the canonical state of the view, or of the game: the hash that `gametape state --hash` prints. None where
    /// the state has none, and of several views together.
    #[must_use]
    pub fn state_hash(&self) -> Option<[u8; 32]> {
        if let Some(log) = self.gamelog() {
            return Some(log.state().hash());
        }
        let state = self.timeline.state().as_any()?.downcast_ref::<gametape_minewars::ViewState>();
        state.filter(|_| self.others.is_empty()).map(gametape_minewars::ViewState::hash)
    }

    /// The tape that is seen, and its bytes; none of other recordings, and of gamelogs in tapes.
    #[cfg(feature = "story")]
    fn tape(&mut self) -> Option<(&gametape_tape::Tape, &mut S)> {
        match (&self.origin, &mut self.source) {
            (Origin::Tape(open), Some(source)) => Some((open.tape(), source)),
            _ => None,
        }
    }

    /// What was wrong with the parts that were played so far; of several views, with those of the first.
    #[must_use]
    pub fn report(&self) -> &Report {
        self.timeline.report()
    }

    /// Columns that the part of a second takes in the times of ticks.
    fn decimals(&self) -> usize {
        let part = self.tick_length().micros() % 1_000_000;
        match part {
            0 => 0,
            _ if part.is_multiple_of(100_000) => 2,
            _ if part.is_multiple_of(10_000) => 3,
            _ => 4,
        }
    }

    /// `0:03.8 of 5:00`, or `delta 57 of 1,203  turn 12`
    #[must_use]
    pub fn label(&self) -> String {
        let last = |moment: Moment| moment.last_tick().unwrap_or_default();
        if !self.is_gamelog() {
            let time = |moment| self.tick_length().time_of(last(moment));
            let end = time(self.end()).to_string();
            // As wide as any other time of the recording, so that nothing beside it moves.
            let width = end.find('.').unwrap_or(end.len()) + self.decimals();
            return format!("{:>width$} of {end}", time(self.position()).to_string());
        }
        let Some(delta) = self.position().last_tick() else { return "start".to_owned() };
        let turn = self.gamelog().and_then(|log| log.turns().at(delta.0 as usize));
        let turn = turn.map(|turn| format!("  turn {turn}")).unwrap_or_default();
        let [delta, end] = [delta, last(self.end())].map(|tick| rows::thousands(tick.0));
        format!("delta {delta} of {end}{turn}")
    }
}

fn seek(timeline: &mut SeenTimeline, source: Option<&mut impl Source>, to: Moment) -> Result<()> {
    if timeline.seek(to)?.is_ready() { Ok(()) } else { supply(timeline, source) }
}

fn step(
    timeline: &mut SeenTimeline,
    source: Option<&mut impl Source>,
    direction: Direction,
) -> Result<()> {
    if timeline.step(direction)?.is_ready() { Ok(()) } else { supply(timeline, source) }
}

/// Gives a timeline the bytes that it needs.
fn supply(timeline: &mut SeenTimeline, source: Option<&mut impl Source>) -> Result<()> {
    match source {
        Some(source) => drive(timeline, source),
        None => Err(Error::misuse("recording", "it is in memory and asks for bytes")),
    }
}

/// A view of a tape; of one that is followed, as far as all of it is there.
fn tape_timeline(tape: OpenTape, track: TapeTrack, kept: usize) -> Result<SeenTimeline> {
    let options = PlayerOptions::default().with_cache_bytes(kept);
    let player = watched::player(tape, track, options)?;
    Ok(Box::new(player.map_state(|track| match track {
        TapeTrack::Unknown(track) => track.state() as &dyn Visible,
        TapeTrack::MineWars(track) => track.state().state(),
    })))
}

fn file_timeline(file: &ReplayFile<'_>, view: View, kept: usize) -> Result<SeenTimeline> {
    let options = TimelineOptions::default().with_kept_bytes(kept);
    let timeline = MinewarsTimeline::open(file, view, options)?;
    Ok(Box::new(timeline.map_state(|view| view.state() as &dyn Visible)))
}
