//! What is known about the recordings: looked up while they are already served.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use gametape_replay::inspect::MatchEntry;
use gametape_server::{Matches, link};
use gametape_wire::When;
use serde::Serialize;

use super::Shown;
use crate::games::GAMES;
use crate::global::share_memory;
use crate::input::Source;
use crate::viewer::open_stage;

/// Whoever asks for the list waits this long for all that is known quickly.
const WAIT: Duration = Duration::from_millis(700);
/// Pixels of a picture.
pub(super) const PICTURE: (u32, u32) = (480, 300);
/// Bytes of pictures that are kept.
const KEPT_PICTURES: usize = 32 << 20;

/// What is known about the recordings by now.
pub(super) struct Known {
    shown: Vec<Shown>,
    urls: Vec<String>,
    progress: Mutex<Progress>,
    changed: Condvar,
    /// The next look: first a quick one at each recording, then one that takes its time.
    next: AtomicUsize,
    is_stopped: AtomicBool,
    pictures: Mutex<Pictures>,
}

struct Progress {
    entries: Vec<MatchEntry>,
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

impl Known {
    /// Begins to look into the recordings, this many at the same time.
    pub(super) fn look_into(shown: Vec<Shown>, urls: Vec<String>, jobs: usize) -> Arc<Self> {
        let entries = shown.iter().map(first_entry).collect();
        let count = shown.len();
        let known = Arc::new(Self {
            shown,
            urls,
            progress: Mutex::new(Progress { entries, unseen: count, pending: count }),
            changed: Condvar::new(),
            next: AtomicUsize::new(0),
            is_stopped: AtomicBool::new(false),
            pictures: Mutex::default(),
        });
        let jobs = jobs.clamp(1, count.max(1));
        // The others draw pictures.
        share_memory(jobs + 2);
        for _ in 0..jobs {
            let known = Arc::clone(&known);
            thread::spawn(move || while known.look() {});
        }
        known
    }

    /// Nobody looks any further.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Takes the next look; `false` if there is none.
    fn look(&self) -> bool {
        let look = self.next.fetch_add(1, Ordering::Relaxed);
        let count = self.shown.len();
        if look >= 2 * count || self.is_stopped.load(Ordering::Relaxed) {
            return false;
        }
        let (index, is_quick) = (look % count, look < count);
        let shown = &self.shown[index];
        let looked = catch_unwind(AssertUnwindSafe(|| {
            if is_quick { quick(shown) } else { self.detailed(index) }
        }));
        // A mistake of ours with one recording must not hide the others.
        let entry = looked.unwrap_or_else(|_| {
            MatchEntry::unreadable(&shown.label, "it could not be looked into")
        });
        let mut progress = lock(&self.progress);
        progress.entries[index] = entry;
        *(if is_quick { &mut progress.unseen } else { &mut progress.pending }) -= 1;
        self.changed.notify_all();
        true
    }

    fn detailed(&self, index: usize) -> MatchEntry {
        let mut progress = lock(&self.progress);
        // Another thread may still take the quick look.
        while progress.unseen > 0 && !self.is_stopped.load(Ordering::Relaxed) {
            let waited = self.changed.wait_timeout(progress, WAIT);
            progress = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let mut entry = progress.entries[index].clone();
        drop(progress);
        add_details(&self.shown[index].source, &mut entry);
        if entry.problem.is_some() {
            // Whether there is a picture of what is damaged is found out by drawing it.
            let _ = self.picture(index);
        }
        entry
    }

    /// What is known by now, after a moment of waiting for all that is known quickly.
    fn waited(&self) -> MutexGuard<'_, Progress> {
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

impl Matches for Known {
    fn list(&self) -> Vec<u8> {
        let progress = self.waited();
        let pictures = lock(&self.pictures);
        let row = |(index, entry)| {
            let has_picture = pictures.drawn.get(&index).is_none_or(Option::is_some);
            row(index, &self.shown[index].name, entry, has_picture)
        };
        let rows = progress.entries.iter().enumerate().map(row);
        let remote = self.urls.iter().map(|url| row_of_url(url));
        let matches = rows.chain(remote).collect();
        List { matches, pending: progress.pending }.to_bytes()
    }

    fn picture(&self, number: usize) -> Option<Vec<u8>> {
        if let Some(drawn) = lock(&self.pictures).drawn.get(&number) {
            return drawn.clone();
        }
        let drawn = picture(&self.shown.get(number)?.source);
        let mut pictures = lock(&self.pictures);
        if pictures.bytes > KEPT_PICTURES {
            *pictures = Pictures::default();
        }
        pictures.bytes += drawn.as_ref().map_or(0, Vec::len);
        pictures.drawn.insert(number, drawn.clone());
        drawn
    }
}

/// What the first bytes show.
fn first_entry(shown: &Shown) -> MatchEntry {
    let mut entry = MatchEntry::default();
    entry.name.clone_from(&shown.label);
    entry.format = match shown.format {
        Some(gametape_replay::open::Format::Tape) => "tape",
        Some(gametape_replay::open::Format::MineWars) => "minewars",
        Some(gametape_replay::open::Format::Gamelog) => "gamelog",
        _ => "",
    };
    entry
}

/// What is known quickly.
fn quick(shown: &Shown) -> MatchEntry {
    match shown.source.open() {
        Ok(mut opened) => MatchEntry::of(&shown.label, &mut opened, &GAMES),
        Err(failure) => MatchEntry::unreadable(&shown.label, &failure.to_text()),
    }
}

/// Everything that a list shows.
pub(super) fn entry_of(shown: &Shown) -> MatchEntry {
    let mut entry = quick(shown);
    add_details(&shown.source, &mut entry);
    entry
}

fn add_details(source: &Source, entry: &mut MatchEntry) {
    if let Ok(mut opened) = source.open() {
        entry.add_details(&mut opened);
    }
}

/// The board at the end; none where there is none, or where it cannot be played.
pub(super) fn picture(source: &Source) -> Option<Vec<u8>> {
    let mut stage = open_stage(source, source.open().ok()?).ok()?;
    let end = stage.find(When::End).ok()?;
    stage.seek(end).ok()?;
    gametape_scene::png::thumbnail(&stage.scene(), PICTURE)
}

/// The document `matches.json`.
#[derive(Serialize)]
pub(super) struct List<'e> {
    pub(super) matches: Vec<Row<'e>>,
    /// More is known later about this many.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) pending: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A match in the list.
#[derive(Serialize)]
pub(super) struct Row<'e> {
    src: String,
    #[serde(flatten)]
    entry: std::borrow::Cow<'e, MatchEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<String>,
}

impl List<'_> {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// A recording that is served under its number.
pub(super) fn row<'e>(
    number: usize,
    name: &str,
    entry: &'e MatchEntry,
    has_picture: bool,
) -> Row<'e> {
    let picture = has_picture.then(|| link::picture(number));
    Row { src: link::recording(number, name), entry: std::borrow::Cow::Borrowed(entry), picture }
}

/// A recording that the page fetches from elsewhere.
pub(super) fn row_of_url(url: &str) -> Row<'static> {
    let mut entry = MatchEntry::default();
    entry.name = link::name_of_url(url);
    Row { src: url.to_owned(), entry: std::borrow::Cow::Owned(entry), picture: None }
}
