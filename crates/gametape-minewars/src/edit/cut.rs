//! Some views of a recording, some of its time, or both; normative text:
//! `spec/minewars-tools.md`, section 4.

use crate::{Frame, FrameLayout, FrameWriter, Frames};
use gametape_wire::{Error, Result, View, ViewSet};

use crate::dialect::Dialect;
use crate::edit::losses::{Loss, Losses};
use crate::map::{ItemKind, Map, Tile};
use crate::message::whole_messages;
use crate::setup::Setup;
use crate::state::ViewState;

/// What is to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// These views.
    pub views: ViewSet,
    /// Frames at this time and later.
    pub from: u64,
    /// Frames before this time.
    pub to: u64,
}

impl Selection {
    /// Everything there is in a recording with this setup.
    #[must_use]
    pub fn everything(setup: &Setup) -> Self {
        Self { views: ViewSet::up_to(setup.max_view()), from: 0, to: u64::MAX }
    }

    /// The same, of these views.
    #[must_use]
    pub fn with_views(self, views: ViewSet) -> Self {
        Self { views, ..self }
    }

    /// The same, of frames at this time and later.
    #[must_use]
    pub fn with_from(self, from: u64) -> Self {
        Self { from, ..self }
    }

    /// The same, of frames before this time.
    #[must_use]
    pub fn with_to(self, to: u64) -> Self {
        Self { to, ..self }
    }
}

/// A cut of a recording, in the same generation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cut {
    /// Everything before the frames.
    pub setup: Setup,
    /// The frames, from time 0 on.
    pub frames: Vec<u8>,
    /// How many items of the map were removed, because only the spectator may know them.
    pub hidden_items: usize,
    /// What could not be read and is not in the cut.
    pub losses: Losses,
}

/// Cuts a recording whose frames are in the dialect of its setup.
///
/// ```
/// use gametape_minewars::sample::Sample;
/// use gametape_minewars::{Selection, cut};
/// use gametape_minewars::Generation;
/// use gametape_wire::{View, ViewSet};
///
/// let (setup, frames) = Sample::default().build(Generation::Current)?;
/// let second = ViewSet::EMPTY.with(View::new(2).unwrap());
/// let selection = Selection::everything(&setup).with_views(second).with_from(5_000);
/// let cut = cut(&setup, &frames, &selection)?;
/// assert!(cut.frames.len() < frames.len());
/// # Ok::<(), gametape_wire::Error>(())
/// ```
pub fn cut(setup: &Setup, frames: &[u8], selection: &Selection) -> Result<Cut> {
    let layout = FrameLayout::new(setup.generation, setup.max_view())?;
    check(selection, layout)?;
    let mut setup = setup.clone();
    let shown = selection.views.contains(View::SPECTATOR);
    let hidden_items = if shown { 0 } else { setup.map.remove_items()? };
    let mut losses = Losses::default();
    let mut frames = Frames::new(layout, frames);
    let cutter = Cutter { selection, dialect: setup.dialect(), losses: &mut losses };
    let frames = cutter.run(&mut frames, &setup.map)?;
    Ok(Cut { setup, frames, hidden_items, losses })
}

fn check(selection: &Selection, layout: FrameLayout) -> Result<()> {
    let Selection { views, from, to, .. } = *selection;
    let absent = views.without(layout.views());
    let problem = if views.is_empty() {
        "no view is to be kept".to_owned()
    } else if !absent.is_empty() {
        format!("views {absent} do not exist, {} is the last", layout.max_view())
    } else if from >= to {
        format!("nothing lies between {from} and {to}")
    } else {
        return Ok(());
    };
    Err(Error::misuse("cut", problem))
}

impl Map {
    /// Removes what only the spectator may know, and says how much that was.
    pub fn remove_items(&mut self) -> Result<usize> {
        let hidden: Vec<_> = self.tiles().filter(|(_, tile)| tile.item != ItemKind::None).collect();
        for &(coord, tile) in &hidden {
            self.set(coord, Tile { item: ItemKind::None, ..tile })?;
        }
        Ok(hidden.len())
    }
}

struct Cutter<'c> {
    selection: &'c Selection,
    dialect: Dialect,
    losses: &'c mut Losses,
}

impl Cutter<'_> {
    fn run(mut self, frames: &mut Frames<'_>, map: &Map) -> Result<Vec<u8>> {
        let Selection { from, to, views, .. } = *self.selection;
        let mut out = FrameWriter::new(frames.layout());
        let mut end = 0;
        if from > 0 {
            let past = self.play_past(frames, map)?;
            self.begin(&past, map, &mut out)?;
        }
        for frame in frames.by_ref() {
            match frame {
                Ok(frame) if frame.time() >= to => {
                    end = to;
                    break;
                }
                Ok(frame) => {
                    end = frame.time();
                    self.copy(&frame, &mut out)?;
                }
                Err(_) => self.losses.note(Loss::CutFrame, None),
            }
        }
        if views == frames.layout().views() {
            out.idle_until(end.saturating_sub(from))?;
        }
        Ok(out.into_bytes())
    }

    /// What each kept view knows from the frames before the cut.
    fn play_past(&self, frames: &mut Frames<'_>, map: &Map) -> Result<Vec<ViewState>> {
        let Selection { from, views, .. } = *self.selection;
        let fresh = |view| ViewState::new(map, view, self.dialect.generation());
        let mut states: Vec<ViewState> = views.iter().map(fresh).collect();
        loop {
            // Looked at first: the frame at which the cut begins is not yet taken.
            match frames.clone().next() {
                Some(Ok(frame)) if frame.time() < from => {
                    states.iter_mut().for_each(|state| self.play(&frame, state));
                    frames.next();
                }
                Some(Ok(_)) => return Ok(states),
                Some(Err(_)) | None => {
                    let problem = format!("{from} is after the end, which is at {}", frames.time());
                    return Err(Error::misuse("cut", problem));
                }
            }
        }
    }

    fn play(&self, frame: &Frame<'_>, state: &mut ViewState) {
        let Some(payload) = frame.view(state.view()) else { return };
        // What cannot be read or is not on the map changes nothing, as for every other reader.
        state.apply_payload(payload, 0, self.dialect, drop);
    }

    /// Writes the messages that rebuild what each view knows.
    fn begin(&self, past: &[ViewState], map: &Map, out: &mut FrameWriter) -> Result<()> {
        let mut payloads = Vec::with_capacity(past.len());
        for state in past {
            let start = ViewState::new(map, state.view(), self.dialect.generation());
            payloads.push((state.view(), state.rebuild_from(&start)?));
        }
        let views: Vec<(View, &[u8])> = payloads.iter().map(|(view, p)| (*view, &p[..])).collect();
        self.moment(0, &views, out)
    }

    /// Passes the payloads of the kept views on as they are: written again from messages they would
    /// lose what no writer writes.
    fn copy(&mut self, frame: &Frame<'_>, out: &mut FrameWriter) -> Result<()> {
        let wanted = self.selection.views;
        let parts: Vec<(View, &[u8])> = frame
            .parts()
            .flat_map(|part| part.views.and(wanted).iter().map(move |view| (view, part.payload)))
            .collect();
        self.moment(frame.time() - self.selection.from, &parts, out)
    }

    fn moment(&self, time: u64, views: &[(View, &[u8])], out: &mut FrameWriter) -> Result<()> {
        out.moment(time, views, |payload, limit| whole_messages(payload, limit, self.dialect))
    }
}
