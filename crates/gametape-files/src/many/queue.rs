//! Work on many things at once, with results in the order of the things.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use crate::host::host;
use crate::memory::share_memory;
use crate::outcome::Failure;
use crate::streams::{Kept, Page, Turns, on_page};

/// How many things, for each worker, may be ahead of the one whose turn it is: as many results are
/// kept at most.
const AHEAD: usize = 4;

/// The result of the work with this number, and what it printed.
type Finished<T> = (usize, T, Kept);

/// Works on each item on one of `jobs` threads; prints what the work printed, and hands on its result,
/// in the order of the items. Ends at the first failure of `take`.
pub(super) fn in_order<I: Sync, T: Send>(
    items: &[I],
    jobs: usize,
    work: impl Fn(&I) -> T + Sync,
    take: impl FnMut(&I, T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let jobs = jobs.clamp(1, items.len().max(1));
    share_memory(jobs);
    let turns = Turns::new(host().watch_files(items.len() as u64));
    let next = AtomicUsize::new(0);
    let taken = thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..jobs {
            let (sender, turns, next, work) = (sender.clone(), Arc::clone(&turns), &next, &work);
            scope.spawn(move || Worker { turns, sender }.run(items, jobs, next, work));
        }
        drop(sender);
        let taken = take_all(items, &receiver, &turns, take);
        turns.stop();
        taken
    });
    share_memory(1);
    taken
}

fn take_all<I, T>(
    items: &[I],
    receiver: &Receiver<Finished<T>>,
    turns: &Turns,
    mut take: impl FnMut(&I, T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut early = BTreeMap::new();
    for (number, item) in items.iter().enumerate() {
        while !early.contains_key(&number) {
            // Without workers there is nothing more to come: one of them panicked.
            let Ok((number, result, kept)) = receiver.recv() else { return Ok(()) };
            early.insert(number, (result, kept));
        }
        if let Some((result, kept)) = early.remove(&number) {
            let mut result = Some(result);
            turns.print(|| {
                kept.print().map_err(|error| Failure::io(&"standard output", &error))?;
                result.take().map_or(Ok(()), |result| take(item, result))
            })?;
        }
        turns.pass();
    }
    Ok(())
}

/// One of several threads that work.
struct Worker<T> {
    turns: Arc<Turns>,
    sender: Sender<Finished<T>>,
}

impl<T> Worker<T> {
    fn run<I>(self, items: &[I], jobs: usize, next: &AtomicUsize, work: &impl Fn(&I) -> T) {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { return };
            if !self.turns.wait_for(number.saturating_sub(AHEAD * jobs)) {
                return;
            }
            let page = Page::new(number, &self.turns);
            let (result, kept) = on_page(page, || work(item));
            if self.sender.send((number, result, kept)).is_err() {
                return;
            }
        }
    }
}

impl<T> Drop for Worker<T> {
    /// Others do not wait for one that panicked.
    fn drop(&mut self) {
        if thread::panicking() {
            self.turns.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn results_come_in_order_however_the_work_ends() {
        for jobs in [1, 2, 7] {
            let (items, mut taken) = ((0..200).collect::<Vec<u32>>(), Vec::new());
            let work = |item: &u32| (0..(200 - item) * 50).map(u64::from).sum::<u64>();
            let done = in_order(&items, jobs, work, |item, sum| {
                taken.push((*item, sum));
                Ok(())
            });
            assert!(done.is_ok());
            assert!(taken.iter().map(|(item, _)| *item).eq(0..200), "{jobs} jobs");
            assert!(taken.iter().all(|(item, sum)| *sum == work(item)));
        }
    }

    #[test]
    fn two_jobs_work_at_the_same_time() {
        let barrier = Barrier::new(2);
        let done = in_order(&[1, 2], 2, |_| barrier.wait().is_leader(), |_, _| Ok(()));
        assert!(done.is_ok());
    }

    #[test]
    fn nobody_works_far_ahead_of_the_first() {
        let (started, jobs) = (AtomicUsize::new(0), 2);
        let items: Vec<usize> = (0..100).collect();
        let work = |_: &usize| started.fetch_add(1, Ordering::SeqCst);
        let done = in_order(&items, jobs, work, |item, _| {
            let most = item + AHEAD * jobs + 1;
            assert!(started.load(Ordering::SeqCst) <= most, "{item}");
            Ok(())
        });
        assert!(done.is_ok());
    }

    #[test]
    fn the_first_failure_of_the_taker_ends_it() {
        let items: Vec<u32> = (0..1000).collect();
        let mut taken = 0;
        let done = in_order(
            &items,
            2,
            |item| *item,
            |_, item| {
                taken += 1;
                if item == 10 { Err(Failure::usage("enough")) } else { Ok(()) }
            },
        );
        assert!(done.is_err());
        assert_eq!(taken, 11);
    }

    #[test]
    #[should_panic]
    fn a_panic_ends_it_too() {
        let items: Vec<u32> = (0..100).collect();
        let _ = in_order(&items, 3, |item| assert_ne!(*item, 20), |_, ()| Ok(()));
    }
}
