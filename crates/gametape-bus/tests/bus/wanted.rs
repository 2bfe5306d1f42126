//! An edge subscribes to a view when somebody comes who may see it, and not before.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use gametape_bus::{Bus, Filter, InProcess, Kept, Nats, NatsOptions, Subscription, follow};
use gametape_live::Shared;
use gametape_wire::{Result, View, ViewSet};

use crate::cluster::Cluster;
use crate::parts::{Playing, TestEdge, in_time, publisher};
use crate::toy::{Plan, name, views};

/// A bus that notes who wants what.
#[derive(Debug)]
struct Noted {
    inner: Arc<dyn Bus>,
    wanted: Mutex<Vec<Filter>>,
}

impl Noted {
    fn new(inner: Arc<dyn Bus>) -> Arc<Self> {
        Arc::new(Self { inner, wanted: Mutex::default() })
    }

    /// The views of which something was wanted.
    fn views(&self) -> ViewSet {
        let of = |filter: &Filter| match filter {
            Filter::View(_, of) | Filter::Mark(_, of) => Some(*of),
            _ => None,
        };
        self.wanted.lock().unwrap().iter().filter_map(of).collect()
    }

    fn note(&self, filters: &[Filter]) {
        self.wanted.lock().unwrap().extend_from_slice(filters);
    }
}

impl Bus for Noted {
    fn publish(&self, subject: &str, reply: Option<&str>, message: &Shared) {
        self.inner.publish(subject, reply, message);
    }

    fn subscribe(&self, filters: &[Filter]) -> BoxFuture<'_, Result<Subscription>> {
        self.note(filters);
        self.inner.subscribe(filters)
    }

    fn kept(&self, filters: &[Filter], kept: Kept) -> BoxFuture<'_, Result<Subscription>> {
        self.note(filters);
        self.inner.kept(filters, kept)
    }

    fn flush(&self) -> BoxFuture<'_, Result<()>> {
        self.inner.flush()
    }

    fn lost(&self) -> u64 {
        self.inner.lost()
    }
}

/// Somebody comes for view 2 in the middle of a match, and has all of it.
async fn watched_from_the_middle(of_publisher: Arc<dyn Bus>, of_edge: Arc<dyn Bus>) {
    let plan = Plan { ticks: 200, spacing: 20, events: true, extras: true, ..Plan::small(11) };
    let source = plan.play();
    let noted = Noted::new(of_edge);
    let edge = TestEdge::keeping(views(&[0]), views(&[0, 2]));
    let mut playing = Playing::begin(of_publisher, publisher(&source)).await;
    let watching = async {
        playing.play(&source.pieces[..100], Duration::from_millis(2)).await;
        playing.pause_until(|| edge.over(&name()) >= Some(98)).await;
        assert_eq!(noted.views(), views(&[0]));
        edge.watch(&name(), 3);
        let rest = async {
            playing.play(&source.pieces[100..], Duration::from_millis(2)).await;
            playing.finish().await;
        };
        tokio::join!(edge.run(), rest);
    };
    in_time(async {
        tokio::select! {
            ended = follow(noted.clone(), edge.clone()) => panic!("{ended:?}"),
            () = watching => {}
        }
    })
    .await;
    edge.check(&source);
    assert_eq!(noted.views(), views(&[0, 2]), "nobody came for view {:?}", View::new(1));
}

#[tokio::test]
async fn a_view_is_subscribed_to_when_somebody_comes_who_may_see_it() {
    let bus = Arc::new(InProcess::default());
    watched_from_the_middle(bus.clone(), bus).await;
}

#[tokio::test]
async fn the_same_over_nats_with_a_window_and_without() {
    for has_window in [true, false] {
        let Some(cluster) = Cluster::start(1, has_window) else { return };
        let connect = || async {
            Nats::connect(&cluster.address(0), &NatsOptions::default()).await.map(Arc::new).unwrap()
        };
        watched_from_the_middle(connect().await, connect().await).await;
    }
}

#[tokio::test]
async fn where_nobody_comes_nothing_is_subscribed_to() {
    let source = Plan { ticks: 60, ..Plan::small(12) }.play();
    let bus = Arc::new(InProcess::default());
    let noted = Noted::new(bus.clone());
    let edge = TestEdge::keeping(ViewSet::EMPTY, views(&[0, 1, 2]));
    let mut playing = Playing::begin(bus, publisher(&source)).await;
    in_time(async {
        tokio::select! {
            ended = follow(noted.clone(), edge.clone()) => panic!("{ended:?}"),
            () = async {
                playing.play(&source.pieces, Duration::from_millis(2)).await;
                playing.finish().await;
            } => {}
        }
    })
    .await;
    assert_eq!(noted.views(), ViewSet::EMPTY);
    assert_eq!(edge.over(&name()), None);
}
