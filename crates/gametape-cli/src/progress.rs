//! How far a long command is: on a terminal, on stderr, and only after a second.

use std::fmt::Debug;
use std::io::{IsTerminal, stderr, stdout};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gametape_files::streams::is_on_page;
use gametape_files::{BytesBar, FilesBar};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::failure::is_quiet;
pub(crate) use gametape_files::waiting;

/// Commands that are done sooner show nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// The clock is looked at once in this many bytes.
const STRIDE: u64 = 1 << 20;

/// Shows how many of `total` bytes were worked through.
#[derive(Debug)]
pub(crate) struct Progress {
    total: u64,
    label: &'static str,
    started: Instant,
    is_visible: bool,
    last_look: u64,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Work on `total` bytes begins, whose results are printed as it goes on. `label` says what is
    /// done, as in "reading frames".
    pub(crate) fn new(label: &'static str, total: u64) -> Self {
        Self::shown_if(is_visible(), label, total)
    }

    /// Work on `total` bytes begins, after which results are printed.
    pub(crate) fn before_results(label: &'static str, total: u64) -> Self {
        Self::shown_if(has_room(), label, total)
    }

    fn shown_if(is_visible: bool, label: &'static str, total: u64) -> Self {
        Self { total, label, started: Instant::now(), is_visible, last_look: 0, bar: None }
    }

    /// The work is at this byte. It may go back, where the bytes are gone through again.
    #[inline]
    pub(crate) fn at(&mut self, done: u64) {
        if self.is_visible && done.abs_diff(self.last_look) >= STRIDE {
            self.look(done);
        }
    }

    #[cold]
    fn look(&mut self, done: u64) {
        self.last_look = done;
        if self.bar.is_none() && self.started.elapsed() >= PATIENCE {
            self.bar = Some(ProgressBar::new(self.total).with_style(style(BYTES)));
        }
        if let Some(bar) = &self.bar {
            bar.set_message(self.label);
            bar.set_position(done);
        }
    }
}

impl BytesBar for Progress {
    fn at(&mut self, done: u64) {
        Self::at(self, done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Is progress seen while results are printed? A terminal that shows these has no room for it.
fn is_visible() -> bool {
    has_room() && !stdout().is_terminal()
}

/// Is progress seen while nothing is printed? Of many files only the number is shown.
fn has_room() -> bool {
    stderr().is_terminal() && !is_on_page() && !is_quiet()
}

/// Counts files.
#[derive(Debug)]
struct Files(ProgressBar);

impl FilesBar for Files {
    fn advance(&self) {
        self.0.inc(1);
    }

    fn aside(&self, print: &mut dyn FnMut()) {
        self.0.suspend(print);
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A bar that counts files, where there is a terminal to show it.
pub(crate) fn bar_of_files(total: u64) -> Option<Box<dyn FilesBar>> {
    if !stderr().is_terminal() || is_quiet() {
        return None;
    }
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10));
    let bar = bar.with_style(style("{pos} of {len} files {bar:40} {eta} left"));
    Some(Box::new(Files(bar)))
}

/// A bar that counts pictures; hidden where there is no terminal to show it.
pub(crate) fn bar_of_pictures(total: u64) -> ProgressBar {
    if !has_room() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10));
    bar.with_style(style("{pos} of {len} pictures {bar:40} {eta} left"))
}

/// What shows that work goes on which does not say how far it is; none where it would not be seen.
pub(crate) fn spinner(label: &'static str) -> Option<Box<dyn Debug>> {
    is_visible().then(|| Box::new(Spinner::new(label)) as Box<dyn Debug>)
}

/// Does work for a command whose screen is still empty.
pub(crate) fn waiting_first<T>(label: &'static str, work: impl FnOnce() -> T) -> T {
    let _spinner = stderr().is_terminal().then(|| Spinner::new(label));
    work()
}

/// Turns until it is dropped.
#[derive(Debug)]
struct Spinner(Option<(Sender<()>, JoinHandle<()>)>);

impl Spinner {
    fn new(label: &'static str) -> Self {
        let (working, done) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            if done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let spinner = ProgressBar::new_spinner().with_message(label);
                spinner.enable_steady_tick(PATIENCE / 10);
                let _ = done.recv();
                spinner.finish_and_clear();
            }
        });
        Self(Some((working, thread)))
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some((working, thread)) = self.0.take() {
            drop(working);
            let _ = thread.join();
        }
    }
}

const BYTES: &str =
    "{msg} {percent:>3}% {bar:40} {binary_bytes} of {binary_total_bytes}, {eta} left";

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
