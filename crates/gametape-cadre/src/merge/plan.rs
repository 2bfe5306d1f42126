//! The slow look ahead into one delta, for the few that cannot be merged in one pass.
//!
//! Two things can only be known once an object was read to its end: that a key comes again (then
//! its earlier value must not be merged), and a length that is after elements which it would
//! have cut away first. Merging notices either, takes its work back, makes a plan and starts over.

use std::collections::{HashMap, HashSet};

use gametape_wire::Result;

use crate::limits::REPEATED_KEYS;
use crate::text::json::Cursor;

/// What is known ahead about the objects of one delta, by where they are in the text.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Key tokens whose key comes again in the same object.
    superseded: HashSet<usize>,
    /// For each object that begins there: where the value of its length marker is.
    lengths: HashMap<usize, usize>,
    /// Bytes of memory that it takes, roughly.
    bytes: u64,
}

/// What a key takes besides its bytes, roughly.
const KEY_BYTES: u64 = 80;

/// An object or array that is not closed yet.
struct Open {
    start: usize,
    close: u8,
    /// Where each key was last seen.
    keys: HashMap<Vec<u8>, usize>,
}

impl Plan {
    /// Reads the container that begins at `start`.
    pub(crate) fn read(text: &[u8], start: usize, length_marker: &[u8]) -> Result<Self> {
        let mut plan = Self::default();
        let mut cursor = Cursor::new(text, start);
        let mut open = vec![plan.open(&mut cursor)];
        let mut first = true;
        while let Some(top) = open.last_mut() {
            let more =
                if first { !cursor.accept(top.close) } else { cursor.comma_or(top.close)? };
            first = false;
            if !more {
                open.pop();
                continue;
            }
            if top.close == b'}' {
                plan.key(&mut cursor, top, length_marker)?;
            }
            if matches!(cursor.peek(), b'{' | b'[') {
                open.push(plan.open(&mut cursor));
                first = true;
            } else {
                cursor.skip_value()?;
            }
        }
        Ok(plan)
    }

    fn open(&self, cursor: &mut Cursor<'_>) -> Open {
        let close = cursor.peek() + 2;
        let start = cursor.at;
        cursor.at += 1;
        Open { start, close, keys: HashMap::new() }
    }

    fn key(&mut self, cursor: &mut Cursor<'_>, open: &mut Open, marker: &[u8]) -> Result<()> {
        let token = cursor.string()?;
        cursor.expect(b':', "expected a colon")?;
        let name = token.decoded(cursor.text);
        self.bytes += name.len() as u64 + KEY_BYTES;
        REPEATED_KEYS.check(self.bytes, token.start as u64)?;
        if *name == *marker {
            cursor.peek();
            self.lengths.insert(open.start, cursor.at);
        }
        if let Some(earlier) = open.keys.insert(name.into_owned(), token.start) {
            self.superseded.insert(earlier);
        }
        Ok(())
    }

    /// Does the key that is at `key` come again?
    pub(crate) fn is_superseded(&self, key: usize) -> bool {
        self.superseded.contains(&key)
    }

    /// Where the length of the object at `start` is.
    pub(crate) fn length_at(&self, start: usize) -> Option<usize> {
        self.lengths.get(&start).copied()
    }
}
