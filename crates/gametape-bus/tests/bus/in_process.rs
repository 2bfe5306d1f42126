//! Without a network: what is lost, doubled, late, forged.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use gametape_bus::{Bus, Filter, InProcess, Kept, Subject, Subscription, follow};
use gametape_live::{Message, Shared};
use gametape_wire::{Result, ViewSet};

use crate::parts::{Playing, TestEdge, in_time, publisher};
use crate::toy::{Dice, Match, Plan, name, view, views};

fn source(seed: u64) -> Match {
    Plan { ticks: 200, spacing: 20, events: true, extras: true, ..Plan::small(seed) }.play()
}

/// A bus that loses and doubles messages, and notes who wants what.
#[derive(Debug)]
struct Lossy {
    inner: InProcess,
    /// Of a hundred messages this many are lost.
    loses: u64,
    dice: Mutex<Dice>,
    wanted: Mutex<Vec<Filter>>,
    published: AtomicU64,
}

impl Lossy {
    fn new(loses: u64) -> Arc<Self> {
        let (dice, wanted) = (Mutex::new(Dice::new(loses + 7)), Mutex::default());
        let (inner, published) = (InProcess::default(), AtomicU64::new(0));
        Arc::new(Self { inner, loses, dice, wanted, published })
    }
}

impl Bus for Lossy {
    fn publish(&self, subject: &str, reply: Option<&str>, message: &Shared) {
        let (is_lost, is_doubled) = {
            let mut dice = self.dice.lock().unwrap();
            (dice.percent(self.loses), dice.percent(self.loses))
        };
        if matches!(Subject::read(subject), Some(Subject::Lane(..))) {
            self.published.fetch_add(1, Ordering::Relaxed);
        }
        let copies = u32::from(!is_lost) + u32::from(is_doubled);
        (0..copies).for_each(|_| self.inner.publish(subject, reply, message));
    }

    fn subscribe(&self, filters: &[Filter]) -> BoxFuture<'_, Result<Subscription>> {
        self.wanted.lock().unwrap().extend_from_slice(filters);
        self.inner.subscribe(filters)
    }

    fn kept(&self, filters: &[Filter], kept: Kept) -> BoxFuture<'_, Result<Subscription>> {
        self.wanted.lock().unwrap().extend_from_slice(filters);
        self.inner.kept(filters, kept)
    }

    fn flush(&self) -> BoxFuture<'_, Result<()>> {
        self.inner.flush()
    }

    fn lost(&self) -> u64 {
        self.inner.lost()
    }
}

async fn watched(bus: Arc<Lossy>, seen: ViewSet, source: &Match) -> Arc<TestEdge> {
    let edge = TestEdge::new(seen);
    edge.watch(&name(), 3);
    let mut playing = Playing::begin(bus.clone(), publisher(source)).await;
    in_time(async {
        tokio::select! {
            ended = follow(bus, edge.clone()) => panic!("{ended:?}"),
            () = edge.run() => {}
            () = async {
                playing.play(&source.pieces, Duration::from_millis(2)).await;
                playing.finish().await;
                std::future::pending::<()>().await;
            } => {}
        }
    })
    .await;
    edge
}

#[tokio::test]
async fn everybody_has_what_the_source_has() {
    let source = source(1);
    watched(Lossy::new(0), views(&[0, 1, 2]), &source).await.check(&source);
}

#[tokio::test]
async fn what_is_lost_and_doubled_is_asked_for_again() {
    let source = source(2);
    watched(Lossy::new(15), views(&[0, 2]), &source).await.check(&source);
}

#[tokio::test]
async fn an_edge_wants_no_view_that_nobody_there_may_see() {
    let (source, bus) = (source(3), Lossy::new(0));
    watched(bus.clone(), views(&[2]), &source).await.check(&source);
    let wanted = bus.wanted.lock().unwrap();
    // The publisher asks for the last marks of its views, and edges for their own.
    let of_others = |filter: &&Filter| matches!(filter, Filter::View(_, of) if *of != view(2));
    assert_eq!(wanted.iter().find(of_others), None);
    assert!(wanted.contains(&Filter::View(name(), view(2))));
}

#[tokio::test]
async fn an_edge_that_comes_late_has_everything() {
    let (source, bus) = (source(4), Lossy::new(5));
    let mut playing = Playing::begin(bus.clone(), publisher(&source)).await;
    playing.play(&source.pieces, Duration::ZERO).await;
    let edge = TestEdge::new(views(&[0, 1]));
    edge.watch(&name(), 2);
    in_time(async {
        tokio::select! {
            ended = follow(bus, edge.clone()) => panic!("{ended:?}"),
            () = async { edge.run().await; } => {}
            () = async { playing.finish().await; std::future::pending::<()>().await } => {}
        }
    })
    .await;
    edge.check(&source);
}

#[tokio::test]
async fn a_publisher_that_was_killed_goes_on_and_sends_nothing_twice() {
    let (source, bus) = (source(5), Lossy::new(0));
    let edge = TestEdge::new(views(&[0, 1, 2]));
    edge.watch(&name(), 2);
    let publishing = async {
        let mut first = Playing::begin(bus.clone(), publisher(&source)).await;
        first.play(&source.pieces[..120], Duration::from_millis(1)).await;
        let sent = first.have();
        drop(first);
        // Another process reads the journal from its start.
        let mut second = Playing::begin(bus.clone(), publisher(&source)).await;
        second.play(&source.pieces, Duration::ZERO).await;
        second.finish().await;
        let all: u64 = second.have().iter().flat_map(|(_, counts)| counts).sum();
        // What the last mark did not count, and events, may have been sent already.
        let events: u64 = sent.iter().map(|(_, counts)| counts[6]).sum();
        let published = bus.published.load(Ordering::Relaxed);
        assert!(published >= all && published <= all + events + 60, "{published} for {all}");
    };
    in_time(async {
        tokio::select! {
            ended = follow(bus.clone(), edge.clone()) => panic!("{ended:?}"),
            _ = async { tokio::join!(edge.run(), publishing) } => {}
        }
    })
    .await;
    edge.check(&source);
}

#[tokio::test]
async fn messages_under_a_false_subject_are_dropped() {
    let (source, bus) = (source(6), InProcess::default());
    let edge = TestEdge::new(views(&[2]));
    let mut playing = Playing::begin(Arc::new(bus.clone()), publisher(&source)).await;
    let spy = TestEdge::new(views(&[1]));
    // Everything of view 1, on the subjects of view 2.
    let mut foreign = bus.subscribe(&[Filter::View(name(), view(1))]).await.unwrap();
    let forged = async {
        while let Some(delivery) = foreign.next().await {
            let subject = match delivery.subject {
                Some(Subject::Lane(name, _, lane)) => Subject::Lane(name, view(2), lane),
                _ => Subject::Mark(name(), view(2)),
            };
            bus.publish(&subject.to_string(), None, &delivery.bytes);
        }
    };
    edge.watch(&name(), 1);
    spy.watch(&name(), 1);
    in_time(async {
        tokio::select! {
            _ = follow(Arc::new(bus.clone()), edge.clone()) => {}
            _ = follow(Arc::new(bus.clone()), spy.clone()) => {}
            () = forged => {}
            () = async { tokio::join!(edge.run(), spy.run()); } => {}
            () = async {
                playing.play(&source.pieces, Duration::from_millis(1)).await;
                playing.finish().await;
                std::future::pending::<()>().await;
            } => {}
        }
    })
    .await;
    edge.check(&source);
    spy.check(&source);
}

#[tokio::test]
async fn a_subscriber_that_does_not_read_loses_and_nobody_waits() {
    let bus = InProcess::default();
    let mut slow = bus.subscribe(&[Filter::Announces]).await.unwrap();
    let message = Message::Seek(gametape_live::StartAt::Live).to_bytes();
    let subject = Subject::Announce(name()).to_string();
    (0..5000).for_each(|_| bus.publish(&subject, None, &message));
    assert_eq!(bus.lost(), 5000 - 4096);
    assert!(slow.next().await.is_some());
}
