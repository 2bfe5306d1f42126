//! A state that deltas are merged into, one after the other.

mod apply;
mod duplicate_keys;
mod fast_path;
pub(crate) mod journal;
pub(crate) mod merge_pass;
mod plan;
mod references;
pub(crate) mod watch;

use gametape_wire::{Error, Place, Result};

use crate::limits::{HOLES, Shares};
use crate::log::Log;
use crate::log::markers::Markers;
use crate::merge::duplicate_keys::DuplicateKeys;
use crate::merge::journal::Journal;
use crate::merge::merge_pass::{Frame, Merged, Pass, Stop};
use crate::merge::plan::Plan;
use crate::merge::references::{Entry, LengthEntry};
use crate::merge::watch::Watch;
use crate::state::keys::{Key, Keys};
use crate::state::tree::{Shape, Tree, Value};
use crate::text::json::{Cursor, Span};

/// A state and what is needed to change it and to take changes back.
#[derive(Debug)]
pub(crate) struct Merger {
    pub(crate) tree: Tree,
    pub(crate) keys: Keys,
    pub(crate) journal: Journal,
    pub(crate) markers: Markers,
    pub(crate) length_key: Key,
    pub(crate) id_key: Key,
    /// May `{"id":"…"}` be taken as a reference without looking closer?
    pub(crate) plain_ids: bool,
    /// And are indices never the length marker?
    pub(crate) plain_lists: bool,
    /// What follows the index of an element of a list that is removed, where that can only be written in one way.
    pub(crate) removal: Option<Entry>,
    /// The same for the length at the end of a list.
    pub(crate) length_entry: Option<LengthEntry>,
    /// How long the id of the last reference in a list was.
    pub(crate) id_length: u32,
    pub(crate) holes_left: u64,
    /// The most containers and slots of the state.
    pub(crate) max_slots: u64,
    /// The size of the tree when it was last compact.
    compact_size: usize,
    // What a pass needs, kept for the next one.
    pub(crate) duplicate_keys: DuplicateKeys,
    pub(crate) frames: Vec<Frame>,
    pub(crate) scratch: Vec<(Key, Value)>,
}

/// A state that was put aside, with what is needed to take its last changes back.
#[derive(Debug)]
pub(crate) struct Parked {
    pub(crate) tree: Tree,
    pub(crate) journal: Journal,
    compact_size: usize,
}

impl Parked {
    pub(crate) fn new(tree: Tree) -> Self {
        Self { compact_size: tree.size(), tree, journal: Journal::default() }
    }
}

/// Trees smaller than this are not worth compacting.
const TIDY_FROM: usize = 1 << 14;

impl Merger {
    /// The empty state.
    pub(crate) fn new(markers: Markers, shares: Shares) -> Result<Self> {
        let mut keys = Keys::new(shares.key_bytes);
        let length_key = keys.intern(&markers.length)?;
        let id_key = keys.intern(b"id")?;
        // Ids that are numbers are not compared with the marker.
        let is_number = |marker: &[u8]| marker.first().is_some_and(u8::is_ascii_digit);
        let plain_ids = length_key != id_key && !is_number(&markers.removed);
        Ok(Self {
            tree: Tree::new(),
            keys,
            journal: Journal::default(),
            plain_ids,
            plain_lists: plain_ids && length_key.index().is_none(),
            removal: Entry::removal(&markers.removed),
            length_entry: LengthEntry::of(&markers.length),
            id_length: 1,
            markers,
            length_key,
            id_key,
            holes_left: HOLES.max,
            max_slots: shares.slots,
            compact_size: 0,
            duplicate_keys: DuplicateKeys::default(),
            frames: Vec::new(),
            scratch: Vec::new(),
        })
    }

    /// A copy that goes its own way. What was merged before cannot be undone in it.
    pub(crate) fn copy(&self) -> Self {
        let mut tree = Tree::new();
        tree.containers.clone_from(&self.tree.containers);
        tree.keys.clone_from(&self.tree.keys);
        tree.values.clone_from(&self.tree.values);
        Self {
            tree,
            keys: self.keys.clone(),
            markers: self.markers.clone(),
            journal: Journal::default(),
            duplicate_keys: DuplicateKeys::default(),
            frames: Vec::new(),
            scratch: Vec::new(),
            ..*self
        }
    }

    /// Drops what is no longer reachable, and all text but that of the state, which it
    /// returns. Nothing that was merged before can be undone then.
    pub(crate) fn rewrite_text(&mut self, old: &[u8]) -> Vec<u8> {
        self.compact();
        let mut text = Vec::new();
        let mut moved = |span: Span| {
            let start = text.len();
            text.extend_from_slice(span.of(old));
            Span::new(start, text.len())
        };
        for value in &mut self.tree.values {
            *value = match value.shape() {
                Shape::Literal(span) => Value::literal(moved(span)),
                Shape::Plain(span) => Value::string(moved(span), false),
                Shape::Escaped(span) => Value::string(moved(span), true),
                Shape::Reference(span) => Value::reference(moved(span)),
                Shape::Absent | Shape::Container(_) => *value,
            }
        }
        text
    }

    /// Puts the state aside and continues with another one of the same log.
    pub(crate) fn exchange(&mut self, other: &mut Parked) {
        std::mem::swap(&mut self.tree, &mut other.tree);
        std::mem::swap(&mut self.journal, &mut other.journal);
        std::mem::swap(&mut self.compact_size, &mut other.compact_size);
    }

    fn compact(&mut self) {
        self.tree = self.tree.compacted();
        self.compact_size = self.tree.size();
        self.journal.clear();
    }

    /// From here on the state may take these shares of memory.
    #[inline]
    pub(crate) fn limit(&mut self, shares: Shares) {
        self.max_slots = shares.slots;
        self.keys.limit(shares.key_bytes);
    }

    /// From here on holes are counted from zero.
    pub(crate) fn grant_holes(&mut self) {
        self.holes_left = HOLES.max;
    }

    /// Drops what is no longer reachable, when it is worth it. Then nothing that was
    /// merged before can be undone.
    #[inline]
    pub(crate) fn tidy(&mut self) {
        if self.tree.size() > self.compact_size * 2 + TIDY_FROM {
            self.compact();
        }
    }

    /// Merges a delta of a log, if it has anything to merge.
    pub(crate) fn merge_delta(
        &mut self,
        log: &Log,
        index: usize,
        watch: &mut impl Watch,
    ) -> Result<()> {
        let Some(span) = log.game_span(index) else {
            self.journal.begin(&self.tree);
            return Ok(());
        };
        self.merge(log.text(), span, watch).map_err(|error| in_delta(error, index))
    }

    /// The index of a key in an object, where that is not the expected one. From here on it is.
    #[inline(never)]
    fn index_elsewhere(&mut self, object: u32, key: Key, hint: u32) -> Option<u32> {
        let index = self.tree.find(object, key, hint)?;
        self.keys.note_hint(key, index);
        Some(index)
    }

    /// Merges the `game` that is at `span`. After an error the state is as before, unless the journal is paused:
    /// then it is anything.
    pub(crate) fn merge(&mut self, text: &[u8], span: Span, watch: &mut impl Watch) -> Result<()> {
        let result = match self.attempt(text, span, None, watch) {
            Err(Stop::NeedsPlan) if self.journal.is_paused() => {
                Err(Error::misuse("delta", "nothing is known of the state before"))
            }
            Err(Stop::NeedsPlan) => self.merge_with_plan(text, span, watch),
            Err(Stop::Failed(error)) => Err(error),
            Ok(()) => Ok(()),
        };
        if result.is_err() {
            self.take_back();
        }
        result
    }

    /// Takes back what a refused delta changed. What it made counts as holes: otherwise deltas that
    /// are refused would cost more than their text, each time.
    #[cold]
    fn take_back(&mut self) {
        let made = self.tree.size();
        self.journal.undo(&mut self.tree);
        let wasted = made.saturating_sub(self.tree.size()) as u64;
        self.holes_left = self.holes_left.saturating_sub(wasted);
        self.scratch = Vec::new();
    }

    #[cold]
    fn merge_with_plan(&mut self, text: &[u8], span: Span, watch: &mut impl Watch) -> Result<()> {
        self.journal.undo(&mut self.tree);
        watch.start_over();
        let plan = Plan::read(text, span.start as usize, &self.markers.length);
        match plan.map(|plan| self.attempt(text, span, Some(&plan), watch)) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(Stop::Failed(error))) => Err(error),
            Ok(Err(Stop::NeedsPlan)) => Err(Error::misuse("delta", "a plan needs no plan")),
            Err(error) => {
                self.journal.begin(&self.tree);
                Err(error)
            }
        }
    }

    fn attempt<W: Watch>(
        &mut self,
        text: &[u8],
        span: Span,
        plan: Option<&Plan>,
        watch: &mut W,
    ) -> Merged<()> {
        self.tree.forget_readers();
        self.journal.begin(&self.tree);
        self.frames.clear();
        self.scratch.clear();
        self.duplicate_keys.begin_delta();
        self.keys.begin_delta();
        Pass::new(self, Cursor::new(text, span.start as usize), plan, watch).run()
    }
}

/// The error with the delta in its place or, when that is a byte, in its item.
#[cold]
fn in_delta(error: Error, index: usize) -> Error {
    let game = format!("deltas[{index}].game");
    match error.place() {
        Place::Path(path) if path.is_empty() => error.with_place(Place::Path(game)),
        Place::Path(path) => {
            let path = format!("{game}.{path}");
            error.with_place(Place::Path(path))
        }
        _ => error.within(game),
    }
}
