//! Matches over a bus: in this process, and over NATS where there is a `nats-server`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cluster;
mod in_process;
mod login;
mod nats;
mod noted;
mod parts;
#[path = "../../../gametape-server/tests/live/proxy.rs"]
#[allow(dead_code, reason = "datagrams do not travel over a bus")]
mod proxy;
mod wanted;
// The game, and matches of it, are those of the tests without a bus.
#[allow(dead_code)]
#[path = "../../../gametape-live/tests/live/common.rs"]
mod toy;
