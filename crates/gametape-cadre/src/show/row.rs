//! One delta as a line.

use std::fmt;
use std::str::FromStr;

use anstyle::{AnsiColor, Style};
use gametape_wire::text::{count, printable};
use gametape_wire::{self as wire, Error};

use super::{Players, Prefix, brief};
use crate::check::records::{Action, ChangeCount, Played};
use crate::text::json::Kind;
use crate::text::raw::Raw;

/// Which deltas to list; all of them by default.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Filter {
    /// Only those of this player, by id or name.
    pub player: Option<String>,
    /// Only those of these types, unless there are none.
    pub kinds: Vec<String>,
    /// Only those after which it is one of these turns.
    pub turns: Option<TurnSpan>,
    /// Only calls that were refused.
    pub refused: bool,
}

impl Filter {
    /// Refuses a player that is not among these.
    pub fn check(&self, players: &Players) -> wire::Result<()> {
        match &self.player {
            Some(wanted) if !players.has(wanted) => {
                let problem = format!("there is no player {wanted:?}: {}", players.list());
                Err(Error::misuse("player", problem))
            }
            _ => Ok(()),
        }
    }

    /// Is that a delta to list?
    #[must_use]
    pub fn wants(&self, Played { record, turn, .. }: &Played<'_>, players: &Players) -> bool {
        let is_of =
            |wanted: &String| record.player.as_ref().is_some_and(|id| players.is(id, wanted));
        let is_in =
            |turns: TurnSpan| turn.is_some_and(|turn| (turns.first..=turns.last).contains(&turn));
        self.player.as_ref().is_none_or(is_of)
            && (!self.refused || record.invalid.is_some())
            && self.turns.is_none_or(is_in)
            && (self.kinds.is_empty() || self.kinds.iter().any(|kind| *kind == record.kind))
    }
}

/// A span of turns: `N`, `N-M`, `N-` or `-M`, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnSpan {
    /// The first turn.
    pub first: i64,
    /// The last turn.
    pub last: i64,
}

impl FromStr for TurnSpan {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let end = |text: &str, open: i64| if text.is_empty() { Ok(open) } else { text.parse() };
        let ends = match text.split_once('-') {
            Some(("", "")) => return Err("turns are N, N-M, N- or -M"),
            Some((first, last)) => (end(first, i64::MIN), end(last, i64::MAX)),
            None => (text.parse(), text.parse()),
        };
        match ends {
            (Ok(first), Ok(last)) if first > last => Err("the first turn is after the last"),
            (Ok(first), Ok(last)) => Ok(Self { first, last }),
            _ => Err("turns are N, N-M, N- or -M"),
        }
    }
}

/// A delta that was played, as a line of text or a JSON object.
#[derive(Debug)]
pub struct Row<'a> {
    pub(super) played: &'a Played<'a>,
    who: String,
}

impl<'a> Row<'a> {
    /// The row of a delta.
    #[must_use]
    pub fn new(played: &'a Played<'a>, players: &Players) -> Self {
        let id = played.record.player.as_deref();
        Self { played, who: id.map_or_else(String::new, |id| players.title(id)) }
    }
}

impl fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Played { record, turn, changes, .. } = self.played;
        let (kind, who) = (&*record.kind, &*self.who);
        write!(f, "{}", Prefix { delta: record.index, turn: *turn, kind, who })?;
        write_action(&record.action, f)?;
        if let Some(returned) = record.returned {
            write!(f, " = {}", brief(returned))?;
        }
        if let Some(invalid) = record.invalid {
            let red = Style::new().fg_color(Some(AnsiColor::Red.into()));
            let why = invalid.as_str().map_or_else(|| brief(invalid), |text| printable(&text));
            write!(f, "  {red}refused: {why}{red:#}")?;
        }
        if let Some(data) = record.unknown {
            write!(f, " {}", brief(data))?;
        }
        write_changes(changes, f)
    }
}

/// `#7.move(tile: #12)`
fn write_action(action: &Action<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match action {
        Action::None => Ok(()),
        Action::Ran { function, caller, args } => {
            if let Some(caller) = caller {
                write!(f, "#{}.", printable(caller))?;
            }
            write!(f, "{}({})", printable(function), arguments(*args))
        }
        Action::Order { name, args, errors, .. } => {
            write!(f, "{}({})", printable(name), arguments(*args))?;
            match errors {
                Some(errors @ 1..) => write!(f, ", {}", count(*errors as u64, "error")),
                _ => Ok(()),
            }
        }
    }
}

/// `tile: #12, amount: 3`
fn arguments(args: Option<Raw<'_>>) -> String {
    let Some(args) = args else { return String::new() };
    let named = args.entries().map_while(Result::ok);
    let named =
        named.map(|(name, value)| format!("{}: {}", printable(&name.as_str()), brief(value)));
    let listed = args.elements().map_while(Result::ok).map(brief);
    match args.kind() {
        Kind::Object => named.collect::<Vec<_>>().join(", "),
        Kind::List => listed.collect::<Vec<_>>().join(", "),
        _ => brief(args),
    }
}

fn write_changes(changes: &ChangeCount, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let ChangeCount { added, replaced, removed, objects } = changes;
    let dim = Style::new().dimmed();
    for (sign, number) in [("+", added), ("~", replaced), ("-", removed)] {
        if *number > 0 {
            write!(f, "  {dim}{sign}{number}{dim:#}")?;
        }
    }
    match objects {
        0 => Ok(()),
        objects => write!(f, "  {dim}in {}{dim:#}", count(*objects as u64, "object")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Log, Options, play, sample};

    /// Each condition alone, and all of them together.
    #[test]
    fn a_filter_wants_what_fits_all_its_conditions() {
        let log = Log::open(sample::log(300, 1), &Options::default()).unwrap();
        let players = Players::of(&log);
        let list = |filter: &Filter| -> Vec<usize> {
            let all = play(&log).unwrap().map(|played| played.unwrap());
            all.filter(|played| filter.wants(played, &players)).map(|it| it.record.index).collect()
        };
        let everything = list(&Filter::default());
        assert_eq!(everything.len(), log.len());
        let id = play(&log).unwrap().find_map(|played| played.unwrap().record.player).unwrap();
        let turns = Some("2-5".parse().unwrap());
        let filters = [
            Filter { player: Some(id.clone().into_owned()), ..Filter::default() },
            Filter { kinds: vec!["ran".to_owned(), "finished".to_owned()], ..Filter::default() },
            Filter { turns, ..Filter::default() },
            Filter { refused: true, ..Filter::default() },
        ];
        let lists = filters.each_ref().map(list);
        for (one, list) in lists.iter().enumerate() {
            assert!(!list.is_empty() && list.len() < log.len(), "{one}");
        }
        let [player, kinds, turns, refused] = filters;
        let all = Filter {
            player: player.player,
            kinds: kinds.kinds,
            turns: turns.turns,
            refused: refused.refused,
        };
        let fits = |index: &usize| lists.iter().all(|list| list.contains(index));
        let expected: Vec<usize> = everything.iter().copied().filter(fits).collect();
        assert!(!expected.is_empty());
        assert_eq!(list(&all), expected);
    }

    #[test]
    fn turns_are_spans_with_both_ends() {
        let span = |first, last| Ok(TurnSpan { first, last });
        assert_eq!("3".parse(), span(3, 3));
        assert_eq!("3-5".parse(), span(3, 5));
        assert_eq!("3-".parse(), span(3, i64::MAX));
        assert_eq!("-5".parse(), span(i64::MIN, 5));
        for wrong in ["", "-", "a", "3-b", "1-2-3"] {
            assert!(wrong.parse::<TurnSpan>().is_err(), "{wrong}");
        }
    }
}
