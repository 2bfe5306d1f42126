//! The frames of a tape, entered at its keyframes.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use gametape_minewars::{Setup, ViewState};
use gametape_replay::minewars::{MinewarsView, setup_of};
use gametape_replay::{PlayFinding, Player, PlayerOptions, Recording, Source, ViewTrack};
use gametape_tape::{ChunkEntry, ChunkKind, TapeFrames, TapeHeader};
use gametape_wire::{self as wire, Error, ErrorKind, Limit, Place, View, ViewSet};

use super::reel::{Reel, Told, check_view};
use crate::tape::{TapeFile, milliseconds};

/// The time of each is kept in memory.
const FRAMES: Limit = Limit::new("frames that are played in a terminal", 1 << 25);

/// A tape that several read from.
#[derive(Debug, Clone)]
struct Shared(Rc<RefCell<TapeFile>>);

impl Source for Shared {
    fn length(&self) -> u64 {
        Source::length(&*self.0.borrow())
    }

    fn fetch(&mut self, range: Range<u64>) -> wire::Result<Cow<'_, [u8]>> {
        let mut file = self.0.borrow_mut();
        let bytes = Source::fetch(&mut *file, range)?.into_owned();
        Ok(Cow::Owned(bytes))
    }
}

/// The frames of a tape, of which nothing but their times is read until they are shown.
///
/// Frames of one tick are one moment for who plays: behind each of them, all of them are known.
pub(in crate::commands::play) struct TapeReel {
    source: Shared,
    /// Reads messages beside the player.
    recording: Recording<Shared>,
    player: Player<Shared, ViewTrack<MinewarsView>>,
    setup: Setup,
    views: ViewSet,
    index: FrameIndex,
    position: usize,
}

/// When and where the frames of a tape are.
#[derive(Debug, Default)]
struct FrameIndex {
    /// Ticks of all frames.
    ticks: Vec<u64>,
    /// Chunks of frames, each with how many frames come before it.
    chunks: Vec<(usize, ChunkEntry)>,
    /// Why others cannot be read.
    lost: Vec<Error>,
}

impl TapeReel {
    /// The frames as `view` sees them, as the first of the views where none is given.
    pub(super) fn open(file: TapeFile, view: Option<View>) -> wire::Result<Self> {
        let source = Shared(Rc::new(RefCell::new(file)));
        let mut recording = Recording::open(source.clone())?;
        let setup = setup_of(&mut recording)?;
        let views = recording.tape().views().and(ViewSet::up_to(setup.max_view()));
        let first = views.iter().next().unwrap_or(View::SPECTATOR);
        let view = view.unwrap_or(first);
        check_view(views.with(first), view)?;
        let player = play(&source, &setup, view)?;
        let index = FrameIndex::read(&mut recording)?;
        Ok(Self { source, recording, player, setup, views, index, position: 0 })
    }

    pub(super) fn setup(&self) -> &Setup {
        &self.setup
    }

    fn front(&self) -> &TapeHeader {
        &self.recording.tape().header
    }
}

fn play(
    source: &Shared,
    setup: &Setup,
    view: View,
) -> wire::Result<Player<Shared, ViewTrack<MinewarsView>>> {
    let recording = Recording::open(source.clone())?;
    let state = MinewarsView::new(setup, view);
    Player::view(recording, view, state, PlayerOptions::default())
}

impl FrameIndex {
    /// Of all frames that can be read.
    fn read(recording: &mut Recording<Shared>) -> wire::Result<Self> {
        let mut index = Self::default();
        for entry in recording.entries(ChunkKind::FRAMES, 0) {
            let raw = match recording.raw(&entry) {
                Ok(raw) => raw,
                Err(error) => {
                    index.lost.push(error);
                    continue;
                }
            };
            index.chunks.push((index.ticks.len(), entry));
            let frames = TapeFrames::new(&entry.header, &raw).map_while(Result::ok);
            index.ticks.extend(frames.map(|frame| frame.tick));
            FRAMES.check(index.ticks.len() as u64, entry.offset)?;
        }
        Ok(index)
    }

    /// The chunk that a frame stands in, and its number there.
    fn find(&self, frame: usize) -> Option<(ChunkEntry, usize)> {
        let behind = self.chunks.partition_point(|(before, _)| *before <= frame);
        let (before, entry) = *self.chunks.get(behind.checked_sub(1)?)?;
        Some((entry, frame - before))
    }
}

impl Reel for TapeReel {
    fn len(&self) -> usize {
        self.index.ticks.len()
    }

    fn position(&self) -> usize {
        self.position
    }

    fn state(&self) -> &ViewState {
        self.player.state().state()
    }

    fn seek(&mut self, position: usize) -> wire::Result<()> {
        let frame = position.checked_sub(1).and_then(|frame| self.index.ticks.get(frame));
        self.player.seek(frame.map_or(0, |tick| tick + 1))?;
        self.position = position;
        Ok(())
    }

    fn time_at(&self, position: usize) -> u64 {
        let frame = position.min(self.len()).checked_sub(1);
        frame.map_or(0, |frame| milliseconds(self.front(), self.index.ticks[frame]))
    }

    fn position_at(&self, time: u64) -> usize {
        self.index.ticks.partition_point(|tick| milliseconds(self.front(), *tick) <= time)
    }

    fn told_before(&mut self, position: usize) -> Option<Told> {
        let (entry, number) = self.index.find(position.checked_sub(1)?)?;
        let raw = self.recording.raw(&entry).ok()?;
        let frame = TapeFrames::new(&entry.header, &raw).nth(number)?.ok()?;
        Some(Told::of(self.state().view(), frame.views, frame.parts()))
    }

    fn views(&self) -> ViewSet {
        self.views
    }

    fn change_view(&mut self, view: View) -> wire::Result<()> {
        check_view(self.views, view)?;
        self.player = play(&self.source, &self.setup, view)?;
        self.seek(self.position)
    }

    fn problems(&self) -> (Vec<Error>, u64) {
        let problem = |finding: &PlayFinding| {
            let kind = ErrorKind::BadSyntax { problem: finding.to_string().into() };
            Error::new(Place::Nowhere, "tape", kind)
        };
        let found = self.player.findings().iter().map(problem);
        (self.index.lost.iter().cloned().chain(found).collect(), self.problem_count())
    }

    fn problem_count(&self) -> u64 {
        (self.index.lost.len() + self.player.findings().len()) as u64
    }

    fn doubt(&self) -> Option<String> {
        let lost = self.player.doubt()?;
        Some(format!("ticks {} to {} are lost", lost.start, lost.end))
    }
}
