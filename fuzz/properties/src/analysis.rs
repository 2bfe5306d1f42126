//! Events: blocks of them, and what is made of them.

use crate::Seed;
use gametape_analysis::sample::{self, Random};
use gametape_analysis::{
    AnalysisEvent, CsvTable, EventKind, EventWriter, Events, HighlightFinder, KindSet, MatchInfo,
    RawEvents, StatisticsCollector, Table, json_line,
};
use gametape_wire::{Result, Tick, TickLength};

/// Any block: it is read to an end or to an error; what is read is written to the same bytes, and
/// everything that is made of events can be made of it.
pub fn events(data: &[u8]) {
    let Ok(mut events) = Events::new(data, 0) else { return };
    let mut read = Vec::new();
    let mut error = None;
    for event in &mut events {
        match event {
            Ok(event) => read.push(event),
            Err(problem) => error = Some(problem),
        }
    }
    assert!(read.is_sorted_by_key(AnalysisEvent::tick));
    assert!(read.len() + events.skipped() as usize <= events.count_read() as usize);
    match error {
        Some(error) => assert!(error.offset().is_some_and(|at| at <= data.len() as u64)),
        None => is_written_again(data, &read),
    }
    leaving_kinds_out_changes_nothing_else(data, &read);
    everything_can_be_made_of(&read);
}

/// A block has one form: unless it has what only its game can write, or kinds of several streams,
/// it comes back.
fn is_written_again(data: &[u8], read: &[AnalysisEvent]) {
    let Ok(raw) = RawEvents::new(data, 0) else { return };
    let has_own = raw.flatten().any(|event| EventKind::from_number(event.kind).is_none());
    let mut streams: Vec<_> = read.iter().map(|event| event.kind().stream()).collect();
    streams.dedup();
    if has_own || streams.len() > 1 {
        return;
    }
    let mut writer = EventWriter::new();
    for event in read {
        assert_eq!(writer.push(event), Ok(()));
    }
    let bytes: Vec<u8> = match writer.flush().as_deref() {
        Ok([block]) => block.bytes.clone(),
        // A writer leaves room for the longest head, so a full block may become two.
        other => {
            assert!(other.is_ok() && data.len() > 262_000);
            return;
        }
    };
    assert_eq!(bytes, data);
}

fn leaving_kinds_out_changes_nothing_else(data: &[u8], read: &[AnalysisEvent]) {
    let wanted: KindSet = EventKind::ALL.iter().copied().step_by(2).collect();
    let Ok(some) = Events::new(data, 0) else { return };
    let some: Vec<_> = some.only(wanted).flatten().collect();
    let expected: Vec<_> = read.iter().filter(|event| wanted.has(event.kind())).cloned().collect();
    // What is left out may be what was wrong, and then more comes after it.
    assert!(some.starts_with(&expected));
}

fn everything_can_be_made_of(events: &[AnalysisEvent]) {
    let names = ["tank", "timeout"];
    let mut finder = HighlightFinder::new(TickLength::MILLISECOND);
    let mut collector = StatisticsCollector::new(TickLength::MILLISECOND);
    let info = MatchInfo::new(TickLength::MILLISECOND, names);
    let (mut wide, mut text) = (CsvTable::new(Table::Wide), String::new());
    for event in events {
        finder.add(event);
        collector.add(event, &names);
        json_line(event, &info, &mut text);
        wide.row(event, &info, &mut text);
    }
    assert!(text.lines().count() >= 2 * events.len());
    for highlight in finder.finish(Tick(0)) {
        assert!(highlight.window.contains(&highlight.tick));
    }
    assert!(collector.finish().players.len() <= 15);
}

/// A block of every kind, blocks of chance, a part of a match, and one with an unknown kind.
pub fn event_seeds() -> Result<Vec<Seed>> {
    let mut random = Random::new(1);
    let simulation = EventKind::ALL.iter().filter(|kind| kind.stream().number() == 0);
    let every: Vec<_> = simulation.map(|&kind| sample::event(kind, Tick(7), &mut random)).collect();
    let lists = [EventKind::UnitPositionSample, EventKind::SelectionChanged];
    let [positions, selection] = lists.map(|kind| {
        (0..3).map(|tick| sample::event(kind, Tick(tick), &mut random)).collect::<Vec<_>>()
    });
    let played: Vec<_> = sample::played(3, 1).into_iter().skip(700).take(60).collect();
    Ok(vec![
        Seed::new("every-kind", block(&every)?),
        Seed::new("positions", block(&positions)?),
        Seed::new("selection", block(&selection)?),
        Seed::new("played", block(&played)?),
        Seed::new("unknown-kind", [1, 5, 13, 2, 1, 1, 0, 99, 1, 0xFF]),
    ])
}

fn block(events: &[AnalysisEvent]) -> Result<Vec<u8>> {
    let mut writer = EventWriter::new();
    events.iter().try_for_each(|event| writer.push(event))?;
    Ok(writer.flush()?.into_iter().next().map(|block| block.bytes).unwrap_or_default())
}
