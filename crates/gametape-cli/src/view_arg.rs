//! Players and views on the command line: by number, or by name.

use std::convert::Infallible;
use std::str::FromStr;

use gametape_wire::{View, ViewSet};

use crate::failure::Failure;
use crate::input::Source;
use crate::text::printable;

/// A player or view as it is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlayerArg {
    /// By number; it need not be one of a view.
    Number(u64),
    /// By name.
    Name(String),
}

impl FromStr for PlayerArg {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(text.parse().map_or_else(|_| Self::Name(text.to_owned()), Self::Number))
    }
}

impl PlayerArg {
    /// Is it a name, so that the names of the players are needed?
    pub(crate) fn is_name(&self) -> bool {
        matches!(self, Self::Name(_))
    }

    /// The view that is meant in a recording with these players.
    pub(crate) fn resolve(
        &self,
        source: &Source,
        players: &[(View, String)],
    ) -> Result<View, Failure> {
        match self {
            Self::Number(number) => {
                u8::try_from(*number).ok().and_then(View::new).ok_or_else(|| {
                    Failure::usage(format_args!("{number}: views are 0 to {}", View::MAX))
                })
            }
            Self::Name(name) => named(name, players).ok_or_else(|| unknown(source, name, players)),
        }
    }
}

/// The views that are meant by several arguments.
pub(crate) fn resolve_all(
    given: &[PlayerArg],
    source: &Source,
    players: &[(View, String)],
) -> Result<ViewSet, Failure> {
    given.iter().map(|player| player.resolve(source, players)).collect()
}

/// The view with this name: letter case counts only where several differ in nothing else.
fn named(name: &str, players: &[(View, String)]) -> Option<View> {
    if let Some((view, _)) = players.iter().find(|(_, known)| known == name) {
        return Some(*view);
    }
    if name.eq_ignore_ascii_case("spectator") {
        return Some(View::SPECTATOR);
    }
    let name = name.to_lowercase();
    let mut alike = players.iter().filter(|(_, known)| known.to_lowercase() == name);
    match (alike.next(), alike.next()) {
        (Some((view, _)), None) => Some(*view),
        _ => None,
    }
}

fn unknown(source: &Source, name: &str, players: &[(View, String)]) -> Failure {
    let list: Vec<String> =
        players.iter().map(|(view, known)| format!("{view} {}", printable(known))).collect();
    let known = if list.is_empty() {
        "its players have no names".to_owned()
    } else {
        format!("its players are {}", list.join(", "))
    };
    Failure::usage(format_args!("{source}: no player is called {}: {known}", printable(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(text: &str) -> Option<u8> {
        let players = [(1, "Ana"), (2, "ben"), (3, "Ben"), (4, "7")];
        let players = players.map(|(view, name)| (View::new(view).unwrap(), name.to_owned()));
        let arg: PlayerArg = text.parse().unwrap();
        arg.resolve(&Source::Stdin, &players).ok().map(View::number)
    }

    #[test]
    fn names_and_numbers_lead_to_views() {
        assert_eq!(["Ana", "ANA", "1", "spectator", "0"].map(resolved), [1, 1, 1, 0, 0].map(Some));
        assert_eq!(["ben", "Ben", "7"].map(resolved), [2, 3, 7].map(Some));
        assert_eq!(["BEN", "An", "16", ""].map(resolved), [None; 4]);
    }
}
