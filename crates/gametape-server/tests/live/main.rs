//! Live matches over real sockets of this machine.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bus;
mod cadre;
#[allow(dead_code)]
#[path = "../../../gametape-bus/tests/bus/cluster.rs"]
mod cluster;
mod common;
mod hostile;
mod http;
mod late;
mod leak;
mod proxy;
mod sessions;
mod transports;
// The game, and matches of it, are those of the tests without sockets.
#[allow(dead_code)]
#[path = "../../../gametape-live/tests/live/common.rs"]
mod toy;
