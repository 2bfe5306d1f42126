//! Checking a log: everything that is wrong or odd about it, as values.

pub(crate) mod find;
pub(crate) mod outcome;
pub(crate) mod records;

use std::borrow::Cow;
use std::collections::BTreeMap;

use gametape_wire::{Error, ErrorKind, Finding, Place, Report, Result, Severity, Tick};

use crate::check::outcome::Outcome;
use crate::log::{Delta, Log};
use crate::merge::Merger;
use crate::merge::watch::{Oddity, Site, Watch};
use crate::state::keys::{Key, Keys};
use crate::state::tree::{ROOT, Shape, Tree, Value};
use crate::state::{Node, State, decoded};
use crate::text;
use crate::text::path;

/// The names of the rules, as findings have them; `spec/gamelog.md`, section 11.
pub mod rules {
    /// A removal of something that is not there.
    pub const STRAY_REMOVAL: &str = "stray removal";
    /// A list that does not have the length that its delta states.
    pub const LENGTH_MISMATCH: &str = "length mismatch";
    /// A list delta on an object, which stays one.
    pub const KIND_KEPT: &str = "kind kept";
    /// A key on a list that is not an index.
    pub const IGNORED_KEY: &str = "ignored key";
    /// A key twice in one object.
    pub const DUPLICATE_KEY: &str = "duplicate key";
    /// A reference to a game object that is not there.
    pub const UNKNOWN_REFERENCE: &str = "unknown reference";
    /// A type that is not known.
    pub const UNKNOWN_TYPE: &str = "unknown type";
    /// `start` that is not first, `over` that is not last, or one of them missing.
    pub const ODD_ORDER: &str = "odd order";
    /// The lists of winners and losers against the last state.
    pub const OUTCOME_DISAGREES: &str = "outcome disagrees";
    /// `data` that is not valid JSON.
    pub const BAD_DATA: &str = "bad data";
    /// `game` that cannot be merged; it was left out.
    pub const BAD_DELTA: &str = "bad delta";
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// The first findings of each rule, in order, and how many there were of each severity. The tick
    /// of a finding is its delta.
    pub report: Report,
    /// How many findings there were of each rule.
    pub counts: BTreeMap<&'static str, u64>,
    /// The hash of the last state.
    pub last_hash: [u8; 32],
    /// How the game ended.
    pub outcome: Outcome,
}

/// Merges every delta and reports what is wrong or odd, at most `kept_per_rule` findings of each rule.
/// The others are counted.
///
/// ```
/// use gametape_cadre::{Log, Options, sample, verify};
///
/// let log = Log::open(sample::log(100, 1), &Options::default()).unwrap();
/// let verdict = verify(&log, 1).unwrap();
/// assert!(verdict.report.is_sound());
/// let first = verdict.report.findings()[0].to_string();
/// assert_eq!(first, "stray removal: nothing is there to remove (at deltas[5].game.7)");
/// assert_eq!(verdict.counts["stray removal"], verdict.report.warnings());
/// ```
pub fn verify(log: &Log, kept_per_rule: usize) -> Result<Verdict> {
    let mut merger = Merger::new(log.markers().clone(), log.shares())?;
    let mut checker = Checker::new(kept_per_rule as u64);
    checker.check_order(log);
    for delta in log.deltas() {
        checker.check_delta(&delta);
        checker.merge(log, delta.index(), &mut merger);
    }
    let state = State { tree: &merger.tree, keys: &merger.keys, text: log.text() };
    let outcome = Outcome::of(state, log.header());
    for disagreement in &outcome.disagreements {
        checker.warn(rules::OUTCOME_DISAGREES, Place::Nowhere, disagreement.to_string());
    }
    let Checker { report, counts, .. } = checker;
    Ok(Verdict { report, counts, last_hash: state.hash(), outcome })
}

/// The types that are known.
pub(crate) const KNOWN_TYPES: [&str; 6] =
    ["start", "order", "ran", "finished", "disconnect", "over"];

struct Checker {
    report: Report,
    counts: BTreeMap<&'static str, u64>,
    kept_per_rule: u64,
}

impl Checker {
    fn new(kept_per_rule: u64) -> Self {
        Self { report: Report::keeping(usize::MAX), counts: BTreeMap::new(), kept_per_rule }
    }

    /// How many more findings of a rule are kept.
    fn room(&self, rule: &'static str) -> u64 {
        self.kept_per_rule.saturating_sub(self.counts.get(rule).copied().unwrap_or(0))
    }

    fn add(&mut self, finding: Finding) {
        let (rule, severity) = (finding.rule, finding.severity);
        if self.room(rule) > 0 {
            *self.counts.entry(rule).or_default() += 1;
            self.report.add(finding);
        } else {
            self.count(rule, severity, 1);
        }
    }

    fn count(&mut self, rule: &'static str, severity: Severity, count: u64) {
        *self.counts.entry(rule).or_default() += count;
        self.report.add_omitted(severity, count);
    }

    fn warn(&mut self, rule: &'static str, place: Place, problem: String) {
        self.add(Finding::warning(rule, odd(rule, place, problem)));
    }

    fn warn_of_delta(&mut self, rule: &'static str, delta: usize, problem: String) {
        let finding = Finding::warning(rule, odd(rule, place_of(delta), problem));
        self.add(finding.at_tick(Tick(delta as u64)));
    }

    fn check_order(&mut self, log: &Log) {
        let ends = [("start", 0, "first"), ("over", log.len().wrapping_sub(1), "last")];
        for (kind, index, which) in ends {
            let is_there = log.delta(index).is_some_and(|delta| delta.kind() == kind);
            let elsewhere =
                log.deltas().find(|delta| delta.kind() == kind && delta.index() != index);
            if let Some(delta) = elsewhere {
                let problem = format!("{kind} is not the {which} delta");
                self.warn_of_delta(rules::ODD_ORDER, delta.index(), problem);
            } else if !is_there {
                let problem = format!("the {which} delta is not {kind}");
                self.warn(rules::ODD_ORDER, Place::Nowhere, problem);
            }
        }
    }

    fn check_delta(&mut self, delta: &Delta<'_>) {
        let kind = delta.kind();
        if !KNOWN_TYPES.contains(&&*kind) {
            let problem = format!("{:?} is not a known type", path::shortened(&kind));
            self.warn_of_delta(rules::UNKNOWN_TYPE, delta.index(), problem);
        }
        if let Some(Err(error)) = delta.data().map(|data| data.validate()) {
            let error = error.within(format_args!("bad data: deltas[{}]", delta.index()));
            let finding = Finding::error(rules::BAD_DATA, error);
            self.add(finding.at_tick(Tick(delta.index() as u64)));
        }
    }

    fn merge(&mut self, log: &Log, delta: usize, merger: &mut Merger) {
        let mut watcher = Watcher::new(self, delta);
        let merged = merger.merge_delta(log, delta, &mut watcher);
        let found = watcher.found;
        if let Err(error) = merged {
            let finding = Finding::error(rules::BAD_DELTA, error.within(rules::BAD_DELTA));
            self.add(finding.at_tick(Tick(delta as u64)));
            return;
        }
        found.listed.into_iter().for_each(|finding| self.add(finding));
        for (rule, tally) in found.tallies.iter().filter(|(_, tally)| tally.counted > 0) {
            self.count(rule, Severity::Warning, tally.counted);
        }
        self.check_references(log, delta, merger, &found.references);
        merger.journal.clear();
        merger.tidy();
    }

    fn check_references(
        &mut self,
        log: &Log,
        delta: usize,
        merger: &mut Merger,
        references: &References,
    ) {
        let objects = objects_of(&mut merger.tree, &merger.keys);
        for reference in &references.all {
            let Some(id) = string_of(log.text(), reference.id) else { continue };
            let key = merger.keys.find(&id);
            let is_there = objects.zip(key).is_some_and(|(all, key)| merger.tree.has(all, key));
            if is_there {
                continue;
            }
            let rule = rules::UNKNOWN_REFERENCE;
            if self.room(rule) == 0 {
                self.count(rule, Severity::Warning, 1);
                continue;
            }
            let path = path::display(&merger.keys, references.path(reference));
            let problem = format!("there is no game object {}", path::shortened(&text::lossy(id)));
            let finding = Finding::warning(rule, odd(rule, place_in(delta, &path), problem));
            self.add(finding.at_tick(Tick(delta as u64)));
        }
    }
}

/// The string that a value is.
fn string_of(text: &[u8], value: Value) -> Option<Cow<'_, [u8]>> {
    match value.shape() {
        Shape::Plain(span) => Some(decoded(text, span, false)),
        Shape::Escaped(span) => Some(decoded(text, span, true)),
        _ => None,
    }
}

fn odd(rule: &'static str, place: Place, problem: String) -> Error {
    Error::new(place, rule, ErrorKind::BadSyntax { problem: problem.into() })
}

fn place_of(delta: usize) -> Place {
    Place::Path(format!("deltas[{delta}]"))
}

fn place_in(delta: usize, path: &str) -> Place {
    let dot = if path.is_empty() { "" } else { "." };
    Place::Path(format!("deltas[{delta}].game{dot}{path}"))
}

/// The path inside of the `game` that a finding is about; empty when it is about something else.
#[must_use]
pub fn path_in_game(finding: &Finding) -> &str {
    match finding.error.place() {
        Place::Path(path) => path.split_once(".game.").map_or("", |(_, path)| path),
        _ => "",
    }
}

/// The container of the game objects.
pub(crate) fn objects_of(tree: &mut Tree, keys: &Keys) -> Option<u32> {
    let key = keys.find(b"gameObjects")?;
    let index = tree.find(ROOT, key, 0)?;
    match tree.values_of(ROOT)[index as usize].shape() {
        Shape::Container(objects) => Some(objects),
        _ => None,
    }
}

/// What was found in one delta, which may have to start over.
#[derive(Default)]
struct Found {
    listed: Vec<Finding>,
    tallies: BTreeMap<&'static str, Tally>,
    references: References,
}

/// Findings of one rule in one delta: how many are listed, and how many only counted.
#[derive(Default)]
struct Tally {
    listed: u64,
    counted: u64,
}

/// References that came with one delta.
#[derive(Default)]
struct References {
    all: Vec<Reference>,
    /// The paths of all, one after the other.
    keys: Vec<Key>,
}

struct Reference {
    /// A string.
    id: Value,
    /// Where in [`References::keys`] its path is.
    start: u32,
    length: u32,
}

/// Paths of one delta that are kept; those of further references are empty.
const PATH_KEYS: usize = 1 << 20;

impl References {
    fn add(&mut self, id: Value, path: &[Key]) {
        let path = if self.keys.len() + path.len() <= PATH_KEYS { path } else { &[] };
        let start = self.keys.len() as u32;
        self.keys.extend_from_slice(path);
        self.all.push(Reference { id, start, length: path.len() as u32 });
    }

    fn path(&self, reference: &Reference) -> &[Key] {
        &self.keys[reference.start as usize..][..reference.length as usize]
    }
}

/// Looks on while a delta is merged.
struct Watcher<'c> {
    checker: &'c Checker,
    delta: usize,
    found: Found,
}

impl<'c> Watcher<'c> {
    fn new(checker: &'c Checker, delta: usize) -> Self {
        Self { checker, delta, found: Found::default() }
    }

    /// Notes the references in a value that is new.
    fn note_references(&mut self, site: &Site<'_>, value: Value) {
        let state = State { tree: site.tree, keys: site.keys, text: site.text };
        let mut path = site.path.to_vec();
        // Containers that are not finished, and how many of their slots are.
        let mut open: Vec<(u32, usize)> = Vec::new();
        let mut next = Some(value);
        loop {
            if let Some(value) = next.take() {
                match (reference_in(state, value, &path), value.shape()) {
                    (Some(id), _) => self.found.references.add(id, &path),
                    (None, Shape::Container(id)) => {
                        open.push((id, 0));
                        path.push(Key::from_index(0));
                        continue;
                    }
                    _ => {}
                }
            }
            let Some((id, done)) = open.last_mut() else { return };
            match site.tree.values_of(*id).get(*done) {
                Some(value) => {
                    if let Some(last) = path.last_mut() {
                        *last = site.tree.key_at(*id, *done);
                    }
                    *done += 1;
                    next = Some(*value);
                }
                None => {
                    open.pop();
                    path.pop();
                }
            }
        }
    }
}

/// The id, a string, if the value is a reference.
fn reference_in(state: State<'_>, value: Value, path: &[Key]) -> Option<Value> {
    let id = match value.shape() {
        Shape::Reference(span) => Value::string(span, false),
        Shape::Container(_) => Node::anywhere(state, value).reference_value()?,
        _ => return None,
    };
    (!is_game_object(state.keys, path)).then_some(id)
}

/// Is that the path of a direct child of the root's `gameObjects`?
fn is_game_object(keys: &Keys, path: &[Key]) -> bool {
    matches!(path, [objects, _] if *keys.name(*objects) == *b"gameObjects")
}

impl Watch for Watcher<'_> {
    const ACTIVE: bool = true;
    const WANTS_REMOVED: bool = false;

    fn change(&mut self, site: &Site<'_>, _: Value, new: Value) {
        if matches!(new.shape(), Shape::Reference(_) | Shape::Container(_)) {
            self.note_references(site, new);
        }
    }

    fn odd(&mut self, keys: &Keys, path: &[Key], oddity: Oddity) {
        let rule = rule_of(oddity);
        let tally = self.found.tallies.entry(rule).or_default();
        if tally.listed >= self.checker.room(rule) {
            tally.counted += 1;
            return;
        }
        tally.listed += 1;
        let place = place_in(self.delta, &path::display(keys, path));
        let finding = Finding::warning(rule, odd(rule, place, problem_of(oddity)));
        self.found.listed.push(finding.at_tick(Tick(self.delta as u64)));
    }

    fn start_over(&mut self) {
        self.found = Found::default();
    }
}

fn rule_of(oddity: Oddity) -> &'static str {
    match oddity {
        Oddity::StrayRemoval => rules::STRAY_REMOVAL,
        Oddity::LengthMismatch { .. } => rules::LENGTH_MISMATCH,
        Oddity::KindKept => rules::KIND_KEPT,
        Oddity::IgnoredKey => rules::IGNORED_KEY,
        Oddity::DuplicateKey => rules::DUPLICATE_KEY,
    }
}

fn problem_of(oddity: Oddity) -> String {
    match oddity {
        Oddity::StrayRemoval => "nothing is there to remove".to_owned(),
        Oddity::LengthMismatch { stated, made } => {
            format!("the delta states a length of {stated}, the list has {made}")
        }
        Oddity::KindKept => "a list delta on an object, which stays an object".to_owned(),
        Oddity::IgnoredKey => "not an index, so a list ignores it".to_owned(),
        Oddity::DuplicateKey => "it is there again later, and only the last one counts".to_owned(),
    }
}
