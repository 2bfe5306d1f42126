//! A view or a player as an argument: a number, or the name of the player.

use std::fmt::Display;
use std::str::FromStr;

use gametape_minewars::ReplayFile;
use gametape_replay::players_of_minewars;
use gametape_wire::{View, ViewSet};

use crate::failure::Failure;
use crate::tape::{Metadata, Seat};
use crate::text::printable;

/// Whose view to show.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ViewArg {
    /// The view to show: the name or number of a player, or 0 for the spectator [default: 0]
    #[arg(long = "view", value_name = "VIEW")]
    pub(crate) given: Option<ViewName>,
}

impl ViewArg {
    /// The view that was given, or the spectator.
    pub(crate) fn find(
        &self,
        source: &impl Display,
        names: impl FnOnce() -> Names,
    ) -> Result<View, Failure> {
        self.given.as_ref().map_or(Ok(View::SPECTATOR), |name| name.find(source, names))
    }
}

/// A view by its number or by the name of its player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ViewName {
    Number(View),
    Name(String),
}

impl FromStr for ViewName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse().ok().and_then(View::new) {
            _ if text.is_empty() => Err("a view has a number or a name".to_owned()),
            Some(view) if is_number => Ok(Self::Number(view)),
            _ if is_number => Err(format!("views are 0 to {}", View::MAX)),
            _ => Ok(Self::Name(text.to_owned())),
        }
    }
}

impl ViewName {
    /// The view in a recording with these players, which are asked for only if a name was given.
    /// Letter case matters only where two names differ in nothing else.
    pub(crate) fn find(
        &self,
        source: &impl Display,
        names: impl FnOnce() -> Names,
    ) -> Result<View, Failure> {
        match self {
            Self::Number(view) => Ok(*view),
            Self::Name(_) => self.find_in(source, &names()),
        }
    }

    /// The view in a recording with these players.
    fn find_in(&self, source: &impl Display, names: &Names) -> Result<View, Failure> {
        let wanted = match self {
            Self::Number(view) => return Ok(*view),
            Self::Name(name) => name,
        };
        let folded = wanted.to_lowercase();
        let exact: Vec<View> = names.views(|name| name == wanted);
        let found = match &*exact {
            [] => names.views(|name| name.to_lowercase() == folded),
            _ => exact,
        };
        let problem = match &*found {
            [view] => return Ok(*view),
            [] if folded == "spectator" => return Ok(View::SPECTATOR),
            [] => format!("{source} has no player {wanted:?}: {}", names.list()),
            _ => format!("{source} has several players {wanted:?}: {}", names.list()),
        };
        Err(Failure::usage(problem))
    }
}

/// The views that several arguments mean; none where none are given.
pub(crate) fn find_all(
    given: &[ViewName],
    source: &impl Display,
    names: impl FnOnce() -> Names,
) -> Result<ViewSet, Failure> {
    let is_name = |view: &ViewName| matches!(view, ViewName::Name(_));
    // Names may be expensive to find.
    let names = if given.iter().any(is_name) { names() } else { Names::default() };
    given.iter().map(|view| view.find_in(source, &names)).collect()
}

/// The names of the players by view.
#[derive(Debug, Default)]
pub(crate) struct Names(Vec<(View, String)>);

impl Names {
    /// These names.
    pub(crate) fn of(names: Vec<(View, String)>) -> Self {
        Self(names)
    }

    /// Those in the setup of a MineWars file, or else those that joined, as far as it can be read.
    pub(crate) fn of_file(file: &ReplayFile<'_>) -> Self {
        Self(players_of_minewars(file).unwrap_or_default())
    }

    /// Those in the metadata of a tape.
    pub(crate) fn of_tape(metadata: &Metadata) -> Self {
        let view = |seat| match seat {
            Seat::View(number) => u8::try_from(number).ok().and_then(View::new),
            _ => None,
        };
        let players = metadata.players().into_iter();
        Self(players.filter_map(|player| Some((view(player.seat)?, player.name))).collect())
    }

    fn views(&self, is_it: impl Fn(&str) -> bool) -> Vec<View> {
        self.0.iter().filter(|(_, name)| is_it(name)).map(|(view, _)| *view).collect()
    }

    /// `the players are 1 Ana, 2 Ben`
    fn list(&self) -> String {
        let names = self.0.iter().map(|(view, name)| format!("{view} {}", printable(name)));
        match &*names.collect::<Vec<_>>() {
            [] => "its players have no names".to_owned(),
            names => format!("the players are {}", names.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str) -> Option<u8> {
        let names = [(1, "Ana"), (2, "Ben"), (3, "ben"), (4, "Émile"), (5, "CLEO")];
        let names = names.map(|(view, name)| (View::new(view).unwrap(), name.to_owned()));
        let view = text.parse::<ViewName>().ok()?.find(&"match.tape", || Names(names.into()));
        view.ok().map(View::number)
    }

    #[test]
    fn views_have_numbers_and_names() {
        let found = ["0", "15", "Ana", "ana", "ben", "émile", "cleo", "spectator"].map(find);
        let views = [0, 15, 1, 1, 3, 4, 5, 0];
        assert_eq!(found, views.map(Some));
    }

    #[test]
    fn other_names_are_refused() {
        for text in ["", "16", "BEN", "Dora", "-1"] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
