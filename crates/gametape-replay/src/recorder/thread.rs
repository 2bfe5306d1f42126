//! The driver: a thread that pumps, with the machine's clock.

use std::thread::Builder;
use std::time::Instant;

use gametape_wire::{Error, Result};

use super::sink::Sink;
use super::{Pump, Recorder};

/// Lets a thread do the writer's work.
pub(super) fn run<S: Sink + Send + 'static>(
    (recorder, pump): (Recorder, Pump<S>),
) -> Result<Recorder> {
    let work = move || {
        let start = Instant::now();
        pump.run(|| start.elapsed());
    };
    let spawned = Builder::new().name("gametape writer".to_owned()).spawn(work);
    let no_thread = |error| Error::misuse("recorder", format!("no thread can be had: {error}"));
    spawned.map(|_| recorder).map_err(no_thread)
}
