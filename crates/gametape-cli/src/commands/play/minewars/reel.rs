//! Where the moments of a MineWars recording come from; of a file, from its frames.

use gametape_minewars::Frames;
use gametape_minewars::{Dialect, Map, ReplayFile, Timeline, ViewState};
use gametape_wire::{self as wire, Error, Part, View, ViewSet};

/// Memory for keyframes.
const KEYFRAME_BYTES: usize = 64 << 20;

/// The frames of a recording as one view sees them. At position 0 the match begins, position `n` is
/// behind frame `n - 1`.
pub(in crate::commands::play) trait Reel {
    /// How many frames there are: the last position.
    fn len(&self) -> usize;

    /// The position now.
    fn position(&self) -> usize;

    /// What the view knows now.
    fn state(&self) -> &ViewState;

    fn seek(&mut self, position: usize) -> wire::Result<()>;

    /// When the last frame before a position happens, in milliseconds.
    fn time_at(&self, position: usize) -> u64;

    /// The position behind all frames up to and including a time.
    fn position_at(&self, time: u64) -> usize;

    /// What the frame before a position tells the view; nothing leads to position 0.
    fn told_before(&mut self, position: usize) -> Option<Told>;

    /// The views that there are.
    fn views(&self) -> ViewSet;

    /// Sees the same position with other eyes, one of the views.
    fn change_view(&mut self, view: View) -> wire::Result<()>;

    /// What is wrong with the frames of the view, as far as is known.
    fn problems(&self) -> (Vec<Error>, u64);

    fn problem_count(&self) -> u64;

    /// Why the state may not be what it was, if so.
    fn doubt(&self) -> Option<String>;
}

/// What a frame tells a view.
pub(in crate::commands::play) struct Told {
    /// All who are told something.
    pub(super) views: ViewSet,
    /// Where the messages stand, and the messages; none where others are told something.
    pub(super) payload: Option<(u64, Vec<u8>)>,
}

impl Told {
    /// What a frame with these parts tells a view.
    pub(super) fn of<'a>(
        view: View,
        views: ViewSet,
        mut parts: impl Iterator<Item = Part<'a>>,
    ) -> Self {
        let part = parts.find(|part| part.views.contains(view));
        Self { views, payload: part.map(|part| (part.offset, part.payload.to_vec())) }
    }
}

/// The frames of a file, played once to keep keyframes of them.
pub(in crate::commands::play) struct FileReel<'a> {
    map: Map,
    frames: Frames<'a>,
    dialect: Dialect,
    timeline: Timeline<'a>,
}

impl<'a> FileReel<'a> {
    /// The frames of a file, which are `bytes` when they are unpacked.
    pub(super) fn open(file: &ReplayFile<'_>, bytes: &'a [u8], view: View) -> wire::Result<Self> {
        let (layout, dialect) = (file.frame_layout()?, file.dialect());
        check_view(layout.views(), view)?;
        let map = file.setup().map()?;
        let frames = Frames::new(layout, bytes);
        let timeline = Timeline::new(&map, frames.clone(), dialect, view, KEYFRAME_BYTES);
        Ok(Self { map, frames, dialect, timeline })
    }
}

impl Reel for FileReel<'_> {
    fn len(&self) -> usize {
        self.timeline.len()
    }

    fn position(&self) -> usize {
        self.timeline.position()
    }

    fn state(&self) -> &ViewState {
        self.timeline.state()
    }

    fn seek(&mut self, position: usize) -> wire::Result<()> {
        self.timeline.seek(position).map(drop)
    }

    fn time_at(&self, position: usize) -> u64 {
        self.timeline.time_at(position)
    }

    fn position_at(&self, time: u64) -> usize {
        self.timeline.position_at(time)
    }

    fn told_before(&mut self, position: usize) -> Option<Told> {
        let frame = self.timeline.frame_before(position)?;
        Some(Told::of(self.state().view(), frame.views(), frame.parts()))
    }

    fn views(&self) -> ViewSet {
        self.frames.layout().views()
    }

    fn change_view(&mut self, view: View) -> wire::Result<()> {
        check_view(self.views(), view)?;
        let (position, frames) = (self.position(), self.frames.clone());
        self.timeline = Timeline::new(&self.map, frames, self.dialect, view, KEYFRAME_BYTES);
        self.seek(position)
    }

    fn problems(&self) -> (Vec<Error>, u64) {
        let (first, count) = self.timeline.problems();
        (first.to_vec(), count)
    }

    fn problem_count(&self) -> u64 {
        self.timeline.problems().1
    }

    fn doubt(&self) -> Option<String> {
        None
    }
}

pub(super) fn check_view(views: ViewSet, view: View) -> wire::Result<()> {
    if views.contains(view) {
        return Ok(());
    }
    Err(Error::misuse("view", format!("there are views {}, not {view}", listed(views))))
}

/// `0 to 3`, or one by one where some are missing.
pub(super) fn listed(views: ViewSet) -> String {
    match views.iter().last() {
        Some(last) if views.len() == usize::from(last.number()) + 1 => format!("0 to {last}"),
        _ => views.to_string(),
    }
}
