//! How far a long command is: on a terminal, on stderr, and only after a second.

use std::io::{IsTerminal, stderr, stdout};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use gametape_minewars::Frame;
use gametape_wire::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::failure::is_quiet;
use crate::streams::is_on_page;

/// Commands that are done sooner show nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// The clock is looked at once in this many bytes.
const STRIDE: u64 = 1 << 20;

/// Shows how many of `total` bytes were worked through.
pub(crate) struct Progress {
    total: u64,
    label: &'static str,
    started: Instant,
    next_look: u64,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Work on `total` bytes begins. `label` says what is done, as in "reading frames".
    pub(crate) fn new(label: &'static str, total: u64) -> Self {
        let next_look = if is_visible() { STRIDE } else { u64::MAX };
        Self { total, label, started: Instant::now(), next_look, bar: None }
    }

    /// `done` bytes are finished.
    #[inline]
    pub(crate) fn at(&mut self, done: u64) {
        if done >= self.next_look {
            self.look(done);
        }
    }

    #[cold]
    fn look(&mut self, done: u64) {
        self.next_look = done + STRIDE;
        if self.bar.is_none() && self.started.elapsed() >= PATIENCE {
            self.bar = Some(ProgressBar::new(self.total).with_style(style(BYTES)));
        }
        if let Some(bar) = &self.bar {
            bar.set_message(self.label);
            bar.set_position(done);
        }
    }

    /// The same frames, shown as they pass.
    pub(crate) fn watch<'a>(
        mut self,
        frames: impl Iterator<Item = Result<Frame<'a>>>,
    ) -> impl Iterator<Item = Result<Frame<'a>>> {
        frames.inspect(move |frame| {
            if let Ok(frame) = frame {
                self.at(frame.offset());
            }
        })
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Is it seen? A terminal that shows the result has no room for it, and of many files only the
/// number is shown.
fn is_visible() -> bool {
    stderr().is_terminal() && !stdout().is_terminal() && !is_on_page() && !is_quiet()
}

/// A bar that counts files, where there is a terminal to show it.
pub(crate) fn bar_of_files(total: u64) -> Option<ProgressBar> {
    if !stderr().is_terminal() || is_quiet() {
        return None;
    }
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10));
    Some(bar.with_style(style("{pos} of {len} files {bar:40} {eta} left")))
}

/// Does work that does not say how far it is, and shows that it goes on.
pub(crate) fn waiting<T>(label: &'static str, work: impl FnOnce() -> T) -> T {
    if is_visible() { spin(label, work) } else { work() }
}

/// The same for a command whose screen is still empty.
pub(crate) fn waiting_first<T>(label: &'static str, work: impl FnOnce() -> T) -> T {
    if stderr().is_terminal() { spin(label, work) } else { work() }
}

fn spin<T>(label: &'static str, work: impl FnOnce() -> T) -> T {
    let (working, done) = mpsc::channel::<()>();
    thread::scope(move |scope| {
        scope.spawn(move || {
            if done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let spinner = ProgressBar::new_spinner().with_message(label);
                spinner.enable_steady_tick(PATIENCE / 10);
                let _ = done.recv();
                spinner.finish_and_clear();
            }
        });
        let result = work();
        drop(working);
        result
    })
}

const BYTES: &str = "{msg} {bar:40} {binary_bytes} of {binary_total_bytes}, {eta} left";

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
