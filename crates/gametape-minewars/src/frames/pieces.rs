//! The bytes of several views at one moment, before they are a frame.

use super::frame::Frame;
use gametape_wire::{Error, Result};
use gametape_wire::{View, ViewSet};

/// A table with one row per view; a view without a row takes no part.
#[derive(Debug, Clone, Default)]
pub(super) struct Pieces<'a> {
    views: ViewSet,
    rows: [&'a [u8]; View::MAX as usize + 1],
}

impl<'a> Pieces<'a> {
    /// A table of what is given; refuses a view that is given twice.
    pub(super) fn gather(parts: &[(View, &'a [u8])]) -> Result<Self> {
        let mut views = ViewSet::EMPTY;
        let mut rows = [[].as_slice(); View::MAX as usize + 1];
        for &(view, bytes) in parts {
            if views.contains(view) {
                return Err(Error::misuse("frame", format!("view {view} is given twice")));
            }
            views = views.with(view);
            rows[usize::from(view.number())] = bytes;
        }
        Ok(Self { views, rows })
    }

    /// Adds what a frame gives to those of `wanted` that exist and receive anything.
    pub(super) fn add_frame(&mut self, frame: &Frame<'a>, wanted: ViewSet) {
        let wanted = wanted.without(frame.absent());
        for part in frame.parts().filter(|part| !part.payload.is_empty()) {
            for view in part.views.and(wanted).iter() {
                self.put(view, part.payload);
            }
        }
    }

    pub(super) fn put(&mut self, view: View, bytes: &'a [u8]) {
        self.views = self.views.with(view);
        self.rows[usize::from(view.number())] = bytes;
    }

    /// Takes the views out that have no bytes.
    pub(super) fn drop_empty(&mut self) {
        self.views =
            self.iter().filter(|(_, bytes)| !bytes.is_empty()).map(|(view, _)| view).collect();
    }

    pub(super) fn views(&self) -> ViewSet {
        self.views
    }

    pub(super) fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// The bytes of a view, none if it takes no part.
    pub(super) fn get(&self, view: View) -> &'a [u8] {
        if self.views.contains(view) { self.rows[usize::from(view.number())] } else { &[] }
    }

    /// The rows in ascending order of view.
    pub(super) fn iter(&self) -> impl Iterator<Item = (View, &'a [u8])> {
        self.views.iter().map(|view| (view, self.rows[usize::from(view.number())]))
    }

    /// The bytes that all views have in common, if they are equal and there are any views.
    pub(super) fn shared(&self) -> Option<&'a [u8]> {
        let mut rows = self.iter().map(|(_, bytes)| bytes);
        let first = rows.next()?;
        rows.all(|bytes| bytes == first).then_some(first)
    }

    /// Keeps of each row what fits in one frame and ends where a message ends; returns the rest,
    /// if there is any.
    pub(super) fn keep_fitting(
        &mut self,
        limit: usize,
        mut split: impl FnMut(&[u8], usize) -> usize,
    ) -> Result<Option<Self>> {
        let mut rest = None;
        for view in self.views.iter() {
            let bytes = self.get(view);
            if bytes.len() <= limit {
                continue;
            }
            let count = split(bytes, limit);
            if count == 0 || count > limit {
                return Err(unsplittable(view, count, limit));
            }
            self.put(view, &bytes[..count]);
            rest.get_or_insert_with(Self::default).put(view, &bytes[count..]);
        }
        Ok(rest)
    }
}

#[cold]
fn unsplittable(view: View, count: usize, limit: usize) -> Error {
    let problem = match count {
        0 => format!("view {view} has a message longer than the {limit} bytes of a frame"),
        _ => format!("view {view} was split after {count} bytes, but a frame holds {limit}"),
    };
    Error::misuse("frame payload", problem)
}
