//! Whose views are seen: one, or several together; and what they see.

use gametape_replay::minewars::setup_of;
use gametape_replay::watched::TapeTrack;
use gametape_replay::{Direction, OpenTape, Recording};
use gametape_wire::{Arrange, Error, Moment, Result, Source, View, ViewSet};

use super::chronicle::Chronicle;
use super::{KEPT_BYTES, Origin, SeenTimeline, Stage, file_timeline, seek, step, tape_timeline};
use crate::inspect::{Inspection, Target};
use crate::minewars::recount_land;
use crate::model::{Line, Scene, TileAt};
use crate::union::{best, look, together};

impl<S: Source> Stage<S> {
    /// The views that are seen together; none in a gamelog.
    #[must_use]
    pub fn seen(&self) -> ViewSet {
        match self.is_gamelog() {
            true => ViewSet::EMPTY,
            false => self
                .others
                .iter()
                .fold(ViewSet::EMPTY.with(self.view), |set, (view, _)| set.with(*view)),
        }
    }

    /// Sees the same moment as another view.
    pub fn change_view(&mut self, view: View) -> Result<()> {
        self.change_views(ViewSet::EMPTY.with(view))
    }

    /// Sees the same moment as several views together: what any of them knows. The all-seeing view knows everything, and so
    /// is alone.
    pub fn change_views(&mut self, views: ViewSet) -> Result<()> {
        let views = match views.contains(View::SPECTATOR) {
            true => ViewSet::EMPTY.with(View::SPECTATOR),
            false => views,
        };
        if views == self.seen() || views.is_empty() {
            return Ok(());
        }
        if let Some(view) = views.without(self.views).iter().next() {
            return Err(self.no_view(view));
        }
        if self.is_gamelog() {
            return Ok(());
        }
        let mut made = Vec::new();
        for view in views.iter() {
            made.push((view, self.timeline_of(view, KEPT_BYTES / views.len().max(1))?));
        }
        // The longest is the one whose moments count.
        let longest =
            made.iter().enumerate().max_by_key(|(at, (_, one))| (one.end(), usize::MAX - at));
        let longest = longest.map_or(0, |(at, _)| at);
        let here = self.position();
        for (_, timeline) in &mut made {
            let moment = here.min(timeline.end());
            seek(timeline, self.source.as_mut(), moment)?;
        }
        (self.view, self.timeline) = made.remove(longest);
        (self.others, self.chronicle) = (made, Chronicle::default());
        self.tree.take();
        Ok(())
    }

    fn no_view(&self, view: View) -> Error {
        let problem = match self.views.len() {
            0 => "a gamelog has none".to_owned(),
            1 => format!("there is view {} only, not {view}", self.views),
            _ => format!("there are views {}, not {view}", self.listed_views()),
        };
        Error::misuse("view", problem)
    }

    /// The recording as a view sees it, at its beginning; `kept` bytes of states are kept. Not of a gamelog.
    pub(super) fn timeline_of(&mut self, view: View, kept: usize) -> Result<SeenTimeline> {
        match (&self.origin, &mut self.source) {
            (Origin::File(bytes), _) => file_timeline(&bytes.file()?, view, kept),
            (Origin::Tape(open), Some(source)) => {
                let mut recording = Recording::new(source, OpenTape::clone(open));
                let track = match self.is_unknown {
                    true => TapeTrack::unknown(open.tape(), view),
                    false => TapeTrack::minewars(&setup_of(&mut recording)?, view),
                };
                tape_timeline(recording.into_parts().1, track, kept)
            }
            _ => Err(Error::misuse("view", "a gamelog has none")),
        }
    }

    /// After a step of the first view from a moment: where another one changes before that, all are there.
    pub(super) fn nearest_step(&mut self, from: Moment, direction: Direction) -> Result<()> {
        if self.others.is_empty() {
            return Ok(());
        }
        let mut nearest = Some(self.position()).filter(|to| *to != from);
        for (_, timeline) in &mut self.others {
            step(timeline, self.source.as_mut(), direction)?;
            let to = timeline.position();
            let is_nearer = match (nearest, direction) {
                _ if to == from => false,
                (None, Direction::Forward) => to > from,
                (None, Direction::Backward) => to < from,
                (Some(nearest), Direction::Forward) => to > from && to < nearest,
                (Some(nearest), Direction::Backward) => to < from && to > nearest,
            };
            if is_nearer {
                nearest = Some(to);
            }
        }
        self.seek(nearest.unwrap_or(from))
    }

    /// The views that are seen and what they see, the lowest view first.
    pub(super) fn timelines(&self) -> Vec<(View, &SeenTimeline)> {
        let first = std::iter::once((self.view, &self.timeline));
        let mut all: Vec<_> =
            first.chain(self.others.iter().map(|(view, timeline)| (*view, timeline))).collect();
        all.arrange_by_key(|(view, _)| view.number());
        all
    }

    /// What one of the views sees.
    fn scene_of(&self, view: View, timeline: &SeenTimeline) -> Scene {
        let mut scene = timeline.state().scene(&self.context());
        if let Some(dress) = self.dress {
            dress(&mut scene, view);
        }
        if self.is_unknown && view != View::SPECTATOR {
            let player = scene.player(view.number()).map(|player| player.name.clone());
            scene.title.view = Some(player.unwrap_or_else(|| format!("view {view}")));
        }
        scene
    }

    /// What each of the views sees.
    fn scenes(&self) -> Vec<(u8, Scene)> {
        let views = self.timelines().into_iter();
        views.map(|(view, timeline)| (view.number(), self.scene_of(view, timeline))).collect()
    }

    /// What can be seen now.
    #[must_use]
    pub fn scene(&self) -> Scene {
        if self.others.is_empty() {
            return self.scene_of(self.view, &self.timeline);
        }
        let mut scene = together(&self.scenes());
        recount_land(&mut scene);
        scene
    }

    /// What can be known of a tile now.
    #[must_use]
    pub fn inspect(&self, at: TileAt) -> Option<Inspection> {
        self.inspect_in(&self.scene(), at)
    }

    /// What can be known of a tile of the present scene.
    pub(super) fn inspect_in(&self, scene: &Scene, at: TileAt) -> Option<Inspection> {
        let target = Target::Tile(at);
        if self.others.is_empty() {
            return self.timeline.state().inspect(scene, &target);
        }
        // The view that knows it best says what the scene does not.
        let scenes = self.scenes();
        let tile = scene.board.as_ref()?.tiles.iter().position(|tile| *tile == at)?;
        let looks = scenes
            .iter()
            .filter_map(|(player, scene)| Some(look(*player, scene.board.as_ref()?, tile)));
        let (_, timeline) = *self.timelines().get(best(looks))?;
        timeline.state().inspect(scene, &target)
    }

    /// What happened last, in words. It looks at the state before and comes back.
    pub fn lines(&mut self) -> Result<Vec<Line>> {
        if self.is_unknown {
            return self.lines_of_events();
        }
        let views: Vec<View> = self.timelines().iter().map(|(view, _)| *view).collect();
        let mut lines: Vec<Line> = Vec::new();
        for view in views {
            for line in self.lines_of(view)? {
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        Ok(lines)
    }

    /// What happened last to one of the views that are seen.
    fn lines_of(&mut self, view: View) -> Result<Vec<Line>> {
        let (context, position) = (self.context(), self.position());
        let is_own = view == self.view;
        let other = self.others.iter_mut().find(|(own, _)| *own == view && !is_own);
        let timeline = other.map_or(&mut self.timeline, |(_, timeline)| timeline);
        let here = timeline.position();
        let changes: Vec<Vec<u8>> =
            timeline.changes().iter().map(|change| change.payload.to_vec()).collect();
        let last = here.last_tick().filter(|_| !changes.is_empty() && here == position);
        let Some(tick) = last else { return Ok(Vec::new()) };
        seek(timeline, self.source.as_mut(), Moment::before(tick))?;
        let state = timeline.state();
        let lines = changes.iter().flat_map(|change| state.lines(change, &context)).collect();
        seek(timeline, self.source.as_mut(), here)?;
        Ok(lines)
    }

    /// What happened last as its format writes it: the disassembly of messages; nothing where changes
    /// have no other text. Of several views, what each of them was sent, nothing twice.
    #[must_use]
    pub fn messages(&self) -> Vec<String> {
        let (context, here) = (self.context(), self.position());
        let mut all: Vec<String> = Vec::new();
        for (_, timeline) in self.timelines() {
            if timeline.position() != here {
                continue;
            }
            let state = timeline.state();
            let changes = timeline.changes();
            let rows: Vec<String> =
                changes.iter().flat_map(|one| state.disassemble(one.payload, &context)).collect();
            let is_new = |row: &String| self.others.is_empty() || !all.contains(row);
            let new: Vec<String> = rows.into_iter().filter(is_new).collect();
            all.extend(new);
        }
        all
    }
}
