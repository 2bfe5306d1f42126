//! A bus within one process.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use gametape_live::Shared;
use gametape_wire::Result;
use tokio::sync::mpsc;

use crate::bus::{Bus, Delivery, Kept, Subscription};
use crate::subject::{Filter, Subject};

/// Messages that wait for one subscriber: with more it loses them.
const WAITING: usize = 4096;
/// Bytes that are kept for who comes late.
const WINDOW: usize = 64 << 20;

/// A bus within one process. Clones are the same bus.
#[derive(Debug, Clone, Default)]
pub struct InProcess {
    state: Arc<Mutex<State>>,
    lost: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct State {
    subscribers: Vec<Subscriber>,
    window: VecDeque<(Instant, Subject, Shared)>,
    bytes: usize,
    inboxes: u64,
}

#[derive(Debug)]
struct Subscriber {
    filters: Vec<Filter>,
    inbox: String,
    sender: mpsc::Sender<Delivery>,
}

impl State {
    fn keep(&mut self, subject: &Subject, message: &Shared) {
        if matches!(subject, Subject::Again(_)) {
            return;
        }
        self.bytes += message.len();
        self.window.push_back((Instant::now(), subject.clone(), Arc::clone(message)));
        while self.bytes > WINDOW
            && let Some((_, _, oldest)) = self.window.pop_front()
        {
            self.bytes -= oldest.len();
        }
    }
}

impl InProcess {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn has(filters: &[Filter], subject: &Subject) -> bool {
    filters.iter().any(|filter| filter.has(subject))
}

impl Bus for InProcess {
    fn publish(&self, subject: &str, reply: Option<&str>, message: &Shared) {
        let mut state = self.state();
        let read = Subject::read(subject);
        if let Some(read) = &read {
            state.keep(read, message);
        }
        let reply = reply.map(str::to_owned);
        let delivery = Delivery { subject: read, reply, bytes: Arc::clone(message) };
        state.subscribers.retain(|subscriber| {
            let is_wanted = match &delivery.subject {
                Some(subject) => has(&subscriber.filters, subject),
                None => subscriber.inbox == subject,
            };
            let sent = is_wanted.then(|| subscriber.sender.try_send(delivery.clone()));
            if let Some(Err(mpsc::error::TrySendError::Full(_))) = sent {
                self.lost.fetch_add(1, Ordering::Relaxed);
            }
            !subscriber.sender.is_closed()
        });
    }

    fn subscribe(&self, filters: &[Filter]) -> BoxFuture<'_, Result<Subscription>> {
        let mut state = self.state();
        state.inboxes += 1;
        let inbox = format!("inbox.{}", state.inboxes);
        let (sender, incoming) = mpsc::channel(WAITING);
        state.subscribers.push(Subscriber {
            filters: filters.into(),
            inbox: inbox.clone(),
            sender,
        });
        ready(Ok(Subscription { incoming, inbox, tasks: Vec::new() })).boxed()
    }

    fn kept(&self, filters: &[Filter], kept: Kept) -> BoxFuture<'_, Result<Subscription>> {
        let state = self.state();
        let wanted = state.window.iter().filter(|(at, subject, _)| {
            let is_young = !matches!(kept, Kept::Since(time) if at.elapsed() > time);
            is_young && has(filters, subject)
        });
        let mut found: Vec<(Subject, Shared)> =
            wanted.map(|(_, subject, bytes)| (subject.clone(), Arc::clone(bytes))).collect();
        if kept == Kept::Last {
            found = found.into_iter().collect::<BTreeMap<_, _>>().into_iter().collect();
        }
        let (sender, incoming) = mpsc::channel(found.len().max(1));
        for (subject, bytes) in found {
            let _ = sender.try_send(Delivery { subject: Some(subject), reply: None, bytes });
        }
        ready(Ok(Subscription { incoming, inbox: String::new(), tasks: Vec::new() })).boxed()
    }

    fn flush(&self) -> BoxFuture<'_, Result<()>> {
        ready(Ok(())).boxed()
    }

    fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}
