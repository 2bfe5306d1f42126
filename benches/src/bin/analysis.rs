//! Events of an invented match of 60 minutes: encoding and decoding beside LZ4 on the same bytes,
//! highlights, statistics, and exports.

use std::process::ExitCode;

use gametape_analysis::{
    AnalysisEvent, Block, CsvTable, MatchInfo, StatisticsCollector, Table, json_line, sample,
};
use gametape_benches::insight::{codec, encode, highlights, many_matches, milliseconds};
use gametape_benches::{Claim, Report};
use gametape_wire::{Result, TickLength};

const MINUTES: u64 = 60;
const TICK_LENGTH: TickLength =
    TickLength::from_micros(1_000_000 / sample::TICKS_A_SECOND as u32).unwrap();
/// Length of each of many matches.
const SHORT_MINUTES: u64 = 10;

fn main() -> Result<ExitCode> {
    let mut report = Report::new();
    let events = sample::played(MINUTES, 1);
    codec(&events, &mut report)?;
    highlights(&events, TICK_LENGTH, MINUTES * 60 * sample::TICKS_A_SECOND, &mut report);
    statistics(&events);
    exports(&events, &mut report);
    println!("many matches of {SHORT_MINUTES} minutes:");
    let matches: Vec<Vec<Block>> =
        (0..20).map(|seed| encode(&sample::played(SHORT_MINUTES, seed))).collect::<Result<_>>()?;
    many_matches(&matches, &sample::NAMES, &mut report)?;
    Ok(report.finish())
}

fn statistics(events: &[AnalysisEvent]) {
    let time = milliseconds(|| {
        let mut collector = StatisticsCollector::new(TICK_LENGTH);
        events.iter().for_each(|event| collector.add(event, &sample::NAMES));
        collector.finish()
    });
    println!("statistics of a 60-minute match: {time:.2} ms");
}

fn exports(events: &[AnalysisEvent], report: &mut Report) {
    let text = |row: &mut dyn FnMut(&AnalysisEvent, &mut String)| {
        let mut text = String::new();
        events.iter().for_each(|event| row(event, &mut text));
        text.len()
    };
    let info = MatchInfo::new(TickLength::MILLISECOND, sample::NAMES);
    let json = milliseconds(|| text(&mut |event, out| json_line(event, &info, out)));
    let mut wide = CsvTable::new(Table::Wide);
    let csv = milliseconds(|| text(&mut |event, out| wide.row(event, &info, out)));
    let rate = |time: f64| events.len() as f64 / 1e3 / time;
    println!("JSON lines: {:.2} million events/s, wide CSV: {:.2}", rate(json), rate(csv));
    report.claim(&Claim::at_least("JSON lines, million events/s", rate(json), 0.5));
}
