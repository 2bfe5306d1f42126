//! Views that come in the middle of a match, until what was before them is there. Normative: `spec/live.md`, section 7.

use std::collections::BTreeMap;
use std::time::Duration;

use gametape_wire::{View, ViewSet};

use crate::lane::Lane;
use crate::log::ViewLog;

/// What has not come by then does not come: the view goes on with what is there.
const PATIENCE: Duration = Duration::from_secs(10);
/// While something comes at least this often, nothing is asked for.
const STEADY: Duration = Duration::from_millis(250);

/// The views of a relay that are being filled.
#[derive(Debug, Default)]
pub(crate) struct Filling(BTreeMap<View, Progress>);

/// How far a view is.
#[derive(Debug, Clone, Copy)]
struct Progress {
    /// Messages without a hole before them.
    have: u64,
    /// When there were fewer.
    since: Duration,
}

impl Filling {
    pub(crate) fn begin(&mut self, view: View, now: Duration) {
        self.0.insert(view, Progress { have: 0, since: now });
    }

    pub(crate) fn forget(&mut self, view: View) {
        self.0.remove(&view);
    }

    pub(crate) fn has_any(&self, views: ViewSet) -> bool {
        self.0.keys().any(|view| views.contains(*view))
    }

    /// Is a view filled by itself, without being asked for anything?
    pub(crate) fn is_steady(&self, view: View, now: Duration) -> bool {
        let progress = self.0.get(&view);
        progress.is_some_and(|progress| now.saturating_sub(progress.since) < STEADY)
    }

    /// Looks how far the views are.
    pub(crate) fn look(&mut self, logs: &BTreeMap<View, ViewLog>, now: Duration) {
        self.0.retain(|view, progress| {
            let Some(log) = logs.get(view) else { return false };
            let have = log.have.iter().sum();
            if have > progress.have {
                *progress = Progress { have, since: now };
            }
            !is_filled(log) && now.saturating_sub(progress.since) < PATIENCE
        });
    }
}

/// Is everything there that the newest mark counts?
fn is_filled(log: &ViewLog) -> bool {
    let has_all = |counts: [u64; Lane::COUNT]| log.have.iter().zip(counts).all(|(h, c)| *h >= c);
    log.mark.is_some_and(|mark| has_all(mark.counts))
}
