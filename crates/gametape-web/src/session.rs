//! One recording that somebody looks at.

use std::collections::BTreeSet;
use std::ops::Range;

use gametape_cadre::Options;
use gametape_replay::open::{Format, KeptStart, OpenOptions, open};
use gametape_replay::text::hex;
use gametape_replay::{Direction, MarkerKind};
use gametape_scene::draw::{Camera, Fonts, Overlay, Renderer, tile_at};
use gametape_scene::film::Shot;
use gametape_scene::stage::{
    Branch, BranchKind, CameraSample, Mark, Marks, ReportedLine, Stage, Story, TileHistory, Tree,
    changes, search,
};
use gametape_scene::{Heat, Layout, Line, Palette, Scene, TileAt, Trail};
use gametape_skirmish::registry::{WATCHED, dress};
use gametape_wire::text::{count, thousands};
use gametape_wire::{Error, Moment, Tick, View, ViewSet};

use crate::blocks::Blocks;
use crate::loss::{damage, losses};
use crate::moving::Film;
use crate::request::{Follow, HeatOf, Request, StepBy};
use crate::shapes::{
    About, Answer, BoardSize, Found, HeatLegend, Shown, TileChange, ToldLine, TreeRow, ViewInfo,
};

/// More steps between two pictures are not described one by one.
const DESCRIBED_STEPS: usize = 60;
/// More lines of what happened are not reported at once.
const MOST_LINES: usize = 200;
/// More lines of the tree are not given at once.
const MOST_ROWS: usize = 2000;
/// The story is reported this much at a time, in bytes of changes: a few hundredths of a second.
const REPORTED_AT_ONCE: usize = 128 << 10;
/// Curves of a recording that grows are made again after as many moments, and a twentieth of it.
const CURVES_APART: u64 = 100;
/// More finds are not reported.
const MOST_FOUND: usize = 100;

pub(crate) type Result<T> = std::result::Result<T, Error>;

/// What a call comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answered {
    /// The answer, as JSON.
    Ready(String),
    /// Bytes are missing: supply them, and ask the same again.
    Missing,
}

/// One recording that somebody looks at.
#[derive(Debug)]
pub struct Session {
    name: String,
    pub(crate) blocks: Blocks,
    stage: Option<Stage<KeptStart<Blocks>>>,
    format: Option<Format>,
    /// May more of it come?
    grows: bool,
    pub(crate) renderer: Renderer,
    /// The scene of a moment and view, so that it is made once for drawing and for words.
    scene: Option<(Moment, Scene)>,
    story: Option<Story>,
    /// Where a recording that grows ended when the curves of its story were made.
    story_end: Moment,
    heat: Option<(HeatOf, Heat)>,
    trails: Option<((Moment, u64), Vec<Trail>)>,
    /// Does the renderer have a picture?
    is_drawn: bool,
    /// Tiles that differ from those of another session.
    pub(crate) differences: Vec<TileAt>,
    /// Where players looked, and in which ticks that was read.
    pub(crate) cameras: Option<(Range<Tick>, Vec<CameraSample>)>,
    /// A GIF file that is being made.
    pub(crate) film: Option<Film>,
    /// What was made last: a clip, a GIF file.
    pub(crate) file: Vec<u8>,
}

impl Session {
    /// A recording with a name and a length, of which nothing was read.
    #[must_use]
    pub fn new(name: &str, length: u64) -> Self {
        Self {
            name: name.to_owned(),
            blocks: Blocks::new(length),
            stage: None,
            format: None,
            grows: false,
            renderer: Renderer::new(Fonts::none()),
            scene: None,
            story: None,
            story_end: Moment::START,
            heat: None,
            trails: None,
            is_drawn: false,
            differences: Vec::new(),
            cameras: None,
            film: None,
            file: Vec::new(),
        }
    }

    /// A tape that is being recorded, of which nothing is there: it [grows](Self::extend).
    #[must_use]
    pub fn growing(name: &str) -> Self {
        Self { grows: true, ..Self::new(name, 0) }
    }

    /// More of a tape that grows: bytes that follow its last one. Gives its last moment, 0 before it is open.
    pub fn extend(&mut self, bytes: &[u8]) -> std::result::Result<u64, String> {
        self.blocks.append(bytes);
        let read = self.read_on();
        // What is missing is read with the next request.
        if !self.blocks.is_waiting() {
            read.map_err(|error| error.to_string())?;
        }
        Ok(self.stage.as_ref().map_or(0, |stage| number(stage.end())))
    }

    /// Reads what came since. Nothing that was found out is thrown away.
    fn read_on(&mut self) -> Result<()> {
        let Some(stage) = self.stage.as_mut().filter(|stage| stage.is_growing()) else {
            return Ok(());
        };
        let mut has_grown = false;
        while stage.read_on()? {
            has_grown = true;
        }
        if has_grown {
            let length = |end: Moment| number(end) - number(stage.begin()).min(number(end));
            // Of a tape that has ended, events are known; curves are made again now and then.
            let is_old = length(stage.end()) > length(self.story_end) * 21 / 20 + CURVES_APART;
            match &mut self.story {
                Some(story) if stage.is_growing() && stage.seen().len() == 1 && !is_old => {
                    story.grow();
                }
                story => *story = None,
            }
        }
        Ok(())
    }

    /// Draws letters from now on with those of a font file. False where it cannot be read.
    pub fn set_font(&mut self, bytes: Vec<u8>) -> bool {
        let fonts = Fonts::of_file(bytes);
        let is_font = fonts.is_some();
        self.renderer.set_fonts(fonts.unwrap_or_default());
        is_font
    }

    /// The ranges of bytes that the last call did not have.
    #[must_use]
    pub fn missing(&self) -> Vec<Range<u64>> {
        self.blocks.missing()
    }

    /// Bytes of one of the missing ranges, from its start on.
    pub fn supply(&mut self, start: u64, bytes: &[u8]) {
        self.blocks.supply(start, bytes);
    }

    /// The last picture: red, green, blue, alpha of each pixel, by row.
    #[must_use]
    pub fn pixels(&self) -> &[u8] {
        if self.is_drawn { self.renderer.pixels() } else { &[] }
    }

    /// Answers a request. An error is a sentence for people.
    pub fn call(&mut self, request: &str) -> std::result::Result<Answered, String> {
        let request = Request::parse(request)?;
        let answer = self.read_on().and_then(|()| self.answer(&request));
        // Where bytes are missing, whatever came out is not the answer.
        if self.blocks.is_waiting() {
            return Ok(Answered::Missing);
        }
        self.blocks.settle();
        let answer = answer.map_err(|error| error.to_string())?;
        serde_json::to_string(&answer).map(Answered::Ready).map_err(|error| error.to_string())
    }

    fn answer(&mut self, request: &Request) -> Result<Answer> {
        match request {
            Request::Open => self.open(),
            Request::Seek { to, since, follow } => self.seek(*to, *since, follow.as_ref()),
            Request::Step { from, forward, by, follow } => {
                self.step(*from, *forward, *by, follow.as_ref())
            }
            Request::Find { text } => {
                let moment = self.stage()?.find(text.parse()?)?;
                Ok(Answer::Found { moment: number(moment) })
            }
            Request::View { view } => self.see_as(view.numbers()),
            Request::Draw {
                width,
                height,
                scale,
                x,
                y,
                select,
                differences,
                plain,
                heat,
                trails,
            } => {
                let camera = Camera { scale: *scale, origin: (*x, *y) };
                self.prepare(*heat, *trails)?;
                let extras = Extras { select: *select, differences: *differences, plain: *plain };
                self.draw((*width, *height), camera, &extras)
            }
            Request::Pick { px, py, scale, x, y } => {
                let camera = Camera { scale: *scale, origin: (*x, *y) };
                let board = self.scene()?.board.as_ref();
                let tile = board.and_then(|board| tile_at(board, camera, (*px, *py)));
                Ok(Answer::Picked { tile: tile.map(Into::into) })
            }
            Request::Inspect { tile } => self.inspect(TileAt::from(*tile)),
            Request::History { tile } => self.history(TileAt::from(*tile)),
            Request::Story => Ok(Answer::Story(Box::new(self.story()?.shown()))),
            Request::Lines { until, count } => self.reported(*until, *count),
            Request::Messages => Ok(Answer::Messages { rows: self.stage()?.messages() }),
            Request::Tree { open, first, count } => self.tree(open, *first, *count),
            Request::Search { text } => self.search(text),
            Request::Hash => {
                let hash = self.stage()?.state_hash();
                Ok(Answer::Hash { hash: hash.map(|hash| hex(&hash)) })
            }
            Request::Gif { .. } | Request::Clip { .. } if !cfg!(feature = "make") => {
                Err(Error::misuse("file", "this module of the viewer makes none"))
            }
            Request::Gif { from, to, speed, fps, width, height, heat } => {
                let (from, to) = (self.within(*from)?, self.within(*to)?);
                let shot = Shot::new(from, to).with_speed(*speed).with_fps(*fps);
                self.gif(shot.with_size((*width, *height)).with_heat(*heat))
            }
            Request::Stop => {
                self.film = None;
                Ok(Answer::Filmed { done: 0, frames: 0, bytes: 0 })
            }
            Request::Clip { from, to } => self.clip(*from, *to),
        }
    }

    pub(crate) fn stage(&mut self) -> Result<&mut Stage<KeptStart<Blocks>>> {
        self.stage.as_mut().ok_or_else(|| Error::misuse("recording", "it is not open"))
    }

    fn open(&mut self) -> Result<Answer> {
        if self.stage.is_none() {
            // In a browser there is no more memory than this for a recording that is held as a whole.
            let options = OpenOptions::default();
            let opened = open(self.blocks.clone(), &options)?;
            self.format = Some(opened.format());
            let mut stage = Stage::open(opened, &WATCHED, &Options::default())?;
            if self.grows {
                stage = stage.follow()?;
            }
            let dress = dress(stage.content());
            self.stage = Some(stage.with_dress(dress).with_default_name(self.name.clone()));
        }
        self.about()
    }

    fn see_as(&mut self, views: &[u8]) -> Result<Answer> {
        let mut found = ViewSet::EMPTY;
        for view in views {
            let missing = || Error::misuse("view", format!("there is no view {view}"));
            found = found.with(View::new(*view).ok_or_else(missing)?);
        }
        self.stage()?.change_views(found)?;
        (self.scene, self.story, self.heat, self.trails) = (None, None, None, None);
        (self.cameras, self.film) = (None, None);
        self.differences.clear();
        self.about()
    }

    /// The scene at the present moment.
    pub(crate) fn scene(&mut self) -> Result<&Scene> {
        let position = self.stage()?.position();
        if self.scene.as_ref().is_none_or(|(moment, _)| *moment != position) {
            self.scene = Some((position, self.stage()?.scene()));
        }
        match &self.scene {
            Some((_, scene)) => Ok(scene),
            None => Err(Error::misuse("scene", "it was not made")),
        }
    }

    fn about(&mut self) -> Result<Answer> {
        let scene = self.scene()?;
        let layout = scene.board.as_ref().and_then(Layout::of);
        let board = layout.map(|layout| {
            let (width, height) = layout.size();
            BoardSize { width, height }
        });
        let (title, players) = (scene.title.clone(), scene.players.clone());
        let (name, format) = (self.name.clone(), self.format);
        let stage = self.stage()?;
        let is_gamelog = stage.is_gamelog();
        let named = |view: View| {
            let player = players.get(usize::from(view.number()).wrapping_sub(1));
            let name = match (view, player) {
                (View::SPECTATOR, _) => "All".to_owned(),
                (_, Some(player)) => player.name.clone(),
                (view, None) => format!("View {view}"),
            };
            let colour = player.map(|player| player.colour.to_string());
            ViewInfo { view: view.number(), name, colour }
        };
        let (begin, end) = (stage.begin(), stage.end());
        let length_text = match is_gamelog {
            true => count(end.next_tick().0, "delta"),
            false => time_of(stage, end),
        };
        Ok(Answer::About(Box::new(About {
            name,
            format: match format {
                Some(Format::Tape) => "tape",
                Some(Format::MineWars) => "minewars",
                _ => "gamelog",
            },
            game: title.game.clone(),
            heading: title.headline(),
            subtitle: title.subtitle(),
            views: stage.views().iter().map(named).collect(),
            seen: stage.seen().iter().map(View::number).collect(),
            players,
            begin: number(begin),
            end: number(end),
            position: number(stage.position()),
            growing: stage.is_growing(),
            tick_micros: if is_gamelog { 0 } else { stage.tick_length().micros() },
            is_gamelog,
            has_board: board.is_some(),
            has_tree: is_gamelog || stage.is_unknown(),
            has_messages: !is_gamelog,
            losses: losses(stage),
            cameras: stage.camera_players(),
            heats: if board.is_some() { stage.heat_kinds() } else { Vec::new() },
            board,
            length_text,
        })))
    }

    /// A moment that there is.
    pub(crate) fn within(&mut self, moment: u64) -> Result<Moment> {
        let stage = self.stage()?;
        let first = stage.find(gametape_wire::When::Start).unwrap_or(stage.begin());
        Ok(Moment::before(Tick(moment)).clamp(first.min(stage.end()), stage.end()))
    }

    fn seek(&mut self, to: u64, since: Option<u64>, follow: Option<&Follow>) -> Result<Answer> {
        let to = self.within(to)?;
        let since = since.map(|since| Moment::before(Tick(since))).filter(|since| *since < to);
        let lines = match since {
            Some(since) => self.lines_between(since, to)?,
            None => {
                self.stage()?.seek(to)?;
                self.stage()?.lines()?
            }
        };
        self.shown(lines, follow)
    }

    /// What happened after one moment until another, at which the stage is then.
    fn lines_between(&mut self, since: Moment, to: Moment) -> Result<Vec<Line>> {
        let stage = self.stage()?;
        let mut lines = Vec::new();
        stage.seek(since.max(stage.begin()))?;
        for _ in 0..DESCRIBED_STEPS {
            if !stage.step(Direction::Forward)? || stage.position() > to {
                break;
            }
            lines.extend(stage.lines()?);
            if lines.len() > MOST_LINES {
                break;
            }
        }
        stage.seek(to)?;
        lines.truncate(MOST_LINES);
        Ok(lines)
    }

    fn step(
        &mut self,
        from: u64,
        forward: bool,
        by: StepBy,
        follow: Option<&Follow>,
    ) -> Result<Answer> {
        let from = self.within(from)?;
        let stage = self.stage()?;
        stage.seek(from)?;
        match by {
            StepBy::Change => {
                stage.step(if forward { Direction::Forward } else { Direction::Backward })?;
            }
            StepBy::Tick => {
                let next = from.next_tick().0;
                let to = if forward { next.saturating_add(1) } else { next.saturating_sub(1) };
                let to = self.within(to)?;
                self.stage()?.seek(to)?;
            }
            StepBy::Turn => {
                let is_turn = |kind: &MarkerKind| matches!(kind, MarkerKind::Turn(_));
                let mut turns = stage.markers().iter().filter(|marker| is_turn(&marker.kind));
                let found = match forward {
                    true => turns.find(|marker| marker.moment > from),
                    false => turns.rfind(|marker| marker.moment < from),
                };
                let to = found.map(|marker| marker.moment);
                stage.seek(to.unwrap_or(from))?;
            }
        }
        // Steps back end at the first moment that can be shown.
        let position = self.stage()?.position();
        let to = self.within(number(position))?;
        self.stage()?.seek(to)?;
        let lines = self.stage()?.lines()?;
        self.shown(lines, follow)
    }

    fn shown(&mut self, lines: Vec<Line>, follow: Option<&Follow>) -> Result<Answer> {
        let follow = match follow {
            Some(follow) => self.followed(follow)?,
            None => None,
        };
        let scene = self.scene()?;
        let (heading, players, facts) =
            (scene.heading(), scene.players.clone(), scene.facts.clone());
        let changed = lines.iter().filter_map(|line| line.at.map(|at| (at.x, at.y)));
        let changed = changed.collect::<BTreeSet<_>>().len();
        let first = self.within(0)?;
        let stage = self.stage()?;
        let position = stage.position();
        Ok(Answer::Shown(Box::new(Shown {
            moment: number(position),
            time: time_of(stage, position),
            label: stage.label(),
            heading,
            players,
            facts,
            lines,
            damage: damage(stage),
            changed,
            at_begin: position <= first,
            at_end: position >= stage.end(),
            follow,
        })))
    }

    fn draw(&mut self, size: (u32, u32), camera: Camera, extras: &Extras) -> Result<Answer> {
        self.scene()?;
        let Some((_, scene)) = &self.scene else {
            return Ok(Answer::Drawn { drawn: false, heat: None });
        };
        let heat = self.heat.as_ref().map(|(_, heat)| heat);
        let trails = self.trails.as_ref().map_or(&[][..], |(_, trails)| trails);
        let outlined = if extras.differences { &self.differences[..] } else { &[] };
        let overlay = Overlay::default()
            .with_selected(extras.select.map(TileAt::from))
            .with_heat(heat)
            .with_trails(trails)
            .with_outlined(outlined)
            .without_names(extras.plain);
        self.is_drawn = self.renderer.draw(scene, size, camera, overlay).is_some();
        Ok(Answer::Drawn { drawn: self.is_drawn, heat: heat.map(legend_of) })
    }

    fn history(&mut self, tile: TileAt) -> Result<Answer> {
        let stage = self.stage()?;
        let TileHistory { changes, is_exact, earlier, .. } = stage.history(tile)?;
        let change = |change: gametape_scene::stage::TileChange| TileChange {
            moment: number(change.moment),
            time: time_of(stage, change.moment),
            text: change.text,
        };
        let changes = changes.into_iter().map(change).collect();
        Ok(Answer::History { changes, exact: is_exact, earlier })
    }

    fn story(&mut self) -> Result<&Story> {
        let mut story = match self.story.take() {
            Some(story) => story,
            None => {
                self.story_end = self.stage()?.end();
                self.stage()?.story()?
            }
        };
        let reported = self.stage()?.extend_story(&mut story, REPORTED_AT_ONCE);
        let story = self.story.insert(story);
        reported.map(|()| &*story)
    }

    /// The last lines until a moment.
    fn reported(&mut self, until: u64, count: usize) -> Result<Answer> {
        let stage = self.stage()?;
        let reported = stage.reported();
        let end = reported.partition_point(|reported| number(reported.moment) <= until);
        let first = end.saturating_sub(count.min(MOST_LINES));
        let line = |reported: &ReportedLine| ToldLine {
            moment: number(reported.moment),
            time: time_of(stage, reported.moment),
            line: reported.line.clone(),
        };
        Ok(Answer::Lines { lines: reported[first..end].iter().map(line).collect() })
    }

    /// Makes what is drawn over the board, where it is not there yet.
    fn prepare(&mut self, heat: Option<HeatOf>, trails: Option<u64>) -> Result<()> {
        if heat != self.heat.as_ref().map(|(of, _)| *of) {
            self.heat = match heat {
                None => None,
                Some(of) => {
                    let [from, to] = [of.from, of.to].map(|at| Moment::before(Tick(at)));
                    Some((of, self.stage()?.heat(of.kind, from, to)?))
                }
            };
        }
        let wanted = match trails {
            None => None,
            Some(ticks) => Some((self.stage()?.position(), ticks)),
        };
        if wanted != self.trails.as_ref().map(|(of, _)| *of) {
            self.trails = match wanted {
                None => None,
                Some(of) => Some((of, self.stage()?.trails(of.1)?)),
            };
        }
        Ok(())
    }

    fn tree(&mut self, open: &[String], first: usize, count: usize) -> Result<Answer> {
        let stage = self.stage()?;
        let changes = changes(stage)?;
        let Some(state) = stage.tree() else {
            return Err(Error::misuse("tree", "this recording has none"));
        };
        let mut tree = Tree::with_open(open.iter().cloned());
        tree.refresh(state, &Marks::of(&changes));
        let branches = tree.branches();
        let rows = branches.iter().skip(first).take(count.min(MOST_ROWS)).map(tree_row).collect();
        Ok(Answer::Tree { rows, total: branches.len() })
    }

    /// Where a text is in words about what happened, on the board, and in the tree.
    fn search(&mut self, text: &str) -> Result<Answer> {
        let wanted = text.trim().to_lowercase();
        let has = |text: &str| text.to_lowercase().contains(&wanted);
        let mut found = Vec::new();
        if wanted.is_empty() {
            return Ok(Answer::Searched { found });
        }
        let pieces = self.scene()?.board.iter().flat_map(|board| &board.pieces);
        let labels = pieces.filter_map(|piece| piece.label.clone()).filter(|label| has(label));
        found.extend(labels.map(|text| Found { text, moment: None, time: None, path: None }));
        let markers = self.story()?.markers.iter().filter(|marker| has(&marker.text));
        found.extend(markers.map(|marker| Found {
            text: marker.text.clone(),
            moment: Some(marker.moment),
            time: Some(marker.time.clone()),
            path: None,
        }));
        if let Some(state) = self.stage()?.tree() {
            let (mut after, mut paths) = (String::new(), BTreeSet::new());
            while let Some(path) = search(state, &wanted, &after) {
                if paths.len() >= MOST_FOUND || !paths.insert(path.clone()) {
                    break;
                }
                after.clone_from(&path);
                found.push(Found {
                    text: path.clone(),
                    moment: None,
                    time: None,
                    path: Some(path),
                });
            }
        }
        found.truncate(MOST_FOUND);
        Ok(Answer::Searched { found })
    }
}

/// What a picture shows besides the board.
struct Extras {
    select: Option<[i32; 2]>,
    differences: bool,
    plain: bool,
}

fn legend_of(heat: &Heat) -> HeatLegend {
    let (low, high) = heat.ends();
    HeatLegend { title: heat.title(), colours: Palette::HEAT.to_vec(), low, high }
}

pub(crate) fn number(moment: Moment) -> u64 {
    moment.next_tick().0
}

/// A moment for people: a time, or the number of a delta.
pub(crate) fn time_of(stage: &Stage<KeptStart<Blocks>>, moment: Moment) -> String {
    let tick = moment.last_tick().unwrap_or_default();
    match stage.is_gamelog() {
        true => format!("delta {}", thousands(tick.0)),
        false => stage.tick_length().time_of(tick).to_string(),
    }
}

fn tree_row(branch: &Branch) -> TreeRow {
    let is_open = branch.kind == BranchKind::Open;
    TreeRow {
        path: branch.path.clone(),
        key: branch.key.clone(),
        text: branch.value.clone(),
        tone: match branch.mark {
            Some(Mark::Added) => "added",
            Some(Mark::Replaced) => "replaced",
            Some(Mark::Removed) => "removed",
            Some(Mark::Within) => "within",
            _ => "",
        },
        depth: branch.depth,
        is_branch: is_open || branch.kind == BranchKind::Closed,
        is_open,
        reference: match &branch.kind {
            BranchKind::Reference(path) => Some(path.clone()),
            _ => None,
        },
    }
}
