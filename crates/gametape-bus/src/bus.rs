//! What a bus is.

use std::fmt::Debug;
use std::time::Duration;

use futures_util::future::BoxFuture;
use gametape_live::Shared;
use gametape_wire::Result;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use crate::subject::{Filter, Subject};

/// Which of the messages that a bus keeps somebody wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// All of them.
    All,
    /// Those of the last time.
    Since(Duration),
    /// The last of each subject.
    Last,
}

/// Carries messages by subject. It may lose them, and may hand them over twice or in another order: numbers show it.
pub trait Bus: Debug + Send + Sync + 'static {
    /// Sends a message to everybody who wants its subject, and never waits. What does not go out in time is lost.
    fn publish(&self, subject: &str, reply: Option<&str>, message: &Shared);

    /// From now on gives what is published to these subjects, and to the subscription's own
    /// [inbox](Subscription::inbox).
    fn subscribe(&self, filters: &[Filter]) -> BoxFuture<'_, Result<Subscription>>;

    /// What the bus keeps of these subjects; ends when that was all. A bus that keeps nothing gives nothing.
    fn kept(&self, filters: &[Filter], kept: Kept) -> BoxFuture<'_, Result<Subscription>>;

    /// Waits until everything has gone out that was published before.
    fn flush(&self) -> BoxFuture<'_, Result<()>>;

    /// How many messages were lost because they could not go out in time.
    fn lost(&self) -> u64;
}

/// A message that came.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delivery {
    /// Its subject; `None` for an answer to the subscription's inbox.
    pub subject: Option<Subject>,
    /// Where to answer.
    pub reply: Option<String>,
    /// The message.
    pub bytes: Shared,
}

/// Messages that come; dropping it ends that.
#[derive(Debug)]
pub struct Subscription {
    pub(crate) incoming: mpsc::Receiver<Delivery>,
    pub(crate) inbox: String,
    pub(crate) tasks: Vec<AbortHandle>,
}

impl Subscription {
    /// The next message; `None` when there are no more. May be dropped and called again: nothing is lost.
    pub async fn next(&mut self) -> Option<Delivery> {
        self.incoming.recv().await
    }

    /// A message that is there already.
    pub fn try_next(&mut self) -> Option<Delivery> {
        self.incoming.try_recv().ok()
    }

    /// The subject that answers come to.
    #[must_use]
    pub fn inbox(&self) -> &str {
        &self.inbox
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}
