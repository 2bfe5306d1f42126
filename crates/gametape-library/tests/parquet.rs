//! Parquet files, read back with the reader of the `parquet` crate: every value is compared.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper of a test may fail it")]

use std::fmt::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use gametape_analysis::sample::{self, Random};
use gametape_analysis::{
    AnalysisEvent, ColumnType, CsvTable, EventKind, MatchInfo, Table, UnitTag,
};
use gametape_library::ParquetTable;
use gametape_wire::{Tick, TickLength};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

/// Names without commas and quotes, so that lines of CSV can be compared as text.
const NAMES: [&str; 6] = ["tank", "boat", "Türme", "gold", "timeout", "nuke"];

fn info(source: &str) -> MatchInfo<[&'static str; 6]> {
    let mut info = MatchInfo::new(TickLength::from_micros(50_000).unwrap(), NAMES);
    info.id = "00ff".to_owned();
    info.source = source.to_owned();
    info.players = (1..8).map(|player| (player, format!("Player {player}"))).collect();
    info
}

fn events() -> Vec<AnalysisEvent> {
    let mut random = Random::new(8);
    let kinds = EventKind::ALL.iter().cycle().take(EventKind::ALL.len() * 50);
    kinds.zip(0..).map(|(&kind, tick)| sample::event(kind, Tick(tick / 3), &mut random)).collect()
}

fn written(table: Table, events: &[AnalysisEvent]) -> Vec<RecordBatch> {
    let mut file = ParquetTable::new(table, Vec::new()).unwrap();
    events.iter().for_each(|event| file.push(event, &info("a.tape")).unwrap());
    read(file.finish().unwrap())
}

fn read(file: Vec<u8>) -> Vec<RecordBatch> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(file));
    reader.unwrap().build().unwrap().map(Result::unwrap).collect()
}

/// What CSV writes for the same value: the other way to export it.
fn cell(array: &dyn Array, row: usize) -> String {
    if array.is_null(row) {
        return String::new();
    }
    match array.data_type() {
        DataType::Boolean => array.as_boolean().value(row).to_string(),
        DataType::UInt8 => array.as_primitive::<UInt8Type>().value(row).to_string(),
        DataType::UInt16 => array.as_primitive::<UInt16Type>().value(row).to_string(),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row).to_string(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).to_string(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Float64 => format!("{:?}", array.as_primitive::<Float64Type>().value(row)),
        DataType::Utf8 => array.as_string::<i32>().value(row).to_owned(),
        DataType::List(_) => {
            let list = array.as_list::<i32>().value(row);
            let cells: Vec<String> = (0..list.len()).map(|at| cell(&list, at)).collect();
            cells.join(" ")
        }
        other => panic!("no column is of type {other}"),
    }
}

fn as_csv(batches: &[RecordBatch]) -> String {
    let mut text = String::new();
    for batch in batches {
        for row in 0..batch.num_rows() {
            let cells: Vec<String> = batch.columns().iter().map(|c| cell(c, row)).collect();
            writeln!(text, "{}", cells.join(",")).unwrap();
        }
    }
    text
}

#[test]
fn every_value_of_every_table_comes_back() {
    let events = events();
    for table in Table::all() {
        let batches = written(table, &events);
        let mut csv = CsvTable::new(table);
        let mut expected = String::new();
        events.iter().for_each(|event| csv.row(event, &info("a.tape"), &mut expected));
        assert!(expected.lines().count() >= 50);
        assert_eq!(as_csv(&batches), expected, "{}", table.name());
        let schema = batches[0].schema();
        let fields = schema.fields().iter().map(|field| (field.name(), field.is_nullable()));
        let columns = table.columns().iter().map(|column| (&column.name, column.nullable));
        assert!(fields.eq(columns), "{}", table.name());
    }
}

/// Many readers have no unsigned 64-bit type, and ticks are subtracted.
#[test]
fn ticks_and_durations_are_signed() {
    let columns = Table::Wide.columns();
    for name in ["tick", "duration_ticks", "outcome_first_tick"] {
        let column = columns.iter().find(|column| column.name == name).unwrap();
        assert_eq!(column.column_type, ColumnType::I64, "{name}");
    }
}

#[test]
fn empty_lists_are_not_nothing() {
    let event = AnalysisEvent::SelectionChanged {
        tick: Tick(1),
        player: 1,
        added: vec![],
        removed: vec![],
    };
    let batch = &written(Table::Wide, &[event])[0];
    assert_eq!(batch.column_by_name("added").unwrap().null_count(), 0);
    assert_eq!(batch.column_by_name("buildings_lost").unwrap().null_count(), 1);
}

#[test]
fn long_tables_have_several_batches() {
    let events: Vec<_> = (0..70_000)
        .map(|tick| AnalysisEvent::PauseEvent {
            tick: Tick(tick),
            player: 1,
            paused: tick % 2 == 0,
        })
        .collect();
    let batches = written(Table::Kind(EventKind::PauseEvent), &events);
    let ticks: Vec<i64> = batches
        .iter()
        .flat_map(|b| {
            b.column_by_name("tick").unwrap().as_primitive::<Int64Type>().values().to_vec()
        })
        .collect();
    assert!(ticks.into_iter().eq(0..70_000));
}

#[test]
fn a_table_without_rows_is_a_file_with_a_schema() {
    let file = ParquetTable::new(Table::Wide, Vec::new()).unwrap().finish().unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(file)).unwrap();
    assert_eq!(reader.schema().fields().len(), Table::Wide.columns().len());
    assert_eq!(reader.build().unwrap().count(), 0);
}

#[test]
fn rows_say_which_match_they_are_from_when_and_who() {
    let mut file = ParquetTable::new(Table::Wide, Vec::new()).unwrap();
    let event = AnalysisEvent::PauseEvent { tick: Tick(7), player: 1, paused: true };
    for name in ["one", "two"] {
        file.push(&event, &info(name)).unwrap();
    }
    let batches = read(file.finish().unwrap());
    let column = |name: &str| batches[0].column_by_name(name).unwrap().clone();
    assert!(column("tape").as_string::<i32>().iter().eq([Some("one"), Some("two")]));
    assert!(column("match_id").as_string::<i32>().iter().all(|id| id == Some("00ff")));
    assert!(column("player_name").as_string::<i32>().iter().all(|name| name == Some("Player 1")));
    assert_eq!(column("seconds").as_primitive::<Float64Type>().values(), &[0.35, 0.35]);
    assert_eq!(column("tick").data_type(), &DataType::Int64);
}

/// Names of ten kilobytes in every row, and long lists, are handed to the file in small batches.
#[test]
fn long_names_and_lists_are_written_piece_by_piece() {
    let mut names = info("one");
    names.players.insert(1, "n".repeat(10_000));
    let mut file = ParquetTable::new(Table::Wide, Vec::new()).unwrap();
    for n in 0..2000_u16 {
        let (tick, added) = (n.into(), vec![UnitTag { index: n, generation: 1 }; 20]);
        let event =
            AnalysisEvent::SelectionChanged { tick: Tick(tick), player: 1, added, removed: vec![] };
        file.push(&event, &names).unwrap();
    }
    // 20 MB were given; what waits is less than the half of it.
    let shown = format!("{file:?}");
    let waiting = shown.rsplit("rows: ").next().unwrap().trim_end_matches(" }");
    assert!(waiting.parse::<usize>().unwrap() < 1000, "{shown}");
    let batches = read(file.finish().unwrap());
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 2000);
    let last = batches.last().unwrap();
    let name = last.column_by_name("player_name").unwrap().as_string::<i32>().value(0);
    assert_eq!(name.len(), 10_000);
}
