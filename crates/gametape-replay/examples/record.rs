//! Records a small race of two snails, finishes, and goes on with the same tape.
//!
//! ```console
//! $ cargo run --example record -- race.tape
//! ```

use std::error::Error;

use gametape_replay::{Recorder, RecorderOptions};
use gametape_tape::{SimSnapshot, TapeHeader, UnitTag};
use gametape_wire::{Result, Tick, TickLength, View, ViewSet};

/// Two snails, and how far they came.
#[derive(Default)]
struct Race {
    tick: u64,
    places: [u64; 2],
}

impl Race {
    /// One tick of the game, recorded.
    fn step(&mut self, recorder: &Recorder) -> Result<()> {
        if recorder.keyframe_due(Tick(self.tick)) {
            recorder.keyframe(self.snapshot()?)?;
        }
        // Every 40 ticks, one of the players cheers and its snail jumps.
        let jumper = self.tick.is_multiple_of(40).then_some((self.tick / 40 % 2) as usize);
        if let Some(jumper) = jumper {
            let player = View::new(jumper as u8 + 1).unwrap_or(View::SPECTATOR);
            recorder.order(Tick(self.tick), player, b"hop!")?;
            self.places[jumper] += 7;
        }
        self.places = [self.places[0] + 2, self.places[1] + 2];
        let text = format!("{:?}", self.places);
        recorder.frame_for_all(Tick(self.tick), ViewSet::ALL, text.as_bytes())?;
        recorder.end_tick(Tick(self.tick));
        self.tick += 1;
        Ok(())
    }

    fn snapshot(&self) -> Result<SimSnapshot> {
        let mut state = SimSnapshot::default();
        state.core.tick = Tick(self.tick);
        for (index, place) in (0..).zip(self.places) {
            let tag = UnitTag { index, generation: 0 };
            state.core.entities.push(tag, &[(0, &place.to_le_bytes())])?;
        }
        Ok(state)
    }
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which file shall be recorded to?")?;
    let options = RecorderOptions::default();
    let mut race = Race::default();

    // The process number distinguishes recordings.
    let header = TapeHeader::new(TickLength::millis::<50>(), std::process::id());
    let metadata =
        br#"{"game":"snails","players":[{"view":1,"name":"Ana"},{"view":2,"name":"Ben"}]}"#;
    let recorder = Recorder::create(&path, header, metadata, &options)?;
    while race.tick < 1000 {
        race.step(&recorder)?;
    }
    println!("finished: {}", recorder.finish().is_finished);

    // A draw: they race on, on the same tape. An interrupted recording goes on in the same way.
    let recorder = Recorder::append(&path, &options)?;
    while race.tick < 2000 {
        race.step(&recorder)?;
        if let Some(failure) = recorder.failure() {
            eprintln!("the recording failed, the race goes on: {failure}");
        }
    }
    recorder.keyframe(race.snapshot()?)?;
    recorder.closing_metadata(br#"{"outcome":"a draw again"}"#)?;
    let report = recorder.finish();
    println!("{} bytes, finished: {}", report.counters.written_bytes, report.is_finished);
    Ok(())
}
