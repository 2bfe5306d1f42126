//! What analysis does with the events of a match: codec, highlights, export of many matches.

use std::time::Instant;

use gametape_analysis::{
    AnalysisEvent, Block, EventWriter, Events, Highlight, HighlightFinder, MatchInfo, Names, Table,
};
use gametape_library::ParquetTable;
use gametape_wire::{Result, Tick, TickLength};

use crate::{Claim, Contest, Report};

/// Rounds of what is timed alone; medians count.
const ROUNDS: usize = 9;
/// Matches that are exported to one Parquet file.
const MATCHES: usize = 1000;

/// The blocks of events.
pub fn encode(events: &[AnalysisEvent]) -> Result<Vec<Block>> {
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

/// Judges encoding and decoding beside LZ4 on the same bytes.
pub fn codec(events: &[AnalysisEvent], report: &mut Report) -> Result<()> {
    let blocks = encode(events)?;
    let bytes: Vec<u8> = blocks.iter().flat_map(|block| block.bytes.iter().copied()).collect();
    let packed: Vec<Vec<u8>> =
        blocks.iter().map(|block| lz4_flex::block::compress(&block.bytes)).collect();
    let (count, stored) = (events.len(), packed.iter().map(Vec::len).sum::<usize>());
    println!("{count} events, {} bytes, {stored} as LZ4", bytes.len());
    let pack =
        || blocks.iter().map(|block| lz4_flex::block::compress(&block.bytes).len()).sum::<usize>();
    let unpack = || {
        let lengths = packed.iter().zip(&blocks).map(|(packed, block)| {
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
        .promised("decode", 0.02, || decode(&blocks));
    let decoding = report.contest(decoding);
    let millions = |seconds: f64| count as f64 / 1e6 / seconds;
    println!("encoded: {:.1} million events/s", millions(encoding.seconds("encode")));
    println!("decoded: {:.1} million events/s\n", millions(decoding.seconds("decode")));
    assert_eq!(decode(&blocks), count, "what is timed reads every event");
    Ok(())
}

/// The median time in milliseconds.
pub fn milliseconds<T>(mut call: impl FnMut() -> T) -> f64 {
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

fn find_highlights(events: &[AnalysisEvent], ticks: TickLength, end: u64) -> Vec<Highlight> {
    let mut finder = HighlightFinder::new(ticks);
    events.iter().for_each(|event| finder.add(event));
    finder.finish(Tick(end))
}

/// Judges how long it takes to find the highlights of a match of 60 minutes, which ends at `end`.
pub fn highlights(events: &[AnalysisEvent], ticks: TickLength, end: u64, report: &mut Report) {
    let time = milliseconds(|| find_highlights(events, ticks, end));
    report.claim(&Claim::at_most("highlights of a 60-minute match, ms", time, 50.0));
}

/// Blocks of 1,000 matches become one wide Parquet file, on one core; there are a few matches, which
/// take turns.
pub fn many_matches<N: Names + Clone>(
    matches: &[Vec<Block>],
    names: &N,
    report: &mut Report,
) -> Result<()> {
    let start = Instant::now();
    let mut table = ParquetTable::new(Table::Wide, Vec::new())?;
    let mut rows = 0usize;
    for (number, blocks) in (0..MATCHES).zip(matches.iter().cycle()) {
        let mut info = MatchInfo::new(TickLength::MILLISECOND, names.clone());
        info.source = number.to_string();
        for block in blocks {
            for event in Events::new(&block.bytes, 0)? {
                table.push(&event?, &info)?;
                rows += 1;
            }
        }
    }
    let file = table.finish()?;
    let seconds = start.elapsed().as_secs_f64();
    let (megabytes, rate) = (file.len() as f64 / 1e6, MATCHES as f64 / seconds);
    println!(
        "{MATCHES} matches, {} of them distinct, to Parquet: {rows} events, {megabytes:.1} MB, \
         {:.2} million events/s",
        matches.len(),
        rows as f64 / 1e6 / seconds
    );
    report.claim(&Claim::at_least("Parquet, matches a second on one core", rate, 25.0));
    Ok(())
}
