//! A view as an argument.

use gametape_replay::ViewName;

/// Whose view to show.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ViewArg {
    /// The view to show: the name or number of a player, or 0 for the spectator [default: 0]
    #[arg(long = "view", value_name = "VIEW")]
    pub(crate) given: Option<ViewName>,
}
