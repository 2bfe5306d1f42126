//! Comparing tables, and changing them.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::iter::Peekable;

use gametape_wire::{Error, Place, Result, Writer};

use super::keys::Key;
use super::table::{Row, SlotTable, ValueTable, bits, values_run};

/// What becomes of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RowChange<'a, K> {
    pub(super) key: K,
    pub(super) what: What,
    /// Slots with a new value.
    pub(super) changed: u64,
    /// Slots that are empty from now on.
    pub(super) removed: u64,
    /// The new values, in the form of [`Row::values`].
    pub(super) values: Cow<'a, [u8]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Changed,
    New,
    Removed,
    /// Changed or new, as it comes: of tables with one value in each row.
    Put,
}

/// A row on one side, the other, or both.
enum Side<A, B> {
    Left(A),
    Right(B),
    Both(A, B),
}

/// Walks two ascending runs side by side.
fn join<A, B, K: Ord>(
    left: impl Iterator<Item = A>,
    right: impl Iterator<Item = B>,
    left_key: impl Fn(&A) -> &K,
    right_key: impl Fn(&B) -> &K,
) -> impl Iterator<Item = Side<A, B>> {
    let (mut left, mut right) = (left.peekable(), right.peekable());
    let both = |left: &mut Peekable<_>, right: &mut Peekable<_>| {
        Some(Side::Both(left.next()?, right.next()?))
    };
    std::iter::from_fn(move || {
        let order = match (left.peek(), right.peek()) {
            (Some(a), Some(b)) => left_key(a).cmp(right_key(b)),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        match order {
            Ordering::Less => left.next().map(Side::Left),
            Ordering::Greater => right.next().map(Side::Right),
            Ordering::Equal => both(&mut left, &mut right),
        }
    })
}

/// What turns `old` into `new`.
pub(super) fn diff<'a, K: Key, D: From<RowChange<'a, K>>>(
    old: &'a SlotTable<K>,
    new: &'a SlotTable<K>,
) -> Vec<D> {
    join(old.iter(), new.iter(), |row| row.key, |row| row.key)
        .filter_map(|side| match side {
            Side::Left(old) => Some(RowChange {
                key: old.key.clone(),
                what: What::Removed,
                changed: 0,
                removed: 0,
                values: Cow::Borrowed(&[]),
            }),
            Side::Right(new) => Some(RowChange {
                key: new.key.clone(),
                what: What::New,
                changed: new.mask,
                removed: 0,
                values: Cow::Borrowed(new.values),
            }),
            Side::Both(old, new) => changed_row(&old, &new),
        })
        .map(D::from)
        .collect()
}

fn changed_row<'a, K: Key>(old: &Row<'a, K>, new: &Row<'a, K>) -> Option<RowChange<'a, K>> {
    if old.mask == new.mask && old.values == new.values {
        return None;
    }
    let (mut values, mut changed) = (Writer::new(), 0);
    let mut before = old.slots().peekable();
    for (slot, value) in new.slots() {
        while before.next_if(|&(other, _)| other < slot).is_some() {}
        let same = before.next_if(|&(other, _)| other == slot).is_some_and(|(_, v)| v == value);
        if !same {
            changed |= 1 << slot;
            values.varint(value.len() as u64).bytes(value);
        }
    }
    Some(RowChange {
        key: new.key.clone(),
        what: What::Changed,
        changed,
        removed: old.mask & !new.mask,
        values: Cow::Owned(values.into_bytes()),
    })
}

/// The table that `changes`, in ascending order, make of `old`.
pub(super) fn apply<'a, K: Key>(
    old: &SlotTable<K>,
    changes: impl Iterator<Item = Result<RowChange<'a, K>>>,
) -> Result<SlotTable<K>> {
    let mut table = SlotTable::with_room_of(old);
    let mut next = 0;
    for change in changes {
        let change = change?;
        let index = old.index_from(next, &change.key);
        table.push_rows(old, next..index);
        let row = old.row_at(index).filter(|row| *row.key == change.key);
        next = index + usize::from(row.is_some());
        match (row, change.what) {
            (Some(_), What::Removed) => {}
            (Some(row), What::Changed) => change_row(&mut table, &row, &change)?,
            (Some(_), What::Put) | (None, What::New | What::Put) => {
                table.push_values(change.key, change.changed, &change.values);
            }
            (Some(_), What::New) => return Err(contradiction::<K>("adds one that is there")),
            (None, _) => return Err(contradiction::<K>("changes one that is not there")),
        }
    }
    table.push_rows(old, next..old.len());
    if table.len() as u64 > K::MOST_ROWS {
        return Err(contradiction::<K>("makes more of them than are possible"));
    }
    Ok(table)
}

fn change_row<K: Key>(
    table: &mut SlotTable<K>,
    old: &Row<'_, K>,
    change: &RowChange<'_, K>,
) -> Result<()> {
    if change.removed & !old.mask != 0 {
        return Err(contradiction::<K>("takes a value away that is not there"));
    }
    let mask = old.mask & !change.removed | change.changed;
    let (mut kept, mut new) = (Values(old.values), Values(&change.values));
    let mut before = old.mask;
    table.push_with(old.key.clone(), mask, |values| {
        for slot in bits(change.changed | change.removed) {
            // What is before the slot stays; what is in it goes.
            let below = before & ((1 << slot) - 1);
            values.extend_from_slice(kept.take(below.count_ones()));
            kept.take((before >> slot & 1) as u32);
            before &= u64::MAX << slot << 1;
            values.extend_from_slice(new.take((change.changed >> slot & 1) as u32));
        }
        values.extend_from_slice(kept.0);
    });
    Ok(())
}

/// Values with their lengths before them; they were checked when they came in.
struct Values<'a>(&'a [u8]);

impl<'a> Values<'a> {
    /// The next `count` values.
    fn take(&mut self, count: u32) -> &'a [u8] {
        let length = values_run(self.0, count).unwrap_or(self.0.len());
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        taken
    }
}

/// A row's new value, or none when the row is removed.
pub(super) type ValueChange<K> = (K, Option<Vec<u8>>);

/// What turns `old` into `new`.
pub(super) fn diff_values<K: Key>(old: &ValueTable<K>, new: &ValueTable<K>) -> Vec<ValueChange<K>> {
    join(old.iter(), new.iter(), |row| row.0, |row| row.0)
        .filter_map(|side| match side {
            Side::Left((key, _)) => Some((key.clone(), None)),
            Side::Both((_, old), (_, new)) if old == new => None,
            Side::Right((key, value)) | Side::Both(_, (key, value)) => {
                Some((key.clone(), Some(value.to_vec())))
            }
        })
        .collect()
}

fn contradiction<K: Key>(problem: &'static str) -> Error {
    let problem = format!("the delta {problem}").into();
    Error::new(Place::Nowhere, K::ITEM, gametape_wire::ErrorKind::BadSyntax { problem })
}
