//! Comparing tables, and changing them.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::iter::Peekable;

use gametape_wire::{Error, Place, Result, Writer};

use super::keys::Key;
use super::table::{Row, SlotTable, ValueTable, slots};

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
    changes: impl ExactSizeIterator<Item = RowChange<'a, K>>,
) -> Result<SlotTable<K>> {
    if changes.len() == 0 {
        return Ok(old.clone());
    }
    let mut table = SlotTable::with_room_of(old);
    for side in join(old.iter(), changes, |row| row.key, |change| &change.key) {
        match side {
            Side::Left(row) => table.push_row(&row),
            Side::Right(RowChange { key, what: What::New, changed, values, .. }) => {
                table.push_values(key, changed, &values);
            }
            Side::Right(_) => return Err(contradiction::<K>("changes one that is not there")),
            Side::Both(row, change) => apply_to_row(&mut table, &row, &change)?,
        }
    }
    Ok(table)
}

fn apply_to_row<K: Key>(
    table: &mut SlotTable<K>,
    old: &Row<'_, K>,
    change: &RowChange<'_, K>,
) -> Result<()> {
    match change.what {
        What::Removed => return Ok(()),
        What::New => return Err(contradiction::<K>("adds one that is there already")),
        What::Changed => {}
    }
    if change.removed & !old.mask != 0 {
        return Err(contradiction::<K>("takes a value away that is not there"));
    }
    let kept = old.mask & !change.removed & !change.changed;
    let mut kept_slots = old.slots().filter(|(slot, _)| kept >> slot & 1 == 1).peekable();
    table.push_with(old.key.clone(), kept | change.changed, |put| {
        for (slot, value) in slots(change.changed, &change.values) {
            while let Some((_, kept)) = kept_slots.next_if(|&(other, _)| other < slot) {
                put(kept);
            }
            put(value);
        }
        kept_slots.for_each(|(_, kept)| put(kept));
    });
    Ok(())
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

/// The table that `changes`, in ascending order, make of `old`.
pub(super) fn apply_values<K: Key>(
    old: &ValueTable<K>,
    changes: &[ValueChange<K>],
) -> Result<ValueTable<K>> {
    if changes.is_empty() {
        return Ok(old.clone());
    }
    let mut table = ValueTable(SlotTable::with_room_of(&old.0));
    for side in join(old.0.iter(), changes.iter(), |row| row.key, |change| &change.0) {
        match side {
            Side::Left(row) => table.0.push_row(&row),
            Side::Both(_, (_, None)) => {}
            Side::Right((_, None)) => {
                return Err(contradiction::<K>("removes one that is not there"));
            }
            Side::Right((key, Some(value))) | Side::Both(_, (key, Some(value))) => {
                table.push(key.clone(), value)?;
            }
        }
    }
    Ok(table)
}

fn contradiction<K: Key>(problem: &'static str) -> Error {
    let problem = format!("the delta {problem}").into();
    Error::new(Place::Nowhere, K::ITEM, gametape_wire::ErrorKind::BadSyntax { problem })
}
