//! One delta as a line.

use std::fmt;

use anstyle::{AnsiColor, Style};
use gametape_cadre::{Action, ChangeCount, Kind, Played, Raw};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::gamelog::{Players, Prefix, brief};
use crate::json::embed;
use crate::text::{count, printable};

/// A delta that was played; serialized for machines, displayed for people.
pub(super) struct Row<'a> {
    played: &'a Played<'a>,
    who: String,
}

impl<'a> Row<'a> {
    pub(super) fn of(played: &'a Played<'a>, players: &Players) -> Self {
        let id = played.record.player.as_deref();
        Self { played, who: id.map_or_else(String::new, |id| players.title(id)) }
    }
}

impl fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Played { record, turn, changes, .. } = self.played;
        let (kind, who) = (&*record.kind, &*self.who);
        write!(f, "{}", Prefix { delta: record.index, turn: *turn, kind, who })?;
        write!(f, "{}", Deed(&record.action))?;
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

/// What was done: `#7.move(tile: #12)`
pub(in crate::commands) struct Deed<'a>(pub(in crate::commands) &'a Action<'a>);

impl fmt::Display for Deed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
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
    let ChangeCount { added, replaced, removed, objects, .. } = changes;
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

impl Serialize for Row<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Fields::of(self.played).serialize(serializer)
    }
}

#[derive(Serialize)]
struct Fields<'a> {
    delta: usize,
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    player: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<Run<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<Order<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    returned: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    invalid: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Box<RawValue>>,
    changes: Changes,
}

#[derive(Serialize)]
struct Run<'a> {
    function: &'a str,
    caller: Option<&'a str>,
    args: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct Order<'a> {
    name: &'a str,
    index: Option<i64>,
    args: Option<Box<RawValue>>,
    errors: Option<i64>,
}

#[derive(Serialize)]
struct Changes {
    added: usize,
    replaced: usize,
    removed: usize,
    objects: usize,
}

impl<'a> Fields<'a> {
    fn of(Played { record, turn, changes, .. }: &'a Played<'a>) -> Self {
        let &ChangeCount { added, replaced, removed, objects, .. } = changes;
        Self {
            delta: record.index,
            kind: &record.kind,
            turn: *turn,
            player: record.player.as_deref(),
            run: Run::of(&record.action),
            order: Order::of(&record.action),
            returned: embedded(record.returned),
            invalid: embedded(record.invalid),
            data: embedded(record.unknown),
            changes: Changes { added, replaced, removed, objects },
        }
    }
}

fn embedded(json: Option<Raw<'_>>) -> Option<Box<RawValue>> {
    embed(json?.as_bytes())
}

impl<'a> Run<'a> {
    fn of(action: &'a Action<'_>) -> Option<Self> {
        let Action::Ran { function, caller, args } = action else { return None };
        Some(Self { function, caller: caller.as_deref(), args: embedded(*args) })
    }
}

impl<'a> Order<'a> {
    fn of(action: &'a Action<'_>) -> Option<Self> {
        let Action::Order { name, index, args, errors } = action else { return None };
        Some(Self { name, index: *index, args: embedded(*args), errors: *errors })
    }
}
