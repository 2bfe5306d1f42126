//! A match of a game that nobody here knows, to try things with: snails race, and each knows only how tired it is itself.

use std::io::Cursor;
use std::time::Duration;

use gametape_analysis::{AnalysisEvent, Block, EventWriter, MatchOutcome, NameId, PlayerStats};
use gametape_tape::{SimSnapshot, TapeHeader, UnitTag};
use gametape_wire::{Result, Tick, TickLength, View};

use crate::recorder::{EventBlock, Next, Recorder, RecorderOptions};

/// Who races, from 1 on.
pub const SNAILS: [&str; 3] = ["Gary", "Turbo", "Sheldon"];
/// Words of the game.
const WORDS: [&str; 4] = ["rests", "passes a mark", "first at the finish", "snail"];
/// How long a tick takes.
const TICK: TickLength = TickLength::millis::<100>();
/// Ticks between keyframes.
const KEYFRAMES: u64 = 50;
const MARKS: u64 = 100;

/// How far a snail is, and how tired.
#[derive(Debug, Clone, Copy, Default)]
struct Snail {
    way: u64,
    tired: u32,
}

/// The tape of a race of some ticks: frames and keyframes of all views, events, statistics.
pub fn race(ticks: u64) -> Result<Vec<u8>> {
    let header = TapeHeader::new(TICK, 0x54A1);
    let about = br#"{"game":"Snails","content":"snails","title":"Garden cup","players":[{"view":1,"name":"Gary"},{"view":2,"name":"Turbo"},{"view":3,"name":"Sheldon"}]}"#;
    let (recorder, mut pump) =
        Recorder::with_pump(Cursor::new(Vec::new()), header, about, &RecorderOptions::default())?;
    recorder.names(&WORDS)?;
    let (mut snails, mut events) = ([Snail::default(); 3], EventWriter::new());
    for tick in 0..ticks {
        if tick.is_multiple_of(KEYFRAMES) {
            keyframes(&recorder, &snails, tick)?;
        }
        let happened = step(&mut snails, Tick(tick));
        frames(&recorder, &snails, tick)?;
        happened.iter().try_for_each(|event| events.push(event))?;
        if tick + 1 == ticks {
            events.push(&winner(&snails, Tick(tick)))?;
        }
        events.take().into_iter().try_for_each(|block| put(&recorder, block))?;
        recorder.end_tick(Tick(tick));
        pump.step(Duration::from_micros(TICK.time_of(Tick(tick)).micros()));
    }
    events.flush()?.into_iter().try_for_each(|block| put(&recorder, block))?;
    let closing = recorder.close();
    while pump.step(Duration::from_micros(TICK.time_of(Tick(ticks)).micros())) != Next::Done {}
    closing.wait().counters.failure.map_or(Ok(()), Err)?;
    Ok(pump.into_sink().into_inner())
}

fn put(recorder: &Recorder, block: Block) -> Result<()> {
    let Block { stream, first_tick, last_tick, count, bytes } = block;
    recorder.events(EventBlock::new(stream.number(), (first_tick, last_tick), count, bytes))
}

/// Every snail crawls, but rests when it is tired.
fn step(snails: &mut [Snail; 3], tick: Tick) -> Vec<AnalysisEvent> {
    let mut events = Vec::new();
    for (snail, player) in snails.iter_mut().zip(1u8..) {
        let before = *snail;
        let speed = 3 + (tick.0 / 7 + u64::from(player) * 5) % 4;
        match snail.tired {
            40.. => snail.tired = 10,
            _ => (snail.way, snail.tired) = (snail.way + speed, snail.tired + speed as u32 / 3),
        }
        let own = |what: u32, value: u64| AnalysisEvent::GameEvent {
            tick,
            what: NameId(what),
            player: Some(player),
            tag: Some(UnitTag { index: player.into(), generation: 0 }),
            pos: None,
            value: value as i64,
        };
        if snail.way == before.way {
            events.push(own(0, before.tired.into()));
        }
        if snail.way / MARKS > before.way / MARKS {
            events.push(own(1, snail.way / MARKS));
        }
        if tick.0.is_multiple_of(10) {
            let stats = PlayerStats { territory: snail.way as u32, ..PlayerStats::default() };
            events.push(AnalysisEvent::PlayerStatSnapshot { tick, player, stats });
        }
    }
    events
}

fn winner(snails: &[Snail; 3], tick: Tick) -> AnalysisEvent {
    let first = snails.iter().zip(1..).max_by_key(|(snail, player)| (snail.way, 255 - *player));
    let winner = first.map_or(1, |(_, player)| player);
    AnalysisEvent::MatchEnded {
        tick,
        outcome: MatchOutcome::Completed { winner, reason: NameId(2) },
    }
}

/// What a view knows: where all snails are, and how tired its own is; the spectator knows of all.
fn knows(snails: &[Snail; 3], view: View, tick: u64) -> Result<SimSnapshot> {
    let mut snapshot = SimSnapshot::default();
    snapshot.core.tick = Tick(tick);
    for ((snail, player), name) in snails.iter().zip(1u8..).zip(SNAILS) {
        let (way, tired) = ((snail.way as u32).to_le_bytes(), snail.tired.to_le_bytes());
        let is_known = view == View::SPECTATOR || view.number() == player;
        let slots: &[(u8, &[u8])] = &[(0, name.as_bytes()), (1, &way), (2, &tired)];
        snapshot.core.players.push(player, if is_known { slots } else { &slots[..2] })?;
    }
    snapshot.core.sections.push("weather".to_owned(), br#"{"rain":true,"degrees":17}"#)?;
    Ok(snapshot)
}

fn everybody() -> impl Iterator<Item = View> {
    (0..=3).filter_map(View::new)
}

fn keyframes(recorder: &Recorder, snails: &[Snail; 3], tick: u64) -> Result<()> {
    everybody().try_for_each(|view| recorder.view_keyframe(view, knows(snails, view, tick)?))
}

/// An update: where everybody is now; of a snail also how tired it is.
fn frames(recorder: &Recorder, snails: &[Snail; 3], tick: u64) -> Result<()> {
    let ways: Vec<String> = snails.iter().map(|snail| snail.way.to_string()).collect();
    let of = |view: View| match snails.get(usize::from(view.number()).wrapping_sub(1)) {
        Some(snail) => format!(r#"{{"ways":[{}],"tired":{}}}"#, ways.join(","), snail.tired),
        None => format!(r#"{{"ways":[{}]}}"#, ways.join(",")),
    };
    let payloads: Vec<(View, String)> = everybody().map(|view| (view, of(view))).collect();
    let parts: Vec<(View, &[u8])> =
        payloads.iter().map(|(view, payload)| (*view, payload.as_bytes())).collect();
    recorder.frame(Tick(tick), &parts)
}
