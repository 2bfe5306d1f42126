//! The state of a gamelog's game.

use gametape_cadre::limits::EXPANDED;
use gametape_cadre::{Node, State};
use gametape_wire::{Error, ErrorKind, Place};

use crate::failure::{Done, Failure, Outcome};
use crate::gamelog::tree::{Sign, Trees};
use crate::gamelog::{load_at, moment};
use crate::input::{Gamelog, Source};
use crate::moment::When;
use crate::output::{Output, Printer, print};

/// What to show, and how.
pub(super) struct Wanted<'a> {
    pub(super) at: When,
    /// Only the value at this path.
    pub(super) path: Option<&'a str>,
    /// How many references inside each other to follow.
    pub(super) follow: usize,
    pub(super) form: Form,
}

/// How to show it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Tree,
    Json,
    Hash,
}

pub(super) fn show(gamelog: &Gamelog<'_>, wanted: &Wanted<'_>) -> Outcome {
    let timeline = load_at(gamelog, wanted.at)?;
    show_state(gamelog.source, timeline.state(), &moment(&timeline), wanted)
}

/// Shows a state; `moment` says in words when it was so.
pub(super) fn show_state(
    source: &Source,
    state: State<'_>,
    moment: &str,
    wanted: &Wanted<'_>,
) -> Outcome {
    if wanted.form == Form::Hash {
        print(&(state.hash_hex() + "\n"))?;
        return Ok(Done::Fine);
    }
    let node = state.get(wanted.path.unwrap_or_default());
    let node = node.ok_or_else(|| nothing_there(source, moment, wanted))?;
    match wanted.form {
        Form::Json => print_canonical(source, node, wanted.follow)?,
        _ => print_tree(source, moment, node, wanted)?,
    }
    Ok(Done::Fine)
}

fn nothing_there(source: &Source, moment: &str, wanted: &Wanted<'_>) -> Failure {
    let place = Place::Path(wanted.path.unwrap_or_default().to_owned());
    let problem = format!("nothing is there {moment}").into();
    Failure::of(source, &Error::new(place, "state", ErrorKind::BadSyntax { problem }))
}

/// The canonical JSON, to the byte, and an end of line.
fn print_canonical(source: &Source, node: Node<'_>, follow: usize) -> Result<(), Failure> {
    let json = match follow {
        0 => node.canonical(),
        depth => node.expanded(depth).map_err(|error| Failure::of(source, &error))?,
    };
    let mut stdout = Output::stdout();
    stdout.put(&json)?;
    stdout.put(b"\n")?;
    stdout.finish()
}

/// Only a whole state has a title: a value alone is easier to use.
fn print_tree(
    source: &Source,
    moment: &str,
    node: Node<'_>,
    wanted: &Wanted<'_>,
) -> Result<(), Failure> {
    let mut printer = Printer::new();
    if wanted.path.is_none() {
        printer.title(&format!("{source} {moment}"))?;
    }
    let mut trees = Trees::new(&mut printer, Sign::None);
    trees.follow = wanted.follow;
    let shown = trees.root(node);
    let (printed, follow) = (trees.printed, trees.follow);
    printer.finish()?;
    shown.map_err(|failure| match printed > EXPANDED.max && follow > 0 {
        true => {
            let kind = ErrorKind::OverLimit { value: printed, limit: EXPANDED.max };
            Failure::of(source, &Error::new(Place::Nowhere, EXPANDED.name, kind))
        }
        false => failure,
    })
}
