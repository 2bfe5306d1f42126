//! Live matches over real sockets of this machine.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
mod http;
mod leak;
mod sessions;
mod toy;
