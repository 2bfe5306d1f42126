//! What is known about recordings: looked up while they are already served.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use crate::site::Matches;

/// Whoever asks for the list waits this long for all that is known quickly.
const WAIT: Duration = Duration::from_millis(700);
/// Bytes of pictures that are kept.
const KEPT_PICTURES: usize = 32 << 20;

/// How recordings, which have numbers from 0, are looked into.
pub trait Lookup: Send + Sync + 'static {
    /// What is known about a recording.
    type Entry: Clone + Send;

    /// How many recordings there are.
    fn count(&self) -> usize;

    /// What is known without opening it.
    fn first(&self, number: usize) -> Self::Entry;

    /// What is known quickly.
    fn quick(&self, number: usize) -> Self::Entry;

    /// Adds what takes longer; `false` where so much is wrong with it that there may be no picture.
    fn add_details(&self, number: usize, entry: &mut Self::Entry) -> bool;

    /// What is said of a recording where a mistake of ours ended the look into it.
    fn failed(&self, number: usize) -> Self::Entry;

    /// A picture as PNG, where one can be drawn.
    fn picture(&self, number: usize) -> Option<Vec<u8>>;

    /// The document `matches.json` of all entries, each with whether there may be a picture of it. More will be known
    /// about `pending` of them.
    fn document(&self, entries: &[(&Self::Entry, bool)], pending: usize) -> Vec<u8>;
}

/// What is known about recordings by now.
pub struct Catalogue<L: Lookup> {
    lookup: L,
    progress: Mutex<Progress<L::Entry>>,
    changed: Condvar,
    /// The next look: first a quick one at each recording, then one that takes its time.
    next: AtomicUsize,
    is_stopped: AtomicBool,
    pictures: Mutex<Pictures>,
}

struct Progress<E> {
    entries: Vec<E>,
    /// Recordings that nobody looked at.
    unseen: usize,
    /// Recordings whose details are not there.
    pending: usize,
}

#[derive(Default)]
struct Pictures {
    /// `None` where none can be drawn.
    drawn: BTreeMap<usize, Option<Vec<u8>>>,
    bytes: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<L: Lookup> fmt::Debug for Catalogue<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Catalogue").field("count", &self.lookup.count()).finish_non_exhaustive()
    }
}

impl<L: Lookup> Catalogue<L> {
    /// Begins to look into the recordings, `jobs` of them at the same time.
    pub fn look_into(lookup: L, jobs: usize) -> Arc<Self> {
        let catalogue = Arc::new(Self::new(lookup));
        for _ in 0..jobs.clamp(1, catalogue.lookup.count().max(1)) {
            let catalogue = Arc::clone(&catalogue);
            thread::spawn(move || while catalogue.look() {});
        }
        catalogue
    }

    fn new(lookup: L) -> Self {
        let count = lookup.count();
        let entries = (0..count).map(|number| lookup.first(number)).collect();
        Self {
            lookup,
            progress: Mutex::new(Progress { entries, unseen: count, pending: count }),
            changed: Condvar::new(),
            next: AtomicUsize::new(0),
            is_stopped: AtomicBool::new(false),
            pictures: Mutex::default(),
        }
    }

    /// Nobody looks any further.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Takes the next look; `false` if there is none.
    fn look(&self) -> bool {
        let look = self.next.fetch_add(1, Ordering::Relaxed);
        let count = self.lookup.count();
        if look >= 2 * count || self.is_stopped.load(Ordering::Relaxed) {
            return false;
        }
        let (number, is_quick) = (look % count, look < count);
        let looked = catch_unwind(AssertUnwindSafe(|| {
            if is_quick { self.lookup.quick(number) } else { self.detailed(number) }
        }));
        // A mistake of ours with one recording must not hide the others.
        let entry = looked.unwrap_or_else(|_| self.lookup.failed(number));
        let mut progress = lock(&self.progress);
        progress.entries[number] = entry;
        *(if is_quick { &mut progress.unseen } else { &mut progress.pending }) -= 1;
        self.changed.notify_all();
        true
    }

    fn detailed(&self, number: usize) -> L::Entry {
        let mut progress = lock(&self.progress);
        // Another thread may still take the quick look.
        while progress.unseen > 0 && !self.is_stopped.load(Ordering::Relaxed) {
            let waited = self.changed.wait_timeout(progress, WAIT);
            progress = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let mut entry = progress.entries[number].clone();
        drop(progress);
        if !self.lookup.add_details(number, &mut entry) {
            // Whether there is a picture of what is damaged is found out by drawing it.
            let _ = self.picture(number);
        }
        entry
    }

    /// What is known by now, after a moment of waiting for all that is known quickly.
    fn waited(&self) -> MutexGuard<'_, Progress<L::Entry>> {
        let end = Instant::now() + WAIT;
        let mut progress = lock(&self.progress);
        while progress.unseen > 0 {
            let rest = end.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                break;
            }
            let waited = self.changed.wait_timeout(progress, rest);
            progress = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        progress
    }
}

impl<L: Lookup> Matches for Catalogue<L> {
    fn list(&self) -> Vec<u8> {
        let progress = self.waited();
        let pictures = lock(&self.pictures);
        let has_picture = |number| pictures.drawn.get(&number).is_none_or(Option::is_some);
        let entries = progress.entries.iter().enumerate();
        let entries: Vec<_> = entries.map(|(number, entry)| (entry, has_picture(number))).collect();
        self.lookup.document(&entries, progress.pending)
    }

    fn picture(&self, number: usize) -> Option<Vec<u8>> {
        if let Some(drawn) = lock(&self.pictures).drawn.get(&number) {
            return drawn.clone();
        }
        if number >= self.lookup.count() {
            return None;
        }
        let drawn = self.lookup.picture(number);
        let mut pictures = lock(&self.pictures);
        if pictures.bytes > KEPT_PICTURES {
            *pictures = Pictures::default();
        }
        pictures.bytes += drawn.as_ref().map_or(0, Vec::len);
        pictures.drawn.insert(number, drawn.clone());
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number 1 panics while it is looked into, number 2 is damaged and has no picture.
    struct Letters {
        drawn: AtomicUsize,
    }

    impl Lookup for Letters {
        type Entry = String;

        fn count(&self) -> usize {
            3
        }

        fn first(&self, number: usize) -> String {
            format!("{number}")
        }

        fn quick(&self, number: usize) -> String {
            assert_ne!(number, 1, "a mistake of ours");
            format!("{number} quick")
        }

        fn add_details(&self, number: usize, entry: &mut String) -> bool {
            entry.push_str(" and whole");
            number != 2
        }

        fn failed(&self, number: usize) -> String {
            format!("{number} failed")
        }

        fn picture(&self, number: usize) -> Option<Vec<u8>> {
            self.drawn.fetch_add(1, Ordering::Relaxed);
            (number != 2).then(|| vec![number as u8])
        }

        fn document(&self, entries: &[(&String, bool)], pending: usize) -> Vec<u8> {
            format!("{entries:?} {pending}").into_bytes()
        }
    }

    fn catalogue() -> Catalogue<Letters> {
        Catalogue::new(Letters { drawn: AtomicUsize::new(0) })
    }

    fn list(catalogue: &Catalogue<Letters>) -> String {
        String::from_utf8(catalogue.list()).unwrap()
    }

    #[test]
    fn more_is_known_look_after_look_and_a_mistake_costs_one_entry() {
        let catalogue = catalogue();
        assert!((0..3).all(|_| catalogue.look()));
        let quick = r#"[("0 quick", true), ("1 failed", true), ("2 quick", true)] 3"#;
        assert_eq!(list(&catalogue), quick);
        assert!((0..3).all(|_| catalogue.look()) && !catalogue.look());
        let whole = r#"[("0 quick and whole", true), ("1 failed and whole", true), ("2 quick and whole", false)] 0"#;
        assert_eq!(list(&catalogue), whole, "what is damaged may have no picture");
    }

    #[test]
    fn a_picture_is_drawn_once_and_none_of_what_is_not_there() {
        let catalogue = catalogue();
        assert_eq!((catalogue.picture(0), catalogue.picture(0)), (Some(vec![0]), Some(vec![0])));
        assert_eq!((catalogue.picture(2), catalogue.picture(3)), (None, None));
        assert_eq!(catalogue.lookup.drawn.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn nobody_looks_after_the_end() {
        let catalogue = catalogue();
        catalogue.stop();
        assert!(!catalogue.look());
    }
}
