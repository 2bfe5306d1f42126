//! An edge subscribes to a view when somebody comes who may see it, and not before.

use std::sync::Arc;
use std::time::Duration;

use gametape_bus::{Bus, InProcess, Nats, NatsOptions, follow};
use gametape_wire::{View, ViewSet};

use crate::cluster::Cluster;
use crate::noted::Noted;
use crate::parts::{Playing, TestEdge, in_time, publisher};
use crate::toy::{Plan, name, views};

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
