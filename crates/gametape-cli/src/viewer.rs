//! The browser's viewer, for `view` and `export`: its files, and links into a recording.

use std::path::PathBuf;

use gametape_replay::open::Opened;
use gametape_server::{Assets, NotBuilt};
use gametape_wire::{Error, Source as Bytes, When};

use crate::failure::{Failure, warn};
use crate::input::Source;
use crate::view_arg::ViewArg;
pub(crate) use gametape_files::Begin;

/// Which viewer is used.
#[derive(Debug, clap::Args)]
pub(crate) struct ViewerArg {
    /// Use the viewer in this folder instead of the built-in one, to develop it
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    viewer: Option<PathBuf>,
}

impl ViewerArg {
    /// The files of the viewer, which may be none.
    pub(crate) fn assets(&self) -> Result<Assets, Failure> {
        let Some(folder) = &self.viewer else { return Ok(Assets::embedded()) };
        Assets::in_folder(folder).map_err(|error| Failure::io(&folder.display(), &error))
    }

    /// The same, with a warning where there are none.
    pub(crate) fn assets_or_warning(&self) -> Result<Assets, Failure> {
        let assets = self.assets()?;
        if !assets.is_built() {
            warn(&"viewer", NotBuilt);
        }
        Ok(assets)
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
        let at = self.at.as_ref().map(|at| (&*at.text, at.when));
        Begin::find(source, opened, at, self.view.given.as_ref())
    }

    /// What they mean in a recording that cannot be looked at from here: views by number only.
    pub(crate) fn unseen(&self) -> Result<Begin, Failure> {
        Begin::unseen(self.at.as_ref().map(|at| &*at.text), self.view.given.as_ref())
    }
}
