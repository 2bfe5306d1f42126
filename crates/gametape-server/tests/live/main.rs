//! Live matches over real sockets of this machine.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bus;
mod cadre;
#[path = "../../../gametape-cadre/tests/common/server.rs"]
mod cadre_server;
#[allow(dead_code)]
#[path = "../../../gametape-bus/tests/bus/cluster.rs"]
mod cluster;
mod common;
mod hostile;
mod http;
mod late;
mod leak;
mod memory;
#[path = "../../../gametape-bus/tests/bus/noted.rs"]
mod noted;
mod proxy;
mod sessions;
mod tape;
mod transports;
mod wanted;
// The game, and matches of it, are those of the tests without sockets.
#[allow(dead_code)]
#[path = "../../../gametape-live/tests/live/common.rs"]
mod toy;
