//! The canonical byte form of a view's state; normative text: `spec/minewars-state.md`.
//!
//! Every value has exactly one form, read and written side by side here, so equal states have
//! equal bytes and equal hashes.

use std::collections::BTreeMap;

use gametape_wire::{Error, ErrorKind, Reader, Result, SortedMap, View, Writer};
use sha2::{Digest, Sha256};

use super::owned::Owned;
use super::people::{CityState, ClientState, Gone, People, PlayerState, VoteState};
use super::{LAYERS, Pending, ViewState};
use crate::Generation;
use crate::map::{Grid, StructureKind};

/// `VS`, then the version of this form.
const MAGIC: [u8; 3] = *b"VS\x01";

impl ViewState {
    /// The canonical byte form.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::new();
        w.bytes(&MAGIC).bytes(&self.shape()).bytes(&self.layers).bytes(&self.cluster_owners);
        self.pending.put(&mut w);
        self.people.put(&mut w);
        w.into_bytes()
    }

    /// The state with the canonical form `bytes`, on the same map as this one.
    pub fn restore(&self, bytes: &[u8]) -> Result<Self> {
        let mut r = Reader::new(bytes);
        expect(&mut r, &MAGIC, "state header")?;
        let start = r.offset();
        let [view, shape @ ..] = r.array::<4>("state header")?;
        let view = View::new(view)
            .filter(|_| shape[..] == self.shape()[1..])
            .ok_or_else(|| bad(start, "state header", "a state of the same map"))?;
        let mut restored = Self { view, ..self.clone() };
        restored.layers = r.take(self.geography.tile_count * LAYERS, "tiles")?.to_vec();
        restored.owned = Owned::default();
        restored.cluster_owners = r.take(self.cluster_owners.len(), "cluster owners")?.to_vec();
        restored.pending = Canonical::get(&mut r)?;
        restored.people = People::get(&mut r)?;
        r.finish("state")?;
        Ok(restored)
    }

    /// SHA-256 of the canonical byte form.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.to_bytes()).into()
    }

    /// View, generation, grid and radius.
    pub(super) fn shape(&self) -> [u8; 4] {
        let generation = match self.generation {
            Generation::V01 => 0,
            Generation::Current => 1,
        };
        let grid = match self.geography.grid {
            Grid::Hex => 0,
            Grid::Square => 1,
        };
        [self.view.number(), generation, grid, self.geography.radius]
    }
}

fn expect(r: &mut Reader<'_>, bytes: &[u8], item: &'static str) -> Result<()> {
    let start = r.offset();
    if r.take(bytes.len(), item)? == bytes {
        return Ok(());
    }
    Err(bad(start, item, "the mark of a view state, version 1"))
}

#[cold]
fn bad(offset: u64, item: &'static str, expected: &'static str) -> Error {
    let problem = format!("expected {expected}").into();
    Error::at(offset, item, ErrorKind::BadSyntax { problem })
}

/// A value with one byte form.
trait Canonical: Sized {
    fn put(&self, w: &mut Writer);
    fn get(r: &mut Reader<'_>) -> Result<Self>;
}

macro_rules! canonical_integers {
    ($($type:ty: $method:ident),*) => {$(
        impl Canonical for $type {
            fn put(&self, w: &mut Writer) {
                w.$method(*self);
            }
            fn get(r: &mut Reader<'_>) -> Result<Self> {
                r.$method("number")
            }
        }
    )*};
}

canonical_integers!(u8: u8, u16: u16_be, u32: u32_be);

impl Canonical for bool {
    fn put(&self, w: &mut Writer) {
        w.u8(u8::from(*self));
    }
    fn get(r: &mut Reader<'_>) -> Result<Self> {
        let start = r.offset();
        match r.u8("flag")? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(bad(start, "flag", "0 or 1")),
        }
    }
}

impl<T: Canonical> Canonical for Option<T> {
    fn put(&self, w: &mut Writer) {
        self.is_some().put(w);
        if let Some(value) = self {
            value.put(w);
        }
    }
    fn get(r: &mut Reader<'_>) -> Result<Self> {
        if bool::get(r)? { T::get(r).map(Some) } else { Ok(None) }
    }
}

impl<A: Canonical, B: Canonical> Canonical for (A, B) {
    fn put(&self, w: &mut Writer) {
        self.0.put(w);
        self.1.put(w);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self> {
        Ok((A::get(r)?, B::get(r)?))
    }
}

/// Text from the wire: at most 255 bytes.
impl Canonical for Vec<u8> {
    fn put(&self, w: &mut Writer) {
        w.u8(self.len() as u8).bytes(self);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self> {
        let length = r.u8("text length")?;
        Ok(r.take(usize::from(length), "text")?.to_vec())
    }
}

/// Count, then entries with rising keys.
fn put_entries<'m, K: Canonical + 'm, V: Canonical + 'm>(
    count: usize,
    entries: impl IntoIterator<Item = (&'m K, &'m V)>,
    w: &mut Writer,
) {
    w.u32_be(count as u32);
    for (key, value) in entries {
        key.put(w);
        value.put(w);
    }
}

/// Nothing is reserved for a count that is only claimed.
fn get_entries<K: Canonical + Ord + Copy, V: Canonical, M: Default + Extend<(K, V)>>(
    r: &mut Reader<'_>,
) -> Result<M> {
    let (mut map, mut last) = (M::default(), None);
    for _ in 0..r.u32_be("count")? {
        let start = r.offset();
        let key = K::get(r)?;
        if last.is_some_and(|last| last >= key) {
            return Err(bad(start, "key", "keys in rising order"));
        }
        last = Some(key);
        map.extend([(key, V::get(r)?)]);
    }
    Ok(map)
}

impl<K: Canonical + Ord + Copy, V: Canonical> Canonical for BTreeMap<K, V> {
    fn put(&self, w: &mut Writer) {
        put_entries(self.len(), self, w);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self> {
        get_entries(r)
    }
}

impl<K: Canonical + Ord + Copy, V: Canonical> Canonical for SortedMap<K, V> {
    fn put(&self, w: &mut Writer) {
        put_entries(self.len(), self, w);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self> {
        get_entries(r)
    }
}

impl Canonical for StructureKind {
    fn put(&self, w: &mut Writer) {
        w.u8(self.code());
    }
    fn get(r: &mut Reader<'_>) -> Result<Self> {
        r.u8("structure kind").map(Self::from_code)
    }
}

impl Canonical for Gone {
    fn put(&self, w: &mut Writer) {
        (*self == Self::Kicked).put(w);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self> {
        Ok(if bool::get(r)? { Self::Kicked } else { Self::Left })
    }
}

/// A struct is its fields in this order.
macro_rules! canonical_structs {
    ($($type:ident { $($field:ident),* })*) => {$(
        impl Canonical for $type {
            fn put(&self, w: &mut Writer) {
                $(self.$field.put(w);)*
            }
            fn get(r: &mut Reader<'_>) -> Result<Self> {
                Ok(Self { $($field: Canonical::get(r)?),* })
            }
        }
    )*};
}

canonical_structs! {
    Pending { kind, points, current, rate }
    ClientState { name, rtt, gone }
    PlayerState { clients, lives, timeout, protected, eliminated, surrendered }
    CityState { owner, money, income, resources, trade, capturing, contested_by }
    VoteState { text, ballots }
    People { players, cities, votes, time_limit }
}
