//! Events of an invented match of 60 minutes: encoding and decoding beside LZ4 on the same bytes,
//! highlights, statistics, and exports.

use std::process::ExitCode;
use std::time::Instant;

use gametape_analysis::{
    AnalysisEvent, Block, CsvTable, EventWriter, Events, Highlight, HighlightFinder, ParquetTable,
    StatisticsCollector, Table, json_line, sample,
};
use gametape_benches::{Claim, Contest, Report};
use gametape_wire::Result;

const MINUTES: u64 = 60;
const TICK_MICROS: u32 = 1_000_000 / sample::TICKS_A_SECOND as u32;
/// Rounds of what is timed alone; medians count.
const ROUNDS: usize = 9;
/// Matches that are exported to one Parquet file.
const MATCHES: u64 = 1000;
/// Length of each of these.
const SHORT_MINUTES: u64 = 10;

fn main() -> Result<ExitCode> {
    let mut report = Report::new();
    let events = sample::played(MINUTES, 1);
    let blocks = encode(&events)?;
    codec(&events, &blocks, &mut report);
    insight(&events, &mut report);
    exports(&events, &mut report);
    many_matches(&mut report)?;
    Ok(report.finish())
}

fn encode(events: &[AnalysisEvent]) -> Result<Vec<Block>> {
    let mut writer = EventWriter::new();
    events.iter().try_for_each(|event| writer.push(event))?;
    writer.flush()
}

/// How many events can be read; every field is decoded.
fn decode(blocks: &[Block]) -> usize {
    let events =
        |block: &Block| Events::new(&block.bytes, 0).map_or(0, |events| events.flatten().count());
    blocks.iter().map(events).sum()
}

fn codec(events: &[AnalysisEvent], blocks: &[Block], report: &mut Report) {
    let bytes: Vec<u8> = blocks.iter().flat_map(|block| block.bytes.iter().copied()).collect();
    let packed: Vec<Vec<u8>> =
        blocks.iter().map(|block| lz4_flex::block::compress(&block.bytes)).collect();
    let (count, stored) = (events.len(), packed.iter().map(Vec::len).sum::<usize>());
    println!("{MINUTES} minutes: {count} events, {} bytes, {stored} as LZ4", bytes.len());
    let pack =
        || blocks.iter().map(|block| lz4_flex::block::compress(&block.bytes).len()).sum::<usize>();
    let unpack = || {
        let lengths = packed.iter().zip(blocks).map(|(packed, block)| {
            lz4_flex::block::decompress(packed, block.bytes.len()).map_or(0, |raw| raw.len())
        });
        lengths.sum::<usize>()
    };
    let encoding = Contest::new("encode events", &bytes)
        .baseline("LZ4 compression", pack)
        .promised("encode", 0.25, || encode(events));
    let encoding = report.contest(encoding);
    let decoding = Contest::new("decode events", &bytes)
        .baseline("LZ4 decompression", unpack)
        .promised("decode", 0.02, || decode(blocks));
    let decoding = report.contest(decoding);
    let millions = |seconds: f64| count as f64 / 1e6 / seconds;
    println!("encoded: {:.1} million events/s", millions(encoding.seconds("encode")));
    println!("decoded: {:.1} million events/s\n", millions(decoding.seconds("decode")));
    assert_eq!(decode(blocks), count, "what is timed reads every event");
}

/// The median time in milliseconds.
fn milliseconds<T>(mut call: impl FnMut() -> T) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(call());
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

fn find_highlights(events: &[AnalysisEvent]) -> Vec<Highlight> {
    let mut finder = HighlightFinder::new(TICK_MICROS);
    events.iter().for_each(|event| finder.add(event));
    finder.finish(MINUTES * 60 * sample::TICKS_A_SECOND)
}

fn insight(events: &[AnalysisEvent], report: &mut Report) {
    let time = milliseconds(|| find_highlights(events));
    report.claim(&Claim::at_most("highlights of a 60-minute match, ms", time, 50.0));
    let time = milliseconds(|| {
        let mut collector = StatisticsCollector::new(TICK_MICROS);
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
    let json = milliseconds(|| text(&mut |event, out| json_line(event, &sample::NAMES, out)));
    let mut wide = CsvTable::new(Table::Wide);
    let csv = milliseconds(|| text(&mut |event, out| wide.row(event, &sample::NAMES, out)));
    let rate = |time: f64| events.len() as f64 / 1e3 / time;
    println!("JSON lines: {:.2} million events/s, wide CSV: {:.2}", rate(json), rate(csv));
    report.claim(&Claim::at_least("JSON lines, million events/s", rate(json), 0.5));
}

/// Blocks of many matches become one wide Parquet file, on one core.
fn many_matches(report: &mut Report) -> Result<()> {
    // A few matches that take turns: making them is not what is timed.
    let matches: Vec<Vec<Block>> =
        (0..20).map(|seed| encode(&sample::played(SHORT_MINUTES, seed))).collect::<Result<_>>()?;
    let start = Instant::now();
    let mut table = ParquetTable::with_source(Table::Wide, Vec::new())?;
    let mut rows = 0usize;
    for (number, blocks) in (0..MATCHES).zip(matches.iter().cycle()) {
        table.begin_source(&number.to_string());
        for block in blocks {
            for event in Events::new(&block.bytes, 0)? {
                table.push(&event?, &sample::NAMES)?;
                rows += 1;
            }
        }
    }
    let file = table.finish()?;
    let seconds = start.elapsed().as_secs_f64();
    let (megabytes, rate) = (file.len() as f64 / 1e6, MATCHES as f64 / seconds);
    println!(
        "{MATCHES} matches of {SHORT_MINUTES} minutes to Parquet: {rows} events, {megabytes:.1} MB, \
         {:.2} million events/s",
        rows as f64 / 1e6 / seconds
    );
    report.claim(&Claim::at_least("Parquet, matches a second on one core", rate, 25.0));
    Ok(())
}
