//! The state of a gamelog's game.

use gametape_cadre::show::{moment, print_tree};
use gametape_cadre::{Node, State};
use gametape_wire::{Error, ErrorKind, Place};

use crate::failure::{Done, Failure, Outcome};
use crate::gamelog::{load_at, print_pieces};
use crate::input::{Gamelog, Source};
use crate::moment::When;
use crate::output::{Output, print};

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
        _ => {
            // Only a whole state has a title: a value alone is easier to use.
            let title = wanted.path.is_none().then(|| format!("{source} {moment}"));
            print_pieces(source, |put| print_tree(title.as_deref(), node, wanted.follow, put))?;
        }
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
