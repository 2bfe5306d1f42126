//! Checking a log: everything that is wrong or odd about it, as values.

pub(crate) mod find;
pub(crate) mod outcome;
pub(crate) mod records;

use std::collections::BTreeMap;
use std::fmt;

use gametape_wire::{Error, Result};

use crate::check::outcome::{Disagreement, Outcome};
use crate::log::{Delta, Log};
use crate::merge::Merger;
use crate::merge::watch::{Oddity, Site, Watch};
use crate::state::keys::{Key, Keys};
use crate::state::tree::{ROOT, Shape, Tree, Value};
use crate::state::{Node, State};
use crate::text;
use crate::text::json::Kind;
use crate::text::path;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Real logs have it, and it has a defined meaning.
    Warning,
    /// Something could not be read or merged.
    Error,
}

/// What is wrong or odd.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// A removal of something that is not there.
    StrayRemoval,
    /// A list that does not have the length that its delta states.
    LengthMismatch {
        /// The length in the delta.
        stated: u32,
        /// The length of the list afterwards.
        made: u32,
    },
    /// A list delta on an object, which stays one.
    KindKept,
    /// A key on a list that is no index.
    IgnoredKey,
    /// A key twice in one object.
    DuplicateKey,
    /// A reference to a game object that is not there.
    UnknownReference {
        /// The id.
        id: String,
    },
    /// A type that is not known.
    UnknownType {
        /// The type.
        kind: String,
    },
    /// `start` that is not first, `over` that is not last, or one of them missing.
    OddOrder {
        /// The type.
        kind: &'static str,
    },
    /// The lists of winners and losers against the last state.
    OutcomeDisagrees(Disagreement),
    /// `data` that is not valid JSON.
    BadData(Error),
    /// `game` that cannot be merged; it was left out.
    BadDelta(Error),
}

impl Problem {
    /// How bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match self {
            Self::BadData(_) | Self::BadDelta(_) => Severity::Error,
            _ => Severity::Warning,
        }
    }

    /// A short name for it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::StrayRemoval => "stray removal",
            Self::LengthMismatch { .. } => "length mismatch",
            Self::KindKept => "kind kept",
            Self::IgnoredKey => "ignored key",
            Self::DuplicateKey => "duplicate key",
            Self::UnknownReference { .. } => "unknown reference",
            Self::UnknownType { .. } => "unknown type",
            Self::OddOrder { .. } => "odd order",
            Self::OutcomeDisagrees(_) => "outcome disagrees",
            Self::BadData(_) => "bad data",
            Self::BadDelta(_) => "bad delta",
        }
    }
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// In which delta, if it is about one.
    pub delta: Option<usize>,
    /// Where in the delta's `game`; empty if it is about the whole.
    pub path: String,
    /// What.
    pub problem: Problem,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.problem.name())?;
        match &self.problem {
            Problem::LengthMismatch { stated, made } => write!(f, ": {stated} stated, {made} made"),
            Problem::UnknownReference { id } => write!(f, ": {id}"),
            Problem::UnknownType { kind } => write!(f, ": {kind}"),
            Problem::OddOrder { kind } => write!(f, ": {kind}"),
            Problem::OutcomeDisagrees(disagreement) => write!(f, ": {disagreement}"),
            Problem::BadData(error) | Problem::BadDelta(error) => write!(f, ": {error}"),
            _ => Ok(()),
        }?;
        match (self.delta, &*self.path) {
            (Some(delta), "") => write!(f, " (deltas[{delta}])"),
            (Some(delta), path) => write!(f, " (deltas[{delta}].game.{path})"),
            (None, _) => Ok(()),
        }
    }
}

/// What a check came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// How many findings there were of each name.
    pub counts: BTreeMap<&'static str, usize>,
    /// How many of all were errors.
    pub errors: usize,
    /// How many were warnings.
    pub warnings: usize,
    /// The hash of the last state.
    pub last_hash: [u8; 32],
    /// How the game ended.
    pub outcome: Outcome,
}

/// Merges every delta and gives every finding to `sink`, in order.
///
/// ```
/// use gametape_cadre::{Log, Options, sample, verify};
///
/// let log = Log::open(sample::log(100, 1), &Options::default()).unwrap();
/// let mut first = None;
/// let verdict = verify(&log, |finding| first = first.take().or(Some(finding))).unwrap();
/// assert_eq!(verdict.errors, 0);
/// assert_eq!(first.unwrap().to_string(), "stray removal (deltas[5].game.7)");
/// ```
pub fn verify(log: &Log, sink: impl FnMut(Finding)) -> Result<Verdict> {
    let mut merger = Merger::new(log.markers().clone())?;
    let mut checker =
        Checker { sink, delta: 0, found: Vec::new(), counts: BTreeMap::new(), errors: 0 };
    checker.check_order(log);
    for delta in log.deltas() {
        checker.delta = delta.index();
        checker.check_delta(&delta);
        checker.merge(log, &mut merger);
    }
    let state = State { tree: &merger.tree, keys: &merger.keys, text: log.text() };
    let outcome = Outcome::of(state, log.header());
    for disagreement in outcome.disagreements.clone() {
        checker.report(None, String::new(), Problem::OutcomeDisagrees(disagreement));
    }
    let (counts, errors) = (checker.counts, checker.errors);
    let warnings = counts.values().sum::<usize>() - errors;
    Ok(Verdict { warnings, counts, errors, last_hash: state.hash(), outcome })
}

/// The types that are known.
const KNOWN_TYPES: [&str; 6] = ["start", "order", "ran", "finished", "disconnect", "over"];

struct Checker<F> {
    sink: F,
    delta: usize,
    /// Found in the current delta, which may have to start over.
    found: Vec<(String, Problem)>,
    counts: BTreeMap<&'static str, usize>,
    errors: usize,
}

impl<F: FnMut(Finding)> Checker<F> {
    fn report(&mut self, delta: Option<usize>, path: String, problem: Problem) {
        *self.counts.entry(problem.name()).or_default() += 1;
        self.errors += usize::from(problem.severity() == Severity::Error);
        (self.sink)(Finding { delta, path, problem });
    }

    fn check_order(&mut self, log: &Log) {
        let ends = [("start", 0), ("over", log.len().wrapping_sub(1))];
        for (kind, place) in ends {
            let is_there = log.delta(place).is_some_and(|delta| delta.kind() == kind);
            let elsewhere =
                log.deltas().find(|delta| delta.kind() == kind && delta.index() != place);
            if let Some(delta) = elsewhere {
                self.report(Some(delta.index()), String::new(), Problem::OddOrder { kind });
            } else if !is_there {
                self.report(None, String::new(), Problem::OddOrder { kind });
            }
        }
    }

    fn check_delta(&mut self, delta: &Delta<'_>) {
        let kind = delta.kind();
        if !KNOWN_TYPES.contains(&&*kind) {
            let kind = kind.into_owned();
            self.report(Some(delta.index()), String::new(), Problem::UnknownType { kind });
        }
        if let Some(Err(error)) = delta.data().map(|data| data.validate()) {
            self.report(Some(delta.index()), String::new(), Problem::BadData(error));
        }
    }

    fn merge(&mut self, log: &Log, merger: &mut Merger) {
        let mut watcher = Watcher { found: &mut self.found, references: Vec::new() };
        let merged = merger.merge_delta(log, self.delta, &mut watcher);
        let references = watcher.references;
        let delta = Some(self.delta);
        if let Err(error) = merged {
            self.found.clear();
            self.report(delta, String::new(), Problem::BadDelta(error));
            return;
        }
        for (path, problem) in std::mem::take(&mut self.found) {
            self.report(delta, path, problem);
        }
        for (path, id) in references {
            if !has_object(&merger.tree, &merger.keys, &id) {
                let path = path::display(&merger.keys, &path);
                let id = text::lossy(id.into()).into_owned();
                self.report(delta, path, Problem::UnknownReference { id });
            }
        }
        merger.journal.clear();
        merger.tidy();
    }
}

/// Is there a game object with this id?
fn has_object(tree: &Tree, keys: &Keys, id: &[u8]) -> bool {
    let Some(objects) = keys.find(b"gameObjects") else { return false };
    match (tree.get(ROOT, objects).shape(), keys.find(id)) {
        (Shape::Container(objects), Some(key)) => !tree.get(objects, key).is_absent(),
        _ => false,
    }
}

/// Looks on while a delta is merged.
struct Watcher<'a> {
    found: &'a mut Vec<(String, Problem)>,
    /// References to objects that were not there yet.
    references: Vec<(Vec<Key>, Vec<u8>)>,
}

impl Watcher<'_> {
    /// Notes the references in a value that came new.
    fn note_references(&mut self, site: &Site<'_>, value: Value) {
        let state = State { tree: site.tree, keys: site.keys, text: site.text };
        let mut open = vec![(site.path.clone(), value)];
        while let Some((path, value)) = open.pop() {
            let node = Node::anywhere(state, value);
            if !matches!(node.kind(), Kind::Object | Kind::List) {
                continue;
            }
            match node.reference_id().filter(|_| !is_game_object(site.keys, &path)) {
                Some(id) if !has_object(site.tree, site.keys, &id) => {
                    self.references.push((path, id.into_owned()));
                }
                Some(_) => {}
                None => open.extend(node.sorted().into_iter().map(|(key, value)| {
                    let path = path.iter().copied().chain([key]).collect();
                    (path, value)
                })),
            }
        }
    }
}

/// Is that the path of a direct child of the root's `gameObjects`?
fn is_game_object(keys: &Keys, path: &[Key]) -> bool {
    matches!(path, [objects, _] if *keys.name(*objects) == *b"gameObjects")
}

impl Watch for Watcher<'_> {
    const ACTIVE: bool = true;

    fn change(&mut self, site: &Site<'_>, _: Value, new: Value) {
        self.note_references(site, new);
    }

    fn odd(&mut self, keys: &Keys, path: Vec<Key>, oddity: Oddity) {
        let problem = match oddity {
            Oddity::StrayRemoval => Problem::StrayRemoval,
            Oddity::LengthMismatch { stated, made } => Problem::LengthMismatch { stated, made },
            Oddity::KindKept => Problem::KindKept,
            Oddity::IgnoredKey => Problem::IgnoredKey,
            Oddity::DuplicateKey => Problem::DuplicateKey,
        };
        self.found.push((path::display(keys, &path), problem));
    }

    fn start_over(&mut self) {
        self.found.clear();
        self.references.clear();
    }
}
