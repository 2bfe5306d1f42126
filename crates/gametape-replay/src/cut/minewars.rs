//! Cutting a MineWars file.

use gametape_minewars::{
    Check, Converted, Dialect, FrameLayout, Frames, Losses, ReplayFile, Selection, convert, cut,
    thin_frames, write_file,
};
use gametape_wire::{Error, Result, Tick, TickLength};

use super::CutRequest;
use crate::text::{self, count};

/// A MineWars file that was cut out of another.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct MinewarsCut {
    /// The file.
    pub bytes: Vec<u8>,
    /// What the cut cannot express.
    pub losses: Losses,
    /// Items of the map that were removed, because only the spectator knows them.
    pub hidden_items: usize,
    /// The dialect that it was converted from, because no tool writes it.
    pub converted_from: Option<Dialect>,
    /// Messages of class Unreliable that were left out.
    pub unreliable: u64,
    /// Checksums of the original that are wrong; those of the cut are right.
    pub wrong_checksums: Vec<Error>,
}

impl MinewarsCut {
    /// What is different from the file, one line each.
    #[must_use]
    pub fn changes(&self) -> Vec<String> {
        let converted =
            self.converted_from.map(|from| format!("converted from the dialect {from}"));
        let items = count(self.hidden_items as u64, "item");
        let hidden = (self.hidden_items > 0)
            .then(|| format!("{items} of the map removed: only the spectator knows them"));
        let thinned = (self.unreliable > 0).then(|| unreliable_text(self.unreliable));
        converted.into_iter().chain(hidden).chain(thinned).collect()
    }

    /// What the cut cannot express, one line each.
    #[must_use]
    pub fn lost(&self) -> Vec<String> {
        self.losses.to_string().lines().map(ToOwned::to_owned).collect()
    }
}

/// Some views and some of the time of a MineWars file, as another one that begins at time 0.
pub fn cut_minewars(file: &ReplayFile<'_>, request: &CutRequest) -> Result<MinewarsCut> {
    let mut setup = file.setup().to_setup()?;
    let mut frames = file.frames()?.bytes.into_owned();
    let options = file.write_options();
    let foreign = Some(file.dialect()).filter(|dialect| *dialect == Dialect::MwDatatool);
    if let Some(dialect) = foreign {
        // It only has other numbers for kinds, so nothing is lost.
        let generation = setup.generation;
        Converted { setup, frames, .. } = convert(&setup, &frames, dialect, generation)?;
    }
    let mut unreliable = 0;
    if request.without_unreliable {
        let layout = FrameLayout::new(setup.generation, setup.max_view())?;
        (frames, unreliable) = thin_frames(layout, &frames, setup.generation.into())?;
    }
    let mut selection = Selection::everything(&setup);
    if !request.views.is_empty() {
        let absent = request.views.without(selection.views);
        if !absent.is_empty() {
            let problem = format!("it has views {}, and not {absent}", selection.views);
            return Err(Error::misuse("cut", problem));
        }
        selection.views = request.views;
    }
    let ticks = request.ticks(TickLength::MILLISECOND, end_of(file, &frames)?)?;
    (selection.from, selection.to) = (ticks.start.0, ticks.end.0);
    let part = cut(&setup, &frames, &selection)?;
    Ok(MinewarsCut {
        bytes: write_file(&part.setup, &part.frames, &options)?,
        losses: part.losses,
        hidden_items: part.hidden_items,
        converted_from: foreign,
        unreliable,
        wrong_checksums: file.checks().iter().filter_map(Check::error).collect(),
    })
}

/// How many messages were left out on request.
pub(super) fn unreliable_text(count: u64) -> String {
    format!("left out: {}", text::count(count, "unreliable message"))
}

/// The first time after the last frame.
fn end_of(file: &ReplayFile<'_>, frames: &[u8]) -> Result<Tick> {
    let layout = file.frame_layout()?;
    let last = Frames::new(layout, frames).map_while(Result::ok).last();
    Ok(Tick(last.map_or(0, |frame| frame.time() + 1)))
}
