//! A recording to look at: its timeline, and a scene of every moment. For `map` and `play`.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use gametape_replay::minewars::{MinewarsView, setup_of};
use gametape_replay::{
    Direction, GamelogTimeline, MinewarsTimeline, Playback, PlayerOptions, Timeline,
    TimelineOptions,
};
use gametape_scene::{Context, Inspection, Line, Scene, Target, TileAt, Visible, minewars};
use gametape_wire::{self as wire, Error, ErrorKind, Moment, Place, Report, View, ViewSet, When};

use crate::failure::{Done, Failure, warn};
use crate::games;
use crate::input::{Input, Opened, Recording, RecordingArgs, Source, gamelog_options};
use crate::tape::{Content, Metadata, Seat, TapeFile};
use crate::text::count;
use crate::view_arg::{Names, ViewArg};

/// More problems than this are counted, not shown.
const SHOWN_PROBLEMS: usize = 10;

/// States over time that can be seen.
type SeenTimeline = Box<dyn Timeline<State = dyn Visible>>;

/// The bytes of a tape, read by several.
#[derive(Debug, Clone)]
pub(super) struct SharedTape(Rc<RefCell<TapeFile>>);

impl SharedTape {
    /// For recordings that are in memory as a whole.
    fn empty() -> Self {
        Self(Rc::new(RefCell::new(TapeFile::in_memory(&Source::Stdin, Vec::new()))))
    }
}

impl wire::Source for SharedTape {
    fn length(&self) -> u64 {
        wire::Source::length(&*self.0.borrow())
    }

    fn fetch(&mut self, range: Range<u64>) -> wire::Result<Cow<'_, [u8]>> {
        let mut file = self.0.borrow_mut();
        let bytes = wire::Source::fetch(&mut *file, range)?.into_owned();
        Ok(Cow::Owned(bytes))
    }
}

/// What a timeline can be made of again, to see it with other eyes.
enum Origin {
    Gamelog,
    /// A MineWars file.
    File(Input),
    /// The tape that the timeline reads.
    Tape,
}

/// A recording to look at.
pub(super) struct Stage {
    source: Source,
    origin: Origin,
    timeline: Playback<SharedTape, SeenTimeline>,
    /// What everybody knows.
    public: Context,
    /// None in a gamelog.
    views: ViewSet,
    view: View,
    /// Of a tape.
    metadata: Option<Metadata>,
    /// What a game adds to scenes of its views.
    dress: Option<fn(&mut Scene, View)>,
}

impl Stage {
    /// Opens a recording; with the eyes of the spectator, or of the first view that there is.
    pub(super) fn open(recording: &RecordingArgs) -> Result<Self, Failure> {
        let source = recording.source.clone();
        match recording.open()? {
            Opened::Whole(input) => Self::of_input(source, input),
            Opened::Tape(file) => Self::of_tape(source, file),
        }
    }

    pub(super) fn of_tape(source: Source, mut file: TapeFile) -> Result<Self, Failure> {
        let failed = |error: Error| Failure::of(&source, &error);
        let metadata = Metadata::of(&file.open(gametape_tape::Depth::Summary)?);
        let content = metadata.text("content");
        let mut stage = match Content::of(content.as_deref()) {
            Some(Content::MineWars) => Self::of_frames(&source, file).map_err(failed)?,
            _ => Self::of_input(source, file.into_recording()?)?,
        };
        let name = metadata.text("title").or(stage.public.match_name);
        stage.public.match_name = name;
        let names = metadata.players().into_iter().filter_map(|player| match player.seat {
            Seat::View(view) => Some((u8::try_from(view).ok()?, player.name)),
            Seat::Player(_) => None,
        });
        stage.public = stage.public.with_names(names);
        if let Some(game) = games::known(content.as_deref()) {
            stage.public = stage.public.of_game(game.title());
            stage.dress = games::dress(game);
        }
        stage.metadata = Some(metadata);
        Ok(stage)
    }

    /// A tape of MineWars messages, entered at its keyframes.
    fn of_frames(source: &Source, file: TapeFile) -> wire::Result<Self> {
        let bytes = SharedTape(Rc::new(RefCell::new(file)));
        let mut recording = gametape_replay::Recording::open(bytes.clone())?;
        let setup = setup_of(&mut recording)?;
        let views = recording.tape().views().and(ViewSet::up_to(setup.max_view()));
        let view = views.iter().next().unwrap_or(View::SPECTATOR);
        let mut stage = Self {
            source: source.clone(),
            origin: Origin::Tape,
            timeline: tape_timeline(bytes, view)?,
            public: minewars::context_of_setup(&setup).named(short_name(source)),
            views: views.with(view),
            view,
            metadata: None,
            dress: None,
        };
        stage.seek(stage.find(When::Start)?)?;
        Ok(stage)
    }

    pub(super) fn of_input(source: Source, input: Input) -> Result<Self, Failure> {
        let failed = |error: Error| Failure::of(&source, &error);
        let name = short_name(&source);
        let (timeline, public, views): (SeenTimeline, _, _) = match input.recording()? {
            Recording::MineWars(file) => {
                let views = file.frame_layout().map_err(failed)?.views();
                let view = views.iter().next().unwrap_or(View::SPECTATOR);
                let timeline = minewars_timeline(&file, view).map_err(failed)?;
                (timeline, minewars::context_of_file(&file), views)
            }
            Recording::Gamelog(log) => {
                let options = gamelog_options();
                let timeline = GamelogTimeline::load(log.log()?, &options).map_err(failed)?;
                let timeline = timeline.map_state(|state| state as &dyn Visible);
                (Box::new(timeline), Context::new(), ViewSet::EMPTY)
            }
        };
        let view = views.iter().next().unwrap_or(View::SPECTATOR);
        let origin = if views.is_empty() { Origin::Gamelog } else { Origin::File(input) };
        let mut stage = Self {
            source,
            origin,
            timeline: Playback::new(SharedTape::empty(), timeline),
            public: if views.is_empty() { public } else { public.named(name) },
            views,
            view,
            metadata: None,
            dress: None,
        };
        stage
            .seek(stage.find(When::Start).unwrap_or(Moment::START))
            .map_err(|error| Failure::of(&stage.source, &error))?;
        Ok(stage)
    }

    /// Sees it with the eyes that somebody asked for, by name or number.
    pub(super) fn look_as(&mut self, who: &ViewArg) -> Result<(), Failure> {
        let Some(name) = &who.given else { return Ok(()) };
        let source = self.source.clone();
        if self.views.is_empty() {
            let problem = "--view is for MineWars recordings, and";
            return Err(Failure::usage(format_args!("{problem} {source} is a gamelog")));
        }
        let view = name.find(&source, || self.names())?;
        if !self.views.contains(view) {
            let views = listed(self.views);
            return Err(Failure::usage(format_args!("{source} has views {views}, not {view}")));
        }
        self.change_view(view).map_err(|error| Failure::of(&source, &error))
    }

    /// The names of the players, as the metadata of a tape or the recording itself gives them.
    fn names(&self) -> Names {
        if let Some(metadata) = self.metadata.as_ref().filter(|own| !own.players().is_empty()) {
            return Names::of_tape(metadata);
        }
        match &self.origin {
            Origin::File(input) => match input.recording() {
                Ok(Recording::MineWars(file)) => Names::of_file(&file),
                _ => Names::default(),
            },
            Origin::Tape | Origin::Gamelog => Names::default(),
        }
    }

    pub(super) fn end(&self) -> Moment {
        self.timeline.end()
    }

    pub(super) fn position(&self) -> Moment {
        self.timeline.position()
    }

    pub(super) fn seek(&mut self, to: Moment) -> wire::Result<()> {
        self.timeline.seek(to)
    }

    pub(super) fn step(&mut self, direction: Direction) -> wire::Result<bool> {
        self.timeline.step(direction)
    }

    pub(super) fn timeline(&self) -> &SeenTimeline {
        self.timeline.timeline()
    }

    pub(super) fn views(&self) -> ViewSet {
        self.views
    }

    pub(super) fn view(&self) -> View {
        self.view
    }

    /// The moment that somebody wrote; a number without a unit is a delta in a gamelog, which has no
    /// clock.
    pub(super) fn find(&self, when: When) -> wire::Result<Moment> {
        let refused = |problem: String| Err(Error::misuse("time", problem));
        match when {
            When::Turn(_) if !self.is_gamelog() => refused("turns are for gamelogs".to_owned()),
            When::Time(_) | When::BeforeEnd(_) if self.is_gamelog() => refused(
                "a gamelog has no clock: name a delta (tick:12), a turn (turn:3) or a share (50%)"
                    .to_owned(),
            ),
            When::Number(delta) | When::Tick(wire::Tick(delta)) if self.is_gamelog() => {
                let deltas = self.end().next_tick().0;
                if delta >= deltas {
                    let there = count(deltas, "delta");
                    return refused(format!("there are {there}, counted from 0, not {delta}"));
                }
                Ok(Moment::after(wire::Tick(delta)))
            }
            when => self.timeline.moment(when),
        }
    }

    pub(super) fn is_gamelog(&self) -> bool {
        self.views.is_empty()
    }

    /// Sees the same moment with other eyes.
    pub(super) fn change_view(&mut self, view: View) -> wire::Result<()> {
        if view == self.view {
            return Ok(());
        }
        if !self.views.contains(view) {
            let problem = format!("there are views {}, not {view}", listed(self.views));
            return Err(Error::misuse("view", problem));
        }
        let mut timeline = match &self.origin {
            Origin::Gamelog => return Ok(()),
            Origin::Tape => tape_timeline(self.timeline.source().clone(), view)?,
            Origin::File(input) => match input.recording() {
                Ok(Recording::MineWars(file)) => {
                    Playback::new(SharedTape::empty(), minewars_timeline(&file, view)?)
                }
                _ => return Ok(()),
            },
        };
        timeline.seek(self.position().min(timeline.end()))?;
        (self.timeline, self.view) = (timeline, view);
        Ok(())
    }

    /// What everybody knows, now.
    fn context(&self) -> Context {
        let public = self.public.clone();
        match self.position().last_tick() {
            Some(delta) if self.is_gamelog() => public.at_delta(delta),
            Some(tick) => public.at_tick(tick, self.timeline.tick_length()),
            None => public.at_time(wire::Time::ZERO),
        }
    }

    /// What can be seen now.
    pub(super) fn scene(&self) -> Scene {
        let mut scene = self.timeline.state().scene(&self.context());
        if let Some(dress) = self.dress {
            dress(&mut scene, self.view);
        }
        scene
    }

    /// What can be known of a tile now.
    pub(super) fn inspect(&self, at: TileAt) -> Option<Inspection> {
        self.timeline.state().inspect(&self.context(), &Target::Tile(at))
    }

    /// The gamelog, at its position.
    pub(super) fn gamelog(&self) -> Option<&gametape_cadre::Timeline> {
        self.timeline.state().as_any()?.downcast_ref()
    }

    /// What happened last, in words: the state is that of the moment before meanwhile.
    pub(super) fn lines(&mut self) -> wire::Result<Vec<Line>> {
        let changes: Vec<Vec<u8>> =
            self.timeline.changes().iter().map(|change| change.payload.to_vec()).collect();
        let (here, context) = (self.position(), self.context());
        let Some(tick) = here.last_tick().filter(|_| !changes.is_empty()) else {
            return Ok(Vec::new());
        };
        self.seek(Moment::before(tick))?;
        let state = self.timeline.state();
        let lines = changes.iter().flat_map(|change| state.lines(change, &context)).collect();
        self.seek(here)?;
        Ok(lines)
    }

    pub(super) fn report(&self) -> &Report {
        self.timeline.report()
    }

    /// Reports what went wrong on the way: the first problems, and how many there are in all.
    pub(super) fn warn_of_problems(&self) -> Done {
        let report = self.report();
        let all = report.errors() + report.warnings();
        let shown = report.findings().iter().take(SHOWN_PROBLEMS);
        let hidden = all.saturating_sub(shown.len() as u64);
        shown.for_each(|finding| warn(&self.source, finding));
        if hidden > 0 {
            warn(&self.source, format_args!("{} more like this", count(hidden, "problem")));
        }
        Done::lost_if(all > 0)
    }

    /// Why there is no board, and what to use instead.
    pub(super) fn no_board(&self) -> Error {
        let problem = "nothing in its state has a position (x and y, a tile, fen), so there is no \
                       board; `gametape state` and `gametape play` show it as a tree";
        let kind = ErrorKind::BadSyntax { problem: problem.into() };
        Error::new(Place::Nowhere, "board", kind)
    }
}

/// The frames of a tape as a view sees them.
fn tape_timeline(
    bytes: SharedTape,
    view: View,
) -> wire::Result<Playback<SharedTape, SeenTimeline>> {
    let recording = gametape_replay::Recording::open(bytes.clone())?;
    let player = gametape_replay::minewars::player(recording, view, PlayerOptions::default())?;
    let (_, player) = player.into_parts();
    let seen = player.map_state(|view: &MinewarsView| view.state() as &dyn Visible);
    Ok(Playback::new(bytes, Box::new(seen)))
}

fn minewars_timeline(
    file: &gametape_minewars::ReplayFile<'_>,
    view: View,
) -> wire::Result<SeenTimeline> {
    let timeline = MinewarsTimeline::open(file, view, TimelineOptions::default())?;
    Ok(Box::new(timeline.map_state(|view| view.state() as &dyn Visible)))
}

/// `0 to 3`, or one by one where some are missing.
pub(super) fn listed(views: ViewSet) -> String {
    match views.iter().last() {
        Some(last) if views.len() == usize::from(last.number()) + 1 => format!("0 to {last}"),
        _ => views.to_string(),
    }
}

/// The name of a file without its folders.
fn short_name(source: &Source) -> String {
    let name = match source {
        Source::File(path) => path.file_name(),
        Source::Stdin => None,
    };
    name.map_or_else(|| source.to_string(), |name| name.to_string_lossy().into_owned())
}
