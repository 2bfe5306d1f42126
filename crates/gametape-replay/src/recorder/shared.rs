//! What game and writer share, under a lock that is never held during I/O.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gametape_wire::{Error, Result};

use super::counters::Report;
use super::producer::{Ending, Producer};
use super::queue::Segment;

/// This many bytes in the queue wake the writer early.
const WAKE_BYTES: usize = 256 << 10;
/// The writer never sleeps longer than this without a look.
const LONGEST_SLEEP: Duration = Duration::from_secs(3600);

#[derive(Debug)]
pub(super) struct Shared {
    producer: Mutex<Producer>,
    /// The writer waits for work.
    work: Condvar,
    /// The game waits for the end.
    done: Condvar,
}

impl Shared {
    pub(super) fn new(producer: Producer) -> Arc<Self> {
        let (work, done) = (Condvar::new(), Condvar::new());
        Arc::new(Self { producer: Mutex::new(producer), work, done })
    }

    /// Nothing that holds the lock panics; if it did, what it guards would still be whole.
    pub(super) fn lock(&self) -> MutexGuard<'_, Producer> {
        self.producer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The game gives something.
    pub(super) fn give<T>(&self, give: impl FnOnce(&mut Producer) -> Result<T>) -> Result<T> {
        self.give_and(false, give)
    }

    /// The game ends a tick: who publishes it gets it now.
    pub(super) fn end_tick(&self, tick: u64) {
        // This cannot be wrong.
        let _: Result<()> = self.give_and(true, |producer| {
            producer.end_tick(tick);
            Ok(())
        });
    }

    fn give_and<T>(
        &self,
        ends_tick: bool,
        give: impl FnOnce(&mut Producer) -> Result<T>,
    ) -> Result<T> {
        let mut producer = self.lock();
        let given = give(&mut producer)?;
        let is_much = producer.queue.waiting() >= WAKE_BYTES;
        let wakes = producer.is_writer_idle || is_much || (ends_tick && producer.is_live);
        if wakes && !std::mem::replace(&mut producer.is_woken, true) {
            drop(producer);
            self.work.notify_one();
        }
        Ok(given)
    }

    /// The game gives nothing more.
    pub(super) fn end(&self, ending: Ending) {
        let mut producer = self.lock();
        producer.ending.get_or_insert(ending);
        producer.is_woken = true;
        drop(producer);
        self.work.notify_one();
    }

    /// The writer takes everything that waits, and learns whether the game has ended.
    pub(super) fn take(&self) -> (Vec<Segment>, Option<Ending>) {
        let mut producer = self.lock();
        (producer.queue.take(), producer.ending)
    }

    /// The writer sleeps for `most`, or until there is much work; if it is idle, any work.
    pub(super) fn sleep(&self, most: Option<Duration>, is_idle: bool) {
        let mut producer = self.lock();
        producer.is_writer_idle = is_idle;
        let has_work = !producer.queue.is_empty() && is_idle;
        if !has_work && producer.ending.is_none() {
            let most = most.unwrap_or(LONGEST_SLEEP).min(LONGEST_SLEEP);
            let slept = self.work.wait_timeout_while(producer, most, |producer| !producer.is_woken);
            producer = slept.unwrap_or_else(PoisonError::into_inner).0;
        }
        producer.is_writer_idle = false;
        producer.is_woken = false;
    }

    /// The writer ended.
    pub(super) fn stop(&self, failure: Option<Error>) -> Vec<Segment> {
        let rest = self.lock().stop(failure);
        self.done.notify_all();
        rest
    }

    /// Waits for the writer's end, but not longer than `most`.
    pub(super) fn wait_for_end(&self, most: Option<Duration>) -> Option<Report> {
        let producer = self.lock();
        let running = |producer: &mut Producer| !producer.is_done;
        let producer = match most {
            Some(most) => {
                let waited = self.done.wait_timeout_while(producer, most, running);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
            None => self.done.wait_while(producer, running).unwrap_or_else(PoisonError::into_inner),
        };
        producer
            .is_done
            .then(|| Report { is_finished: producer.is_finished, counters: producer.counters() })
    }
}
