//! The browser's viewer, for `view` and `export`: its files, and links into a recording.

use std::path::PathBuf;

use gametape_cadre::Options;
use gametape_replay::open::Opened;
use gametape_scene::stage::Stage;
use gametape_server::{Assets, NotBuilt};
use gametape_wire::{Error, Source as Bytes, When};

use crate::failure::Failure;
use crate::games::{GAMES, dress};
use crate::global::max_memory;
use crate::input::Source;
use crate::view_arg::ViewArg;

/// Which viewer is used.
#[derive(Debug, clap::Args)]
pub(crate) struct ViewerArg {
    /// Use the viewer in this folder instead of the one inside this program, for those who change it
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    viewer: Option<PathBuf>,
}

impl ViewerArg {
    /// The files of the viewer, which may be none.
    pub(crate) fn assets(&self) -> Result<Assets, Failure> {
        let Some(folder) = &self.viewer else { return Ok(Assets::embedded()) };
        Assets::in_folder(folder).map_err(|error| Failure::io(&folder.display(), &error))
    }

    /// The files of the viewer, or what is missing.
    pub(crate) fn needed(&self) -> Result<Assets, Failure> {
        self.assets()?.built().map_err(|missing| no_viewer(&missing))
    }
}

fn no_viewer(missing: &NotBuilt) -> Failure {
    Failure::refused(&"viewer", &missing.to_string())
}

/// Where in a recording the viewer begins.
#[derive(Debug, clap::Args)]
pub(crate) struct BeginArgs {
    /// Begin at this moment: a time such as 3:37.6, 217.6s or -10s (before the end), tick:4352,
    /// turn:12, 50%, start, end
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = moment)]
    at: Option<Written>,

    #[command(flatten)]
    view: ViewArg,
}

/// A moment as it was written.
#[derive(Debug, Clone)]
struct Written {
    text: String,
    when: When,
}

fn moment(text: &str) -> Result<Written, Error> {
    Ok(Written { text: text.to_owned(), when: text.parse()? })
}

/// The same as a link has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Begin {
    /// The moment as people write it.
    pub(crate) at: Option<String>,
    /// The number of the view.
    pub(crate) view: Option<String>,
}

impl BeginArgs {
    /// Is one of them given?
    pub(crate) fn are_given(&self) -> bool {
        self.at.is_some() || self.view.given.is_some()
    }

    /// What they mean in a recording; refused where it has no such moment or view.
    pub(crate) fn find<S: Bytes>(
        &self,
        source: &Source,
        opened: Opened<S>,
    ) -> Result<Begin, Failure> {
        if !self.are_given() {
            return Ok(Begin::default());
        }
        let failed = |error: Error| Failure::of(source, &error);
        let mut stage = open_stage(source, opened).map_err(failed)?;
        let mut begin = Begin::default();
        if let Some(name) = &self.view.given {
            stage.look_as(name).map_err(failed)?;
            begin.view = Some(stage.view().number().to_string());
        }
        if let Some(Written { text, when }) = &self.at {
            stage.find(*when).map_err(failed)?;
            begin.at = Some(text.clone());
        }
        Ok(begin)
    }

    /// What they mean in a recording that cannot be looked at from here: views by number only.
    pub(crate) fn unseen(&self) -> Result<Begin, Failure> {
        let nobody = |error: Error| Failure::of(&"an address of the web", &error);
        let view = self.view.given.as_ref().map(|name| name.find(Vec::new).map_err(nobody));
        let view = view.transpose()?.map(|view| view.number().to_string());
        Ok(Begin { at: self.at.as_ref().map(|at| at.text.clone()), view })
    }
}

/// The bytes of a recording, as many as may be in memory; not of something else: a device may have no end.
pub(crate) fn whole(source: &Source) -> Result<Vec<u8>, Failure> {
    match source.open()? {
        Opened::Tape(tape) => tape.into_bytes(),
        Opened::MineWars(bytes) => Ok(bytes.bytes().to_vec()),
        Opened::Gamelog(bytes) => Ok(bytes.into_bytes()),
        _ => Err(source.unknown()),
    }
}

/// A recording to look at; nothing is reported.
pub(crate) fn open_stage<S: Bytes>(source: &Source, opened: Opened<S>) -> Result<Stage<S>, Error> {
    let options = Options::default().with_max_memory(max_memory());
    let stage = Stage::open(opened, &GAMES, &options)?;
    let dress = dress(stage.content());
    Ok(stage.with_dress(dress).with_default_name(source.short_name()))
}
