//! Snapshots of a game that has nothing but bytes.

use gametape_wire::{Error, ErrorKind, Place, Reader, Result, Tick, Writer};

use super::SimSnapshot;
use super::keys::CellPos;
use crate::limits::CHUNK_BYTES;

/// The section that marks an opaque snapshot and holds the length of its bytes.
const SECTION: &str = "opaque";
/// Bytes of one piece: a change costs a piece in a delta, and a piece some bytes in a full keyframe.
const PIECE: usize = 128;

impl SimSnapshot {
    /// The state of a game that has only bytes: no entities, players or map need to be known.
    ///
    /// The bytes are kept in pieces of 128, so that a delta holds the pieces that changed. A game whose
    /// state changes little in place gets small deltas. Refused over 16 MiB, the limit of a chunk.
    ///
    /// ```
    /// use gametape_tape::{DeltaSnapshot, SimSnapshot};
    /// use gametape_wire::Tick;
    ///
    /// let mut memory = vec![7; 100_000];
    /// let before = SimSnapshot::opaque(Tick(0), &memory)?;
    /// memory[5000] = 8;
    /// let after = SimSnapshot::opaque(Tick(300), &memory)?;
    /// assert!(DeltaSnapshot::between(&before, &after)?.to_bytes().len() < 400);
    /// assert_eq!(after.to_opaque()?, memory);
    /// # Ok::<(), gametape_wire::Error>(())
    /// ```
    pub fn opaque(tick: Tick, bytes: &[u8]) -> Result<Self> {
        CHUNK_BYTES
            .check(bytes.len() as u64, 0)
            .map_err(|error| error.with_place(Place::Nowhere))?;
        let mut snapshot = Self::default();
        snapshot.core.tick = tick;
        for (piece, x) in bytes.chunks(PIECE).zip(0..) {
            snapshot.core.map.push(CellPos { x, y: 0, z: 0 }, piece)?;
        }
        let mut length = Writer::new();
        length.varint(bytes.len() as u64);
        snapshot.core.sections.push(SECTION.to_owned(), length.as_bytes())?;
        Ok(snapshot)
    }

    /// The bytes that an [opaque](Self::opaque) snapshot was made of; an error for any other snapshot.
    pub fn to_opaque(&self) -> Result<Vec<u8>> {
        let refuse = || {
            let kind = ErrorKind::BadSyntax { problem: "it is not one of opaque bytes".into() };
            Error::new(Place::Nowhere, "snapshot", kind)
        };
        let length = self.core.sections.get(&SECTION.to_owned()).ok_or_else(refuse)?;
        let length = Reader::new(length).varint("length")?;
        let mut bytes = Vec::new();
        for (cell, piece) in self.core.map.iter() {
            let is_next = bytes.len() == cell.x as usize * PIECE && (cell.y, cell.z) == (0, 0);
            if !is_next {
                return Err(refuse());
            }
            bytes.extend_from_slice(piece);
        }
        if bytes.len() as u64 == length { Ok(bytes) } else { Err(refuse()) }
    }
}
