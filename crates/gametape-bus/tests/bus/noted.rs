//! A bus that notes who wants what.

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use gametape_bus::{Bus, Filter, Kept, Subscription};
use gametape_live::Shared;
use gametape_wire::{Result, ViewSet};

/// A bus that notes who wants what.
#[derive(Debug)]
pub(crate) struct Noted {
    pub(crate) inner: Arc<dyn Bus>,
    wanted: Mutex<Vec<Filter>>,
}

impl Noted {
    pub(crate) fn new(inner: Arc<dyn Bus>) -> Arc<Self> {
        Arc::new(Self { inner, wanted: Mutex::default() })
    }

    /// The views of which something was wanted.
    pub(crate) fn views(&self) -> ViewSet {
        let of = |filter: &Filter| match filter {
            Filter::View(_, of) | Filter::Mark(_, of) => Some(*of),
            _ => None,
        };
        self.wanted.lock().unwrap().iter().filter_map(of).collect()
    }

    fn note(&self, filters: &[Filter]) {
        self.wanted.lock().unwrap().extend_from_slice(filters);
    }
}

impl Bus for Noted {
    fn publish(&self, subject: &str, reply: Option<&str>, message: &Shared) {
        self.inner.publish(subject, reply, message);
    }

    fn subscribe(&self, filters: &[Filter]) -> BoxFuture<'_, Result<Subscription>> {
        self.note(filters);
        self.inner.subscribe(filters)
    }

    fn kept(&self, filters: &[Filter], kept: Kept) -> BoxFuture<'_, Result<Subscription>> {
        self.note(filters);
        self.inner.kept(filters, kept)
    }

    fn flush(&self) -> BoxFuture<'_, Result<()>> {
        self.inner.flush()
    }

    fn lost(&self) -> u64 {
        self.inner.lost()
    }
}
