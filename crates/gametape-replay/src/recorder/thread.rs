//! The driver: a thread that pumps, with the machine's clock.

use std::thread::Builder;
use std::time::Instant;

use gametape_wire::{Error, Result};

use super::sink::Sink;
use super::{Next, Pump, Recorder};

/// Lets a thread do the writer's work.
pub(super) fn run<S: Sink + Send + 'static>(
    (recorder, pump): (Recorder, Pump<S>),
) -> Result<Recorder> {
    let spawned = Builder::new().name("gametape writer".to_owned()).spawn(move || drive(pump));
    let no_thread = |error| Error::misuse("recorder", format!("no thread can be had: {error}"));
    spawned.map(|_| recorder).map_err(no_thread)
}

fn drive<S: Sink>(mut pump: Pump<S>) {
    let start = Instant::now();
    loop {
        match pump.step(start.elapsed()) {
            Next::Within(time) => pump.shared().sleep(Some(time)),
            Next::Idle => pump.shared().sleep(None),
            Next::Done => return,
        }
    }
}
