//! What a caster shares: playhead, view and camera, held back like everything else.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use gametape_wire::Tick;

/// Messages that are held back for who sees later; with more the oldest are dropped.
const KEPT: usize = 4096;
/// Bytes of a message.
pub(crate) const CAST_BYTES: u64 = 1 << 10;
/// Names of casters in a match.
pub(crate) const CASTERS: usize = 16;

/// What one caster shares.
#[derive(Debug, Default)]
pub(crate) struct Cast {
    shared: Mutex<VecDeque<Shown>>,
}

/// What a caster showed.
#[derive(Debug, Clone)]
struct Shown {
    number: u64,
    /// Nobody may know of it before this tick is released.
    tick: Tick,
    text: Arc<str>,
}

/// Where a caster is, as it says; `None` where it is no message of a caster.
pub(crate) fn tick_of(text: &str) -> Option<Tick> {
    let read: serde_json::Value = serde_json::from_str(text).ok()?;
    let tick = read.as_object()?.get("t")?;
    let rounded = || tick.as_f64().filter(|tick| *tick >= 0.0).map(|tick| tick.ceil() as u64);
    tick.as_u64().or_else(rounded).map(Tick)
}

impl Cast {
    /// Takes a message that came when `over` was the last tick that was over.
    ///
    /// That a caster goes back now says that something happened now: so the message is of the later of the tick
    /// that it shows and the one at which it came.
    pub(crate) fn share(&self, text: &str, shown: Tick, over: Option<Tick>) {
        let tick = shown.max(over.unwrap_or_default());
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let number = shared.back().map_or(1, |last| last.number + 1);
        if shared.len() >= KEPT {
            shared.pop_front();
        }
        shared.push_back(Shown { number, tick, text: text.into() });
    }

    /// The last message that may be known to who may know ticks up to `released`, unless it is this one.
    pub(crate) fn newest(&self, released: Option<Tick>, known: u64) -> Option<(u64, Arc<str>)> {
        let released = released?;
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = shared.iter().rev().find(|shown| shown.tick <= released)?;
        (newest.number > known).then(|| (newest.number, Arc::clone(&newest.text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_learns_early_where_a_caster_is() {
        let cast = Cast::default();
        cast.share("first", Tick(90), Some(Tick(100)));
        cast.share("back", Tick(10), Some(Tick(200)));
        let seen = |released: Option<u64>, known| {
            cast.newest(released.map(Tick), known).map(|(_, text)| text.to_string())
        };
        assert_eq!(seen(None, 0), None);
        assert_eq!(seen(Some(99), 0), None);
        assert_eq!(seen(Some(150), 0).as_deref(), Some("first"));
        assert_eq!(seen(Some(150), 1), None, "it is known");
        assert_eq!(seen(Some(200), 1).as_deref(), Some("back"));
    }

    #[test]
    fn what_casters_send_has_a_tick() {
        assert_eq!(tick_of(r#"{"t":12,"playing":true}"#), Some(Tick(12)));
        assert_eq!(tick_of(r#"{"t":12.5}"#), Some(Tick(13)));
        for text in ["", "{}", "[]", r#"{"t":-1}"#, r#"{"t":"x"}"#, "{\"t\":1"] {
            assert_eq!(tick_of(text), None, "{text}");
        }
    }
}
