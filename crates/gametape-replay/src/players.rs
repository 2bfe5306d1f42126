//! Who plays in a recording, and views by the names of their players.

use std::str::FromStr;

use gametape_minewars::{ReplayFile, player_names};
use gametape_tape::Tape;
use gametape_wire::{Error, Result, View, ViewSet};

use crate::metadata::{Seat, players};
use crate::text::printable;

/// The players that have views.
pub type NamedViews = Vec<(View, String)>;

/// The views of a tape whose players its metadata names.
#[must_use]
pub fn players_of_tape(tape: &Tape) -> NamedViews {
    let view = |seat: Seat| match seat {
        Seat::View(number) => u8::try_from(number).ok().and_then(View::new),
        Seat::Player(_) => None,
    };
    players(tape).into_iter().filter_map(|row| Some((view(row.seat)?, row.name))).collect()
}

/// The view of a tape that somebody names, or its first one. Refused where the tape does not have it.
pub fn view_in_tape(tape: &Tape, who: Option<&ViewName>) -> Result<View> {
    let view = match who {
        Some(name) => name.find(|| players_of_tape(tape))?,
        None => tape.first_view(),
    };
    tape.check_views(ViewSet::EMPTY.with(view))?;
    Ok(view)
}

/// The views of a MineWars file and their players: those of the setup, or else those that joined.
pub fn players_of_minewars(file: &ReplayFile<'_>) -> Result<NamedViews> {
    let names = player_names(file)?.into_iter();
    Ok(names.filter_map(|(player, name)| Some((View::new(player)?, name))).collect())
}

/// A view by its number, or by the name of its player.
///
/// ```
/// use gametape_replay::ViewName;
/// use gametape_wire::View;
///
/// let ana = (View::new(1).unwrap(), "Ana".to_owned());
/// let name: ViewName = "ana".parse()?;
/// assert_eq!(name.find(|| vec![ana])?.number(), 1);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewName {
    /// Its number.
    Number(View),
    /// The name of its player.
    Name(String),
}

impl FromStr for ViewName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refused = |problem: String| Err(Error::misuse(format!("{text:?}"), problem));
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse().ok().and_then(View::new) {
            _ if text.is_empty() => refused("a view has a number or a name".to_owned()),
            Some(view) if is_number => Ok(Self::Number(view)),
            _ if is_number => refused(format!("views are 0 to {}", View::MAX)),
            _ => Ok(Self::Name(text.to_owned())),
        }
    }
}

impl ViewName {
    /// The view in a recording with these players, which are asked for only if a name was given.
    /// Letter case matters only where two names differ in nothing else. Refused where no player is
    /// called so, or several are.
    pub fn find(&self, players: impl FnOnce() -> NamedViews) -> Result<View> {
        match self {
            Self::Number(view) => Ok(*view),
            Self::Name(name) => find_player(name, &players()),
        }
    }

    /// The views that several names mean; none where none are given.
    pub fn find_all(given: &[Self], players: impl FnOnce() -> NamedViews) -> Result<ViewSet> {
        let is_name = |view: &Self| matches!(view, Self::Name(_));
        // Names may be expensive to find.
        let players = if given.iter().any(is_name) { players() } else { Vec::new() };
        given.iter().map(|view| view.find(|| players.clone())).collect()
    }
}

fn find_player(wanted: &str, players: &[(View, String)]) -> Result<View> {
    let called = |is_it: &dyn Fn(&str) -> bool| -> Vec<View> {
        players.iter().filter(|(_, name)| is_it(name)).map(|(view, _)| *view).collect()
    };
    let folded = wanted.to_lowercase();
    let exact = called(&|name| name == wanted);
    let found =
        if exact.is_empty() { called(&|name| name.to_lowercase() == folded) } else { exact };
    let problem = match &*found {
        [view] => return Ok(*view),
        [] if folded == "spectator" => return Ok(View::SPECTATOR),
        [] => format!("there is no player {wanted:?}: {}", list(players)),
        _ => format!("there are several players {wanted:?}: {}", list(players)),
    };
    Err(Error::misuse("view", problem))
}

/// `the players are 1 Ana, 2 Ben`
fn list(players: &[(View, String)]) -> String {
    let names = players.iter().map(|(view, name)| format!("{view} {}", printable(name)));
    match &*names.collect::<Vec<_>>() {
        [] => "the players have no names".to_owned(),
        names => format!("the players are {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn players() -> NamedViews {
        let names = [(1, "Ana"), (2, "Ben"), (3, "ben"), (4, "Émile"), (5, "CLEO")];
        names.map(|(view, name)| (View::new(view).unwrap(), name.to_owned())).into()
    }

    fn find(text: &str) -> Option<u8> {
        text.parse::<ViewName>().ok()?.find(players).ok().map(View::number)
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

    #[test]
    fn several_names_are_a_set() {
        let given = ["2", "Ana"].map(|text| text.parse::<ViewName>().unwrap());
        let views = ViewName::find_all(&given, players).unwrap();
        assert_eq!(views.iter().map(View::number).collect::<Vec<_>>(), [1, 2]);
        let numbers = ViewName::find_all(&given[..1], || unreachable!("nobody asked for a name"));
        assert_eq!(numbers.unwrap().len(), 1);
    }
}
